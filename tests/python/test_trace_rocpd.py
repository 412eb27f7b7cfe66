# SPDX-License-Identifier: MIT
"""Reading databases: layouts, identity, what is refused."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
import trace_tools as tools

from rocprofsys_multipass.errors import TraceError
from rocprofsys_multipass.trace import open_trace

if TYPE_CHECKING:
    from pathlib import Path

RUN = tools.sample_run()
ONE_EXECUTION = "each dispatch is here with its canonical readings, as if they were of one execution"


def test_the_strict_layout_is_read_with_its_side_file(tmp_path: Path):
    trace = open_trace(tools.write_strict(tmp_path / "run.db", RUN))
    first = trace.dispatches()[0]
    assert [(p.index, p.start_ns) for p in first.passes] == [(0, 1000), (1, 1150)]
    assert [(r.counter, r.canonical) for r in first.passes[1].readings] == [("SQ_WAVES", False), ("TCC_HIT", True)]


def test_the_strict_layout_without_its_side_file_has_canonical_values_only(tmp_path: Path):
    path = tools.write_strict(tmp_path / "run.db", RUN)
    path.with_name("run-replay.db").unlink()
    trace = open_trace(path)
    first = trace.dispatches()[0]
    assert (first.outcome, first.counter("TCC_HIT"), len(first.passes)) == ("replayed", 300, 1)
    assert list(trace.processes[0].notes) == [f"run-replay.db, which has its passes, is not beside it: {ONE_EXECUTION}"]


def test_a_side_file_of_another_run_is_not_read(tmp_path: Path):
    path = tools.write_strict(tmp_path / "run.db", RUN)
    other = "11111111-2222-7333-8444-555555555555"
    tools.write_strict(tmp_path / "other.db", replace(RUN, guid=other))
    (tmp_path / "other-replay.db").replace(tmp_path / "run-replay.db")
    trace = open_trace(path)
    assert len(trace.dispatches()[0].passes) == 1
    problem = f"run-replay.db beside it is of another run ({other}), so its passes are missing"
    assert list(trace.processes[0].notes) == [f"{problem}: {ONE_EXECUTION}"]


def test_a_side_file_alone_is_refused_with_the_name_of_its_database(tmp_path: Path):
    tools.write_strict(tmp_path / "multipass-1.db", RUN).unlink()
    alone = tmp_path / "multipass-1-replay.db"
    with pytest.raises(TraceError) as caught:
        open_trace(alone)
    assert str(caught.value) == (
        f"{alone}: it has the passes of a database in layout strict, and not what they are of; give multipass-1.db, "
        "with this file beside it"
    )
    with pytest.raises(TraceError) as caught:
        open_trace(tmp_path)
    assert str(caught.value) == (
        f"{tmp_path}: no .journal, .db or .pftrace in it; multipass-1-replay.db has the passes of multipass-1.db: copy "
        "that beside it, or run the application again"
    )


def test_a_directory_does_not_take_the_side_file_for_a_run(tmp_path: Path):
    tools.write_strict(tmp_path / "multipass-1.db", RUN)
    assert len(open_trace(tmp_path).processes) == 1


def test_a_database_of_rocprofv3_has_every_counter_once(tmp_path: Path):
    path = tools.write_database(
        tmp_path / "v3.db",
        RUN,
        side=False,
        then="INSERT INTO rocpd_pmc_event~ (event_id, pmc_id, value) VALUES (1, 2, 8)",
    )
    first = open_trace(path).dispatches()[0]
    assert first.outcome == "single_pass"
    assert dict(first.counters) == {"GRBM_COUNT": 100.5, "SQ_WAVES": 520, "TCC_HIT": 300}
    assert [(p.index, p.start_ns, p.end_ns) for p in first.passes] == [(None, 1000, 1100)]


def test_the_host_is_that_of_the_node_of_the_process(tmp_path: Path):
    nodes = (
        "INSERT INTO rocpd_info_node~ (id, guid, hostname) SELECT 3, guid, 'other' FROM rocpd_info_process~;"
        "INSERT INTO rocpd_info_node~ (id, guid, hostname) SELECT 4, guid, 'node7' FROM rocpd_info_process~;"
        "UPDATE rocpd_info_process~ SET nid = 4"
    )
    path = tools.write_database(tmp_path / "run.db", RUN, then=nodes)
    assert [process.hostname for process in open_trace(path).processes] == ["node7"]


def test_without_nodes_the_host_is_not_known(tmp_path: Path):
    path = tools.write_database(tmp_path / "run.db", RUN)
    assert [process.hostname for process in open_trace(path).processes] == [""]


def test_upstreams_row_per_pass_becomes_one_dispatch(tmp_path: Path):
    spoil = (
        "ALTER TABLE rocpd_kernel_dispatch~ ADD COLUMN replay_pass INT;"
        "DROP VIEW rocpd_kernel_dispatch; CREATE VIEW rocpd_kernel_dispatch AS SELECT * FROM rocpd_kernel_dispatch~;"
        "UPDATE rocpd_kernel_dispatch~ SET replay_pass = id - 1, dispatch_id = 1 WHERE id < 3;"
    )
    trace = open_trace(tools.write_database(tmp_path / "per_pass.db", RUN, side=False, then=spoil))
    first = trace.dispatches()[0]
    assert [d.dispatch_id for d in trace.dispatches()] == [1, 3, 4, 5]
    assert first.outcome == "replayed"
    assert [(p.index, p.start_ns) for p in first.passes] == [(0, 1000), (1, 2000)]
    assert [first.canonical_pass["TCC_HIT"].index, first.counter("TCC_HIT")] == [0, 300]


def test_instances_of_a_counter_are_summed_within_their_pass(tmp_path: Path):
    keep = (
        "UPDATE rocpd_replay_pmc~ SET value = 256 WHERE pmc_id = 2 AND replay_pass_id IN (1, 2);"
        "INSERT INTO rocpd_replay_pmc~ (replay_pass_id, pmc_id, value, instance_id, is_canonical)"
        " VALUES (1, 2, 256, 1, 1), (2, 2, 256, 1, 0);"
    )
    first = open_trace(tools.write_database(tmp_path / "keep.db", RUN, then=keep)).dispatches()[0]
    assert [r.value for p in first.passes for r in p.readings if r.counter == "SQ_WAVES"] == [512, 512]
    assert first.counter("SQ_WAVES") == 512


def test_a_value_that_is_null_was_not_delivered(tmp_path: Path):
    path = tools.write_database(
        tmp_path / "x.db", RUN, then="UPDATE rocpd_replay_pmc~ SET value = NULL WHERE pmc_id = 3"
    )
    with pytest.raises(KeyError, match="TCC_HIT"):
        open_trace(path).dispatches()[0].counter("TCC_HIT")


def test_a_discarded_pass_is_kept_as_such(tmp_path: Path):
    path = tools.write_database(
        tmp_path / "x.db", RUN, then="UPDATE rocpd_replay_pass~ SET status = 'DISCARDED' WHERE id = 2"
    )
    assert [p.status for p in open_trace(path).dispatches()[0].passes] == ["OK", "DISCARDED"]


def test_two_processes_with_equal_ids_in_one_file_stay_apart(tmp_path: Path):
    path = tmp_path / "merged.db"
    second = replace(RUN, guid=tools.GUID.replace("0001", "0002"), pid=5000)
    tools.write_database(path, RUN)
    with closing(sqlite3.connect(path)) as connection, connection:
        views = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'view'").fetchall()
        for name, _ in views:
            connection.execute(f"DROP VIEW {name}")
        tools.DatabaseFile(connection, second).build()
        for name, sql in views:
            if name.startswith("rocpd_"):
                connection.execute(f"DROP VIEW {name}")
                union = " UNION ALL ".join(f"SELECT * FROM {name}_{r.guid.replace('-', '_')}" for r in (RUN, second))
                connection.execute(f"CREATE VIEW {name} AS {union}")
            else:
                assert sql
    trace = open_trace(path)
    assert [(p.pid, len(p.dispatches)) for p in trace.processes] == [(tools.PID, 5), (5000, 5)]
    assert [d.counter("TCC_HIT") for d in trace.dispatches(kernel="axpy", outcome="replayed")] == [300, 0, 300, 0]


def test_reading_changes_nothing_in_the_folder(tmp_path: Path):
    path = tools.write_database(tmp_path / "x.db", RUN)
    path.chmod(0o444)
    before = path.read_bytes()
    open_trace(path)
    assert [p.name for p in tmp_path.iterdir()] == ["x.db"]
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("DROP VIEW rocpd_info_agent", "no rocpd_info_agent in it"),
        ("PRAGMA foreign_keys=OFF; DELETE FROM rocpd_info_agent~", "row 1: agent 1 is not in rocpd_info_agent"),
        ("DROP TABLE rocpd_info_pmc~", "x.db: .*no such table.*rocpd_info_pmc"),
    ],
)
def test_a_database_without_what_is_needed_is_refused(tmp_path: Path, sql: str, message: str):
    path = tools.write_database(tmp_path / "x.db", RUN, then=sql)
    with pytest.raises(TraceError, match=message):
        open_trace(path).dispatches()


def test_a_file_cut_to_its_first_page_is_refused(tmp_path: Path):
    path = tools.write_database(tmp_path / "x.db", RUN)
    path.write_bytes(path.read_bytes()[:2048])
    with pytest.raises(TraceError, match=r"x\.db: "):
        open_trace(path)
