# SPDX-License-Identifier: GPL-2.0-only
"""The tables of lab/README.md are those of the kept results."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

from papers.__main__ import chosen, found
from papers.fragpicker.experiments import parts_of
from papers.model import Options
from papers.store import Store

SELFTESTS = Path(__file__).resolve().parents[2]


def lab_results() -> ModuleType:
    """lab/results.py, which is no package."""
    spec = importlib.util.spec_from_file_location("lab_results", SELFTESTS / "lab/results.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_readme_has_the_report_of_what_is_kept() -> None:
    """Whoever changes the report or measures again puts it there: make lab BENCH=fragpicker PARTS=readme."""
    results = lab_results()
    papers, _ = chosen("fragpicker", Options())
    parts = parts_of(found(papers, Store(SELFTESTS / "papers/result")))
    assert set(parts) == set(results.PARTS)
    text = (SELFTESTS / "lab/README.md").read_text(encoding="utf-8")
    kept = text[text.index(results.BEGIN) + len(results.BEGIN) + 1 : text.index(results.END)]
    assert kept == results.report(parts)
