# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154 # view, data and peek are those of the test
#
# picture.sh - functions for tests of pictures; sourced after testlib.sh. The picture is out.png.

# plain(args...) - draw with boxes of 8 x 8, no folding, colours that differ from all others
plain() {
	"$fragtrace" view -c "$data/plain.color.cnf" -i "$data/plain.img.cnf" -o out.png "$@"
}

# pixels(colour, number) - out.png must have exactly so many pixels of a colour
pixels() {
	local got
	got=$("$peek" out.png | sed -n "s/^$1 //p")
	[ "${got:-0}" = "$2" ] || fail "$1: ${got:-0} pixels; expected $2"
}

# boxes(colour, number) - the same in boxes of 8 x 8; the swatch in the legend has 20 x 14 pixels, and there is none for nothing
boxes() {
	pixels "$1" $(($2 ? $2 * 64 + 280 : 0))
}

# pixel(x, y, colour) - one pixel of out.png must have a colour
pixel() {
	local got
	got=$("$peek" out.png "$1" "$2")
	[ "$got" = "$3" ] || fail "pixel $1,$2 is $got; expected $3"
}

# only(x, y, w, h, colours...) - a rectangle of out.png must have no other colours
only() {
	local x=$1 y=$2 w=$3 h=$4 got
	shift 4
	got=$("$peek" out.png "$x" "$y" "$w" "$h" | sed '1d; s/ .*//')
	for rgb in $got; do
		case " $* " in
		*" $rgb "*) ;;
		*) fail "$rgb in the rectangle $x,$y $w x $h; expected $*" ;;
		esac
	done
}

# count(colour) - print the number of pixels of out.png that have a colour
count() {
	"$peek" out.png | awk -v rgb="$1" '$1 == rgb { n = $2 } END { print n + 0 }'
}

# strip_y() - print the first row of pixels of the strip: the first one with ink at its left end
strip_y() {
	local y=384
	while [ "$("$peek" out.png 43 $y)" != '#202124' ]; do
		y=$((y + 1))
		[ $y -lt 500 ] || fail "no strip"
	done
	echo $y
}

# height(), width() - of out.png, in pixels
height() {
	"$peek" out.png | awk '/^size/ { print $3 }'
}
width() {
	"$peek" out.png | awk '/^size/ { print $2 }'
}

# cell() - print what out.png says a cell stands for
cell() {
	"$peek" out.png text | sed -n 's/.*\(1 cell = [^;]*\);.*/\1/p'
}

# says(text) - a line of the notes in out.png must be exactly this
says() {
	"$peek" out.png text | sed 's/^Description: //' | grep -qxF -- "$1" || {
		"$peek" out.png text
		fail "the picture does not say: $1"
	}
}

# mentions(text) - the notes in out.png must contain this
mentions() {
	"$peek" out.png text | grep -qF -- "$1" || fail "the picture does not mention: $1"
}

# big(extents, length, step, blocks) - a table of one file in many pieces
big() {
	awk -v n="$1" -v len="$2" -v step="$3" -v blocks="$4" 'BEGIN {
		print "# fragtrace table 1"
		print "# volume 254:0 main_blkaddr=0 blocks=" blocks " segment_blocks=512 path=/m"
		for (i = 0; i < n; i++)
			print "254:0", i * step, len, i * len, 4, "fragmented", "/m/a.sst"
	}'
}

# small_enough() - out.png has at most 16 megapixels
small_enough() {
	"$peek" out.png | awk '/^size/ { exit $2 * $3 > 16000000 }' || fail "the picture is too big"
}

# used() - a table of a volume of 2 GB, half of it in 1000 fragments of 262 blocks on average
used() {
	awk 'BEGIN {
		print "# fragtrace table 1"
		print "# volume 254:0 main_blkaddr=5120 blocks=524288 segment_blocks=512 path=/m"
		for (lba = 5120; i < 1000 && lba < 523000; lba += len + (i % 3) * 257) {
			len = 1 + i * 7919 % 523
			f = i++ % 100
			print "254:0", lba, len, off[f] + 0, f + 4, "fragmented", "/m/" f ".sst"
			off[f] += len
		}
	}'
}

# one_file(length, blocks) - a table of a volume of this length, with a file of one extent
one_file() {
	printf '%s\n%s\n%s\n' '# fragtrace table 1' \
		"# volume 254:0 main_blkaddr=0 blocks=$2 segment_blocks=512 path=/m" \
		"254:0 0 $1 0 4 contiguous /m/a.sst"
}
