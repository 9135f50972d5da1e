# SPDX-License-Identifier: GPL-2.0-only
"""The experiments: varmail on F2FS and on ext4, on a device with cheap flushes and on one with dear ones, by kernel."""

from __future__ import annotations

from pathlib import Path

from ..facts import parse_facts
from ..guest import ICOUNT
from ..model import Data, Experiment, Host, Options
from .texts import parse_fsync, parse_lines

# The published parameters of filebench's varmail.
FILES, THREADS = 1000, 16
MIB, CHEAP_NS, DEAR_NS, SEED = 1024, 10_000, 2_000_000, 1
# Seconds of the guest's time. SLOWNESS: of the host's time for each of them, when the guest has no idle time.
LONGEST, QUICK, SLOWNESS = 30, 5, 30
BOOT = 120
DEVICES = ("cheap", "dear")
# Those that fragtrace is tested with, FT_TESTED of machine/setup.sh.
KERNELS = ("6.1", "6.12", "7")
# F2FS alone, as it is compared with ext4; and with fragtrace, which tells where the time goes.
SYSTEMS = ("ext4", "bare", "f2fs")


def long_run(options: Options) -> int:
    """How long the workload runs, in seconds of the guest's time; a multiple of five."""
    wanted = QUICK if options.quick else max(5, min(options.long, LONGEST))
    return wanted // 5 * 5


def every(seconds: int) -> int:
    """The seconds between two reports: twenty of them, or what divides a fifth."""
    fifth = seconds // 5
    return next(step for step in range(max(1, fifth // 4), fifth + 1) if fifth % step == 0)


def kernels(options: Options) -> tuple[str, ...]:
    """The kernels to run it on: all, and that of the command, if it is another one; a quick run has only the latter."""
    if options.quick:
        return (options.kernel,)
    return KERNELS if options.kernel in KERNELS else (*KERNELS, options.kernel)


def experiments(options: Options) -> tuple[Experiment, ...]:
    """One for each device and kernel; a quick run has all of it in one guest."""
    if options.quick:
        return (varmail("fsync-quick", DEVICES, options.kernel, options),)
    return tuple(
        varmail(f"fsync-{device}-{kernel.replace('/', '_')}", (device,), kernel, options)
        for kernel in kernels(options)
        for device in DEVICES
    )


def varmail(name: str, devices: tuple[str, ...], kernel: str, options: Options) -> Experiment:
    """The workload on each file system on these devices, one after the other."""
    seconds = long_run(options)
    cases = [f"{system}-{device}" for device in devices for system in SYSTEMS]
    settings: Data = {
        "seconds": seconds,
        "every": every(seconds),
        "cases": cases,
        "files": FILES,
        "threads": THREADS,
        "mib": MIB,
        "cheap_ns": CHEAP_NS,
        "dear_ns": DEAR_NS,
        "seed": SEED,
        "kernel": kernel,
    }
    estimate = BOOT + len(cases) * seconds * SLOWNESS

    def run(host: Host) -> Data:
        host.guest(
            f"varmail.sh {seconds} {every(seconds)} {SEED} {' '.join(cases)}",
            disk="64M",
            limit=estimate * 4 + 1200,
            cpus=1,
            qemu=ICOUNT,
            kernel=kernel,
            variables={
                "MIB": str(MIB),
                "FILES": str(FILES),
                "THREADS": str(THREADS),
                "CHEAP_NS": str(CHEAP_NS),
                "DEAR_NS": str(DEAR_NS),
            },
        )
        return {
            "guest": parse_facts(Path(host.path("guest.facts")).read_text(encoding="utf-8")),
            "cases": {case: case_data(host, case) for case in cases},
        }

    flushes = " and on one with ".join(f"{device} flushes" for device in devices)
    title = f"varmail on F2FS and ext4 of kernel {kernel}, on a device with {flushes}"
    return Experiment(name, title, settings, estimate, run)


def case_data(host: Host, case: str) -> Data:
    """What varmail.sh has left of a case."""

    def text(name: str) -> str:
        return Path(host.path(name)).read_text(encoding="utf-8")

    lines = parse_lines(text(f"{case}.lines"))
    watched = case.startswith("f2fs-")
    return {
        "facts": parse_facts(text(f"{case}.facts")),
        "lines": lines,
        "rows": [parse_fsync(text(f"{case}.{number}.fsync")) for number in range(len(lines))] if watched else [],
    }
