#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""Draws the pictures of the README files anew: draw.py PROGRAM. `make images` calls it.

All are drawn from what real systems had, kept in tests/data: rocksdb.snapshot.zst is the file `snapshot` that `make demo` left on
2026-11-25 (RocksDB 7.8.3, Linux 6.12), packed by zstd, and rocksdb.defrag.table its `table.defrag`, 5 seconds later; redis.table is
from Redis on an aged volume. The page needs chromium-headless-shell.
"""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
DATA = HERE.parent / "tests/data"
sys.path.insert(0, str(HERE.parent / "tests"))

import browser  # noqa: E402
from serving import Server  # noqa: E402

# When the table was recorded, in seconds since 1970: it has no time of its own.
RECORDED = 1795385690
# Where a block of the file is on the map.
PLACE = """(() => {
    const box = document.querySelector("#map").getBoundingClientRect();
    const cell = Math.floor((194962 - view.first) / view.per), row = Math.floor(cell / view.columns);
    return [box.left + GUTTER + (cell % view.columns + 0.5) * view.cell, box.top + (row + 0.5) * view.height];
})()"""
# A GitHub page is slow with larger ones.
MOST_BYTES = 150000


def page(view: str, table: Path, name: str) -> None:
    """The served page, closer to where one file is; that file is lit up, and the mouse is on it."""
    server = Server(view, table)
    # messages of the browser during its end do not matter
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        chromium = browser.Browser(folder)
        try:
            chromium.new_page(1120, 640)
            chromium.open(server.url)
            chromium.until("shown !== null && document.querySelectorAll('#rows tr').length === 3")
            chromium.click_on("#rows tr:nth-child(2)")
            while chromium.js("view.per") > 2:
                x, y = chromium.js(PLACE)
                chromium.mouse("mouseWheel", x, y, deltaX=0, deltaY=-120)
                chromium.until("shown && MOVING.every(key => shown[key] === view[key])")
            chromium.point(*chromium.js(PLACE))
            chromium.until("document.querySelector('#cell').textContent.includes('base.rdb')")
            chromium.shot(name)
        finally:
            chromium.close()
            server.stop()


def main() -> None:
    view, plot = os.path.abspath(sys.argv[1]), HERE.parent / "fragtrace-plot"
    os.environ.update(TZ="UTC", LC_ALL="C.UTF-8")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        table = Path(folder, "redis.table")
        table.write_bytes((DATA / "redis.table").read_bytes().replace(b"\n", b"\n# time %d.000\n" % RECORDED, 1))
        sample = DATA / "rocksdb.snapshot.zst"
        commands = ([view, "view", sample, "--only", "*.sst", "--color-by", "why", "-i", HERE / "example.img.cnf", "-o", "example.png"],
                    [view, "view", table, "--layout", "segments", "-o", "example-segments.png"],
                    [view, "view", table, "--layout", "hilbert", "-o", "example-hilbert.png"],
                    [view, "file", "000058.sst", "-t", sample, "-o", "file.png"],
                    [plot, "distribution", table, "--dpi", "96", "-o", "distribution.png"],
                    [plot, "compare", sample, DATA / "rocksdb.defrag.table", "-c", "rocksdb", "-o", "example-defrag.png",
                     "--title", "RocksDB, before and after fragtrace defrag"])
        for command in commands:
            subprocess.run(list(map(str, command)), check=True, stdout=subprocess.DEVNULL)
        if browser.program():
            page(view, table, "page.png")
        for picture in sorted(Path(folder).glob("*.png")):
            size = picture.stat().st_size
            if size > MOST_BYTES:
                sys.exit(f"{picture.name} has {size} bytes, expected at most {MOST_BYTES}")
            shutil.copy(picture, HERE)


main()
