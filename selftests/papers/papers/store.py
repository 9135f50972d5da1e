# SPDX-License-Identifier: GPL-2.0-only
"""Results in a folder: NAME/result.json, written at once and whole, beside the files that belong to it."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import asdict, replace
from pathlib import Path

from .model import Data, Experiment, Result

FORMAT = 1
RESULT = "result.json"
PART = ".part"
BEFORE = ".before"


class Store:
    """The results of a folder. What an interrupted run leaves is in NAME.part, and what another one replaced in NAME.before."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def load(self, experiment: Experiment) -> Result | None:
        """The result of this experiment with these settings, if it is there."""
        try:
            stored: Data = json.loads((self.folder / experiment.name / RESULT).read_text(encoding="utf-8"))
        except (FileNotFoundError, json.JSONDecodeError):
            return None
        if stored.pop("format", None) != FORMAT or stored.get("settings") != experiment.settings:
            return None
        stored |= {"commands": tuple(stored["commands"]), "folder": str(self.folder / experiment.name)}
        return Result(**stored)

    def names(self) -> set[str]:
        """The names of all results, whatever their settings."""
        return {path.parent.name for path in self.folder.glob(f"*/{RESULT}") if not path.parent.name.endswith((PART, BEFORE))}

    def begin(self, experiment: Experiment) -> Path:
        """An empty folder for the files of a run."""
        part = self.folder / f"{experiment.name}{PART}"
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        return part

    def keep(self, result: Result) -> Result:
        """Make the folder of the run the result: all of it, or, if this is interrupted, nothing."""
        part, final = self.folder / f"{result.experiment}{PART}", self.folder / result.experiment
        stored = {"format": FORMAT, **asdict(result)}
        del stored["folder"]
        with open(part / RESULT, "w", encoding="utf-8") as file:
            json.dump(stored, file, indent=1)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        if final.exists():
            # of other settings, and it may have taken hours
            before = final.with_name(f"{final.name}{BEFORE}")
            shutil.rmtree(before, ignore_errors=True)
            os.rename(final, before)
        os.rename(part, final)
        return replace(result, folder=str(final))
