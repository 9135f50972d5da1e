# SPDX-License-Identifier: GPL-2.0-only
"""What the two experiments say of the claims: an observation for each controller and case."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ..judge import Observation, combine, percent, share
from ..model import Data, Results, Verdict
from .experiments import SQLITE, SYNTHETIC
from .sharing import CFQ, ONE, TWO, cfq, entitled, find, look_up, part, rate, request_bytes, useful, why_untold

NAMES = {
    CFQ: "CFQ's rule (computed)",
    "none": "no controller",
    "bfq": "BFQ",
    "iocost-default": "IOCost, the kernel's model",
    "iocost-exact": "IOCost, this disk's costs",
}
IOCOST = ("iocost-default", "iocost-exact")
WRITTEN, WRONG, RIGHT = "as written", "grp2 rewritten", "grp1 rewritten"
WHOLE, PIECES, REWRITTEN = "whole", "in pieces", "rewritten"
# A case with pieces, and the same one with whole files.
TWINS = {"P4": "P2", "P5": "P3"}
# Harm: a tenth less than it was, or than the weight says. Healed: at least this of what it was.
HARM = 0.9
# Fewer queries than these have no deviation worth the name.
FEWEST = 10

UNTOLD = "does not tell: not run"

Seen = dict[str, Observation | None]
Look = Callable[[Data], Seen]


def judged(experiments: Mapping[str, str], look: Look, what: str) -> Callable[[Results], Verdict]:
    """A judge of what experiments show, by the name of their disk, under several conditions; None: not run, or it does not tell."""

    def judge(results: Results) -> Verdict:
        seen: Seen = {}
        for disk, name in experiments.items():
            if name in results:
                for condition, one in look(results[name].data).items():
                    seen[f"{disk}, {condition}" if condition else disk] = one
        return combine(seen, what, [disk for disk, name in experiments.items() if name not in results], UNTOLD)

    return judge


def mb(value: float) -> str:
    """Bytes a second as text."""
    return f"{value / 1e6:.2f} MB/s"


def measured(data: Data, case: str, state: str) -> Data | None:
    """A case as the first controller has it that tells anything: for what is the same under each, as bytes of a request."""
    controllers = dict.fromkeys(run["controller"] for run in data["runs"])
    return next((run for controller in controllers if (run := find(data, controller, case, state))), None)


def has_moved(data: Data, state: str) -> bool:
    """Has this rewrite moved anything?"""
    return bool(data["moves"].get(state, {}).get("moved", 0) > 0)


def untold(data: Data, controller: str, *cases: tuple[str, str]) -> Observation | None:
    """Why these cases do not tell: the first that does not; None if it was not run."""
    for case, state in cases:
        run = look_up(data, controller, case, state)
        if run is None:
            return None
        why = why_untold(data, run, True)
        if why:
            return Observation(None, f"does not tell: in {case}, {state}, {why}")
    return Observation(None, "does not tell: the rewrite has moved nothing")


def of_requests(run: Data, group: str, size: float) -> Data:
    """grp1 alone, if it asked for as many requests as this group does alone, with so many bytes each."""
    one = run["groups"][group]
    return {**run, "groups": {ONE: {**one, "bytes": one["module_requests"] * size}}}


def computed(data: Data, case: str, state: str) -> dict[str, float] | None:
    """CFQ's rule for a case of the readers, from what each has asked for alone (P1, P6).

    After its file was rewritten, grp1 was not alone: it is taken to ask for as many requests as a reader of a whole file, with as
    many bytes each as were counted of the rewritten file.
    """
    broken = case in TWINS and state != RIGHT
    one, other = find(data, "none", "P6" if broken else "P1", WRITTEN), find(data, "none", "P1", WRITTEN)
    run = next((run for run in data["runs"] if run["case"] == case and len(run["groups"]) == 2), None)
    if one is None or other is None or run is None:
        return None
    if broken:
        first = one
    elif state != RIGHT:
        # grp2 alone on a whole file stands for grp1 alone on a whole file
        first = {**one, "groups": {ONE: one["groups"][TWO]}}
    else:
        later = measured(data, case, RIGHT)
        if later is None or not has_moved(data, RIGHT):
            return None
        first = of_requests(one, TWO, request_bytes(later, ONE))
    return cfq(data, {ONE: first, TWO: other}, {name: run["groups"][name]["weight"] for name in (ONE, TWO)})


def alone(data: Data, observe: Callable[[Data, Data], Observation]) -> Seen:
    """Compare the reader of pieces with that of the whole file, each alone (P6, P1)."""
    broken, whole = find(data, "none", "P6", WRITTEN), find(data, "none", "P1", WRITTEN)
    return {"": observe(broken, whole) if broken and whole else None}


def more_requests(data: Data) -> Seen:
    """32 requests for one."""

    def observe(broken: Data, whole: Data) -> Observation:
        def each(run: Data, name: str, what: str) -> float:
            return share(run["groups"][name][what] * (1 << 20), run["groups"][name]["bytes"])

        def disk(run: Data) -> float:
            return share(run["disk"]["requests"] * (1 << 20), run["disk"]["bytes"])

        times = share(disk(broken), disk(whole))
        return Observation(
            31 <= times <= 33,
            f"{times:.1f} times as many requests; for each MiB the disk has counted {disk(broken):.1f} (P6) and {disk(whole):.1f} (P1), "
            f"fragtrace by cgroup {each(broken, ONE, 'module_requests'):.1f} and {each(whole, TWO, 'module_requests'):.1f}, "
            f"io.stat {each(broken, ONE, 'bios'):.1f} and {each(whole, TWO, 'bios'):.1f}",
        )

    return alone(data, observe)


def smaller(data: Data) -> Seen:
    """Requests of 4 KiB."""

    def observe(broken: Data, whole: Data) -> Observation:
        sizes = [share(run["disk"]["bytes"], run["disk"]["requests"]) / 1024 for run in (broken, whole)]
        return Observation(
            4 <= sizes[0] < 5, f"the mean request of the disk has {sizes[0]:.1f} KiB in P6, {sizes[1]:.1f} KiB in P1"
        )

    return alone(data, observe)


def scattered(data: Data) -> Seen:
    """Blocks that do not follow each other on the device."""
    move = data["moves"].get(RIGHT)
    if move is None:
        return {"": None}
    return {
        "": Observation(
            move["before"] >= 0.9 * move["blocks"],
            f"the {move['blocks']} blocks of the file in pieces are {move['before']} extents",
        )
    }


def slower(data: Data) -> Seen:
    """Alone, pieces are slower."""

    def observe(broken: Data, whole: Data) -> Observation:
        one, other = rate(broken, ONE), rate(whole, TWO)
        return Observation(one < HARM * other, f"P6 {mb(one)}, P1 {mb(other)}: {percent(one, other)}")

    return alone(data, observe)


def fair(data: Data) -> Seen:
    """Without fragments, shares are as the weights."""
    seen: Seen = {}
    for controller in ("bfq", *IOCOST):
        for case in TWINS.values():
            # one that controls nothing is not fair
            run = find(data, controller, case, WRITTEN, controlled=False)
            seen[f"{NAMES[controller]}, {case}"] = (
                untold(data, controller, (case, WRITTEN))
                if run is None
                else Observation(
                    abs(part(run, ONE, "bytes") - entitled(run, ONE)) <= 0.05,
                    f"grp1 has {part(run, ONE, 'bytes'):.0%} of the bytes, by weight {entitled(run, ONE):.0%}",
                )
            )
    return seen


def unfair_by_requests(data: Data) -> Seen:
    """By CFQ's rule, the group with pieces gets less than its weight says."""
    seen: Seen = {}
    for case in TWINS:
        got = computed(data, case, WRITTEN)
        run = next((run for run in data["runs"] if run["case"] == case), None)
        if got is None or run is None:
            seen[case] = None
            continue
        mine = share(got[ONE], got[ONE] + got[TWO])
        seen[case] = Observation(
            mine < HARM * entitled(run, ONE),
            f"grp1 would get {mine:.0%} of the bytes ({mb(got[ONE])}, grp2 {mb(got[TWO])}), by weight {entitled(run, ONE):.0%}",
        )
    return seen


def interferes(controllers: tuple[str, ...]) -> Look:
    """The other group gets less beside pieces than beside a whole file."""

    def look(data: Data) -> Seen:
        seen: Seen = {}
        for controller in controllers:
            for case, twin in TWINS.items():
                run, whole = find(data, controller, case, WRITTEN), find(data, controller, twin, WRITTEN)
                name = f"{NAMES[controller]}, {case}" if len(controllers) > 1 else case
                if run is None or whole is None:
                    seen[name] = untold(data, controller, (case, WRITTEN), (twin, WRITTEN))
                    continue
                seen[name] = Observation(
                    rate(run, TWO) < HARM * rate(whole, TWO),
                    f"grp2 has {mb(rate(run, TWO))}, {percent(rate(run, TWO), rate(whole, TWO))} of the {mb(rate(whole, TWO))} of {twin}; "
                    f"grp1 {mb(rate(run, ONE))} instead of {mb(rate(whole, ONE))}",
                )
        return seen

    return look


def more_time(data: Data) -> Seen:
    """Under BFQ the group with pieces has more of the disk's time than of the weight. A request takes the same, so requests are time."""
    seen: Seen = {}
    for case in TWINS:
        run = find(data, "bfq", case, WRITTEN)
        seen[case] = (
            untold(data, "bfq", (case, WRITTEN))
            if run is None
            else Observation(
                part(run, ONE, "module_requests") > entitled(run, ONE) / HARM,
                f"grp1 has the disk for {part(run, ONE, 'module_requests'):.0%} of its time, by weight {entitled(run, ONE):.0%}, and gets "
                f"{part(run, ONE, 'bytes'):.0%} of the bytes",
            )
        )
    return seen


def misjudged(data: Data) -> Seen:
    """IOCost takes the time of the group with pieces for less than it is."""
    seen: Seen = {}
    for controller in IOCOST:
        for case in TWINS:
            run = find(data, controller, case, WRITTEN)
            seen[f"{NAMES[controller]}, {case}"] = (
                untold(data, controller, (case, WRITTEN))
                if run is None
                else Observation(
                    part(run, ONE, "estimated_us") < HARM * part(run, ONE, "module_requests"),
                    f"grp1's share of the device's time is {part(run, ONE, 'estimated_us'):.0%} by cost.usage, "
                    f"{part(run, ONE, 'module_requests'):.0%} in truth",
                )
            )
    return seen


def several(data: Data, controller: str, *cases: tuple[str, str]) -> list[Data]:
    """These cases of a controller, if all were run."""
    found = [run for case, state in cases if (run := find(data, controller, case, state))]
    return found if len(found) == len(cases) else []


def healed(rates_: Sequence[float], whose: str, case: str) -> Observation:
    """Is it, after a rewrite, what it is beside whole files? Rates before, after, beside whole files. Only what was harmed can heal."""
    before, after, twin = rates_
    text = f"{whose} has {mb(before)} in {case}, {mb(after)} after the rewrite; {mb(twin)} beside whole files"
    if before >= HARM * twin:
        return Observation(None, f"does not tell, as it was not harmed: {text}")
    return Observation(after >= HARM * twin, text)


def relieves(data: Data) -> Seen:
    """After grp1's file was rewritten, who was harmed is not any more."""
    seen: Seen = {}
    for case, twin in TWINS.items():
        got, later, whole = computed(data, case, WRITTEN), computed(data, case, RIGHT), computed(data, twin, WRITTEN)
        rates_ = [got[ONE], later[ONE], whole[ONE]] if got and later and whole else []
        seen[f"{NAMES[CFQ]}, {case}"] = healed(rates_, ONE, case) if rates_ else None
        for controller in ("bfq", *IOCOST):
            cases = ((case, WRITTEN), (case, RIGHT), (twin, WRITTEN))
            runs = several(data, controller, *cases) if has_moved(data, RIGHT) else []
            for whose in (ONE, TWO):
                name = f"{NAMES[controller]}, {case}, {whose}"
                seen[name] = (
                    healed([rate(run, whose) for run in runs], whose, case) if runs else untold(data, controller, *cases)
                )
    return seen


def own_files_do_not_help(controllers: tuple[str, ...]) -> Look:
    """The harmed grp2 gains nothing by a rewrite of its own file, and all by that of the others'."""

    def look(data: Data) -> Seen:
        seen: Seen = {}
        for controller in controllers:
            cases = (("P4", WRITTEN), ("P4", WRONG), ("P4", RIGHT), ("P2", WRITTEN))
            runs = several(data, controller, *cases) if has_moved(data, RIGHT) else []
            if not runs:
                seen[NAMES[controller]] = untold(data, controller, *cases)
                continue
            before, wrong, right, whole = (rate(run, TWO) for run in runs)
            text = (
                f"grp2 has {mb(before)} in P4, {mb(wrong)} after its own file was to be rewritten, of which {data['moves'][WRONG]['moved']} "
                f"bytes were worth it, {mb(right)} after grp1's was; {mb(whole)} in P2"
            )
            if before >= HARM * whole:
                seen[NAMES[controller]] = Observation(None, f"does not tell, as it was not harmed: {text}")
            else:
                seen[NAMES[controller]] = Observation(wrong < HARM * whole <= right, text)
        return seen

    return look


def own_files_help(data: Data) -> Seen:
    """By CFQ's rule the harmed grp1 gains by a rewrite of its own file, and nothing by that of the other's."""
    states = [computed(data, "P4", state) for state in (WRITTEN, WRONG, RIGHT)]
    whole = computed(data, "P2", WRITTEN)
    moves = data["moves"]
    if not all(states) or whole is None or not {WRONG, RIGHT} <= set(moves):
        return {NAMES[CFQ]: None}
    before, _, right = (state[ONE] for state in states if state)
    return {
        NAMES[CFQ]: Observation(
            before < HARM * whole[ONE] <= right and not has_moved(data, WRONG),
            f"grp1 would have {mb(before)} in P4, {mb(right)} after its file was rewritten, {mb(whole[ONE])} in P2; of grp2's file "
            f"{moves[WRONG]['moved']} bytes were worth a rewrite",
        )
    }


# === SQLite beside fio ===


def computed_beside(data: Data, state: str) -> dict[str, float] | None:
    """CFQ's rule for fio and SQLite: bytes a second, of SQLite those of the rows.

    Of the rewritten file, the bytes of a request are those that were counted.
    """
    fio, base = (
        find(data, "none", "fio alone", PIECES if state == PIECES else WHOLE),
        find(data, "none", "SQLite alone", WHOLE),
    )
    if fio is None or base is None:
        return None
    if state == REWRITTEN:
        later = measured(data, "both", REWRITTEN)
        if later is None or not has_moved(data, REWRITTEN):
            return None
        fio = of_requests(fio, ONE, request_bytes(later, ONE))
    got = cfq(data, {ONE: fio, TWO: base}, {ONE: 100, TWO: 100})
    return {**got, TWO: got[TWO] * share(useful(base, TWO), rate(base, TWO))}


def losses(data: Data, before: Mapping[str, float], after: Mapping[str, float]) -> str:
    """What fio and SQLite lose by the pieces of fio's file, as text; fio loses alone, too."""
    text = "; ".join(
        f"{name} {mb(after[key])} if fio's file is in pieces, {percent(after[key], before[key])} of the {mb(before[key])} if it is whole"
        for key, name in ((ONE, "fio"), (TWO, "SQLite"))
    )
    whole, broken = (find(data, "none", "fio alone", state) for state in (WHOLE, PIECES))
    if whole and broken:
        text += f"; fio alone has {percent(rate(broken, ONE), rate(whole, ONE))} of it"
    return text


def rates(run: Data) -> dict[str, float]:
    """fio's bytes a second, and SQLite's bytes of rows a second."""
    return {ONE: rate(run, ONE), TWO: useful(run, TWO)}


def victim_by_requests(data: Data) -> Seen:
    """By CFQ's rule fio, whose file is in pieces, loses, and SQLite does not."""
    before, after = computed_beside(data, WHOLE), computed_beside(data, PIECES)
    if not before or not after:
        return {NAMES[CFQ]: None}
    return {
        NAMES[CFQ]: Observation(
            after[ONE] < HARM * before[ONE] and after[TWO] >= HARM * before[TWO], losses(data, before, after)
        )
    }


def victim_is_sqlite(controllers: tuple[str, ...]) -> Look:
    """SQLite loses, whose own file is whole: by fio's pieces."""

    def look(data: Data) -> Seen:
        seen: Seen = {}
        for controller in controllers:
            before, after = find(data, controller, "both", WHOLE), find(data, controller, "both", PIECES)
            if not before or not after:
                seen[NAMES[controller]] = untold(data, controller, ("both", WHOLE), ("both", PIECES))
                continue
            requests = [run["disk"]["requests"] / run["seconds"] for run in (before, after)]
            seen[NAMES[controller]] = Observation(
                useful(after, TWO) < HARM * useful(before, TWO),
                f"{losses(data, rates(before), rates(after))}; the disk completes {requests[0]:.0f} requests a second beside the whole file, "
                f"{requests[1]:.0f} beside pieces",
            )
        return seen

    return look


def fewer_requests(data: Data) -> Seen:
    """The rewrite of fio's file makes its requests fewer, and larger."""
    before, after = find(data, "bfq", "both", PIECES), find(data, "bfq", "both", REWRITTEN)
    if before is None or after is None:
        return {"": None}
    sizes = [request_bytes(run, ONE) for run in (before, after)]
    move = data["moves"].get(REWRITTEN, {})
    return {
        "": Observation(
            sizes[1] >= 2 * sizes[0],
            f"a request has {sizes[0] / 1024:.1f} KiB before and {sizes[1] / 1024:.1f} KiB after it; "
            f"{move.get('before')} extents before, {move.get('after')} after",
        )
    }


def steadier(data: Data) -> Seen:
    """The times of SQLite's queries vary less after the rewrite."""
    seen: Seen = {}
    for controller in IOCOST:
        cases = (("both", PIECES), ("both", REWRITTEN))
        runs = several(data, controller, *cases) if has_moved(data, REWRITTEN) else []
        if not runs or any(run["groups"][TWO]["operations"] < FEWEST for run in runs):
            few = Observation(None, f"does not tell: fewer than {FEWEST} queries")
            seen[NAMES[controller]] = few if runs else untold(data, controller, *cases)
            continue
        spread = [share(run["groups"][TWO]["spread_ns"], run["groups"][TWO]["mean_ns"]) for run in runs]
        seen[NAMES[controller]] = Observation(
            spread[1] < HARM * spread[0],
            f"deviation of a query's time, as a part of its mean: {spread[0]:.0%} before, {spread[1]:.0%} after",
        )
    return seen


def sqlite_healed(data: Data) -> Seen:
    """After the rewrite SQLite has what it has beside a whole file."""
    seen: Seen = {}
    for controller in ("bfq", *IOCOST):
        cases = tuple(("both", state) for state in (PIECES, REWRITTEN, WHOLE))
        runs = several(data, controller, *cases) if has_moved(data, REWRITTEN) else []
        rows = [useful(run, TWO) for run in runs]
        seen[NAMES[controller]] = (
            healed(rows, "SQLite", "the case with pieces") if runs else untold(data, controller, *cases)
        )
    return seen


def of(look: Look, what: str = "disk and controller") -> Callable[[Results], Verdict]:
    """A judge on the two readers."""
    return judged(SYNTHETIC, look, what)


def beside(look: Look, what: str = "disk and controller") -> Callable[[Results], Verdict]:
    """A judge on SQLite beside fio."""
    return judged(SQLITE, look, what)
