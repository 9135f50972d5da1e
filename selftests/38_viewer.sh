#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 38_viewer.sh - the viewer while the module runs, is unloaded and loaded; its figures agree with those of the module
#
# kernels: first
# group: texts

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

out=/tmp/view

# go() - unload the module; a reader may have a file open for a moment
go() {
	loop_until 20 rmmod fragtrace
}

# same_figures() - the viewer's figures, computed from the table, are those of `files`
same_figures() {
	LINES=9999 fragtrace top --count 1 -n 0.01 | awk 'NR > 3 && NF { print $1, $2, $4, $NF }' | sort >/tmp/figures
	awk '!/^#/ && $6 { print $9 - $10, $6, $4, $NF }' $DBG/files | sort | cmp - /tmp/figures
}

# same_sums() - the metrics are the sums of `files`
same_sums() {
	fragtrace metrics | awk '/^fragtrace_(fragments|read)/ { print $NF }' >/tmp/sums
	awk '!/^#/ { f += $6; r += $9; i += $10 } END { print f; print r; print i }' $DBG/files | cmp - /tmp/sums
}

# same_breaks() - fragtrace why counts the breaks of `files`: a file has one fewer than fragments
same_breaks() {
	fragtrace why | sed -n "s|^$MNT: .* fragmented, \([0-9,]*\) breaks\?\.\$|\1|p" | tr -d , >/tmp/breaks
	awk '!/^#/ && $6 { n += $6 - 1 } END { print n }' $DBG/files | cmp - /tmp/breaks
}

# same_causes() - the causes of the viewer from `snapshot` are those of `extents`
same_causes() {
	fragtrace table --csv | awk -F, 'NR > 1 && $7 { print $5, $4, $7, $8, $9, $10 }' | sort >/tmp/causes
	awk '!/^#/ && $9 != "-" { print $2, $3, $9, $10, $11, $12 }' $DBG/extents | sort | cmp - /tmp/causes
}

# same_list(name) - the list of the viewer from `snapshot` is the text of that name
same_list() {
	fragtrace "$1" --csv | sed -e 1d -e 's/\r$//' -e ':again' -e 's/,,/,-,/' -e 't again' -e 'y/,/ /' >/tmp/list
	grep -v '^#' "$DBG/$1" | cmp - /tmp/list
}

# same_breaks_of(list, program...) - the sums of breaks of the viewer are those that the program prints; in any order
same_breaks_of() {
	local name

	name=$1
	shift
	fragtrace "$name" --csv | sed -e 1d -e 's/\r$//' -e 's/,$/,-/' -e 'y/,/ /' | sort >/tmp/list
	"$@" | sort | cmp - /tmp/list
}

# processes() - print the breaks in `extents` by process: dev breaks blocks files comm pid cgroup
processes() {
	awk '/^#/ { next }
		{
			if ($1 " " $2 != file)
				key = ""
			file = $1 " " $2
			if ($9 != "-") {
				key = $1 SUBSEP $12
				breaks[key]++
				files[key] += !seen[key, file]++
			}
			if (key != "" && $5 != "-")
				blocks[key] += $7
		}
		END {
			for (key in breaks) {
				split(key, part, SUBSEP)
				n = match(part[2], /:[0-9]+$/)
				who = n ? substr(part[2], 1, n - 1) " " substr(part[2], n + 1) " /" : part[2] " - -"
				print part[1], breaks[key], blocks[key], files[key], who
			}
		}' $DBG/extents
}

# owner(lba) - print what fragtrace says of a block
owner() {
	fragtrace block "$1" | sed -n "s|^LBA $1 of $MNT ([0-9:]*): ||p"
}

# snapshots(number) - there are at least so many
snapshots() {
	[ "$(ls $out/rec 2>/dev/null | wc -l)" -ge "$1" ]
}

plan 28
command -v fragtrace >/dev/null || skip_rest "the viewer beside the module" "fragtrace is not in this guest"
make_volume $DISK $MNT || bail "no volume"
load path=$MNT
fileop write $MNT/whole 0 1M
fileop write $MNT/pieces 0 2M
fileop random $MNT/pieces 512 200 1 every 10
fileop write $MNT/sparse 1M 64K
fileop write $MNT/sparse 8M 64K
sync
settle $MNT
check "the figures are equal to those of the text files" same_figures
check "the metrics are equal to the sums of the text files" same_sums
check "the breaks are equal to those of the text files" same_breaks
if grep -q '^# fragtrace extents 2' $DBG/extents; then
	check "the causes are equal to those of the text extents" same_causes
	check "their sums are equal, too" same_breaks_of causes causes
	check "so are those by process" same_breaks_of processes processes
else
	skip "the causes are equal to those of the text extents" "extents has no causes"
	skip "their sums are equal, too" "extents has no causes"
	skip "so are those by process" "extents has no causes"
fi
expect "the CSV of the table has all records" \
	"$(fragtrace table -t $DBG/table --csv | wc -l)" "$(grep -vc '^#' $DBG/table | awk '{ print $1 + 1 }')"
for list in extents files; do
	check "the list of $list from the snapshot is equal to the text $list" same_list $list
done
# shellcheck disable=SC2046 # two numbers
set -- $(path=$MNT/pieces awk '!/^#/ && $NF == ENVIRON["path"] && $4 > 100 { print $2, $4; exit }' $DBG/table)
expect "the owner of a block, and the cause of its fragment" "$(owner "$1") $(fragtrace block "$1" | sed -n 's/; by .*//; 3p')" \
	"block $2 of $MNT/pieces, inode $(stat -c %i $MNT/pieces), in the fragment that begins   at block $2 ($(($2 * 4)) KiB): $(
		path=$MNT/pieces n=$2 awk '!/^#/ && $NF == ENVIRON["path"] && $3 == ENVIRON["n"] { print $9 ", " $10 ", " $11 }' $DBG/extents)"
expect "metadata, and what is after the end, have no owner" "$(owner 1), $(owner 4000000000 | cut -d , -f 1)" \
	"metadata of F2FS, after the end of the volume"
lba=$(path=$MNT/whole awk '!/^#/ && $NF == ENVIRON["path"] { print $2; exit }' $DBG/table)
rm $MNT/whole
sync
settle
expect "a block that was freed is not in use" "$(owner "$lba")" "not in use"
check "without a command it says what is watched" eval 'fragtrace | grep -q "^  $MNT: live, [0-9]* files followed on "'
refuse "an address that is no number is refused" fragtrace block x 2>/dev/null

mkdir $out
fragtrace view -n 0.1 -o $out/fragImg.png >/dev/null 2>$out/said &
viewer=$!
fragtrace record $out/rec -n 0.1 2>$out/recorder.said &
recorder=$!
fragtrace metrics -n 0.1 -o $out/prom 2>/dev/null &
metrics=$!
check "fragtrace record keeps a snapshot" loop_until 20 snapshots 1
fileop write $MNT/more 0 64K
sync
check "a change leads to another snapshot" loop_until 20 snapshots 2
check "the module unloads while fragtrace runs" go
# a file may be there while it cannot be read any more: then that is what is said
check "fragtrace view reports the unload" loop_until 20 grep -q 'waiting until it is back' $out/said
sed 's/^/# /' $out/said
check "the last picture is kept" test -s $out/fragImg.png
load path=$MNT
check "fragtrace view reports that the module is back" loop_until 20 grep -q 'is back' $out/said
fileop write $MNT/again 0 64K
sync
check "fragtrace record goes on" loop_until 20 sh -c "fragtrace table --csv -t \$(ls $out/rec/fragtrace-* | tail -n 1) | grep -q /again"
kill $viewer $recorder $metrics
wait $viewer
expect "fragtrace view ends with status 0" $? 0
wait $recorder
expect "fragtrace record ends with status 0" $? 0
wait $metrics
expect "fragtrace metrics ends with status 0" $? 0
check "metrics were written" grep -q '^fragtrace_fragments' $out/prom
# a guest has no fonts: fontconfig prints a message
expect "fragtrace view has printed two messages" "$(grep -vc '^Fontconfig ' $out/said)" 2
expect "fragtrace record has printed two messages" "$(wc -l <$out/recorder.said)" 2
rm -rf $out
unload
check "and that the module is not loaded" eval 'fragtrace | grep -q "^The module fragtrace is not loaded"'
finish
