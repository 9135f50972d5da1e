# SPDX-License-Identifier: GPL-2.0-only
"""Tests of fragtrace-plot as a program: its errors, its inputs, and its end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import zstandard
from PIL import Image

from fragplot import cli, colors, history, looks, moments, space, style
from fragsnap import Kind
from plots import GROWING, HEAD, HERE, RECORD, VIEWER, record, refuses, run, sst

pytestmark = pytest.mark.usefixtures("somewhere_else")


# === Errors ===


def test_bad_input(capsys):
    """The message names the error; the status is 1; no file remains."""
    os.mkdir("none")
    Path("future.table").write_text("# fragtrace table 2\n")
    Path("cut.table.zst").write_bytes(zstandard.compress((HEAD + RECORD).encode())[:-4])
    Path("good.table").write_text(HEAD + RECORD)
    for command in ("history", "animate", "distribution"):
        refuses(capsys, 1, "nowhere: cannot open: No such file or directory", command, "nowhere")
        refuses(capsys, 1, "none: no fragtrace-SECONDS.mmm.snapshot.zst in it", command, "none")
        refuses(capsys, 1, 'future.table:1: the table has version 2', command, "future.table")
        refuses(capsys, 1, "cut.table.zst: cannot unpack: the zstd data is cut short", command, "cut.table.zst")
    refuses(capsys, 1, "nowhere: cannot open: No such file", "compare", "good.table", "nowhere")
    refuses(capsys, 1, "nothing: No such file or directory; give a color.cnf file or a preset", "history",
            "good.table", "-c", "nothing")
    for command in ("history", "animate"):
        refuses(capsys, 1, "-: standard input is read once, and a series takes each table twice; give files", command, "-")


def test_bad_output(capsys):
    """A missing folder, no file at all; the last picture stays if the input is invalid."""
    Path("good.table").write_text(HEAD + RECORD)
    Path("bad.table").write_text(HEAD + "254:0\n")
    os.mkdir("dir.png")
    refuses(capsys, 1, "nowhere/a.png: No such file or directory", "history", "good.table", "-o", "nowhere/a.png")
    refuses(capsys, 1, "dir.png: is not a regular file", "history", "good.table", "-o", "dir.png")
    Path("last.png").write_text("last")
    refuses(capsys, 1, "bad.table:4: the line ends before the lba", "history", "bad.table", "-o", "last.png")
    assert Path("last.png").read_text() == "last"


def test_largest_input(capsys):
    """With K, M or G, a number of bytes is that of KiB, MiB or GiB."""
    Path("good.table").write_text(HEAD + RECORD + "#" + " " * 2000 + "\n")
    for size in "2000", "1K":
        refuses(capsys, 1, "good.table", "history", "good.table", "--max-input", size, "-o", "a.png")
    for size in "2200", "3K", "1M", "1G":
        cli.main(["history", "good.table", "--max-input", size, "-o", "a.png"])


def test_full_disk(capsys, monkeypatch):
    """The old file stays, and the unfinished one is removed."""
    Path("good.table").write_text(HEAD + RECORD)
    Path("last.png").write_text("last")

    def full(*_args, **_options):
        raise OSError(28, "No space left on device")
    monkeypatch.setattr(style.Figure, "savefig", full)
    refuses(capsys, 1, "last.png: No space left on device", "history", "good.table", "-o", "last.png")
    assert Path("last.png").read_text() == "last"


@pytest.mark.parametrize("args, what", [
    (["history", "good.table", "-o", "a.jpg"], "expected one of .png .svg .pdf"),
    (["animate", "good.table", "-o", "a.png"], "expected one of .gif"),
    (["history", "good.table", "--request", "5K"], "expected a multiple of 4K"),
    (["history", "good.table", "--max-input", "1T"], "--max-input 1T: not valid; give a number of bytes"),
    (["history", "good.table", "--max-input", "0"], "--max-input 0: not valid"),
    (["history", "good.table", "--top", "9"], "'9' is not a number from 1 to 5"),
    (["compare", "good.table"], "only one table; expected two, or a series"),
    (["compare", "good.table", "good.table", "good.table"], "3 inputs; expected two tables, or one series"),
    (["compare", "good.table", "good.table", "--at", "1s"], "--at is for a series"),
    (["compare", "run", "--at", "1s"], "--at is wanted twice"),
    (["compare", "run", "--at", "soon", "--at", "end"], "--at soon: not valid; give a time after the beginning"),
    (["distribution", "good.table", "--at", "1s"], "--at is for a series"),
    (["distribution", "-t", "good.table"], "-t: not an option here; name a table without it; see fragtrace-plot --help"),
    (["paint"], "invalid choice: 'paint'"),
    ([], "COMMAND"),
])
def test_usage(capsys, args, what):
    """Status 2."""
    Path("good.table").write_text(HEAD + RECORD)
    record("run", GROWING)
    refuses(capsys, 2, what, *args)


@pytest.mark.parametrize("command, option, least, most", [
    ("history", "top", 1, 5), ("history", "dpi", 40, 600), ("animate", "frames", 2, 1000), ("animate", "seconds", 1, 3600),
    ("animate", "max-size", 1, 1024)])
def test_limits_of_numbers(command, option, least, most):
    """The limits themselves are taken, and nothing beyond them."""
    parser = cli.build_parser("1")
    for number in least, most:
        assert getattr(parser.parse_args([command, "x", f"--{option}", str(number)]), option.replace("-", "_")) == number
    for number in least - 1, most + 1:
        with pytest.raises(SystemExit):
            parser.parse_args([command, "x", f"--{option}", str(number)])


# === The program itself ===


def program(*args: str, **options) -> subprocess.CompletedProcess:
    """Run it as a user without display or home would."""
    return subprocess.run([sys.executable, str(VIEWER / "fragtrace-plot"), *args], capture_output=True, text=True,
                          env={"PATH": "/usr/bin:/bin", "MPLCONFIGDIR": os.getcwd()}, check=False, **options)


def test_the_program_from_a_pipe():
    """Standard input; the name of the picture is printed."""
    done = program("distribution", "-", "-o", "a.svg", input=HEAD + RECORD)
    assert (done.returncode, done.stdout, done.stderr) == (0, "wrote a.svg\n", "")
    assert "1 file, 0 fragmented; 16 KiB" in Path("a.svg").read_text(encoding="utf-8")


def test_nothing_is_said_of_letters_that_the_font_lacks():
    Path("t").write_text(HEAD + RECORD + "254:0 200 1 0 6 contiguous /mnt/b.日本\n", encoding="utf-8")
    done = subprocess.run([sys.executable, str(VIEWER / "fragtrace-plot"), "distribution", "t", "-o", "a.png"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "wrote a.png\n", "")


def test_what_the_viewer_records():
    """A folder written by fragtrace record."""
    for lines in (RECORD, RECORD + sst(200, ino=9, name="b.sst")):
        Path("t").write_text(HEAD + lines)
        subprocess.run([str(VIEWER / "fragtrace"), "record", "run", "-t", "t"], check=True)
        time.sleep(0.01)
    series = moments.series_of(["run"])
    assert [table.paths for table in moments.read_series(series)] == [["/mnt/a.sst"], ["/mnt/a.sst", "/mnt/b.sst"]]
    assert series[0].time == next(moments.read_series(series)).time


def test_what_the_viewer_records_in_binary():
    """Snapshots in the form of debugfs."""
    for stamp, lines in (("1700000000.123", RECORD), ("1700000060.000", RECORD + sst(200, ino=9, name="b.sst"))):
        Path("t").write_text(HEAD.replace("\n", f"\n# time {stamp}\n", 1) + lines)
        with open("s", "wb") as stream:
            subprocess.run([sys.executable, str(HERE / "to_snapshot.py"), "t"], check=True, stdout=stream)
        subprocess.run([str(VIEWER / "fragtrace"), "record", "run", "-t", "s"], check=True)
    assert sorted(os.listdir("run")) == ["fragtrace-1700000000.123.snapshot.zst", "fragtrace-1700000060.000.snapshot.zst"]
    series = moments.series_of(["run"])
    assert [table.paths for table in moments.read_series(series)] == [["/mnt/a.sst"], ["/mnt/a.sst", "/mnt/b.sst"]]
    assert [moment.time for moment in series] == [table.time for table in moments.read_series(series)]
    assert program("compare", "run", "--at", "0s", "--at", "60s").returncode == 0


def test_help_has_examples():
    """The help of the program and of each command; the man page has each option, too."""
    page = (VIEWER / "man/fragtrace-plot.1").read_text()
    for command in ("history", "compare", "distribution", "animate"):
        text = program(command, "--help").stdout
        assert "examples:\n  fragtrace-plot " + command in text
        for word in set(text.replace(",", " ").split()):
            if word.startswith("--"):
                assert f"Fl -{word[2:].strip('[]')}" in page, word
    assert "examples:" in program("--help").stdout
    assert program("--version").stdout.startswith("fragtrace-plot 0.")
    # the command starts this program
    done = subprocess.run([str(VIEWER / "fragtrace"), "plot", "history", "--help"], capture_output=True, text=True, check=True)
    assert done.stdout == program("history", "--help").stdout


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted(number):
    """Interrupted while it reads: the status reports it, the last picture stays, no file remains."""
    Path("last.png").write_text("last")
    os.mkfifo("pipe")
    # a program that a shell starts in the background ignores SIGINT, and its children inherit that
    with subprocess.Popen([sys.executable, str(VIEWER / "fragtrace-plot"), "history", "pipe", "-o", "last.png"],
                          stderr=subprocess.PIPE, text=True,
                          preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)) as child:
        # open() returns when the program opens the pipe; then it waits for data
        with open("pipe", "w", encoding="utf-8"):
            os.kill(child.pid, number)
            _, error = child.communicate(timeout=120)
    assert child.returncode == 128 + number
    assert error == ""
    assert sorted(os.listdir()) == ["last.png", "pipe"] and Path("last.png").read_text() == "last"


def test_space_of_a_recording(capsys):
    """A recording has F2FS's state beside each snapshot."""
    sample = Path(__file__).parents[1] / "page/samples/gc"
    n = len(list(sample.glob("*.f2fs")))
    assert n > 1 and run("space", str(sample), "-o", "a.png") == 0
    capsys.readouterr()
    states = space.read_states([str(sample)], None, None)
    assert len(states) == n and len({str(state.space) for state in states}) == n


@pytest.mark.parametrize("words", [["compare"], ["animate", "--frames", "2"], ["history"], ["distribution"], ["compare", "--color-by", "heat"]])
def test_dark(words):
    """Light ink on dark paper: free space is black, texts can be read, and what is fragmented is seen before what is not."""
    record("run", {0.0: HEAD + sst(110), 20.0: HEAD + RECORD.replace(" 5 ", " 7 ").replace("a.sst", "b.sst") + sst(200, 300, 400)})
    for stamp in "1795232523.042", "1795232543.042":
        Path(f"run/fragtrace-{stamp}.heat.zst").write_text(
            "# fragtrace heat 2\n# windows blocks=32 period_secs=3600\n# dev ino offset reads\n254:0 5 0 5000 9 1 0 0 /f\n")
    picture = "a.gif" if words[0] == "animate" else "a.png"
    seen = {}
    for theme in "light", "dark":
        assert run(words[0], "run", *words[1:], "--theme", theme, "-o", picture) == 0
        with Image.open(picture) as image:
            image.seek(getattr(image, "n_frames", 1) - 1)
            found = image.convert("RGB").getcolors(1 << 20)
        seen[theme] = {colors.luminance(red << 16 | green << 8 | blue): n for n, (red, green, blue) in found}
        paper, ink = int(style.PAPER[1:], 16), [int(rgb[1:], 16) for rgb in (style.INK, style.FAINT)]
        assert min(colors.contrast(paper, rgb) for rgb in ink) > 4.5
        # all that is drawn can be seen
        assert colors.contrast(paper, int(colors.strong(colors.themed(history.ALL))[1:], 16)) > 4.5
    run("history", "run", "-o", "light.png")
    most, in_dark = (max(found, key=lambda one: found[one]) for found in seen.values())
    assert most > 0.9 and in_dark < 0.02 and not [light for light in seen["dark"] if light > 0.95]
    assert 0.0 in seen["dark"] or words[0] in ("history", "distribution")


def test_dark_colours():
    """The order in which colours are seen turns with the paper."""
    kind = Kind(".sst", (0xa6dba0, 0xe8871e, 0xb84a00))
    for dark in False, True:
        style.set_theme(dark)
        # the last tone is that of a fragmented file's blocks away from its breaks: pale
        contiguous, *fragmented, _ = (colors.contrast(tone, int(style.PAPER[1:], 16)) for tone in colors.themed(kind).tones)
        reads = [colors.contrast(rgb, int(style.PAPER[1:], 16)) for _, rgb in looks.ByHeat().names[2:]]
        style.set_theme(False)
        assert contiguous < min(fragmented) and reads == sorted(reads)


def test_installed():
    """make install puts each file where the program finds it."""
    subprocess.run(["make", "-s", "-C", str(VIEWER), "install", f"DESTDIR={os.getcwd()}/root", "PREFIX=/usr"], check=True)
    Path("good.table").write_text(HEAD + RECORD)
    Path("my.cnf").write_text(".sst red green blue\n")
    done = subprocess.run(["root/usr/bin/fragtrace-plot", "history", "good.table", "-c", "./my.cnf", "-o", "a.svg"],
                          capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "#008000" in Path("a.svg").read_text() or "#3fa34d" in Path("a.svg").read_text()
    assert os.path.isfile("root/usr/share/man/man1/fragtrace-plot.1")


def test_man_page():
    """mandoc has no warning."""
    if not any(os.access(os.path.join(folder, "mandoc"), os.X_OK) for folder in os.get_exec_path()):
        pytest.skip("mandoc is not installed")
    done = subprocess.run(["mandoc", "-Tlint", "-Wwarning", str(VIEWER / "man/fragtrace-plot.1")], capture_output=True,
                          text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
