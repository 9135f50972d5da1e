# SPDX-License-Identifier: GPL-2.0-only
"""fsync() Performance Degradation in F2FS (G. Y. Choi, master's thesis, Hanyang University, 2018): its experiment, its claims.

`texts` reads what the guest leaves, `experiments` runs it, `figures` has what a span of time is summed up to, `observations` and
`claims` hold the claims against it, `tables`, `plot` and `show` show it.
"""

from __future__ import annotations

from ..model import Options, Paper
from .claims import claims
from .experiments import CHEAP_NS, DEAR_NS, FILES, LONGEST, MIB, SLOWNESS, THREADS, experiments, kernels, long_run
from .show import show

__all__ = ["claims", "paper"]


def paper(options: Options) -> Paper:
    """The paper; the quick version is the same for a few seconds."""
    return Paper(
        "fsync",
        "fsync() Performance Degradation in F2FS",
        "G. Y. Choi, master's thesis, Hanyang University, February 2018, https://repository.hanyang.ac.kr/handle/20.500.11754/68621; "
        "only the abstract is public",
        "The paper: a PC server, an SSD with a super capacitor, whose flushes cost little, and others; filebench's varmail. The "
        "kernel is not named; F2FS has kept a bitmap of free node IDs since 4.12, of May 2017.",
        f"Here: kernel {', '.join(kernels(options))}; a varmail of our own with the published parameters: {FILES} files, {THREADS} threads, files "
        f"and appends of 16 KiB in the mean; {long_run(options)} s of the guest's time (LONG=, {LONGEST} s at most, since each takes "
        f"{SLOWNESS} s of an idle machine); the first fifth against the last one. A disk in memory of {MIB} MiB by null_blk: the "
        f"cheap one completes a request after {CHEAP_NS / 1000:.0f} us and has no cache, so a flush is nothing to it; the dear "
        f"one takes {DEAR_NS / 1000:.0f} us for each request, a flush included. The guest's clock counts instructions, 1 ns "
        "each, and passes over idle time (-icount shift=0,sleep=off), with one processor: the load of the machine that emulates "
        "it does not matter, but a cache miss costs nothing, instructions per second are those of a processor of 1 GHz, and "
        "threads contend only when they wait.",
        experiments(options),
        claims(kernels(options)),
        show,
    )
