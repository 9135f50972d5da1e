#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compare the plans of fragtrace defrag with a naive planner: naive.py PROGRAM SEED ROUNDS.

Each round is a table of random files, as a text or as a snapshot with causes, and random options. The naive
planner takes each block alone: in a window of the request size it counts the blocks whose block address does
not follow that of the written block before them. The program must have found one of the best ways to cut each file into
ranges; of small files all ways are tried.
"""
import itertools
import json
import pathlib
import random
import subprocess
import sys
from typing import Any

from page_cache import windows_of

TO_SNAPSHOT = pathlib.Path(__file__).resolve().parent.parent.parent / "viewer/tests/to_snapshot.py"
NOW = 1700000000
AGAIN = ("overwrite", "tail", "mmap", "atomic")
Ranges = dict[tuple[str, int], dict[str, Any]]      # by path and first block
OPS = AGAIN + ("append", "direct", "gc_bg", "defrag", "unknown")


class File:
    """A file: its blocks by offset, and the causes of its extents."""

    def __init__(self, ino: int, path: str) -> None:
        self.ino, self.path = ino, path
        self.blocks: dict[int, int] = {}
        self.causes: dict[int, tuple[str, bool]] = {}       # by offset: operation, is its writer recent?

    def extents(self) -> list[tuple[int, int, int]]:
        found: list[tuple[int, int, int]] = []
        for offset in sorted(self.blocks):
            lba = self.blocks[offset]
            if found and found[-1][0] + found[-1][2] == offset and found[-1][1] + found[-1][2] == lba:
                found[-1] = (*found[-1][:2], found[-1][2] + 1)
            else:
                found.append((offset, lba, 1))
        return found

    def breaks(self) -> list[int]:
        """The offsets where a fragment begins that is not the first one."""
        order = sorted(self.blocks)
        return [b for a, b in zip(order, order[1:]) if self.blocks[b] != self.blocks[a] + 1]

    def windows(self, size: int) -> list[tuple[int, int, int, int]]:
        """(first block, end, blocks, requests) of each window that has blocks."""
        by_window: dict[int, list[int]] = {}
        for offset in sorted(self.blocks):
            by_window.setdefault(offset // size, []).append(offset)
        found = []
        for offsets in by_window.values():
            requests = 1 + sum(self.blocks[b] != self.blocks[a] + 1 for a, b in zip(offsets, offsets[1:]))
            found.append((offsets[0], offsets[-1] + 1, len(offsets), requests))
        return found


def make_files(rnd: random.Random) -> list[File]:
    """Files that grow in turn, are overwritten, and have holes."""
    files = [File(4 + i, f"/m/{rnd.choice('abc')}/{i}.{rnd.choice(['log', 'sst', 'x'])}")
             for i in range(rnd.randint(1, 8))]
    lba = 100
    for _ in range(rnd.randint(1, 120)):
        file = rnd.choice(files)
        offset = rnd.choice([rnd.randint(0, 200), max(file.blocks, default=-1) + 1, rnd.randint(0, 3) * 32])
        for k in range(rnd.choice([1, 2, 7, 32, 40])):
            file.blocks[offset + k] = lba
            lba += 1
        lba += rnd.choice([0, 0, 1, 50])
    return [f for f in files if f.blocks]


def text_of(rnd: random.Random, files: list[File], has_causes: bool) -> str:
    lines = ["# fragtrace table 1", f"# time {NOW}.000",
             "# volume 254:0 main_blkaddr=100 blocks=100000 segment_blocks=512 path=/m",
             f"# writer old 7 {NOW - 9000} {NOW - 5000}", f"# writer new 8 {NOW - 500} {NOW - 50}"]
    records = []
    for f in files:
        breaks = set(f.breaks())
        state = "fragmented" if breaks else "contiguous"
        for offset, lba, length in f.extents():
            records.append((lba, f"254:0 {lba} {length} {offset} {f.ino} {state} {f.path}"))
            if has_causes and offset in breaks:
                op, recent = rnd.choice(OPS), rnd.random() < 0.7
                f.causes[offset] = (op, recent)
                lines.append(f"# cause {f.ino} {offset} {op} none moved {3 if recent else 2}")
    return "\n".join(lines + [line for _, line in sorted(records)]) + "\n"


def is_hopeless(f: File, recent_s: int) -> bool:
    breaks = f.breaks()
    bad = [b for b in breaks if b in f.causes and f.causes[b][0] in AGAIN and
           recent_s and NOW - (50 if f.causes[b][1] else 5000) + recent_s >= NOW]
    return bool(bad) and 2 * len(bad) >= len(breaks)


class Heat:
    """Counts of reads by inode and window, and the options that go with them."""

    def __init__(self, rnd: random.Random, files: list[File]) -> None:
        self.length = rnd.choice([1, 2, 8, 32, 64])
        self.percent = rnd.choice([100, 100, 50, 10, 1.5])
        self.by_bytes = rnd.random() < 0.3
        # reads, blocks, requests, overwrites, continued
        self.windows: dict[tuple[int, int], tuple[int, int, int, int, int]] = {}
        for f in files:
            for number in range(max(f.blocks) // self.length + 2):
                if rnd.random() < 0.7:
                    reads = rnd.randint(0, 40)
                    self.windows[f.ino, number] = (reads, reads * rnd.randint(1, self.length), rnd.choice([0, reads, rnd.randint(0, 200)]),
                                                   rnd.randint(0, 40), rnd.choice([0, reads, rnd.randint(0, reads)]))
        ordered = sorted((self.counted(*window) for window in self.windows.values()), reverse=True)
        self.least = 0
        read = 0
        for blocks in ordered if self.percent < 100 else []:
            if read * 100 >= self.percent * sum(ordered):
                break
            read += blocks
            self.least = blocks

    @staticmethod
    def counted(_reads: int, blocks: int, _requests: int, overwrites: int, _continued: int) -> int:
        """What counts of a window."""
        return blocks + overwrites

    def text(self, rnd: random.Random) -> str:
        lines = [f"254:0 {ino} {number * self.length} {reads} {blocks} {requests} {overwrites} {continued} /m/any"
                 for (ino, number), (reads, blocks, requests, overwrites, continued) in self.windows.items()]
        rnd.shuffle(lines)
        return "\n".join(["# fragtrace heat 2", f"# windows blocks={self.length} period_secs=3600",
                          "# dev ino offset reads blocks requests overwrites continued path", *lines]) + "\n"

    def options(self) -> list[str]:
        return ["--heat", "heat", "--hot", str(self.percent)] + (["--like", "fragpicker"] if self.by_bytes else [])

    def window(self, f: File, offset: int) -> tuple[int, int, int, int, int, int]:
        """(reads, blocks, requests, overwrites, continued, length) of the window of a block."""
        number = offset // self.length
        length = min((number + 1) * self.length, max(f.blocks) + 1) - number * self.length
        return (*self.windows.get((f.ino, number), (0, 0, 0, 0, 0)), length)

    def is_hot(self, f: File, offset: int) -> bool:
        return self.counted(*self.window(f, offset)[:5]) >= self.least

    def of_bytes(self, f: File, begin: int, end: int) -> float:
        """FragPicker's weight of a range."""
        hot = [self.window(f, offset) for offset in range(begin, end) if self.is_hot(f, offset)]
        return sum((blocks + overwrites) / length for _, blocks, _, overwrites, _, length in hot) / (end - begin)

    def together(self, f: File, offset: int) -> float:
        """How often a block was read with the one before it."""
        reads, blocks, requests, _, continued, length = self.window(f, offset)
        if offset % self.length == 0:
            return continued
        breaks = [b for b in f.breaks() if b // self.length == offset // self.length and b % self.length]
        if offset in breaks:
            return max(0, min(requests - reads, blocks - reads, reads * len(breaks))) / len(breaks)
        return (blocks - reads) / (length - 1) if length > 1 and blocks > reads else 0

    def of_break(self, f: File, offset: int, in_place: bool) -> float:
        _, _, _, overwrites, _, length = self.window(f, offset)
        return self.together(f, offset) + (overwrites / length if in_place else 0) if self.is_hot(f, offset) else 0


class NoHeat(Heat):
    """Nothing is known of readers: each break weighs the same, and a new one at an edge costs nothing."""

    def __init__(self) -> None:
        pass

    def is_hot(self, f: File, offset: int) -> bool:
        return True

    def together(self, f: File, offset: int) -> float:
        return 0

    def of_break(self, f: File, offset: int, in_place: bool) -> float:
        return 1


def is_rewritten(f: File, begin: int, end: int, has_causes: bool) -> bool:
    """Has F2FS written a part of this window anew, elsewhere?"""
    touched = [offset for offset, _, length in f.extents() if offset < end and offset + length > begin]
    # all extents of a fragment, which may have holes in it, have the cause of the break before it
    begins = [max((b for b in f.breaks() if b <= offset), default=-1) for offset in touched]
    return not has_causes or any(f.causes.get(b, ("", False))[0] in AGAIN for b in begins)


class Window:
    """A window: the weights of its breaks and of its edges."""

    def __init__(self, f: File, heat: Heat, size: int, window: tuple[int, int, int, int], has_causes: bool) -> None:
        self.begin, self.end, self.blocks, self.requests = window
        self.number = self.begin // size
        order = sorted(f.blocks)
        breaks = f.breaks()
        in_place = not is_rewritten(f, self.begin, self.end, has_causes)
        self.breaks = {b: heat.of_break(f, b, in_place) for b in breaks if self.begin < b < self.end}
        after = [offset for offset in order if offset >= self.end]
        self.left_fragmented = self.begin in breaks or self.begin == order[0]
        self.left = heat.together(f, self.begin) if self.begin > 0 and (not self.left_fragmented or heat.is_hot(f, self.begin)) else 0
        self.right = heat.together(f, after[0]) if after and after[0] not in breaks else 0
        self.offsets = [offset for offset in order if self.begin <= offset < self.end]

    def begin_costs(self) -> dict[int, float]:
        """By where a range may begin: what that costs."""
        costs = {self.begin: 0 if self.left_fragmented else self.left}
        return {**costs, min(self.breaks): self.breaks[min(self.breaks)]} if self.breaks else costs

    def end_costs(self) -> dict[int, float]:
        costs = {self.end: self.right}
        return {**costs, max(self.breaks): self.breaks[max(self.breaks)]} if self.breaks else costs

    def joins(self, before: "Window") -> bool:
        """Is it worth something to move it together with the window before?"""
        return before.number + 1 == self.number and self.left > 0

    def join(self) -> float:
        return self.left if self.left_fragmented else 0

    def best_begin(self, price: float) -> float:
        """The least that a begin costs, less the price of the blocks that need not be moved then."""
        return min(cost - price * sum(offset < begin for offset in self.offsets) for begin, cost in self.begin_costs().items())

    def best_end(self, price: float) -> float:
        return min(cost - price * sum(offset >= end for offset in self.offsets) for end, cost in self.end_costs().items())


def best_cut(windows: list[Window], price: float) -> float:
    """The most that can be gained, less the price of the blocks; each window is left, or begins, continues or ends a range."""
    open_sum, closed_sum = float("-inf"), 0.0
    for i, w in enumerate(windows):
        on = open_sum + w.join() if i and w.joins(windows[i - 1]) else float("-inf")
        open_sum = sum(w.breaks.values()) - price * w.blocks + max(on, closed_sum - w.best_begin(price))
        closed_sum = max(closed_sum, open_sum - w.best_end(price))
    return closed_sum


def value_of(windows: list[Window], found: dict[int, tuple[int, int]]) -> float:
    """What the ranges that were found gain; by window the begin and the end of its range."""
    total = 0.0
    for i, w in enumerate(windows):
        if w.number not in found:
            continue
        begin, end = found[w.number]
        total += sum(w.breaks.values())
        before = windows[i - 1] if i and w.joins(windows[i - 1]) and windows[i - 1].number in found else None
        joined = before and begin == w.begin and found[before.number][1] == before.end
        total += w.join() if joined else -w.begin_costs()[begin]
        after = windows[i + 1] if i + 1 < len(windows) and windows[i + 1].joins(w) and windows[i + 1].number in found else None
        if not (after and end == w.end and found[after.number][0] == after.begin):
            total -= w.end_costs()[end]
    return total


def best_of_all(windows: list[Window], price: float) -> float:
    """The same as best_cut(), by trying everything: each window is left, or has one of its begins and ends."""
    ways: list[list[tuple[int, int] | None]] = [
        [None, *((begin, end) for begin in w.begin_costs() for end in w.end_costs() if begin < end)] for w in windows]
    best = 0.0
    for chosen in itertools.product(*ways):
        found = {w.number: way for w, way in zip(windows, chosen) if way}
        moved = sum(found[w.number][0] <= offset < found[w.number][1] for w in windows if w.number in found for offset in w.offsets)
        best = max(best, value_of(windows, found) - price * moved)
    return best


def heat_of(windows: list[Window], i: int) -> float:
    """The mean weight of the breaks of a window; of a whole one, that of the heaviest break at its edges."""
    w = windows[i]
    if w.breaks:
        return sum(w.breaks.values()) / len(w.breaks)
    return max([b.join() for a, b in zip(windows, windows[1:]) if (a is w or b is w) and b.joins(a)] + [0])


def check_cuts(plan: dict[str, Any], files: list[File], heat: Heat, size: int, has_causes: bool, min_gain: float) -> Ranges:
    """The ranges must be a best cut; return them as found, by path and first block of their window."""
    volume, = plan["volumes"]
    by_path = {f["path"]: f["ranges"] for f in volume["files"]}
    price = min_gain / 256
    expected: Ranges = {}
    for f in sorted(files, key=lambda f: min(f.blocks.values())):
        windows = [Window(f, heat, size, w, has_causes) for w in f.windows(size)]
        ranges = {r["offset"] // 4096 // size: r for r in by_path.get(f.path, [])}
        assert list(ranges) == sorted(ranges) and len(ranges) == len(by_path.get(f.path, []))
        assert {w.number for w in windows if w.requests > 1} <= ranges.keys()
        found = {}
        moved, claimed = 0, 0.0
        before_end = -1
        for i, w in enumerate(windows):
            if not (r := ranges.pop(w.number, None)):
                continue
            begin, end = r["offset"] // 4096, r["end"] // 4096
            assert begin in w.begin_costs() and end in w.end_costs()
            kept = (begin != w.begin) + (end != w.end)
            assert r["requests_after"] == 1 + kept and r["requests"] == w.requests
            assert r["bytes"] == 4096 * sum(begin <= offset < end for offset in w.offsets)
            assert abs(r["heat"] - heat_of(windows, i)) < 1e-4 * (1 + r["heat"])
            assert abs(r["saved"] - r["gain"] * r["bytes"] / 2**20) < 1e-5
            if r["gain"] > 0 and r["gain"] >= min_gain:
                found[w.number] = begin, end
                moved += r["bytes"] // 4096
                claimed += r["saved"]
            else:
                assert w.requests > 1, r
                alone = sum(w.breaks.values()) - w.begin_costs()[w.begin] - w.end_costs()[w.end]
                assert (begin, end) == (w.begin, w.end) and abs(r["saved"] - max(0, alone)) < 1e-5, (r, alone)
            expected[f.path, begin] = {"path": f.path, "first": begin, "end": end, "blocks": r["bytes"] // 4096, "requests": r["requests"],
                                       "after": r["requests_after"], "gain": r["gain"], "saved": r["saved"],
                                       "joined": w.number in found and begin == w.begin and i > 0 and w.joins(windows[i - 1])
                                       and before_end == windows[i - 1].end, "chosen": False}
            before_end = end if w.number in found else -1
        assert not ranges
        assert abs(claimed - value_of(windows, found)) < 1e-3, (f.path, claimed, value_of(windows, found))
        net = claimed - price * moved
        if len(windows) <= 4:
            assert abs(best_of_all(windows, price) - best_cut(windows, price)) < 1e-6, f.path
        assert abs(net - best_cut(windows, price)) < 1e-3, (f.path, net, best_cut(windows, price))
    return expected


def whole_windows(files: list[File], size: int, heat: Heat) -> Ranges:
    """The ranges of FragPicker's rules: all fragmented windows."""
    ranges: Ranges = {}
    for f in sorted(files, key=lambda f: min(f.blocks.values())):
        for begin, end, blocks, requests in f.windows(size):
            if requests > 1:
                weight = heat.of_bytes(f, begin, end)
                ranges[f.path, begin] = {"path": f.path, "first": begin, "end": end, "blocks": blocks, "requests": requests, "after": 1,
                                         "gain": round(weight * (requests - 1) * 256 / blocks, 6),
                                         "saved": weight * (requests - 1), "joined": False, "chosen": False}
    return ranges


def choose(ranges: Ranges, files: list[File], budget: int, min_gain: float, recent_s: int, spared: bool, heat: Heat | None) -> None:
    bad = {f.path: is_hopeless(f, recent_s) for f in files}
    left = budget // 4096 if budget else 1 << 60
    for r in ranges.values():
        r["bad"] = bad[r["path"]]
    parts: list[list[dict[str, Any]]] = []
    for r in ranges.values():           # what is moved together is chosen together
        if r["joined"]:
            parts[-1].append(r)
        else:
            parts.append([r])
    for part in sorted(parts, key=lambda part: -part[0]["gain"]):        # a stable sort
        blocks, gain = sum(r["blocks"] for r in part), part[0]["gain"]
        if gain > 0 and gain >= min_gain and blocks <= left and not (spared and part[0]["bad"]):
            left -= blocks
            for r in part:
                r["chosen"] = True


def read_requests(blocks: dict[int, int], at_once: int, direct: bool) -> int:
    """The requests of a sequential reader, 128 KiB ahead."""
    total = 0
    for begin, end in windows_of(max(blocks) + 1, at_once, 32, 0, direct):
        offsets = [offset for offset in range(begin, end) if offset in blocks]
        total += bool(offsets) + sum(blocks[b] != blocks[a] + 1 for a, b in zip(offsets, offsets[1:]))
    return total


def check_reader(plan: dict[str, Any], files: list[File], at_once: int, direct: bool) -> None:
    """Foreseen are the requests with the blocks where they are, and with those of chosen ranges behind each other elsewhere."""
    volume, = plan["volumes"]
    chosen = {f["path"]: [r for r in f["ranges"] if r["chosen"]] for f in volume["files"]}
    before = after = 0
    for f in files:
        moved = dict(f.blocks)
        end = 1 << 30
        for r in chosen.get(f.path, []):
            for offset in range(r["offset"] // 4096, r["end"] // 4096):
                if offset in moved:
                    moved[offset] = end
                    end += 1
        before += read_requests(f.blocks, at_once, direct)
        after += read_requests(moved, at_once, direct)
    reader = volume["reader"]
    assert (reader["direct"], reader["read_bytes"], reader["ahead_bytes"]) == (direct, at_once * 4096, 131072)
    for kind in "", "_least":       # the device is not known, and so takes any number of pages
        assert (reader[f"requests{kind}"], reader[f"requests_after{kind}"]) == (before, after), (reader, before, after)


def compare(plan: dict[str, Any], files: list[File], expected: Ranges, size: int) -> None:
    """One volume, whose numbers and ranges must be the expected ones."""
    volume, = plan["volumes"]
    assert volume["request_bytes"] == size * 4096
    assert volume["requests"] == sum(w[3] for f in files for w in f.windows(size))
    assert volume["requests_ideal"] == sum(len(f.windows(size)) for f in files)
    assert volume["breaks"] == sum(len(f.breaks()) for f in files)
    chosen = [r for r in expected.values() if r["chosen"]]
    assert volume["bytes"] == 4096 * sum(r["blocks"] for r in chosen)
    assert volume["requests_after"] == volume["requests"] - sum(r["requests"] - r["after"] for r in chosen)
    assert abs(volume["saved"] - sum(r["saved"] for r in chosen)) < 1e-4 * (1 + volume["saved"])
    assert volume["segments"] == -(-sum(r["blocks"] for r in chosen) // 512)
    got = {(f["path"], r["offset"] // 4096): (r, f) for f in volume["files"] for r in f["ranges"]}
    assert got.keys() == expected.keys()
    for key, (r, f) in got.items():
        want = expected[key]
        assert (r["end"], r["bytes"], r["requests"]) == (want["end"] * 4096, want["blocks"] * 4096, want["requests"])
        assert r["requests_after"] == want["after"] and abs(r["gain"] - want["gain"]) < 1e-4, (r, want)
        assert r["chosen"] == want["chosen"], (key, r, want)
        assert bool(f["hopeless"]) == want["bad"]
    saved = [f["requests"] - f["requests_after"] for f in volume["files"]]
    assert saved == sorted(saved, reverse=True)


def one_round(program: str, rnd: random.Random) -> int:
    files = make_files(rnd)
    has_causes = rnd.random() < 0.5
    text = text_of(rnd, files, has_causes)
    table = pathlib.Path("table")
    table.write_text(text)
    if has_causes:
        table.write_bytes(subprocess.run([sys.executable, str(TO_SNAPSHOT), "table"], check=True,
                                         capture_output=True).stdout)
    size = rnd.choice([1, 2, 3, 8, 32, 32, 100, 1 << 18])
    budget = rnd.choice([0, 0, 4096, 10 * 4096, 64 * 4096 + 5, 1 << 30])
    given = rnd.choice([None, None, 0.0, 0.0, 8.0, 100.0, 2.7, 999999999.9])
    recent_s = rnd.choice([0, 49, 50, 600, 600, 5000])
    heat = Heat(rnd, files) if rnd.random() < 0.6 else None
    if heat:
        pathlib.Path("heat").write_text(heat.text(rnd))
    min_gain = given if given is not None else 0 if heat and heat.by_bytes else 128 / size
    arguments = [program, *(heat.options() if heat else ["--all"]), "-t", "table", "--json", "--request", str(size * 4096), *(["--min-gain", str(given)] if given is not None else []),
                 *(["--recent", str(recent_s)] if recent_s != 600 else []), *(["--budget", str(budget)] if budget else [])]
    at_once, direct = rnd.choice([1, 1, 3, 32, 64]), rnd.random() < 0.4
    arguments += ["--reader", f"{'direct' if direct else 'buffered'},{at_once * 4}K"]
    run = subprocess.run(arguments, capture_output=True, check=False)
    assert not run.stderr, run.stderr
    plan = json.loads(run.stdout)
    if heat and heat.by_bytes:
        expected = whole_windows(files, size, heat)
    else:
        expected = check_cuts(plan, files, heat or NoHeat(), size, has_causes, min_gain)
    spared = not heat.by_bytes if heat else recent_s != 600
    choose(expected, files, budget, min_gain, recent_s, spared, heat)
    compare(plan, files, expected, size)
    check_reader(plan, files, at_once, direct)
    worth = any(r["chosen"] for r in expected.values())
    assert run.returncode == (0 if worth else 4), run.returncode
    return len(expected)


def main() -> None:
    program, seed, rounds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    rnd = random.Random(seed)
    ranges = sum(one_round(program, rnd) for _ in range(rounds))
    assert ranges > rounds, "the tables have too few fragmented windows"
    print(f"# {rounds} plans, {ranges} ranges")


main()
