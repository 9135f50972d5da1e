#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""mutants.py - do the tests notice mistakes in the code? Makes small ones, and runs the tests that reach them.

usage: mutants.py [-n N] [--seed SEED] [--jobs N] [--only-changed] [PATH...]

Chooses N mutations of the files of C and Python below the paths by a random number. All of C are one build, in which the
environment variable FT_MUT switches one on; Python gets its own as a module is imported. A mutation of a constant is a build
of its own. Each test is run once without a mutation, to learn which ones it reaches; then each mutation is tried by the tests
that reach it, the fastest first, until one fails: it is killed. What survives is printed as a difference. Mutations that
change nothing which a user could see are in the file `equivalent`, each with its reason. Works in a copy in the cache.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import re
import subprocess
import sys
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import c_code
import guests
import python_code
import suites
from common import HERE, TOP, Copy, digest, git, say
from site_of import Site

PATHS = ["viewer/src", "defrag/src", "viewer/python", "selftests/papers/papers"]
# A test of its own; what is not built where the module is tried.
LEFT_OUT = ["module/core/extmap_test.c", "module/maps/note.c"]
# Tests for one mutation.
MOST = 60
# gcc says only what it says without being asked: a mutation may leave a variable unused.
PLAIN = "WARNFLAGS=-std=gnu11 -Werror -fmax-errors=0"


# === Mutations ===


def changed() -> set[str]:
    """What differs from origin/main, or from the commit before."""
    known = git("for-each-ref", "--format=%(refname)", "refs/remotes/origin/main")
    base = git("merge-base", known[0], "HEAD")[0] if known else "HEAD~"
    return set(git("diff", "--name-only", base)) | set(git("ls-files", "--others", "--exclude-standard"))


def python_sites(path: str, source: bytes) -> list[Site]:
    """All mutations of a file of Python; `end` is their order in the module, which python_code counts by."""
    lines = source.split(b"\n")
    offsets = [0]
    for line in lines:
        offsets.append(offsets[-1] + len(line) + 1)
    out = []
    for i, (node, kind, new, function) in enumerate(python_code.found(ast.parse(source))):
        at = node.test if isinstance(node, ast.If) else node
        start = offsets[at.lineno - 1] + at.col_offset  # type: ignore[attr-defined]
        end = offsets[at.end_lineno - 1] + at.end_col_offset  # type: ignore[attr-defined]
        after = ast.unparse(ast.fix_missing_locations(new)).encode() if new is not None else b"pass"
        site = Site.of(path, source, start, end, kind, after, function, False)
        site.end = i
        out.append(site)
    return out


def all_sites(paths: list[str], files: list[str]) -> list[Site]:
    """All mutations of the files below these paths."""
    found = []
    for file in sorted(files):
        if not any(file == path or file.startswith(path.rstrip("/") + "/") for path in paths):
            continue
        if file.endswith((".c", ".py")) and file not in LEFT_OUT:
            source = (TOP / file).read_bytes()
            found += c_code.sites(file, source) if file.endswith(".c") else python_sites(file, source)
    return found


def equivalents() -> dict[str, str]:
    """The reasons of those that change nothing, by their key."""
    out, key = {}, ""
    for line in (HERE / "equivalent").read_text(encoding="utf-8").splitlines():
        if line.startswith("\t"):
            out[key] = line.strip()
        elif line and not line.startswith("#"):
            key = line
    return out


# === Builds ===


def build_c(copy: Copy, chosen: list[Site]) -> list[Site]:
    """Build all that can be switched. Return those that compile."""
    copy.put("mutants.h", c_code.HEADER.encode())
    flags = (PLAIN, f"CPPFLAGS=-include {copy.top}/mutants.h")
    files = {site.path for site in chosen}
    while True:
        for file in files:
            source, here = (TOP / file).read_bytes(), [site for site in chosen if site.path == file]
            questions = [one for site in here if site.build for one in c_code.touched(site, source)]
            copy.put(file, c_code.switched(source, [site for site in here if not site.build] + questions))
        errors = copy.make(*flags)
        if not errors:
            return chosen
        bad = {(name, int(line)) for name, line in re.findall(r"^(?:\.\./)*([\w./-]+\.c):(\d+):\d+: (?:fatal )?error", errors, re.MULTILINE)}
        wrong = [site for site in chosen if any(
            f"/{site.path}".endswith(f"/{name}") and site.line <= line <= site.end_line for name, line in bad)]
        if not wrong:
            sys.exit(f"mutants.py: the copy in {copy.top} does not build:\n{errors[-3000:]}")
        chosen = [site for site in chosen if site not in wrong]


def plan_python(copy: Copy, chosen: list[Site]) -> dict[str, str]:
    """Write down the mutations of Python. Return the environment of the tests."""
    plan: dict[str, dict[int, int]] = {}
    for site in chosen:
        plan.setdefault(os.path.realpath(copy.top / site.path), {})[site.end] = site.number
    (copy.top / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
    return {"PYTHONPATH": str(HERE / "hook"), "FT_MUT_PLAN": str(copy.top / "plan.json")}


# === Trials ===


class Trial:
    """Tries mutations by the tests that reach them; remembers what it has learnt of those that stay the same."""

    def __init__(self, copy: Copy, tests: list[suites.Test], chosen: list[Site], jobs: int, *also: Path) -> None:
        self.copy, self.jobs, self.lock = copy, jobs, threading.Lock()
        self.results: dict[int, str] = {}
        self.file = copy.top / "learnt.json"
        self.learnt: dict[str, Any] = json.loads(self.file.read_text(encoding="utf-8")) if self.file.exists() else {}
        self.sources = digest(*(copy.top / site.path for site in chosen), *(site.key().encode() for site in chosen), *also)
        self.tests = self.learn(tests)
        say(f"# {len(self.tests)} tests, {sum(test.seconds for test in self.tests):.0f} s of them")

    def learn(self, tests: list[suites.Test]) -> list[suites.Test]:
        """Run each test that is not known yet. Return those that pass."""
        keys = {test.name: digest(self.sources.encode(), test.name.encode(), *(Path(word.split("::")[0]) for word in test.command
                                  if "/tests/" in word)) for test in tests}
        was_empty, passed = not any(key in self.learnt for key in keys.values()), []

        def one(test: suites.Test) -> str:
            key = keys[test.name]
            if key in self.learnt:
                reached, test.seconds = self.learnt[key]
                test.reached = set(reached)
                return ""
            test.is_new = not was_empty
            trouble = suites.learn(test, self.copy.top)
            if not trouble:
                self.learnt[key] = [sorted(test.reached), test.seconds]
            return trouble

        with ThreadPoolExecutor(self.jobs) as pool:
            for test, trouble in zip(tests, pool.map(one, tests)):
                if trouble:
                    say(f"# {test.name}: {trouble}")
                else:
                    passed.append(test)
        self.keep()
        return passed

    def keep(self) -> None:
        """Remember it."""
        self.file.write_text(json.dumps(self.learnt), encoding="utf-8")

    def note(self, site: Site, result: str) -> None:
        """The end of one."""
        with self.lock:
            self.results[site.number] = result
            self.learnt[self.sources + site.key()] = result
            self.keep()
            say(f"{site.number} {result}: {site.path}:{site.line} {site.kind}")

    def one(self, site: Site, number: int, reaching: int) -> None:
        """Run the tests that reach a mutation until one fails. `number`: what switches it on."""
        before = self.learnt.get(self.sources + site.key(), "")
        tests = suites.nearest(self.tests, reaching, re.sub("^killed by | \\(hangs\\)$", "", before), Path(site.path).stem)
        # what a test did with it before it still does, as neither the test nor the mutation has changed
        if before.startswith("killed") and tests and not tests[0].is_new and tests[0].name in before:
            self.note(site, before)
            return
        for test in [test for test in tests[:MOST] if test.is_new or not before.startswith("survived")]:
            passed, said = suites.run(test, number, suites.limit_of(test))
            if not passed:
                self.note(site, f"killed by {test.name}{' (hangs)' if said == 'hangs' else ''}")
                return
        many = f"the first {MOST} of {len(tests)}" if len(tests) > MOST else len(tests)
        self.note(site, f"survived {many} tests that reach it" if tests else "survived: no test reaches it")

    def switched(self, chosen: list[Site]) -> None:
        """Those that a number switches."""
        with ThreadPoolExecutor(self.jobs) as pool:
            for done in [pool.submit(self.one, site, site.number, site.number) for site in chosen if not site.build]:
                done.result()

    def built(self, chosen: list[Site]) -> None:
        """Those that need a build of their own, each in its turn; the tests are those that reach the file."""
        for site in chosen:
            if not site.build:
                continue
            source = (TOP / site.path).read_bytes()
            self.copy.put(site.path, source[:site.start] + site.after.encode() + source[site.end:])
            if self.copy.make(PLAIN, f"CPPFLAGS=-include {self.copy.top}/mutants.h"):
                self.note(site, "killed by the compiler")
            else:
                self.one(site, 0, site.number)
            self.copy.put(site.path, source)


def choose(found: list[Site], wanted: int, rng: random.Random) -> list[Site]:
    """A choice, with a few more, since not all compile."""
    chosen = rng.sample(found, min(len(found), wanted + wanted // 5 + 4))
    for number, site in enumerate(chosen, 1):
        site.number = number
    return chosen


def try_c(cache: Path, chosen: list[Site], files: list[str], jobs: int, limit: int) -> tuple[list[Site], dict[int, str]]:
    """Mutations of C. Return those that were tried, and their results."""
    copy = Copy(cache, "c", files)
    chosen = build_c(copy, chosen)[:limit]
    trial = Trial(copy, suites.of_c(copy.top), chosen, jobs)
    trial.switched(chosen)
    trial.built(chosen)
    return chosen, trial.results


# === The extent map ===

EXTMAP = "module/core/extmap.c"
# What a kernel takes for an error, and nothing else; the sanitizers end a test.
ERRORS = "-Wno-error -Werror=incompatible-pointer-types -Werror=int-conversion"
UNIT = f"FT_CFLAGS=-std=gnu11 -D_GNU_SOURCE -DFT_COMPAT_H -DFT_DEBUG=1 {ERRORS}"


def try_extmap(cache: Path, chosen: list[Site], files: list[str], jobs: int, limit: int) -> tuple[list[Site], dict[int, str]]:
    """Mutations of the extent map, which a test of its own tries in user space; a constant cannot be switched."""
    copy = Copy(cache, "unit", files)
    copy.put("mutants.h", c_code.HEADER.encode())
    chosen = [site for site in chosen if not site.build]
    folder, source = copy.top / "selftests/unit", (TOP / EXTMAP).read_bytes()
    while True:
        copy.put(EXTMAP, c_code.switched(source, chosen))
        done = subprocess.run(["make", "-s", "-C", folder, f"{UNIT} -include {copy.top}/mutants.h"], capture_output=True, text=True,
                              check=False)
        if not done.returncode:
            break
        bad = {int(line) for line in re.findall(r"/extmap\.c:(\d+):\d+: (?:fatal )?error", done.stderr)}
        wrong = [site for site in chosen if any(site.line <= line <= site.end_line for line in bad)]
        if not wrong:
            sys.exit(f"mutants.py: the test in {folder} does not build:\n{done.stderr[-3000:]}")
        chosen = [site for site in chosen if site not in wrong]
    chosen = chosen[:limit]
    program = str(folder / "build/extmap_test")
    tests = [suites.Test(f"extmap_test {how}", [program, *how.split(), "seed=1"]) for how in ("blocks=16 ops=100000", "ops=1000000")]
    trial = Trial(copy, tests, chosen, jobs, TOP / "module/core/extmap_test.c", folder / "kernel.h")
    trial.switched(chosen)
    return chosen, trial.results


# === The module ===

# A test loads modules with the mutation that is switched on, those that have none leave the parameter out; it notes which
# mutations it came by; and its first check that fails ends it, after a shorter wait than usual.
IN_TESTS = rb"""
PATIENCE=60 SOON=60

insmod() {
	command insmod "$@" ${FT_MUT:+ft_mut=$FT_MUT}
}

rmmod() {
	local rc

	rc=0
	cat /sys/module/*/parameters/ft_reached >>/run/reached 2>/dev/null || :
	command rmmod "$@" || rc=$?
	dmesg | sed -n 's/.*ft_mut: unloading reaches //p' >>/run/reached
	return $rc
}

not_ok() {
	echo "not ok - $1"
	exit 1
}
"""


def build_module(copy: Copy, chosen: list[Site]) -> list[Site]:
    """Build the module with all of them. Return those that compile; a constant cannot be switched."""
    chosen = [site for site in chosen if not site.build]
    copy.put("selftests/lib.sh", (TOP / "selftests/lib.sh").read_bytes() + IN_TESTS)
    # these are modules of their own with the map in them
    for file in "module/core/extmap_test.c", "selftests/bench/extmap_bench.c":
        copy.put(file, (TOP / file).read_bytes() + c_code.MODULE_DEFINES)
    files = {site.path for site in chosen} | {"module/main.c"}
    while True:
        for file in files:
            source = c_code.switched((TOP / file).read_bytes(), [site for site in chosen if site.path == file])
            copy.put(file, c_code.MODULE_DECLARES + source + (c_code.MODULE_DEFINES if file.endswith("/main.c") else b""))
        done = subprocess.run([copy.top / "selftests/machine/build.sh", "module", guests.KERNEL, "FT_SELFTEST=1", "-k",
                               f"KCFLAGS=-ftrack-macro-expansion=0 -Wno-error=return-type {ERRORS}"],
                              capture_output=True, text=True, check=False)
        if not done.returncode:
            copy.ko = Path(done.stdout.split()[-1])
            return chosen
        bad = {(name, int(line)) for name, line in re.findall(r"/(module/[\w/]+\.c):(\d+):\d+: (?:fatal )?error", done.stderr)}
        wrong = [site for site in chosen if any(site.path == name and site.line <= line <= site.end_line for name, line in bad)]
        if not wrong:
            sys.exit(f"mutants.py: the module in {copy.top} does not build:\n{done.stderr[-3000:]}")
        chosen = [site for site in chosen if site not in wrong]


def try_module(cache: Path, chosen: list[Site], files: list[str], jobs: int, limit: int) -> tuple[list[Site], dict[int, str]]:
    """Mutations of the module. Return those that were tried, and their results."""
    copy = Copy(cache, "module", files)
    chosen = build_module(copy, chosen)[:limit]
    errors = copy.make()
    if errors:
        sys.exit(f"mutants.py: the copy in {copy.top} does not build:\n{errors[-3000:]}")
    trial = guests.ModuleTrial(copy, chosen, jobs)
    trial.run()
    return [site for site in chosen if site.number in trial.results], trial.results


# === Python ===


def try_python(cache: Path, chosen: list[Site], files: list[str], jobs: int, limit: int) -> tuple[list[Site], dict[int, str]]:
    """Mutations of Python."""
    copy = Copy(cache, "python", files)
    chosen = chosen[:limit]
    errors = copy.make()
    if errors:
        sys.exit(f"mutants.py: the copy in {copy.top} does not build:\n{errors[-3000:]}")
    trial = Trial(copy, suites.of_python(copy.top, plan_python(copy, chosen)), chosen, jobs)
    trial.switched(chosen)
    return chosen, trial.results


# === The result ===


def report(tried: list[tuple[Site, str]], known: dict[str, str]) -> bool:
    """Print the rates by folder, and what survived. Return whether all were killed."""
    rows: dict[str, Counter[str]] = {}
    alive = []
    for site, result in tried:
        word = result.split()[0].rstrip(":")
        if word == "survived" and site.key() in known:
            word = "equivalent"
        rows.setdefault("/".join(site.path.split("/")[:2]), Counter())[word] += 1
        if word == "survived":
            alive.append((site, result))
    say(f"\n{'':26} {'tried':>6} {'killed':>7} {'rate':>7} {'equivalent':>11}")
    rows["all"] = sum(rows.values(), Counter())
    for name, row in rows.items():
        counted = row["killed"] + row["survived"]
        rate = f"{row['killed'] / counted:.1%}" if counted else "-"
        say(f"{name:26} {counted:6} {row['killed']:7} {rate:>7} {row['equivalent']:11}")
    for site, result in alive:
        say(f"\n{result}\n{site.diff()}")
    return not alive


def main() -> int:
    """The command described at the top."""
    parser = argparse.ArgumentParser()
    parser.add_argument("-n", type=int, default=50)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--only-changed", action="store_true")
    parser.add_argument("paths", nargs="*")
    given = parser.parse_args()
    seed = given.seed if given.seed is not None else random.SystemRandom().randrange(10 ** 6)
    files = [file for file in git("ls-files", "--cached", "--others", "--exclude-standard") if (TOP / file).is_file()]
    only = [file for file in files if file in changed()] if given.only_changed else files
    found = all_sites(given.paths or PATHS, only)
    say(f"# SEED={seed}, {len(found)} mutations are possible")
    chosen = choose(found, given.n, random.Random(seed))
    tried: list[tuple[Site, str]] = []
    ways = (r"(viewer|defrag)/.*\.c", try_c), (r".*\.py", try_python), (EXTMAP, try_extmap), (r"module/.*\.c", try_module)
    for name, run in ways:
        mine = [site for site in chosen if re.fullmatch(name, site.path) and (site.path == EXTMAP) == (run is try_extmap)]
        if mine:
            share = -(-given.n * len(mine) // len(chosen))
            done, results = run(given.cache, mine, files, given.jobs, share)
            tried += [(site, results[site.number]) for site in done]
    return 0 if report(tried, equivalents()) else 1


if __name__ == "__main__":
    sys.exit(main())
