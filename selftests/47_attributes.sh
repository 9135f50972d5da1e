#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 47_attributes.sh - data that shares the inode with addresses: attributes, quota, projects, small directories
#
# group: features
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# many_names(folder) - grow a directory out of its inode and shrink it again
many_names() {
	local i

	i=0
	while [ $i -lt 100 ]; do
		: >"$1/a rather long name so that few of them fit $i"
		i=$((i + 1))
	done
	fileop write "$1/file" 0 64K
	rm "$1"/a*[02468]
}

plan 11
make_volume $DISK $MNT || bail "no volume"
load path=$MNT
# Inline attributes take 50 of the inode's addresses, larger ones a separate block.
fileop write $MNT/a 0 5M
fileop xattr $MNT/a user.small 40
check_exact "maps are exact with a small attribute" $MNT
fileop random $MNT/a 1280 50 "${SEED:-471}" every 5
fileop xattr $MNT/a user.big 3000
fileop xattr $MNT/a user.small 0
check_exact "maps are exact with a large attribute" $MNT
fileop write $MNT/inline 0 3300
fileop xattr $MNT/inline user.big 3000
fileop append $MNT/inline 100 20
check_exact "maps are exact with an attribute beside inline data" $MNT
mkdir -p $MNT/d/e/f
many_names $MNT/d
many_names $MNT/d/e/f
check_exact "maps are exact after inline directories are converted" $MNT
mv $MNT/d/e/f $MNT/g
rm -r $MNT/d
check_exact "maps are exact after these directories are moved and removed" $MNT
umount $MNT

make_special $DISK $MNT noinline_dentry,noinline_xattr,noinline_data -O extra_attr,flexible_inline_xattr,inode_checksum,inode_crtime ||
	bail "no extra attributes"
await_live
fileop write $MNT/a 0 5M
fileop xattr $MNT/a user.small 40
fileop random $MNT/a 1280 50 "${SEED:-472}" every 5
mkdir $MNT/d
many_names $MNT/d
check_exact "maps are exact without inline data and with fewer addresses in the inode" $MNT
umount $MNT
mount_volume $DISK $MNT inline_xattr_size=100 || :
await_live
fileop write $MNT/b 0 5M
fileop xattr $MNT/b user.small 300
fileop random $MNT/b 1280 50 "${SEED:-473}" every 5
check_exact "maps are exact with a larger area for attributes" $MNT
umount $MNT

if ! make_special $DISK $MNT usrquota,grpquota,prjquota -O extra_attr,project_quota,quota; then
	skip_rest "quota" "this kernel or these tools have none"
fi
await_live
mkdir $MNT/project
fileop project $MNT/project 42
fileop write $MNT/project/a 0 2M
fileop random $MNT/project/a 512 60 "${SEED:-474}" every 4
chown 1000:1000 $MNT/project/a
fuzz storm --seed "${SEED:-475}" --ops 100 $MNT/project
check_exact "maps are exact with quota" $MNT
fileop write $MNT/other 0 64K
refuse "F2FS refuses a link from another project" ln $MNT/other $MNT/project/link 2>/dev/null
mv $MNT/project/a $MNT/moved 2>/dev/null || :
check_exact "maps are exact after a file is moved out of the project" $MNT
fileop truncate $MNT/other 5000
umount $MNT
mount_volume $DISK $MNT usrquota,grpquota,prjquota
await_live
check_exact "maps are exact after the next mount" $MNT
finish
