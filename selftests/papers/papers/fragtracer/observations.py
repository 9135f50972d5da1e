# SPDX-License-Identifier: GPL-2.0-only
"""What the data of the experiments say of the claims: an observation for each volume, policy or kind of work."""

from __future__ import annotations

from collections.abc import Callable

from ..cost import added
from ..judge import Observation, combine, percent, share
from ..model import Data, Kind, Options, Result, Results, Verdict
from .experiments import MODES, POLICIES, VOLUMES, WORK, moments


def at(data: Data, name: str) -> Data | None:
    """A moment by its name."""
    return next((one for one in data["moments"] if one["name"] == name), None)


def group(moment: Data, name: str) -> Data:
    """The figures of an extension."""
    found: Data = moment["groups"][name]
    return found


def ops(figures: Data, *names: str) -> int:
    """Breaks by one of these operations."""
    return sum(times for op, _, _, times in figures["causes"] if op in names)


def breaks(figures: Data) -> int:
    """All breaks."""
    return int(figures["fragments"] - figures["files"])


def volumes_of(database: str) -> dict[str, str]:
    """The experiments of a database by the words for their volumes."""
    words = {
        "clean": "a clean volume of 20 GB",
        "aged": "an aged one",
        "full": "a nearly full one",
        "small": "a small one",
    }
    return {
        words[volume]: f"{database}-{volume}"
        for volume in (VOLUMES if database == "rocksdb" else ("clean", "aged", "full"))
    }


# operations of garbage collection
GC = ("gc_bg", "gc_fg")


def by_gc(figures: Data) -> int:
    """Breaks that F2FS's garbage collection has made: no program asked for them."""
    return ops(figures, *GC)


def own(figures: Data) -> int:
    """All other breaks."""
    return breaks(figures) - by_gc(figures)


# Fewer breaks than these do not tell the reason why a database's files break.
FEWEST = 3


def too_few(figures: Data) -> Observation:
    """What fewer breaks tell: nothing."""
    return Observation(
        None,
        f"does not tell: {own(figures)} of {breaks(figures)} breaks are not by garbage collection, {FEWEST} are needed",
    )


class Moments:
    """Observations at the first and at the last moment of the workload, and after its end."""

    def __init__(self, options: Options) -> None:
        taken = moments(options)
        self.early, self.late = str(taken[0]), str(taken[-1]) if len(taken) > 1 else ""

    def mostly_whole(self, data: Data) -> Observation | None:
        """Early, most blocks of .sst files are in files of one fragment."""
        early = at(data, self.early)
        if early is None or not group(early, ".sst")["blocks"]:
            return None
        sst = group(early, ".sst")
        return Observation(
            share(sst["blocks_fragmented"], sst["blocks"]) < 0.5,
            f"after {self.early} s {sst['fragmented']} of {sst['files']} .sst files are fragmented, with "
            f"{percent(sst['blocks_fragmented'], sst['blocks'])} of the blocks; {caused(sst)}",
        )

    def more_fragmented(self, extension: str) -> Callable[[Data], Observation | None]:
        """Late, a larger share of the blocks is in fragmented files than early."""

        def observe(data: Data) -> Observation | None:
            early, late = at(data, self.early), at(data, self.late)
            if early is None or late is None:
                return None
            one, other = group(early, extension), group(late, extension)
            before, after = (share(figures["blocks_fragmented"], figures["blocks"]) for figures in (one, other))
            return Observation(
                after > before,
                f"{before:.0%} of the blocks of {extension} files are in fragmented ones after "
                f"{self.early} s, {after:.0%} after {self.late} s",
            )

        return observe

    def last_apart(self, extension: str) -> Callable[[Data], Observation | None]:
        """Late, what is fragmented mostly has its last block apart."""

        def observe(data: Data) -> Observation | None:
            late = at(data, self.late or self.early)
            if late is None:
                return None
            figures = group(late, extension)
            text = (
                f"{figures['apart']} of {figures['fragmented']} fragmented {extension} files have their last block apart, "
                f"and {figures['files'] - figures['fragmented']} are whole"
            )
            return Observation(
                figures["fragmented"] > 0 and share(figures["apart"], figures["fragmented"]) >= 0.5, text
            )

        return observe

    def after_truncate(self, data: Data) -> Observation | None:
        """The last blocks are apart because they were written again after a truncation within them."""
        late = at(data, self.late or self.early)
        if late is None or not group(late, ".sst")["apart"]:
            return None
        sst = group(late, ".sst")
        tail = sst["apart_ops"].get("tail", 0)
        return Observation(
            share(tail, sst["apart"]) >= 0.9,
            f"of {sst['apart']} last blocks that are apart, {tail} were written again "
            f"after the file was cut within them and no call had written there since (by operation: {counted(sst['apart_ops'])})",
        )

    def no_rdb_fragmented(self, data: Data) -> Observation | None:
        """Early, no .rdb file is fragmented."""
        early = at(data, self.early)
        if early is None:
            return None
        rdb = group(early, ".rdb")
        return Observation(
            not rdb["fragmented"],
            f"after {self.early} s {rdb['fragmented']} of {rdb['files']} .rdb files are "
            f"fragmented, with {percent(rdb['blocks_fragmented'], rdb['blocks'])} of the blocks",
        )

    def rdb_fragmented(self, data: Data) -> Observation | None:
        """Late, an .rdb file is fragmented."""
        late = at(data, self.late)
        if late is None or not group(late, ".rdb")["files"]:
            return None
        rdb = group(late, ".rdb")
        return Observation(
            rdb["fragmented"] > 0,
            f"after {self.late} s {rdb['fragmented']} of {rdb['files']} .rdb files have {rdb['fragments']} fragments",
        )

    def rdb_last_rewritten(self, data: Data) -> Observation | None:
        """The breaks of .rdb files are blocks that were rewritten."""
        late = at(data, self.late or self.early)
        if late is None or not breaks(group(late, ".rdb")):
            return None
        rdb = group(late, ".rdb")
        again = ops(rdb, "overwrite", "tail")
        return Observation(
            share(again, breaks(rdb)) >= 0.5,
            f"{again} of {breaks(rdb)} breaks of .rdb files are at a block that was written again; {caused(rdb)}",
        )

    def no_vpt(self, data: Data) -> Observation | None:
        """Early, before the first snapshot, no file is fragmented."""
        early = at(data, self.early)
        if early is None:
            return None
        if group(early, ".vpt")["files"]:
            return Observation(None, f"does not tell: a snapshot was there before {self.early} s of the workload")
        other = group(early, "all")
        return Observation(
            not other["fragmented"],
            f"after {self.early} s no snapshot was taken yet; "
            f"{other['fragmented']} of all {other['files']} files are fragmented",
        )

    def vpt_fragmented(self, data: Data) -> Observation | None:
        """Late, a .vpt file is fragmented, and not only by garbage collection."""
        late = at(data, self.late)
        if late is None or not group(late, ".vpt")["files"]:
            return None
        vpt = group(late, ".vpt")
        return Observation(
            own(vpt) > 0,
            f"after {self.late} s {vpt['fragmented']} of {vpt['files']} .vpt files are fragmented; garbage collection "
            f"has made {by_gc(vpt)} of the {breaks(vpt)} breaks",
        )

    def vpt_flushed(self, data: Data) -> Observation | None:
        """Most breaks of .vpt files are where a flush that a program has asked for begins."""
        late = at(data, self.late or self.early)
        if late is None:
            return None
        vpt = group(late, ".vpt")
        if own(vpt) < FEWEST:
            return too_few(vpt)
        asked = sum(times for op, flush, _, times in vpt["causes"] if flush == "sync" and op not in GC)
        return Observation(
            share(asked, own(vpt)) >= 0.5,
            f"{asked} of {own(vpt)} breaks that garbage collection has not made are at a block that was flushed because a "
            f"program had asked for it; {caused(vpt)}",
        )

    def vpt_part_of_page(self, data: Data) -> Observation | None:
        """Breaks of .vpt files are blocks that were written a second time, as a write of less than a page makes them."""
        late = at(data, self.late or self.early)
        if late is None:
            return None
        vpt = group(late, ".vpt")
        if own(vpt) < FEWEST:
            return too_few(vpt)
        again = ops(vpt, "overwrite", "tail")
        return Observation(
            share(again, own(vpt)) >= 0.5,
            f"{again} of {own(vpt)} breaks that garbage collection has not made are at a block that was written a second "
            f"time; {caused(vpt)}",
        )


def counted(numbers: Data) -> str:
    """Numbers by name as text."""
    return ", ".join(f"{name} {times}" for name, times in numbers.items()) or "none"


def caused(figures: Data) -> str:
    """The most frequent causes as text."""
    most = [f"{op}, {flush}, {why}: {times}" for op, flush, why, times in figures["causes"][:3]]
    return "most frequent (operation, flush, why here): " + ("; ".join(most) or "none")


def wrote(result: Result | None, second: int) -> float | None:
    """The MiB that were written to the device since the workload began."""
    moment = at(result.data, str(second)) if result else None
    if result is None or moment is None:
        return None
    return float(moment["facts"]["written_kib"] - result.data["load"]["written_kib"]) / 1024


def writes_less(options: Options) -> Callable[[Results], Verdict]:
    """Does Redis write much less to the device than RocksDB, at the same moment of the workload?"""

    def judge(results: Results) -> Verdict:
        seen, missing = {}, []
        second = moments(options)[-1]
        for condition, name in volumes_of("redis").items():
            redis = wrote(results.get(name), second)
            rocksdb = wrote(results.get(name.replace("redis", "rocksdb")), second)
            if redis is None or rocksdb is None:
                missing.append(condition)
                continue
            text = (
                f"in {second} s of workload F the device has got {redis:.0f} MiB of Redis, {rocksdb:.0f} MiB of RocksDB"
            )
            seen[condition] = Observation(redis < rocksdb / 2, text)
        return combine(seen, "volume", missing)

    return judge


def replayed(database: str, observe: Callable[[Data], Observation]) -> Callable[[Results], Verdict]:
    """A judge of the replay, by F2FS's policy for writes in place."""
    names = {
        "16": "ipu_policy 16, the default from 16 GB on",
        "129": "ipu_policy 129, that of smaller volumes",
        "0": "ipu_policy 0, never in place",
    }

    def judge(results: Results) -> Verdict:
        if "replay" not in results:
            return Verdict(Kind.NOT_RUN, "no result yet", ("replay: no result yet",))
        seen = {}
        for policy in POLICIES:
            moment = at(results["replay"].data, f"{database}-{policy}")
            if moment:
                seen[names[policy]] = observe(moment)
        return combine(seen, "policy of F2FS for writes in place")

    return judge


def tail_moves(moment: Data) -> Observation:
    """Each file has its last block apart, after a truncation."""
    sst = group(moment, ".sst")
    tail = sst["apart_ops"].get("tail", 0)
    return Observation(
        tail == sst["files"] > 0,
        f"{tail} of {sst['files']} files have their last block apart, by the operation tail "
        "(written again after the file was cut within the block)",
    )


def flushes_interleave(moment: Data) -> Observation:
    """Breaks of a snapshot's tables are appended blocks, flushed on request, between flushes of the other table."""
    vpt = group(moment, ".vpt")
    mixed = sum(
        times for op, flush, why, times in vpt["causes"] if (op, flush, why) == ("append", "sync", "interleaved")
    )
    return Observation(
        mixed > 0 and mixed * 2 >= breaks(vpt),
        f"{mixed} of {breaks(vpt)} breaks are at the first block of a flush, because "
        f"the other table had been flushed in between; {caused(vpt)}",
    )


def costs_at_most(limit: float, cases: dict[str, str]) -> Callable[[Results], Verdict]:
    """Does FragTracer's method add at most so many percent to this work? The evidence has fragtrace's cost beside it."""

    def judge(results: Results) -> Verdict:
        runs = results["cost"].data["cost"] if "cost" in results else {}
        seen, missing = {}, []
        for condition, case in cases.items():
            spread = added(runs, case, "filefrag_1s")
            if spread:
                others = [
                    f"{MODES[mode]}: {one.text()}"
                    for mode in ("no_causes", "tracing")
                    if (one := added(runs, case, mode))
                ]
                seen[condition] = Observation(
                    spread.mid <= limit, "; ".join([f"{MODES['filefrag_1s']}: {spread.text()}", *others])
                )
            else:
                missing.append(condition)
        return combine(seen, "work", missing)

    return judge


def cheaper_beside(results: Results) -> Verdict:
    """Does FragTracer's method add less beside the jobs of fio than alone?"""
    runs = results["cost"].data["cost"] if "cost" in results else {}
    seen, missing = {}, []
    for case in ("rocksdb", "redis"):
        alone, beside = added(runs, case, "filefrag_1s"), added(runs, f"{case}_fio", "filefrag_1s")
        if alone and beside:
            seen[WORK[case]] = Observation(
                beside.mid < alone.mid, f"alone {alone.text()}, beside 20 jobs {beside.text()}"
            )
        else:
            missing.append(WORK[case])
    return combine(seen, "database", missing)
