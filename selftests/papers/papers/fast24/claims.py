# SPDX-License-Identifier: GPL-2.0-only
"""What the abstract of the paper says, and how each claim is judged."""

from __future__ import annotations

from collections.abc import Callable

from ..judge import Observation, combine, percent, share
from ..model import Claim, Data, Kind, Results, Verdict
from .dies import die_factor, rank_correlation, split_factor
from .experiments import NAME, REWRITTEN, WRITTEN

# A file of the workload that is written alone, one that is then overwritten in place, and the database beside another file.
ALONE, IN_PLACE, BASE = "alone.dat", "direct.dat", "base.db"
# As many dies as a read of 128 KiB has blocks, and fewer, and more.
SOME_DIES = (8, 16, 32, 64)

Seen = dict[str, Observation | None]


def named(data: Data, moment: str, name: str) -> Data | None:
    """A file at a moment."""
    return next((file for file in data["moments"][moment]["files"] if file["name"] == name), None)


def judged(look: Callable[[Data], Seen], what: str) -> Callable[[Results], Verdict]:
    """A judge of what the experiment shows."""

    def judge(results: Results) -> Verdict:
        if NAME not in results:
            return Verdict(Kind.NOT_RUN, f"no result of {NAME} yet")
        return combine(look(results[NAME].data), what, nothing="not there")

    return judge


def foreign_parts(data: Data) -> Seen:
    """Where foreign blocks came between neighbours, they are not on dies that follow each other."""
    rows = data["moments"][WRITTEN]["files"]
    pairs, foreign = sum(row["pairs"] for row in rows), sum(row["foreign"] for row in rows)
    successive = sum(row["successive"] for row in rows)
    allocated = sum(row["allocated_pairs"] for row in rows)
    return {
        "all files": Observation(
            successive <= pairs - foreign and foreign > 0,
            f"of {pairs} neighbours {percent(foreign, pairs)} had blocks of others between them on their way to the device, by the order "
            f"of fragtrace's extent_change {percent(sum(row['allocated_foreign'] for row in rows), allocated)} of {allocated}; "
            f"{percent(successive, pairs)} are on dies that follow each other",
        )
    }


def collisions_slow(data: Data) -> Seen:
    """The database, beside another file: the busiest dies have more to give."""
    seen: Seen = {}
    file = named(data, WRITTEN, BASE)
    for dies in SOME_DIES:
        seen[f"{dies} dies"] = (
            None
            if file is None
            else Observation(
                die_factor(file, dies) > 1.1,
                f"{file['fragments']} pieces of {file['blocks']} blocks: {die_factor(file, dies):.2f} times as much on the busiest dies, "
                f"{1 - share(1, die_factor(file, dies)):.0%} fewer bytes a second if nothing else took time; {split_factor(file):.2f} times as many requests",
            )
        )
    return seen


def overwrites(data: Data) -> Seen:
    """An overwrite in place leaves the map whole, and spreads the file over dies at random."""
    file, before = named(data, WRITTEN, IN_PLACE), named(data, WRITTEN, ALONE)
    seen: Seen = {}
    for dies in SOME_DIES:
        seen[f"{dies} dies"] = (
            Observation(
                die_factor(file, dies) > 1.1 and split_factor(file) < 1.1,
                f"half of its blocks were written again in place: {file['fragments']} fragments, {split_factor(file):.2f} times as many "
                f"requests, {die_factor(file, dies):.2f} times as much on the busiest dies; written once and alone: "
                f"{split_factor(before):.2f} and {die_factor(before, dies):.2f}",
            )
            if file and before
            else None
        )
    return seen


def differ(data: Data) -> Seen:
    """The two theories do not put files in the same order."""
    rows = data["moments"][WRITTEN]["files"]
    split = [split_factor(row) for row in rows]
    seen: Seen = {}
    for dies in SOME_DIES:
        found = rank_correlation(split, [die_factor(row, dies) for row in rows])
        apart = [row["name"] for row in rows if (split_factor(row) < 1.1) != (die_factor(row, dies) < 1.1)]
        seen[f"{dies} dies"] = Observation(
            found < 0.9,
            f"rank correlation of both forecasts over {len(rows)} files: {found:.2f}; slower by more than a tenth by one of them only: "
            + (", ".join(apart) or "none"),
        )
    return seen


def rewritten(data: Data) -> Seen:
    """What fragtrace-defrag has moved is better by both theories."""
    seen: Seen = {}
    before = {row["name"]: row for row in data["moments"][WRITTEN]["files"]}
    after = {row["name"]: row for row in data["moments"][REWRITTEN]["files"]}
    moved = [name for name in before if name in after and before[name]["requests"] > after[name]["requests"]]
    for dies in SOME_DIES:
        both = [(die_factor(before[name], dies), die_factor(after[name], dies)) for name in moved]
        weight = sum(before[name]["blocks"] for name in moved)
        old, new = (
            sum(pair[n] * before[name]["blocks"] for pair, name in zip(both, moved)) / max(weight, 1) for n in (0, 1)
        )
        seen[f"{dies} dies"] = (
            Observation(
                new < old,
                f"{len(moved)} files were moved: on the busiest dies {old:.2f} times as much before, {new:.2f} after",
            )
            if moved
            else None
        )
    return seen


def claims() -> tuple[Claim, ...]:
    """What the paper says, in its order."""
    return (
        Claim(
            "Abstract",
            "The main cause of slow reads of fragmented files is not request splitting but collisions of dies",
            "no figure in the abstract",
            why_not="that needs times of a device that has dies; here are only forecasts of both, side by side",
        ),
        Claim(
            "Abstract",
            "If other writes come between those of neighbouring blocks, these are not on consecutive dies",
            "no figure in the abstract",
            "there are such neighbours, and none of them is on consecutive dies of a device that goes on to the next die with each block; "
            "that is how such a device works, the share is what was measured",
            judged(foreign_parts, "files"),
        ),
        Claim(
            "Abstract",
            "Dies at random make collisions more likely",
            "a database in SQLite of 162 MB in 10 011 pieces: 40 % slower",
            "for SQLite's database, which has grown in turn with another file, it is foreseen that the busiest dies have more than 1.1 times as much to give as at best",
            judged(collisions_slow, "number of dies"),
        ),
        Claim(
            "Abstract",
            "The same can happen to a file that is overwritten",
            "no figure in the abstract",
            "for a file that was overwritten in place at random, it is foreseen that the busiest dies have more than 1.1 times as much to give, and requests are "
            "less than 1.1 times as many",
            judged(overwrites, "number of dies"),
        ),
        Claim(
            "Abstract",
            "Request splitting and collisions of dies are different things: one does not tell the other",
            "no figure in the abstract",
            "the rank correlation of both forecasts is below 0.9; which of them a device follows is not told by this",
            judged(differ, "number of dies"),
        ),
        Claim(
            "Abstract",
            "With blocks that follow each other on consecutive dies there is no need to defragment",
            "the same database: 3.5 % slower",
            why_not="that needs their command of NVMe and a device that has it",
        ),
        Claim(
            "Beside it: fragtrace-defrag",
            "A rewrite, which writes neighbours one after the other, is good by both theories (ours, not the paper's)",
            "none",
            "over the files for which it saved requests, by blocks, the busiest dies have less to give than before",
            judged(rewritten, "number of dies"),
        ),
    )
