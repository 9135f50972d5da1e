# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash disable=SC2034
#
# before_after.sh - compare work without and with a remedy: what it adds to files, and how long reading them takes then
#
# To be sourced after lib.sh. Files are read from a disk with a price: it serves one request after the other, each in $PRICE. Checks
# name the breaks and requests that the work has added, and the milliseconds, without the remedy and with it.
# A file is named by a pattern of awk below the volume, which may be that of several.

DISK=$NULL_DISK
# What a request takes when files are read, in milliseconds: much more than what else the machine does meanwhile.
PRICE=20

# end() - remove the disk
end() {
	cleanup
	remove_null_disk
}

# figures(file) - print how many fragments it has, how many requests of 128 KiB reading it takes more than it must
figures() {
	path="^$MNT/$1\$" awk '!/^#/ && $NF ~ ENVIRON["path"] && $6 { breaks += $6 - 1; extra += $9 - $10 }
		END { print breaks + 0, extra + 0 }' $DBG/files
}

# remember(file) - remember the figures of a file: what it had before the work
remember() {
	mkdir -p "/tmp/had/$(dirname "$1")"
	figures "$1" >"/tmp/had/$1"
}

# added(file) - print both, less what it had
added() {
	local had

	had="0 0"
	[ ! -f "/tmp/had/$1" ] || had=$(cat "/tmp/had/$1")
	echo "$(figures "$1") $had" | awk '{ print $1 - $3, $2 - $4 }'
}

# helps(name, file, file, [times]), same(name, file, file) - work on the second file, as it is advised for the first one, adds at most a
# fourth of its breaks and requests; or no less than three quarters of them, so it is not advised
#
# judge() says so once both have been read, so many times each.
helps() {
	settle
	echo "helps|${4:-1}|$1|$2|$3|$(added "$2")|$(added "$3")" >>/tmp/tried
}

same() {
	settle
	echo "same|1|$1|$2|$3|$(added "$2")|$(added "$3")" >>/tmp/tried
}

# requests(file) - print how many requests reading it took before the disk had a price
requests() {
	path="^$MNT/$1\$" awk '!/^#/ && $NF ~ ENVIRON["path"] { n += $9 } END { print n }' /tmp/files
}

# paths(file) - print its path, or those of all it stands for
paths() {
	path="^$MNT/$1\$" awk '!/^#/ && $NF ~ ENVIRON["path"] { print $NF }' /tmp/files
}

# ms(file, times) - print how long reading it takes, if only its node is cached
ms() {
	local begin path n size sum=0

	for path in $(paths "$1"); do
		size=$(stat -c %s "$path")
		fileop reads "$path" 0 1 1 1 random
		begin=$(uptime_ms) n=0
		while [ $n -lt "$2" ]; do
			fileop reads "$path" 0 "$size" "$size" "$size"
			n=$((n + 1))
		done
		sum=$((sum + $(uptime_ms) - begin))
	done
	echo $((sum / $2))
}

# holds(same or helps, added by both: breaks, requests; of reading both: requests, ms) - is it so?
#
# Requests that are spared spare their price each: from half of it to thrice as much, which a busy machine takes.
holds() {
	echo "$*" | awk -v price=$PRICE '{
		spared = ($6 - $7) * price
		if ($1 == "same")
			exit !($2 && 4 * $4 >= 3 * $2 && 4 * $5 >= 3 * $3 && 4 * $9 >= 3 * $8)
		exit !($2 && $3 && $2 >= 4 * $4 && $3 >= 4 * $5 && spared > 0 && 2 * ($8 - $9) >= spared && $8 - $9 <= 3 * spared)
	}'
}

# judge() - give the disk its price, read what was tried, and check it; then there is neither the disk nor the module any more
#
# What else the machine does may take long now and then, so a pair whose times are wrong is read up to three times.
judge() {
	local kind times name a b before after requests of_a of_b n last=

	settle
	cat $DBG/files >/tmp/files
	# it would read them, too
	unload
	umount $MNT
	priced_disk 1024 $((PRICE * 1000000)) && mount_volume $DISK $MNT background_gc=off || bail "no volume any more"
	while IFS='|' read -r kind times name a b before after <&4; do
		requests="$(requests "$a") $(requests "$b")"
		for n in 1 2 3; do
			[ $n = 1 ] && [ "$a" = "$last" ] || of_a=$(ms "$a" "$times")
			of_b=$(ms "$b" "$times")
			! holds "$kind" "$before" "$after" "$requests" "$of_a" "$of_b" || break
		done
		check "$name ($before $of_a; $after $of_b)" holds "$kind" "$before" "$after" "$requests" "$of_a" "$of_b"
		last=$a
	done 4</tmp/tried
	rm /tmp/tried
	umount $MNT
	remove_null_disk
}

# as_large() - F2FS rewrites in place where it does on a large volume, of which this is none
as_large() {
	echo 16 >"/sys/fs/f2fs/${DISK##*/}/ipu_policy"
}

# begin() - an empty volume, and the module
begin() {
	trap end EXIT
	priced_disk 1024 1 || skip_rest "times of reads" "this kernel has no null_blk"
	make_volume $DISK $MNT background_gc=off || bail "no volume"
	as_large
	load path=$MNT
}

# fill(names) - a small volume with few free segments, and holes where the files were whose names end like this
fill() {
	priced_disk 1024 1
	mkfs.f2fs -q -f $DISK $((160 << 11)) >/dev/null
	mount_volume $DISK $MNT background_gc=off || bail "no volume"
	as_large
	fileop many $MNT/x 3000 40000 5000 9 2>/tmp/full || :
	expect "the volume is full" "$(cut -d : -f 3 </tmp/full)" " ENOSPC"
	sync
	# shellcheck disable=SC2086 # a pattern
	rm $MNT/x*$1
	sync
	load path=$MNT
}
