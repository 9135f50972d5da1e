# SPDX-License-Identifier: GPL-2.0-only
"""Python imports this first if it is in $PYTHONPATH: modules that $FT_MUT_PLAN names get their mutations."""

import ast
import builtins
import json
import os
import sys
from importlib.machinery import SourceFileLoader

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import python_code  # noqa: E402  pylint: disable=wrong-import-position

sys.path.pop(0)


def install(plan: dict) -> None:
    """Import modules of the plan with their mutations; the plan has the numbers by path and by order in the module."""
    plain = SourceFileLoader.get_code

    def get_code(self, fullname):  # type: ignore[no-untyped-def]
        path = os.path.realpath(self.get_filename(fullname))
        if path not in plan:
            return plain(self, fullname)
        tree = ast.parse(self.get_data(path), path)
        return compile(python_code.switched(tree, {int(i): number for i, number in plan[path].items()}), path, "exec")

    SourceFileLoader.get_code = get_code  # type: ignore[method-assign]
    builtins.__ft_mut__ = python_code.ft_mut  # type: ignore[attr-defined]


if os.environ.get("FT_MUT_PLAN"):
    with open(os.environ["FT_MUT_PLAN"], encoding="utf-8") as file:
        install(json.load(file))
