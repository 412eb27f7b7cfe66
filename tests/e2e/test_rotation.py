# SPDX-License-Identifier: MIT
"""Launches that take turns, each reading one of six groups of counters: how often, and with what medians."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from statistics import median

import pytest
from e2e_tools import Outputs
from fault_tools import TRUTH_VARIABLE, read_truth

import rocprofsys_multipass as mp
from rocprofsys_multipass import KernelCounter, Run

EVENTS = (
    *("TCC_HIT", "TCC_MISS", "TCC_REQ", "TCC_READ", "TCC_WRITE", "TCC_ATOMIC", "TCC_BUSY", "TCC_TAG_STALL"),
    *("TCC_CYCLE", "TCC_EA0_RDREQ", "TCC_EA0_WRREQ", "TCC_EA0_ATOMIC", "TCC_NORMAL_EVICT", "TCC_NORMAL_WRITEBACK"),
    *("TCC_WRITEBACK", "TCC_STREAMING_REQ", "TCC_PROBE", "TCC_NC_REQ", "TCC_UC_REQ", "TCC_CC_REQ", "TCC_RW_REQ"),
    "SQ_WAVES",
)
GROUPS = 6  # on gfx942, whose L2 counts four at a time
LAUNCHES = 60
KERNEL = "triple(unsigned int*, unsigned int const*)"
RunEqual = Callable[..., Run]


@pytest.fixture(scope="module")
def run_equal(
    build: Callable[[Path], Path], environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> RunEqual:
    """Runs an application of equal launches; beside the run, `truth.csv` says what each of them did."""
    program = build(Path(__file__).with_name("equal.cpp"))

    def run(*words: str, replay: str, **options: int) -> Run:
        folder = tmp_path_factory.mktemp("equal")
        truth = folder / "truth.csv"
        truth.touch()
        return mp.run(
            [program, *words], events=list(EVENTS), replay=replay, simulate="gfx942", output=folder / "out",
            env=environment | {TRUTH_VARIABLE: str(truth)}, capture=True, **options,
        )  # fmt: skip

    return run


@pytest.fixture(scope="module")
def rotated(run_equal: RunEqual) -> Run:
    """Sixty equal launches in six groups."""
    return run_equal(str(LAUNCHES), replay="rotate")


@pytest.fixture(scope="module")
def replayed(run_equal: RunEqual) -> Run:
    """One such launch with all its counters."""
    return run_equal("1", replay="kernel")


def groups_of(run: Run) -> list[int]:
    return [p.group for d in mp.open_trace(run.output_dir).dispatches() for p in d.passes]


def rows_of(run: Run) -> dict[str, KernelCounter]:
    return {row.counter: row for row in mp.open_trace(run.output_dir).kernel_counters()}


def test_each_of_six_groups_is_read_by_ten_of_sixty_launches(rotated: Run):
    assert (rotated.exit_code, rotated.stdout) == (0, "equal 392448\n")
    groups = groups_of(rotated)
    assert Counter(groups) == dict.fromkeys(range(GROUPS), LAUNCHES // GROUPS)
    cycles = [groups[at : at + GROUPS] for at in range(0, LAUNCHES, GROUPS)]
    assert [sorted(cycle) for cycle in cycles] == [list(range(GROUPS))] * 10
    neighbours = Counter(pair for cycle in cycles[:GROUPS] for pair in pairwise(cycle))
    assert len(neighbours) == GROUPS * (GROUPS - 1), "every group follows every other"
    assert set(neighbours.values()) == {1}


def test_medians_are_what_the_launches_did(rotated: Run, replayed: Run):
    (alone,) = mp.open_trace(replayed.output_dir).dispatches()
    assert alone.outcome == "replayed"
    truth: dict[str, list[float]] = {}
    for (_, _, _, counter), value in read_truth(rotated.output_dir.parent / "truth.csv").items():
        truth.setdefault(counter, []).append(value)
    rows = rows_of(rotated)
    assert set(rows) == set(EVENTS)
    for name, row in rows.items():
        assert (row.launches, row.replayed, row.groups_read, row.groups_planned) == (LAUNCHES, 0, GROUPS, GROUPS)
        assert row.complete
        assert row.n == len(truth[name]) >= LAUNCHES // GROUPS
        assert row.median == median(truth[name]) == alone.counter(name)
        assert row.mad == 0


def test_journal_trace_and_database_have_the_same_rows(rotated: Run):
    outputs = Outputs.of(rotated.output_dir)
    found = [mp.open_trace(path).kernel_counters() for path in (outputs.journal, outputs.trace, outputs.database)]
    assert found[0] == found[1] == found[2]
    with closing(sqlite3.connect(outputs.database)) as db:
        sql = "SELECT counter_name, n, median, mad, groups_read, groups_planned FROM kernel_counters ORDER BY 1"
        shown = db.execute(sql).fetchall()
    assert shown == [(r.counter, r.n, r.median, r.mad, r.groups_read, r.groups_planned) for r in found[0]]


def test_verify_takes_the_rotation_for_well(rotated: Run):
    findings = mp.verify(rotated.output_dir, skip=["zeros"])  # the kernel does not use all that is counted
    assert [f for f in findings if f.severity != "info"] == []
    assert [f for f in findings if f.check in ("rotation", "coverage", "rocpd-kernel-counters")] == []


def test_a_kernel_that_was_launched_twice_has_two_of_six_groups_and_nothing_filled_in(run_equal: RunEqual):
    run = run_equal("2", replay="rotate")
    rows = rows_of(run)
    first, second = mp.open_trace(run.output_dir).dispatches()
    read = set(first.counters) | set(second.counters)
    assert {(r.groups_read, r.groups_planned, r.counters_read) for r in rows.values()} == {(2, GROUPS, len(read))}
    assert {name for name, row in rows.items() if row.n == 0} == set(EVENTS) - read
    assert {(r.median, r.mad, r.low, r.high) for r in rows.values() if r.n == 0} == {(None,) * 4}
    (found,) = [f for f in mp.verify(run.output_dir) if f.check == "coverage"]
    assert found.severity == "info"
    assert f"{KERNEL} [512,1,1 / 64,1,1]: 2 of 6 groups, {len(read)} of {len(EVENTS)} counters, in 2 launches" in (
        found.message
    )


def test_the_launches_of_graphs_take_turns_and_say_why(run_equal: RunEqual, replayed: Run):
    """Nothing of it can be replayed, whatever the mode."""
    run = run_equal("12", "graph", replay="auto")
    assert run.stdout == "equal 392448\n"
    dispatches = mp.open_trace(run.output_dir).dispatches()
    assert Counter((d.outcome, d.reason) for d in dispatches) == {("declined", "not_offered"): 12}
    assert Counter(groups_of(run)) == dict.fromkeys(range(GROUPS), 2)
    (alone,) = mp.open_trace(replayed.output_dir).dispatches()
    assert {name: row.median for name, row in rows_of(run).items()} == dict(alone.counters)


def test_after_the_replays_of_a_shape_its_launches_take_turns_from_the_first_group(run_equal: RunEqual):
    run = run_equal("15", replay="auto", max_replays=3)
    dispatches = mp.open_trace(run.output_dir).dispatches()
    assert [d.outcome for d in dispatches] == ["replayed"] * 3 + ["declined"] * 12
    turns = [p.group for d in dispatches[3:] for p in d.passes]
    assert turns[:GROUPS] == [0, 1, 5, 2, 4, 3], "a replayed launch takes no turn"
    rows = rows_of(run)
    assert {(r.launches, r.replayed, r.mad) for r in rows.values()} == {(15, 3, 0)}
    assert min(r.n for r in rows.values()) == 3 + 12 // GROUPS, "some counters are in two groups, to compare passes"
    assert [f for f in mp.verify(run.output_dir, skip=["zeros"]) if f.severity != "info"] == []
