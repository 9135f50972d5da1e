# SPDX-License-Identifier: GPL-2.0-only
"""What mutations of all kinds need: a copy of the tree in which they are built, and what has changed since the last time."""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parent.parent


def say(text: str) -> None:
    """A line of the result."""
    print(text, flush=True)


def git(*arguments: str) -> list[str]:
    """The lines that git prints."""
    return subprocess.run(["git", "-C", str(TOP), *arguments], capture_output=True, text=True, check=True).stdout.splitlines()


def digest(*parts: Path | bytes) -> str:
    """What differs if any of these differs."""
    found = hashlib.sha256()
    for part in parts:
        found.update(hashlib.sha256(part if isinstance(part, bytes) else part.read_bytes()).digest())
    return found.hexdigest()


class Copy:
    """A copy of the tree in the cache, in which mutations are built."""

    def __init__(self, cache: Path, name: str, files: list[str]) -> None:
        self.top, self.ko = cache / "mutants" / name, Path()
        mutated = {"selftests/lib.sh", "module/core/extmap_test.c", "selftests/bench/extmap_bench.c"} if name == "module" else set()
        for file in files:
            if file in mutated:
                continue
            if (TOP / file).is_symlink():
                (self.top / file).unlink(missing_ok=True)
                (self.top / file).symlink_to(os.readlink(TOP / file))
                continue
            self.put(file, (TOP / file).read_bytes())
            (self.top / file).chmod((TOP / file).stat().st_mode)
        have = {str(f.relative_to(self.top)) for part in ("viewer/tests", "viewer/src", "defrag/tests", "defrag/src")
                for f in (self.top / part).rglob("*") if f.is_file()}
        for file in have - set(files):
            (self.top / file).unlink()

    def put(self, file: str, content: bytes) -> None:
        """Write a file if it differs, so that make sees what has changed."""
        path = self.top / file
        if not path.exists() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    def make(self, *flags: str) -> str:
        """Build both programs and what their tests need. Return the messages if that fails."""
        jobs, said = f"-j{os.cpu_count()}", ""
        targets = (("viewer", "all", "build/eventlog", "build/pngpeek", "build/formats", "build/fake_module.so"),
                   ("defrag", "build/windows", "build/fake_f2fs.so"))
        for folder, *wanted in targets:
            done = subprocess.run(["make", "-k", "-s", jobs, "-C", str(self.top / folder), *flags, *wanted],
                                  capture_output=True, text=True, check=False)
            said += done.stderr if done.returncode else ""
        return said
