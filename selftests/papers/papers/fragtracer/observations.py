# SPDX-License-Identifier: GPL-2.0-only
"""What the data of the experiments say of the claims: an observation for each volume, policy or kind of work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..cost import Spread, added
from ..judge import Observation, combine, over, percent, share
from ..model import Data, Kind, Options, Result, Results, Verdict
from .experiments import DONE, MODES, POLICIES, WORK, moments


def at(data: Data, name: str) -> Data | None:
    """A moment by its name."""
    return next((one for one in data["moments"] if one["name"] == name), None)


def ended(data: Data, moment: Data) -> float | None:
    """The second at which the workload had ended before this moment was kept, if it had.

    A machine with other work comes late; and a program that has ended its workload is still there for a while. `taken` is the
    second at which the moment was kept; results from before that was noted have only that at which this began.
    """
    facts, length = moment["facts"], data.get("workload", {}).get("seconds")
    return float(length) if length is not None and facts.get("taken", facts["seconds"]) > length else None


def when(data: Data, moment: Data) -> str:
    """When a moment was kept: its real second, and whether the workload had ended by then."""
    if moment["name"] == DONE:
        return f"after {moment['facts']['operations']} operations ({moment['facts']['seconds']} s)"
    end = ended(data, moment)
    return f"after {moment['facts']['seconds']} s" + ("" if end is None else f" (the workload had ended at {end:.0f} s)")


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
        for volume in (words if database == "rocksdb" else ("clean", "aged", "full"))
    }


# operations of garbage collection
GC = ("gc_bg", "gc_fg")


def by_gc(figures: Data) -> int:
    """Breaks that F2FS's garbage collection has made: no program asked for them."""
    return ops(figures, *GC)


def own(figures: Data) -> int:
    """All other breaks."""
    return breaks(figures) - by_gc(figures)


# What `many more` and `much less` mean, as a factor; what `each` means, as a share.
MUCH = 2
EACH = 0.9
# Fewer breaks than these do not tell the reason why a database's files break.
FEWEST = 3
# Why a file breaks where the log goes on elsewhere, whatever its program writes and flushes: the segment is full, or has holes.
LOG = ("new_segment", "ssr")
# Files that stand beside RocksDB in the work rocksdb_aged of bench/apps.sh.
OLD_FILES = 200
# Snapshots of VoltDB that the paper has waited for.
SNAPSHOTS = 2


def too_few(figures: Data) -> Observation:
    """What fewer breaks tell: nothing."""
    return Observation(
        None,
        f"does not tell: {own(figures)} of {breaks(figures)} breaks are not by garbage collection, {FEWEST} are needed",
        "too few breaks",
    )


class Moments:
    """Observations at the first and at the last moment of the workload, and after its end."""

    def __init__(self, options: Options) -> None:
        taken = moments(options)
        self.early, self.late = str(taken[0]), str(taken[-1]) if len(taken) > 1 else ""

    def last(self, data: Data) -> Data | None:
        """The last moment of the workload, by time or by its operations."""
        return at(data, DONE) or at(data, self.late or self.early)

    def mostly_whole(self, data: Data) -> Observation | None:
        """Early, most blocks of .sst files are in files of one fragment."""
        early = at(data, self.early)
        if early is None or not group(early, ".sst")["blocks"]:
            return None
        sst = group(early, ".sst")
        return Observation(
            share(sst["blocks_fragmented"], sst["blocks"]) < 0.5,
            f"{when(data, early)} {sst['fragmented']} of {sst['files']} .sst files are fragmented, with "
            f"{percent(sst['blocks_fragmented'], sst['blocks'])} of the blocks; {caused(sst)}",
        )

    def more_fragmented(self, extension: str) -> Callable[[Data], Observation | None]:
        """Late, twice as many blocks as early are in fragmented files, and a larger share: not only the database has grown."""

        def observe(data: Data) -> Observation | None:
            early, late = at(data, self.early), at(data, self.late)
            if early is None or late is None:
                return None
            one, other = group(early, extension), group(late, extension)
            if not one["blocks"] or not other["blocks"]:
                return None
            before, after = (share(figures["blocks_fragmented"], figures["blocks"]) for figures in (one, other))
            broken = [figures["blocks_fragmented"] for figures in (one, other)]
            text = (
                f"{broken[0]} blocks of {extension} files, {before:.0%}, are in fragmented ones {when(data, early)}, "
                f"{broken[1]}, {after:.0%}, {when(data, late)}"
            )
            if before * MUCH > 1:
                return Observation(None, f"does not tell, as most were early already: {text}")
            return Observation(broken[1] >= MUCH * broken[0] and after > before, text)

        return observe

    def last_apart(self, extension: str) -> Callable[[Data], Observation | None]:
        """Late, what is fragmented mostly has its last block apart."""

        def observe(data: Data) -> Observation | None:
            late = at(data, self.late or self.early)
            if late is None:
                return None
            figures = group(late, extension)
            if not figures["fragmented"]:
                return Observation(
                    None, f"does not tell: {when(data, late)} none of {figures['files']} {extension} files is fragmented"
                )
            return Observation(
                share(figures["apart"], figures["fragmented"]) >= EACH,
                f"{when(data, late)} {figures['apart']} of {figures['fragmented']} fragmented {extension} files have their last "
                f"block apart, and {figures['files'] - figures['fragmented']} are whole",
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
            share(tail, sst["apart"]) >= EACH,
            f"{when(data, late)} of {sst['apart']} last blocks that are apart, {tail} were written again "
            f"after the file was cut within them and no call had written there since (by operation: {counted(sst['apart_ops'])})",
        )

    def no_rdb_fragmented(self, data: Data) -> Observation | None:
        """Early, no .rdb file is fragmented, but by garbage collection."""
        early = at(data, self.early)
        return None if early is None else own_breaks(data, early, ".rdb", False)

    def rdb_fragmented(self, data: Data) -> Observation | None:
        """Late, an .rdb file is fragmented, and not only by garbage collection."""
        late = at(data, self.late)
        return None if late is None else own_breaks(data, late, ".rdb", True)

    def rdb_last_rewritten(self, data: Data) -> Observation | None:
        """The last blocks of .rdb files that are apart were rewritten."""
        late = at(data, self.late or self.early)
        if late is None:
            return None
        rdb = group(late, ".rdb")
        if not rdb["apart"]:
            text = f"does not tell: {when(data, late)} no last block of {rdb['files']} .rdb files is apart"
            return Observation(None, text, "no last block of an .rdb file is apart here, so that none has a cause")
        again = sum(rdb["apart_ops"].get(op, 0) for op in ("overwrite", "tail"))
        return Observation(
            share(again, rdb["apart"]) >= EACH,
            f"{when(data, late)} of {rdb['apart']} last blocks that are apart, {again} were written a second time (by operation: "
            f"{counted(rdb['apart_ops'])})",
        )

    def no_vpt(self, data: Data) -> Observation | None:
        """Early, before the first snapshot, no file is fragmented, but by garbage collection."""
        early = at(data, self.early)
        if early is None:
            return None
        if group(early, ".vpt")["files"]:
            return Observation(None, f"does not tell: a snapshot was there {when(data, early)} of the workload")
        return own_breaks(data, early, "all", False, "no snapshot was taken yet, and ")

    def vpt_fragmented(self, data: Data) -> Observation | None:
        """Late, after two snapshots or more, a .vpt file is fragmented, and not only by garbage collection."""
        late = self.last(data)
        if late is None:
            return None
        # each snapshot has one of the table, and the last two are kept
        files = group(late, ".vpt")["files"]
        if files < SNAPSHOTS:
            return Observation(None, f"does not tell: {when(data, late)} snapshots have left {files} .vpt files, {SNAPSHOTS} are needed")
        return own_breaks(data, late, ".vpt", True)

    def vpt_flushed(self, data: Data) -> Observation | None:
        """Most breaks of .vpt files are where a flush that a program has asked for begins, and not where the log went on elsewhere."""
        late = self.last(data)
        if late is None:
            return None
        asked = [(why, times) for op, flush, why, times in group(late, ".vpt")["causes"] if flush == "sync" and op not in GC]
        log = sum(times for why, times in asked if why in LOG)
        made = sum(times for _, times in asked) - log
        return blamed(data, late, ".vpt", made, f"flushed because a program had asked for it ({log} more where F2FS's log went on elsewhere)")

    def vpt_part_of_page(self, data: Data) -> Observation | None:
        """Breaks of .vpt files are blocks that were written a second time, as a write of less than a page makes them."""
        late = self.last(data)
        if late is None:
            return None
        return blamed(data, late, ".vpt", ops(group(late, ".vpt"), "overwrite", "tail"), "written a second time")


def own_breaks(data: Data, moment: Data, name: str, expected: bool, known: str = "") -> Observation | None:
    """Have these files breaks that garbage collection has not made? Without files there is nothing to look at."""
    figures = group(moment, name)
    if not figures["files"]:
        return None
    return Observation(
        (own(figures) > 0) is expected,
        f"{when(data, moment)} {known}{figures['fragmented']} of {figures['files']} {'' if name == 'all' else f'{name} '}files are "
        f"fragmented, with {percent(figures['blocks_fragmented'], figures['blocks'])} of the blocks; garbage collection has made "
        f"{by_gc(figures)} of the {breaks(figures)} breaks",
    )


def blamed(data: Data, moment: Data, extension: str, times: int, how: str) -> Observation:
    """Are half or more of the breaks that garbage collection has not made at blocks that were written so?

    A few breaks do not tell that. But after two snapshots they tell if none of them is.
    """
    figures = group(moment, extension)
    if own(figures) < FEWEST and (times or not own(figures) or figures["files"] < SNAPSHOTS):
        return too_few(figures)
    return Observation(
        share(times, own(figures)) >= 0.5,
        f"{when(data, moment)} {times} of {own(figures)} breaks of {figures['blocks']} blocks of {extension} files that garbage collection "
        f"has not made are at a block that was {how}; {caused(figures)}",
    )


def counted(numbers: Data) -> str:
    """Numbers by name as text."""
    return ", ".join(f"{name} {times}" for name, times in numbers.items()) or "none"


def caused(figures: Data) -> str:
    """The most frequent causes as text."""
    most = [f"{op}, {flush}, {why}: {times}" for op, flush, why, times in figures["causes"][:3]]
    return "most frequent (operation, flush, why here): " + ("; ".join(most) or "none")


@dataclass(frozen=True)
class Written:
    """What the device has got since the workload began, and what the workload has done for it."""

    mib: float
    operations: int
    when: str

    @property
    def each(self) -> float:
        """KiB for each operation."""
        return share(self.mib * 1024, self.operations)

    def text(self, name: str) -> str:
        """As a reader wants it."""
        return f"{name}: {self.mib:.0f} MiB and {self.operations} operations {self.when}, {self.each:.1f} KiB for each"


def wrote(result: Result, second: int) -> Written | None:
    """What was written to the device from the beginning of the workload to this moment, if that is known."""
    moment = at(result.data, str(second))
    if moment is None or not isinstance(moment["facts"].get("operations"), int):
        return None
    mib = float(moment["facts"]["written_kib"] - result.data["load"]["written_kib"]) / 1024
    return Written(mib, moment["facts"]["operations"], when(result.data, moment))


def less(redis: Written, rocksdb: Written) -> Observation:
    """Does Redis write less than half as much, for as many operations?

    RocksDB writes for each operation, Redis all records at certain times. So how much each writes in an hour depends on how fast
    it is, and so do the bytes for each operation: the slower the machine, the more Redis has of them. These are compared where both
    have done about as many operations. Otherwise, what is written only grows: who has written enough with fewer operations, or little
    enough with more, has done so after as many as the other, too.
    """
    numbers = [redis.operations, rocksdb.operations]
    written = f"{redis.text('Redis')}; {rocksdb.text('RocksDB')}"
    if 0 < max(numbers) <= MUCH * min(numbers):
        return Observation(redis.each < rocksdb.each / MUCH, written)
    fewer, small = redis.operations < rocksdb.operations, redis.mib < rocksdb.mib / MUCH
    if not all(numbers) or fewer is small:
        why = f"does not tell, as one has done more than {MUCH} times as many operations as the other"
        return Observation(None, f"{why}: {written}")
    return Observation(small, f"Redis has done {'fewer' if fewer else 'more'} operations; {written}")


def writes_less(options: Options) -> Callable[[Results], Verdict]:
    """Does Redis write much less to the device than RocksDB, for about as many operations?"""

    def judge(results: Results) -> Verdict:
        seen: dict[str, Observation | None] = {}
        missing = []
        second = moments(options)[-1]
        for condition, name in volumes_of("redis").items():
            names = (name, name.replace("redis", "rocksdb"))
            if not all(one in results for one in names):
                missing.append(condition)
                continue
            redis, rocksdb = (wrote(results[one], second) for one in names)
            seen[condition] = less(redis, rocksdb) if redis and rocksdb else None
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


def estimated(runs: Data, files: int) -> Spread | None:
    """What a look at so many files each second adds to a second of 10^9 instructions.

    It is what it adds beside Redis, which has few files, and for each file what each of the old ones adds beside RocksDB. The least and
    the most are of the least and the most of these.
    """
    few, old, alone = (added(runs, case, "filefrag_1s") for case in ("redis", "rocksdb_aged", "rocksdb"))
    if not few or not old or not alone:
        return None
    return Spread(
        few.mid + files * (old.mid - alone.mid) / OLD_FILES,
        few.low + files * (old.low - alone.high) / OLD_FILES,
        few.high + files * (old.high - alone.low) / OLD_FILES,
        min(few.pairs, old.pairs, alone.pairs),
    )


def costs_about(figure: float) -> Callable[[Results], Verdict]:
    """Would FragTracer's method add so many percent to VoltDB's runs, up to twice or half as much? Pairs on several sides of that do not tell."""

    def side(percent: float) -> int:
        return (percent >= figure / MUCH) + (percent > figure * MUCH)

    def judge(results: Results) -> Verdict:
        if "cost" not in results:
            return combine({}, "volume", ["all"])

        def observe(data: Data) -> Observation | None:
            files = data["moments"][-1]["facts"]["inodes"]
            spread = estimated(results["cost"].data["cost"], files)
            if not spread:
                return None
            told = side(spread.low) == side(spread.high)
            return Observation(side(spread.mid) == 1 if told else None, f"{spread.text()} for {files} files")

        volumes = {f"{volume}, estimated": name for volume, name in volumes_of("voltdb").items()}
        return over(volumes, observe, "volume")(results)

    return judge


def costs_less_beside(pairs: dict[str, str]) -> Callable[[Results], Verdict]:
    """Does FragTracer's method add less to this work beside fio than to the work alone?

    The percentages are also what it adds to a second, which are 10^9 instructions there. If the ranges of the pairs of runs overlap,
    they do not tell.
    """

    def judge(results: Results) -> Verdict:
        runs = results["cost"].data["cost"] if "cost" in results else {}
        seen: dict[str, Observation | None] = {}
        missing = []
        for alone, beside in pairs.items():
            condition = f"{WORK[alone]}, by counted instructions"
            without, fio = (added(runs, case, "filefrag_1s") for case in (alone, beside))
            if not without or not fio:
                missing.append(condition)
                continue
            apart = fio.high < without.low or fio.low > without.high
            texts = [
                f"{MODES[mode]}: {one.text()} alone, {other.text()} beside fio"
                for mode in MODES
                if (one := added(runs, alone, mode)) and (other := added(runs, beside, mode))
            ]
            seen[condition] = Observation(
                fio.mid < without.mid if apart else None, ("" if apart else "does not tell, as the ranges overlap: ") + "; ".join(texts)
            )
        return combine(seen, "work", missing)

    return judge
