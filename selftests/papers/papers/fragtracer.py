# SPDX-License-Identifier: GPL-2.0-only
"""FragTracer (Cho and Kang, Sensors 2023, 23(9), 4488): its experiments here, and its claims."""
from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from .cost import OFF, added, parse_results
from .facts import FactError, parse_compared, parse_facts, parse_ycsb
from .guest import AGED, AGED_SEED
from .judge import Observation, combine, over, percent, share
from .layout import layout
from .model import Claim, Data, Experiment, Host, Kind, Options, Paper, Results, Verdict

# === Experiments ===

DATABASES = {"rocksdb": "RocksDB", "redis": "Redis", "voltdb": "VoltDB"}
EXTENSIONS = {"rocksdb": (".sst", ".log"), "redis": (".rdb",), "voltdb": (".vpt", ".digest", ".hash")}
VOLUMES = {
    "clean": "an empty volume of 20 GB",
    "aged": "an aged volume of 2 GB: filled to 92 %, then 60 % of the files deleted",
    "full": "a volume of 2 GB, nearly out of free segments: filled to 97 %, then 30 % of the files deleted",
    "small": "an empty volume of 2 GB, which F2FS tunes to write in place",
}
DISKS = {"clean": "20G", "small": "2G"}
# Records of 1 KB: what the emulation loads in one or two minutes.
RECORDS = {"rocksdb": 100_000, "redis": 100_000, "voltdb": 20_000}
THREADS = {"rocksdb": 2, "redis": 2, "voltdb": 4}
# Records that the emulation loads in a second, and seconds that a guest and the server take to start and to end.
LOADED = {"rocksdb": 1800, "redis": 1800, "voltdb": 190}
STARTED = {"rocksdb": 60, "redis": 60, "voltdb": 150}
# Seconds from one snapshot of VoltDB to the next, as a share of the long run: two of them, and none in the first seconds.
SNAPSHOTS = 0.45
END = "end"


def moments(options: Options) -> list[int]:
    """When a picture is taken, in seconds of the workload."""
    return sorted({options.seconds, max(options.long, options.seconds)})


def collect(host: Host, name: str, extensions: tuple[str, ...], preset: str) -> Data:
    """A moment that the guest has kept: its facts, its layout, its picture."""
    facts = parse_facts(Path(host.path(f"{name}.facts")).read_text(encoding="utf-8"))
    host.draw(f"{name}.snapshot", preset, f"{name}.png")
    return {"name": name, "facts": facts, "picture": f"{name}.png", "by_pair": pairs(host.path(f"{name}.by_pair")),
            **layout(host.path(f"{name}.snapshot"), extensions)}


def pairs(path: str) -> list[list[object]]:
    """Who took the block that another file should have got, most first: times, victim, culprit; processes without their pid."""
    found = []
    for line in Path(path).read_text(encoding="utf-8", errors="replace").splitlines():
        if not line.startswith("#"):
            _, times, victim, _, culprit, _ = line.split()
            found.append([int(times), victim, culprit])
    summed: dict[tuple[str, str], int] = {}
    for number, one, other in found:
        summed[str(one), str(other)] = summed.get((str(one), str(other)), 0) + int(str(number))
    return [[times, *pair] for pair, times in sorted(summed.items(), key=lambda item: -item[1])]


def ycsb(database: str, volume: str, options: Options) -> Experiment:
    """Workload F on a database on a kind of volume."""
    records, threads, taken = options.records or RECORDS[database], THREADS[database], moments(options)
    period = max(int(taken[-1] * SNAPSHOTS), 20)
    settings: Data = {"database": database, "volume": volume, "records": records, "threads": threads, "moments": taken,
                      "kernel": options.kernel}
    if volume in AGED:
        settings |= {"aged": list(AGED[volume]), "seed": AGED_SEED}
    if database == "voltdb":
        settings["snapshot_period"] = period
    estimate = STARTED[database] + records / LOADED[database] + taken[-1] + 10

    def run(host: Host) -> Data:
        variables = {"CLIENTS": host.class_path("clients")}
        if database == "voltdb":
            variables |= {"VOLTDB": host.class_path("voltdb"), "PERIOD": str(period)}
        words = [database, volume, str(records), str(threads), *map(str, taken)]
        host.guest(f"ycsb.sh {' '.join(words)}", disk=DISKS.get(volume, ""), image=host.aged(volume) if volume in AGED else "",
                   limit=estimate * 3 + 600, variables=variables)
        return ycsb_data(host, database, [*map(str, taken), END])

    return Experiment(f"{database}-{volume}", f"YCSB-F on {DATABASES[database]}, {VOLUMES[volume]}", settings, estimate, run)


def ycsb_data(host: Host, database: str, names: list[str]) -> Data:
    """What ycsb.sh has left."""
    def text(name: str) -> str:
        return Path(host.path(name)).read_text(encoding="utf-8", errors="replace")

    kept = [collect(host, name, EXTENSIONS[database], database) for name in names]
    if kept[-1]["stale"]:
        raise FactError(f"{kept[-1]['stale']} files are stale after the end")
    return {"guest": parse_facts(text("guest.facts")), "load": {**parse_ycsb(text("load.figures")), **parse_facts(text("load.facts"))},
            "workload": parse_ycsb(text("t.figures")), "compared": parse_compared(text("fiemap-check")), "moments": kept}


REPLAYED = 10
POLICIES = ("16", "129", "0")


def replay(options: Options) -> Experiment:
    """The system calls of RocksDB and VoltDB, without the databases: the mechanisms alone, and exact numbers."""
    def run(host: Host) -> Data:
        host.guest(f"replay.sh {REPLAYED} {' '.join(POLICIES)}", disk=DISKS["clean"], memory="2G", limit=600)
        data: Data = {"guest": parse_facts(Path(host.path("guest.facts")).read_text(encoding="utf-8")), "moments": [],
                      "compared": parse_compared(Path(host.path("fiemap-check")).read_text(encoding="utf-8"))}
        for database in ("rocksdb", "voltdb"):
            for policy in POLICIES:
                data["moments"].append(collect(host, f"{database}-{policy}", EXTENSIONS[database], database))
        return data

    return Experiment("replay", "the system calls of RocksDB and VoltDB as strace has recorded them, replayed",
                      {"files": REPLAYED, "policies": list(POLICIES), "kernel": options.kernel}, 60, run)


MODES = {"filefrag_1s": "filefrag of all files each second, as FragTracer does", "no_causes": "fragtrace without causes",
         "tracing": "fragtrace with causes"}
WORK = {"rocksdb": "RocksDB", "redis": "Redis", "rocksdb_aged": "RocksDB, beside 200 old files of 16 extents",
        "rocksdb_fio": "RocksDB beside 20 jobs of fio", "redis_fio": "Redis beside 20 jobs of fio"}
# The first run is on cold caches, and does not count.
RUNS = 6


def cost(options: Options) -> Experiment:
    """What watching adds to a fixed amount of work, in counted instructions; the modes take turns."""
    settings: Data = {"work": list(WORK), "modes": [OFF, *MODES], "runs": RUNS, "kernel": options.kernel}

    def run(host: Host) -> Data:
        return {"cost": parse_results(host.bench("apps", {"APPS": " ".join(WORK), "MODES": " ".join((OFF, *MODES)), "LAST": "",
                                                          "RUNS": str(RUNS)}))}

    return Experiment("cost", "what watching RocksDB and Redis costs, in counted instructions, alone and beside 20 jobs of fio", settings,
                      3600, run)


# === What the data say ===

Figures = Callable[[Data, Data, Data], "Observation | None"]


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
    words = {"clean": "a clean volume of 20 GB", "aged": "an aged one", "full": "a nearly full one", "small": "a small one"}
    return {words[volume]: f"{database}-{volume}" for volume in (VOLUMES if database == "rocksdb" else ("clean", "aged", "full"))}


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
        return Observation(share(sst["blocks_fragmented"], sst["blocks"]) < 0.5,
                           f"after {self.early} s {sst['fragmented']} of {sst['files']} .sst files are fragmented, with "
                           f"{percent(sst['blocks_fragmented'], sst['blocks'])} of the blocks; {caused(sst)}")

    def more_fragmented(self, extension: str) -> Callable[[Data], Observation | None]:
        """Late, a larger share of the blocks is in fragmented files than early."""
        def observe(data: Data) -> Observation | None:
            early, late = at(data, self.early), at(data, self.late)
            if early is None or late is None:
                return None
            one, other = group(early, extension), group(late, extension)
            before, after = (share(figures["blocks_fragmented"], figures["blocks"]) for figures in (one, other))
            return Observation(after > before, f"{before:.0%} of the blocks of {extension} files are in fragmented ones after "
                               f"{self.early} s, {after:.0%} after {self.late} s")
        return observe

    def last_apart(self, extension: str) -> Callable[[Data], Observation | None]:
        """Late, what is fragmented mostly has its last block apart."""
        def observe(data: Data) -> Observation | None:
            late = at(data, self.late or self.early)
            if late is None:
                return None
            figures = group(late, extension)
            text = (f"{figures['apart']} of {figures['fragmented']} fragmented {extension} files have their last block apart, "
                    f"and {figures['files'] - figures['fragmented']} are whole")
            return Observation(figures["fragmented"] > 0 and share(figures["apart"], figures["fragmented"]) >= 0.5, text)
        return observe

    def after_truncate(self, data: Data) -> Observation | None:
        """The last blocks are apart because they were written again after a truncation within them."""
        late = at(data, self.late or self.early)
        if late is None or not group(late, ".sst")["apart"]:
            return None
        sst = group(late, ".sst")
        tail = sst["apart_ops"].get("tail", 0)
        return Observation(share(tail, sst["apart"]) >= 0.9, f"of {sst['apart']} last blocks that are apart, {tail} were written again "
                           f"after the file was cut within them and no call had written there since (by operation: {counted(sst['apart_ops'])})")

    def no_rdb_fragmented(self, data: Data) -> Observation | None:
        """Early, no .rdb file is fragmented."""
        early = at(data, self.early)
        if early is None:
            return None
        rdb = group(early, ".rdb")
        return Observation(not rdb["fragmented"], f"after {self.early} s {rdb['fragmented']} of {rdb['files']} .rdb files are "
                           f"fragmented, with {percent(rdb['blocks_fragmented'], rdb['blocks'])} of the blocks")

    def rdb_fragmented(self, data: Data) -> Observation | None:
        """Late, an .rdb file is fragmented."""
        late = at(data, self.late)
        if late is None or not group(late, ".rdb")["files"]:
            return None
        rdb = group(late, ".rdb")
        return Observation(rdb["fragmented"] > 0, f"after {self.late} s {rdb['fragmented']} of {rdb['files']} .rdb files have "
                           f"{rdb['fragments']} fragments")

    def rdb_last_rewritten(self, data: Data) -> Observation | None:
        """The breaks of .rdb files are blocks that were rewritten."""
        late = at(data, self.late or self.early)
        if late is None or not breaks(group(late, ".rdb")):
            return None
        rdb = group(late, ".rdb")
        again = ops(rdb, "overwrite", "tail")
        return Observation(share(again, breaks(rdb)) >= 0.5, f"{again} of {breaks(rdb)} breaks of .rdb files are at a block that was "
                           f"written again; {caused(rdb)}")

    def no_vpt(self, data: Data) -> Observation | None:
        """Early, no file of a snapshot is there, and none of the others is fragmented."""
        early = at(data, self.early)
        if early is None:
            return None
        vpt, other = group(early, ".vpt"), group(early, "all")
        return Observation(not vpt["files"] and not other["fragmented"], f"after {self.early} s there are {vpt['files']} .vpt files; "
                           f"{other['fragmented']} of all {other['files']} files are fragmented")

    def vpt_fragmented(self, data: Data) -> Observation | None:
        """Late, a .vpt file is fragmented."""
        late = at(data, self.late)
        if late is None or not group(late, ".vpt")["files"]:
            return None
        vpt = group(late, ".vpt")
        return Observation(vpt["fragmented"] > 0, f"after {self.late} s {vpt['fragmented']} of {vpt['files']} .vpt files have "
                           f"{vpt['fragments']} fragments")

    def vpt_flushed(self, data: Data) -> Observation | None:
        """Most breaks of .vpt files are where a flush that a program has asked for begins."""
        late = at(data, self.late or self.early)
        if late is None or not breaks(group(late, ".vpt")):
            return None
        vpt = group(late, ".vpt")
        asked = sum(times for _, flush, _, times in vpt["causes"] if flush == "sync")
        return Observation(share(asked, breaks(vpt)) >= 0.5, f"{asked} of {breaks(vpt)} breaks are at a block that was flushed because a "
                           f"program had asked for it; {caused(vpt)}")

    def vpt_part_of_page(self, data: Data) -> Observation | None:
        """Breaks of .vpt files are blocks that were written a second time, as a write of less than a page makes them."""
        late = at(data, self.late or self.early)
        if late is None or not breaks(group(late, ".vpt")):
            return None
        vpt = group(late, ".vpt")
        again = ops(vpt, "overwrite", "tail")
        return Observation(share(again, breaks(vpt)) >= 0.5, f"{again} of {breaks(vpt)} breaks are at a block that was written a second time; "
                           f"{caused(vpt)}")


def counted(numbers: Data) -> str:
    """Numbers by name as text."""
    return ", ".join(f"{name} {times}" for name, times in numbers.items()) or "none"


def caused(figures: Data) -> str:
    """The most frequent causes as text."""
    most = [f"{op}, {flush}, {why}: {times}" for op, flush, why, times in figures["causes"][:3]]
    return "most frequent (operation, flush, why here): " + ("; ".join(most) or "none")


def writes_less(options: Options) -> Callable[[Results], Verdict]:
    """Does Redis write much less to the device than RocksDB, at the same moment of the workload?"""
    def judge(results: Results) -> Verdict:
        seen = {}
        for volume in ("clean", "aged", "full"):
            pair = [results.get(f"{database}-{volume}") for database in ("redis", "rocksdb")]
            if None in pair:
                continue
            wrote = []
            for result in pair:
                moment = at(result.data, str(moments(options)[-1])) if result else None
                wrote.append((moment["facts"]["written_kib"] - result.data["load"]["written_kib"]) / 1024 if moment and result else 0)
            seen[f"the {volume} volume"] = Observation(
                wrote[0] < wrote[1] / 2, f"in {moments(options)[-1]} s of workload F Redis has made the device write {wrote[0]:.0f} MiB, "
                f"RocksDB {wrote[1]:.0f} MiB")
        return combine(seen, "volume")
    return judge


def replayed(database: str, observe: Callable[[Data], Observation]) -> Callable[[Results], Verdict]:
    """A judge of the replay, by F2FS's policy for writes in place."""
    names = {"16": "ipu_policy 16, the default from 16 GB on", "129": "ipu_policy 129, that of smaller volumes",
             "0": "ipu_policy 0, never in place"}

    def judge(results: Results) -> Verdict:
        if "replay" not in results:
            return Verdict(Kind.NOT_RUN, "no result yet that tells", ("no result yet: replay",))
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
    return Observation(tail == sst["files"] > 0, f"{tail} of {sst['files']} files have their last block apart, by the operation tail "
                       "(written again after the file was cut within the block)")


def flushes_interleave(moment: Data) -> Observation:
    """Breaks of a snapshot's tables are appended blocks, flushed on request, between flushes of the other table."""
    vpt = group(moment, ".vpt")
    mixed = sum(times for op, flush, why, times in vpt["causes"] if (op, flush, why) == ("append", "sync", "interleaved"))
    return Observation(mixed > 0 and mixed * 2 >= breaks(vpt), f"{mixed} of {breaks(vpt)} breaks are at the first block of a flush, because "
                       f"the other table had been flushed in between; {caused(vpt)}")


def costs_at_most(limit: float, cases: dict[str, str]) -> Callable[[Results], Verdict]:
    """Does FragTracer's method add at most so many percent to this work? The evidence has fragtrace's cost beside it."""
    def judge(results: Results) -> Verdict:
        runs = results["cost"].data["cost"] if "cost" in results else {}
        seen, missing = {}, []
        for condition, case in cases.items():
            spread = added(runs, case, "filefrag_1s")
            if spread:
                others = [f"{MODES[mode]}: {one.text()}" for mode in ("no_causes", "tracing") if (one := added(runs, case, mode))]
                seen[condition] = Observation(spread.mid <= limit, "; ".join([f"{MODES['filefrag_1s']}: {spread.text()}", *others]))
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
            seen[WORK[case]] = Observation(beside.mid < alone.mid, f"alone {alone.text()}, beside 20 jobs {beside.text()}")
        else:
            missing.append(WORK[case])
    return combine(seen, "database", missing)


# === Claims ===

def claims(options: Options) -> tuple[Claim, ...]:
    """What the paper says, in its order."""
    seen = Moments(options)

    def judge(database: str, observe: Callable[[Data], Observation | None]) -> Callable[[Results], Verdict]:
        return over(volumes_of(database), observe, "volume")

    return (
        Claim("2.1", "An ftruncate to a size within a page makes F2FS write the last block elsewhere", "no figure",
              replayed("rocksdb", tail_moves)),
        Claim("4.2.1, Figure 4a", "After 60 s of YCSB-F most blocks of RocksDB's .sst files are in files without fragments",
              "most squares are green", judge("rocksdb", seen.mostly_whole)),
        Claim("4.2.1, Figure 4b", "After 1 h many more blocks belong to fragmented .sst files", "the orange squares are much more",
              judge("rocksdb", seen.more_fragmented(".sst"))),
        Claim("4.2.1", "It is the last block of each .sst file that is apart", "each .sst file", judge("rocksdb", seen.last_apart(".sst"))),
        Claim("4.2.1", "because fdatasync allocates it first, and ftruncate makes F2FS allocate it once more", "by strace",
              judge("rocksdb", seen.after_truncate)),
        Claim("4.2.2, Figure 5", "Redis writes much less than RocksDB", "a very small set of squares", writes_less(options)),
        Claim("4.2.2, Figure 5a", "After 60 s no .rdb file of Redis is fragmented", "no orange square", judge("redis", seen.no_rdb_fragmented)),
        Claim("4.2.2, Figure 5b", "After 1 h .rdb files are fragmented", "orange squares", judge("redis", seen.rdb_fragmented)),
        Claim("4.2.2", "It is the last block of each .rdb file that is apart", "each .rdb file", judge("redis", seen.last_apart(".rdb"))),
        Claim("4.2.2", "because the last block is updated, with fdatasync", "by strace", judge("redis", seen.rdb_last_rewritten)),
        Claim("4.2.3, Figure 6a", "VoltDB has no fragmented file before its first snapshot, and no .vpt file", "only light grey squares",
              judge("voltdb", seen.no_vpt)),
        Claim("4.2.3, Figure 6b", "After two snapshots .vpt files are fragmented", "two tones of orange", judge("voltdb", seen.vpt_fragmented)),
        Claim("4.2.3", "because sync_file_range flushes what was written so far", "by strace", judge("voltdb", seen.vpt_flushed)),
        Claim("4.2.3", "and because some writes are smaller than a page, so that a block is written twice", "by strace",
              judge("voltdb", seen.vpt_part_of_page)),
        Claim("4.2.3", "The same of VoltDB's system calls alone: flushes of two tables take turns", "by strace",
              replayed("voltdb", flushes_interleave)),
        Claim("4.3, Figure 7", "FragTracer increases the run time of RocksDB by 2 %", "up to 2 %",
              costs_at_most(2, {WORK[case]: case for case in ("rocksdb", "rocksdb_aged")})),
        Claim("4.3, Figure 7", "FragTracer increases the run time of Redis by 2 %", "up to 2 %", costs_at_most(2, {WORK["redis"]: "redis"})),
        Claim("4.3, Figure 7", "FragTracer increases the run time of VoltDB by 21 %", "21 %", why_not="instructions are counted in a guest "
              "with one processor and no Java, where VoltDB does not run; time in an emulated guest varies by more than that"),
        Claim("4.3, Figure 8", "Beside 20 jobs of fio with random reads and writes FragTracer increases the run time by up to 10 %", "up to 10 %",
              costs_at_most(10, {WORK[case]: case for case in ("rocksdb_fio", "redis_fio")})),
        Claim("4.3, Figure 8", "which is less than without fio, since the input and output hide it", "smaller differences than in Figure 7",
              cheaper_beside),
    )


def paper(options: Options) -> Paper:
    """The paper; the quick version replays system calls instead of running databases."""
    experiments = [replay(options)]
    if not options.quick:
        experiments += [ycsb(database, volume, options) for database in DATABASES for volume in ("clean", "aged", "full")]
        experiments += [ycsb("rocksdb", "small", options), cost(options)]
    return Paper(
        "fragtracer", "FragTracer: Real-Time Fragmentation Monitoring Tool for F2FS File System",
        "M. Cho and D. Kang, Sensors 2023, 23(9), 4488, https://doi.org/10.3390/s23094488",
        "The paper: Intel i9-12900KF, 32 GB, Samsung SSD 860 PRO 256 GB, Linux 5.15.21; YCSB-F, 10 000 000 records, 1 000 000 000 "
        "operations, zipfian, read : read-modify-write 5 : 5; snapshots after 60 s and 1 h; VoltDB's snapshots every 30 min.",
        tuple(experiments), claims(options))
