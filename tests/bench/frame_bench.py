# SPDX-License-Identifier: MIT
"""How long the readings of a long run take to a data frame, beside DuckDB's SQLite scanner on the same database.

    pip install duckdb==V duckdb-extension-sqlite-scanner==V    # of one version
    PYTHONPATH=python python tests/bench/frame_bench.py

docs/benchmarks.md has the results. Ends with 1 where the frame of the database takes more processor time than DuckDB's.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

import pandas as pd
from large_journal import write_journal

from rocprofsys_multipass.native import find_native
from rocprofsys_multipass.trace import open_trace

FILES: Final = {"journal": "journal", "database": "db", "trace": "pftrace"}
# The columns and the order of Trace.to_pandas(); `~` stands for the suffix of the tables.
QUERY: Final = """
SELECT i.pid AS process, a.type_index AS agent, d.dispatch_id, s.display_name AS kernel, p.replay_pass AS pass,
  CAST(json_extract(p.extdata, '$.group') AS BIGINT) AS "group", c.name AS counter, v.value,
  v.is_canonical = 1 AS canonical, p.start, p."end", d."end" - d.start AS dispatch_time,
  json_extract_string(d.extdata, '$.replay.time_of') AS time_of
FROM run.rocpd_replay_pmc~ v
JOIN run.rocpd_replay_pass~ p ON p.id = v.replay_pass_id
JOIN run.rocpd_kernel_dispatch~ d ON d.id = p.kernel_dispatch_id
JOIN run.rocpd_info_pmc~ c ON c.id = v.pmc_id
JOIN run.rocpd_info_agent~ a ON a.id = d.agent_id
JOIN run.rocpd_info_process~ i ON i.id = d.pid
JOIN run.rocpd_info_kernel_symbol~ s ON s.id = d.kernel_id
WHERE v.value IS NOT NULL
"""
OURS: Final = "database to frame"
THEIRS: Final = "DuckDB, in the same order"
ORDER: Final = "ORDER BY process, dispatch_id, pass, counter"


class DuckDb:
    """The database, attached to DuckDB with the scanner of the package duckdb-extension-sqlite-scanner."""

    def __init__(self, path: Path) -> None:
        import duckdb
        import duckdb_extension_sqlite_scanner as scanner

        (extension,) = Path(scanner.__file__).parent.rglob("*.duckdb_extension")
        self._connection = duckdb.connect()
        self._connection.execute(f"LOAD '{extension}'")
        self._connection.execute(f"ATTACH '{path}' AS run (TYPE sqlite, READ_ONLY)")
        names = self._connection.execute("SELECT name FROM sqlite_scan(?, 'sqlite_master')", [str(path)]).fetchall()
        (self._suffix,) = (
            name.removeprefix("rocpd_replay_pmc") for (name,) in names if name.startswith("rocpd_replay_pmc_")
        )

    def frame(self, order: str) -> pd.DataFrame:
        return self._connection.execute((QUERY + order).replace("~", self._suffix)).df()


def write_files(folder: Path, dispatches: int) -> None:
    """A journal, and what the exporter makes of it."""
    journal = folder / "multipass-4242.journal"
    sys.stdout.write(f"{dispatches} dispatches, {write_journal(journal, dispatches)} readings in {folder}\n")
    subprocess.run([find_native().exporter, "--quiet", journal], check=True)


def same(ours: pd.DataFrame, theirs: pd.DataFrame) -> None:
    """Both frames have the same values in the same rows and columns."""
    pd.testing.assert_frame_equal(ours, theirs, check_dtype=False)


class Taken(NamedTuple):
    """Seconds of one call: by the clock, and of processors in all threads."""

    wall: float
    processor: float


def taken_by(action: Callable[[], Any]) -> Taken:
    """How long one call takes."""
    wall, processor = time.perf_counter(), time.process_time()
    action()
    return Taken(time.perf_counter() - wall, time.process_time() - processor)


def actions_on(folder: Path, *, objects: bool) -> dict[str, Callable[[], Any]]:
    """What is measured, by name."""
    paths = {name: folder / f"multipass-4242.{suffix}" for name, suffix in FILES.items()}
    duck = DuckDb(paths["database"])
    same(open_trace(paths["database"]).to_pandas(), duck.frame(ORDER))
    frames: dict[str, Callable[[], Any]] = {
        OURS: lambda: open_trace(paths["database"]).to_pandas(),
        THEIRS: lambda: duck.frame(ORDER),
        "DuckDB, rows in any order": lambda: duck.frame(""),
        "journal to frame": lambda: open_trace(paths["journal"]).to_pandas(),
    }
    opened = {f"{name} opened": (lambda path=path: open_trace(path)) for name, path in paths.items()}
    every = {
        f"{name}, every dispatch": (lambda path=path: open_trace(path).dispatches()) for name, path in paths.items()
    }
    return frames | (opened | every if objects else {})


def ratio(taken: list[dict[str, Taken]], name: str) -> float:
    """Of the processor times to DuckDB's, in the median of the rounds."""
    return statistics.median(of_round[name].processor / of_round[THEIRS].processor for of_round in taken)


def main() -> int:
    """Measures in turns and prints medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dispatches", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--objects", action="store_true", help="measure opening and dispatches too")
    parser.add_argument("--folder", type=Path, help="where the files are, or are to be; default: a temporary folder")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.folder or Path(temporary)
        if not (folder / "multipass-4242.db").exists():
            folder.mkdir(exist_ok=True)
            write_files(folder, args.dispatches)
        actions = actions_on(folder, objects=args.objects)
        taken = [{name: taken_by(action) for name, action in actions.items()} for _ in range(args.rounds)]
    for name in actions:
        wall, processor = (
            statistics.median(times) for times in zip(*(of_round[name] for of_round in taken), strict=True)
        )
        sys.stdout.write(
            f"{name:28}{wall:7.2f} s, {processor:6.2f} s of processors, {ratio(taken, name):5.2f} times DuckDB\n"
        )
    return 1 if ratio(taken, OURS) > 1 else 0


if __name__ == "__main__":
    sys.exit(main())
