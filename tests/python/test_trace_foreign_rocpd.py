# SPDX-License-Identifier: MIT
"""Reading databases of rocprofv3 and rocprof-sys."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from handmade_foreign import (
    GUID,
    MD5,
    PID,
    WORKED_EXAMPLE,
    Execution,
    Launch,
    Run,
    Shape,
    not_replayed,
    write_rocprof_sys,
    write_rocprofv3,
)

from rocprofsys_multipass.trace import Dispatch, Pass, open_trace
from rocprofsys_multipass.trace.rocpd_foreign import passes_by_order

COUNTERS = {"GRBM_COUNT": 100, "GRBM_GUI_ACTIVE": 200, "SQ_INSTS_SALU": 300, "SQ_WAVES": 512}


def readings(one: Pass) -> dict[str, float]:
    return {r.counter: r.value for r in one.readings}


def only(path: Path) -> Dispatch:
    (found,) = open_trace(path).dispatches()
    return found


def notes(path: Path) -> list[str]:
    return [note for process in open_trace(path).processes for note in process.notes]


# What the views of a file say, by its shape: plain; merged (#10439); a row per pass with old views, and with its own.
VIEWS = {
    "plain": {
        "SELECT COUNT(*) FROM kernels": [(1,)],
        "SELECT counter_name, value, start FROM counters_collection ORDER BY 1, 3": [
            ("GRBM_COUNT", 100, 1000),
            ("GRBM_GUI_ACTIVE", 200, 1000),
            ("SQ_INSTS_SALU", 300, 1000),
            ("SQ_WAVES", 512, 1000),
        ],
        "SELECT COUNT(*), SUM(counter_value) FROM pmc_events WHERE counter_name = 'SQ_WAVES'": [(2, 512)],
        "SELECT total_calls, total_duration FROM top_kernels": [(1, 0.1)],
        "SELECT total_calls, total_duration FROM top": [(1, 0.1)],
        "SELECT GpuTime, WallTime, Busy FROM busy": [(100, 100, 1.0)],
        "SELECT COUNT(*) FROM rocpd_pmc_event": [(5,)],
    },
}
_SUMMED = {
    "SELECT counter_name, value, start FROM counters_collection ORDER BY 1, 3": [
        ("GRBM_COUNT", 100, 1000),
        ("GRBM_GUI_ACTIVE", 200, 1000),
        ("SQ_INSTS_SALU", 300, 1000),
        ("SQ_WAVES", 1536, 1000),
    ],
    "SELECT COUNT(*), SUM(counter_value) FROM pmc_events WHERE counter_name = 'SQ_WAVES'": [(6, 1536)],
    "SELECT COUNT(*) FROM rocpd_pmc_event": [(9,)],
}
_ROWS = {
    "SELECT COUNT(*) FROM kernels": [(3,)],
    "SELECT total_calls, total_duration FROM top_kernels": [(3, 0.3)],
    "SELECT total_calls, total_duration FROM top": [(3, 0.3)],
    "SELECT GpuTime, WallTime, round(Busy, 6) FROM busy": [(300, 2100, 0.142857)],
}
_COLLECTED = "SELECT counter_name, value, start FROM counters_collection ORDER BY 1, 3"
_PER_PASS = [("GRBM_COUNT", 100, 1000), ("GRBM_GUI_ACTIVE", 200, 2000), ("SQ_INSTS_SALU", 300, 3000)]
VIEWS["merged"] = VIEWS["plain"] | _SUMMED
VIEWS["per_pass"] = _SUMMED | _ROWS | {_COLLECTED: [*_PER_PASS, ("SQ_WAVES", 1536, 1000)]}
VIEWS["per_pass, own views"] = (
    _SUMMED | _ROWS | {_COLLECTED: [*_PER_PASS, *(("SQ_WAVES", 512, start) for start in (1000, 2000, 3000))]}
)


@pytest.mark.parametrize("shape", VIEWS)
@pytest.mark.parametrize("patch", [0, 4])
def test_views_over_the_worked_example_say_what_upstreams_do(tmp_path: Path, shape: str, patch: int):
    kind, _, own = shape.partition(", ")
    path = write_rocprofv3(tmp_path / "x.db", WORKED_EXAMPLE, shape=kind, patch=patch, own_views=bool(own))
    with closing(sqlite3.connect(path)) as connection:
        assert {sql: connection.execute(sql).fetchall() for sql in VIEWS[shape]} == VIEWS[shape]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []


@pytest.mark.parametrize("shape", ["plain", "merged", "per_pass", "per_row"])
@pytest.mark.parametrize("patch", [0, 1, 2, 3, 4])
def test_each_counter_of_the_worked_example_is_there_once(tmp_path: Path, shape: Shape, patch: int):
    first = only(write_rocprofv3(tmp_path / "x.db", WORKED_EXAMPLE, shape=shape, patch=patch))
    assert dict(first.counters) == COUNTERS
    assert (first.start_ns, first.duration_ns, first.kernel, first.agent.label) == (1000, 100, "k", "GPU 0 [gfx942]")
    assert first.outcome == ("single_pass" if shape == "plain" else "replayed")


def test_a_plain_file_has_one_execution_and_nothing_to_note(tmp_path: Path):
    path = write_rocprofv3(tmp_path / "x.db", WORKED_EXAMPLE)
    (one,) = only(path).passes
    assert (one.index, one.start_ns, one.end_ns, one.mixed) == (None, 1000, 1100, False)
    assert notes(path) == []
    assert [p.tool for p in open_trace(path).processes] == ["rocprofv3"]


def test_passes_in_one_row_are_mixed_with_the_times_of_the_first(tmp_path: Path):
    path = write_rocprofv3(tmp_path / "x.db", WORKED_EXAMPLE, shape="merged")
    first = only(path)
    (one,) = first.passes
    assert (one.index, one.start_ns, one.mixed, first.time_of) == (None, 1000, True, "pass 0")
    assert [note.endswith("(dispatches: 1)") for note in notes(path)] == [True]


def test_a_row_per_pass_is_a_pass_each(tmp_path: Path):
    path = write_rocprofv3(tmp_path / "x.db", WORKED_EXAMPLE, shape="per_pass")
    assert [(p.index, p.start_ns, readings(p)) for p in only(path).passes] == [
        (0, 1000, {"SQ_WAVES": 512, "GRBM_COUNT": 100}),
        (1, 2000, {"SQ_WAVES": 512, "GRBM_GUI_ACTIVE": 200}),
        (2, 3000, {"SQ_WAVES": 512, "SQ_INSTS_SALU": 300}),
    ]
    assert notes(path) == []


def test_the_number_of_a_pass_counts_and_not_the_order_of_rows(tmp_path: Path):
    turned = "UPDATE rocpd_kernel_dispatch~ SET replay_pass = 2 - replay_pass"
    path = write_rocprofv3(tmp_path / "x.db", WORKED_EXAMPLE, shape="per_pass", then=turned)
    assert [(p.index, p.start_ns) for p in only(path).passes] == [(0, 3000), (1, 2000), (2, 1000)]


def test_a_column_of_passes_without_numbers_leaves_the_order_of_start(tmp_path: Path):
    path = write_rocprofv3(
        tmp_path / "x.db", WORKED_EXAMPLE, shape="per_pass", then="UPDATE rocpd_kernel_dispatch~ SET replay_pass = NULL"
    )
    assert [(p.index, p.start_ns) for p in only(path).passes] == [(0, 1000), (1, 2000), (2, 3000)]
    assert len(notes(path)) == 1


def test_two_kernels_with_one_dispatch_id_are_two_dispatches(tmp_path: Path):
    launches = tuple(Launch(1, (Execution(n, n + 9),), kernel=f"k{n}") for n in (100, 200))
    found = open_trace(write_rocprofv3(tmp_path / "x.db", Run(launches), shape="per_row")).dispatches()
    assert [(d.dispatch_id, d.kernel, len(d.passes)) for d in found] == [(1, "k100", 1), (1, "k200", 1)]


def test_processes_of_one_file_stay_apart(tmp_path: Path):
    other = replace(WORKED_EXAMPLE, guid=GUID.replace("0001", "0002"), pid=5000)
    trace = open_trace(write_rocprofv3(tmp_path / "x.db", WORKED_EXAMPLE, other, shape="per_pass"))
    assert [(p.pid, p.guid, len(p.dispatches)) for p in trace.processes] == [
        (PID, GUID, 1),
        (5000, other.guid, 1),
    ]
    assert [dict(d.counters) for d in trace.dispatches()] == [COUNTERS, COUNTERS]


def test_rows_that_the_views_hide_are_read(tmp_path: Path):
    path = write_rocprofv3(
        tmp_path / "x.db", WORKED_EXAMPLE, then="UPDATE rocpd_kernel_dispatch~ SET tid = NULL, region_name_id = NULL"
    )
    assert dict(only(path).counters) == COUNTERS


def test_streamed_samples_are_no_counters_of_the_dispatch(tmp_path: Path):
    streamed = (
        "INSERT INTO rocpd_track~ (nid, pid) VALUES (1, 4711);"
        "INSERT INTO rocpd_sample~ (track_id, timestamp, event_id) VALUES (1, 1050, 1);"
        "INSERT INTO rocpd_pmc_event~ (event_id, sample_id, pmc_id, value, xcc) VALUES (1, 1, 1, 7777, 0)"
    )
    path = write_rocprofv3(tmp_path / "x.db", WORKED_EXAMPLE, patch=3, then=streamed)
    assert dict(only(path).counters) == COUNTERS
    assert notes(path) == ["1 streamed samples of counters are left out"]


@pytest.mark.parametrize("name", [" GPU {} [{}]", "GPU {} [{}]", "{} GPU {}"])
def test_counters_that_rocprof_sys_samples_belong_to_the_dispatch_at_their_time(tmp_path: Path, name: str):
    path = write_rocprof_sys(tmp_path / "x.db", not_replayed(WORKED_EXAMPLE), name=name)
    (process,) = open_trace(path).processes
    assert (process.tool, process.guid, process.notes) == ("rocprof-sys", MD5, ())
    assert dict(only(path).counters) == COUNTERS
    assert [c.name for c in process.gpus[0].counters] == ["SQ_WAVES", "GRBM_COUNT", "GRBM_GUI_ACTIVE", "SQ_INSTS_SALU"]


def test_rows_of_rocprof_sys_beside_a_replay_are_passes_with_their_own_samples(tmp_path: Path):
    path = write_rocprof_sys(tmp_path / "x.db", WORKED_EXAMPLE)
    assert [(p.index, readings(p)) for p in only(path).passes] == [
        (0, {"SQ_WAVES": 512, "GRBM_COUNT": 100}),
        (1, {"SQ_WAVES": 512, "GRBM_GUI_ACTIVE": 200}),
        (2, {"SQ_WAVES": 512, "SQ_INSTS_SALU": 300}),
    ]
    assert len(notes(path)) == 1


def test_a_sample_of_zero_is_a_reading_and_an_end_mark_is_none(tmp_path: Path):
    # SQ_WAVES of the second dispatch is 0; SQ_BUSY is not read there, and its end mark lies at that start.
    launches = (
        Launch(1, (Execution(100, 200, {"SQ_WAVES": (5,), "SQ_BUSY": (6,)}),)),
        Launch(2, (Execution(200, 300, {"SQ_WAVES": (0,)}),)),
        Launch(3, (Execution(290, 300, {"SQ_BUSY": (4,)}),)),
    )
    found = open_trace(write_rocprof_sys(tmp_path / "x.db", Run(launches))).dispatches()
    assert [dict(d.counters) for d in found] == [{"SQ_BUSY": 6, "SQ_WAVES": 5}, {"SQ_WAVES": 0}, {"SQ_BUSY": 4}]


def test_kernels_that_overlap_have_their_own_samples_and_those_of_equal_times_none(tmp_path: Path):
    of = {"SQ_WAVES": (5,)}
    launches = (
        Launch(1, (Execution(100, 900, of),)),
        Launch(2, (Execution(200, 300, {"SQ_WAVES": (8,)}),), queue=8),
        Launch(3, (Execution(1000, 1100, of),)),
        Launch(4, (Execution(1000, 1100, of),), queue=8),
    )
    path = write_rocprof_sys(tmp_path / "x.db", Run(launches))
    assert [dict(d.counters) for d in open_trace(path).dispatches()] == [{"SQ_WAVES": 5}, {"SQ_WAVES": 8}, {}, {}]
    assert notes(path) == ["counter values that belong to no dispatch of that start and end are left out (values: 2)"]


def test_samples_belong_to_the_gpu_of_their_counter(tmp_path: Path):
    launches = tuple(Launch(n + 1, (Execution(100, 200, {"SQ_WAVES": (n + 5,)}),), gpu=n) for n in (0, 1))
    found = open_trace(write_rocprof_sys(tmp_path / "x.db", Run(launches, gpus=2))).dispatches()
    assert [(d.agent.device, dict(d.counters)) for d in found] == [(0, {"SQ_WAVES": 5}), (1, {"SQ_WAVES": 6})]


def test_utilisation_that_rocprof_sys_samples_is_no_counter_of_dispatches(tmp_path: Path):
    busy = (
        "INSERT INTO rocpd_info_pmc~ (nid, pid, agent_id, name, symbol, units) VALUES (1, 4711, 1, 'GPU Busy [0]', "
        "'', '%'); INSERT INTO rocpd_track~ (nid, pid) VALUES (1, 4711);"
        "INSERT INTO rocpd_event~ (id, category_id) VALUES (900, 1);"
        "INSERT INTO rocpd_sample~ (track_id, timestamp, event_id) SELECT MAX(id), 1050, 900 FROM rocpd_track~;"
        "INSERT INTO rocpd_pmc_event~ (event_id, pmc_id, value) SELECT 900, MAX(id), 77 FROM rocpd_info_pmc~"
    )
    path = write_rocprof_sys(tmp_path / "x.db", not_replayed(WORKED_EXAMPLE), then=busy)
    (process,) = open_trace(path).processes
    assert dict(only(path).counters) == COUNTERS
    assert (process.notes, process.unread(process.gpus[0])) == ((), ())


@pytest.mark.parametrize(
    ("records", "passes"),
    [
        ("", 1),
        ("AABBC", 1),
        ("AAB AAC AAD", 3),
        ("AB AC", 2),
        ("ABABAB", 1),  # instances in turn
        ("ABCABA", 1),  # and not the same number of each
        ("AB AC AB", 1),  # the last has nothing of its own: it may be another order of one pass
        ("AB CD", 1),  # nothing is there again, so nothing is summed
    ],
)
def test_passes_are_told_apart_by_order_only_where_each_has_a_counter_of_its_own(records: str, passes: int):
    found = passes_by_order([(name, 1.0) for name in records.replace(" ", "")])
    assert len(found) == passes
    total = {name: sum(one.get(name, 0) for one in found) for name in set(records) - {" "}}
    assert total == {name: records.count(name) for name in set(records) - {" "}}


def test_dispatches_that_share_an_event_are_noted(tmp_path: Path):
    two = Run(tuple(Launch(n, (Execution(n * 1000, n * 1000 + 10, {"SQ_WAVES": (512,)}),)) for n in (1, 2)))
    shared = "UPDATE rocpd_kernel_dispatch~ SET event_id = 1"
    note = "counters of an event that another dispatch has too are in both (dispatches: 2)"
    assert notes(write_rocprofv3(tmp_path / "1_results.db", two, then=shared)) == [note]
    assert notes(write_rocprofv3(tmp_path / "2_results.db", two)) == []
