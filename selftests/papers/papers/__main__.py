# SPDX-License-Identifier: GPL-2.0-only
"""The command line of `make papers`, see papers.sh."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

from fragsnap import SnapError

from . import fast24, fragpicker, fragtracer, fsync, iocontrol
from .facts import FactError
from .guest import Failed, Machine
from .keep import keep
from .model import Options, Paper, Result
from .plan import Plan
from .report import report, summary, verdicts
from .store import Store

PAPERS = {
    "fragtracer": fragtracer.paper,
    "fragpicker": fragpicker.paper,
    "iocontrol": iocontrol.paper,
    "fsync": fsync.paper,
    "fast24": fast24.paper,
}


def parse(arguments: list[str]) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="papers.sh", description="Run what papers have run, and hold their claims against it."
    )
    parser.add_argument(
        "--only",
        default="",
        help=f"papers, or single experiments, separated by commas (default: all of {', '.join(PAPERS)})",
    )
    parser.add_argument(
        "--seconds", type=int, default=60, help="the first picture, in seconds of the workload (default 60)"
    )
    parser.add_argument("--long", type=int, default=3600, help="the last picture (default 3600)")
    parser.add_argument("--kernel", default="6.12", help="the kernel of the guests (default 6.12)")
    parser.add_argument(
        "--records", type=int, default=0, help="records of each database, instead of as many as suit it"
    )
    parser.add_argument(
        "--pairs", type=int, default=5, help="pairs of runs with and without watching, 2 or more (default 5)"
    )
    parser.add_argument("--quick", action="store_true", help="replay system calls; run no database")
    parser.add_argument(
        "--report", action="store_true", help="run nothing: only write the report of the results that are there"
    )
    parser.add_argument(
        "--keep",
        type=Path,
        metavar="FOLDER",
        help="also write the report, with smaller pictures, into this folder of the repository",
    )
    parser.add_argument("out", type=Path, help="folder of the results and the report")
    parsed = parser.parse_args(arguments)
    if parsed.pairs < 2:
        parser.error(f"--pairs {parsed.pairs}: expected 2 or more")
    if parsed.keep and parsed.quick:
        parser.error("--keep: what is kept are results of full runs; expected no --quick")
    return parsed


def chosen(only: str, options: Options) -> tuple[list[Paper], set[str]]:
    """The papers, and the experiments to run, that the words of --only name."""
    papers = {name: make(options) for name, make in PAPERS.items()}
    words = [word for word in only.replace(",", " ").split() if word]
    every = {experiment.name: paper for paper in papers.values() for experiment in paper.experiments}
    unknown = [word for word in words if word not in papers and word not in every]
    if unknown:
        raise SystemExit(f"papers: '{unknown[0]}': expected {', '.join([*papers, *every])}")
    names = {name for name, paper in every.items() if not words or name in words or paper.name in words}
    return [
        paper for paper in papers.values() if any(experiment.name in names for experiment in paper.experiments)
    ], names


def found(papers: Sequence[Paper], *stores: Store) -> dict[str, Result]:
    """The results that are there, each from the first folder that has it."""
    results = {}
    for paper in papers:
        for experiment in paper.experiments:
            result = next((one for store in stores if (one := store.load(experiment))), None)
            if result:
                results[experiment.name] = result
    return results


def keep_all(options: Options, store: Store, folder: Path) -> None:
    """Keep the results of all papers, whichever were to be run, and those that were kept before and are not in the store."""
    papers, _ = chosen("", options)
    before = Store(folder)
    results = found(papers, store, before)
    for name in sorted(before.names() - set(results)):
        say(f"{folder}: {name} is not kept any more: no experiment has its settings")
    # of the results alone: what has failed here is no property of theirs
    say(f"{folder}: {keep(report(papers, results, {}), results, folder)} bytes")


def say(text: str) -> None:
    """A line of progress."""
    print(f"papers: {text}", file=sys.stderr, flush=True)


def ended(number: int, _frame: FrameType | None) -> None:
    """A signal ends the command; the guest is ended on the way out."""
    raise SystemExit(128 + number)


def main() -> int:
    """Run what is missing, and write the report."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, ended)
    arguments = parse(sys.argv[1:])
    options = Options(
        arguments.seconds, arguments.long, arguments.kernel, arguments.quick, arguments.records, arguments.pairs
    )
    papers, names = chosen(arguments.only, options)
    out = arguments.out
    out.mkdir(parents=True, exist_ok=True)
    store = Store(out)
    plan = Plan(
        store,
        [experiment for paper in papers for experiment in paper.experiments if experiment.name in names],
        lambda folder, heard: Machine(folder, options.kernel, heard),
        say,
        errors=(Failed, FactError, SnapError, OSError),
    )
    if not arguments.report:
        plan.run()
    # those that were not to be run, too
    results = found(papers, store)
    document = report(papers, results, plan.failures)
    (out / "report.html").write_text(document.html(), encoding="utf-8")
    (out / "report.md").write_text(document.markdown(out), encoding="utf-8")
    if arguments.keep:
        keep_all(options, store, arguments.keep)
    for paper in papers:
        say(f"{paper.name}: {summary(verdicts(paper, results))}")
    print(out / "report.html")
    return 1 if plan.failures else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
