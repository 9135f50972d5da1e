# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# zones.sh - what fragtrace says of the zones of a volume, and what the device, F2FS and FIEMAP say of them
#
# To be sourced by tests, which set ZONED to the zoned disk, FIRST to the volume's LBA of it, DEVICE to the first device of the
# volume, and NAME to its name in /proc/fs/f2fs. They need fragtrace, blkzone and dump.f2fs.

# await_nvme() - load the driver of the NVMe disk with zones, $ZONED; false if this guest has none
#
# In Linux 6.1 nothing but this scheduler keeps the writes to a zone in order, and a disk that may have several paths has none.
await_nvme() {
	modprobe nvme_core multipath=0 2>/dev/null && modprobe nvme 2>/dev/null && loop_until 10 test -b "$ZONED" || return 1
	echo mq-deadline 2>/dev/null >"/sys/block/${ZONED##*/}/queue/scheduler" || :
}

# first_lba() - print where the zoned disk begins in the volume, as fragtrace has it
first_lba() {
	fragtrace zones --json | sed -n "s|.*{\"path\":\"$ZONED\",\"lba\":\([0-9]*\).*|\1|p"
}

# f2fs_lba() - print the same of the second device, as F2FS's super block has it
f2fs_lba() {
	echo $((0x$(dump.f2fs -d 1 "$DEVICE" 2>/dev/null | sed -n 's/.*Device\[1\] : .* blkaddr = \([0-9a-f]*\)--.*/\1/p')))
}

# ask() - keep what fragtrace says, and what the device says before and after it, until nothing has moved meanwhile
ask() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		sync
		blkzone report $ZONED >/tmp/before
		fragtrace zones --json >/tmp/json || return 1
		fragtrace zones >/tmp/text || return 1
		fragtrace metrics >/tmp/metrics || return 1
		fragtrace table --json >/tmp/space || return 1
		cat "/sys/fs/f2fs/$NAME/free_segments" >/tmp/free
		cat "/proc/fs/f2fs/$NAME/segment_info" >/tmp/segments
		cat "/proc/fs/f2fs/$NAME/segment_bits" >/tmp/bits
		blkzone report $ZONED >/tmp/report
		! cmp -s /tmp/before /tmp/report || return 0
	done
}

# ours() - print the zones of the zoned disk: LBA, blocks, capacity, condition, blocks before the write pointer
ours() {
	awk -v device="$ZONED" '
		function value(name,	text) {
			match($0, "\"" name "\":[^,]*")
			text = substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3)
			gsub(/"/, "", text)
			return text
		}
		/^."lba"/ && inside {
			pointer = value("write_pointer")
			print value("lba"), value("blocks"), value("capacity"), value("condition"), pointer == "null" ? "-" : pointer - value("lba")
		}
		/"zoned":/ { inside = index($0, "{\"path\":\"" device "\"") }' /tmp/json
}

# reported(first LBA) - print the same by blkzone
reported() {
	local start len cap wptr cond name

	tr ',:[(' '    ' </tmp/report |
		while read -r _ start _ len _ cap _ wptr _ _ _ _ _ cond name _; do
			case $cond in
			0) name=conventional wptr=- ;;
			1) name=empty ;;
			2 | 3) name=open ;;
			4) name=closed ;;
			13) name=read-only wptr=- ;;
			14) name=full wptr=$cap ;;
			15) name=offline wptr=- ;;
			esac
			[ "$wptr" = - ] || wptr=$((wptr / 8))
			echo "$(($1 + start / 8)) $((len / 8)) $((cap / 8)) $name $wptr"
		done
}

# of_zones(what) - print for each zone with valid blocks (what=valid) its LBA and these by type, or with blocks of files
# (what=files) its LBA, blocks and path
of_zones() {
	awk -v what="$1" '
		/^."lba"/ {
			lba = $0
			sub(/^."lba":/, "", lba)
			sub(/,.*/, "", lba)
			valid = $0
			sub(/.*"valid":./, "", valid)
			sub(/[}].*/, "", valid)
			gsub(/"[a-z_]*":/, "", valid)
			if (what == "valid" && valid != "0,0,0,0,0,0")
				print lba, valid
			if (what != "files")
				next
			sub(/.*"files":\[/, "")
			sub(/\].*/, "")
			n = split($0, file, /[}],[{]/)
			for (i = 1; i <= n; i++) {
				gsub(/[{}"]/, "", file[i])
				gsub(/blocks:|path:/, "", file[i])
				sub(/,/, " ", file[i])
				print lba, file[i]
			}
		}' /tmp/json | sort
}

# segments() - print the same by segment_info: all blocks of a zone, by type
segments() {
	ours | awk -v main="$MAIN" -v first="$FIRST" '
		FILENAME == "-" { start[n++] = $1; size = $2; next }
		/^[0-9]/ {
			for (i = 2; i <= NF; i++) {
				split($i, part, "|")
				if (part[2] == "")
					part[2] = $(++i)
				lba = main + 512 * segment++
				zone = lba < first ? 0 : lba - (lba - first) % size
				sum[zone, part[1]] += part[2]
				zones[zone] += part[2]
			}
		}
		END {
			for (zone in zones)
				if (zones[zone])
					print zone, sum[zone, 0] + 0 "," sum[zone, 1] + 0 "," sum[zone, 2] + 0 "," sum[zone, 3] + 0 "," sum[zone, 4] + 0 "," sum[zone, 5] + 0
		}' - /tmp/segments | sort
}

# of_each(name) - print for each zone with valid blocks its LBA and this number of it
of_each() {
	sed -n "/^.\"lba\"/{/\"valid\":{[^}]*:[1-9]/s/.*\"lba\":\([0-9]*\),.*\"$1\":\"\{0,1\}\([0-9a-z_]*\).*/\1 \2/p}" /tmp/json | sort
}

# ages() - print the same of age_s by segment_bits, which has times from Linux 6.15 on
ages() {
	ours | awk -v main="$MAIN" -v first="$FIRST" '
		function seconds(hex,	i, n) {
			for (i = 1; i <= length(hex); i++)
				n = n * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
			return n
		}
		FILENAME == "-" { size = $2; next }
		/^[0-9]/ {
			n = split($0, part, "|")
			gsub(/ /, "", part[4])
			lba = main + 512 * segment++
			zone = lba < first ? 0 : lba - (lba - first) % size
			valid[zone] += part[2]
			if (part[2] > 0 && n > 3) {
				sum[zone] += part[2] * seconds(part[4])
				if (seconds(part[4]) > newest)
					newest = seconds(part[4])
			}
		}
		END {
			for (zone in valid)
				if (valid[zone])
					print zone, (n > 3 ? int(newest - sum[zone] / valid[zone]) : "null")
		}' - /tmp/bits | sort
}

# collect(LBA) - have F2FS collect the section that begins there
collect() {
	fileop gc_range $MNT/a "$1" 1
}

# valid_in(LBA) - print by segment_info what is valid in the zone that begins there
valid_in() {
	sync
	cat "/proc/fs/f2fs/$NAME/segment_info" >/tmp/segments
	segments | sed -n "s/^$1 //p"
}

# extents() - print the same by FIEMAP
extents() {
	ours >/tmp/ours
	find $MNT -type f -exec filefrag -b4096 -v {} + | awk -v first="$FIRST" '
		FILENAME != "-" { size = $2; next }
		/^File size of / {
			path = $0
			sub(/^File size of /, "", path)
			sub(/ is [0-9]+ .*/, "", path)
			next
		}
		{ gsub(/[.:]/, " ") }
		$1 ~ /^[0-9]+$/ && $2 ~ /^[0-9]+$/ && NF >= 6 {
			for (lba = $4; lba <= $5; lba++)
				blocks[(lba < first ? 0 : lba - (lba - first) % size) " " path]++
		}
		END {
			for (name in blocks) {
				split(name, part, " ")
				print part[1], blocks[name], part[2]
			}
		}' /tmp/ours - | sort
}

# logs() - print the logs that are in a zone with a write pointer: LBA of the zone, and the block that the log writes next
logs() {
	sed -n 's/^{"lba":\([0-9]*\),.*"write_pointer":[0-9].*"logs":\[\([^]]*\)\].*/\1 \2/p' /tmp/json |
		sed 's/"type":"[a-z_]*",//g; s/[{}"]//g; s/next://g' |
		awk '{ n = split($2, next_blk, ","); for (i = 1; i <= n; i++) print $1, next_blk[i] }' | sort
}

# checkpoint() - print the same by the last checkpoint, which sync has written
checkpoint() {
	# what was read of the device before is old
	drop_caches
	ours >/tmp/ours
	dump.f2fs -d 1 "$DEVICE" 2>/dev/null | tr -d ']' | awk -v main="$MAIN" '
		FILENAME != "-" && $5 != "-" { end[$1] = $1 + $2 }
		FILENAME == "-" && /^cur_(node|data)_(segno|blkoff)\[[0-2]/ {
			split($1, part, /[_[]/)
			number[part[3], part[2] part[4]] = $NF
			logs[part[2] part[4]]
		}
		END {
			for (name in logs) {
				lba = main + number["segno", name] * 512
				for (zone in end)
					if (lba >= zone + 0 && lba < end[zone])
						print zone, lba + number["blkoff", name]
			}
		}' /tmp/ours - | sort
}

# pointers() - print how far right each write pointer is in the picture, in pixels; two blocks have one, a line has two
pointers() {
	printf 'layout = zones\nmax_length = 0\n' >/tmp/zones.img.cnf
	fragtrace view -i /tmp/zones.img.cnf -o /tmp/zones.svg >/dev/null
	sed -n 's/.*<rect x="\([0-9.]*\)" y="[0-9.]*" width="2" height="[0-9]*" fill="#202124".*/\1/p' /tmp/zones.svg |
		awk '{ x[NR] = $1; if (NR == 1 || $1 < least) least = $1 } END { for (i = 1; i <= NR; i++) print x[i] - least }'
}

# finding(LBA) - print how a zone differs
finding() {
	sed -n "s/^{\"lba\":$1,.*\"finding\":\"\{0,1\}\([a-z_]*\).*/\1/p" /tmp/json
}

# work() - files that fill zones, are rewritten, and partly removed
work() {
	fileop write $MNT/a 0 12M
	fileop random $MNT/a 3072 300 "${SEED:-471}" every 50
	# what follows is younger
	sleep 2
	fileop many $MNT/small 60 30000 20000 7
	fileop write $MNT/b 0 9M
	sync
	rm $MNT/small*[1245780]
}

# all_agree(name) - what is said of each zone is what the others say
all_agree() {
	work
	check_exact "$1: maps are exact" $MNT
	MAIN=$(sed -n 's/^# volume .*main_blkaddr=\([0-9]*\).*/\1/p' $DBG/table)
	ask || bail "fragtrace zones fails"
	sed 's/^/# /' /tmp/text
	ours >/tmp/have
	reported "$FIRST" >/tmp/want
	same "$1: conditions, write pointers and capacities are those of blkzone"
	sed -n 's/^fragtrace_zones{.*condition="\(.*\)"} \([1-9].*\)/\1 \2/p' /tmp/metrics | sort >/tmp/have
	reported "$FIRST" | awk '{ n[$4]++ } END { for (name in n) print name, n[name] }' | sort >/tmp/want
	same "$1: metrics count zones by condition as blkzone does"
	# F2FS leaves as much of each section unused, also of those that are on conventional zones, or on a device without zones
	expect "$1: blocks beyond the capacity of zones are not free" "$(sed -n 's/.*"unusable_blocks":\([0-9]*\),.*/\1/p' /tmp/space)" \
		"$(($(reported "$FIRST" | awk '$2 - $3 > lost { lost = $2 - $3 } END { print lost + 0 }') * $(sed -n 's/.*"segments":\([0-9]*\),"segments_per_section":\([0-9]*\),.*/\1 \/ \2/p' /tmp/space)))"
	expect "$1: segments without valid blocks are those that F2FS calls free" "$(sed -n 's/.*"empty_segments":\([0-9]*\),.*/\1/p' /tmp/space)" \
		"$(cat /tmp/free)"
	pointers >/tmp/have
	reported "$FIRST" | awk -v main="$MAIN" '$1 >= main && $5 != "-" { print $5 < 1020 ? $5 / 2 : 510 }' >/tmp/want
	same "$1: the picture has them where blkzone says"
	of_zones valid >/tmp/have
	segments >/tmp/want
	same "$1: valid blocks are those of F2FS"
	of_each age_s >/tmp/have
	ages >/tmp/want
	same "$1: data is as old as F2FS says"
	of_zones files >/tmp/have
	extents >/tmp/want
	same "$1: files and their blocks are those of FIEMAP"
	logs >/tmp/have
	checkpoint >/tmp/want
	# before Linux 7, where a log is in its segment is not known
	if grep -q null /tmp/have; then
		sed -i 's/ [0-9]*$/ null/' /tmp/want
	fi
	same "$1: logs are where the last checkpoint has them"
	expect "$1: the limit of open zones is that of the queue" "$(sed -n 's/.*"max_open":\([0-9][0-9]*\).*/\1/p' /tmp/json)" \
		"$(cat "/sys/block/${ZONED##*/}/queue/max_open_zones")"
	expect "$1: open zones are counted" "$(sed -n "s|.*\"path\":\"$ZONED\",[^[]*\"open\":\([0-9]*\).*|\1|p" /tmp/json)" \
		"$(grep -c 'zcond: [23](' /tmp/report)"
	check "$1: a log is where the device writes next" awk '/^."lba"/ && /"finding":"(behind|ahead|unwritten|lost)"/ { bad = 1 } END { exit bad }' /tmp/json
	log=$(of_each not_collected | sed -n 's/ log$//p' | head -n 1)
	best=$(of_each gain | sort -k2nr | head -n 1)
	echo "# log at $log; gain of the zone at ${best% *}: ${best#* } blocks"
	valid=$(valid_in "$log")
	collect "$log"
	expect "$1: F2FS does not collect a zone with a log" "$(valid_in "$log")" "${valid:-something valid}"
	collect "${best% *}"
	expect "$1: F2FS collects the zone that gains most" "$(valid_in "${best% *}")" ""
}

# same(name) - what we have is what the others say, and something is there
same() {
	if [ -s /tmp/want ] && cmp -s /tmp/have /tmp/want; then
		ok "$1"
	else
		not_ok "$1" "fragtrace (<) and the other (>) differ"
		diff /tmp/have /tmp/want | head -n 20 | sed 's/^/# /'
	fi
}
