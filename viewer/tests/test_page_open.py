#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests the page that reads files itself, opened from a file; speaks KTAP.

usage: test_page_open.py PROGRAM [TEST...]; pages.py has what a test is. What the reader answers is tested in test_reader.py.
"""
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import zstandard

from pages import DATA, HERE, Page, expect, expect_counts, main, needs_devtools
from recorder import iso, record, record_gap

# A header of a table for names that are made up.
HEAD = "# fragtrace table 1\n# time 1767225600.000\n# volume 254:0 main_blkaddr=1024 blocks=9216 segment_blocks=512 path=/m\n"
SAMPLES, MOST_BYTES = HERE.parent / "page/samples", 3_000_000
READY = "document.body.className === '' && shown !== null && MOVING.every(key => shown[key] === view[key])"


def begin(page: Page, *inputs: str | Path, link: str = "") -> None:
    """Write a page with inputs, and open it."""
    subprocess.run([page.view, "page", *inputs, "-o", "page.html"], check=True)
    page.browser.watch_requests()
    page.browser.open(Path("page.html").absolute().as_uri() + link)
    if inputs:
        page.browser.until(READY)


def choose_files(page: Page, *paths: str | Path) -> None:
    """As the dialogue of the button does it."""
    page.browser.choose("#files", [str(Path(path).absolute()) for path in paths])


def drop(page: Page, *paths: str | Path) -> None:
    """Drop files or folders on the page."""
    what = {"items": [], "files": [str(Path(path).absolute()) for path in paths], "dragOperationsMask": 1}
    for kind in "dragEnter", "dragOver", "drop":
        page.browser.call("Input.dispatchDragEvent", type=kind, x=300, y=300, data=what)


def figures(view: str, *args: str | Path) -> dict[str, int]:
    """What fragtrace check prints."""
    done = subprocess.run([view, "check", *map(str, args)], capture_output=True, text=True, check=True)
    return {line.split()[0]: int(line.split()[1].replace(",", "")) for line in done.stdout.splitlines() if line.split()[0] in ("extents", "fragmented")}


def expect_input(page: Page, *args: str | Path) -> None:
    """The page shows this input."""
    page.browser.until(READY)
    expect(page.js("document.querySelector('#welcome').checkVisibility()"), False)
    expect(page.js("({extents: data.total.extents, fragmented: data.total.fragmented})"), figures(page.view, *args))


def write_bomb(name: str) -> None:
    """A table of 600 MiB when it is unpacked, of comments."""
    packer = zstandard.ZstdCompressor().compressobj()
    with open(name, "wb") as file:
        file.write(packer.compress(b"# fragtrace table 1\n"))
        for _ in range(600):
            file.write(packer.compress(b"#\n" * (1 << 19)))
        file.write(packer.flush())


def test_a_page_shows_its_inputs(page: Page) -> None:
    begin(page, DATA / "rocksdb.snapshot.zst", DATA / "two.table")
    expect_input(page, DATA / "rocksdb.snapshot.zst")
    expect(page.js("[...document.querySelector('#input').options].map(o => o.text)"), ["rocksdb.snapshot.zst", "two.table"])
    # its cells are those that the program serves
    expect(page.text("#summary").split(";")[0], "27 files, 20 of them fragmented")
    page.browser.click_on("#rows tr:nth-child(2) button")
    page.browser.until("chosen && !document.querySelector('#steps').hidden")
    page.browser.click_on("#toPlot")
    page.browser.until("document.querySelector('#plotted img').naturalWidth > 300 && document.querySelector('#why').textContent.includes('000086.log')")
    page.browser.click_on("#plot button")
    page.js("document.querySelector('#colors').value = 'cause', document.querySelector('#colors').dispatchEvent(new Event('change'))")
    page.browser.until("data.coloring === 'cause'")
    # the other one, with nothing of the first
    page.js("document.querySelector('#input').value = '1', document.querySelector('#input').dispatchEvent(new Event('change'))")
    page.browser.until("reader.input.name === 'two.table'")
    expect_input(page, DATA / "two.table")
    expect(page.js("[chosen, state.find, moment]"), [None, "", ""])
    assert all("/mnt/f2fs/db" not in path for path in page.paths())


def test_inputs_have_names(page: Page) -> None:
    """However a folder is named, its recording is shown."""
    record(Path("run"), 5)
    os.chdir("run")
    try:
        begin(page, "../run/", Path.cwd(), ".", "..//run//", "./")
        for number, name in enumerate(["run", "run (2)", "recording", "run (3)", "recording (2)"]):
            page.js(f"showInput(inputs[{number}])")
            page.browser.until(f"reader.input === inputs[{number}] && player.spans.length === 3")
            expect_input(page, ".")
            expect(page.js(f"inputs[{number}].name"), name)
    finally:
        os.chdir("..")


def test_discards_of_a_recording(page: Page) -> None:
    """A page that is mailed has them, and one that the recording is dropped on."""
    record(Path("run"), 5)
    for snapshot in Path("run").glob("*.snapshot.zst"):
        stem = str(snapshot).removesuffix(".snapshot.zst")
        Path(stem + ".discards.zst").write_bytes(zstandard.compress((DATA / "discards.txt").read_bytes()))
    begin(page, "run")
    expect(page.text("#summary").split("; ")[-1], "discards: 800 KiB pending, 0 KiB discarded since the recording or the counts began")
    begin(page)
    drop(page, "run")
    page.browser.until("document.querySelector('#summary').textContent.endsWith('discarded since the recording or the counts began')")


def test_counts_of_a_recording(page: Page) -> None:
    """At each moment those of the snapshot before it, in a page that is mailed, and of a recording that is dropped on it."""
    record(Path("run"), 5)
    begin(page, "run")
    page.js("showPanel('ledger')")
    page.browser.until("document.querySelector('#counts').textContent.includes('load')")
    expect(page.text("#counts"), "run: has no file ledger; expected a recording of a module that was loaded with ledger=1\n")
    for number, snapshot in enumerate(sorted(Path("run").glob("*.snapshot.zst"))):
        for command, file in ("cost", "latency"), ("ledger", "ledger"), ("gc", "gc_runs"):
            text = (DATA / f"{file}.txt").read_text(encoding="utf-8").replace("253:0 ", "254:0 ")
            text = text.replace("/five", f"/five{number}").replace("device 1069056", f"device {1069056 + 100000 * number}").replace("idle 30", f"idle 3{number}")
            path = Path(str(snapshot).replace(".snapshot.zst", f".{file}.zst"))
            path.write_bytes(zstandard.compress(text.encode()))
            # the end of the recording
            (Path("run") / file).write_text(text, encoding="utf-8")
    begin(page, "run")
    for snapshot in sorted(Path("run").glob("*.snapshot.zst")):
        time_ms = int(snapshot.name.split("-")[1].removesuffix(".snapshot.zst").replace(".", ""))
        page.js(f"jump({time_ms})")
        page.browser.until(f"data.time === {time_ms}")
        for command, file in ("cost", "latency"), ("ledger", "ledger"), ("gc", "gc_runs"):
            page.js(f"showPanel('{command}')")
            expect_counts(page, command, str(snapshot).replace(".snapshot.zst", f".{file}.zst"))
            expect(page.text("#counts > p"), "counts: of this moment")
    # of snapshots without them, those of the end
    for path in Path("run").glob("*.gc_runs.zst"):
        path.unlink()
    begin(page)
    choose_files(page, *sorted(Path("run").iterdir()))
    page.browser.until("data.recording && player.spans.length === 3")
    page.js("showPanel('gc')")
    page.browser.until("document.querySelector('#counts > p')?.textContent.startsWith('counts: of the end of the recording')")
    expect_counts(page, "gc", "run/gc_runs")
    page.js("showPanel('cost')")
    expect_counts(page, "cost", "run/latency")
    expect(page.text("#counts > p").split(":")[0], "counts")


def test_the_samples_are_shown(page: Page) -> None:
    """Those of make page, from the first moment to the last, with the whole curve; a page that has them can be mailed."""
    samples = sorted(SAMPLES.iterdir())
    begin(page, *samples)
    assert Path("page.html").stat().st_size < MOST_BYTES
    for number, sample in enumerate(samples):
        page.js(f"showInput(inputs[{number}])")
        page.browser.until(f"reader.input === inputs[{number}] && player.spans.length > 2 && player.curves.length === player.spans.length")
        expect_input(page, sample)
        expect(page.js("player.spans.some(([time]) => gapAt(time - 1))"), False)
        page.js("seek(player.first)")
        page.browser.until("moment !== ''")
        expect_input(page, sample, "--at", "start")


@needs_devtools
def test_no_request_leaves_the_page(page: Page) -> None:
    begin(page, DATA / "small.table")
    expect(len(page.browser.workers), 1)
    for run in page.js, page.browser.in_worker:
        expect(run("fetch('http://127.0.0.1:9/').then(() => 'sent', () => 'refused')"), "refused")
    expect(page.browser.in_worker("(() => { try { importScripts('http://127.0.0.1:9/a.js'); return 'sent'; } catch { return 'refused'; } })()"), "refused")
    page.js("""(() => {
        document.body.append(Object.assign(new Image(), { src: "http://127.0.0.1:9/a.png" }));
        document.body.append(Object.assign(document.createElement("script"), { textContent: "document.title = 'ran'" }));
        document.body.append(Object.assign(document.createElement("iframe"), { src: "http://127.0.0.1:9/" }));
        document.body.insertAdjacentHTML("beforeend", "<b style='color: red' onclick='document.title = 1'>x</b>");
        document.body.lastChild.click();
    })()""")
    time.sleep(0.3)
    page.js("0")
    assert page.js("document.title").startswith("fragtrace "), page.js("document.title")
    # what was tried is all that was asked for, and was refused
    refused = [text for text in page.browser.complaints if "Content Security Policy" in text or "127.0.0.1:9" in text]
    assert len(refused) >= 4, refused
    page.browser.complaints.clear()
    others = [url[:60] for url in page.browser.requests if not url.startswith(("file:", "blob:", "data:", "http://127.0.0.1:9/"))]
    expect(others, [])
    files = {url for url in page.browser.requests if url.startswith("file:")}
    expect(files, {Path("page.html").absolute().as_uri()})


def test_files_are_opened(page: Page) -> None:
    """A table, a snapshot, the files of a recording, and a moment of it."""
    recorder = record(Path("run"), 5)
    begin(page)
    expect(page.js("[document.body.className, document.querySelector('#welcome').checkVisibility(), document.querySelector('#list').checkVisibility()]"),
           ["empty", True, False])
    choose_files(page, DATA / "small.table")
    page.browser.until("reader && reader.input.name === 'small.table'")
    expect_input(page, DATA / "small.table")
    choose_files(page, *sorted(Path("run").iterdir()))
    page.browser.until("data.recording && player.spans.length === 3")
    expect_input(page, "run")
    time_ns, shown, *_ = recorder.truth[len(recorder.truth) // 2]
    page.js(f"jump({time_ns // 10 ** 6} + 1)")
    page.browser.until(f"data.time === {time_ns // 10 ** 6} + 1")
    expect_input(page, "run", "--at", iso((time_ns // 10 ** 6 + 1) * 10 ** 6))
    assert shown


@needs_devtools
def test_files_are_dropped(page: Page) -> None:
    record(Path("run"), 5)
    begin(page, DATA / "small.table")
    drop(page, DATA / "rocksdb.snapshot.zst")
    page.browser.until("reader.input.name === 'rocksdb.snapshot.zst' && !data.recording")
    expect_input(page, DATA / "rocksdb.snapshot.zst")
    drop(page, "run")
    page.browser.until("reader.input.isRecording && data.recording && player.spans.length === 3")
    expect_input(page, "run")
    expect(page.js("inputs.length"), 3)


def test_a_moment_that_was_lost_is_said(page: Page) -> None:
    _, lost_at, in_gap, healed = record_gap(Path("run"), 3)
    begin(page, "run")
    page.js("player.spans = [], drawRefusal('')")
    # past what the page itself knows of the gap
    expect(page.js(f"request('table', {{at: '{iso(in_gap)}'}}).then(async answer => [answer.status, (await answer.text()).includes('events were lost')])"), [404, True])
    expect_input(page, "run")
    expect(page.js("isLost"), False)
    assert lost_at < healed


def test_a_recording_is_saved_as_a_trace(page: Page) -> None:
    record(Path("my run"), 6)
    subprocess.run([page.view, "perfetto", "my run", "-o", "trace.json"], check=True)
    begin(page, "my run", DATA / "small.table")
    page.js("""(() => {
        const old = URL.createObjectURL;
        URL.createObjectURL = blob => old(window.saved = blob);
        HTMLAnchorElement.prototype.click = function() { window.savedAs = this.download; };
    })()""")
    page.browser.click_on("#trace")
    page.browser.until("window.savedAs")
    expect(page.js("savedAs"), "my_run.json")
    expect(page.js("saved.text()"), Path("trace.json").read_text(encoding="utf-8"))
    expect(page.js("document.body.className"), "")
    # a moment compared with another one is not that of another input
    page.js("jump(player.first)")
    page.browser.until("data.time === player.first")
    page.browser.click_on("#toCompare")
    page.browser.until("compared.at && reader")
    page.js("showInput(inputs[1])")
    page.browser.until("reader.input.name === 'small.table'")
    expect_input(page, DATA / "small.table")
    page.browser.until("document.querySelectorAll('#rows tr').length === 7 && !document.querySelector('#rows').textContent.includes('/m/f')")
    expect(page.js("[compared.at, document.querySelector('#player').checkVisibility(), document.querySelectorAll('#head th').length]"), ["", False, 5])


def test_answers_of_another_input_are_dropped(page: Page) -> None:
    """Inputs are changed while the first one is still read, and while a question is open."""
    begin(page, DATA / "rocksdb.snapshot.zst", DATA / "small.table", DATA / "two.table")
    expect(page.js("""(async () => {
        const late = ask("table"), epochs = [epoch];
        showInput(inputs[1]);
        showInput(inputs[0]);
        await showInput(inputs[2]);
        return [await late, epoch - epochs[0]];
    })()"""), [None, 3])
    expect_input(page, DATA / "two.table")
    # an answer that has arrived, but was not used yet
    expect(page.js("""(async () => {
        const late = request("table").then(answer => answer && ask("table"));
        epoch++;
        return await late;
    })()"""), None)
    time.sleep(0.3)
    expect_input(page, DATA / "two.table")


def test_bad_files_are_refused(page: Page) -> None:
    """A sentence, and the next input is shown."""
    write_bomb("bomb.zst")
    Path("<img src=x onerror=alert(1)>.table").write_text("no table\n")
    begin(page, DATA / "small.table")
    for name, said in (("bomb.zst", "larger than 256 MiB"), ("<img src=x onerror=alert(1)>.table", "<img src=x onerror=alert(1)>.table:1: ")):
        choose_files(page, name)
        page.browser.until(f"document.querySelector('#trouble').textContent.includes({json.dumps(said)})")
        expect(page.js("[document.body.className, document.querySelectorAll('#trouble *').length]"), ["empty", 0])
        choose_files(page, DATA / "two.table")
        page.browser.until("reader.input.name.startsWith('two.table') && document.querySelector('#trouble').hidden")
        expect_input(page, DATA / "two.table")


@needs_devtools
def test_a_reader_that_has_ended_is_begun_anew(page: Page) -> None:
    """The question that ended it is asked again, once; answers of the same time, too."""
    begin(page, DATA / "rocksdb.snapshot.zst")
    end = "Module._reader_ask = () => { Module.said.push('it has ended'); throw Object.assign(new Error(), { name: 'ExitStatus' }); }, 0"
    page.browser.in_worker(end)
    expect(page.js("Promise.all([ask('table'), ask('table')]).then(all => all.map(one => one && one.total.files))"), [27, 27])
    expect(len(page.browser.workers), 2)
    expect(page.js("ask('table').then(one => one.total.files)"), 27)
    # each new one ends, too
    page.js("tellInput = (first => async of => { const why = await first(of); await tell(of, { what: 'table', pairs: 0 }); return why; })(tellInput), 0")
    page.browser.in_worker(end)
    expect(page.js("request('table').then(async answer => [answer.status, await answer.text()])")[0], 404)


def test_colours_of_another_input_are_not_asked_for(page: Page) -> None:
    """One has causes, and the other one has none."""
    begin(page, DATA / "rocksdb.snapshot.zst", DATA / "redis.table")
    page.js("recolor('cause')")
    page.browser.until("data.coloring === 'cause'")
    page.js("showInput(inputs[1])")
    page.browser.until("reader.input === inputs[1]")
    expect_input(page, DATA / "redis.table")
    expect(page.js("[data.coloring, document.querySelector('#colors').value]"), ["kind", "kind"])
    expect(page.js("data.colorings.includes('cause')"), False)


def test_names_cannot_forge_anything(page: Page) -> None:
    """Names of files, of volumes and of inputs are texts, in the file and in the page."""
    evil = "</script><script>document.title='forged'</script><img/src=x/onerror=document.title=1>"
    table = HEAD.replace("path=/m", "path=/m" + evil.replace("/", "\\057")) + \
        f"254:0 2000 5 0 4 contiguous /m/{evil}\n254:0 3000 5 0 5 contiguous /m/[x](http://a.b/)//c.d/<!--\n"
    Path("<!--<script>").write_text(table)
    begin(page, "<!--<script>")
    text = Path("page.html").read_text(encoding="utf-8")
    assert "forged" not in text
    expect(page.js("document.querySelectorAll('img[src=x], a, body script:not([id]):not(:last-of-type)').length"), 0)
    assert page.js("document.title").startswith("fragtrace /m<")
    assert page.paths()[0].endswith("<!--") or page.paths()[1].endswith("<!--"), page.paths()
    page.browser.click_on("#rows button")
    page.browser.until("chosen !== null")
    page.browser.click_on("#toPlot")
    page.browser.until("document.querySelector('#plotted img').naturalWidth > 300")


def test_links_keep_what_is_shown(page: Page) -> None:
    """Input, moment, place, file and colours; one that names what is not there shows the first input."""
    recorder = record(Path("run"), 5)
    begin(page, DATA / "rocksdb.snapshot.zst", "run")
    page.js("document.querySelector('#input').value = '1', document.querySelector('#input').dispatchEvent(new Event('change'))")
    page.browser.until("data.recording && player.spans.length === 3")
    time_ms = recorder.truth[20][0] // 10 ** 6 + 1
    page.js(f"jump({time_ms})")
    page.browser.until(f"data.time === {time_ms}")
    page.browser.until(READY)
    page.browser.click_on("#rows button")
    page.browser.until("chosen !== null")
    page.js("recolor('cause')")
    page.browser.until("data.coloring === 'cause'")
    page.browser.until("location.hash.includes('colors=cause') && location.hash.includes('at=') && location.hash.includes('input=run')")
    link, before = page.js("location.hash"), page.js("[chosen.key, data.time, data.coloring]")
    page.browser.open("about:blank")
    page.browser.open(Path("page.html").absolute().as_uri() + link)
    page.browser.until(f"document.body.className === '' && chosen && data.time === {time_ms}")
    expect(page.js("[chosen.key, data.time, data.coloring]"), before)
    page.browser.open("about:blank")
    page.browser.open(Path("page.html").absolute().as_uri() + "#input=nothing&at=x&file=%3Cb%3E&volume=9:9&first=-1&per=0&columns=x")
    page.browser.until(READY)
    expect_input(page, DATA / "rocksdb.snapshot.zst")
    page.browser.until("document.querySelector('#trouble').textContent.startsWith('nothing: the link is about this input')")
    expect(page.js("[reader.input === inputs[0], state.chosen, moment]"), [True, None, ""])


@needs_devtools
def test_recordings_that_are_dropped(page: Page) -> None:
    """Two folders, one of them in a third one: each recording is one input, and nothing else in the folders is."""
    record(Path("one"), 5)
    Path("all/no").mkdir(parents=True)
    record(Path("all/two"), 6, snapshots=2)
    for path in "one/notes.txt", "all/other.table", "all/no/x":
        Path(path).write_text("nothing\n")
    begin(page)
    drop(page, "one", "all")
    page.browser.until("data.recording && player.spans.length === 3")
    expect(page.js("inputs.map(one => [one.name, one.isRecording])"), [["one", True], ["two", True]])
    expect_input(page, "one")
    page.js("showInput(inputs[1])")
    page.browser.until("reader.input === inputs[1] && player.spans.length === 2")
    expect_input(page, "all/two")
    drop(page, "all/no")
    page.browser.until("document.querySelector('#trouble').textContent.includes('no recording in it')")
    expect_input(page, "all/two")


def test_files_that_are_too_large_are_not_read(page: Page) -> None:
    """The size alone is asked for; what has gone since it was chosen is said."""
    with open("large.table", "wb") as file:
        file.truncate((256 << 20) + 1)
    shutil.copy(DATA / "two.table", "gone.table")
    begin(page, DATA / "small.table")
    page.js("File.prototype.arrayBuffer = (read => function() { window.hasRead = this.name; return read.call(this); })(File.prototype.arrayBuffer), 0")
    choose_files(page, "large.table", "gone.table")
    page.browser.until("document.querySelector('#trouble').textContent.startsWith('large.table: is too large for a page')")
    expect(page.js("window.hasRead === undefined"), True)
    Path("gone.table").unlink()
    page.js("showInput(inputs[2])")
    page.browser.until("document.querySelector('#trouble').textContent.startsWith('gone.table: cannot be read')")
    page.js("showInput(inputs[0])")
    expect_input(page, DATA / "small.table")


def test_what_cannot_be_written_is_said(page: Page) -> None:
    """A bad input ends it before there is a page; no input is overwritten; a program without the reader says how to build it."""
    Path("good.table").write_bytes((DATA / "small.table").read_bytes())
    Path("bad.table").write_text("no table\n")
    write_bomb("bomb.zst")
    shutil.copy(page.view, "alone")
    for command, status, said in ((["page", "good.table", "bad.table", "-o", "x.html"], 1, "bad.table:1: "),
                                  (["page", "good.table", "-o", "good.table"], 2, "would overwrite the input"),
                                  (["page", "missing", "-o", "x.html"], 1, "missing: cannot open"),
                                  (["page", DATA / "header_only.table", "-o", "x.html"], 1, "no directory is watched"),
                                  (["page", "bomb.zst", "-o", "x.html"], 1, "larger than 256 MiB"),
                                  (["page", "--max-input", "1G", "bomb.zst", "-o", "x.html"], 1, "larger than 256 MiB"),
                                  (["page", "-o", "no/x.html"], 1, "cannot write the page")):
        done = subprocess.run([page.view, *command], capture_output=True, text=True, check=False)
        expect(done.returncode, status)
        assert said in done.stderr and not Path("x.html").exists(), done.stderr
    done = subprocess.run(["./alone", "page", "good.table", "-o", "x.html"], capture_output=True, text=True, check=False)
    assert Path("/usr/local/share/fragtrace/reader.js").exists() or (done.returncode, "build it: make page" in done.stderr) == (1, True), done


def test_a_phone_has_room_for_it(page: Page) -> None:
    page.browser.resize(390, 800)
    begin(page, DATA / "rocksdb.snapshot.zst", DATA / "two.table")
    expect(page.js("document.documentElement.scrollWidth - document.documentElement.clientWidth"), 0)
    assert 360 < page.js("document.documentElement.clientWidth") <= 390
    assert page.js("Math.min(...[...document.querySelectorAll('#inputs select, #inputs button')].map(e => e.getBoundingClientRect().height))") >= 24


if __name__ == "__main__":
    sys.exit(main(globals(), needs_reader=True))
