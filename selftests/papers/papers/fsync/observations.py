# SPDX-License-Identifier: GPL-2.0-only
"""What the data say of the claims: an observation for each device and kernel."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from ..judge import Observation, combine, share
from ..model import Data, Results, Verdict
from .experiments import DEVICES, THREADS
from .figures import PHASES, Span, fifths

# A difference of rates that counts; the two fifths of a run that does not change differ by less.
LEAST = 0.1


@dataclass(frozen=True)
class Runs:
    """The first and the last fifth of all runs on a device."""

    ext4: tuple[Span, Span]
    f2fs: tuple[Span, Span]
    watched: tuple[Span, Span]

    def against_ext4(self, fifth: int) -> float:
        """The throughput of F2FS as a multiple of that of ext4."""
        return share(self.f2fs[fifth].rate, self.ext4[fifth].rate)

    @property
    def loss(self) -> float:
        """The share of its advantage over ext4 that F2FS loses from the first fifth to the last one; negative if it gains."""
        return 1 - share(self.against_ext4(1), self.against_ext4(0))

    @property
    def worked(self) -> bool:
        """Was something done in each of these fifths? There is no share of nothing."""
        return all(span.rounds > 0 for run in (self.ext4, self.f2fs, self.watched) for span in run)


def runs_on(device: str, kernel: str, results: Results) -> Runs | None:
    """The runs on a device and a kernel, if all of them have a result."""
    cases: Data = {}
    for result in results.values():
        if result.settings.get("kernel") == kernel:
            cases |= result.data.get("cases", {})
    names = [f"{system}-{device}" for system in ("ext4", "bare", "f2fs")]
    return Runs(*(fifths(cases[name]) for name in names)) if all(name in cases for name in names) else None


def idle(runs: Runs) -> Observation:
    """What runs tell that have done nothing for a fifth of the time: nothing."""
    done = ", ".join(
        f"{name} {' and '.join(str(span.rounds) for span in run)}"
        for name, run in (("ext4", runs.ext4), ("F2FS", runs.f2fs), ("F2FS with fragtrace", runs.watched))
    )
    return Observation(None, f"does not tell: rounds in the first and in the last fifth: {done}")


def everywhere(observe: Callable[[Runs], Observation], kernels: Sequence[str]) -> Callable[[Results], Verdict]:
    """A judge that looks at the same thing on each device and kernel."""

    def judge(results: Results) -> Verdict:
        seen: dict[tuple[str, str], Observation] = {}
        missing = []
        for where in product(kernels, DEVICES):
            kernel, device = where
            runs = runs_on(device, kernel, results)
            if runs:
                seen[where] = observe(runs) if runs.worked else idle(runs)
            else:
                missing.append(named(where))
        return combine({named(where): one for where, one in seen.items()}, decisive(seen), missing)

    return judge


def named(where: tuple[str, str]) -> str:
    """A kernel and a device, as a condition."""
    return f"kernel {where[0]} with {where[1]} flushes"


def decisive(seen: Mapping[tuple[str, str], Observation]) -> str:
    """On what a claim depends: on the kernel alone, on the device alone, or on both."""
    of_kernel, of_device = ({where[part]: set[bool]() for where in seen} for part in (0, 1))
    for (kernel, device), one in seen.items():
        if one.holds is not None:
            of_kernel[kernel].add(one.holds)
            of_device[device].add(one.holds)
    if all(len(found) <= 1 for found in of_kernel.values()):
        return "kernel"
    if all(len(found) <= 1 for found in of_device.values()):
        return "device"
    return "kernel and the device"


def rates(runs: Runs, fifth: int) -> str:
    """Both throughputs as text."""
    return (
        f"F2FS {runs.f2fs[fifth].rate:.0f} operations a second, ext4 {runs.ext4[fifth].rate:.0f}: "
        f"{runs.against_ext4(fifth):.2f} of it"
    )


def faster_first(runs: Runs) -> Observation:
    """At the beginning F2FS is the faster one."""
    return Observation(runs.against_ext4(0) > 1, f"in the first fifth {rates(runs, 0)}")


def slower_last(runs: Runs) -> Observation:
    """At the end F2FS is the slower one, and has become so."""
    return Observation(
        runs.against_ext4(1) < 1 and runs.loss >= LEAST,
        f"in the last fifth {rates(runs, 1)}; that is {-runs.loss:+.1%} since the first fifth; F2FS alone "
        f"{share(runs.f2fs[1].rate, runs.f2fs[0].rate) - 1:+.1%}, ext4 alone {share(runs.ext4[1].rate, runs.ext4[0].rate) - 1:+.1%}",
    )


def by_searches(runs: Runs) -> Observation:
    """F2FS has become slower, and half or more of it is time in which node IDs are allocated."""
    first, last = runs.watched
    slower = last.round_us(THREADS) - first.round_us(THREADS)
    longer = last.per_round_us("alloc_nid") - first.per_round_us("alloc_nid")
    lost = slower / first.round_us(THREADS) if first.rounds else 0.0
    return Observation(
        lost >= LEAST and longer >= slower / 2,
        f"a round of a thread takes {last.round_us(THREADS):.0f} us in the last fifth, {first.round_us(THREADS):.0f} us in the first "
        f"one ({lost:+.1%}); of them the allocation of node IDs, with all waits and searches, {last.per_round_us('alloc_nid'):.1f} us, "
        f"in the first fifth {first.per_round_us('alloc_nid'):.1f} us, and searches alone {last.per_round_us('all_searches'):.1f} us "
        f"({last.counts['all_searches']} of {last.mean_us('all_searches'):.1f} us for {last.creates} new files); searches inside of "
        f"fsyncs are {last.phase('search'):.2%} of the time of fsyncs",
    )


def where(span: Span) -> str:
    """The phases of fsyncs as text."""
    return ", ".join(f"{name} {span.phase(name):.0%}" for name in PHASES)


def searches_bind(runs: Runs) -> Observation:
    """Searches are the largest part of an fsync at the end."""
    _, last = runs.watched
    most = max(last.phase(name) for name in PHASES)
    return Observation(
        last.phase("search") * 2 >= most,
        f"in the last fifth, of the time of fsyncs: {where(last)}; searches for free node IDs, within these, {last.phase('search'):.2%}",
    )


def more_if_cheap(kernels: Sequence[str]) -> Callable[[Results], Verdict]:
    """A judge of whether the loss is larger the cheaper the flush is: on each kernel that has run on both devices."""

    def judge(results: Results) -> Verdict:
        seen: dict[str, Observation | None] = {}
        missing = []
        for kernel in kernels:
            cheap, dear = (runs_on(device, kernel, results) for device in DEVICES)
            if cheap and dear:
                seen[f"kernel {kernel}, both devices"] = compared(cheap, dear)
            else:
                missing.append(f"kernel {kernel}, both devices")
        return combine(seen, "kernel", missing)

    return judge


def compared(cheap: Runs, dear: Runs) -> Observation:
    """The loss with cheap flushes is more than that with dear ones."""
    for runs in (cheap, dear):
        if not runs.worked:
            return idle(runs)
    by = by_searches(cheap)
    return Observation(
        cheap.loss >= LEAST and cheap.loss > dear.loss and bool(by.holds),
        f"the advantage over ext4 changes by {-cheap.loss:+.1%} with cheap flushes, by {-dear.loss:+.1%} with dear ones; flushes are "
        f"{cheap.watched[1].phase('flush'):.0%} and {dear.watched[1].phase('flush'):.0%} of the time of fsyncs in the last fifth; with cheap ones {by.text}",
    )
