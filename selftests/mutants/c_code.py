# SPDX-License-Identifier: GPL-2.0-only
"""Mutations of C, made on the syntax tree: found here, and written into the source so that a number switches them on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import tree_sitter
import tree_sitter_c

from site_of import Site

PARSER = tree_sitter.Parser(tree_sitter.Language(tree_sitter_c.language()))
OPERATORS = {
    b"<": b"<=", b"<=": b"<", b">": b">=", b">=": b">", b"==": b"!=", b"!=": b"==",
    b"&&": b"||", b"||": b"&&", b"+": b"-", b"-": b"+", b"*": b"/", b"/": b"*", b"%": b"/",
    b"&": b"|", b"|": b"&", b"<<": b">>", b">>": b"<<", b"+=": b"-=", b"-=": b"+=", b"|=": b"&=", b"&=": b"|=",
}
BOUNDARIES = (b"<", b"<=", b">", b">=", b"==", b"!=")
# What a lost call of these changes is memory and open files: the runs under sanitizers and kmemleak look for them.
RELEASES = re.compile(rb"^\w*(free|close|unref|destroy|put|lock|unlock|lockdep)\w*$")
# What these say is for people.
MESSAGES = re.compile(rb"^(die|warn|ft_say|pr_\w+|perror|assert|static_assert|BUILD_BUG_ON\w*|lockdep_assert\w*|WARN\w*|MODULE_\w+)$")
# Macros that are statements, which cannot stand in an expression; and those whose arguments have no order.
NOT_SWAPPED = re.compile(rb"for_each|^ft_observers_call$|^(min|max)(_t)?$")
# Not built for the kernels that the module is tried in, but with PREEMPT_RT and on arm64.
NOT_BUILT = (b"FT_LEAVES_NOTES",)
JUMPS = ("return_statement", "break_statement", "continue_statement", "goto_statement")
# A switch is no constant expression: where one is needed, a mutation needs a build of its own.
CONSTANT = ("enumerator", "case_statement", "array_declarator", "field_declaration", "attribute_specifier", "preproc_def",
            "preproc_if", "preproc_elif", "preproc_function_def", "gnu_asm_expression", "offsetof_expression")

HEADER = """/* SPDX-License-Identifier: GPL-2.0-only */
/* Written by mutants.py: is this mutation switched on? The first question about each is noted. */
#ifndef FT_MUTANTS_H
#define FT_MUTANTS_H
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int ft_mut(int number);
__attribute__((weak)) int ft_mut(int number)
{
	static unsigned char seen[1 << 16];
	static int wanted = -1;

	if (wanted < 0)
		wanted = getenv("FT_MUT") ? atoi(getenv("FT_MUT")) : 0;
	if (!seen[number]++ && getenv("FT_MUT_REACHED")) {
		int fd = open(getenv("FT_MUT_REACHED"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

		dprintf(fd, "%d\\n", number);
		close(fd);
	}
	return number == wanted;
}
#endif
"""

# The same in the kernel; a parameter tells which mutations are reached, and the log which ones after there is no parameter any more.
MODULE_DECLARES = b"int ft_mut(int number); "
MODULE_DEFINES = b"""
#include <linux/bitmap.h>
#include <linux/moduleparam.h>
#include <linux/sysfs.h>

#define FT_MUTANTS (1 << 12)
static DECLARE_BITMAP(ft_mut_seen, FT_MUTANTS);
static int ft_mut_wanted;
module_param_named(ft_mut, ft_mut_wanted, int, 0444);

static int ft_mut_reached(char *to, const struct kernel_param *param)
{
	return sysfs_emit(to, "%*pbl\\n", FT_MUTANTS, ft_mut_seen);
}

static const struct kernel_param_ops ft_mut_ops = { .get = ft_mut_reached };
module_param_cb(ft_reached, &ft_mut_ops, NULL, 0444);

int ft_mut(int number)
{
	if (!test_and_set_bit(number, ft_mut_seen) && THIS_MODULE->state == MODULE_STATE_GOING)
		printk(KERN_INFO "ft_mut: unloading reaches %d\\n", number);
	return number == ft_mut_wanted;
}
"""


def ancestors(node: Any) -> Iterator[Any]:
    """The nodes around a node, the nearest first."""
    while node.parent:
        node = node.parent
        yield node


def function_of(node: Any) -> str:
    """The name of the function around a node."""
    for up in ancestors(node):
        if up.type == "function_definition":
            found = re.search(rb"(\w+)\s*\(", up.text)
            return found[1].decode() if found else "?"
    return "-"


def needs_build(node: Any) -> bool | None:
    """Whether a mutation cannot be switched here; None if there must be none."""
    inside = False
    for up in ancestors(node):
        if up.type in ("ERROR", "preproc_if", "attribute_specifier", "gnu_asm_expression"):
            return None
        if up.type == "case_statement" and up.child_by_field_name("value") not in (node, *ancestors(node)):
            continue
        if up.type in CONSTANT:
            return True
        if up.type == "declaration" and any(c.type == "storage_class_specifier" and c.text == b"static" for c in up.children):
            return True
        inside = inside or up.type == "function_definition"
    return not inside


def called(node: Any) -> bytes:
    """The name of what a call calls."""
    function = node.child_by_field_name("function")
    return function.text if function is not None else b""


def is_simple(node: Any) -> bool:
    """A name, a member or a number."""
    return node.type in ("identifier", "field_expression", "number_literal", "subscript_expression")


def of_expression(node: Any) -> Iterator[tuple[str, bytes]]:
    """The kinds of mutation of an expression, and its text then."""
    text = node.text
    if node.type in ("binary_expression", "assignment_expression"):
        operator = node.child_by_field_name("operator")
        if operator.text in OPERATORS:
            at = operator.start_byte - node.start_byte
            changed = text[:at] + OPERATORS[operator.text] + text[at + len(operator.text):]
            if node.parent.type == "binary_expression":
                changed = b"(" + changed + b")"
            yield "boundary" if operator.text in BOUNDARIES else "operator", changed
    elif node.type == "parenthesized_expression" and node.parent.type in ("if_statement", "conditional_expression"):
        yield "negated", b"(!" + text + b")"
    elif node.type == "unary_expression" and text.startswith(b"!"):
        yield "negated", b"!" + text
    elif node.type == "number_literal" and re.fullmatch(rb"\d+", text):
        yield "off by one", b"%d" % (int(text) + 1)
    elif node.type == "call_expression" and not NOT_SWAPPED.search(node.child_by_field_name("function").text):
        arguments = [c for c in node.child_by_field_name("arguments").named_children if c.type != "comment"]
        for one, other in zip(arguments, arguments[1:]):
            if is_simple(one) and is_simple(other) and one.text != other.text:
                start = node.start_byte
                yield "swapped", (text[:one.start_byte - start] + other.text +
                                  text[one.end_byte - start:other.start_byte - start] + one.text + text[other.end_byte - start:])


def of_statement(node: Any) -> Iterator[tuple[str, bytes]]:
    """A statement that is left out."""
    if node.type == "expression_statement" and node.named_children:
        inner = node.named_children[0]
        if inner.type == "call_expression" and RELEASES.match(called(inner)):
            return
        if inner.type == "call_expression" and called(inner).startswith(b"MODULE_"):
            return
        if inner.type in ("assignment_expression", "update_expression", "call_expression"):
            yield "dropped", b";"
    elif node.type in JUMPS and any(up.type == "if_statement" for up in (node.parent, node.parent.parent)):
        yield "dropped", b";"


def sites(path: str, source: bytes) -> list[Site]:
    """All mutations of a file."""
    found: list[Site] = []

    def add(node: Any, kind: str, after: bytes, build: bool) -> None:
        found.append(Site.of(path, source, node.start_byte, node.end_byte, kind, after, function_of(node), build))

    def walk(node: Any) -> None:
        if node.type == "call_expression" and MESSAGES.match(called(node)):
            return
        if node.type == "preproc_ifdef" and node.child_by_field_name("name").text in NOT_BUILT:
            return
        if node.type == "preproc_def":
            value = node.child_by_field_name("value")
            if value is not None and re.fullmatch(rb"\d+", value.text):
                add(value, "off by one", b"%d" % (int(value.text) + 1), True)
            return
        if node.type == "function_definition":
            early_return(node, add)
        mutations = [*of_expression(node), *of_statement(node)]
        build = needs_build(node) if mutations and not node.has_error else None
        for kind, after in mutations if build is not None else ():
            add(node, kind, after, bool(build))
        for child in node.children:
            walk(child)

    walk(PARSER.parse(source).root_node)
    return found


def early_return(node: Any, add: Any) -> None:
    """A function that does nothing."""
    body, kind = node.child_by_field_name("body"), node.child_by_field_name("type")
    first = next((c for c in body.named_children if c.type not in ("declaration", "comment")), None)
    if first is None or first.has_error or kind is None:
        return
    # a macro such as __always_inline hides the type
    head = node.text.split(b"(")[0]
    value = b"" if re.search(rb"\bvoid\b", head) and b"*" not in head else b" 0"
    add(first, "early return", b"return" + value + b";", False)


def touched(site: Site, source: bytes) -> list[Site]:
    """Questions in each function of its file, for a mutation that needs a build of its own: which tests come by the file?"""
    found = [one for one in sites(site.path, source) if one.kind == "early return"]
    for one in found:
        one.kind, one.number = "touched", site.number
    return found


def switched(source: bytes, chosen: list[Site]) -> bytes:
    """The source with these mutations in it, each behind its number. The lines stay where they are."""

    def emit(start: int, end: int, inner: list[Site]) -> bytes:
        out, at = b"", start
        while inner:
            first = min(inner, key=lambda s: (s.start, -s.end))
            same = [s for s in inner if (s.start, s.end) == (first.start, first.end)]
            below = [s for s in inner if first.start <= s.start and s.end <= first.end and s not in same]
            inner = [s for s in inner if s not in same and s not in below]
            out += source[at:first.start]
            text = emit(first.start, first.end, below)
            for one in same:
                text = wrap(one, text)
            out, at = out + text, first.end
        return out + source[at:end]

    return emit(0, len(source), chosen)


def wrap(site: Site, text: bytes) -> bytes:
    """One mutation around the text that it changes."""
    after = re.sub(rb"\s+", b" ", site.after.encode())
    if site.kind == "early return":
        return b"if (ft_mut(%d)) %s %s" % (site.number, after, text)
    if site.kind == "touched":
        return b"(void)ft_mut(%d); %s" % (site.number, text)
    if site.kind == "dropped":
        return b"{ if (!ft_mut(%d)) { %s } }" % (site.number, text)
    return b"(ft_mut(%d) ? (%s) : (%s))" % (site.number, after, text)
