#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Check that the files of module/ form layers.

usage: layers.py FOLDER [-v]

The map in FOLDER/fragtrace.h lists them from top to bottom. A file may use functions and variables of files
below it, also in inline functions of headers; so there are no circles. Prints all other uses, and with -v
each file with the files that it uses. Status 1 if a file is at the wrong place, or is not in the map.

Calls by pointers are not found. The lower files reach the upper ones with them: works, fsnotify's callbacks,
and ft_target_hook().
"""

import os
import re
import sys

# Allowed uses in upward direction: "user.c -> used.c": the reason.
ALLOWED: dict[str, str] = {}

NOT_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"', re.S)
NAME = re.compile(r"\bft_\w+")
# A definition begins in the first column; its name is on that line or on the next one.
FUNCTION = re.compile(r"^(?!static)[a-z][\w \t]*[ \t*\n]+(ft_\w+)\([^;{]*\)\n\{", re.M)
VARIABLE = re.compile(r"^(?!static|extern)(?:[a-z][\w \t]*[ *]+|[A-Z_]+\((?:[^()\n]*, )?)(ft_\w+)\)?(?: =|;|\))", re.M)
INLINE = re.compile(r"^static (?:__always_)?inline [\w \t*\n]*?(ft_\w+)\([^;{]*\)\n\{(.*?)^\}", re.M | re.S)
LISTED = re.compile(r"^ \*   (\w+\.c) ", re.M)


def code(path):
    """Return the text of a file without comments and strings."""
    with open(path, encoding="utf-8") as file:
        return NOT_CODE.sub(" ", file.read())


def read(folder):
    """Return the definitions of each file, the names in it, and the names in each inline function."""
    defined, names, inline = {}, {}, {}
    for file in sorted(os.listdir(folder)):
        if not file.endswith((".c", ".h")) or file in ("extmap_test.c", "f2fs_private.h"):
            continue
        text = code(os.path.join(folder, file))
        if file.endswith(".h"):
            for name, body in INLINE.findall(text):
                inline[name] = set(NAME.findall(body))
            continue
        for name in FUNCTION.findall(text) + VARIABLE.findall(text):
            defined[name] = file
        names[file] = set(NAME.findall(text))
    return defined, names, inline


def used(names, inline):
    """Return these names and those in the inline functions among them."""
    todo, done = list(names), set()
    while todo:
        name = todo.pop()
        if name not in done:
            done.add(name)
            todo.extend(inline.get(name, ()))
    return done


def main():
    folders = [word for word in sys.argv[1:] if word != "-v"]
    if len(folders) != 1 or not os.path.isfile(os.path.join(folders[0], "fragtrace.h")):
        print("usage: layers.py FOLDER [-v]; the folder is the one with fragtrace.h: module", file=sys.stderr)
        return 2
    folder = folders[0]
    verbose = "-v" in sys.argv[1:]
    defined, names, inline = read(folder)
    with open(os.path.join(folder, "fragtrace.h"), encoding="utf-8") as file:
        order = LISTED.findall(file.read())
    wrong = [f"{file} is in the map, but not there" for file in order if file not in names]
    wrong += [f"{file} is not in the map of fragtrace.h" for file in names if file not in order]
    if len(defined) < len(names):
        wrong.append("too few definitions were found: does this script still know how they are written?")
    place = {file: at for at, file in enumerate(order)}
    for file in order:
        uses = {}
        for name in used(names.get(file, ()), inline):
            other = defined.get(name, file)
            if other != file:
                uses.setdefault(other, []).append(name)
        if verbose:
            print(file, *sorted(uses, key=lambda other: place.get(other, 0)))
        for other, which in sorted(uses.items()):
            if place.get(other, -1) < place[file] and f"{file} -> {other}" not in ALLOWED:
                wrong.append(f"{file} uses {', '.join(sorted(which))} of {other}, which stands above it")
    for line in wrong:
        print("#", line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
