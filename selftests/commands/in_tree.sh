#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# in_tree.sh - `make in-tree TREE=folder`: put the module and its tests into the source tree of a kernel.
#
# usage: in_tree.sh TREE
#
# The module goes to fs/fragtrace, beside fs/f2fs, with a Kconfig and a Makefile that is made from Kbuild; fs/Kconfig and
# fs/Makefile get a line each. The tests go to tools/testing/selftests/fragtrace. Done again, it replaces what is there.

set -eu

TOP=$(cd "$(dirname "$0")/../.." && pwd)

# die(text...) - say what is wrong and leave
die() {
	echo "in-tree: $*" >&2
	exit 1
}

# hook(file, line before, line) - put a line into a file of the tree after another one, once
hook() {
	! grep -qxF "$3" "$1" || return 0
	awk -v before="$2" -v line="$3" '
		{ print }
		$0 == before && !done { print line; done = 1 }
		END { exit !done }' "$1" >"$1.fragtrace" || {
		rm -f "$1.fragtrace"
		die "$1: there is no line '$2' in it"
	}
	# a tree may share its files with a copy of it
	chmod --reference="$1" "$1.fragtrace"
	mv "$1.fragtrace" "$1"
}

# write_makefile() - print fs/fragtrace/Makefile: Kbuild without what is only for a build out of the tree
#
# F2FS's private structures come from its own headers. Module and F2FS are built together: no build ID has to
# be compared.
write_makefile() {
	cat <<'HEAD'
# SPDX-License-Identifier: GPL-2.0-only
#
# Made from Kbuild of fragtrace by `make in-tree`.

obj-$(CONFIG_FRAGTRACE) += fragtrace.o
HEAD
	sed -e '1,/^obj-m/d' -e '/^obj-.*FT_SELFTEST/d' -e '/It reads a counter/d' -e '/^\(extmap_test\|late\|fail_alloc\|extmap_bench\|event_cost\)-y/d' \
		-e '/^ft-release/,$d' "$TOP/Kbuild" |
		sed -e 's,\((src)\|(obj)\)/module,\1,g' -e 's,module/,,g' |
		cat -s
	cat <<'TAIL'
quiet_cmd_ft_private = GEN     $@
      cmd_ft_private = $(CONFIG_SHELL) $(ft-here)/f2fs/gen_f2fs_private.sh --in-tree $(srctree) > $@.tmp; mv $@.tmp $@

# Before 6.10 $(src) is counted from $(srctree).
ft-here := $(firstword $(wildcard $(srctree)/$(src) $(src)))

$(obj)/f2fs/f2fs_private.h: $(ft-here)/f2fs/gen_f2fs_private.sh $(srctree)/fs/f2fs/f2fs.h FORCE
	$(call if_changed,ft_private)

$(addprefix $(obj)/,$(fragtrace-y)): | $(obj)/f2fs/f2fs_private.h

targets += f2fs/f2fs_private.h
clean-files += f2fs/f2fs_private.h
TAIL
}

# put_module(folder) - fill fs/fragtrace
put_module() {
	rm -rf "$1"
	mkdir -p "$1"
	(cd "$TOP/module" && find . \( -name '*.[ch]' -o -name 'gen_*.sh' -o -name '*.md' -o -name Kconfig \) \
		! -name extmap_test.c ! -name f2fs_private.h ! -name '*.mod.c' -exec cp --parents {} "$1/" \;)
	write_makefile >"$1/Makefile"
}

# put_tests(folder) - fill tools/testing/selftests/fragtrace
put_tests() {
	local dir

	rm -rf "$1"
	mkdir -p "$1/programs"
	cp "$TOP"/selftests/[0-9][0-9]_*.sh "$TOP/selftests/lib.sh" "$TOP/selftests/loop_disks.sh" "$TOP/selftests/trouble.sh" "$1/"
	cp -r "$TOP/selftests/in_guest" "$1/"
	for dir in fiemap-check fileop poke fuzz snapcat; do
		cp -r "$TOP/selftests/programs/$dir" "$1/programs/"
	done
	# from there to the module
	sed -i 's,"\.\./\.\./\.\./module/,"../../../../../../fs/fragtrace/,' "$1/programs/snapcat/main.c"
	sed 's,\.\./module/,../../../../fs/fragtrace/,' "$TOP/selftests/Makefile" >"$1/programs.mk"
	cp "$TOP/selftests/in_tree/"* "$1/"
	# a test that needs other modules than fragtrace itself is of no use there
	rm "$1/05_extmap.sh"
}

[ $# = 1 ] && [ -n "$1" ] || die "name the tree: make in-tree TREE=/path/to/linux"
tree=$(cd "$1" 2>/dev/null && pwd) || die "TREE=$1: no such folder"
[ -f "$tree/fs/f2fs/f2fs.h" ] && [ -f "$tree/fs/Kconfig" ] && [ -f "$tree/tools/testing/selftests/lib.mk" ] ||
	die "TREE=$1: this is not the source tree of a kernel with F2FS"
hook "$tree/fs/Kconfig" 'source "fs/f2fs/Kconfig"' 'source "fs/fragtrace/Kconfig"'
hook "$tree/fs/Makefile" "$(grep -m 1 'f2fs/$' "$tree/fs/Makefile" || :)" 'obj-$(CONFIG_FRAGTRACE)	+= fragtrace/'
put_module "$tree/fs/fragtrace"
put_tests "$tree/tools/testing/selftests/fragtrace"
echo "fs/fragtrace: CONFIG_FRAGTRACE=m, make modules; tests: make -C tools/testing/selftests TARGETS=fragtrace run_tests"
