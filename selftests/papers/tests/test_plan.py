# SPDX-License-Identifier: GPL-2.0-only
"""Experiments that are missing are run, and no others; an interrupted run leaves no result."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from papers.__main__ import parse
from papers.fragtracer.experiments import cost, ycsb
from papers.model import Data, Experiment, Host, Options
from papers.plan import Plan, duration
from papers.store import Store


class Fake:
    """A machine that runs nothing."""

    def __init__(self, folder: Path, heard: Callable[[str], None]) -> None:
        self.folder, self.heard = folder, heard
        self.commands = ["a command"]

    def versions(self) -> dict[str, str]:
        return {"x": "1"}


class Broken(Exception):
    pass


def experiment(name: str, run: Callable[[Host], Data], **settings: object) -> Experiment:
    return Experiment(name, f"title of {name}", dict(settings), 10, run)


def plan(folder: Path, *experiments: Experiment) -> tuple[Plan, list[str]]:
    """A plan, and what it will say."""
    said: list[str] = []
    return Plan(Store(folder), experiments, Fake, said.append, errors=(Broken,)), said  # type: ignore[arg-type]


def counting(runs: list[str], name: str) -> Experiment:
    """An experiment that counts its runs."""

    def run(host: Host) -> Data:
        runs.append(name)
        return {"n": len(runs)}

    return experiment(name, run)


def test_each_is_run_once(tmp_path: Path) -> None:
    runs: list[str] = []
    one, two = counting(runs, "one"), counting(runs, "two")
    plan(tmp_path, one)[0].run()
    second, said = plan(tmp_path, one, two)
    second.run()
    assert runs == ["one", "two"]
    assert second.results["one"].data == {"n": 1} and second.results["two"].commands == ("a command",)
    assert said[0] == "1 of 2 results are there already"


def test_other_settings_are_run_again(tmp_path: Path) -> None:
    for seconds in (1, 1, 2):
        first, _ = plan(tmp_path, experiment("one", lambda host: {}, seconds=seconds))
        first.run()
        assert first.results["one"].settings == {"seconds": seconds}
    assert Store(tmp_path).load(experiment("one", lambda host: {}, seconds=1)) is None
    # what was replaced is there, but is no result
    before = json.loads((tmp_path / "one.before" / "result.json").read_text(encoding="utf-8"))
    assert before["settings"] == {"seconds": 1} and Store(tmp_path).names() == {"one"}


def test_interrupted_is_no_result(tmp_path: Path) -> None:
    def interrupt(host: Host) -> Data:
        (tmp_path / "one.part" / "half").write_text("x", encoding="utf-8")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        plan(tmp_path, experiment("one", interrupt))[0].run()
    again, _ = plan(tmp_path, experiment("one", lambda host: {"a": 1}))
    assert len(again.load()) == 1
    again.run()
    assert sorted(path.name for path in (tmp_path / "one").iterdir()) == ["result.json"]
    assert not (tmp_path / "one.part").exists()


def test_damaged_result_is_run_again(tmp_path: Path) -> None:
    one = experiment("one", lambda host: {})
    plan(tmp_path, one)[0].run()
    path = tmp_path / "one" / "result.json"
    path.write_text(path.read_text(encoding="utf-8")[:-20], encoding="utf-8")
    assert Store(tmp_path).load(one) is None
    path.write_text(json.dumps({"format": 0}), encoding="utf-8")
    assert Store(tmp_path).load(one) is None


def test_one_that_fails_does_not_end_the_others(tmp_path: Path) -> None:
    def fail(host: Host) -> Data:
        raise Broken("no guest")

    tried, said = plan(tmp_path, experiment("one", fail), experiment("two", lambda host: {}))
    tried.run()
    assert tried.failures == {"one": "no guest"} and list(tried.results) == ["two"]
    assert "one: failed: no guest" in said


def test_remaining_time(tmp_path: Path) -> None:
    """Estimates are corrected by what the first experiments have taken."""
    now = [0.0]

    def slow(host: Host) -> Data:
        now[0] += 39.94
        return {}

    def slower(host: Host) -> Data:
        now[0] += 30
        host.heard("half")  # type: ignore[attr-defined]
        now[0] += 10
        host.heard("late")  # type: ignore[attr-defined]
        return {}

    tried, said = plan(tmp_path, experiment("one", slow), experiment("two", slower), experiment("three", slow))
    tried.clock = lambda: now[0]
    tried.run()
    assert said == [
        "[1 of 3, 30 s left] one: title of one, about 10 s",
        "[2 of 3, 80 s left] two: title of two, about 40 s",
        "[2 of 3, 50 s left] two: half",
        "[2 of 3, longer than expected] two: late",
        "[3 of 3, 40 s left] three: title of three, about 40 s",
    ]
    assert tried.results["one"].took == 39.9


def test_duration() -> None:
    assert [duration(seconds) for seconds in (59.6, 600, 9000)] == ["60 s", "10 min", "2.5 h"]


def test_pairs() -> None:
    """The run on cold caches is one more than the pairs; one pair has no spread."""
    assert parse(["out"]).pairs == 5
    assert parse(["--pairs", "2", "out"]).pairs == 2
    with pytest.raises(SystemExit):
        parse(["--pairs", "1", "out"])
    assert cost(Options()).settings["runs"] == 6
    assert cost(Options(pairs=2)).settings["runs"] == 3


class Asked(Exception):
    """What a guest was asked to run."""


class Asking:
    """A machine that only says what it was asked for."""

    def class_path(self, name: str) -> str:
        return name

    def aged(self, kind: str) -> str:
        return kind

    def guest(self, script: str, *, variables: dict[str, str], **_: object) -> None:
        raise Asked(script, {name: value for name, value in variables.items() if name not in ("CLIENTS", "VOLTDB")})


def test_what_ends_by_its_operations() -> None:
    """Whatever LONG is; the snapshots are by operations, too, or else by time."""
    for database, volume, script, variables in (
        ("voltdb", "aged", "voltdb aged 50000 4 60", {"OPERATIONS": "15000", "EVERY": "5000", "SNAPSHOTS": "2"}),
        ("voltdb", "full", "voltdb full 20000 4 60 1000", {"PERIOD": "450"}),
        ("rocksdb", "small", "rocksdb small 100000 2 60 1000", {}),
    ):
        with pytest.raises(Asked) as asked:
            ycsb(database, volume, Options(long=1000)).run(Asking())  # type: ignore[arg-type]
        assert asked.value.args == (f"ycsb.sh {script}", variables)
