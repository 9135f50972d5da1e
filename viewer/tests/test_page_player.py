#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests the player of a served recording; speaks KTAP.

usage: test_page_player.py PROGRAM [TEST...]; pages.py has what a test is
"""
import json
import random
import sys
import time
from pathlib import Path

from pages import DATA, PLAIN, Page, expect, main
from recorder import Model, Recorder, iso, record, record_gap, write_state


# === The player ===

def follow(page: Page, folder: str) -> None:
    """Serve a recording, and wait until the player knows it."""
    page.serve(folder, *PLAIN[:2])
    page.browser.until("player.spans.length && player.last > player.first")
    # how many tables are asked for, and how many at a time
    page.js("""(() => {
        const old = window.fetch;
        window.asked = window.open = window.most = 0;
        window.fetch = async (url, ...more) => {
            if (!url.startsWith("table"))
                return old(url, ...more);
            asked++;
            most = Math.max(most, ++open);
            try { return await old(url, ...more); } finally { open--; }
        };
    })()""")


def until_at(page: Page, time_ms: int) -> None:
    """Wait until the page shows a moment, to its last cell."""
    page.browser.until(f"data.time === {time_ms} && Math.round(player.at) === {time_ms}")
    page.settle()
    assert page.server
    at = {"at": iso(time_ms * 10 ** 6)}
    volume = page.js("[view.first, view.per, shown.n]")
    flat = page.server.ask("cells", volume=0, **at, **dict(zip(("first", "per", "n"), volume)))["cells"]
    cells = [[rgb, share] for n, rgb, share in zip(*[iter(flat)] * 3) for _ in range(n)]
    page.browser.until(f"JSON.stringify([...shown.rgb].map((c, i) => [c, Math.round(shown.share[i] * 1000)])) === '{json.dumps(cells, separators=(',', ':'))}'")
    files = page.server.ask("files", n=100, **at)["files"]
    page.browser.until(f"document.querySelectorAll('#rows tr').length === {len(files)}")


def test_player(page: Page) -> None:
    recorder = record(Path("run"), 11)
    begin, end = recorder.truth[0][0] // 10 ** 6, recorder.truth[-1][0] // 10 ** 6
    follow(page, "run")
    expect(page.js("[player.first, player.last, player.at, player.spans.length]"), [begin, end, end, 3])
    expect(page.js("[time.min, time.max, time.value, speed.value].map(Number)"), [begin, end, end, 1])
    until_at(page, end)
    # the slider moves the picture
    before = page.js("[...shown.share].join()")
    page.browser.click_on("#time")
    middle = page.js("Number(time.value)")
    assert abs(middle - (begin + end) / 2) < (end - begin) / 50, (begin, middle, end)
    until_at(page, middle)
    assert page.js("[...shown.share].join()") != before
    # keys: a second of play, snapshots, the ends
    page.browser.key("ArrowRight")
    until_at(page, middle + 1000)
    page.browser.key("ArrowLeft")
    page.browser.key("ArrowLeft")
    until_at(page, middle - 1000)
    starts = page.js("player.spans.map(s => s[0])")
    after = next(s for s in starts if s > middle - 1000)
    page.browser.key("PageUp")
    until_at(page, after)
    page.browser.key("PageDown")
    until_at(page, starts[starts.index(after) - 1])
    page.browser.key("Home")
    until_at(page, begin)
    text = page.text("#clock")
    assert text.startswith(time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(begin // 1000))) and ", 0s of " in text, text
    expect(page.js("time.getAttribute('aria-valuetext')"), text)
    # a file stays lit up, and what is below the pointer is of the moment
    expect(page.js("[most, isLost]"), [1, False])


def test_curve(page: Page) -> None:
    record(Path("run"), 11, 6)
    follow(page, "run")
    page.browser.until("player.curves.length === player.spans.length")
    # as high as there are breaks
    heights = """(() => {
        const c = document.querySelector("#ticks"), ratio = c.width / c.clientWidth, context = c.getContext("2d"), room = c.clientHeight - TICK;
        const place = time => placeOnTrack(time, c.clientWidth), all = player.curves.flat();
        return all.filter(([time], i) => i + 1 < all.length && place(all[i + 1][0]) - place(time) > 8).map(([time, , n]) => {
            const x = Math.round((place(time) + 4) * ratio);
            const drawn = [...Array(room).keys()].filter(y => context.getImageData(x, Math.round(y * ratio), 1, 1).data[3] > 127).length;
            return [n, drawn, Math.round(room * n / mostBreaks())];
        });
    })()"""
    found = page.js(heights)
    assert len(found) > 9 and len({n for n, _, _ in found}) > 5 and all(abs(drawn - high) <= 1 for _, drawn, high in found), found
    # and in words: the fragments that files have beyond their first ones
    for at in page.js("[player.first, (player.first + player.last) / 2, player.last].map(Math.round)"):
        page.js(f"jump({at})")
        until_at(page, at)
        breaks = page.js("[...document.querySelectorAll('#rows td:nth-child(3)')].reduce((sum, e) => sum + Number(e.textContent) - 1, 0)")
        assert f", {breaks} break{'' if breaks == 1 else 's'} of at most " in page.text("#clock"), (breaks, page.text("#clock"))
    # of a part there is none
    page.serve("run", "--only", "f6.sst")
    page.browser.until("player.spans.length === 6")
    expect((page.js("player.curves.length"), "break" in page.text("#clock")), (0, False))


def until_lit(page: Page, **asked: str) -> list[int]:
    """Until the cells that are lit up are those that the server says, at the place that is shown."""
    assert page.server
    end = time.monotonic() + 60
    while True:
        first, per, n, lit = page.js("[view.first, view.per, shown.n, [...shown.lit.keys()].filter(i => shown.lit[i])]")
        flat = page.server.ask("cells", volume=0, first=first, per=per, n=n, **asked)["lit"]
        cells = [cell for begin, last in zip(*[iter(flat)] * 2) for cell in range(begin, last + 1)]
        if lit == cells:
            return cells
        assert time.monotonic() < end, f"lit up: {lit}, the server: {cells}"
        time.sleep(0.1)


def expect_compared(page: Page, then_ms: int, now_ms: int) -> None:
    """The page has what the server answers about two moments."""
    until_at(page, now_ms)
    assert page.server
    both = {"since": iso(then_ms * 10 ** 6), "at": iso(now_ms * 10 ** 6)}
    until_lit(page, **both)
    found = page.server.ask("files", n=100, sort="change", **both)
    shown = ["0" if not n else f"+{n}" if n > 0 else f"\u2212{-n}" for n in found["changes"]]
    page.browser.until(f"JSON.stringify([...document.querySelectorAll('#rows td:nth-child(3)')].map(e => e.textContent)) === {json.dumps(json.dumps(shown, separators=(',', ':'), ensure_ascii=False))}")
    expect(page.paths(), [line[0] for line in found["files"]])
    text = page.text("#summary")
    assert f"; at {page.js(f'timeText({then_ms})')}: " in text and (f"{found['gone']} file" in text) == (found["gone"] > 0), (text, found["gone"])


def expect_lit(page: Page, now_ms: int) -> None:
    """The cells of the chosen file are lit up, as the server says without another moment."""
    assert until_lit(page, at=iso(now_ms * 10 ** 6), lit=page.js("chosen.key"))


def test_moments_that_cannot_be_compared(page: Page) -> None:
    """The page says why, and shows one moment."""
    recorder = record(Path("run"), 24)
    then, now = (recorder.truth[i][0] // 10 ** 6 for i in (len(recorder.truth) // 3, -1))
    follow(page, "run")
    page.js(f"jump({then})")
    until_at(page, then)
    page.browser.click_on("#toCompare")
    page.browser.until("compared.at")
    page.js("""(() => {
        const old = window.fetch;
        window.fetch = (url, ...more) => url.includes("since=") ? Promise.resolve(new Response("it was deleted", { status: 404 })) : old(url, ...more);
    })()""")
    page.js(f"jump({now})")
    until_at(page, now)
    page.browser.until("!compared.at")
    expect(page.js("[trouble.textContent, trouble.hidden, toCompare.getAttribute('aria-pressed'), state.sort]"), ["it was deleted", False, "false", "extra"])
    page.browser.click_on("#toCompare")
    page.browser.until("trouble.textContent === 'it was deleted'")
    expect(page.js("[compared.at, document.body.className]"), ["", ""])


def test_two_moments(page: Page) -> None:
    recorder = record(Path("run"), 24)
    then, now = (recorder.truth[i][0] // 10 ** 6 for i in (len(recorder.truth) // 3, -1))
    follow(page, "run")
    page.js(f"jump({then})")
    until_at(page, then)
    head = "[...document.querySelectorAll('#head button')].map(e => e.textContent)"
    columns = page.js(head)
    page.browser.click_on("#toCompare")
    page.browser.until("compared.at")
    expect(page.js(f"[toCompare.getAttribute('aria-pressed'), {head}, state.sort]"), ["true", [*columns[:2], "Change", *columns[2:]], "change"])
    expect_compared(page, then, then)
    expect(page.js("shown.lit.includes(1)"), False)
    page.js(f"jump({now})")
    expect_compared(page, then, now)
    # what has changed is in its colour, or in another one if it is free now; all else is grey
    seen = page.js("""[...shown.share.keys()].map(i => [shown.lit[i], Boolean(shown.share[i]), colorsOf(shown)(i)])""")
    grey = {colour for lit, used, colour in seen if used and not lit}
    assert all(len(set(colour[4:-1].split(", "))) == 1 for colour in grey), grey
    assert any(lit and not used for lit, used, _ in seen)
    expect({colour for lit, used, colour in seen if lit and not used} - {page.js("getComputedStyle(document.documentElement).getPropertyValue('--lit')")}, set())
    assert {colour for lit, used, colour in seen if lit and used} - grey and "free, but not at" in page.text("#legend")
    # a file that is lit up goes first
    page.browser.click_on("#rows tr:nth-child(1) button")
    page.browser.until("chosen")
    expect_lit(page, now)
    page.browser.until("!legend.textContent.includes('free, but not at')")
    page.browser.key("Escape")
    page.browser.until("!chosen")
    # the link has both moments
    page.browser.until("location.hash.includes('since=') && location.hash.includes('at=') && location.hash.slice(1) === linkOf()")
    link = page.js("location.href")
    page.js("sessionStorage.clear()")
    page.browser.new_page()
    page.browser.open(link)
    expect_compared(page, then, now)
    # a reload without the link, whose order is that of changes
    page.js("location.hash = ''")
    page.browser.until("!compared.at")
    page.browser.click_on("#toCompare")
    page.browser.until("compared.at")
    page.browser.click_on("#toCompare")
    page.browser.until("!compared.at")
    expect(page.js(f"[toCompare.getAttribute('aria-pressed'), {head}, state.sort]"), ["false", columns, "extra"])
    page.browser.until("!location.hash.includes('since') && !summary.textContent.includes(' at ')")


def test_play(page: Page) -> None:
    recorder = record(Path("run"), 12, 4)
    begin, end = recorder.truth[0][0] // 10 ** 6, recorder.truth[-1][0] // 10 ** 6
    follow(page, "run")
    # at the end, play begins at the beginning; the space bar works anywhere but in texts and buttons
    page.browser.key(" ", " ")
    page.browser.until("player.plays && data.time < player.last")
    expect((page.text("#play"), page.js("data.time >= player.first")), ("Pause", True))
    page.browser.until(f"data.time > {begin + 300}")
    page.browser.key(" ", " ")
    page.browser.until("!player.plays")
    stopped = page.js("player.at")
    time.sleep(0.3)
    expect((page.js("player.at"), page.text("#play")), (stopped, "Play"))
    page.js(f"jump({end - 4000})")
    until_at(page, end - 4000)
    page.js("(() => { speed.value = '1'; speed.dispatchEvent(new Event('change')); })()")
    asked, began = page.js("asked"), time.monotonic()
    page.browser.click_on("#play")
    page.browser.until("!player.plays && Math.round(player.at) === player.last", 60)
    seconds = time.monotonic() - began
    until_at(page, end)
    # as fast as it was, in many steps, one after the other; a busy machine may take longer
    assert 3.9 < seconds < 30, seconds
    assert page.js("asked") - asked > 5
    expect(page.js("[most, player.plays, isLost]"), [1, False, False])
    # slower answers make larger steps, and no queue
    page.js("(() => { const old = fetch; fetch = async (...a) => { await new Promise(r => setTimeout(r, 300)); return old(...a); }; })()")
    asked = page.js("asked")
    page.browser.click_on("#play")
    time.sleep(2)
    page.browser.until(f"asked > {asked}")
    page.browser.key(" ", " ")
    page.browser.click_on("#play") if page.js("player.plays") else None
    assert 1 <= page.js("asked") - asked <= 5, page.js("asked") - asked
    expect(page.js("most"), 1)
    page.browser.click_on("#find")
    page.browser.write("f")
    page.browser.key(" ", " ")
    expect(page.js("[player.plays, document.querySelector('#find').value]"), [False, "f "])


def test_player_tells_ages(page: Page) -> None:
    """What a recording has only of its snapshots: how much older it is than the moment."""
    recorder = Recorder(Path("run"), Model(random.Random(5)))
    recorder.steps(9)
    recorder.copy(0)
    base_ms = recorder.model.time_ns // 10 ** 6
    (Path(f"{recorder.stem}.f2fs") / "254:0").mkdir(parents=True)
    write_state(Path(f"{recorder.stem}.f2fs") / "254:0", {block[3] for block in recorder.model.shown()})
    Path(f"{recorder.stem}.heat.zst").write_text("# fragtrace heat 2\n# windows blocks=64 period_secs=9\n", encoding="utf-8")
    recorder.model.time_ns += 40 * 10 ** 9
    recorder.steps(9)
    recorder.flush()
    recorder.write()
    page.serve("run", "--color-by", "heat")
    page.browser.until("player.spans.length && player.last > player.first")
    legend = page.text("#legend")
    for what in "state of F2FS", "counts of reads":
        assert f"{what}: {(page.js('data.time') - base_ms) // 1000} seconds older than this moment" in legend, legend
    page.js("jump(player.first)")
    until_at(page, base_ms)
    legend = page.text("#legend")
    for what in "state of F2FS", "counts of reads":
        assert f"{what}: of this moment" in legend, legend
    # the counts are those of one table, so there is no other one to compare with
    page.browser.click_on("#toCompare")
    page.browser.until("trouble.textContent.startsWith('with counts of reads')")
    expect(page.js("compared.at"), "")
    page.browser.complaints[:] = [c for c in page.browser.complaints if "404" not in c]


def test_player_marks_gaps(page: Page) -> None:
    _, lost_at, in_gap, healed = record_gap(Path("run"), 5)
    follow(page, "run")
    (_, exact, lost), (healed_ms, _, _) = page.js("player.spans")
    expect((lost, healed_ms), (2, healed // 10 ** 6))
    colours = page.js("""(() => {
        const c = document.querySelector("#ticks"), ratio = c.width / c.clientWidth;
        return [player.spans[0][1] / 2 + player.spans[1][0] / 2, player.spans[1][1]].map(time =>
            [...c.getContext("2d").getImageData(Math.round(placeOnTrack(time, c.clientWidth) * ratio), c.height - 2, 1, 1).data]);
    })()""")
    expect(colours, [[0xA1, 0x2C, 0x00, 255], [0, 0, 0, 0]])
    page.js(f"jump({exact})")
    until_at(page, exact)
    asked = page.js("asked")
    page.js(f"jump({(exact + in_gap // 10 ** 6) // 2})")
    page.browser.until("document.querySelector('#refusal').textContent")
    said = page.text("#refusal")
    assert said.startswith("Nothing is exact here: 2 events lost, from ") and page.js("asked") == asked, said
    # what is not of that moment is faint, and it is said of which moment it is
    expect(page.js("['#map', '#list', '#summary', '#fresh'].map(s => getComputedStyle(document.querySelector(s)).opacity)"), ["0.35"] * 4)
    expect(page.js("[data.time, refusal.textContent.includes(timeText(data.time))]"), [exact, True])
    # a link keeps the moment
    page.browser.until("location.hash.startsWith('#at=')")
    link = page.js("location.href")
    page.js("sessionStorage.clear()")
    page.browser.new_page()
    page.browser.open(link)
    until_at(page, exact)
    # play goes over it
    page.js("(() => { speed.value = '10'; speed.dispatchEvent(new Event('change')); })()")
    page.browser.click_on("#play")
    page.browser.until(f"data.time >= {healed_ms}")
    expect(page.js("[refusal.textContent, getComputedStyle(map).opacity]"), ["", "1"])
    # the server's own reason, where the page does not know yet
    page.js("(() => { pause(); player.spans.length = 1; })()")
    page.js(f"jump({(lost_at + in_gap) // 2 // 10 ** 6})")
    page.browser.until("/2 events were lost; the nearest/.test(document.querySelector('#refusal').textContent)")
    page.browser.complaints[:] = [c for c in page.browser.complaints if "404" not in c]
    expect(page.js("isLost"), False)


def test_player_follows_a_recording_that_grows(page: Page) -> None:
    recorder = record(Path("run"), 13)
    page.serve("run", "-n", "0.2")
    page.browser.until("player.spans.length === 3")
    last = page.js("player.last")
    recorder.copy(0)
    recorder.steps(20)
    recorder.flush()
    recorder.write()
    end = recorder.truth[-1][0] // 10 ** 6
    assert end > last
    page.browser.until(f"player.spans.length === 4 && player.last === {end} && data.time === {end} && Math.round(player.at) === {end}")
    # a moment stays
    page.js("jump(player.first)")
    page.browser.until("data.time === player.first")
    time.sleep(0.6)
    expect(page.js("[data.time, Math.round(player.at)]"), [page.js("player.first")] * 2)
    page.js("jump(player.last)")
    page.browser.until("moment === ''")


def test_player_is_for_recordings(page: Page) -> None:
    page.serve(DATA / "small.table")
    expect(page.js("[player.hidden === true, document.querySelector('#player').hidden]"), [False, True])


if __name__ == "__main__":
    sys.exit(main(globals()))
