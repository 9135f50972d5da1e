# SPDX-License-Identifier: GPL-2.0-only
"""Results in a folder: NAME/result.json, written at once and whole, beside the files that belong to it.

A folder of the repository has all results in one file, results.json.xz, and only the pictures in folders. A NAME/result.json
replaces the one of that name in the packed file.
"""

from __future__ import annotations

import json
import lzma
import os
import shutil
from dataclasses import asdict, replace
from pathlib import Path

from .model import Data, Experiment, Result, Results

FORMAT = 1
RESULT = "result.json"
PACKED = "results.json.xz"
PART = ".part"
BEFORE = ".before"


def stored(result: Result) -> Data:
    """A result as it is written."""
    data: Data = {"format": FORMAT, **asdict(result)}
    del data["folder"]
    return data


def text_of(data: Data) -> str:
    """What a file has of it."""
    return json.dumps(data, indent=1) + "\n"


def pack(results: Results, folder: Path) -> None:
    """Write all results into one file, in the order of their names: the same results make the same file."""
    text = text_of({name: stored(results[name]) for name in sorted(results)})
    (folder / PACKED).write_bytes(lzma.compress(text.encode("utf-8"), preset=9 | lzma.PRESET_EXTREME))


def unpack(folder: Path) -> dict[str, Data]:
    """The results of the packed file, by name; none if there is no such file."""
    try:
        found: dict[str, Data] = json.loads(lzma.decompress((folder / PACKED).read_bytes()))
    except FileNotFoundError:
        return {}
    except (lzma.LZMAError, ValueError) as error:
        raise ValueError(f"{folder / PACKED}: damaged ({error}); copy it again from the repository") from error
    return found


class Store:
    """The results of a folder. What an interrupted run leaves is in NAME.part, and what another one replaced in NAME.before."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.packed = unpack(folder)

    def load(self, experiment: Experiment) -> Result | None:
        """The result of this experiment with these settings, if it is there."""
        try:
            data: Data = json.loads((self.folder / experiment.name / RESULT).read_text(encoding="utf-8"))
        except FileNotFoundError:
            data = dict(self.packed.get(experiment.name, {}))
        except json.JSONDecodeError:
            return None
        if data.pop("format", None) != FORMAT or data.get("settings") != experiment.settings:
            return None
        data |= {"commands": tuple(data["commands"]), "folder": str(self.folder / experiment.name)}
        return Result(**data)

    def names(self) -> set[str]:
        """The names of all results, whatever their settings."""
        found = {path.parent.name for path in self.folder.glob(f"*/{RESULT}")}
        return {name for name in found if not name.endswith((PART, BEFORE))} | set(self.packed)

    def begin(self, experiment: Experiment) -> Path:
        """An empty folder for the files of a run."""
        part = self.folder / f"{experiment.name}{PART}"
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        return part

    def keep(self, result: Result) -> Result:
        """Make the folder of the run the result: all of it, or, if this is interrupted, nothing."""
        part, final = self.folder / f"{result.experiment}{PART}", self.folder / result.experiment
        with open(part / RESULT, "w", encoding="utf-8") as file:
            file.write(text_of(stored(result)))
            file.flush()
            os.fsync(file.fileno())
        if final.exists():
            # of other settings, and it may have taken hours
            if result.experiment in self.packed and not (final / RESULT).exists():
                (final / RESULT).write_text(text_of(self.packed[result.experiment]), encoding="utf-8")
            before = final.with_name(f"{final.name}{BEFORE}")
            shutil.rmtree(before, ignore_errors=True)
            os.rename(final, before)
        os.rename(part, final)
        return replace(result, folder=str(final))
