# SPDX-License-Identifier: MIT
"""Counters of one run at the dispatches of another run of the same program, in a copy of its database."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from described_run import Run, replayed, with_launch
from handmade_host import Host, exported
from test_merge_database import of_tables, query

from rocprofsys_multipass.errors import TraceError
from rocprofsys_multipass.merge.database.merge import merge_database
from rocprofsys_multipass.merge.merged import Merged
from rocprofsys_multipass.trace import open_trace

OWN = Run((replayed(11, 1000), replayed(12, 2000, waves=64), replayed(13, 3000)))
CLEAN = Run(
    tuple(replace(replayed(n, 70 * n), executions=replayed(n, 70 * n).executions[:1]) for n in (1, 2, 3)), pid=99
)
PAIRS = {1: 12, 2: 11}


def join(folder: Path, pairs: dict[int, int], own: Run = OWN, clean: Run = CLEAN) -> tuple[Merged, Path]:
    host = Host(clean).write(folder / "rocpd-99.db")
    return merge_database(host, exported(folder / "own", own), folder / "merged.db", join=pairs), host


def test_counters_are_at_the_dispatches_and_times_of_the_other_run(tmp_path: Path):
    result, _ = join(tmp_path, PAIRS)
    assert (result.matched, result.added, result.removed, result.unmatched_count) == (2, 0, 0, 0)
    shown = "SELECT dispatch_id, start, counter_name, value FROM counters_collection ORDER BY 1, 3"
    assert query(result.target, shown) == [
        (1, 70, "GRBM_COUNT", 100.5),
        (1, 70, "SQ_WAVES", 64),
        (1, 70, "TCC_HIT", 300),
        (2, 140, "GRBM_COUNT", 100.5),
        (2, 140, "SQ_WAVES", 512),
        (2, 140, "TCC_HIT", 300),
    ]
    assert query(result.target, "PRAGMA foreign_key_check") == []


def test_ids_that_are_in_both_runs_mean_nothing(tmp_path: Path):
    """Dispatch 2 there is joined with 1 here: dispatch 1 there is another one, and stays."""
    own = replace(OWN, launches=(replayed(1, 1000), replayed(2, 2000, waves=64), replayed(3, 3000)))
    result, host = join(tmp_path, {2: 1, 1: 3}, own=own)
    assert (result.matched, result.removed, result.unmatched_count) == (2, 0, 0)
    rows = "SELECT id, dispatch_id, event_id, start FROM rocpd_kernel_dispatch ORDER BY id"
    assert query(result.target, rows) == query(host, rows)


def test_there_are_no_passes_and_the_dispatch_says_what_it_was_joined_with(tmp_path: Path):
    result, host = join(tmp_path, PAIRS)
    objects = "SELECT type, name, sql FROM sqlite_master ORDER BY rowid"
    assert query(result.target, objects) == query(host, objects)
    extdata = "SELECT extdata FROM rocpd_kernel_dispatch ORDER BY id"
    assert [json.loads(text) for (text,) in query(result.target, extdata)] == [
        {"joined": {"guid": OWN.guid, "dispatch_id": 12, "outcome": "replayed"}},
        {"joined": {"guid": OWN.guid, "dispatch_id": 11, "outcome": "replayed"}},
        {},
    ]


def test_all_else_is_as_it_was(tmp_path: Path):
    result, host = join(tmp_path, PAIRS)
    before, after = of_tables(host), of_tables(result.target)
    for name, rows in before.items():
        if "kernel_dispatch" not in name and name != "sqlite_sequence":
            assert after[name][: len(rows)] == rows
        if not any(part in name for part in ("pmc", "kernel_dispatch", "metadata", "sqlite_sequence")):
            assert after[name] == rows


def test_readers_have_the_counters_in_the_times_of_the_other_run(tmp_path: Path):
    result, _ = join(tmp_path, PAIRS)
    found = {d.dispatch_id: d for d in open_trace(result.target).dispatches()}
    assert dict(found[1].counters) == {"SQ_WAVES": 64, "GRBM_COUNT": 100.5, "TCC_HIT": 300}
    assert (found[1].start_ns, found[1].duration_ns) == (70, 100)
    assert dict(found[3].counters) == {}


@pytest.mark.parametrize(
    ("pairs", "reason"),
    [
        ({7: 11}, "it is not recorded there"),
        ({1: 77}, "dispatch 77, which it is joined with, was not recorded by this tool"),
    ],
)
def test_a_pair_that_is_not_there_is_told(tmp_path: Path, pairs: dict[int, int], reason: str):
    result, _ = join(tmp_path, pairs)
    assert [(u.dispatch_id, u.reason) for u in result.unmatched] == [(next(iter(pairs)), reason)]
    assert query(result.target, "SELECT * FROM counters_collection") == []


def test_a_pair_of_two_kernels_is_told(tmp_path: Path):
    result, _ = join(tmp_path, PAIRS, clean=with_launch(CLEAN, 0, kernel="other()"))
    told = "dispatch 12, which it is joined with, is of another kernel"
    assert [(u.dispatch_id, u.reason) for u in result.unmatched] == [(1, told)]
    assert result.matched == 1


def test_a_dispatch_that_is_there_several_times_is_told(tmp_path: Path):
    result, _ = join(tmp_path, PAIRS, clean=replace(OWN, launches=(replayed(1, 50), replayed(2, 500))))
    assert [u.reason for u in result.unmatched] == ["it is there 2 times"] * 2


def test_two_dispatches_may_be_joined_with_one(tmp_path: Path):
    result, _ = join(tmp_path, {1: 11, 2: 11, 3: 12})
    waves = "SELECT dispatch_id, value FROM counters_collection WHERE counter_name = 'SQ_WAVES' ORDER BY 1"
    assert query(result.target, waves) == [(1, 512), (2, 512), (3, 64)]


def test_what_was_joined_is_not_joined_again(tmp_path: Path):
    result, _ = join(tmp_path, PAIRS)
    with pytest.raises(TraceError, match="already; give the file as rocprof-sys wrote it"):
        merge_database(result.target, tmp_path / "own" / "multipass-4711.db", tmp_path / "again.db", join=PAIRS)
