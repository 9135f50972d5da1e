# SPDX-License-Identifier: GPL-2.0-only
"""The modules of fragtrace-plot, from the texts to the pictures.

    moments     the tables, and when they were recorded
    terms       fragments, distances and requests of a table
    colors      the groups of files, and their colours
    shares      the figures of each group at one moment
    layout      positions of all extents, in rows of segments
    difference  changes of each block between two tables
    style       code that all figures share; files that are written as a whole or not at all
    canvas      figures measured in pixels, for layouts
    progress    progress of long work
    history, compare, distribution, animate    one picture each
    cli         the command line
"""
