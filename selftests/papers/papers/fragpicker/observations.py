# SPDX-License-Identifier: GPL-2.0-only
"""What the results of lab/ say of FragPicker's claims."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..judge import Observation, combine, percent, share
from ..model import Data, Kind, Results, Verdict
from .experiments import DATABASES, MOTIVATION, SYNTHETIC, TREATMENTS, name_of, parts_of

KIB = 1024
BORDER = 128 * KIB
FLASH, DISK = "a disk with a cost for each request", "a disk with a cost for each distance"
COSTS = {FLASH: "request", DISK: "distance"}
CONVENTIONAL = ("copy", "ioctl")
# A difference of speed up to this counts as none.
SAME = 0.1
# Where a rewrite of all saves no more of the requests than this, or no more of the time, gains do not tell.
LEAST = 0.02
LEAST_TIME = 0.05

# Of fewer files nothing follows.
FEWEST = 2

Seen = dict[str, Observation | None]


def judged(part: str, look: Callable[[Data], Seen], what: str) -> Callable[[Results], Verdict]:
    """A judge of what the parts of the lab show, of which one is needed; None: that was not measured."""

    def judge(results: Results) -> Verdict:
        parts = parts_of(results)
        if part not in parts:
            return Verdict(Kind.NOT_RUN, f"no result of {name_of(part)} yet")
        return combine(look(parts), what, nothing="not measured")

    return judge


def related(x: Sequence[float], y: Sequence[float]) -> tuple[float, float]:
    """The paper's CC, and its NLRS: the slope of y, as a multiple of its first value, for each unit of x."""
    y = [share(value, y[0]) for value in y]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    both = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y))
    x2, y2 = sum((a - mean_x) ** 2 for a in x), sum((b - mean_y) ** 2 for b in y)
    return (both / (x2 * y2) ** 0.5 if x2 and y2 else 0.0), share(both, x2)


def sizes(parts: Data, cost: str, wanted: Callable[[int], bool]) -> list[Data]:
    """The files of pieces of these sizes."""
    return [one for one in parts[MOTIVATION]["size"][cost] if wanted(one["size"])]


def distances(parts: Data, cost: str) -> list[Data]:
    """Files of pieces of 4 KiB, not adjacent, and about as far apart as they should be."""
    return [
        one
        for one in parts[MOTIVATION]["distance"][cost]
        if one["distance"] and 2 * one["distance_found"] >= one["distance"]
    ]


def small_matter(cost: str, name: str) -> Callable[[Data], Seen]:
    """Below 128 KiB the size of pieces decides on the speed."""

    def look(parts: Data) -> Seen:
        some = sizes(parts, cost, lambda size: size <= BORDER)
        if len(some) < FEWEST:
            return {name: None}
        cc, slope = related([one["size"] / KIB for one in some], [one["mb_per_s"] for one in some])
        gain = share(some[-1]["mb_per_s"], some[0]["mb_per_s"])
        return {
            name: Observation(
                cc >= 0.8 and gain >= 1 + SAME,
                f"CC {cc:.3f}, NLRS {slope:.7f}; {some[0]['mb_per_s']:.1f} MB/s with pieces of {some[0]['size'] // KIB} KiB, "
                f"{some[-1]['mb_per_s']:.1f} with {some[-1]['size'] // KIB} KiB",
            )
        }

    return look


def large_do_not(parts: Data) -> Seen:
    """From 128 KiB on the size matters little: per KiB, a hundredth of what it does below."""
    small, some = sizes(parts, "request", lambda size: size <= BORDER), sizes(parts, "request", lambda size: size >= BORDER)
    if min(len(small), len(some)) < FEWEST:
        return {FLASH: None}
    slopes = [related([one["size"] / KIB for one in found], [one["mb_per_s"] for one in found])[1] for found in (small, some)]
    return {
        FLASH: Observation(
            slopes[1] <= slopes[0] / 100,
            f"NLRS {slopes[0]:.7f} up to 128 KiB, {slopes[1]:.7f} from there; requests for each MiB: "
            + ", ".join(
                f"{share(one['requests'] << 20, one['bytes']):.0f} with {one['size'] // KIB} KiB" for one in some
            ),
        )
    }


def distance_matters(cost: str, name: str, expected: bool) -> Callable[[Data], Seen]:
    """Does the distance of pieces change the speed by more than 10 %?"""

    def look(parts: Data) -> Seen:
        some = distances(parts, cost)
        if len(some) < FEWEST:
            return {name: None}
        cc, slope = related([one["distance_found"] / KIB for one in some], [one["mb_per_s"] for one in some])
        speeds = [one["mb_per_s"] for one in some]
        differs = 1 - share(min(speeds), max(speeds))
        return {
            name: Observation(
                (differs > SAME) is expected,
                f"from {some[0]['distance_found'] // KIB} to {some[-1]['distance_found'] // KIB} KiB the speed differs by {differs:.0%}; "
                f"CC {cc:.3f}, NLRS {slope:.7f}",
            )
        }

    return look


def requests_decide(parts: Data) -> Seen:
    """The time of a byte goes with the requests for it, and not with the distance."""
    seen: Seen = {}
    for name, cost in COSTS.items():
        some = [*sizes(parts, cost, lambda size: True), *distances(parts, cost)]
        if len(some) < FEWEST:
            seen[name] = None
            continue
        cc, _ = related([one["requests"] / one["bytes"] for one in some], [one["ns"] / one["bytes"] for one in some])
        seen[name] = Observation(
            cc >= 0.95, f"CC of requests and time, both for each byte, over {len(some)} files: {cc:.3f}"
        )
    return seen


def case(parts: Data, name: str) -> Data | None:
    """The treatments of a workload."""
    for part in (SYNTHETIC, DATABASES):
        found: Data | None = parts.get(part, {}).get("cases", {}).get(name)
        if found:
            return found
    return None


def written_less(name: str, least: float) -> Callable[[Data], Seen]:
    """FragPicker's rules write less than each rewrite of all by this part."""

    def look(parts: Data) -> Seen:
        found = case(parts, name)
        if found is None:
            return {name: None}
        mine = found["fragpicker"]["written"]
        return {
            TREATMENTS[other]: Observation(
                1 - share(mine, found[other]["written"]) >= least,
                f"{mine / (1 << 20):.1f} MiB instead of {found[other]['written'] / (1 << 20):.1f}, "
                f"{1 - share(mine, found[other]['written']):.0%} less; fragtrace-defrag {found['heat']['written'] / (1 << 20):.1f} MiB",
            )
            for other in CONVENTIONAL
        }

    return look


def faster(before: Data, after: Data) -> float:
    """By how much the work is faster."""
    return share(before["work_ns"], after["work_ns"]) - 1


def fewer(before: Data, after: Data) -> float:
    """By how much requests are fewer."""
    return 1 - share(after["requests"], before["requests"])


def improves(names: Sequence[str]) -> Callable[[Data], Seen]:
    """FragPicker's rules make the work faster by more than 10 %."""

    def look(parts: Data) -> Seen:
        seen: Seen = {}
        for name in names:
            found = case(parts, name)
            seen[name] = (
                None
                if found is None
                else Observation(
                    faster(found["nothing"], found["fragpicker"]) > SAME,
                    f"{faster(found['nothing'], found['fragpicker']):.0%} faster on the model, {fewer(found['nothing'], found['fragpicker']):.1%} "
                    f"fewer requests; fragtrace-defrag {fewer(found['nothing'], found['heat']):.1%}",
                )
            )
        return seen

    return look


def as_good(names: Sequence[str]) -> Callable[[Data], Seen]:
    """The requests that FragPicker's rules save are nine tenths or more of what a rewrite of all saves."""

    def look(parts: Data) -> Seen:
        seen: Seen = {}
        for name in names:
            found = case(parts, name)
            if found is None:
                seen[name] = None
                continue
            before = found["nothing"]
            best = max(fewer(before, found[other]) for other in CONVENTIONAL)
            text = "; ".join(f"{TREATMENTS[one]} {fewer(before, found[one]):.1%}" for one in found if one != "nothing")
            seen[name] = Observation(
                fewer(before, found["fragpicker"]) >= (1 - SAME) * best if best > LEAST else None,
                f"fewer requests: {text}" + ("" if best > LEAST else "; hardly anything to gain"),
            )
        return seen

    return look


def better_on_stride(parts: Data) -> Seen:
    """FragPicker's rules make a stride of reads faster than a rewrite of all does."""
    found = case(parts, "stride read")
    if found is None:
        return {"stride read": None}
    mine = faster(found["nothing"], found["fragpicker"])
    return {
        TREATMENTS[other]: Observation(
            mine > faster(found["nothing"], found[other]),
            f"{mine:.0%} faster, {TREATMENTS[other]} {faster(found['nothing'], found[other]):.0%}; extents: "
            f"{found['fragpicker']['extents']} and {found[other]['extents']}",
        )
        for other in CONVENTIONAL
    }


def database(look: Callable[[Data], Observation | None]) -> Callable[[Data], Seen]:
    """Something of RocksDB with reads as in YCSB-C."""

    def seen(parts: Data) -> Seen:
        found = case(parts, "RocksDB, YCSB-C")
        return {"RocksDB, small, on an aged F2FS": look(found) if found else None}

    return seen


def takes_less(found: Data) -> Observation:
    """The rewrite is done sooner."""
    mine, theirs = found["fragpicker"]["ns"], found["ioctl"]["ns"]
    return Observation(
        mine < theirs,
        f"{mine / 1e6:.0f} ms, {TREATMENTS['ioctl']} {theirs / 1e6:.0f} ms; fragtrace-defrag {found['heat']['ns'] / 1e6:.0f} ms",
    )


def disturbs_less(found: Data) -> Observation | None:
    """A reader beside it is less slow."""
    if "interference" not in found["fragpicker"]:
        return None
    text = ", ".join(
        f"{TREATMENTS[one]} {found[one]['interference']:.1f} %" for one in found if "interference" in found[one]
    )
    return Observation(
        found["fragpicker"]["interference"] < found["ioctl"]["interference"], f"a reader beside it is slower by: {text}"
    )


def writes_less(found: Data) -> Observation:
    """It writes less."""
    mine, theirs = found["fragpicker"]["written"], found["ioctl"]["written"]
    return Observation(
        mine < theirs,
        f"{mine / (1 << 20):.1f} MiB, {percent(mine, theirs)} of the {theirs / (1 << 20):.1f} MiB of {TREATMENTS['ioctl']}",
    )


def performs_alike(found: Data) -> Observation:
    """Reads afterwards are as fast, within 5 %. Where the other gains no more than that, so it would be by doing nothing."""
    mine, theirs, before = (found[one]["work_ns"] for one in ("fragpicker", "ioctl", "nothing"))
    worth = theirs < (1 - LEAST_TIME) * before
    return Observation(
        share(theirs, mine) >= 0.95 if worth else None,
        ("" if worth else "does not tell, as there is hardly anything to gain: ")
        + f"{share(theirs, mine):.1%} of the speed after {TREATMENTS['ioctl']}; without either it is {share(theirs, before):.1%} of that; "
        f"requests {found['fragpicker']['requests']} and {found['ioctl']['requests']}, before {found['nothing']['requests']}",
    )
