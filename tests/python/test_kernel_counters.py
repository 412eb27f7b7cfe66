# SPDX-License-Identifier: MIT
"""`Trace.kernel_counters` and the view `kernel_counters` say of any run what a naive computation says."""

from __future__ import annotations

import sqlite3
import subprocess
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import trace_tools as tools
from hypothesis import given, settings
from hypothesis import strategies as st
from trace_tools import Execution, Launch, Run

import rocprofsys_multipass as mp
from rocprofsys_multipass.native import find_native

PLAN = (("A", "S", "T"), ("B", "S", "T"), ("C", "D"))
SENTINELS = (("S",), ("S", "T"), ())  # nobody asked for S; T is asked for in the first pass
VIEW = (
    "SELECT pid, rank, agent_type_index, kernel_name, grid_size_x, grid_size_y, grid_size_z, workgroup_size_x, "
    "workgroup_size_y, workgroup_size_z, launches, replayed, counter_name, counter_group, n, median, mad, min_value, "
    "max_value, counters_read, counters_planned, groups_read, groups_planned FROM kernel_counters "
    "ORDER BY agent_type_index, kernel_name, grid_size_x, grid_size_y, grid_size_z, workgroup_size_x, counter_name"
)
Rows = list[tuple[Any, ...]]


def export(folder: Path, run: Run) -> Path:
    """Journal, trace and database of a run, the last two as the exporter makes them."""
    journal = folder / f"multipass-{run.pid}.journal"
    journal.write_bytes(tools.journal_bytes(run))
    command = [find_native().exporter, journal, "--format", "rocpd,perfetto", "--output", folder]
    subprocess.run(command, check=True, capture_output=True)
    return journal


def of_view(path: Path) -> Rows:
    with closing(sqlite3.connect(path)) as db:
        return db.execute(VIEW).fetchall()


def of_trace(path: Path) -> Rows:
    found = []
    for row in mp.open_trace(path).kernel_counters():
        values = asdict(row)
        grid, workgroup = values.pop("grid"), values.pop("workgroup")
        first = list(values.values())
        found.append((*first[:4], *grid, *workgroup, *first[4:]))
    return found


def naive(run: Run) -> Rows:
    """Launch by launch, counter by counter, from the description."""
    rows: Rows = []
    own = [set(p) - set(guests) for p, guests in zip(run.plan, run.sentinels_of_passes, strict=True)]
    asked = sorted(set().union(*own))
    shapes = sorted({(d.kernel, d.grid, d.workgroup) for d in run.launches if d.outcome != "filtered"})
    for kernel, grid, workgroup in shapes:
        launches = [
            d for d in run.launches if (d.kernel, d.grid, d.workgroup) == (kernel, grid, workgroup)
            if d.outcome != "filtered"
        ]  # fmt: skip
        values: dict[str, list[float]] = {c: [] for c in asked}
        groups = set()
        for d in launches:
            for counter, (position, value) in run.canonical(d).items():
                values[counter].append(value)
                group = d.executions[position].read_group
                groups |= {group} if counter in own[group] else set()
        read = sum(bool(of) for of in values.values())
        for counter in asked:
            of = values[counter]
            middle = median(of) if of else None
            rows.append(
                (
                    *(run.pid, run.rank, 0, kernel, *grid, *workgroup, len(launches)),
                    sum(d.outcome == "replayed" for d in launches),
                    *(counter, min(g for g, names in enumerate(own) if counter in names), len(of), middle),
                    None if middle is None else median(abs(v - middle) for v in of),
                    *(min(of, default=None), max(of, default=None), read, len(asked), len(groups), len(own)),
                )
            )
    return rows


@st.composite
def runs(draw: st.DrawFn) -> Run:
    """Launches of few shapes: replayed, of one group, interrupted, filtered; some readings did not come."""
    launches = []
    value = st.floats(-1e15, 1e15).map(lambda v: 0.0 if v == 0 else v) | st.integers(0, 4).map(float)
    for number in range(1, draw(st.integers(1, 14)) + 1):
        fate = draw(st.sampled_from(("replayed", "declined", "declined", "incomplete", "filtered")))
        groups = {"replayed": [0, 1, 2], "incomplete": [0, 1], "filtered": [0]}.get(fate) or [draw(st.integers(0, 2))]
        executions = []
        for k in groups:
            names = () if fate == "filtered" else PLAN[k]
            kept = names if fate == "replayed" else [c for c in names if draw(st.integers(0, 5))]
            counted = {c: draw(value) for c in kept}
            start = 1000 * number + 100 * k
            alone = fate in ("declined", "filtered")
            executions.append(Execution(None if alone else k, start, start + 50, counted, group=k))
        launches.append(
            Launch(
                number,
                tuple(executions),
                draw(st.sampled_from(("axpy(float*, int)", "sum<'\"'>"))),
                fate,
                "" if fate in ("replayed", "filtered") else "rotate_mode",
                grid=draw(st.sampled_from(((64, 1, 1), (128, 2, 1)))),
            )
        )
    return Run(tuple(launches), plan=PLAN, sentinels=SENTINELS, rank=draw(st.none() | st.integers(0, 9)))


@settings(max_examples=30, deadline=None)
@given(run=runs())
def test_view_and_readers_say_what_a_naive_computation_says(run: Run):
    with TemporaryDirectory() as folder:
        journal = export(Path(folder), run)
        expected = naive(run)
        database, trace = journal.with_suffix(".db"), journal.with_suffix(".pftrace")
        assert of_view(database) == expected
        assert of_trace(journal) == expected
        assert of_trace(database) == expected
        assert [row[4:] for row in of_trace(trace)] == [row[4:] for row in expected]


def rotated(number: int, group: int, **values: float) -> Launch:
    one = Execution(None, 1000 * number, 1000 * number + 50, dict(values), group=group)
    return Launch(number, (one,), outcome="declined", reason="rotate_mode")


def test_what_was_not_read_has_a_row_without_a_value(tmp_path: Path):
    run = Run((rotated(1, 0, A=1, T=5), rotated(2, 2, C=2, D=7)), plan=PLAN, sentinels=SENTINELS)
    rows = {row.counter: row for row in mp.open_trace(export(tmp_path, run)).kernel_counters()}
    assert list(rows) == ["A", "B", "C", "D", "T"], "no S, which nobody asked for"
    assert (rows["B"].n, rows["B"].median, rows["B"].mad, rows["B"].low, rows["B"].high) == (0, None, None, None, None)
    assert {(r.groups_read, r.groups_planned, r.counters_read, r.counters_planned) for r in rows.values()} == {
        (2, 3, 4, 5)
    }
    assert not rows["A"].complete


def test_rows_are_chosen_by_kernel_and_gpu(tmp_path: Path):
    trace = mp.open_trace(export(tmp_path, tools.sample_run()))
    assert {row.kernel for row in trace.kernel_counters()} == {"axpy(float*, int)", "init(int)"}
    assert {row.kernel for row in trace.kernel_counters("axpy", agent=0)} == {"axpy(float*, int)"}
    assert trace.kernel_counters(agent=1) == []
    with pytest.raises(mp.MultipassError, match="no regular expression"):
        trace.kernel_counters("[(")


def test_they_make_a_data_frame(tmp_path: Path):
    pandas = pytest.importorskip("pandas")
    rows = mp.open_trace(export(tmp_path, tools.sample_run())).kernel_counters("axpy")
    frame = pandas.DataFrame(rows).set_index("counter")
    assert frame.loc["SQ_WAVES", ["n", "median", "mad"]].tolist() == [3, 512, 0]
    assert frame.loc["TCC_HIT", ["n", "median", "mad"]].tolist() == [2, 150, 150]


def test_verify_finds_a_view_that_says_something_else(tmp_path: Path):
    database = export(tmp_path, tools.sample_run()).with_suffix(".db")
    assert [f for f in mp.verify(database) if f.check == "rocpd-kernel-counters"] == []
    with closing(sqlite3.connect(database)) as db:
        (text,) = db.execute("SELECT sql FROM sqlite_master WHERE name = 'kernel_counters'").fetchone()
        db.executescript(f"DROP VIEW kernel_counters; {text.replace('v.is_canonical = 1', 'v.is_canonical >= 0')}")
    found = [f for f in mp.verify(database) if f.check == "rocpd-kernel-counters"]
    assert [(f.severity, f.where) for f in found] == [
        ("error", f"{database.name}: kernel_counters, axpy(float*, int) [1024,1,1 / 64,1,1], SQ_WAVES")
    ]
    assert found[0].message == "n is 5, by the readings it is 3", "each pass for itself"
