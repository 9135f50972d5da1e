# SPDX-License-Identifier: GPL-2.0-only
"""What fragtrace-plot is made of, from the texts to the pictures.

    moments     which tables there are, and when they were recorded
    terms       fragments, distances and requests of a table
    colors      the groups of files, and their colours
    shares      the figures of each group at one moment
    layout      where everything lies, in rows of segments
    difference  what became of each block between two tables
    style       what all figures have in common; files written whole or not at all
    canvas      figures measured in pixels, for layouts
    progress    how far long work is
    history, compare, distribution, animate    one picture each
    cli         the command line
"""
