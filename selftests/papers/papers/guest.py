# SPDX-License-Identifier: GPL-2.0-only
"""The machine of the experiments: guests, aged images, pictures, jars, versions. All that it starts ends with it."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from .facts import parse_facts

TESTS = Path(__file__).resolve().parent.parent.parent
TOP = TESTS.parent
PRESETS = TOP / "viewer/presets"
# How an aged volume is made: the share that is filled, the share of the files that are deleted then; the seed.
AGED = {"aged": (0.92, 0.60), "full": (0.97, 0.30)}
AGED_SIZE, AGED_SEED = "2G", 1
# Options of QEMU: the clock of a guest with one CPU counts instructions, each a nanosecond, and passes over idle time.
ICOUNT = "-icount shift=0,sleep=off"


class Failed(Exception):
    """Something that was run has failed; the text has its last words."""


def output(command: Sequence[str | Path], **more: str) -> str:
    """What a command prints."""
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, env={**os.environ, **more}, check=False
    )
    if done.returncode:
        raise Failed(
            f"{Path(command[0]).name}: status {done.returncode}: {(done.stderr or done.stdout).strip()[-500:]}"
        )
    return done.stdout


class Machine:
    """A Host of model.py: runs one experiment, with a folder for its files."""

    def __init__(self, folder: Path, kernel: str, say: Callable[[str], None]) -> None:
        self.folder = folder
        self.kernel = kernel
        self.say = say
        self.commands: list[str] = []
        self.jars: set[str] = set()
        # now: somebody may go on working in the tree while this takes hours
        self.described = first_line(["git", "-C", str(TOP), "describe", "--always", "--dirty"])

    def guest(
        self,
        script: str,
        *,
        disk: str = "",
        image: str = "",
        memory: str = "3G",
        limit: float,
        variables: Mapping[str, str] | None = None,
        cpus: int = 2,
        qemu: str = "",
        kernel: str = "",
    ) -> None:
        """Run a script of in_guest/ with its arguments in a guest, on an empty disk of this size or on this image.

        What it writes into $OUT is in the folder. An image is deleted afterwards. `qemu` are further options of QEMU; `kernel`
        is another kernel than that of the other experiments.
        """
        named = {name: shlex.quote(value) for name, value in (variables or {}).items()}
        command = " ".join(
            [*(f"{name}={value}" for name, value in named.items()), f"selftests/papers/in_guest/{script}"]
        )
        options = ["-k", kernel or self.kernel, "-M", memory]
        if cpus != 2:
            options += ["-c", str(cpus)]
        if qemu:
            options += ["-q", qemu]
        # paths of this machine say nothing elsewhere
        shown = [*options, *(["-D", Path(image).name] if image else ["-d", disk] if disk else [])]
        options += ["-D", image] if image else ["-d", disk] if disk else []
        self.commands.append(f"selftests/machine/vm.sh {shlex.join(shown)} -o OUT -- {script}")
        try:
            self.run([TESTS / "machine/vm.sh", *options, "-o", self.folder, "-t", str(int(limit)), "--", command])
        finally:
            if image:
                os.unlink(image)

    def bench(self, part: str, settings: Mapping[str, str]) -> str:
        """Run a part of bench/; its figures are the last file that it writes."""
        self.commands.append(
            " ".join(
                [
                    *(f"{name}={shlex.quote(value)}" for name, value in settings.items()),
                    f"selftests/bench/bench.sh {part}",
                ]
            )
        )
        self.run(
            [TESTS / "bench/bench.sh", part],
            {**settings, "OUT": str(self.folder), "KERNEL": self.kernel, "REPORT": "--no-picture"},
        )
        return Path(self.path(f"{part}.txt")).read_text(encoding="utf-8")

    def lab(self, parts: Sequence[str], settings: Mapping[str, str]) -> None:
        """Run parts of lab/; what they leave is in the folder."""
        self.commands.append(
            " ".join(
                [*(f"{name}={shlex.quote(value)}" for name, value in settings.items()), "selftests/lab/lab.sh", *parts]
            )
        )
        self.run(
            [TESTS / "lab/lab.sh", *parts],
            {**settings, "OUT": str(self.folder), "KERNEL": self.kernel, "BENCH": "fragpicker"},
        )

    def run(self, command: Sequence[str | Path], settings: Mapping[str, str] | None = None) -> None:
        """Run a command, and pass on each line that it prints; if we are interrupted, it ends before we do."""
        last: list[str] = []
        with open(self.folder / "guest.log", "a", encoding="utf-8") as log:
            child = subprocess.Popen(
                [str(word) for word in command],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                cwd=TOP,
                env={**os.environ, **(settings or {})},
            )
            try:
                for line in child.stdout or ():
                    log.write(line)
                    log.flush()
                    last = [*last[-4:], line.strip()]
                    self.say(line.strip())
                status = child.wait()
            finally:
                if child.poll() is None:
                    child.terminate()
                    child.wait()
        if status:
            raise Failed(
                f"the guest ended with status {status}: {' | '.join(last)[-500:]}; see {self.folder.name}/guest.log"
            )

    def aged(self, kind: str) -> str:
        """A copy of an aged volume of this kind; it is made when it is needed first, and kept in the cache."""
        filled, deleted = AGED[kind]
        cache = Path(output([TESTS / "machine/setup.sh", "cache"]).strip()) / "papers"
        kept = cache / f"{kind}-{filled}-{deleted}-{AGED_SEED}-{self.kernel.replace('/', '_')}.img"
        if not kept.exists():
            cache.mkdir(exist_ok=True)
            new = cache / f"new.{os.getpid()}.img"
            self.say(f"makes the volume, once: {kept.name}")
            new.touch()
            os.truncate(new, parse_size(AGED_SIZE))
            try:
                script = f"age.sh {filled} {deleted} {AGED_SEED}"
                self.run(
                    [
                        TESTS / "machine/vm.sh",
                        "-n",
                        "-k",
                        self.kernel,
                        "-D",
                        new,
                        "-t",
                        "1200",
                        "--",
                        f"selftests/papers/in_guest/{script}",
                    ]
                )
                # the files hold zeroes
                output(["cp", "--sparse=always", new, f"{kept}.new"])
                os.replace(f"{kept}.new", kept)
            finally:
                new.unlink()
        self.commands.append(
            f"selftests/machine/vm.sh -n -k {self.kernel} -D {kept.name} -- age.sh {filled} {deleted} {AGED_SEED}"
        )
        copy = self.folder / kept.name
        output(["cp", "--sparse=always", kept, copy])
        return str(copy)

    def draw(self, snapshot: str, preset: str, picture: str) -> None:
        """Draw a snapshot in the paper's colours, and name the command."""
        self.commands.append(f"fragtrace-view -t {snapshot} -c {preset} -i {preset} -o {picture}")
        output(
            [
                TOP / "viewer/fragtrace-view",
                "-t",
                self.path(snapshot),
                "-c",
                PRESETS / f"{preset}.color.cnf",
                "-i",
                PRESETS / f"{preset}.img.cnf",
                "-o",
                self.path(picture),
            ]
        )

    def class_path(self, name: str) -> str:
        """The jars of a pom of java/; fetched and compiled when they are needed first."""
        path = output([TESTS / "papers/jars.sh", name]).strip()
        self.jars.update(Path(jar).stem for jar in path.split(":") if jar.endswith(".jar"))
        return path

    def path(self, name: str) -> str:
        """The path of a file of the result."""
        return str(self.folder / name)

    def versions(self) -> dict[str, str]:
        """The versions of all that has taken part."""
        found = {"fragtrace": self.described}
        try:
            found["kernel"] = str(parse_facts(Path(self.path("guest.facts")).read_text(encoding="utf-8"))["kernel"])
        except (OSError, KeyError):
            pass
        qemu = output([TESTS / "machine/setup.sh", "qemu"]).split()[0]
        found["qemu"] = first_line([qemu, "--version"])
        found["f2fs-tools"] = first_line(["mkfs.f2fs", "-V"])
        if self.jars:
            found["java"] = first_line(["java", "--version"])
            found["jars"] = ", ".join(
                sorted(jar for jar in self.jars if re.match(r"core-|rocksdbjni|jedis|voltdb", jar))
            )
        found["processor"] = (
            next(
                (
                    line.split(":", 1)[1].strip()
                    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
                    if line.startswith("model name")
                ),
                "unknown",
            )
            + f", {os.cpu_count()} cores"
        )
        return found


def first_line(command: Sequence[str]) -> str:
    """The first line that a command prints, or `unknown`."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return next(iter((done.stdout or done.stderr).splitlines()), "unknown").strip()


def parse_size(text: str) -> int:
    """Bytes of a size like 2G."""
    return int(text[:-1]) << {"K": 10, "M": 20, "G": 30}[text[-1]]
