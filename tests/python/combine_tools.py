# SPDX-License-Identifier: MIT
"""Files of many ranks, for tests of what puts them into one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import trace_tools as tools
from described_run import Run


def guid_of(rank: int) -> str:
    return f"0190aaaa-bbbb-7ccc-8ddd-{rank:012x}"


def rank_run(rank: int, *, pid: int | None = None) -> Run:
    """One replayed launch with as many waves as tells its rank."""
    launches = (tools.replayed(1, 1000 + 10 * rank, waves=100 + rank),)
    return Run(launches, pid=4000 + rank if pid is None else pid, guid=guid_of(rank), rank=rank)


def databases(folder: Path, count: int) -> list[Path]:
    """One of each rank."""
    folder.mkdir()
    return [tools.write_database(folder / f"multipass-rank{rank}.db", rank_run(rank)) for rank in range(count)]


def same_pid(run: Run, pid: int) -> Run:
    return replace(run, pid=pid)
