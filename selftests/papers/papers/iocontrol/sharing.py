# SPDX-License-Identifier: GPL-2.0-only
"""What each group had of the disk, and what it would have under CFQ's rule. A case is a run of in_guest/iocontrol.py."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..judge import share
from ..model import Data

ONE, TWO = "grp1", "grp2"
CFQ = "cfq"
# Accounts that are by weight: at most this much of all from it.
BY_WEIGHT = 0.1


def settled(data: Data, run: Data) -> bool:
    """Has somebody read, and does iocost let through what it was told?

    After its own model, which may have slowed the disk down by far (cost.vrate), it takes seconds to come back.
    """
    if not sum(one["bytes"] for one in run["groups"].values()):
        return False
    least = told(data) / 2 if run["controller"] == "iocost-exact" else 0.0
    return bool(run["disk"]["requests"] / run["seconds"] >= least)


def told(data: Data) -> float:
    """The requests a second that the exact model of iocost has, as the kernel has shown it."""
    found = re.search(r" rseqiops=(\d+) ", data["controllers"]["iocost-exact"]["model"])
    return float(found[1]) if found else 0.0


def in_control(run: Data) -> bool:
    """Does it share out the disk? What waits in the disk itself iocost does not hold back: then its own accounts are not by weight."""
    return not run["controller"].startswith("iocost") or all(
        abs(part(run, group, "estimated_us") - entitled(run, group)) <= BY_WEIGHT for group in run["groups"]
    )


def find(data: Data, controller: str, case: str, state: str, controlled: bool = True) -> Data | None:
    """A case, if it tells anything; `controlled`: and if its controller does anything."""
    for run in data["runs"]:
        if (run["controller"], run["case"], run["state"]) == (controller, case, state):
            return run if settled(data, run) and (not controlled or in_control(run)) else None
    return None


def rate(run: Data, group: str) -> float:
    """Bytes a second that a group has read from the device."""
    return float(run["groups"][group]["bytes"] / run["seconds"])


def useful(run: Data, group: str) -> float:
    """What a group was asked for, a second: bytes of a reader, the rows' bytes of queries."""
    return float(run["groups"][group]["useful"] / run["seconds"])


def part(run: Data, group: str, what: str) -> float:
    """A group's share of `bytes`, of `module_requests`, of the time that iocost has estimated."""
    return share(run["groups"][group][what], sum(one[what] for one in run["groups"].values()))


def entitled(run: Data, group: str) -> float:
    """A group's share by its weight."""
    return part(run, group, "weight")


def request_bytes(run: Data, group: str) -> float:
    """Bytes of a request of the group."""
    return share(run["groups"][group]["bytes"], run["groups"][group]["module_requests"])


def device_rate(data: Data) -> float:
    """Requests a second that the disk has completed when it was asked for most."""
    return max(float(run["disk"]["requests"] / run["seconds"]) for run in data["runs"])


def allotted(most: float, weights: Mapping[str, int], wanted: Mapping[str, float]) -> dict[str, float]:
    """CFQ's rule: requests a second by weight. What a group does not want is for those that want more."""
    got = dict.fromkeys(wanted, 0.0)
    open_, left = set(wanted), most
    while open_ and left > 1e-9:
        total = sum(weights[name] for name in open_)
        offer = {name: left * weights[name] / total for name in open_}
        full = {name for name in open_ if got[name] + offer[name] >= wanted[name]}
        if not full:
            return {name: got[name] + offer.get(name, 0.0) for name in got}
        for name in full:
            left -= wanted[name] - got[name]
            got[name] = wanted[name]
        open_ -= full
    return got


def cfq(data: Data, alone: Mapping[str, Data], weights: Mapping[str, int]) -> dict[str, float]:
    """Bytes a second of each group under CFQ's rule. `alone` are the cases in which each had the disk for itself: what it wants."""
    wanted = {name: run["groups"][name]["module_requests"] / run["seconds"] for name, run in alone.items()}
    got = allotted(device_rate(data), weights, wanted)
    return {name: requests * request_bytes(alone[name], name) for name, requests in got.items()}
