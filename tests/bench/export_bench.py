# SPDX-License-Identifier: MIT
"""From a capture file to its outputs: time, rate and memory of the exporter, beside the least that must be done.

    PYTHONPATH=python python tests/bench/export_bench.py EXPORTER [--dispatches N] [--rounds N] [--folder DIR]

Each way is a process of its own, all of them in turns. `read` makes the summary only: the journal is read, checked and
decoded. `copy` copies an output, which reads and writes as many bytes as it has. Rates are of processor time, since
other work on the machine is none of the exporter's; the clock is beside it. The least memory that can be seen is
Python's, of which the process was before. Ends with 1 where a process takes 200 MB for 10 million readings, or the
trace is made at less than 5 million packets a second.
"""

from __future__ import annotations

import argparse
import mmap
import os
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from large_journal import write_journal

from rocprofsys_multipass.trace.wire import packets

PASSES: Final = 6
COUNTERS: Final = 40
MOST_MEMORY: Final = 200_000_000  # bytes, from LARGE readings on
LARGE: Final = 10_000_000
LEAST_PACKETS: Final = 5e6  # in a second
FORMATS: Final = {"read": "summary", "perfetto": "perfetto", "rocpd": "rocpd", "both": "perfetto,rocpd"}


@dataclass(frozen=True)
class Cost:
    """Of one process: seconds by the clock and of processors, and bytes of memory at the most."""

    clock: float
    processor: float
    memory: int


def cost_of(command: list[str]) -> Cost:
    """Runs it; SystemExit where it fails."""
    began = time.perf_counter()
    child = subprocess.Popen(command)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: exit code {child.returncode}")
    return Cost(time.perf_counter() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


def ways(exporter: str, journal: Path) -> dict[str, Callable[[], Cost]]:
    """What is measured, in the order of a round: an output is there when it is copied."""
    found: dict[str, Callable[[], Cost]] = {}

    def exporting(formats: str) -> Callable[[], Cost]:
        return lambda: cost_of([exporter, "--quiet", str(journal), "--format", formats])

    def copying(suffix: str) -> Callable[[], Cost]:
        source = journal.with_suffix(suffix)
        return lambda: cost_of(["cp", "--reflink=never", str(source), str(source.with_name("copy"))])

    for name, formats in FORMATS.items():
        found[name] = exporting(formats)
    found["copy of the trace"] = copying(".pftrace")
    found["copy of the database"] = copying(".db")
    return found


def packets_of(trace: Path) -> int:
    """In the trace, by a walk."""
    with trace.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return sum(1 for _ in packets(data))


def rows_of(database: Path) -> int:
    """In all tables."""
    with closing(sqlite3.connect(database)) as opened:
        names = [name for (name,) in opened.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return sum(opened.execute(f'SELECT COUNT(*) FROM "{name}"').fetchone()[0] for name in names)


def median(costs: list[Cost]) -> Cost:
    """Of each by itself; of memory the most."""
    return Cost(
        statistics.median(one.clock for one in costs),
        statistics.median(one.processor for one in costs),
        max(one.memory for one in costs),
    )


def measure(exporter: str, folder: Path, dispatches: int, rounds: int) -> int:
    """Writes the table; 1 where a bound is missed."""
    journal = folder / "multipass-1.journal"
    readings = write_journal(journal, dispatches, passes=PASSES, counters=COUNTERS)
    all_ways = ways(exporter, journal)
    taken: dict[str, list[Cost]] = {name: [] for name in all_ways}
    for _ in range(rounds):
        for name, run in all_ways.items():
            taken[name].append(run())
    costs = {name: median(of) for name, of in taken.items()}
    sizes = {suffix: journal.with_suffix(suffix).stat().st_size / 1e6 for suffix in (".journal", ".pftrace", ".db")}
    per_second = packets_of(journal.with_suffix(".pftrace")) / costs["perfetto"].processor
    rows = rows_of(journal.with_suffix(".db")) / costs["rocpd"].processor
    lines = [
        f"{readings / 1e6:.1f} million readings of {dispatches} dispatches; {rounds} rounds",
        f"size in MB: {', '.join(f'{suffix} {size:.0f}' for suffix, size in sizes.items())}",
        f"{'':22}{'clock s':>10}{'CPU s':>10}{'memory MB':>11}{'to reading':>12}",
    ]
    for name, cost in costs.items():
        ratio = cost.processor / costs["read"].processor
        lines.append(f"{name:22}{cost.clock:10.2f}{cost.processor:10.2f}{cost.memory / 1e6:11.0f}{ratio:12.1f}")
    lines.append(
        f"millions a second: {readings / costs['read'].processor / 1e6:.1f} readings read, "
        f"{per_second / 1e6:.1f} packets, {rows / 1e6:.2f} rows"
    )
    sys.stdout.write("\n".join(lines) + "\n")
    memory = max(costs[name].memory for name in FORMATS)
    failed = per_second < LEAST_PACKETS or (readings >= LARGE and memory > MOST_MEMORY)
    return 1 if failed else 0


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("exporter", help="rocprofsys-multipass-export of a release build")
    parser.add_argument("--dispatches", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path, help="on the disk to measure; default: TMPDIR")
    args = parser.parse_args()
    folder = Path(tempfile.mkdtemp(dir=args.folder))
    try:
        return measure(args.exporter, folder, args.dispatches, args.rounds)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())
