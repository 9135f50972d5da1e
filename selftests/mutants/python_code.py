# SPDX-License-Identifier: GPL-2.0-only
"""Mutations of Python, made on the syntax tree: found here, and put behind their numbers as a module is imported."""

from __future__ import annotations

import ast
import copy
import os
from collections.abc import Iterator
from typing import Any

COMPARED: dict[type, type] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}
CALCULATED: dict[type, type] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.FloorDiv,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.LShift: ast.RShift, ast.RShift: ast.LShift,
}
# How thick, large or close to each other something is drawn: numbers of taste. What is drawn, and where, means something.
TASTE = ("linewidth", "linestyle", "fontsize", "markersize", "handlelength", "columnspacing", "pad", "alpha", "zorder", "dpi")


def is_number(node: ast.AST) -> bool:
    """An int or a float, no bool."""
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def of_expression(node: Any) -> Iterator[tuple[str, Any]]:
    """The kinds of mutation of an expression, and what stands there then."""
    new = copy.deepcopy(node)
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        new.ops = [COMPARED[type(node.ops[0])]()]
        yield "boundary", new
    elif isinstance(node, ast.BinOp) and type(node.op) in CALCULATED and not isinstance(node.left, (ast.Constant, ast.JoinedStr)):
        new.op = CALCULATED[type(node.op)]()
        yield "operator", new
    elif isinstance(node, ast.BoolOp):
        new.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield "operator", new
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "negated", new.operand
    elif isinstance(node, ast.IfExp):
        new.test = ast.UnaryOp(ast.Not(), new.test)
        yield "negated", new
    elif is_number(node):
        new.value = node.value + 1 if isinstance(node.value, int) or not node.value else node.value * 1.25
        yield "off by one", new
    elif isinstance(node, ast.Call):
        for i, (one, other) in enumerate(zip(node.args, node.args[1:])):
            if isinstance(one, (ast.Name, ast.Attribute)) and isinstance(other, (ast.Name, ast.Attribute)):
                swapped = copy.deepcopy(node)
                swapped.args[i:i + 2] = swapped.args[i + 1], swapped.args[i]
                yield "swapped", swapped


def of_statement(node: ast.AST, inside_if: bool) -> Iterator[tuple[str, Any]]:
    """A statement that is left out, or an if that is negated."""
    if isinstance(node, ast.If):
        yield "negated", ast.UnaryOp(ast.Not(), copy.deepcopy(node.test))
    elif isinstance(node, ast.AugAssign) or isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield "dropped", None
    elif isinstance(node, ast.Assign) and isinstance(node.targets[0], (ast.Attribute, ast.Subscript)):
        yield "dropped", None
    elif isinstance(node, (ast.Return, ast.Continue, ast.Break, ast.Raise)) and inside_if:
        yield "dropped", None


def found(tree: ast.AST) -> Iterator[tuple[ast.AST, str, Any, str]]:
    """All mutations of a module: the node, the kind, what stands there then, and the function around it."""

    def walk(node: ast.AST, function: str, inside_if: bool) -> Iterator[tuple[ast.AST, str, Any, str]]:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            function = node.name
        if isinstance(node, ast.expr):
            for kind, new in of_expression(node):
                yield node, kind, new, function
        else:
            for kind, new in of_statement(node, inside_if):
                yield node, kind, new, function
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list", "pattern", "ops", "op"):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.keyword) and child.arg in TASTE and isinstance(child.value, (ast.Constant, ast.Tuple)):
                    continue
                if isinstance(child, ast.AST):
                    yield from walk(child, function, isinstance(node, ast.If))

    yield from walk(tree, "-", False)


def asked(number: int) -> ast.Call:
    """The question whether a mutation is switched on."""
    return ast.Call(ast.Name("__ft_mut__", ast.Load()), [ast.Constant(number)], [])


def switched(tree: ast.Module, chosen: dict[int, int]) -> ast.Module:
    """The module with some of its mutations in it: `chosen` has their numbers by their order in found()."""
    wanted: dict[int, list[tuple[int, str, Any]]] = {}
    for i, (node, kind, new, _) in enumerate(found(tree)):
        if i in chosen:
            wanted.setdefault(id(node), []).append((chosen[i], kind, new))

    class Switch(ast.NodeTransformer):
        """Replaces what is chosen, from the inside out."""

        def visit(self, node: ast.AST) -> Any:
            """One node."""
            mutations = wanted.get(id(node), [])
            done: Any = self.generic_visit(node)
            for number, kind, new in mutations:
                if kind == "dropped":
                    done = ast.copy_location(ast.If(ast.UnaryOp(ast.Not(), asked(number)), [done], []), node)
                elif isinstance(node, ast.If):
                    done.test = ast.copy_location(ast.IfExp(asked(number), new, done.test), node.test)
                else:
                    done = ast.copy_location(ast.IfExp(asked(number), new, done), node)
            return done

    out: ast.Module = Switch().visit(tree)
    return ast.fix_missing_locations(out)


SEEN: set[int] = set()


def ft_mut(number: int) -> bool:
    """Is this mutation switched on? The first question about each is noted."""
    reached = os.environ.get("FT_MUT_REACHED")
    if reached and number not in SEEN:
        SEEN.add(number)
        with open(reached, "a", encoding="ascii") as file:
            print(number, file=file)
    return os.environ.get("FT_MUT") == str(number)
