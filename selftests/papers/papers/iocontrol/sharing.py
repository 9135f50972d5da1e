# SPDX-License-Identifier: GPL-2.0-only
"""What each group had of the disk, and what it would have under CFQ's rule. A case is a run of in_guest/iocontrol.py."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..judge import share
from ..model import Data

ONE, TWO = "grp1", "grp2"
CFQ = "cfq"
# Accounts are by weight if the share of each group differs from that of its weight by at most this; rates are alike if they differ by
# at most this part.
BY_WEIGHT = 0.1


def told(data: Data) -> float:
    """The requests a second that the exact model of iocost has, as the kernel has shown it."""
    found = re.search(r" rseqiops=(\d+) ", data["controllers"]["iocost-exact"]["model"])
    return float(found[1]) if found else 0.0


def why_untold(data: Data, run: Data, controlled: bool) -> str:
    """Why a case tells nothing; empty if it does. `controlled`: is one expected in which the controller does something?

    iocost, after its own model, which may have slowed the disk down by far (cost.vrate), takes seconds to come back. And what waits
    in the disk itself it does not hold back: then all is as without it, and its own accounts are not by weight.
    """
    if not sum(one["bytes"] for one in run["groups"].values()):
        return "nobody has read anything"
    requests = run["disk"]["requests"] / run["seconds"]
    if run["controller"] == "iocost-exact" and requests < told(data) / 2:
        return f"iocost, which is told {told(data):.0f} requests a second, has let {requests:.0f} through, because of its own model before"
    if controlled and run["controller"].startswith("iocost") and is_as_without(data, run):
        for group in run["groups"]:
            mine = part(run, group, "estimated_us")
            if abs(mine - entitled(run, group)) > BY_WEIGHT:
                return (
                    f"all is as without iocost, and by its own accounts (cost.usage) {group} has had {mine:.0%}, "
                    f"by weight {entitled(run, group):.0%}"
                )
    return ""


def is_as_without(data: Data, run: Data) -> bool:
    """Does each group get what it gets without a controller?"""
    free = look_up(data, "none", run["case"], run["state"])
    return free is not None and all(
        abs(rate(run, group) - rate(free, group)) <= BY_WEIGHT * rate(free, group) for group in run["groups"]
    )


def look_up(data: Data, controller: str, case: str, state: str) -> Data | None:
    """A case, whatever it tells."""
    for run in data["runs"]:
        if (run["controller"], run["case"], run["state"]) == (controller, case, state):
            return dict(run)
    return None


def find(data: Data, controller: str, case: str, state: str, controlled: bool = True) -> Data | None:
    """A case, if it tells anything."""
    run = look_up(data, controller, case, state)
    return None if run is None or why_untold(data, run, controlled) else run


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
