# SPDX-License-Identifier: GPL-2.0-only
"""The command line of fragtrace-plot."""

from __future__ import annotations

import argparse
import os
import re
import signal
import sys
from typing import Callable, NoReturn

from matplotlib.figure import Figure

import fragsnap
from fragsnap import BLOCK_BYTES, SnapError, visible

from . import animate, compare, distribution, history, moments, space, style
from .colors import MOST

FIGURES = (".png", ".svg", ".pdf")
MIB = 1 << 20

DESCRIPTION = """\
Draw what the kernel module fragtrace says of F2FS files over time. A SERIES is a folder that
`fragtrace record FOLDER -n SECONDS` wrote; a TABLE is a single snapshot, or a text of
debugfs, plain or packed with zstd, or - for standard input."""

EXAMPLES = """\
examples:
  fragtrace record run -n 1                 record the table, at every change
  fragtrace-plot history run                how fragmentation went
  fragtrace-plot compare run --at 60s --at 1h
  fragtrace-plot distribution run --at end
  fragtrace table --json | fragtrace-plot space -
  fragtrace-plot animate run -o run.gif

`fragtrace-plot COMMAND --help` describes the rest."""


class Parser(argparse.ArgumentParser):
    """Reports errors in the same form as the rest of the program."""

    def error(self, message: str) -> NoReturn:
        if message.startswith(("unrecognized arguments: -t", "unrecognized arguments: --table")):
            message = "-t: not an option here; name a table without it"
        self.exit(2, visible(f"fragtrace-plot: {message}; see {self.prog} --help") + "\n")


# === Values of options ===


def request_size(text: str) -> int:
    """A number of bytes, optionally followed by K or M."""
    found = re.fullmatch(r"(\d{1,9})([KM]?)", text, re.IGNORECASE | re.ASCII)
    size = int(found[1]) * {"": 1, "K": 1 << 10, "M": MIB}[found[2].upper()] if found else 0
    if not size or size % BLOCK_BYTES or size > 1 << 40:
        raise argparse.ArgumentTypeError(f"{text!r} is no size of a request; expected a multiple of 4K such as "
                                         "128K or 1M")
    return size


def number(low: int, high: int) -> Callable[[str], int]:
    """A whole number from low to high."""
    def parse(text: str) -> int:
        if not re.fullmatch(r"\d{1,9}", text, re.ASCII) or not low <= int(text) <= high:
            raise argparse.ArgumentTypeError(f"{text!r} is not a number from {low} to {high}")
        return int(text)
    return parse


def output(endings: tuple[str, ...]) -> Callable[[str], str]:
    """The name of a file with one of these endings."""
    def parse(text: str) -> str:
        if os.path.splitext(text)[1].lower() not in endings:
            raise argparse.ArgumentTypeError(f"{text!r} has no ending that says what to write; expected one of "
                                             f"{' '.join(endings)}")
        return text
    return parse


# === Commands ===


def save(args: argparse.Namespace, make: Callable[[], Figure]) -> None:
    """Draw a figure and write it; a file that cannot be written is reported before the work begins."""
    with style.whole_file(args.output) as temporary:
        style.save(make(), args.output, temporary, args.dpi)


def run_history(args: argparse.Namespace) -> None:
    """fragtrace-plot history"""
    save(args, lambda: history.make(moments.series_of(args.inputs, history.MOMENTS), args.colors, args.top,
                                    args.request, args.title))


def run_compare(args: argparse.Namespace) -> None:
    """fragtrace-plot compare"""
    def make() -> Figure:
        by_heat = args.color_by == "heat"
        if len(args.inputs) == 1:
            found = [moments.moment_of(args.inputs[0], at, args.colors, by_heat) for at in args.at or ("start", "end")]
        else:
            found = [moments.moment_of(path, None, args.colors, by_heat) for path in args.inputs]
        (first, old), (second, new) = found
        return compare.make((first, second), (old, new), old.begin if len(args.inputs) == 1 else None,
                            bool(args.colors), args.top, args.request, args.title, by_heat)

    if len(args.inputs) > 2:
        args.parser.error(f"{len(args.inputs)} inputs; expected two tables, or one series")
    if len(args.inputs) == 2 and args.at:
        args.parser.error("--at is for a series, not for two tables")
    if args.at and len(args.at) != 2:
        args.parser.error("--at is wanted twice or not at all, as in --at 60s --at 1h")
    if len(args.inputs) == 1 and not os.path.isdir(args.inputs[0]) and os.path.exists(args.inputs[0]):
        args.parser.error("only one table; expected two, or a series")
    save(args, make)


def run_distribution(args: argparse.Namespace) -> None:
    """fragtrace-plot distribution"""
    if args.at is not None and not os.path.isdir(args.input):
        args.parser.error("--at is for a series, not for a single table")
    save(args, lambda: distribution.make(*moments.moment_of(args.input, args.at, args.colors), bool(args.colors), args.top, args.request,
                                         args.title))


def run_space(args: argparse.Namespace) -> None:
    """fragtrace-plot space"""
    save(args, lambda: space.make(space.read_states(args.inputs, args.f2fs_state, args.volume),
                                  args.title))


def run_animate(args: argparse.Namespace) -> None:
    """fragtrace-plot animate"""
    with style.whole_file(args.output) as temporary:
        animate.make(moments.series_of(args.inputs, args.frames), args.colors, args.top, args.request,
                     args.title, args.frames, args.seconds, args.max_size * MIB, temporary, args.color_by == "heat")


# === The command line ===


def add_file_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of commands that draw files."""
    parser.add_argument("-c", "--colors", metavar="COLORS", action="append",
                        help="a color.cnf file, or rocksdb, redis, voltdb; of several, the later ones win "
                        "(default: colours for the extensions that hold the most blocks)")
    parser.add_argument("--top", metavar="NUMBER", type=number(1, MOST), default=MOST,
                        help="without -c: so many extensions get colours, the rest is other (default: %(default)s)")
    parser.add_argument("--request", metavar="SIZE", type=request_size, default=128 << 10,
                        help="size of a request, for the split factor and the red line (default: 128K)")


def add_command(commands: argparse._SubParsersAction, name: str, run: Callable[[argparse.Namespace], None],
                what: str, text: str, endings: tuple[str, ...], examples: str,
                is_of_files: bool = True) -> argparse.ArgumentParser:
    """Add a command with the options that all commands, or all that draw files, have."""
    parser = commands.add_parser(name, help=what, description=text, epilog="examples:\n" + examples,
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    default = f"fragtrace-{name}{endings[0]}"
    parser.add_argument("-o", "--output", metavar="FILE", type=output(endings), default=default,
                        help=f"picture to write: {', '.join(endings)} (default: {default})")
    if is_of_files:
        add_file_options(parser)
    parser.add_argument("--title", help="instead of the mount point")
    parser.add_argument("--theme", metavar="NAME", choices=("light", "dark"), default="light",
                        help="light, or dark: light ink on dark paper (default: %(default)s)")
    parser.add_argument("--max-input", metavar="SIZE",
                        help="refuse an input that is larger than this, unpacked: bytes, or a number with K, M or G "
                        "(default: half of the memory)")
    parser.set_defaults(run=run, parser=parser)
    return parser


def add_color_by(parser: argparse.ArgumentParser) -> None:
    """Add the option for the colours of layouts."""
    parser.add_argument("--color-by", metavar="WHAT", choices=("kind", "heat"), default="kind",
                        help="colours of extents: kind (of file), or heat, how often they are read: in a recording of a "
                        "module with heat=1, or beside a table (default: %(default)s)")


def add_dpi(parser: argparse.ArgumentParser, default: int) -> None:
    """Add the option for the resolution of a figure."""
    parser.add_argument("--dpi", metavar="NUMBER", type=number(40, 600), default=default,
                        help="pixels per inch of a .png (default: %(default)s)")


def build_parser(version: str) -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    parser = Parser(prog="fragtrace-plot", description=DESCRIPTION, epilog=EXAMPLES,
                    formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", action="version", version=f"fragtrace-plot {version}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=Parser)

    one = add_command(commands, "history", run_history, "fragments, split factor and sizes over time",
                      "Draw, for each extension: files and fragments, the split factor, and the size of\n"
                      "fragments (quantiles 10, 50, 90 %), over the time of a series.", FIGURES,
                      "  fragtrace-plot history run -o run.svg\n"
                      "  fragtrace-plot history run -c rocksdb --request 512K")
    one.add_argument("inputs", metavar="SERIES", nargs="+", help="a series, or tables")
    add_dpi(one, 120)

    one = add_command(commands, "compare", run_compare, "two moments side by side, and their difference",
                      "Draw the layouts of two moments to one scale, and a third one that shows what was\n"
                      "freed, what is new, and what moved; below, the numbers for each extension.", FIGURES,
                      "  fragtrace-plot compare run --at 60s --at 1h\n"
                      "  fragtrace-plot compare monday.table tuesday.table.zst -o week.pdf")
    one.add_argument("inputs", metavar="TABLE", nargs="+", help="two tables, or a series")
    one.add_argument("--at", metavar="TIME", action="append",
                     help="twice, with a series: 90s, 5m, 1h30m after its beginning, start, end, or a date and time "
                     "(default: start, end); with events, any moment")
    add_color_by(one)
    add_dpi(one, 100)

    one = add_command(commands, "distribution", run_distribution, "fragment sizes and distances at one moment",
                      "Draw how large the fragments of a moment are, and how far they are from each other:\n"
                      "as a histogram by powers of two, and as the share of all up to each value.", FIGURES,
                      "  fragtrace-plot distribution /sys/kernel/debug/fragtrace/table\n"
                      "  fragtrace-plot distribution run --at 5m")
    one.add_argument("input", metavar="TABLE", help="a table, or a series")
    one.add_argument("--at", metavar="TIME", help="with a series: when (default: end)")
    add_dpi(one, 120)

    one = add_command(commands, "space", run_space, "the free space of F2FS",
                      "Draw the free space that F2FS knows of: free runs by size, dirty segments by valid\n"
                      "blocks, and the use of blocks and segments; of several moments, also over time. The\n"
                      "numbers are those of fragtrace table --json: an INPUT is JSON that it wrote, or a table\n"
                      "or series that it can read.", FIGURES,
                      "  fragtrace table --json | fragtrace-plot space -\n"
                      "  fragtrace-plot space --f2fs-state DIR snapshot\n"
                      "  fragtrace-plot space monday.json tuesday.json", False)
    one.add_argument("inputs", metavar="INPUT", nargs="+", help="JSON of fragtrace, - for standard input; or "
                     "tables, or a series")
    one.add_argument("--f2fs-state", metavar="DIR", help="with a table: copies of F2FS's files, as for fragtrace")
    one.add_argument("--volume", metavar="VOLUME", help="of several volumes: the mount point, or MAJOR:MINOR")
    add_dpi(one, 120)

    one = add_command(commands, "animate", run_animate, "the layout over time, as a GIF",
                      "Write a GIF of the layout over the time of a series, in equal steps of time, with the\n"
                      "number of fragments below.", (".gif",),
                      "  fragtrace-plot animate run -o run.gif\n"
                      "  fragtrace-plot animate run --frames 60 --seconds 6 --max-size 2")
    one.add_argument("inputs", metavar="SERIES", nargs="+", help="a series, or tables")
    add_color_by(one)
    one.add_argument("--frames", metavar="NUMBER", type=number(2, 1000), default=150,
                     help="pictures at most (default: %(default)s)")
    one.add_argument("--seconds", metavar="NUMBER", type=number(1, 3600), default=15,
                     help="how long the animation takes (default: %(default)s)")
    one.add_argument("--max-size", metavar="MIB", type=number(1, 1024), default=16,
                     help="every other picture goes until the file is no larger (default: %(default)s)")
    return parser


def main(version: str) -> int:
    """Run the program; returns its exit status."""
    args = build_parser(version).parse_args()
    fragsnap.input_max = args.max_input
    style.set_theme(args.theme == "dark")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        args.run(args)
        print(visible(f"wrote {args.output}"), flush=True)
    except SnapError as error:
        print(visible(f"fragtrace-plot: {error}"), file=sys.stderr)
        return error.status
    except MemoryError:
        print("fragtrace-plot: out of memory", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    return 0
