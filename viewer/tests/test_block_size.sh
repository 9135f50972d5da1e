#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Tests volumes with blocks of 16 KiB: what is in bytes, and what is in requests; speaks KTAP. See testlib.sh.
# usage: test_block_size.sh PROGRAM [TEST...]
set -eu

# shellcheck source-path=SCRIPTDIR source=testlib.sh
. "$(dirname "$0")/testlib.sh"

# has(file, text...) - the file has each of these texts
has() {
	local file text
	file=$1
	shift
	for text; do
		grep -qF -- "$text" "$file" || fail "expected \"$text\" in: $(head -c 4000 "$file")"
	done
}

# A request of 128 KiB has 8 blocks. a.db: blocks 0 to 7 take one, 8 to 11 and 12 to 15 one each, ideally one; b.db: one.
# Of 4 segments of 8 MiB the first one has a log.
made() {
	cat >t <<-'EOF'
	# fragtrace table 1
	# block_bytes 16384
	# volume 254:0 main_blkaddr=512 blocks=2560 segment_blocks=512 path=/mnt
	# dev lba length offset ino state path
	# writer redis 7 100 200
	# cause 4 12 overwrite sync interleaved 2
	254:0 512 12 0 4 fragmented /mnt/a.db
	254:0 600 4 12 4 fragmented /mnt/a.db
	254:0 700 8 0 5 contiguous /mnt/b.db
	EOF
	"$python" "$here/to_snapshot.py" t >t.snapshot
}

# The state of F2FS of that volume, where the second segment is full and the others are empty, in ./s
state() {
	mkdir s
	PYTHONPATH=$here "$python" -B - "$1" <<-'EOF'
		import sys
		import naive_space, naive_zones
		from pathlib import Path
		mine = [i < 12 or 88 <= i < 92 or 188 <= i < 196 for i in range(512)]
		with open("s/segment_bits", "w") as file:
		    print(naive_space.BITS, naive_space.LINE, sep="\n", file=file)
		    for i, bits in enumerate((mine, [True] * 512, [False] * 512, [False] * 512)):
		        print(f"{i:<10}1|{sum(bits):<3}| {naive_space.as_hex(bits)}", file=file)
		block = bytearray(naive_zones.superblock(1, 4, [], int(sys.argv[1])))
		block[1024 + 92:1024 + 96] = (512).to_bytes(4, "little")
		Path("s/superblock").write_bytes(block)
		# zones of 8 MiB: 16384 sectors of 512 bytes; the main area begins with the second one
		zone = naive_zones.ZONE
		Path("s/zones.0").write_text("".join(zone.format(i * 16384, 16384, 16384, pointer, kind, 2 if kind else 1) + "\n"
		    for i, (pointer, kind) in enumerate(((0, 0), (196 * 32, 4), (16384, 14), (0, 1), (0, 1)))))
	EOF
}

test_figures() {
	local form
	made
	for form in t t.snapshot; do
		"$fragtrace" table -t $form >out
		has out '# block_bytes 16384'
		"$fragtrace" table --json -t $form >out
		has out '"segment_blocks":512,"block_bytes":16384,"path":"/mnt"'
	done
	# what is written can be read
	"$fragtrace" table -t t | "$fragtrace" table --csv -t - >again
	"$fragtrace" table --csv -t t | cmp - again
	"$fragtrace" extents -t t.snapshot >out
	has out '# block_bytes 16384'
	"$fragtrace" files -t t.snapshot >out
	has out '# block_bytes 16384'
	"$fragtrace" files --csv -t t.snapshot >out
	"$python" - <<-'EOF2'
		import csv
		found = [[row[k] for k in ("path", "blocks", "fragments", "requests_128k", "ideal_128k")] for row in csv.DictReader(open("out"))]
		assert found == [["/mnt/a.db", "16", "2", "3", "2"], ["/mnt/b.db", "8", "1", "1", "1"]], found
	EOF2
	# 2048 blocks; 16 and 8
	"$fragtrace" metrics -t t >out
	has out 'volume_size_bytes{device="254:0",mountpoint="/mnt"} 33554432' 'state="contiguous"} 131072' 'state="fragmented"} 262144'
}

# Without the line, and in the snapshot of an older module, a block has 4096 bytes: a.db and b.db take one request and one break.
test_what_does_not_say_it() {
	local form
	made
	sed -i 2d t
	"$python" "$here/to_snapshot.py" t >t.snapshot
	for form in t t.snapshot; do
		"$fragtrace" table -t $form >out
		! grep block_bytes out || fail "it is said"
		"$fragtrace" table --json -t $form >out
		has out '"block_bytes":4096'
	done
	"$fragtrace" files --csv -t t.snapshot >out
	has out ',16,2,2,8.0,76.0,2,1,'
}

test_pictures() {
	made
	"$fragtrace" view -t t -o out.svg
	has out.svg '1 box = one 16 KiB block' '2,048 blocks (32 MiB)' 'within 8 blocks (128 KiB) of a break'
	"$fragtrace" view -t t --layout segments -o out.svg
	has out.svg '1 row = 1 segment (8 MiB)'
	"$fragtrace" view -t t --layout hilbert -o out.svg
	has out.svg '32 MiB' '<title>'
	printf '%s\n' '# fragtrace heat 2' '# block_bytes 16384' '# windows blocks=8 period_secs=3600' '254:0 4 0 7 7 7 0 0 /mnt/a.db' >heat
	"$fragtrace" view -t t --color-by heat --heat heat -o out.svg
	has out.svg 'by windows of 128 KiB'
	"$fragtrace" file a.db -t t.snapshot -o out.svg
	has out.svg '16 blocks written (256 KiB) in 2 extents, the last one ends at 256 KiB' '76 blocks (1.2 MiB) after' 'takes 3 requests, ideally 2'
}

# a.db has 16 blocks, b.db 8
test_runs_are_compared_by_bytes() {
	made
	mkdir -p old/1 new/1
	cp t old/1/table
	sed 2d t >new/1/table
	"$fragtrace" compare old new >out || [ $? = 4 ]
	tr -s ' ' <out >text
	has text ' blocks of data 96 24 '
}

test_sentences() {
	made
	"$fragtrace" why a.db -t t.snapshot >out
	has out 'at block 12 (192 KiB): overwrite, sync, interleaved'
	cat >latency <<-'EOF'
	# fragtrace latency 1
	# block_bytes 16384
	254:0 rest 0 0 0 0 0 0 0 0 0:0 0:0 0:0 0:0 0:0 0:0 0:0 0:0
	EOF
	awk 'BEGIN { for (i = 0; i < 40; i++) { x = i % 4; y = 300 + 85 * x; X += x; L += 8; Y += y; XX += x * x; XL += 8 * x; LL += 64; XY += x * y; LY += 8 * y; YY += y * y }
		print "254:0 fit 8", 40, X, L, Y, XX, XL, LL, XY, LY, YY
		print "254:0 fit 128", 40, X, L, Y, XX, XL, LL, XY, LY, YY }' >>latency
	"$fragtrace" cost -t latency >out
	has out 'in reads of 128 KiB a request more takes 85' 'in reads of more than 1 MiB a request more takes 85'
}

test_space() {
	made
	state 14
	"$fragtrace" space -t t --f2fs-state s >out
	has out '/mnt (254:0): 32 MiB, 4 segments of 8 MiB; section: 1 segment'
	tr -s ' ' <out >text
	has text ' data of watched files 24 384 KiB 1.2 %' ' other data 512 8 MiB 25.0 %' ' full 1 8 MiB 25.0 %'
	"$fragtrace" zones -t t --f2fs-state s >out 2>said || fail "$(cat said)"
	tr -s ' ' <out >text
	has text '/mnt (254:0): 32 MiB for data and nodes, in sections of 8 MiB' '5 zones of 8 MiB' ' 1 512 closed 196 512 24 '
	# of another volume
	rm -r s
	state 12
	refuses 's/superblock: no superblock of F2FS with 512 blocks of 16384 bytes' "$fragtrace" space -t t --f2fs-state s
}

test_defrag() {
	made
	"$fragtrace" defrag --all -t t >out
	has out '/mnt: 2 files, 384 KiB, requests of 128 KiB: 4, if no file were fragmented 3' '1 range in 1 file' '128 KiB to write' 'at 128 KiB: 128 KiB, requests 2 -> 1'
	"$fragtrace" defrag --all --json -t t >out
	has out '"offset":131072' '"end":262144' '"gain":8.000000'
	refuses '--request' "$fragtrace" defrag --all --request 20K -t t
	refuses '--reader' "$fragtrace" defrag --all --reader direct,4K -t t
	# 4: nothing is worth it
	"$fragtrace" defrag --all --request 64K --reader direct,16K -t t >out || [ $? = 4 ]
	has out 'requests of 64 KiB: 6, if no file were fragmented 6'
}

test_sizes_that_cannot_be() {
	local size
	made
	for size in 0 512 4095 12288 131072 x '16384 '; do
		sed "2s/.*/# block_bytes $size/" t >bad
		refuses 'bad:2: ' "$fragtrace" table -t bad
		sed "2s/.*/# block_bytes $size/; 3,\$d; 1s/.*/# fragtrace latency 1/" t >bad
		refuses 'bad:2: expected' "$fragtrace" cost -t bad
	done
	for size in 4095 12288 131072; do
		sed "2s/.*/# block_bytes $size/" t >bad
		"$python" "$here/to_snapshot.py" bad >bad.snapshot
		refuses "has blocks of $size bytes" "$fragtrace" table -t bad.snapshot
	done
	"$python" -c 'import sys; sys.stdout.buffer.write(open("t.snapshot", "rb").read().replace((16384).to_bytes(8, "little"), bytes(8)))' >bad.snapshot
	refuses "has blocks of 0 bytes" "$fragtrace" table -t bad.snapshot
}

run_tests
