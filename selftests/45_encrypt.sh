#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 45_encrypt.sh - encrypted directories, also compressed ones and ones that fold case
#
# Encrypted pages go through bounce pages, and the collector moves their blocks without reading the file
# (move_data_block() through the meta inode's pages).
#
# group: features
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# stir(folder) - all kinds of writes
stir() {
	fileop write "$1/a" 0 1M
	sync
	fileop random "$1/a" 256 80 "${SEED:-451}" every 3
	fileop write "$1/b" 5000 100000 direct 2>/dev/null || fileop write "$1/b" 8K 100K direct
	fileop fallocate "$1/a" punch 100K 100K
	fileop truncate "$1/a" 700001
	fuzz storm --seed "${SEED:-452}" --ops 100 "$1"
}

plan 10
B=$PAGE_SIZE
# otherwise F2FS may have collected before the test does
if ! make_special $DISK $MNT compress_algorithm=lz4,background_gc=off -O encrypt,extra_attr,compression,casefold -C utf8; then
	skip_rest "encryption" "this kernel or these tools have none"
fi
mkdir $MNT/secret $MNT/both
if ! fileop encrypt $MNT $MNT/secret || ! fileop write $MNT/secret/first 0 64K; then
	skip_rest "encryption" "this kernel lacks a cipher"
fi
rm $MNT/secret/first
load path=$MNT
stir $MNT/secret
check_exact "maps are exact for encrypted files" $MNT
mkdir $MNT/secret/deep
fileop many $MNT/secret/deep/f 50 $((7 * B)) $((5 * B)) 7
rm $MNT/secret/deep/f*[135]
mv $MNT/secret/a $MNT/secret/deep/moved
check_exact "maps are exact after encrypted directories are renamed and removed" $MNT
cat $DBG/extents >/tmp/earlier
fileop gc $MNT 1 30
check_exact "maps are exact after garbage collection" $MNT
check "breaks by garbage collection are exactly those of moved blocks" moved_breaks gc_fg /tmp/earlier
mkdir $MNT/secret/fold
if fileop casefold $MNT/secret/fold 2>/dev/null; then
	fileop write $MNT/secret/fold/One 0 64K
	fileop write $MNT/secret/fold/ONE 64K 64K
	fileop write $MNT/secret/fold/two 0 64K
	fileop rename $MNT/secret/fold/TWO $MNT/secret/fold/three
	check_exact "maps are exact in an encrypted directory that folds case" $MNT
else
	skip "maps are exact in an encrypted directory that folds case" "this kernel does not do both"
fi
fileop write $MNT/plain 0 256K
sync
refuse "F2FS refuses to move a range into an encrypted file" fileop move $MNT/plain 0 $MNT/secret/b 0 64K 2>/dev/null
fileop atomic $MNT/secret/b begin write 0 64K sync commit
check_exact "maps are exact after an atomic write" $MNT
fileop encrypt $MNT $MNT/both
f2fs_io setflags compression $MNT/both >/dev/null
stir $MNT/both 2>/dev/null || :
i=0
while [ $i -lt 64 ]; do
	dd if=/dev/urandom of=$MNT/both/mixed bs="$B" seek=$i count=3 conv=notrunc 2>/dev/null
	fileop write $MNT/both/mixed $(((i + 4) * B)) $((5 * B))
	i=$((i + 8))
done
check_exact "maps are exact for encrypted and compressed files" $MNT
fileop gc $MNT 1 30
check_exact "maps are exact after garbage collection of encrypted and compressed files" $MNT
# The names are readable with the key only: add it before the module reads them.
unload
umount $MNT
mount_volume $DISK $MNT compress_algorithm=lz4
fileop encrypt $MNT
load path=$MNT
fileop random $MNT/secret/deep/moved 128 40 "${SEED:-453}" every 3
check_exact "maps are exact after the next mount" $MNT
finish
