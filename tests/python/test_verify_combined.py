# SPDX-License-Identifier: MIT
"""Of which process a finding is, in a file of several processes."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
import trace_tools as tools
from combine_tools import guid_of, rank_run, rank_trace
from described_run import Run

from rocprofsys_multipass.merge.database.combine import combine_databases
from rocprofsys_multipass.merge.trace.combine import combine_traces
from rocprofsys_multipass.verify import verify

Combine = Callable[..., Path]
RANK_0, RANK_1 = "process 4000 (rank 0)", "process 4001 (rank 1)"


@pytest.fixture(autouse=True)
def no_trace_processor(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("ROCPROFSYS_MULTIPASS_TRACE_PROCESSOR", raising=False)


def doubtful(rank: int) -> Run:
    """A counter is 0 in all dispatches, and the passes of the one dispatch of rank 1 disagree."""
    run = rank_run(rank)
    (launch,) = run.launches
    passes = tuple(
        replace(one, values={"SQ_WAVES": 100 + rank * k} | ({"TCC_HIT": 0} if k else {"GRBM_COUNT": 7}))
        for k, one in enumerate(launch.executions)
    )
    return replace(run, launches=(replace(launch, executions=passes),))


def combined_database(folder: Path, count: int = 2) -> Path:
    paths = [tools.write_database(folder / f"rank{rank}.db", doubtful(rank)) for rank in range(count)]
    return combine_databases(paths, folder / "all.db").target


def combined_trace(folder: Path, count: int = 2) -> Path:
    paths = [rank_trace(folder / f"rank{rank}.pftrace", doubtful(rank)) for rank in range(count)]
    return combine_traces(paths, folder / "all.pftrace").target


def places(path: Path, check: str) -> list[str]:
    return [finding.where for finding in verify(path) if finding.check == check]


@pytest.mark.parametrize("combine", [combined_database, combined_trace])
def test_a_finding_in_a_file_of_several_processes_names_the_process(tmp_path: Path, combine: Combine):
    path = combine(tmp_path)
    assert places(path, "zeros") == [f"{path.name}: {of}, GPU 0, TCC_HIT" for of in (RANK_0, RANK_1)]
    assert places(path, "agreement") == [f"{path.name}: {RANK_1}, dispatch 1, SQ_WAVES"]


@pytest.mark.parametrize("combine", [combined_database, combined_trace])
def test_a_file_of_one_process_needs_no_process_in_its_findings(tmp_path: Path, combine: Combine):
    path = combine(tmp_path, 1)
    assert places(path, "zeros") == [f"{path.name}: GPU 0, TCC_HIT"]


def test_a_process_without_a_rank_is_named_by_its_number(tmp_path: Path):
    paths = [tools.write_database(tmp_path / f"{k}.db", replace(doubtful(k), rank=None)) for k in (0, 1)]
    combine_databases(paths, tmp_path / "all.db")
    assert places(tmp_path / "all.db", "zeros") == [f"all.db: process {4000 + k}, GPU 0, TCC_HIT" for k in (0, 1)]


@pytest.mark.parametrize(
    ("spoil", "check", "place"),
    [
        ("UPDATE rocpd_pmc_event SET value = 5", "rocpd-no-double-count", "pmc_events, dispatch 1, GRBM_COUNT"),
        ("UPDATE rocpd_kernel_dispatch SET start = start - 1", "rocpd-canonical-times", "dispatch 1"),
        ("UPDATE rocpd_replay_pass SET status = 'PARTIAL'", "rocpd-passes", "dispatch 1, pass 1"),
        ("UPDATE rocpd_kernel_dispatch SET tid = 99", "rocpd-lost-rows", "dispatch 1"),
        ("UPDATE rocpd_replay_pmc SET value = 8", "parity", "dispatch 1, pass 1, TCC_HIT"),
    ],
)
def test_checks_of_rows_name_the_process(tmp_path: Path, spoil: str, check: str, place: str):
    combined_trace(tmp_path)
    path = combined_database(tmp_path)
    spoil_database(path, spoil)
    found = places(path.parent, check)
    assert any(text.endswith(f": {RANK_1}, {place}") for text in found)
    assert all(f": {RANK_1}, " in text for text in found)


def spoil_database(path: Path, sql: str) -> None:
    """Change the rows of rank 1; `sql` names the table by its plain name."""
    guid = guid_of(1)
    with closing(sqlite3.connect(path)) as db, db:
        table = sql.split()[1]
        db.execute(sql.replace(table, f"{table}_{guid.replace('-', '_')}") + " WHERE guid = ?", (guid,))
