# SPDX-License-Identifier: GPL-2.0-only
"""`make papers`: experiments of published papers in guests, and what becomes of the papers' claims.

In the order of the data: `__main__` (the command line), `plan` (which experiments are missing, progress), a package for each
paper (its experiments, its claims, what the report shows of its data), `guest` (runs a script in a guest), `facts`, `layout` and `cost` (what it has left, as
numbers), `store` (results as JSON), `judge` (observations to verdicts), `report` (results to a document), `document` (to HTML
and Markdown), `keep` (the report that is kept in the repository). `model` has the types.
"""
