# SPDX-License-Identifier: GPL-2.0-only
"""From observations to verdicts, and the claims of a paper on data made by hand."""

from __future__ import annotations

import copy
from pathlib import Path

from papers import fragtracer
from papers.cost import parse_results
from papers.fragtracer.experiments import moments, pairs
from papers.fragtracer.observations import (
    Moments,
    Written,
    costs_at_most,
    flushes_interleave,
    less,
    tail_moves,
    when,
)
from papers.judge import Observation, combine, over
from papers.model import Claim, Data, Kind, Options, Result
from papers.report import summary

YES, NO = Observation(True, "a"), Observation(False, "b")
OPTIONS = Options(seconds=60, long=3600)


def figures(**values: object) -> Data:
    """The figures of an extension without files, but for these."""
    return {
        "files": 0,
        "fragmented": 0,
        "fragments": 0,
        "blocks": 0,
        "blocks_fragmented": 0,
        "apart": 0,
        "requests": 0,
        "ideal": 0,
        "causes": [],
        "apart_ops": {},
        "processes": {},
        **values,
    }


def moment(name: str, written: int = 0, operations: int = 1000, **groups: Data) -> Data:
    """A moment of a second later than it should be; a group `sst` is that of .sst files."""
    named = {f".{group}": data for group, data in groups.items() if group != "all"}
    everything = groups.get("all", figures())
    return {
        "name": name,
        "stale": 0,
        "facts": {
            "written_kib": written,
            "free_segments": 9,
            "seconds": int(name) + 1 if name.isdigit() else 0,
            "operations": operations,
        },
        "by_pair": [],
        "picture": "",
        "groups": {**named, "other": figures(), "all": everything},
    }


def result(name: str, *kept: Data) -> Result:
    """The result of an experiment, whose workload ran for 4000 s."""
    return Result(name, {}, {"moments": list(kept), "load": {"written_kib": 0}, "workload": {"seconds": 4000.0}})


def claim(start: str) -> Claim:
    """The claim whose text begins so."""
    (found,) = [one for one in fragtracer.claims(OPTIONS) if one.text.startswith(start)]
    return found


def test_combine() -> None:
    assert combine({}, "volume", ["x"]).kind is Kind.NOT_RUN
    assert combine({"x": YES, "y": YES}, "volume").kind is Kind.CONFIRMED
    assert combine({"x": NO}, "volume").kind is Kind.NOT_CONFIRMED
    verdict = combine({"x": YES, "y": NO}, "volume", ["z"])
    assert verdict.kind is Kind.DEPENDS
    assert verdict.reason == "on the volume: true on x; not on y (no result yet on z)"
    assert verdict.evidence == ("x: yes; a", "y: no; b", "z: no result yet")


def test_what_ran_and_does_not_tell_is_not_said_not_to_have_run() -> None:
    verdict = combine({"x": Observation(None, "does not tell: c"), "y": None}, "volume", ["z"], "nothing there")
    assert (verdict.kind, verdict.reason) == (Kind.UNTOLD, "no result that tells (no result yet on z)")
    assert verdict.evidence == ("x: does not tell: c", "y: nothing there", "z: no result yet")
    assert combine({"x": NO, "y": None}, "volume").kind is Kind.NOT_CONFIRMED
    none = Observation(None, "does not tell: d", "there are none")
    assert combine({"x": none, "y": none, "z": None}, "volume").reason == "no result that tells: there are none"
    assert summary([verdict, verdict, combine({}, "volume")]) == "2 does not tell, 1 not run yet"


def test_over_leaves_out_what_does_not_tell() -> None:
    judge = over({"x": "one", "y": "two", "z": "three"}, lambda data: YES if data else None, "volume")
    verdict = judge({"one": Result("one", {}, {"a": 1}), "two": Result("two", {}, {})})
    assert (verdict.kind, verdict.evidence) == (
        Kind.CONFIRMED,
        ("x: yes; a", "y: nothing there to judge at that moment", "z: no result yet"),
    )
    assert verdict.reason == "true on x (no result yet on z)"


def test_no_claim_is_left_without_verdict() -> None:
    """Without any result, each claim is said not to be run, or has a reason why it is not tested."""
    for one in fragtracer.claims(OPTIONS):
        verdict = one.verdict({})
        assert verdict.kind in (Kind.NOT_RUN, Kind.NOT_TESTED)
        assert verdict.reason
        assert bool(one.rule) == bool(one.judge) != bool(one.why_not)


SST = figures(
    files=10,
    fragmented=8,
    fragments=18,
    blocks=1000,
    blocks_fragmented=800,
    apart=8,
    apart_ops={"tail": 8},
    causes=[["tail", "writeback", "moved", 8]],
)
WHOLE = figures(files=10, fragments=10, blocks=1000)


def test_rocksdb() -> None:
    results = {"rocksdb-clean": result("rocksdb-clean", moment("60", sst=WHOLE), moment("3600", sst=SST))}
    for start in (
        "After 60 s of YCSB-F most",
        "After 1 h many more",
        "It is the last block of each .sst",
        "The last block of an .sst",
    ):
        assert claim(start).verdict(results).kind is Kind.CONFIRMED, start
    results["rocksdb-small"] = result("rocksdb-small", moment("60", sst=WHOLE), moment("3600", sst=WHOLE))
    assert claim("After 1 h many more").verdict(results).kind is Kind.DEPENDS
    # a whole file has no last block that could be apart: that says nothing about the cause
    assert claim("The last block of an .sst").verdict(results).kind is Kind.CONFIRMED
    assert claim("It is the last block of each .sst").verdict(results).kind is Kind.CONFIRMED


def test_many_more() -> None:
    """Twice as many blocks, and a larger share: neither a little more nor a larger database is enough."""
    for early, late, expected in (
        ((1000, 300), (1000, 600), Kind.CONFIRMED),
        ((1000, 300), (1000, 599), Kind.NOT_CONFIRMED),
        ((1000, 300), (2000, 600), Kind.NOT_CONFIRMED),
        ((1000, 0), (1000, 0), Kind.NOT_CONFIRMED),
        ((0, 0), (1000, 600), Kind.UNTOLD),
    ):
        one, other = (figures(files=9, blocks=blocks, blocks_fragmented=broken) for blocks, broken in (early, late))
        results = {"rocksdb-full": result("rocksdb-full", moment("60", sst=one), moment("3600", sst=other))}
        assert claim("After 1 h many more").verdict(results).kind is expected, (early, late)


def test_each() -> None:
    for apart, expected in ((9, Kind.CONFIRMED), (8, Kind.NOT_CONFIRMED)):
        sst = figures(files=12, fragmented=10, fragments=30, apart=apart, apart_ops={"tail": apart})
        results = {"rocksdb-clean": result("rocksdb-clean", moment("60"), moment("3600", sst=sst))}
        assert claim("It is the last block of each .sst").verdict(results).kind is expected
    results = {"rocksdb-clean": result("rocksdb-clean", moment("60"), moment("3600", sst=WHOLE))}
    verdict = claim("It is the last block of each .sst").verdict(results)
    assert verdict.kind is Kind.UNTOLD
    assert "none of 10 .sst files is fragmented" in verdict.evidence[0]


def test_when() -> None:
    """The real seconds are said, and whether the workload had ended; `taken` is when the moment was kept, if that is known."""
    kept = moment("3600")
    data = {"moments": [kept], "workload": {"seconds": 3619.4}}
    assert when(data, kept) == "after 3601 s"
    kept["facts"]["seconds"] = 3644
    assert when(data, kept) == "after 3644 s (the workload had ended at 3619 s)"
    kept["facts"] |= {"seconds": 3610, "taken": 3615}
    assert when(data, kept) == "after 3610 s"
    kept["facts"]["taken"] = 3625
    assert when(data, kept) == "after 3610 s (the workload had ended at 3619 s)"
    seen = Moments(OPTIONS).rdb_fragmented({**data, "moments": [{**kept, "groups": {".rdb": {**SST, "files": 1}}}]})
    assert seen and seen.text.startswith("after 3610 s (the workload had ended at 3619 s) 8 of 1 .rdb files")


def test_rocksdb_by_another_cause() -> None:
    other = copy.deepcopy(SST)
    other["apart_ops"] = {"tail": 1, "append": 7}
    results = {"rocksdb-clean": result("rocksdb-clean", moment("60", sst=SST), moment("3600", sst=other))}
    verdict = claim("The last block of an .sst").verdict(results)
    assert verdict.kind is Kind.NOT_CONFIRMED
    assert "of 8 last blocks that are apart, 1 were written again" in verdict.evidence[0]
    assert claim("After 60 s of YCSB-F most").verdict(results).kind is Kind.NOT_CONFIRMED
    verdict = claim("After 1 h many more").verdict(results)
    assert verdict.kind is Kind.UNTOLD
    assert "does not tell, as most were early already" in verdict.evidence[0]


def test_one_moment_alone_tells_nothing_about_later() -> None:
    assert moments(Options(seconds=60, long=0)) == [60]
    seen = Moments(Options(seconds=60, long=60))
    data = result("x", moment("60", sst=SST)).data
    assert seen.more_fragmented(".sst")(data) is None
    found = seen.last_apart(".sst")(data)
    assert found and found.holds


def test_redis() -> None:
    rdb = figures(
        files=2,
        fragmented=2,
        fragments=5,
        blocks=100,
        blocks_fragmented=100,
        causes=[["append", "sync", "interleaved", 3]],
        apart=1,
        apart_ops={"append": 1},
    )
    results = {
        "redis-clean": result("redis-clean", moment("60", rdb=WHOLE), moment("3600", 1024, rdb=rdb)),
        "rocksdb-clean": result("rocksdb-clean", moment("60"), moment("3600", 4096)),
    }
    assert claim("After 60 s no .rdb").verdict(results).kind is Kind.CONFIRMED
    assert claim("After 1 h .rdb").verdict(results).kind is Kind.CONFIRMED
    assert claim("It is the last block of each .rdb").verdict(results).kind is Kind.NOT_CONFIRMED
    assert claim("The last block of an .rdb").verdict(results).kind is Kind.NOT_CONFIRMED
    assert claim("Redis writes much less").verdict(results).kind is Kind.CONFIRMED
    rdb["apart_ops"] = {"overwrite": 1}
    assert claim("The last block of an .rdb").verdict(results).kind is Kind.CONFIRMED


def test_redis_without_breaks_of_its_own() -> None:
    """What garbage collection has moved does not count, early and late; no file is no observation."""
    moved = figures(files=2, fragmented=1, fragments=4, blocks=100, blocks_fragmented=69, causes=[["gc_bg", "none", "moved", 2]])
    results = {"redis-clean": result("redis-clean", moment("60", rdb=moved), moment("3600", rdb=moved))}
    verdict = claim("After 60 s no .rdb").verdict(results)
    assert verdict.kind is Kind.CONFIRMED
    assert "garbage collection has made 2 of the 2 breaks" in verdict.evidence[0]
    assert claim("After 1 h .rdb").verdict(results).kind is Kind.NOT_CONFIRMED
    assert claim("The last block of an .rdb").verdict(results).kind is Kind.UNTOLD
    results = {"redis-clean": result("redis-clean", moment("60", rdb=figures()), moment("3600", rdb=figures()))}
    for start in ("After 60 s no .rdb", "After 1 h .rdb", "It is the last block of each .rdb"):
        assert claim(start).verdict(results).kind is Kind.UNTOLD, start


def test_how_much_is_written_is_for_as_much_work() -> None:
    """A tenth of the operations writes less whatever it is; and the rate of both is said."""
    for operations, kind in ((500, Kind.NOT_CONFIRMED), (499, Kind.UNTOLD), (2000, Kind.CONFIRMED), (2001, Kind.CONFIRMED)):
        results = {
            "redis-clean": result("redis-clean", moment("3600", 1024, operations)),
            "rocksdb-clean": result("rocksdb-clean", moment("3600", 4096)),
        }
        if kind is Kind.NOT_CONFIRMED:
            results["redis-clean"].data["moments"][0]["facts"]["written_kib"] *= 2
        verdict = claim("Redis writes much less").verdict(results)
        assert verdict.kind is kind, operations
    assert verdict.evidence[0].endswith(
        "Redis: 1 MiB and 2001 operations after 3601 s, 0.5 KiB for each; RocksDB: 4 MiB and 1000 operations after 3601 s, 4.1 KiB for each"
    )
    del results["redis-clean"].data["moments"][0]["facts"]["operations"]
    assert claim("Redis writes much less").verdict(results).kind is Kind.UNTOLD


def test_voltdb() -> None:
    vpt = figures(
        files=2,
        fragmented=2,
        fragments=6,
        blocks=100,
        blocks_fragmented=100,
        causes=[["append", "sync", "interleaved", 3], ["overwrite", "sync", "moved", 1]],
    )
    results = {
        "voltdb-clean": result("voltdb-clean", moment("60", vpt=figures(), all=WHOLE), moment("3600", vpt=vpt)),
    }
    assert claim("VoltDB has no fragmented file").verdict(results).kind is Kind.CONFIRMED
    assert claim("After two snapshots").verdict(results).kind is Kind.CONFIRMED
    assert claim(".vpt files are fragmented because sync").verdict(results).kind is Kind.CONFIRMED
    assert claim(".vpt files are fragmented because some").verdict(results).kind is Kind.NOT_CONFIRMED


def test_voltdb_by_its_work() -> None:
    """The last moment is that after all operations; where the log went on, no flush has broken the file."""
    vpt = figures(files=2, fragmented=2, fragments=8, blocks=100, blocks_fragmented=100, causes=[["append", "sync", "moved", 3]])
    results = {"voltdb-aged": result("voltdb-aged", moment("60", vpt=figures(), all=WHOLE), moment("done", operations=15000, vpt=vpt))}
    verdict = claim("After two snapshots").verdict(results)
    assert verdict.kind is Kind.CONFIRMED
    assert "an aged one: yes; after 15000 operations (0 s) 2 of 2 .vpt files" in verdict.evidence[0]
    assert "6 breaks" in claim(".vpt files are fragmented because some").verdict(results).evidence[0]
    start = ".vpt files are fragmented because sync"
    assert claim(start).verdict(results).kind is Kind.CONFIRMED
    for why in "new_segment", "ssr":
        vpt["causes"] = [["append", "sync", why, 4], ["append", "sync", "moved", 2]]
        verdict = claim(start).verdict(results)
        assert verdict.kind is Kind.NOT_CONFIRMED
        assert "2 of 6 breaks" in verdict.evidence[0] and "(4 more where F2FS's log went on elsewhere)" in verdict.evidence[0]
    # two breaks: only that none of them is it
    vpt |= {"fragments": 4, "causes": [["append", "sync", "ssr", 2]]}
    assert claim(start).verdict(results).kind is Kind.NOT_CONFIRMED
    vpt["causes"] = [["append", "sync", "ssr", 1], ["append", "sync", "moved", 1]]
    assert claim(start).verdict(results).kind is Kind.UNTOLD
    vpt |= {"files": 1, "fragments": 3, "causes": [["append", "sync", "ssr", 2]]}
    assert claim(start).verdict(results).kind is Kind.UNTOLD


def test_voltdb_without_breaks_of_its_own() -> None:
    """Garbage collection has moved a block: that says nothing of VoltDB, and nor does one break of its own."""
    vpt = figures(files=3, fragmented=1, fragments=4, blocks=100, blocks_fragmented=40, causes=[["gc_bg", "none", "moved", 1]])
    results = {"voltdb-clean": result("voltdb-clean", moment("60", vpt=vpt), moment("3600", vpt=vpt))}
    assert claim("VoltDB has no fragmented file").verdict(results).kind is Kind.UNTOLD
    assert "a snapshot was there" in claim("VoltDB has no fragmented file").verdict(results).evidence[0]
    verdict = claim("After two snapshots").verdict(results)
    assert verdict.kind is Kind.NOT_CONFIRMED
    assert "garbage collection has made 1 of the 1 breaks" in verdict.evidence[0]
    for start in (".vpt files are fragmented because sync", ".vpt files are fragmented because some"):
        verdict = claim(start).verdict(results)
        assert verdict.kind is Kind.UNTOLD
        assert "0 of 1 breaks are not by garbage collection, 3 are needed" in verdict.evidence[0]
    vpt["causes"] += [["append", "sync", "interleaved", 1]]
    vpt["fragments"] += 1
    assert claim("After two snapshots").verdict(results).kind is Kind.CONFIRMED
    assert claim(".vpt files are fragmented because sync").verdict(results).kind is Kind.UNTOLD


def test_flushes_of_garbage_collection_are_not_voltdbs() -> None:
    causes = [["append", "none", "moved", 3], ["gc_fg", "sync", "moved", 3]]
    vpt = figures(files=1, fragmented=1, fragments=7, blocks=100, blocks_fragmented=100, causes=causes)
    results = {"voltdb-clean": result("voltdb-clean", moment("60"), moment("3600", vpt=vpt))}
    assert claim(".vpt files are fragmented because sync").verdict(results).kind is Kind.NOT_CONFIRMED
    # and one snapshot is not two
    verdict = claim("After two snapshots").verdict(results)
    assert verdict.kind is Kind.UNTOLD and "have left 1 .vpt files, 2 are needed" in verdict.evidence[0]


def test_replay_depends_on_the_policy() -> None:
    tail = figures(files=10, fragmented=10, fragments=20, apart=10, apart_ops={"tail": 10})
    whole = figures(files=10, fragments=10)
    results = {
        "replay": result(
            "replay", moment("rocksdb-16", sst=tail), moment("rocksdb-129", sst=whole), moment("rocksdb-0", sst=tail)
        )
    }
    verdict = claim("An ftruncate to a size").verdict(results)
    assert verdict.kind is Kind.DEPENDS
    assert "not on ipu_policy 129" in verdict.reason


def test_cost() -> None:
    """Pairs of neighbouring runs; run 0 does not count. The method is judged by its median."""
    lines = [
        f"result apps {case} {mode} {run} instructions {value}"
        for case, mode, values in (
            ("rocksdb", "off", (900, 1000, 1000, 1000)),
            ("rocksdb", "filefrag_1s", (9000, 1010, 1015, 1030)),
            ("rocksdb", "tracing", (9000, 1001, 1002, 1003)),
            ("rocksdb_aged", "off", (1000, 1000)),
            ("rocksdb_aged", "filefrag_1s", (1, 1150)),
            ("rocksdb_fio", "off", (1000, 1000)),
            ("rocksdb_fio", "filefrag_1s", (1, 1023)),
        )
        for run, value in enumerate(values)
    ]
    results = {
        "cost": Result(
            "cost",
            {},
            {"cost": parse_results("\n".join(lines + ["result apps rocksdb tracing 1 lost 0", "seconds 3"]))},
        )
    }
    verdict = claim("FragTracer increases the run time of RocksDB").verdict(results)
    assert verdict.kind is Kind.DEPENDS
    assert (
        "+1.50 % (+1.00 to +3.00, 3 pairs); fragtrace with causes: +0.20 % (+0.10 to +0.30, 3 pairs)"
        in verdict.evidence[0]
    )
    missing = claim("FragTracer increases the run time of Redis").verdict(results)
    assert missing.kind is Kind.NOT_RUN and missing.evidence and all(text.endswith(": no result yet") for text in missing.evidence)
    assert claim("Beside 20 jobs of fio with").verdict(results).kind is Kind.CONFIRMED
    # a pair beside fio within the range of those without
    assert claim("Beside 20 jobs of fio FragTracer costs").verdict(results).kind is Kind.UNTOLD


def counted(name: str, **works: dict[str, tuple[int, ...]]) -> dict[str, Result]:
    """The result of an experiment that counts, with percent that FragTracer's method adds in each pair."""
    lines = [
        f"result apps {case} {mode} {run} instructions {1000 + 10 * value}"
        for case, modes in works.items()
        for mode, values in {"off": (0, 0, 0, 0), **modes}.items()
        for run, value in enumerate((99, *values))
    ]
    return {name: Result(name, {}, {"cost": parse_results("\n".join(lines))})}


def test_cost_beside_fio() -> None:
    """Less, if no pair beside fio adds as much as one without; each database is looked at."""
    for beside, expected in (((1, 2, 3), Kind.CONFIRMED), ((5, 6, 7), Kind.NOT_CONFIRMED), ((3, 4, 5), Kind.UNTOLD), ((1, 2, 4), Kind.UNTOLD)):
        results = counted("cost", redis={"filefrag_1s": (4, 4, 4)}, redis_fio={"filefrag_1s": beside})
        verdict = claim("Beside 20 jobs of fio FragTracer costs").verdict(results)
        assert verdict.kind is expected, beside
        assert "+4.00 % (+4.00 to +4.00, 3 pairs) alone" in verdict.evidence[0] and "RocksDB, by counted instructions: no result yet" in verdict.evidence


def test_cost_of_voltdb() -> None:
    """Few files, and for each of VoltDB's what each of 200 costs; by the least and the most about as much as the paper says, or by none."""
    start = "FragTracer increases the run time of VoltDB"
    real = result("voltdb-clean", moment("3600"))
    real.data["moments"][0]["facts"]["inodes"] = 20
    assert claim(start).verdict({"voltdb-clean": real}).kind is Kind.NOT_RUN
    for few, old, expected in (((1, 2, 3), (100, 110, 110), Kind.CONFIRMED), ((1, 2, 3), (10, 20, 30), Kind.NOT_CONFIRMED),
                               ((1, 2, 3), (10, 110, 120), Kind.UNTOLD), ((5, 60, 200), (10, 10, 10), Kind.UNTOLD),
                               ((60, 60, 60), (10, 10, 10), Kind.NOT_CONFIRMED)):
        works = {"redis": few, "rocksdb_aged": old, "rocksdb": (0, 0, 0)}
        results = counted("cost", **{name: {"filefrag_1s": values} for name, values in works.items()}) | {"voltdb-clean": real}
        verdict = claim(start).verdict(results)
        assert verdict.kind is expected, (few, old)
    assert "a clean volume of 20 GB, estimated: no; +61.00 % (+61.00 to +61.00, 3 pairs) for 20 files" in verdict.evidence
    del results["cost"].data["cost"]["redis"]
    assert claim(start).verdict(results).kind is Kind.UNTOLD


# === Limits ===

JUDGES = Moments(OPTIONS)


def data(early: Data | None = None, late: Data | None = None, name: str = "sst") -> Data:
    """What was kept of a workload of 4000 s, early and late."""
    kept = [moment(when_kept, **{name: group}) for when_kept, group in (("60", early), ("3600", late)) if group is not None]
    return result("x", *kept).data


def holds(observation: Observation | None) -> bool | None:
    """What was seen; there must be something."""
    assert observation is not None
    return observation.holds


def broken(blocks: int, whole: int = 1000, **values: object) -> Data:
    """Files with so many of their blocks in fragmented ones."""
    return figures(files=10, fragmented=5, fragments=20, blocks=whole, blocks_fragmented=blocks, **values)


def test_most_files_are_whole_below_half_of_the_blocks() -> None:
    for blocks, expected in (0, True), (499, True), (500, False), (501, False):
        assert holds(JUDGES.mostly_whole(data(broken(blocks)))) is expected, blocks


def test_twice_as_many_blocks_are_many_more() -> None:
    """And a larger share; of more than half of the blocks there are not twice as many."""
    judge = JUDGES.more_fragmented(".sst")
    for early, late, whole, expected in (
        (100, 200, 1000, True), (100, 199, 1000, False), (100, 200, 2000, False), (100, 200, 1999, True),
        (500, 1000, 1000, True), (501, 1000, 1000, None), (0, 1, 1000, True), (0, 0, 1000, False),
    ):
        assert holds(judge(data(broken(early), broken(late, whole)))) is expected, (early, late, whole)


def test_each_is_nine_of_ten() -> None:
    for part, expected in (89, False), (90, True), (100, True):
        late = figures(files=200, fragmented=100, fragments=300, blocks=1000, apart=part)
        assert holds(JUDGES.last_apart(".sst")(data(late=late))) is expected, part
        late = figures(files=200, fragmented=100, fragments=300, blocks=1000, apart=100, apart_ops={"tail": part, "append": 100 - part})
        assert holds(JUDGES.after_truncate(data(late=late))) is expected, part
        for ops in {"tail": part, "gc_bg": 100 - part}, {"overwrite": part, "append": 100 - part}, {"tail": 1, "overwrite": part - 1}:
            late = figures(files=200, fragmented=100, fragments=300, blocks=1000, apart=100, apart_ops=ops)
            assert holds(JUDGES.rdb_last_rewritten(data(late=late, name="rdb"))) is expected, ops


def test_most_breaks_are_half_of_them() -> None:
    """Of those that garbage collection has not made, and of three at least."""
    for part, expected in (49, False), (50, True), (51, True):
        for other in ["append", "writeback", "interleaved"], ["append", "none", "moved"]:
            late = figures(files=1, fragments=201, causes=[["append", "sync", "moved", part], [*other, 100 - part],
                                                           ["gc_bg", "sync", "moved", 60], ["gc_fg", "none", "moved", 40]])
            assert holds(JUDGES.vpt_flushed(data(late=late, name="vpt"))) is expected, part
        for op in "overwrite", "tail":
            late = figures(files=1, fragments=201, causes=[[op, "sync", "moved", part], ["append", "sync", "moved", 100 - part],
                                                           ["gc_bg", "sync", "moved", 100]])
            assert holds(JUDGES.vpt_part_of_page(data(late=late, name="vpt"))) is expected, part
    for own, expected_of_few in (2, None), (3, True):
        late = figures(files=1, fragments=own + 6, causes=[["tail", "sync", "moved", own], ["gc_fg", "sync", "moved", 5]])
        assert holds(JUDGES.vpt_flushed(data(late=late, name="vpt"))) is expected_of_few
        assert holds(JUDGES.vpt_part_of_page(data(late=late, name="vpt"))) is expected_of_few


def test_one_break_of_its_own_is_enough() -> None:
    """For a file to be fragmented; garbage collection makes none of its own."""
    for op, expected in ("append", True), ("gc_bg", False), ("gc_fg", False):
        late = figures(files=2, fragmented=1, fragments=3, blocks=10, causes=[[op, "none", "moved", 1]])
        assert holds(JUDGES.rdb_fragmented(data(late=late, name="rdb"))) is expected
        assert holds(JUDGES.no_rdb_fragmented(data(late, late, name="rdb"))) is not expected
        assert holds(JUDGES.vpt_fragmented(data(late=late, name="vpt"))) is expected
    one = figures(files=1, fragmented=1, fragments=2, blocks=10, causes=[["append", "none", "moved", 1]])
    assert holds(JUDGES.vpt_fragmented(data(late=one, name="vpt"))) is None


def test_half_is_much_less() -> None:
    """KiB for each operation; one may have done twice as many of them."""
    for mib, expected in (49, True), (50, False), (51, False):
        assert less(Written(mib, 1000, ""), Written(100, 1000, "")).holds is expected, mib
    for operations, told in (499, False), (500, True), (2000, True), (2001, True), (0, False):
        assert (less(Written(1, operations, ""), Written(100, 1000, "")).holds is not None) is told, operations


def test_what_is_written_only_grows() -> None:
    """Half as much with fewer operations is no less with as many; less than half with more is less; nothing else tells."""
    for mib, operations, expected in (50, 499, False), (49, 499, None), (49, 2001, True), (50, 2001, None), (50, 0, None):
        assert less(Written(mib, operations, ""), Written(100, 1000, "")).holds is expected, (mib, operations)


def test_pairs(tmp_path: Path) -> None:
    """What processes of the same names have taken from each other is added up, most first."""
    (tmp_path / "by_pair").write_text("# dev times victim pid culprit pid\n254:0 3 a 1 b 2\n254:0 4 c 1 b 2\n254:0 2 a 5 b 6\n", encoding="utf-8")
    assert pairs(str(tmp_path / "by_pair")) == [[5, "a", "b"], [4, "c", "b"]]


def test_replays() -> None:
    """Each file has its last block apart; half of the breaks are between two flushes."""
    for files, tails, expected in (10, 10, True), (10, 9, False), (0, 0, False):
        kept = moment("1", sst=figures(files=files, fragments=20, apart=10, apart_ops={"tail": tails}))
        assert tail_moves(kept).holds is expected
    for mixed, expected in (0, False), (49, False), (50, True):
        kept = moment("1", vpt=figures(files=1, fragments=101, causes=[["append", "sync", "interleaved", mixed],
                                                                        ["append", "writeback", "interleaved", 30]]))
        assert flushes_interleave(kept).holds is expected, mixed
    assert flushes_interleave(moment("1", vpt=figures(files=1, fragments=1))).holds is False


def test_cost_is_at_most_the_limit() -> None:
    """The median of the pairs."""
    for added_to, expected in (1250, Kind.CONFIRMED), (1251, Kind.NOT_CONFIRMED):
        lines = [f"result apps x {case} {run} instructions {value}" for case, values in
                 (("off", (1, 1000, 1000, 1000)), ("filefrag_1s", (1, 1000, added_to, 2000))) for run, value in enumerate(values)]
        results = {"cost": Result("cost", {}, {"cost": parse_results("\n".join([*lines, "seconds 3"]))})}
        assert costs_at_most(25.0, {"x": "x"})(results).kind is expected, added_to
