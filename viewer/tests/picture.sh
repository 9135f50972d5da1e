# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154 # view, data and peek are those of the test
#
# picture.sh - functions for tests of pictures; sourced after testlib.sh. The picture is out.png.

# plain(args...) - draw with boxes of 8 x 8, no folding, colours that differ from all others
plain() {
	"$view" -c "$data/plain.color.cnf" -i "$data/plain.img.cnf" -o out.png "$@"
}

# pixels(colour, number) - out.png must have exactly so many pixels of a colour
pixels() {
	local got
	got=$("$peek" out.png | sed -n "s/^$1 //p")
	[ "${got:-0}" = "$2" ] || fail "$1: ${got:-0} pixels, expected $2"
}

# boxes(colour, number) - the same in boxes of 8 x 8; the swatch in the legend has 20 x 14 pixels
boxes() {
	pixels "$1" $(($2 * 64 + 280))
}

# pixel(x, y, colour) - one pixel of out.png must have a colour
pixel() {
	local got
	got=$("$peek" out.png "$1" "$2")
	[ "$got" = "$3" ] || fail "pixel $1,$2 is $got, expected $3"
}

# only(x, y, w, h, colours...) - a rectangle of out.png must have no other colours
only() {
	local x=$1 y=$2 w=$3 h=$4 got
	shift 4
	got=$("$peek" out.png "$x" "$y" "$w" "$h" | sed '1d; s/ .*//')
	for rgb in $got; do
		case " $* " in
		*" $rgb "*) ;;
		*) fail "$rgb in the rectangle $x,$y $w x $h, expected $*" ;;
		esac
	done
}

# count(colour) - print the number of pixels of out.png that have a colour
count() {
	"$peek" out.png | awk -v rgb="$1" '$1 == rgb { n = $2 } END { print n + 0 }'
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

