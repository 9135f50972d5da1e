#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Check that the folders of module/ are floors of a house, and that no files use each other in a circle.

usage: layers.py FOLDER [-v]

The head of FOLDER/main.c lists the floors from top to bottom, and their files. A file includes and uses only what is on its own
floor or below: functions, variables, constants, macros, and types that it has as members; also in inline functions of
headers. A header belongs to the .c file of the same name. Prints all that is wrong, and with -v each file with the
files that it uses. Status 1 if anything is wrong.

Calls by pointers are not found. The lower floors reach the upper ones with them: works, callbacks of fsnotify, ft_target_hook().
"""

import re
import sys
from pathlib import Path

NOT_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"', re.S)
NAME = re.compile(r"\b(?:ft|FT)_\w+")
INCLUDE = re.compile(r'^#include "([\w/]+)\.h"', re.M)
# A definition begins in the first column; its name is on that line or on the next one.
FUNCTION = re.compile(r"^(?!static)[a-z][\w \t]*[ \t*\n]+(ft_\w+)\([^;{]*\)\n\{", re.M)
VARIABLE = re.compile(r"^(?!static|extern)(?:[a-z][\w \t]*[ *]+|[A-Z_]+\((?:[^()\n]*, )?)(ft_\w+)\)?(?: =|;|\))", re.M)
INLINE = re.compile(r"^static (?:__always_)?inline [\w \t*\n]*?(ft_\w+)\([^;{]*\)\n\{(.*?)^\}", re.M | re.S)
MACRO = re.compile(r"^#define ((?:ft|FT)_\w+)((?:.*\\\n)*.*)", re.M)
TYPE = re.compile(r"^(?:struct|enum|union) (ft_\w+) \{(.*?)^\}", re.M | re.S)
CONSTANT = re.compile(r"^\t(FT_\w+)\b", re.M)
MEMBER = re.compile(r"\b(?:struct|enum|union) (ft_\w+) (?!(?:__\w+ )?\*)\w")
# In the head of main.c: " *   maps/       what it is for" and the files of the floor, or folders of some, one line each.
FLOOR = re.compile(r"^ \*   (\w+)/ ", re.M)
FILE = re.compile(r"^ \*     (\w+)(?:\.[ch]|(/)) ", re.M)
# The generated header is not part of the tree.
LEFT_OUT = ("extmap_test.c", "f2fs_private.h")


def read(folder: Path) -> dict[str, str]:
    """The sources by their path in the folder, without comments."""
    return {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.[ch]"))
            if path.name not in LEFT_OUT and not path.name.endswith(".mod.c")}


def definitions(texts: dict[str, str]) -> dict[str, str]:
    """The file, without its ending, that defines each name; of types, after `type `."""
    found = {}
    for path, text in texts.items():
        code = NOT_CODE.sub(" ", text)
        names = FUNCTION.findall(code) + VARIABLE.findall(code)
        if path.endswith(".h"):
            names = [name for name, _ in INLINE.findall(code) + MACRO.findall(code)]
            for name, body in TYPE.findall(code):
                names += [f"type {name}"] + CONSTANT.findall(body)
        found.update(dict.fromkeys(names, path[:-2]))
    return found


def uses(path: str, text: str) -> set[str]:
    """The names that a file uses; of a header, not those that it declares."""
    code = NOT_CODE.sub(" ", text)
    if path.endswith(".c"):
        return set(NAME.findall(code))
    bodies = [body for _, body in INLINE.findall(code) + MACRO.findall(code) + TYPE.findall(code)]
    return {name for body in bodies for name in NAME.findall(body)} | \
        {f"type {name}" for _, body in TYPE.findall(code) for name in MEMBER.findall(body)}


def graph(texts: dict[str, str]) -> dict[str, dict[str, set[str]]]:
    """By file and other file: the names of the other that it uses."""
    defined = definitions(texts)
    found: dict[str, dict[str, set[str]]] = {path[:-2]: {} for path in texts}
    for path, text in texts.items():
        for name in uses(path, text):
            other = defined.get(name, path[:-2])
            if other != path[:-2]:
                found[path[:-2]].setdefault(other, set()).add(name)
    return found


def circles(of: dict[str, dict[str, set[str]]]) -> list[list[str]]:
    """A circle for each group of files that use each other."""
    found, done = [], set()
    for start in of:
        if start in done:
            continue
        came = {start: start}
        todo = [start]
        while todo and came[start] == start:
            at = todo.pop()
            for other in of[at]:
                if other == start:
                    came[start] = at
                    break
                if other not in came:
                    came[other] = at
                    todo.append(other)
        if came[start] != start:
            way = [start, came[start]]
            while way[-1] != start:
                way.append(came[way[-1]])
            found.append(way[::-1])
            done.update(way)
    return found


def main() -> int:
    folders = [word for word in sys.argv[1:] if word != "-v"]
    if len(folders) != 1 or not Path(folders[0], "main.c").is_file():
        print("usage: layers.py FOLDER [-v]; the folder is the one with main.c: module", file=sys.stderr)
        return 2
    texts = read(Path(folders[0]))
    head = texts["main.c"]
    floors = [*FLOOR.findall(head)]
    of = graph(texts)
    there = {path.split("/")[0] for path in texts if "/" in path}
    wrong = [f"{floor}/ is not in the map of main.c" for floor in sorted(there - set(floors))]
    wrong += [f"{floor}/ is in the map of main.c, but not there" for floor in floors if floor not in there]
    listed = set()
    for floor, part in zip(floors, FLOOR.split(head)[2::2]):
        listed |= {f"{floor}/{name}{folder}" for name, folder in FILE.findall(part)}
    files = {path[:-2] for path in texts if path.endswith(".c") and "/" in path}
    # a folder stands for its files
    for folder in [name for name in listed if name.endswith("/")]:
        within = {name for name in files if name.startswith(folder)}
        listed = listed - {folder} | (within or {folder})
    wrong += [f"{name}.c is not in the map of main.c" for name in sorted(files - listed)]
    wrong += [f"{name} is in the map of main.c, but not there" for name in sorted(listed - set(of))]
    height = {floor: -at for at, floor in enumerate(floors)} | {"main": 1}

    def too_high(file: str, other: str) -> bool:
        return height.get(file.split("/")[0], 0) < height.get(other.split("/")[0], 0)

    for path, text in texts.items():
        wrong += [f"{path} includes {other}.h, which is on a floor above" for other in INCLUDE.findall(text) if too_high(path, other)
                  and "/" in other]
    for file, others in of.items():
        wrong += [f"{file} uses {', '.join(sorted(names))} of {other}, which is on a floor above"
                  for other, names in sorted(others.items()) if too_high(file, other)]
        if "-v" in sys.argv[1:]:
            print(file, *sorted(others))
    wrong += ["files use each other: " + " -> ".join(way) for way in circles(of)]
    if len(definitions(texts)) < 10 * len(files):
        wrong.append("too few definitions were found: does this script still know how they are written?")
    for line in wrong:
        print("#", line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
