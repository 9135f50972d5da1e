# SPDX-License-Identifier: GPL-2.0-only
"""Mutations of the module, and what its tests come by: one build of all, tried in guests, of which each tries many, one after the other."""

from __future__ import annotations

import json
import os
import queue
import re
import signal
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from common import HERE, TOP, Copy, digest, say
from site_of import Site

KERNEL = "6.12"
# About how long a guest is used, in seconds; a guest that says nothing for so long after a test's limit hangs.
ABOUT, SILENT = 900, 60
# A test may take so long without a mutation; with one, so many times as long as it did, and so many seconds more.
LONGEST, TIMES, MORE = 120, 3, 15
# As long as most take; what is not known yet is thought to.
USUAL = 20
# Tests for one mutation.
MOST = 12


@dataclass
class Test:
    """A test in guests: the mutations that it comes by, how long it takes."""

    name: str
    reached: set[int] = field(default_factory=set)
    seconds: int = LONGEST

    def word(self) -> str:
        """Its name and its limit, for in_guest.sh."""
        return f"{self.name}:{self.seconds * TIMES + MORE}"


@dataclass
class Try:
    """What a guest shall try: a mutation by its number, with tests. `said`: what it printed; `alone`: it was the first of its guest."""

    number: int
    tests: list[Test]
    said: str = ""
    alone: bool = False

    def seconds(self) -> int:
        """About how long it takes, if its second test fails."""
        return 2 + sum(test.seconds if self.number else USUAL for test in self.tests[:2])

    def result(self, status: str) -> str:
        """The result, given how the guest ended."""
        failed = re.search(r"^not ok (?:\d+ )?- (.*)$|^# end \S+ ([1-9]\d*)", self.said, re.MULTILINE)
        tests = re.findall(r"^# begin (\S+)", self.said, re.MULTILINE)
        if failed:
            return f"killed by {tests[-1] if tests else 'the guest'}: {failed[1] or f'status {failed[2]}'}"
        if f"# tried {self.number}\n" not in self.said:
            return f"killed by {tests[-1] if tests else 'the guest'}: {status}"
        return f"survived {len(tests)} tests: {' '.join(tests)}" if tests else "survived: no test reaches it"


def reached(said: str) -> set[int]:
    """The numbers in the lists of ranges of a try."""
    out: set[int] = set()
    for line in re.findall(r"^# reached (\S+)", said, re.MULTILINE):
        for part in filter(None, line.split(",")):
            first, _, last = part.partition("-")
            out |= set(range(int(first), int(last or first) + 1))
    return out


class Guests:
    """Runs tries in guests."""

    def __init__(self, copy: Copy, jobs: int) -> None:
        self.copy, self.jobs = copy, jobs

    def command(self, tries: list[Try]) -> list[str]:
        """The command that boots a guest for these."""
        name = f"list.{threading.get_ident()}"
        self.copy.put(name, "".join(f"{one.number} {' '.join(test.word() for test in one.tests)}\n" for one in tries).encode())
        built = self.copy.ko.parent
        files = [built / "late.ko", built / "fail_alloc.ko", built / "extmap_test.ko", self.copy.top / name, HERE / "in_guest.sh",
                 self.copy.top / "viewer/fragtrace"]
        limit = 300 + sum(2 + test.seconds * TIMES + MORE for one in tries for test in one.tests)
        return [*os.environ.get("SLOT", "").split(), str(self.copy.top / "selftests/machine/guest.sh"), "-k", KERNEL, "-m", str(self.copy.ko),
                *(word for file in files for word in ("-f", str(file))), "-d", "2G", "-d", "1G", "-a", "oops=panic",
                "-t", str(limit), "--", "sh", "/tools/in_guest.sh", f"/tools/{name}"]

    def boot(self, tries: list[Try], ended: Any) -> list[Try]:
        """Boot a guest, try these; call ended() with each that it has ended. Return these, and then one that has ended it."""
        lines: queue.Queue[str] = queue.Queue()
        with subprocess.Popen(self.command(tries), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                              start_new_session=True) as process:
            def read() -> None:
                assert process.stdout
                for line in process.stdout:
                    lines.put(line.replace("\r", ""))
                lines.put("")

            threading.Thread(target=read, daemon=True).start()
            done: list[Try] = []
            # it may wait for its turn
            limit, status, before = 36000.0, "", ""
            while True:
                try:
                    line = lines.get(timeout=limit)
                except queue.Empty:
                    status = "the guest hangs"
                    os.killpg(process.pid, signal.SIGTERM)
                    break
                if not line:
                    break
                limit = 300.0
                begin = re.match(r"# begin (\S+)", line)
                if line.startswith("# try "):
                    done.append(tries[len(done)])
                    done[-1].said, done[-1].alone = "", len(done) == 1
                elif begin and done:
                    limit = next(test.seconds for test in done[-1].tests if test.name == begin[1]) * TIMES + MORE + SILENT
                if done:
                    done[-1].said += line
                else:
                    before += line
                if done and line == f"# tried {done[-1].number}\n":
                    ended(done[-1])
            process.wait()
        if not done:
            say(f"# no guest: status {process.returncode}: {before[-300:]}")
        elif f"# tried {done[-1].number}\n" not in done[-1].said:
            last = re.findall(r"^.*(?:BUG|Oops|Kernel panic|WARNING|soft lockup).*$", done[-1].said, re.MULTILINE)
            done[-1].said += f"# guest {status or (last[0].strip() if last else 'the guest ended')}\n"
        return done

    def all(self, tries: list[Try], ended: Any) -> None:
        """Try all, in several guests; call ended() with each that has. What ends a guest that others were tried in before is
        tried once more, in a new one."""
        waiting, lock, troubles = list(tries), threading.Lock(), [0]

        def some() -> list[Try]:
            with lock:
                out: list[Try] = []
                while waiting and (not out or sum(one.seconds() for one in [*out, waiting[0]]) <= ABOUT):
                    out.append(waiting.pop(0))
                return out

        def tell(one: Try) -> None:
            with lock:
                ended(one)

        def work() -> None:
            while batch := some():
                done = self.boot(batch, tell)
                with lock:
                    troubles[0] += not done
                    if troubles[0] > 5:
                        return
                last = done[-1] if done and "# tried" not in done[-1].said else None
                with lock:
                    waiting[:0] = ([last] if last and not last.alone else []) + batch[len(done):]
                if last and last.alone:
                    tell(last)

        with ThreadPoolExecutor(self.jobs) as pool:
            for worker in [pool.submit(work) for _ in range(self.jobs)]:
                worker.result()


def nearest() -> dict[str, list[str]]:
    """Which tests a person would choose, by file."""
    lines = [line.split() for line in (HERE / "nearest").read_text(encoding="utf-8").splitlines() if line[0] != "#"]
    return {f"module/{name}": tests for name, *tests in lines}


def candidates(paths: set[str]) -> list[str]:
    """The tests that may try mutations of these files."""
    return sorted({test for path, tests in nearest().items() if path in paths | {"module/*"} for test in tests})


class ModuleTrial:
    """Tries mutations of the module; remembers what it has learnt as long as neither the module nor a test changes."""

    def __init__(self, copy: Copy, chosen: list[Site], jobs: int) -> None:
        self.guests, self.chosen, self.results = Guests(copy, jobs), chosen, dict[int, str]()
        self.file = copy.top / "learnt.json"
        self.learnt: dict[str, Any] = json.loads(self.file.read_text(encoding="utf-8")) if self.file.exists() else {}
        self.module = digest(*sorted((TOP / "module").rglob("*.[ch]")))
        self.sources = digest(self.module.encode(), *(site.key().encode() for site in chosen))
        self.versions = {name: digest(TOP / "selftests" / name) for name in candidates({site.path for site in chosen})}
        self.tests = self.learn()
        say(f"# {len(self.tests)} tests, {sum(test.seconds for test in self.tests.values())} s of them")

    def keep(self) -> None:
        """Remember it."""
        self.file.write_text(json.dumps(self.learnt), encoding="utf-8")

    def learn(self) -> dict[str, Test]:
        """Run each test that is not known yet without a mutation. Return those that pass in time."""
        tests = {name: Test(name) for name in self.versions}
        keys = {name: f"{self.sources} {name} {version}" for name, version in self.versions.items()}

        def ended(one: Try) -> None:
            test = one.tests[0]
            took = re.search(r"^# end \S+ 0 (\d+)", one.said, re.MULTILINE)
            self.learnt[keys[test.name]] = [sorted(reached(one.said)), int(took[1])] if took else None
            self.keep()
            if not took:
                say(f"# {test.name} is of no use: {one.result('the guest ended')}\n{one.said[-300:]}")

        self.guests.all([Try(0, [tests[name]]) for name, key in keys.items() if key not in self.learnt], ended)
        for name, key in keys.items():
            if self.learnt.get(key):
                tests[name].reached, tests[name].seconds = set(self.learnt[key][0]), self.learnt[key][1]
        return {name: test for name, test in tests.items() if self.learnt.get(keys[name])}

    def tests_of(self, site: Site) -> list[Test]:
        """Those that reach a mutation: the nearest by name, then the fastest."""
        near = nearest().get(site.path, [])
        return sorted((test for test in self.tests.values() if site.number in test.reached),
                      key=lambda test: (test.name not in near, near.index(test.name) if test.name in near else 0, test.seconds))[:MOST]

    def run(self) -> None:
        """Try all. What a test has done with one before it still does, as long as neither changes."""
        sites = {site.number: site for site in self.chosen}
        tries = []

        def note(number: int, result: str) -> None:
            self.results[number] = result
            say(f"{number} {result}: {sites[number].path}:{sites[number].line} {sites[number].kind}")

        def ended(one: Try) -> None:
            how = re.search(r"^# guest (.*)$", one.said, re.MULTILINE)
            result = one.result(how[1] if how else "the guest ended")
            key, tried = self.module + sites[one.number].key(), re.findall(r"^# begin (\S+)", one.said, re.MULTILINE)
            old = self.learnt.get(key, [None, {}])[1]
            self.learnt[key] = [result, old | {name: self.versions[name] for name in tried}]
            self.keep()
            note(one.number, result)

        for site in self.chosen:
            result, known = self.learnt.get(self.module + site.key(), ["", {}])
            tests = self.tests_of(site)
            killer = re.match(r"killed by (\S+):", result)
            if killer and known.get(killer[1]) == self.versions.get(killer[1]):
                note(site.number, result)
                continue
            left = [test for test in tests if known.get(test.name) != self.versions[test.name]]
            if left:
                tries.append(Try(site.number, left))
            else:
                note(site.number, result or "survived: no test reaches it")
        # in the order in which they were chosen: a run that is stopped has tried a random choice, too
        self.guests.all(tries, ended)
