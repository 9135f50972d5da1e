# SPDX-License-Identifier: GPL-2.0-only
"""Runs the experiments that have no result yet, one after the other, and says how long it will take."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from .model import Experiment, Host, Result
from .store import Store


class Running(Host, Protocol):
    """A host that also knows what was run."""

    commands: list[str]

    def versions(self) -> dict[str, str]:
        """The versions of all that has taken part."""


def duration(seconds: float) -> str:
    """A time span as a person would say it."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    if seconds < 6000:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


@dataclass
class Plan:
    """Experiments and their results. `host` makes the machine for one of them: its folder, and who hears of progress."""

    store: Store
    experiments: Sequence[Experiment]
    host: Callable[[Path, Callable[[str], None]], Running]
    say: Callable[[str], None]
    clock: Callable[[], float] = time.monotonic
    # What can fail without ending the plan.
    errors: tuple[type[Exception], ...] = ()
    results: dict[str, Result] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)

    def load(self) -> list[Experiment]:
        """Take the results that are there; return what is missing."""
        missing = []
        for experiment in self.experiments:
            result = self.store.load(experiment)
            if result:
                self.results[experiment.name] = result
            else:
                missing.append(experiment)
        return missing

    def run(self) -> None:
        """Run what is missing. One that fails is named, and the others go on."""
        missing = self.load()
        if self.results:
            self.say(f"{len(self.results)} of {len(self.experiments)} results are there already")
        estimated = took = 0.0
        for number, experiment in enumerate(missing):
            later = sum(one.estimate for one in missing[number + 1 :])
            # as much faster or slower than estimated as those that were run
            factor = took / estimated if estimated else 1.0
            began = self.clock()
            try:
                self.results[experiment.name] = self.one(
                    experiment, began, factor, later, f"{number + 1} of {len(missing)}"
                )
            except self.errors as error:
                self.failures[experiment.name] = str(error)
                self.say(f"{experiment.name}: failed: {error}")
            estimated += experiment.estimate
            took += self.clock() - began

    def one(self, experiment: Experiment, began: float, factor: float, later: float, place: str) -> Result:
        """Run one experiment, and keep its result."""

        def heard(text: str) -> None:
            left = experiment.estimate * factor - (self.clock() - began)
            words = f"{duration(left + later * factor)} left" if left > 0 else "longer than expected"
            self.say(f"[{place}, {words}] {experiment.name}: {text}")

        heard(f"{experiment.title}, about {duration(experiment.estimate * factor)}")
        host = self.host(self.store.begin(experiment), heard)
        data = experiment.run(host)
        return self.store.keep(
            Result(
                experiment.name,
                experiment.settings,
                data,
                host.versions(),
                tuple(host.commands),
                round(self.clock() - began, 1),
            )
        )
