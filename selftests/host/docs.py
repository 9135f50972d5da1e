#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compares the documents with the sources: docs.py CHECK, or --list for the names of the checks.

In: README files, module/*.md, manual pages; Makefiles, scripts, option tables, module/. Out: a line `# ...` for each difference,
and status 1 if there is one. A check that finds less to compare than it must is a difference, too.
"""
from __future__ import annotations

import lzma
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
FORMATS = TOP / "module/FORMATS.md"
TESTS = TOP / "selftests"
# Folders of selftests/ whose files are named in its README.
NAMED = ("machine", "in_guest", "programs", "host", "commands")
# The manual page of each program; fragtrace defrag has one of its own.
PAGES = {"fragtrace": "viewer/man/fragtrace.1", "fragtrace-plot": "viewer/man/fragtrace-plot.1", "fragtrace-defrag": "defrag/man/fragtrace-defrag.8"}
MAKEFILES = ("Makefile", "viewer/Makefile", "defrag/Makefile", "selftests/Makefile", "selftests/programs/fuzz-parsers/Makefile")
# The kernel's, in commands of these documents.
FOREIGN = {"bzImage", "defconfig", "modules", "olddefconfig", "run_tests"}
# `make`, perhaps with a folder, where a command can begin; then targets and variables.
WORD = re.compile(r"[A-Z_0-9]+=(?:'[^']*'|\"[^\"]*\"|\S*)|[a-z][a-z-]*")
MAKE = re.compile(rf"(?:^|[;&(] *|sudo |[A-Z]=\S+ )make(?: -s)?(?: -C (\S+))?((?: (?:{WORD.pattern})(?![\w.]))*)")
# A path to a source, a document or a sample, or a test.
ENDINGS = "sh|py|c|h|md|cnf|zst|table|json|yml|png|bash|[18]"
NAME = re.compile(rf"(?<![\w/.$~*-])((?:\w[\w.-]*/)+[\w.-]+\.(?:{ENDINGS})|\d\d_\w+\.sh)(?![\w/*])")
SPAN = re.compile(r"`([^`\n]+)`")
MOST_LINES, MOST_WORDS = 100, 900


def read(path: Path | str) -> str:
    return (TOP / path).read_text(encoding="utf-8")


def documents() -> list[Path]:
    """The Markdown that people write; without what a build or a run has left."""
    found = subprocess.run(["git", "-C", str(TOP), "ls-files", "*.md"], capture_output=True, text=True, check=False).stdout.split()
    paths = [TOP / name for name in found] or list(TOP.rglob("*.md"))
    return sorted(path for path in paths if path.exists() and path.name != "report.md")


def code(path: Path) -> Iterator[str]:
    """The lines of code blocks, whose continued lines are joined, and code in the text."""
    text = re.sub(r"\\\n\s*", " ", path.read_text(encoding="utf-8"))
    for line in text.splitlines():
        if line.startswith("    "):
            yield line.strip()
        else:
            yield from SPAN.findall(line)


def missing(what: str, found: int, least: int) -> Iterator[str]:
    """Is there as much to compare as there must be?"""
    if found < least:
        yield f"{what}: only {found} found, there must be {least}: this check reads the wrong place"


def differ(what: str, here: set[str], where: str, there: set[str], other: str) -> Iterator[str]:
    """What is in one place only."""
    for name in sorted(here - there):
        yield f"{what} {name}: in {where}, not in {other}"
    for name in sorted(there - here):
        yield f"{what} {name}: in {other}, not in {where}"


# === Commands =================================================================


def targets(makefile: str) -> set[str]:
    """The targets of a Makefile that are commands."""
    return {word for line in re.findall(r"^\.PHONY: *(.*)$", read(makefile), re.MULTILINE) for word in line.split()}


def commands() -> Iterator[str]:
    """Each `make X` of a document exists, with its variables; each target of the top Makefile is in `make help` and in a document."""
    every = {name: targets(name) for name in MAKEFILES if (TOP / name).exists()}
    scripts = "".join(read(path) for path in [*map(str, TESTS.rglob("*.sh")), *every, "Kbuild"])
    named: set[str] = set()
    count = 0
    for path in documents():
        own = f"{path.parent.relative_to(TOP)}/Makefile"
        for line in code(path):
            for folder, words in MAKE.findall(re.sub(r" {2,}# .*", "", line)):
                if folder.startswith(("tools/", "/")):
                    continue
                known = every.get(f"{folder}/Makefile" if folder else own, set()) | (set() if folder else every["Makefile"])
                for word in WORD.findall(words):
                    count += 1
                    name = word.partition("=")[0]
                    if "=" in word:
                        if not re.search(rf"\b{name}\b", scripts):
                            yield f"{path.relative_to(TOP)}: make {name}=: no Makefile and no script knows it"
                    elif word not in known | FOREIGN:
                        yield f"{path.relative_to(TOP)}: make {word}: no such target"
                    elif not folder:
                        named.add(word)
    yield from missing("make in documents", count, 60)
    top = every["Makefile"] - {"all", "help", "modules", "distclean", "uninstall"}
    help_text = re.search(r"^help:\n((?:\t.*\n)+)", read("Makefile"), re.MULTILINE)
    helped = set(re.findall(r"[a-z][a-z-]+", help_text[1])) if help_text else set()
    for name in sorted(top - helped):
        yield f"make {name}: not in `make help`"
    for name in sorted(top - named):
        yield f"make {name}: in no document"
    yield from missing("targets of the Makefile", len(top), 15)


def files() -> Iterator[str]:
    """Each file that a document names is there; each script of the tests' folders is named in their README."""
    count = 0
    for path in documents():
        bases = (TOP, path.parent, TESTS)
        for name in (name for text in code(path) for name in NAME.findall(text)):
            # a file of ours, or only an example of a name?
            if "/" in name and not any((base / name.split("/")[0]).exists() for base in bases) or re.search("NAME|PART", name):
                continue
            count += 1
            if not any((base / name).exists() for base in bases):
                yield f"{path.relative_to(TOP)}: no such file: {name}"
    yield from missing("files in documents", count, 40)
    words = " ".join(code(TESTS / "README.md"))
    for folder in NAMED:
        own = {path.name for path in (TESTS / folder).iterdir() if path.suffix in (".sh", ".py") or path.is_dir() and folder == "programs"}
        yield from missing(f"scripts in selftests/{folder}", len(own), 6)
        for name in sorted(own - {"__pycache__"}):
            # the guest's part of a script of that name
            is_part = folder == "in_guest" and any((TESTS / other / name).exists() for other in ("host", "commands"))
            if name not in words and not is_part:
                yield f"selftests/README.md: does not name {folder}/{name}"


def packages() -> Iterator[str]:
    """README.md names the packages of the viewer, as setup.sh installs them."""
    found = re.search(r"^\tviewer\) echo \"([^\"]*)\"", read("selftests/machine/setup.sh"), re.MULTILINE)
    named = re.search(r"^    sudo apt install (.*?)(?: +#.*)?\n(?!     )", re.sub(r"\\\n\s*", "", read("README.md")), re.MULTILINE)
    here = set(found[1].split()) if found else set()
    yield from missing("packages of the viewer", len(here), 8)
    yield from differ("package", here, "setup.sh", set(named[1].split()) if named else set(), "README.md")


# === Options ==================================================================


def options_of_plot() -> set[str]:
    """The long options of fragtrace-plot, from its source."""
    return set(re.findall(r'add_argument\([^)]*?"(--[a-z][a-z0-9-]+)"', read("viewer/python/fragplot/cli.py")))


def options_of_commands() -> dict[str, set[str]]:
    """The long options of each command of fragtrace, from the tables of its sources."""
    names = dict(re.findall(r'^\t\[(OPT_\w+)\] = \{ "([a-z0-9-]+)"', read("viewer/src/options.c"), re.MULTILINE))
    text = read("viewer/src/commands.c")
    for name, words in re.findall(r"^#define (\w+) (OPT_.*)$", text, re.MULTILINE):
        text = re.sub(rf"\b{name}\b", words, text)
    return {name: {f"--{names[word]}" for word in re.findall(r"OPT_\w+", words)}
            for name, words in re.findall(r'^\t\{ "([a-z]+)", (?:(?!^\t\{).)*?\.options = \{(.*?)\}', text, re.MULTILINE | re.DOTALL)}


def manual_options(page: str) -> set[str]:
    """The long options that a manual page explains: the heads of its lists."""
    heads = " ".join(re.findall(r"^\.It Fl .*$", read(page), re.MULTILINE))
    return {f"--{name}" for name in re.findall(r"-([a-z][a-z0-9-]+)", heads)}


def options() -> Iterator[str]:
    """The sources and the manual pages have the same options; documents use those of the command that they name."""
    known = options_of_commands()
    yield from missing("commands", len(known), 14)
    known["plot"] = options_of_plot()
    every = set().union(*(here for command, here in known.items() if command not in ("defrag", "plot")))
    for program, here in ("fragtrace", every), ("fragtrace-plot", known["plot"]), ("fragtrace-defrag", known["defrag"]):
        yield from missing(f"options of {program}", len(here), 10)
        yield from differ("option", here - {"--help", "--version"}, program, manual_options(PAGES[program]) - {"--help", "--version"}, PAGES[program])
    count = 0
    for path in documents():
        for line in code(path):
            for command, words in re.findall(r"\bfragtrace[ -]([a-z]+)((?: +[^|;&#`]*)?)", line):
                for name in re.findall(r"(?<![\w-])(--[a-z][a-z0-9-]+)", words) if command in known else ():
                    count += 1
                    if name not in known[command] | {"--help", "--version"}:
                        yield f"{path.relative_to(TOP)}: fragtrace {command} has no {name}"
    yield from missing("options in documents", count, 20)


def statuses() -> Iterator[str]:
    """The manual pages have the statuses of the table in viewer/README.md, and the programs those of their headers."""
    text = read("viewer/README.md")
    table = re.search(r"^## Exit status\n(.*?)(?=^## )", text, re.MULTILINE | re.DOTALL)
    rows = [re.split(r" *\| *", line)[1:-1] for line in re.findall(r"^\| \d.*$", table[1] if table else "", re.MULTILINE)]
    yield from missing("exit statuses", len(rows), 4)
    for column, (program, page) in enumerate(PAGES.items(), 1):
        section = re.search(r"^\.Sh EXIT STATUS\n(.*?)^\.Sh ", read(page), re.MULTILINE | re.DOTALL)
        there = set(re.findall(r"^\.It (\d+)$", section[1] if section else "", re.MULTILINE))
        here = {row[0] for row in rows if row[column] != "–"}
        yield from differ(f"status of {program}:", here, "viewer/README.md", there, page)
    values = dict(re.findall(r"^\t(EXIT_[A-Z]+) = (\d+)", read("viewer/src/util.h"), re.MULTILINE))
    wanted = {"EXIT_USAGE": "2", "EXIT_BAD": "3", "EXIT_NOTHING": "4"}
    if values != wanted:
        yield f"exit statuses in the sources: {values}, expected {wanted}"


# === The module ===============================================================


def module_text(ending: str = "c") -> str:
    """All sources of the module, without its tests."""
    return "\n".join(read(path) for path in sorted((TOP / "module").rglob(f"*.{ending}")) if "test" not in path.name)


def section(title: str, text: str) -> str:
    """A section of FORMATS.md, with what is below it."""
    level = title.split()[0]
    found = re.search(rf"^{re.escape(title)}\n(.*?)(?=^#{{2,{len(level)}}} |\Z)", text, re.MULTILINE | re.DOTALL)
    return found[1] if found else ""


def first_cells(text: str) -> set[str]:
    """The names in the first column of all tables."""
    return {name for line in re.findall(r"^\| ([^|]*)\|", text, re.MULTILINE) for name in re.findall(r"`([\w:*-]+)`", line)}


def debugfs() -> Iterator[str]:
    """Files, columns, counters, parameters and events: FORMATS.md has those of the sources, and no others."""
    text, source = read(FORMATS), re.sub(r'"\s*\n\s*"', "", module_text())
    shown = set(re.findall(r'\bcreate\("([a-z_]+)", 0[46]00,|^\t\.name = "([a-z_]+)",$', source, re.MULTILINE))
    shown = {name for pair in shown for name in pair if name}
    yield from missing("files of debugfs", len(shown), 14)
    part = section("## Files in debugfs", text)
    listed = set(re.findall(r"^\| \[`(\w+)`\]", part, re.MULTILINE))
    headed = set(re.findall(r"^### ([a-z_]+)$", part, re.MULTILINE))
    yield from differ("file", shown, "module/", listed, "the table of FORMATS.md")
    yield from differ("file", shown, "module/", headed, "the headings of FORMATS.md")

    # the names of fields follow the format's name, or are in a table of them
    heads = {line.strip() for line in re.findall(r'# ((?:[a-z]+ )?dev [a-z0-9_ ]+?)\\n(?=["#])', source)}
    yield from missing("heads of text files", len(heads), 12)
    flat = re.sub(r"\s+", " ", text)
    yield from (f"fields '{head}': not in FORMATS.md" for head in sorted(heads) if f"{head}`" not in flat and f"# {head} " not in flat)
    written = {re.sub(r"\s+", " ", line) for line in re.findall(r"`(dev [a-z0-9_]+(?:\s[a-z0-9_]+)+)`", text)}
    written |= set(re.findall(r"^    # ((?:[a-z]+ )?dev [a-z0-9_ ]+)$", text, re.MULTILINE))
    yield from missing("fields in FORMATS.md", len(written), 12)
    yield from (f"fields '{head}': in FORMATS.md, not in module/" for head in sorted(written - heads))

    stats = section("### stats", part)
    counters = set(re.findall(r'^\t\[FT_[A-Z_]*\] = "([a-z_]*)",|seq_printf\(m, "([a-z_]+) %', counters_source(), re.MULTILINE))
    named = {name for pair in counters for name in pair if name}
    yield from missing("counters", len(named), 30)
    yield from differ("counter", named, "the source of `stats`", first_cells(stats), "FORMATS.md")

    parameters = set(re.findall(r"^module_param(?:_cb|_named)?\((\w+),", source, re.MULTILINE))
    yield from missing("parameters", len(parameters), 8)
    explained = set(re.findall(r"^\| `(\w+)=", section("## Parameters", text), re.MULTILINE))
    yield from differ("parameter", parameters, "module/", explained, "FORMATS.md")

    events = module_text("h")
    names = set(re.findall(r"^TRACE_EVENT\((?:fragtrace_)?(\w+),", events, re.MULTILINE))
    yield from missing("tracepoints", len(names), 3)
    part = section("## Tracepoints", text)
    table, _, of_change = part.partition("Fields of")
    yield from differ("event", names, "module/", first_cells(table), "FORMATS.md")
    found = re.search(r"^TRACE_EVENT\((?:fragtrace_)?extent_change,(.*?)^\);", events, re.MULTILINE | re.DOTALL)
    fields = set(re.findall(r"__(?:field|array|string)\(\s*[^,]+,\s*(\w+)|\b(\w+)=%", found[1] if found else ""))
    fields = {name for pair in fields for name in pair if name}
    yield from missing("fields of extent_change", len(fields), 10)
    yield from differ("field of extent_change", fields - {"dev", "ino"}, "module/", first_cells(of_change), "FORMATS.md")


def counters_source() -> str:
    """The source of `stats`: the file that writes its head, and those of observers with lines of their own."""
    texts = [path.read_text(encoding="utf-8") for path in sorted((TOP / "module").rglob("*.c"))]
    return "".join(text for text in texts if '"# fragtrace stats' in text or "show_stats(struct seq_file" in text)


# === Links and figures ========================================================


def anchors(path: Path) -> set[str]:
    """The names that the headings of a document have in links."""
    lines = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^a-z0-9_-]", "", line.lower().replace(" ", "-")) for line in lines}


def links() -> Iterator[str]:
    """Each link within the project leads to a file or a heading; each picture is shown somewhere."""
    count = 0
    shown = set()
    for path in documents():
        text = path.read_text(encoding="utf-8")
        for link in re.findall(r"\]\(([^):\s]*)\)", text) + re.findall(r'(?:src|href)="([^":]*)"', text):
            name, _, heading = link.partition("#")
            to = path.parent / name if name else path
            count += 1
            shown.add(to.resolve())
            if not to.exists():
                yield f"{path.relative_to(TOP)}: no such file: {link}"
            elif heading and heading not in anchors(to):
                yield f"{path.relative_to(TOP)}: no such heading: {link}"
    yield from missing("links", count, 60)
    pictures = {path for path in (TOP / "viewer/images").glob("*.png")}
    yield from missing("pictures", len(pictures), 5)
    yield from (f"viewer/images/{path.name}: no document shows it" for path in sorted(pictures - shown))


def cell(path: str, row: str, column: str) -> str:
    """The value in a table: the last one whose head has this column and one of whose rows begins so."""
    value, heads = "", list[str]()
    for line in read(path).splitlines():
        cells = [one.strip() for one in line.strip("|").split("|")] if line.startswith("|") else []
        if not cells:
            heads = []
        elif not heads:
            heads = cells
        elif cells[0] == row and column in heads:
            value = cells[heads.index(column)]
    return value


BENCH = "selftests/bench/README.md"
# Figures that a document repeats: the document, the words around the number, and the table's cell that it is from.
QUOTED = (
    ("module/DESIGN.md", r"([\d.]+) % more instructions under fsync-heavy", BENCH, "fio, 4 KiB random, fdatasync", "bpftrace, counts only"),
    ("module/DESIGN.md", r"random writes, ([\d.]+) % more under sequential", BENCH, "fio, sequential", "bpftrace, counts only"),
    ("module/DESIGN.md", r"causes, takes ([\d.]+) % and", BENCH, "fio, 4 KiB random, fdatasync", "tracing"),
    ("module/DESIGN.md", r"causes, takes [\d.]+ % and ([\d.]+) %", BENCH, "fio, sequential", "tracing"),
)


def figures() -> Iterator[str]:
    """Figures that a document repeats are those of the table that they are from."""
    for path, words, source, row, column in QUOTED:
        found = re.search(words, re.sub(r"\s+", " ", read(path)))
        value = re.match(r"[+-]?([\d.]+)", cell(source, row, column))
        if not found or not value:
            yield f"{path}: '{words}', or {source}: '{row}', '{column}': not found"
        elif abs(Decimal(value[1]) - Decimal(found[1])) > Decimal("0.05"):
            yield f"{path}: {found[1]} %, but {source} has {value[1]} for '{row}', '{column}'"


def front() -> Iterator[str]:
    """README.md is short."""
    text = read("README.md")
    lines, words = text.count("\n"), len(text.split())
    if not 40 <= lines <= MOST_LINES or not 300 <= words <= MOST_WORDS:
        yield f"README.md: {lines} lines and {words} words, expected at most {MOST_LINES} and {MOST_WORDS}"
    packed = TESTS / "papers/result/results.json.xz"
    if len(json.loads(lzma.decompress(packed.read_bytes()))) < 20:
        yield f"{packed.relative_to(TOP)}: results are missing"


CHECKS: dict[str, Callable[[], Iterator[str]]] = {
    check.__name__: check for check in (front, commands, files, packages, options, statuses, debugfs, links, figures)
}


def main() -> int:
    """Run one check, or name all."""
    if sys.argv[1:] == ["--list"]:
        print("\n".join(CHECKS))
        return 0
    if len(sys.argv) != 2 or sys.argv[1] not in CHECKS:
        print(f"usage: docs.py --list | {' | '.join(CHECKS)}", file=sys.stderr)
        return 2
    found = list(CHECKS[sys.argv[1]]())
    for line in found:
        print(f"# {line}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
