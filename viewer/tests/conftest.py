# SPDX-License-Identifier: GPL-2.0-only
"""Lets pytest find the modules, run each test in an empty folder, and print KTAP if called with --ktap."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python"))


@pytest.fixture
def somewhere_else(tmp_path, monkeypatch):
    """Each test runs in its own empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()


class Ktap:
    """Replaces pytest's own report."""

    def __init__(self) -> None:
        self.number = 0
        self.counts = {"passed": 0, "failed": 0, "skipped": 0}

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """The plan."""
        print("KTAP version 1\n# " + " ".join(Path(argument).name for argument in session.config.args))
        print(f"1..{len(session.items)}", flush=True)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A file that cannot be read."""
        if report.failed:
            print(f"# {report.longreprtext}".replace("\n", "\n# "))
            print(f"not ok - {report.nodeid} can be read", flush=True)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A test that ended; an error outside the test itself is a separate failure."""
        if report.when != "call" and report.passed or report.when == "teardown" and not report.failed:
            return
        self.number += 1
        self.counts[report.outcome] += 1
        if report.failed:
            print(f"# {report.longreprtext}".replace("\n", "\n# "))
        verdict = "not ok" if report.failed else "ok"
        skip = f" # SKIP {report.longrepr[2]}" if report.skipped else ""
        name = report.nodeid.encode("unicode_escape").decode().replace("#", "")
        print(f"{verdict} {self.number} {name}{skip}", flush=True)

    def pytest_sessionfinish(self) -> None:
        """The totals."""
        count = self.counts
        print(f"# Totals: pass:{count['passed']} fail:{count['failed']} xfail:0 xpass:0 skip:{count['skipped']} "
              "error:0", flush=True)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option --ktap."""
    parser.addoption("--ktap", action="store_true", help="speak KTAP")


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Replace the report."""
    if config.getoption("--ktap"):
        config.pluginmanager.unregister(config.pluginmanager.getplugin("terminalreporter"))
        config.pluginmanager.register(Ktap(), "ktap")
