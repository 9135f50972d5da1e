#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# judge.sh - does `make judge` refuse what it cannot do, run both sides in turns with what belongs to them, and pass on the verdict?
#
# Its guests are replaced by a program that leaves a table; only the programs of the loads run for real, in a folder of this machine.

set -eu

FT_TESTS=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=../lib.sh
. "$FT_TESTS/lib.sh"
# shellcheck source=../machine/setup.sh
. "$FT_TESTS/machine/setup.sh"

dir=$(mktemp -d "$(ft_cache)/a test.XXXXXX")
memory=$(mktemp -d /dev/shm/fragtrace.XXXXXX)
trap 'rm -rf "$dir" "$memory"' EXIT

# make_judge() - a copy of judge.sh, in a folder whose name has a space, whose kernels and guests are not real: a guest leaves a file of as
# many extents as $dir/extents.A says, by the folder it writes to, and one more with each seed; each kernel by a path is that of a tree
make_judge() {
	mkdir "$dir/selftests" "$dir/viewer"
	cp -r "$FT_TESTS/commands" "$FT_TESTS/machine" "$FT_TESTS/trouble.sh" "$dir/selftests/"
	ln -s "$FT_TOP/viewer/fragtrace" "$dir/viewer/fragtrace"
	printf 'all:\n' >"$dir/viewer/Makefile"
	printf '#!/bin/sh\necho "module-of-$2"\n' >"$dir/selftests/machine/build.sh"
	printf 'ft_kernel() { KREL=${1##*/}-test TREE=; case $1 in */*) TREE=$1 KROOT=/cache/${1##*/} ;; esac; }\n' >>"$dir/selftests/machine/kernels.sh"
	cat >"$dir/selftests/machine/guest.sh" <<-'GUEST'
	#!/bin/sh
	dir=$(dirname "$0")/../..
	for word; do
		[ "${before:-}" != -f ] || [ -f "$word" ] || { echo "no file $word"; exit 1; }
		before=$word
	done
	echo "$*" | sed "s|$(cd "$dir" && pwd)/||g; s|-f [^ ]* ||g" >>"$dir/given"
	[ ! -e "$dir/fails" ] || { rc=$(cat "$dir/fails"); rm "$dir/fails"; echo "a last word"; exit "$rc"; }
	while [ "$1" != -o ]; do shift; done
	out=$2
	n=$(($(cat "$dir/extents.$(basename "$(dirname "$out")")") + $(basename "$out")))
	mkdir -p "$out"
	{
		echo '# fragtrace table 1'
		echo '# volume 254:0 main_blkaddr=4096 blocks=262144 segment_blocks=512 path=/mnt/f2fs'
		echo '# dev lba length offset ino state path'
		i=0
		while [ $i -lt $n ]; do
			echo "254:0 $((5000 + i * 20)) 1 $i 4 fragmented /mnt/f2fs/a"
			i=$((i + 1))
		done
	} >"$out/table"
	echo "a line of the kernel"
	echo "1 files"
	GUEST
}

# judge(VARIABLE=VALUE...) - run it; print its status
judge() {
	local rc

	rc=0
	rm -f "$dir/given"
	env -u KERNEL -u DISK -u OUT -u CMD -u SEED -u RUNS -u MOUNT -u SYSFS -u WORK -u IDLE "$@" "$dir/selftests/commands/judge.sh" "$dir/out" \
		>"$dir/said" 2>"$dir/err" || rc=$?
	echo $rc
}

# refused(name, what it says, VARIABLE=VALUE...) - it ends at once, and says that
refused() {
	local name words

	name=$1 words=$2
	shift 2
	expect "$name" "$(judge "$@"), $(sed 's/^fragtrace: error: //' "$dir/err"), $(cat "$dir/given" 2>/dev/null)" "1, $words, "
}

# same_tree(folder, folder) - have both the same files?
same_tree() {
	diff -r "$1" "$2" >/dev/null
}

# aged(folder, bytes) - is it as full as asked, with sizes and ages near the profile's? Names are numbers in the order of creation
#
# Of the profile 70 % of the files have 8 KiB or less, and 37 % are older than 4.5 % of the run.
aged() {
	find "$1" -type f -printf '%f %s\n' | awk -v bytes="$2" '
		{ last = $1 > last ? $1 : last; name[NR] = $1; small += $2 <= 8192; blocks += 1 + int(($2 + 4095) / 4096) }
		END {
			for (i in name)
				old += name[i] < last * (1 - 0.0449)
			printf "# %d files, %.0f %% small, %.0f %% old, %.0f %% full\n", NR, 100 * small / NR, 100 * old / NR, blocks * 409600 / bytes
			exit !(small > 0.6 * NR && small < 0.8 * NR && old > 0.27 * NR && old < 0.47 * NR && blocks * 4096 > 0.7 * bytes && blocks * 4096 <= bytes)
		}'
}

# folder_of(kernel) - print where the module is built for a kernel of this name, whose release is always the same
folder_of() {
	(
		# shellcheck source=../machine/build.sh
		. "$FT_TESTS/machine/build.sh"
		KREL=6.12.0 KROOT=$1
		ft_build_folder "$1"
	)
}

plan 28
make_judge
refused "an unknown load" "LOAD='mails': expected aging, mail, fs-mark, rocksdb or redis" LOAD=mails
refused "no load" "LOAD='': expected aging, mail, fs-mark, rocksdb or redis" KERNEL='6.12 7'
nothing="there is nothing to compare; name two kernels, KERNEL='OLD NEW', or two settings, MOUNT='OF_A|OF_B' or SYSFS='OF_A|OF_B'"
refused "one kernel" "KERNEL='6.12': $nothing" LOAD=mail KERNEL=6.12
refused "one kernel, with the same settings" "KERNEL='': $nothing" LOAD=mail 'MOUNT=mode=lfs|mode=lfs'
refused "three kernels" "KERNEL='6.1 6.12 7': expected two kernels, or one for both sides; the path of a tree has no spaces" LOAD=mail KERNEL='6.1 6.12 7'
refused "three sides" "MOUNT='a|b|c': expected one | at most, between what is for A and what is for B" LOAD=mail 'MOUNT=a|b|c'
refused "options with spaces" "MOUNT='-o lazytime': expected options of mount -o, without spaces" LOAD=mail 'MOUNT=-o lazytime|'
refused "no setting" "SYSFS='../x=1': expected NAME=VALUE, such as ipu_policy=1" LOAD=mail 'SYSFS=../x=1|'
refused "idle seconds that are no number" "IDLE='2s': expected a number from 1 to 3600" LOAD=aging KERNEL='6.12 7' IDLE=2s
refused "a load that is never idle" "IDLE='2': the load mail has no idle seconds, only aging has" LOAD=mail KERNEL='6.12 7' IDLE=2
refused "no run" "RUNS='0': expected a number from 1 to 1000" LOAD=mail KERNEL='6.12 7' RUNS=0

echo 100 | tee "$dir/extents.A" >"$dir/extents.B"
expect "a kernel for which there are no programs" "$(judge LOAD=mail KERNEL='6.12 7-arm64'), $(tail -n 1 "$dir/err" | cut -d : -f 3)" "1,  KERNEL='7-arm64'"
rm -rf "$dir/out"
expect "A against A: nothing is more" "$(judge LOAD=mail KERNEL='6.12 6.12' RUNS=3)" 0
check "and it says so" grep -q '^  fragments  .*  no difference to be seen' "$dir/said"
refused "runs are not overwritten" "OUT='$dir/out': there are runs in it; name another folder, or remove A and its like" LOAD=mail KERNEL='6.12 7'
rm -rf "$dir/out"
echo 200 >"$dir/extents.B"
expect "one side has more: status 3" "$(judge LOAD=aging 'MOUNT=|active_logs=2' 'SYSFS=ipu_policy=1' RUNS=3 SEED=7 WORK=3 DISK=1G)" 3
check "and the verdict is kept" grep -q '^  fragments  .*  more, by ' "$dir/out/verdict"
check "with what was compared" grep -qxF 'B: Linux 6.12-test, mounted with active_logs=2, ipu_policy=1' "$dir/out/verdict"
guest='-m module-of-6.12 -c 1 -d 1G -M 1536M -t 5400 -o'
expect "the sides take turns, with their settings, the same seeds and volumes" "$(cat "$dir/given")" \
	"-k 6.12 $guest out/A/1 -- env MOUNT= SYSFS=ipu_policy=1 /selftests/in_guest/judge.sh aging 7 3 0
-k 6.12 $guest out/B/1 -- env MOUNT=active_logs=2 SYSFS=ipu_policy=1 /selftests/in_guest/judge.sh aging 7 3 0
-k 6.12 $guest out/A/2 -- env MOUNT= SYSFS=ipu_policy=1 /selftests/in_guest/judge.sh aging 8 3 0
-k 6.12 $guest out/B/2 -- env MOUNT=active_logs=2 SYSFS=ipu_policy=1 /selftests/in_guest/judge.sh aging 8 3 0
-k 6.12 $guest out/A/3 -- env MOUNT= SYSFS=ipu_policy=1 /selftests/in_guest/judge.sh aging 9 3 0
-k 6.12 $guest out/B/3 -- env MOUNT=active_logs=2 SYSFS=ipu_policy=1 /selftests/in_guest/judge.sh aging 9 3 0"
rm -rf "$dir/out"
mkdir -p "$memory/my-arm64"
touch "$memory/my-arm64/Makefile" "$memory/my-arm64/.config"
judge LOAD=aging KERNEL="$memory/my-arm64 /linux/new" RUNS=1 IDLE=2 >/dev/null
expect "the verdict names two trees of one release by their paths" "$(grep '^[AB]: Linux' "$dir/out/verdict" | paste -sd ' ')" \
	"A: Linux my-arm64-test of $memory/my-arm64 B: Linux new-test of /linux/new"
expect "guests boot what is kept of them, whatever is built there meanwhile" "$(cut -d ' ' -f 2 "$dir/given" | paste -sd ' ')" \
	"/cache/my-arm64 /cache/new"
expect "idle seconds are passed on, and time for them" "$(head -n 1 "$dir/given" | sed 's/.* -t \([0-9]*\) .* /\1 /')" "5400 2"
rm -rf "$dir/out"
echo 1 >"$dir/fails"
judge LOAD=aging KERNEL='6.12 7' RUNS=1 >/dev/null
expect "a guest that fails ends it, with its last words" "$(paste -sd ' ' "$dir/err")" \
	"a last word fragtrace: error: run 1 of A: the guest ended with status 1"
rm -rf "$dir/out"
echo 123 >"$dir/fails"
expect "if the emulator fails, the run is repeated" "$(judge LOAD=aging KERNEL='6.12 7' RUNS=1) $(cut -d ' ' -f 2 "$dir/given" | paste -sd ' ')" "4 6.12 6.12 7"

refuse "the modules of two trees with the same release are apart" [ "$(folder_of /linux/old)" = "$(folder_of /linux/new)" ]

# The loads that are our own, in memory of this machine.
tools=$("$FT_TESTS/machine/build.sh" tools)
"$tools/fileop" age "$memory/one" 20M 40 4 >/dev/null
"$tools/fileop" age "$memory/two" 20M 40 4 >/dev/null
"$tools/fileop" varmail "$memory/mails" 50 1 0 1 3 100 >/dev/null
"$tools/fileop" varmail "$memory/more_mails" 50 1 0 1 3 100 >/dev/null
check "a volume ages as by the profile" aged "$memory/one" 20971520
check "a seed always ages alike" same_tree "$memory/one" "$memory/two"
check "and writes the same mails" same_tree "$memory/mails" "$memory/more_mails"
finish
