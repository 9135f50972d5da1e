# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# mkfs.sh - mkfs.f2fs for kernels with pages of 16 KiB, which mount no F2FS with smaller blocks
#
# To be sourced by setup.sh. Debian's mkfs.f2fs makes blocks of 4 KiB: the size is a constant of its header. So it is built
# from Debian's source package with the constants for blocks of 16 KiB, and kept in the folder of the kernel.

# ft_mkfs_source(folder) - download Debian's source package of f2fs-tools, unpack it there
ft_mkfs_source() {
	local apt

	apt=$(ft_cache)/apt-sources-$FT_NEWER_RELEASE
	mkdir -p "$1/package" "$apt/lists/partial" "$apt/archives/partial" "$apt/parts"
	: >"$apt/status"
	ft_apt_conf "$apt" >"$apt/apt.conf"
	echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $(ft_archives | head -n 1) $FT_NEWER_RELEASE main" \
		>"$apt/sources.list"
	(cd "$1/package" && apt-get -qq -c "$apt/apt.conf" update && apt-get -qq -c "$apt/apt.conf" source --download-only f2fs-tools) \
		>"$apt/log" 2>&1 || {
		tail -n 5 "$apt/log" >&2
		return 1
	}
	tar -xf "$(echo "$1"/package/*.orig.tar.*z)" --strip-components 1 -C "$1"
}

# ft_mkfs_constants(header) - make all that follows from the size of a block do so, and make that 16 KiB
#
# An inode has 380 bytes besides the addresses and the 24 bytes of the node's footer; a slot of a directory takes 19 bytes and a bit.
ft_mkfs_constants() {
	sed -i -e '/^static_assert(.*== [0-9]*, "");/d' \
		-e 's/^\(#define F2FS_BLKSIZE_BITS\) .*/\1 14/' \
		-e 's/^\(#define F2FS_BLKSIZE\)\t.*/\1 (1 << F2FS_BLKSIZE_BITS)/' \
		-e 's/^\(#define CP_CHKSUM_OFFSET\)\t.*/\1 (F2FS_BLKSIZE - 4)/' \
		-e 's/^\(#define\tDEFAULT_SECTORS_PER_BLOCK\)\t.*/\1 (F2FS_BLKSIZE \/ 512)/' \
		-e 's/^\(#define F2FS_MAX_LOG_SECTOR_SIZE\)\t.*/\1 F2FS_BLKSIZE_BITS/' \
		-e 's/^\(#define F2FS_ORPHANS_PER_BLOCK\)\t.*/\1 ((F2FS_BLKSIZE - 16) \/ 4)/' \
		-e 's/^\(#define DEF_ADDRS_PER_INODE\)\t.*/\1 ((F2FS_BLKSIZE - 380 - 24) \/ 4)/' \
		-e 's/^\(#define DEF_ADDRS_PER_BLOCK\)\t.*/\1 ((F2FS_BLKSIZE - 24) \/ 4)/' \
		-e 's/^\(#define NIDS_PER_BLOCK\) .*/\1 DEF_ADDRS_PER_BLOCK/' \
		-e 's/^\(#define ENTRIES_IN_SUM\)\t.*/\1 (F2FS_BLKSIZE \/ 8)/' \
		-e 's/^\(#define NR_DENTRY_IN_BLOCK\)\t.*/\1 (8 * F2FS_BLKSIZE \/ (8 * 19 + 1))/' "$1"
	echo 'static_assert(sizeof(struct f2fs_node) == F2FS_BLKSIZE && sizeof(struct f2fs_summary_block) == F2FS_BLKSIZE &&
		sizeof(struct f2fs_orphan_block) == F2FS_BLKSIZE, "");' >>"$1"
}

# ft_mkfs_compile(folder) - build it there, in the userland of the kernel
ft_mkfs_compile() {
	# shellcheck disable=SC2016,SC2046 # expanded inside, options
	ft_inside sh -euc 'cd "$1" && shift && exec aarch64-linux-gnu-gcc -O2 -static -w -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 \
		-DWITH_BLKDISCARD "-DF2FS_TOOLS_VERSION=\"blocks of 16 KiB\"" "-DF2FS_TOOLS_DATE=\"-\"" \
		-DF2FS_MAJOR_VERSION=1 -DF2FS_MINOR_VERSION=16 "$@" -Iinclude -Imkfs -o mkfs.f2fs mkfs/f2fs_format_main.c \
		mkfs/f2fs_format.c mkfs/f2fs_format_utils.c lib/libf2fs.c lib/libf2fs_io.c lib/libf2fs_zoned.c lib/nls_utf8.c' \
		sh "$1" $(printf -- '-DHAVE_%s_H ' LINUX_BLKZONED LINUX_FALLOC LINUX_FS LINUX_HDREG LINUX_LIMITS LINUX_TYPES \
			SYS_IOCTL SYS_MOUNT SYS_STAT SYS_SYSMACROS SYS_UTSNAME SCSI_SG MNTENT BYTESWAP FCNTL FALLOC STDLIB STRING UNISTD) \
		$(printf -- '-DHAVE_%s ' FSYNC LSEEK64 FALLOCATE CLOCK_GETTIME SETMNTENT FSTAT FSTAT64 MEMSET BLK_ZONE_REP_V2) >&2
}

# ft_mkfs_build(program) - build it
ft_mkfs_build() {
	local dir

	[ ! -x "$1" ] || return 0
	ft_say "building mkfs.f2fs for blocks of 16 KiB (10 MB with the list of packages)"
	dir=$(ft_cache)/mkfs.$$
	rm -rf "$dir"
	mkdir -p "$dir" "${1%/*}"
	if ft_mkfs_source "$dir" && ft_mkfs_constants "$dir/include/f2fs_fs.h" && ft_mkfs_compile "$dir"; then
		mv "$dir/mkfs.f2fs" "$1"
	fi
	rm -rf "$dir"
	[ -x "$1" ]
}

# ft_mkfs() - make sure that the guest's root of a kernel with pages of 16 KiB has an mkfs.f2fs for it, in usr/local/sbin; without
# it, tests are skipped
ft_mkfs() {
	case $KREL in
	*-arm64-16k) ft_locked mkfs ft_mkfs_build "$KROOT/guest/usr/local/sbin/mkfs.f2fs" || ft_say "there is no mkfs.f2fs for blocks of 16 KiB" ;;
	esac
}
