# SPDX-License-Identifier: GPL-2.0-only
"""What a paper is made of here: experiments, their results, claims, and verdicts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Protocol

from .document import Document

# What JSON can hold; the shape of each is up to the experiment.
Data = dict[str, Any]


@dataclass(frozen=True)
class Options:
    """What the caller of the command has asked for."""

    seconds: int = 60
    long: int = 3600
    kernel: str = "6.12"
    quick: bool = False
    # 0: as many as each database takes by default
    records: int = 0
    # of runs with and without watching
    pairs: int = 5


class Host(Protocol):
    """What an experiment may use while it runs."""

    def guest(
        self,
        script: str,
        *,
        disk: str = "",
        image: str = "",
        memory: str = "3G",
        limit: float,
        variables: Mapping[str, str] | None = None,
        cpus: int = 2,
        qemu: str = "",
        kernel: str = "",
    ) -> None:
        """Run a script of in_guest/ in a guest; what it leaves in $OUT is among the files of the result."""

    def aged(self, kind: str) -> str:
        """The path of a copy of an aged image."""

    def draw(self, snapshot: str, preset: str, picture: str) -> None:
        """Draw one of the files that the guest has left; the picture becomes a file of the result."""

    def bench(self, part: str, settings: Mapping[str, str]) -> str:
        """Run a part of bench/ with these settings; return its results."""

    def lab(self, parts: Sequence[str], settings: Mapping[str, str]) -> None:
        """Run parts of lab/ with these settings; what they leave is among the files of the result."""

    def class_path(self, name: str) -> str:
        """The jars of `clients` or `voltdb`, as a class path."""

    def path(self, name: str) -> str:
        """The path of a file of the result."""


@dataclass(frozen=True)
class Experiment:
    """One thing to run. Its result is kept, and is valid as long as the settings are these."""

    name: str
    title: str
    settings: Data
    estimate: float
    run: Callable[[Host], Data]


@dataclass(frozen=True)
class Result:
    """What an experiment has left."""

    experiment: str
    settings: Data
    data: Data
    versions: Mapping[str, str] = field(default_factory=dict)
    commands: tuple[str, ...] = ()
    took: float = 0
    # The folder with its files.
    folder: str = ""


Results = Mapping[str, Result]


class Kind(Enum):
    """What may become of a claim."""

    CONFIRMED = "confirmed"
    NOT_CONFIRMED = "not confirmed"
    DEPENDS = "depends"
    # It was run, and the data do not decide.
    UNTOLD = "does not tell"
    NOT_RUN = "not run yet"
    NOT_TESTED = "not tested here"


@dataclass(frozen=True)
class Verdict:
    """A verdict, the reason in one sentence, and what it is derived from, a line for each observation."""

    kind: Kind
    reason: str
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True)
class Claim:
    """One thing that a paper says, and how to find out.

    `rule` says what counts as true, under one condition. A claim without a judge is not tested here: why_not says why.
    """

    where: str
    text: str
    figure: str
    rule: str = ""
    judge: Callable[[Results], Verdict] | None = None
    why_not: str = ""

    def verdict(self, results: Results) -> Verdict:
        """What the results say of it."""
        if self.judge is None:
            return Verdict(Kind.NOT_TESTED, self.why_not)
        return self.judge(results)


def show_nothing(_document: Document, _result: Result) -> None:
    """Show no data of a result."""


@dataclass(frozen=True)
class Paper:
    """A paper: its experiments, its claims, and what the report shows of a result beside settings and commands."""

    name: str
    title: str
    source: str
    setup: str
    # The same of what is run here.
    here: str
    experiments: tuple[Experiment, ...]
    claims: tuple[Claim, ...]
    # Adds the data of a result to the report.
    show: Callable[[Document, Result], None] = show_nothing
