#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""module.py - what of the module does no test in guests come by?

usage: module.py --cache FOLDER [TEST...]    default: those that mutants/nearest names

Kernels with gcov or kcov are rare, so the module brings its own: gcc puts a call into each basic block, and the function
that is called notes where from. A parameter tells it before the module goes, the kernel's log what runs while it goes. What
is in the sections .init.text and .exit.text, and what the kernel's macros for tracepoints make, is left out.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "mutants"))
import guests  # noqa: E402
from common import TOP, Copy, git, say  # noqa: E402
from uncovered import Counts, report  # noqa: E402

# A test may take three times as many seconds: one that is ended tells nothing.
LONGEST = 250
MACROS = re.compile(r"(__traceiter|__bpf_trace|__probestub|perf_trace|trace_event_raw_event|trace_raw_output)_")
CALLED = "__sanitizer_cov_trace_pc"
SPAN = 1 << 21
NOTES = f"""
#include <linux/bitmap.h>
#include <linux/moduleparam.h>

#define FT_SPAN {SPAN}
#define FT_UNSEEN __attribute__((no_sanitize_coverage))
static DECLARE_BITMAP(ft_seen, FT_SPAN);

/* each is told once, as many at a time as fit */
static FT_UNSEEN int ft_tell(char *to, const struct kernel_param *param)
{{
	unsigned long i;
	int n = 0;

	for_each_set_bit(i, ft_seen, FT_SPAN) {{
		if (n > (param ? 4000 : 800))
			break;
		clear_bit(i, ft_seen);
		n += sprintf(to + n, "%lu,", i);
	}}
	return n;
}}

static const struct kernel_param_ops ft_tell_ops = {{ .get = ft_tell }};
module_param_cb(ft_reached, &ft_tell_ops, NULL, 0444);

static FT_UNSEEN void __exit ft_leave(void)
{{
	static char line[900];

	fragtrace_exit();
	while (ft_tell(line, NULL))
		printk(KERN_INFO "ft_reached %s\\n", line);
}}

void FT_UNSEEN notrace {CALLED}(void)
{{
	unsigned long from = (unsigned long)__builtin_return_address(0);
	unsigned long at = from - (unsigned long){CALLED} + FT_SPAN / 2;

	/* nothing that is called here may be a function: it would call this one */
	if (at < FT_SPAN && !test_bit(at, ft_seen))
		set_bit(at, ft_seen);
}}
"""
# In a test: what the module knows is read before it goes, and what it says then. It goes on noting what runs beside.
OWN = rb"""
rmmod() {
	local n part status

	n=0
	while [ $n -lt 50 ] && part=$(cat /sys/module/fragtrace/parameters/ft_reached 2>/dev/null) && [ -n "$part" ]; do
		echo "$part" >>/run/reached
		n=$((n + 1))
	done
	status=0
	command rmmod "$@" || status=$?
	dmesg | sed -n 's/.*ft_reached //p' >>/run/reached
	return $status
}
"""
# All of it in one section, each block with its line; a call that became a jump would be noted for the caller.
FLAGS = "-w -g -fno-reorder-functions -fno-reorder-blocks-and-partition -fno-optimize-sibling-calls"


def build(copy: Copy) -> None:
    """Build the module so that it notes what runs."""
    copy.put("selftests/lib.sh", (TOP / "selftests/lib.sh").read_bytes() + OWN)
    main = (TOP / "module/main.c").read_text(encoding="utf-8")
    exits = "module_exit(fragtrace_exit);"
    assert exits in main
    copy.put("module/main.c", (main.replace(exits, "") + NOTES + "module_exit(ft_leave);\n").encode())
    copy.put("Kbuild", (TOP / "Kbuild").read_bytes() +
             b"\n$(addprefix $(obj)/,$(fragtrace-y)): KBUILD_CFLAGS += -fsanitize-coverage=trace-pc\n")
    done = subprocess.run([copy.top / "selftests/machine/build.sh", "module", guests.KERNEL, "FT_SELFTEST=1", f"KCFLAGS={FLAGS}"],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"module.py: the module in {copy.top} does not build:\n{done.stderr[-3000:]}")
    copy.ko = Path(done.stdout.split()[-1])


def blocks(ko: Path) -> dict[int, tuple[str, str, int]]:
    """The function, file and line of each basic block, by what the module notes of it."""
    out = subprocess.run(["nm", ko], capture_output=True, text=True, check=True).stdout
    match = re.search(rf"^(\w+) \w {CALLED}$", out, re.MULTILINE)
    assert match
    anchor = int(match[1], 16)
    out = subprocess.run(["objdump", "-r", "-j", ".text", ko], capture_output=True, text=True, check=True).stdout
    # a call ends four bytes after its operand
    places = [int(at, 16) + 4 for at in re.findall(rf"^(\w+) R_X86_64_\w+ +{CALLED}\b", out, re.MULTILINE)]
    lines = subprocess.run(["addr2line", "-f", "-j", ".text", "-e", ko], input="".join(f"{place - 5:x}\n" for place in places),
                           capture_output=True, text=True, check=True).stdout.splitlines()
    found = {}
    for place, function, where in zip(places, lines[::2], lines[1::2]):
        path, _, line = where.partition(":")
        if "/module/" in path and line.split()[0].isdigit() and not MACROS.match(function):
            found[place - anchor + SPAN // 2] = (function, "module/" + path.rpartition("/module/")[2], int(line.split()[0]))
    return found


def main() -> None:
    """The command described at the top."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("tests", nargs="*")
    given = parser.parse_args()
    copy = Copy(given.cache, "cover", [file for file in git("ls-files", "--cached", "--others", "--exclude-standard") if (TOP / file).is_file()])
    build(copy)
    copy.make()
    seen: set[int] = set()

    def ended(one: guests.Try) -> None:
        seen.update(guests.reached(one.said))
        if "# end" not in one.said or one.result("the guest ended").startswith("killed"):
            say(f"# {one.tests[0].name}: {one.result('the guest ended')}")

    names = [name.removesuffix(".sh") + ".sh" for name in given.tests] or sorted({test for tests in guests.nearest().values() for test in tests})
    guests.Guests(copy, given.jobs).all([guests.Try(0, [guests.Test(name, seconds=LONGEST)]) for name in names], ended)
    files: dict[str, Counts] = defaultdict(Counts)
    places: dict[tuple[str, str], list[int]] = defaultdict(list)
    entered: set[tuple[str, str]] = set()
    for place, (function, path, line) in blocks(copy.ko).items():
        files[path].lines[line] += place in seen
        places[path, function].append(line)
        if place in seen:
            entered.add((path, function))
    for (path, function), lines in places.items():
        files[path].functions[function, min(lines), max(lines)] = (path, function) in entered
    report(files)


if __name__ == "__main__":
    main()
