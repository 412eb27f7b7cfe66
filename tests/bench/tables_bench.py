# SPDX-License-Identifier: MIT
"""How long the readings of a long journal take to each table, and what memory, beside a bare loop over Python's csv.

    PYTHONPATH=python python tests/bench/tables_bench.py [--dispatches N]

The bare loop hands finished rows of the same cells to csv.writer, from values that are in memory already: what a table
costs that reads nothing, judges nothing and has no other way of writing. docs/performance.md has the results. Each
table is written by a process of its own. Ends with 1 where one takes more memory than MOST_MEMORY, or the CSV more than
MOST_TIME times the processor time of the bare loop.
"""

from __future__ import annotations

import argparse
import csv
import importlib.util
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from large_journal import KERNELS, write_journal

MOST_MEMORY: Final = 200  # MB, of which pyarrow takes most
MOST_TIME: Final = 1.5
PASSES: Final = 6
COUNTERS: Final = 40
WORDS: Final = ("unknown", "unknown", "unknown")
BARE: Final = "bare loop"
KINDS: Final = ("csv", "csv-wide", "json", *(["parquet"] if importlib.util.find_spec("pyarrow") else []))


def bare(dispatches: int, path: Path) -> None:
    """Writes as many readings, with as many cells."""
    names = [f"TCC_EVENT_{n:02}" for n in range(COUNTERS)]
    values = [float(7919 * n % 1_000_003) for n in range(COUNTERS)]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        for number in range(dispatches):
            for k in range(PASSES):
                head = (4242, 0, number, KERNELS[number % 16], k, k)
                tail = (2000 * number, 2000 * number + 956, "replayed", "", 1024, 1, 1, 64, 1, 1, *WORDS, 956, "pass 0")
                rows = [(*head, name, value, "true", *tail) for name, value in zip(names, values, strict=True)]
                writer.writerows(rows)


def child(kind: str, journal: Path, dispatches: int) -> None:
    """Writes one of them and prints processor time in seconds, memory in MB and bytes."""
    from rocprofsys_multipass.run.tables import write_tables

    begun = time.process_time()
    if kind == BARE:
        made = journal.parent / "bare.csv"
        bare(dispatches, made)
    else:
        (made,) = write_tables(journal, [kind])
    taken = time.process_time() - begun
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    sys.stdout.write(f"{taken} {memory} {made.stat().st_size}\n")
    made.unlink()


def measure(journal: Path, dispatches: int, rounds: int) -> dict[str, tuple[float, int, int]]:
    """Medians of processor time, and the largest memory, of each kind, measured in turns."""
    found: dict[str, list[list[str]]] = {kind: [] for kind in (BARE, *KINDS)}
    for _ in range(rounds):
        for kind, results in found.items():
            command = [sys.executable, __file__, "--child", kind, "--folder", journal.parent]
            answer = subprocess.run([*command, "--dispatches", str(dispatches)], check=True, capture_output=True)
            results.append(answer.stdout.decode().split())
    return {
        kind: (statistics.median(float(r[0]) for r in rows), max(int(r[1]) for r in rows), int(rows[0][2]))
        for kind, rows in found.items()
    }


def main() -> int:
    """Measures in turns and prints medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dispatches", type=int, default=42_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path, help="where the journal is, or is to be; default: a temporary folder")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        child(args.child, args.folder / "multipass-4242.journal", args.dispatches)
        return 0
    with tempfile.TemporaryDirectory() as temporary:
        journal = (args.folder or Path(temporary)) / "multipass-4242.journal"
        readings = write_journal(journal, args.dispatches, passes=PASSES, counters=COUNTERS)
        sys.stdout.write(f"{readings} readings, {journal.stat().st_size / 1e6:.0f} MB\n")
        results = measure(journal, args.dispatches, args.rounds)
        journal.unlink()
    reference = results[BARE][0]
    for kind, (taken, memory, size) in results.items():
        rate = f"{readings / taken / 1e6:5.2f} M readings/s"
        sys.stdout.write(
            f"{kind:10}{taken:7.2f} s{taken / reference:6.2f} times {rate}{memory:6} MB{size / 1e6:8.0f} MB\n"
        )
    too_large = [kind for kind in KINDS if results[kind][1] > MOST_MEMORY]
    return 1 if too_large or results["csv"][0] > MOST_TIME * reference else 0


if __name__ == "__main__":
    sys.exit(main())
