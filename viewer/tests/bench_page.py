#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Times the page that opens files, in Chromium and Firefox. Prints figures without a verdict.

usage: bench_page.py PROGRAM [INPUT...]

Without an input: synthetic tables of 100 000 and 1 000 000 extents. Of each input: the size of the page; from the beginning of
loading to the first map, in ms; while the map is dragged, the time from one frame to the next; and the memory of all processes of
the browser beyond that of an empty page. Three numbers are the minimum, the median and the maximum of five rounds, in which the
browsers take turns; of frames, of all of them.
"""
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from types import ModuleType

import browser
import firefox
from pages import NO_READER, reader_is_built

ROUNDS, FRAMES, SIZES = 5, 60, (100_000, 1_000_000)
FIRST_MAP = """new Promise(resolve => {
    const look = () => document.body.className === "" && shown && MOVING.every(key => shown[key] === view[key]) ?
        resolve(performance.now()) : requestAnimationFrame(look);
    look();
})"""
DRAG = f"""(async () => {{
    const times = [];
    for (let i = 0; i < 4; i++)
        zoomOnce(true, 200, 200);
    for (let i = 0, last = 0; i <= {FRAMES}; i++) {{
        setFirst(view.first + (i < {FRAMES} / 2 ? 1 : -1) * view.columns * view.per);
        moved();
        const now = await new Promise(requestAnimationFrame);
        if (i)
            times.push(now - last);
        last = now;
    }}
    return times;
}})()"""


def write_table(path: Path, extents: int) -> None:
    """1000 files whose fragments of 1 to 8 blocks alternate, with gaps between."""
    rng, lba, offsets = random.Random(1), 5120, [0] * 1000
    with open(path, "w", encoding="ascii") as table:
        print(f"# fragtrace table 1\n# volume 254:0 main_blkaddr=5120 blocks={5120 + extents * 7} segment_blocks=512 path=/mnt/f2fs", file=table)
        for i in range(extents):
            file, length = i % 1000, rng.randrange(1, 9)
            print(f"254:0 {lba} {length} {offsets[file]} {file + 4} fragmented /mnt/f2fs/db/{file:06}.sst", file=table)
            offsets[file] += length
            lba += length + rng.randrange(3)


def memory(group: int) -> int:
    """Proportional size of all processes of a group, in bytes."""
    total = 0
    for process in Path("/proc").iterdir():
        try:
            if process.name.isdigit() and os.getpgid(int(process.name)) == group:
                total += sum(int(line.split()[1]) << 10 for line in (process / "smaps_rollup").read_text().splitlines() if line.startswith("Pss:"))
        except OSError:
            continue
    return total


def spread(values: list[float]) -> str:
    """Minimum, median and maximum."""
    ordered = sorted(values)
    return f"{ordered[0]:6.0f} {ordered[len(ordered) // 2]:6.0f} {ordered[-1]:6.0f}"


def visit(engine: ModuleType, url: str, noted: dict[str, list[float]]) -> None:
    """One round in one browser."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        used = engine.Browser(folder)
        try:
            used.new_page()
            before = memory(used.process.pid)
            used.open(url)
            noted["first map, ms"].append(used.js(FIRST_MAP))
            noted["memory, MiB"].append((memory(used.process.pid) - before) >> 20)
            noted["frame, ms"] += used.js(DRAG)
        finally:
            used.close()


def main() -> int:
    """All inputs."""
    view, inputs = os.path.abspath(sys.argv[1]), [Path(name).absolute() for name in sys.argv[2:]]
    engines = {name: engine for name, engine in (("Chromium", browser), ("Firefox", firefox)) if engine.program()}
    if not engines or not reader_is_built():
        print("the page that opens files:", NO_READER if engines else "no browser is installed")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for extents in SIZES if not inputs else ():
            inputs.append(Path(f"{extents} extents"))
            write_table(inputs[-1], extents)
        for path in inputs:
            subprocess.run([view, "page", path, "-o", "page.html"], check=True)
            print(f"{path.name}: the page has {os.path.getsize('page.html') / 2**20:.2f} MiB")
            found: dict[str, dict[str, list[float]]] = {name: {"first map, ms": [], "frame, ms": [], "memory, MiB": []} for name in engines}
            for _ in range(ROUNDS):
                for name, engine in engines.items():
                    visit(engine, Path("page.html").absolute().as_uri(), found[name])
            for name, noted in found.items():
                for what, values in noted.items():
                    print(f"  {name:9} {what:14} {spread(values)}", flush=True)
        os.chdir("/")
    return 0


if __name__ == "__main__":
    sys.exit(main())
