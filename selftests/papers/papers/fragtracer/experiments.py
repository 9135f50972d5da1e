# SPDX-License-Identifier: GPL-2.0-only
"""The experiments of FragTracer: what runs in a guest, and what is kept of it."""

from __future__ import annotations

from pathlib import Path

from ..cost import OFF, parse_results
from ..facts import FactError, parse_compared, parse_facts, parse_ycsb
from ..guest import AGED, AGED_SEED
from ..layout import layout
from ..model import Data, Experiment, Host, Options

DATABASES = {"rocksdb": "RocksDB", "redis": "Redis", "voltdb": "VoltDB"}
EXTENSIONS = {"rocksdb": (".sst", ".log"), "redis": (".rdb",), "voltdb": (".vpt", ".digest", ".hash")}
VOLUMES = {
    "clean": "an empty volume of 20 GB",
    "aged": "an aged volume of 2 GB: filled to 92 %, then 60 % of the files deleted",
    "full": "a volume of 2 GB, nearly out of free segments: filled to 97 %, then 30 % of the files deleted",
    "small": "an empty volume of 2 GB, which F2FS tunes to write in place",
}
DISKS = {"clean": "20G", "small": "2G"}
# Records of 1 KB.
RECORDS = {"rocksdb": 100_000, "redis": 100_000, "voltdb": 20_000}
THREADS = {"rocksdb": 2, "redis": 2, "voltdb": 4}
# Records that the emulation loads in a second on an idle machine, and seconds that a guest and the server take to start and to
# end there: for estimates.
LOADED = {"rocksdb": 1800, "redis": 1800, "voltdb": 190}
STARTED = {"rocksdb": 60, "redis": 60, "voltdb": 150}
# Seconds from one snapshot of VoltDB to the next, as a share of the long run: two of them, and none in the first seconds.
SNAPSHOTS = 0.45
END = "end"
# The moment at which the workload has done all its operations.
DONE = "done"
# By operations and not by time, so that a slow machine does as much: two snapshots of VoltDB, of so many records that each has many
# segments.
BY_WORK: dict[tuple[str, str], Data] = {
    ("voltdb", "aged"): {"records": 50_000, "operations": 15_000, "every": 5_000, "snapshots": 2},
}
# Operations that the emulation of an idle machine does in a second: for estimates.
RATE = 50


def moments(options: Options) -> list[int]:
    """When a picture is taken, in seconds of the workload."""
    return sorted({options.seconds, max(options.long, options.seconds)})


def period(options: Options) -> int:
    """The seconds from one snapshot of VoltDB to the next."""
    return max(int(moments(options)[-1] * SNAPSHOTS), 20)


def collect(host: Host, name: str, extensions: tuple[str, ...], preset: str) -> Data:
    """A moment that the guest has kept: its facts, its layout, its picture."""
    facts = parse_facts(Path(host.path(f"{name}.facts")).read_text(encoding="utf-8"))
    host.draw(f"{name}.snapshot", preset, f"{name}.png")
    return {
        "name": name,
        "facts": facts,
        "picture": f"{name}.png",
        "by_pair": pairs(host.path(f"{name}.by_pair")),
        **layout(host.path(f"{name}.snapshot"), extensions),
    }


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
    work = BY_WORK.get((database, volume), {})
    records = options.records or work.get("records", RECORDS[database])
    threads, taken = THREADS[database], moments(options)[: 1 if work else None]
    settings: Data = {
        "database": database,
        "volume": volume,
        **work,
        "records": records,
        "threads": threads,
        "moments": taken,
        "kernel": options.kernel,
        "seed_of_ycsb": "none, it takes none",
    }
    if volume in AGED:
        settings |= {"aged": list(AGED[volume]), "seed_of_aging": AGED_SEED}
    if database == "voltdb" and not work:
        settings["snapshot_period"] = period(options)
    lasts = work["operations"] / RATE if work else taken[-1]
    estimate = STARTED[database] + records / LOADED[database] + lasts + 10

    def run(host: Host) -> Data:
        variables = {"CLIENTS": host.class_path("clients")}
        variables |= {name.upper(): str(work[name]) for name in ("operations", "every", "snapshots") if name in work}
        if database == "voltdb":
            variables["VOLTDB"] = host.class_path("voltdb")
        if "snapshot_period" in settings:
            variables["PERIOD"] = str(settings["snapshot_period"])
        words = [database, volume, str(records), str(threads), *map(str, taken)]
        host.guest(
            f"ycsb.sh {' '.join(words)}",
            disk=DISKS.get(volume, ""),
            image=host.aged(volume) if volume in AGED else "",
            limit=estimate * 3 + 2400,
            variables=variables,
        )
        return ycsb_data(host, database, [*map(str, taken), *([DONE] if work else []), END])

    return Experiment(
        f"{database}-{volume}", f"YCSB-F on {DATABASES[database]}, {VOLUMES[volume]}", settings, estimate, run
    )


def ycsb_data(host: Host, database: str, names: list[str]) -> Data:
    """What ycsb.sh has left."""

    def text(name: str) -> str:
        return Path(host.path(name)).read_text(encoding="utf-8", errors="replace")

    kept = [collect(host, name, EXTENSIONS[database], database) for name in names]
    if kept[-1]["stale"]:
        raise FactError(f"{kept[-1]['stale']} files are stale after the end")
    return {
        "ycsb": [
            line
            for name in ("load.log", "t.log")
            for line in text(name).splitlines()
            if line.startswith("Command line: ")
        ],
        "guest": parse_facts(text("guest.facts")),
        "load": {**parse_ycsb(text("load.figures")), **parse_facts(text("load.facts"))},
        "workload": parse_ycsb(text("t.figures")),
        "compared": parse_compared(text("fiemap-check")),
        "moments": kept,
    }


REPLAYED = 10
POLICIES = ("16", "129", "0")


def replay(options: Options) -> Experiment:
    """The system calls of RocksDB and VoltDB, without the databases: the mechanisms alone, and exact numbers."""

    def run(host: Host) -> Data:
        host.guest(f"replay.sh {REPLAYED} {' '.join(POLICIES)}", disk=DISKS["clean"], memory="2G", limit=600)
        data: Data = {
            "guest": parse_facts(Path(host.path("guest.facts")).read_text(encoding="utf-8")),
            "moments": [],
            "compared": parse_compared(Path(host.path("fiemap-check")).read_text(encoding="utf-8")),
        }
        for database in ("rocksdb", "voltdb"):
            for policy in POLICIES:
                data["moments"].append(collect(host, f"{database}-{policy}", EXTENSIONS[database], database))
        return data

    return Experiment(
        "replay",
        "the system calls of RocksDB and VoltDB as strace has recorded them, replayed",
        {"files": REPLAYED, "policies": list(POLICIES), "kernel": options.kernel},
        60,
        run,
    )


MODES = {
    "filefrag_1s": "filefrag of all files each second, as FragTracer does",
    "no_causes": "fragtrace without causes",
    "tracing": "fragtrace with causes",
}
WORK = {
    "rocksdb": "RocksDB",
    "redis": "Redis",
    "rocksdb_aged": "RocksDB, beside 200 old files of 16 extents",
    "rocksdb_fio": "RocksDB beside 20 jobs of fio",
    "redis_fio": "Redis beside 20 jobs of fio",
}


def cost(options: Options) -> Experiment:
    """What watching adds to a fixed amount of work, in counted instructions; the modes take turns."""
    # The first run is on cold caches, and does not count.
    runs = options.pairs + 1
    settings: Data = {"work": list(WORK), "modes": [OFF, *MODES], "runs": runs, "kernel": options.kernel}

    def run(host: Host) -> Data:
        return {
            "cost": parse_results(
                host.bench(
                    "apps", {"APPS": " ".join(WORK), "MODES": " ".join((OFF, *MODES)), "LAST": "", "RUNS": str(runs), "LESS": "1"}
                )
            )
        }

    return Experiment(
        "cost",
        "what watching RocksDB and Redis costs, in counted instructions, alone and beside 20 jobs of fio",
        settings,
        3600,
        run,
    )
