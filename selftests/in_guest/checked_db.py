#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""An SQLite database whose content is known: write it, or compare it after a power failure.

The content of a row follows from its number and its version. The version of all rows follows from the number of
committed transactions and the seed, so that a database needs no copy to be compared with.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import sqlite3
import sys
import time

ROWS = 2000
CHANGES = 20
TRANSACTIONS_PER_READ = 50


def content(row: int, version: int) -> bytes:
    """Return the content of a row: up to 3 KiB that no other row and version has."""
    digest = hashlib.sha256(f"{row} {version}".encode()).digest()
    return digest * (1 + digest[0] % 96)


class Model:
    """The versions of all rows after any number of transactions."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.versions = [0] * ROWS
        self.transactions = 0

    def next(self) -> list[int]:
        """Take one transaction further; return the rows that it changes."""
        rows = [self.random.randrange(ROWS) for _ in range(CHANGES)]
        self.transactions += 1
        for row in rows:
            self.versions[row] = self.transactions
        return rows


def compare(database: sqlite3.Connection, model: Model) -> str | None:
    """Compare all rows with the model; return the first difference."""
    found = database.execute("PRAGMA integrity_check").fetchone()[0]
    if found != "ok":
        return f"integrity_check: {found}"
    number = -1
    for number, (row, version, data) in enumerate(database.execute("SELECT id, version, data FROM rows ORDER BY id")):
        if row != number or version != model.versions[row]:
            return f"row {number} has version {version}, expected {model.versions[number]}"
        if data != content(row, version):
            return f"row {number}, version {version}: other content"
    if number + 1 != ROWS:
        return f"{number + 1} rows, expected {ROWS}"
    return None


def connect(path: str, journal: str) -> sqlite3.Connection:
    """Open the database; each commit is durable."""
    database = sqlite3.connect(path, isolation_level=None)
    database.execute(f"PRAGMA journal_mode = {journal}")
    database.execute("PRAGMA synchronous = FULL")
    database.execute("PRAGMA cache_size = 50")
    return database


def commit(database: sqlite3.Connection, rows: list[int], model: Model) -> None:
    """Write the rows of the model's last transaction."""
    database.execute("BEGIN IMMEDIATE")
    for row in rows:
        version = model.versions[row]
        database.execute("REPLACE INTO rows VALUES (?, ?, ?)", (row, version, content(row, version)))
    database.execute("REPLACE INTO state VALUES (1, ?)", (model.transactions,))
    database.execute("COMMIT")


def say(path: str, number: int) -> None:
    """Replace the number in a file, so that a reader never sees half of it."""
    with open(path + ".new", "w", encoding="ascii") as file:
        file.write(f"{number}\n")
    os.rename(path + ".new", path)


def write(args: argparse.Namespace) -> int:
    """Commit transactions until the time is over; compare now and then with all rows."""
    model = Model(args.seed)
    database = connect(args.database, args.journal)
    database.execute("CREATE TABLE rows (id INTEGER PRIMARY KEY, version INTEGER, data BLOB)")
    database.execute("CREATE TABLE state (id INTEGER PRIMARY KEY, transactions INTEGER)")
    database.execute("BEGIN")
    database.executemany("INSERT INTO rows VALUES (?, 0, ?)", ((row, content(row, 0)) for row in range(ROWS)))
    database.execute("COMMIT")
    end = time.monotonic() + args.seconds
    reads = 0
    while time.monotonic() < end:
        commit(database, model.next(), model)
        if args.committed:
            say(args.committed, model.transactions)
        if model.transactions % TRANSACTIONS_PER_READ == 0:
            database.close()
            database = connect(args.database, args.journal)
            difference = compare(database, model)
            if difference:
                print(f"{args.database}: after {model.transactions} transactions: {difference}")
                return 1
            reads += 1
    difference = compare(database, model)
    database.close()
    if difference:
        print(f"{args.database}: in the end: {difference}")
        return 1
    print(f"{model.transactions} transactions, all rows read and compared {reads + 1} times")
    return 0


def check(args: argparse.Namespace) -> int:
    """Compare a database after a power failure: each committed transaction is there, and nothing else."""
    database = connect(args.database, args.journal)
    transactions = database.execute("SELECT transactions FROM state").fetchone()[0]
    if transactions < args.least:
        print(f"{args.database}: {transactions} transactions, {args.least} had been committed")
        return 1
    model = Model(args.seed)
    while model.transactions < transactions:
        model.next()
    difference = compare(database, model)
    database.close()
    if difference:
        print(f"{args.database}: {difference}")
        return 1
    print(f"{transactions} transactions, at least {args.least} expected; all rows agree")
    return 0


def main() -> int:
    """Run one of the two commands."""
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(required=True)
    for name, run in (("write", write), ("check", check)):
        command = commands.add_parser(name, help=run.__doc__)
        command.set_defaults(run=run)
        command.add_argument("database")
        command.add_argument("--journal", choices=["WAL", "DELETE"], default="WAL")
        command.add_argument("--seed", type=int, default=1)
        if name == "write":
            command.add_argument("--seconds", type=float, default=60)
            command.add_argument("--committed", help="file for the number of committed transactions")
        else:
            command.add_argument("--least", type=int, default=0, help="number of transactions that must be there")
    args = parser.parse_args()
    result: int = args.run(args)
    return result


if __name__ == "__main__":
    sys.exit(main())
