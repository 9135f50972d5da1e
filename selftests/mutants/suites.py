# SPDX-License-Identifier: GPL-2.0-only
"""The tests of user space, one by one: how each is run alone, which mutations it reaches, and whether it still passes."""

from __future__ import annotations

import os
import re
import resource
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

# Debian's Python finds Debian's packages.
PYTHON = "/usr/bin/python3"
# A mutation may ask for endless memory, or write for ever; a test makes a file of 2 GiB without a block.
MEMORY = OUTPUT = 3 << 30
# A test hangs if it takes so many times as long as it did, and so many seconds more.
TIMES, MORE = 4, 15


@dataclass
class Test:
    """A single test. `reached`: the mutations that it comes by, `seconds`: how long it takes."""

    name: str
    command: list[str]
    env: dict[str, str] = field(default_factory=dict)
    reached: set[int] = field(default_factory=set)
    seconds: float = 0.0
    is_new: bool = False

    def file(self) -> str:
        """The file that it is in."""
        return self.name.split()[0]

    def is_big(self) -> bool:
        """A browser and a sanitizer ask for more address space than they use."""
        return any(word in self.name for word in ("page", "windows", "extmap"))


def limits(is_big: bool) -> None:
    """In the process of a test, before it begins."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (OUTPUT, OUTPUT))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if not is_big:
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))


def end_all(mark: str) -> None:
    """End what a test has started and left: all processes with the mark in their environment."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if f"FT_MUT_MARK={mark}\0".encode() in (folder / "environ").read_bytes() and int(folder.name) != os.getpid():
                os.kill(int(folder.name), signal.SIGKILL)
        except OSError:
            continue


def run(test: Test, number: int, limit: float, reached: str = "") -> tuple[bool, str]:
    """Run a test with a mutation. Return whether it passed, and what it said or that it hung."""
    with tempfile.TemporaryDirectory(prefix="ft-mut-", ignore_cleanup_errors=True) as folder:
        # read-only folders that a killed test has left are removed, too
        env = os.environ | test.env | {"FT_MUT": str(number), "FT_MUT_MARK": folder, "TMPDIR": folder, "SEED": "1",
                                       "PYTHONDONTWRITEBYTECODE": "1", "PATH": f"/usr/bin:{os.environ['PATH']}"}
        if reached:
            env["FT_MUT_REACHED"] = reached
        with open(os.path.join(folder, "said"), "w+b") as said:
            with subprocess.Popen(test.command, env=env, stdin=subprocess.DEVNULL, stdout=said, stderr=said, cwd=folder,
                                  start_new_session=True, preexec_fn=lambda: limits(test.is_big())) as process:
                try:
                    status = process.wait(limit)
                except subprocess.TimeoutExpired:
                    status = None
                    os.killpg(process.pid, signal.SIGKILL)
            end_all(folder)
            said.seek(0)
            text = said.read().decode("utf-8", "replace")
    return status == 0, "hangs" if status is None else text


def learn(test: Test, folder: Path) -> str:
    """Run a test without a mutation. Return why it cannot be used, or nothing."""
    reached = folder / f"reached.{test.name.replace(' ', '.')}"
    begin = time.monotonic()
    passed, text = run(test, 0, 300, str(reached))
    test.seconds = time.monotonic() - begin
    if reached.exists():
        test.reached = set(map(int, reached.read_text(encoding="ascii").split()))
        reached.unlink()
    return "" if passed else f"fails without a mutation: {text[-300:]}"


def nearest(tests: list[Test], number: int, killer: str, word: str) -> list[Test]:
    """Those that reach a mutation: what has killed it before, what is new, what has a word in its name, and then the fastest of
    each file in turn."""
    files: dict[str, list[Test]] = {}
    for test in sorted(tests, key=lambda test: test.seconds):
        if number in test.reached:
            files.setdefault(test.file(), []).append(test)
    ranked = [(test.name != killer, not test.is_new, word not in test.name, i, test.seconds, test) for of in files.values() for i, test in enumerate(of)]
    return [one[-1] for one in sorted(ranked, key=lambda one: one[:-1])]


def limit_of(test: Test) -> float:
    """After so many seconds it hangs."""
    return test.seconds * TIMES + MORE


# === Which tests there are ===


def shell_tests(script: Path, program: Path, env: dict[str, str]) -> list[Test]:
    """The tests of a script for testlib.sh."""
    names = re.findall(r"^test_([a-z0-9_]*)\(\) \{$", script.read_text(encoding="utf-8"), re.MULTILINE)
    return [Test(f"{script.name} {name}", ["/bin/sh", str(script), str(program), name], env) for name in names]


def python_tests(script: Path, program: Path) -> list[Test]:
    """The tests of a Python program of the viewer's tests."""
    names = re.findall(r"^def test_(\w+)\(", script.read_text(encoding="utf-8"), re.MULTILINE)
    return [Test(f"{script.name} {name}", [PYTHON, "-B", str(script), str(program), name]) for name in names]


def pytest_tests(file: Path, env: dict[str, str]) -> list[Test]:
    """The functions of a file for pytest."""
    names = re.findall(r"^def (test_\w+)\(", file.read_text(encoding="utf-8"), re.MULTILINE)
    command = [PYTHON, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
    return [Test(f"{file.name} {name[5:]}", [*command, f"{file}::{name}"], env) for name in names]


def variable(makefile: Path, name: str) -> list[Path]:
    """The files that a variable of a Makefile has."""
    found = re.search(rf"^{name} = (.*)$", makefile.read_text(encoding="utf-8"), re.MULTILINE)
    assert found, f"{makefile}: no {name}"
    return [makefile.parent / word for word in found[1].split()]


def of_c(top: Path) -> list[Test]:
    """What runs programs of C."""
    tests: list[Test] = []
    view, defrag = top / "viewer/fragtrace", top / "defrag/fragtrace-defrag"
    windows = {"WINDOWS": str(top / "defrag/build/windows")}
    for folder, program, env in (top / "viewer", view, {}), (top / "defrag", defrag, windows):
        for script in variable(folder / "Makefile", "TESTS"):
            tests += shell_tests(script, program, env)
    tests += python_tests(top / "defrag/tests/test_apply.py", defrag)
    for file in sorted((top / "viewer/tests").glob("test_*.py")):
        is_pytest = "import pytest" in file.read_text(encoding="utf-8")
        if not is_pytest:
            tests += python_tests(file, view)
        elif "fragplot" not in file.name:
            tests += pytest_tests(file, {})
    return tests


def of_python(top: Path, hook: dict[str, str]) -> list[Test]:
    """What imports our Python."""
    papers, viewer = top / "selftests/papers", top / "viewer"
    paths = [hook["PYTHONPATH"], papers, viewer / "tests", viewer / "python"]
    files = [file for file in (viewer / "tests").glob("test_*.py")
             if "import pytest" in file.read_text(encoding="utf-8") and file.name != "test_monitoring.py"]
    tests: list[Test] = []
    for file in sorted(files):
        tests += pytest_tests(file, hook)
    for file in sorted((papers / "tests").glob("test_*.py")):
        tests += pytest_tests(file, {**hook, "PYTHONPATH": ":".join(map(str, paths))})
    return tests
