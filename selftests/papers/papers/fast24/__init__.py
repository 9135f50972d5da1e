# SPDX-License-Identifier: GPL-2.0-only
"""We Ain't Afraid of No File Fragmentation (FAST 2024): its theory beside that of request splitting, as forecasts."""

from __future__ import annotations

from ..model import Options, Paper
from .claims import claims
from .experiments import dies
from .show import show

__all__ = ["paper"]


def paper(options: Options) -> Paper:
    """The paper; no device here has dies, so both theories make a forecast."""
    return Paper(
        "fast24",
        "We Ain't Afraid of No File Fragmentation: Causes and Prevention of Its Performance Impact on Modern Flash SSDs",
        "Y. Jun, S. Park, J.-U. Kang, S.-H. Kim and E. Seo, FAST 2024; its abstract",
        "The paper: commercial SSDs and an emulated one.",
        f"Here: kernel {options.kernel}; each request to write is recorded on its way to the device (block_rq_issue), and each change of a map "
        "(extent_change). Foreseen is a device that puts each block of 4 KiB that it is given on the next of D dies, without a cache and "
        "without collection of garbage of its own, and a reader of 128 KiB at once. No times were measured: no device here has dies.",
        (dies(options),),
        claims(),
        show,
    )
