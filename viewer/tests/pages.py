# SPDX-License-Identifier: GPL-2.0-only
"""What the tests of the page share: the page of fragtrace in a headless browser, and how they run.

A test is a function test_NAME; it gets a Page, whose folder is its working directory.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Any, Callable

import browser
import firefox
from serving import Server

HERE = Path(__file__).resolve().parent
DATA = HERE / "data"
PLAIN = ["-c", str(DATA / "plain.color.cnf")]


# BROWSER=firefox runs those tests that it can
ENGINE = firefox if os.environ.get("BROWSER") == "firefox" else browser
NO_BROWSER = "firefox-esr or python3-websocket is not installed" if ENGINE is firefox else "chromium-headless-shell is not installed"
NO_READER = "the reader of pages was not built: make page"


def reader_is_built() -> bool:
    """Is it there, and not older than what it is made of? Emscripten brings Node."""
    reader, sources = HERE.parent / "reader.js", [*HERE.parent.glob("src/*/*.[ch]"), *HERE.parent.glob("page/reader/*")]
    return reader.exists() and shutil.which("node") is not None and all(one.stat().st_mtime <= reader.stat().st_mtime for one in sources)


class Page:
    """fragtrace and its page in a browser."""

    def __init__(self, view: str, used: browser.Browser | firefox.Browser) -> None:
        self.view = view
        self.browser: Any = used
        self.js = used.js
        self.server: Server | None = None

    def serve(self, table: str | Path, *options: str) -> None:
        """Serve the page and open it."""
        before, self.server = self.server, Server(self.view, table, *options)
        self.open()
        # the page before asks no more
        if before:
            before.stop()

    def open(self) -> None:
        """Open the served page, maybe once more."""
        assert self.server
        self.browser.open(self.server.url)
        self.data = json.loads(self.js("document.querySelector('#data').textContent"))
        self.browser.until("shown !== null || !data.volumes.length")
        self.settle()
        self.browser.until("!data.total.files || document.querySelectorAll('#rows tr').length > 0")

    def stop(self) -> None:
        """End the server."""
        if self.server:
            self.server.stop()
        self.server = None

    # === The map ===

    def map_place(self, lba: int) -> tuple[float, float]:
        """The position of a block in the window."""
        return tuple(self.js(f"""(() => {{
            const box = document.querySelector("#map").getBoundingClientRect();
            const [column, row] = placeOf(Math.floor(({lba} - view.first) / view.per));
            return [box.left + view.left + (column + 0.5) * view.cell, box.top + (row + 0.5) * view.height];
        }})()"""))

    def settle(self) -> None:
        """Wait until the map has drawn what it shows."""
        self.browser.until("!data.volumes.length || MOVING.every(key => shown && shown[key] === view[key])")

    def show(self, lba: int) -> None:
        """Show a block in the middle, so close that a cell is one."""
        self.js(f"showBlock({lba}, true)")
        self.settle()

    def point(self, lba: int) -> str:
        """The text of the page for a block that is shown."""
        self.browser.point(*self.map_place(lba))
        self.browser.until("mapCursor && pointed.text")
        return self.text("#cell")

    def lit_cells(self) -> list[int]:
        """The cells of the file that is lit up, by number."""
        return self.js("[...shown.lit.keys()].filter(i => shown.lit[i])")

    def map_point(self, lba: int, expected: str) -> None:
        """Point at a block, and wait for its text."""
        self.browser.point(*self.map_place(lba))
        self.browser.until("document.querySelector('#cell').textContent !== ''")
        expect(self.text("#cell").split("\n")[0], expected)

    def map_colour(self, lba: int) -> int:
        """The colour of a block on the map."""
        self.settle()
        x, y = self.map_place(lba)
        return self.js(f"""(() => {{
            const map = document.querySelector("#map"), box = map.getBoundingClientRect();
            const [r, g, b] = map.getContext("2d").getImageData({x} - box.left, {y} - box.top, 1, 1).data;
            return r << 16 | g << 8 | b;
        }})()""")

    def wheel(self, x: float, y: float, steps: int) -> None:
        """Turn the wheel by some notches; below 0 is closer."""
        for _ in range(abs(steps)):
            self.browser.mouse("mouseWheel", x, y, deltaX=0, deltaY=120 if steps > 0 else -120)

    def touch(self, kind: str, *points: tuple[float, float]) -> None:
        """Fingers at these points; none at the end."""
        self.browser.call("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)])

    def shown(self) -> tuple[int, int, int, int]:
        """First block, blocks in a cell, columns and rows."""
        return tuple(self.js("[view.first, view.per, view.columns, view.rows]"))

    # === Texts and the list ===

    def segment(self, lba: int, n: int = 1) -> str:
        """The segments of some blocks, in words."""
        v = self.data["volumes"][0]
        first, last = ((block - v["main"]) // v["segment"] for block in (lba, lba + n - 1))
        return f"segment {first}" if first == last else f"segments {first}–{last}"

    def text(self, selector: str) -> str:
        return self.js(f"document.querySelector({json.dumps(selector)}).textContent")

    def paths(self) -> list[str]:
        """The files in the table, from the top."""
        return self.js("[...document.querySelectorAll('#rows bdi')].map(e => e.textContent)")

    def files(self) -> list[dict[str, Any]]:
        """All files, as the list has sorted them."""
        return self.js("source.files().then(list => list.files)")

    def await_lit(self, *paths: str) -> None:
        """Wait until these files are marked, and the map has lit them up."""
        self.browser.until("[...document.querySelectorAll('tr.lit bdi')].map(e => e.textContent).join('|') === " + json.dumps("|".join(paths)) +
                           f" && shown.lit.some(Boolean) === {json.dumps(bool(paths))}")

    def lit(self) -> list[str]:
        """The files whose rows are marked."""
        return self.js("[...document.querySelectorAll('tr.lit bdi')].map(e => e.textContent)")


def hilbert(side: int, cell: int) -> tuple[int, int]:
    """Column and row on the curve, by its definition: four squares; the first and the last are turned."""
    if side == 1:
        return 0, 0
    half = side // 2
    quarter, rest = divmod(cell, half * half)
    x, y = hilbert(half, rest)
    return [(y, x), (x, y + half), (x + half, y + half), (side - 1 - y, half - 1 - x)][quarter]


def blocks(table: Path) -> dict[int, tuple[int, str]]:
    """By block address: offset and path."""
    found = {}
    for line in table.read_text().splitlines():
        if not line.startswith("#"):
            _, lba, length, offset, _, _, path = line.split(" ", 6)
            for i in range(int(length)):
                found[int(lba) + i] = int(offset) + i, path.replace("\\040", " ")
    return found


def copy_counts(folder: Path, table: str = "small.table") -> None:
    """A table of the volume 254:0 with what the module has counted beside it."""
    folder.mkdir()
    for name, original in ("table", table), ("latency", "latency.txt"), ("ledger", "ledger.txt"), ("gc_runs", "gc_runs.txt"):
        (folder / name).write_text((DATA / original).read_text(encoding="utf-8").replace("253:0 ", "254:0 "), encoding="utf-8")


def expect_counts(page: Page, command: str, path: str | Path) -> None:
    """The panel has sentences of the command as they are, all of its JSON, and rows of numbers as in its text."""
    text = subprocess.run([page.view, command, "-t", path], capture_output=True, text=True, check=True).stdout
    volume = json.loads(subprocess.run([page.view, command, "-t", path, "--json"], capture_output=True, text=True, check=True).stdout)["volumes"][0]
    lines, sentences = [line.strip() for line in text.splitlines()], [line.strip() for line in volume["said"].splitlines() if line]
    page.browser.until(f"state.panel === '{command}' && document.querySelector('#counts b')?.textContent === {json.dumps(sentences[0])}")
    said = page.js("[...document.querySelectorAll('#counts > p')].map(e => e.textContent)")
    expect([line for line in said if not line.startswith("counts: ")], sentences[1:])
    assert set(sentences) <= set(lines), (sentences, lines)
    tables = page.js("[...document.querySelectorAll('#counts table')].map(t => [...t.tBodies[0].rows].map(r => [...r.cells].map(c => c.textContent)))")
    kinds = {kind["meaning"] for kind in volume.get("kinds", [])}
    files = [one["name"] for one in volume.get("files", []) if command == "cost" and one["extra"]]
    expect([len(table) for table in tables], {"cost": [1, len(files)], "ledger": [len(kinds), len(volume.get("processes", []))],
                                              "gc": [len(volume.get("reasons", [])), len(volume.get("processes", []))]}[command])
    for table in tables:
        for row in table:
            # what the device got of a process is a sum that the text has not
            shown = row[:2] + row[3:] if command == "ledger" and len(row) == 4 else row
            # and neither are extra requests
            shown = row[:1] + row[2:] if command == "cost" else shown
            assert any(all(cell in line for cell in shown) for line in lines), (shown, text)
    if command == "ledger":
        got = [bytes_text(sum(one[key] for key in ("direct", "data", "nodes", "collected", "moved"))) for one in volume["processes"]]
        expect([row[2] for row in tables[1]], got)
    if command == "cost":
        expect([int(row[1]) for row in tables[1]], [one["extra"] for one in volume["files"] if one["extra"]])


def bytes_text(n: int) -> str:
    """Up to MiB, as the program has them."""
    value, unit = (n / 1024, "KiB") if n < 1024 * 1023.5 else (n / 1048576, "MiB")
    return f"{value:.0f} {unit}" if value == int(value) or value >= 99.95 else f"{value:.1f} {unit}"


def expect(got: object, expected: object) -> None:
    assert got == expected, f"expected {expected!r}, got {got!r}"


# === Running tests ===

Test = Callable[[Page], None]


def needs_devtools(test: Test) -> Test:
    """Mark a test that uses more of a browser than Firefox has."""
    setattr(test, "needs_devtools", True)
    return test


def run(test: Test, view: str, used: browser.Browser | firefox.Browser) -> str:
    """Run one test; return the error, or an empty text."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        page = Page(view, used)
        try:
            used.new_page()
            test(page)
            expect(used.complaints, [])
            return ""
        except Exception:  # any exception is a failure of the test
            return traceback.format_exc()
        finally:
            page.stop()
            os.chdir("/")


def run_all(tests: dict[str, Test], view: str) -> int:
    """Run tests in one browser; return the number of failures."""
    failed = 0
    # messages of the browser during its end do not matter
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        used = ENGINE.Browser(folder)
        try:
            for number, (name, test) in enumerate(tests.items(), 1):
                wrong = run(test, view, used)
                if wrong:
                    print("# " + wrong.strip().replace("\n", "\n# "))
                print(f"{'not ok' if wrong else 'ok'} {number} {name}", flush=True)
                failed += bool(wrong)
        finally:
            used.close()
    return failed


def main(tests: dict[str, object], needs_reader: bool = False) -> int:
    """Run the tests among these names of a script, or those that its arguments name."""
    os.environ.update(TZ="UTC", LC_ALL="C.UTF-8")
    script, view, wanted = os.path.basename(sys.argv[0]), os.path.abspath(sys.argv[1]), sys.argv[2:]
    tests = {name[5:]: t for name, t in tests.items()
             if name.startswith("test_") and (not wanted or name[5:] in wanted) and (ENGINE is browser or not hasattr(t, "needs_devtools"))}
    print(f"KTAP version 1\n# {script} {os.path.basename(view)}\n1..{len(tests)}", flush=True)
    failed = skipped = 0
    missing = "" if ENGINE.program() else NO_BROWSER
    if needs_reader and not reader_is_built():
        missing = NO_READER
    if not missing:
        failed = run_all(tests, view)
    else:
        skipped = len(tests)
        for number, name in enumerate(tests, 1):
            print(f"ok {number} {name} # SKIP {missing}")
    print(f"# Totals: pass:{len(tests) - failed - skipped} fail:{failed} xfail:0 xpass:0 skip:{skipped} error:0")
    return 1 if failed else 0
