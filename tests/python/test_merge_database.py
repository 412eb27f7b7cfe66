# SPDX-License-Identifier: MIT
"""This tool's dispatches and counters in a copy of the database of rocprof-sys: what is added, removed, left alone."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import handmade_foreign as foreign
import pytest
from described_run import Execution, Launch, Run, replayed, sample_run, with_execution, with_launch
from handmade_host import MD5, OF_DISPATCHES, SUFFIX, Host, described, executions_of, exported

from rocprofsys_multipass.merge.database.merge import merge_database
from rocprofsys_multipass.merge.merged import Merged
from rocprofsys_multipass.trace import Dispatch, open_trace
from rocprofsys_multipass.verify import verify

RUN = sample_run()
EXTRAS = Run(
    (
        Launch(1, replayed(1, 2000).executions, warm_up=(1000, 1100), timing=(3000, 3090)),
        Launch(2, replayed(2, 5000).executions, warm_up=(4000, 4100)),
    ),
    extras=("warm_up_pass", "timing_pass"),
)
CHANGED = {"string", "event", "pmc_event", "kernel_dispatch", "info_pmc", "info_kernel_symbol", "info_code_object"}
"""Tables that a merge adds rows to, where they are not there. And metadata."""

Rows = list[tuple[Any, ...]]


def query(path: Path, sql: str) -> Rows:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(sql).fetchall()


def merge(folder: Path, run: Run = RUN, host: Host | None = None, **more: Any) -> tuple[Merged, Path]:
    """The merged file, of the run as this tool recorded it and as `host` did."""
    there = (host or Host(run)).write(folder / "rocpd-1.db")
    return merge_database(there, exported(folder / "own", run), folder / "merged.db", **more), there


def of_tables(path: Path) -> Mapping[str, Rows]:
    names = query(path, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid")
    return {name: query(path, f'SELECT * FROM "{name}" ORDER BY rowid') for (name,) in names}


def members(d: Dispatch) -> dict[str, object]:
    return {
        name: getattr(d, name)
        for name in (
            *(
                "dispatch_id",
                "kernel",
                "outcome",
                "reason",
                "passes_planned",
                "passes",
                "counters",
                "start_ns",
                "end_ns",
            ),
            *("queue_id", "thread_id", "grid", "workgroup", "warm_up", "timing", "time_of"),
        )
    }


NONE_RECORDED = Host(RUN, rows={})
EVERY_PASS = Host(RUN)
SOME = Host(RUN, rows={1: 2, 3: 1})
HOSTS = {
    "without kernels": (RUN, NONE_RECORDED),
    "every pass": (RUN, EVERY_PASS),
    "some": (RUN, SOME),
    "own counters": (RUN, Host(RUN, own_counters=("SQ_WAVES",))),
    "nothing else": (RUN, Host(RUN, rows={}, around=False)),
    "3.0.4": (RUN, Host(RUN, patch=4)),
    "warm-up and timing": (EXTRAS, Host(EXTRAS)),
    "warm-up and timing, without kernels": (EXTRAS, Host(EXTRAS, rows={})),
}


@pytest.fixture(params=HOSTS, scope="module")
def merged(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Merged, Path, Path]:
    """The result, the file of rocprof-sys, and this tool's."""
    folder = tmp_path_factory.mktemp("merged")
    run, host = HOSTS[request.param]
    result, there = merge(folder, run, host)
    return result, there, folder / "own" / f"multipass-{run.pid}.db"


def test_every_dispatch_is_there_once_with_its_counters_and_passes(merged: tuple[Merged, Path, Path]):
    result, _, own = merged
    (here,), (there,) = open_trace(own).processes, open_trace(result.target).processes
    assert [members(d) for d in there.dispatches] == [members(d) for d in here.dispatches]
    assert result.matched + result.added == len(here.dispatches)
    assert result.unmatched_count == 0


def test_the_process_says_what_this_tool_says_of_it(merged: tuple[Merged, Path, Path]):
    result, _, own = merged
    (here,), (there,) = open_trace(own).processes, open_trace(result.target).processes
    for name in ("tool", "tool_version", "sdk_version", "replay_mode", "command", "warnings", "pid", "kernel_replay"):
        assert getattr(there, name) == getattr(here, name)
    (gpu,), (other) = here.gpus, there.gpus[0]
    assert (other.name, other.device, other.passes) == (gpu.name, gpu.device, gpu.passes)
    assert {c.name for c in other.counters} == {c.name for c in gpu.counters}


def test_verify_finds_nothing_wrong(merged: tuple[Merged, Path, Path]):
    result, _, own = merged
    before = {(f.check, f.severity) for f in verify(own)}
    assert {(f.check, f.severity) for f in verify(result.target)} <= before


def test_views_of_rocprof_sys_count_logical_dispatches_and_show_counters_once(merged: tuple[Merged, Path, Path]):
    result, _, own = merged
    for sql in (
        "SELECT dispatch_id, start, [end] FROM kernels ORDER BY 1",
        "SELECT name, total_calls, total_duration FROM top_kernels ORDER BY 1",
        "SELECT GpuTime, WallTime FROM busy",
        "SELECT dispatch_id, counter_name, value FROM counters_collection ORDER BY 1, 2",
        "SELECT dispatch_id, counter_name, counter_value FROM pmc_events ORDER BY 1, 2",
        "SELECT dispatch_id, replay_pass, start, duration, replay_status FROM replay_kernels ORDER BY 1, 2",
        "SELECT dispatch_id, replay_pass, counter_name, value FROM replay_counters_collection ORDER BY 1, 2, 3",
        "SELECT SUM(is_canonical), COUNT(*) FROM replay_counters_collection",
        "SELECT dispatch_id, counter_name, kind, spread FROM replay_conflicts ORDER BY 1, 2",
    ):
        assert query(result.target, sql) == query(own, sql)


def test_what_a_validator_asks_of_kernels_holds(merged: tuple[Merged, Path, Path]):
    target = merged[0].target
    assert query(target, "PRAGMA foreign_key_check") == []
    assert query(target, "PRAGMA integrity_check") == [("ok",)]
    repeated = "SELECT 1 FROM kernels GROUP BY start, name, stream_id HAVING COUNT(*) > 1"
    assert query(target, repeated) == []
    wrong = "SELECT 1 FROM kernels WHERE name IS NULL OR region <> name OR duration <= 0 OR start <= 0"
    assert query(target, wrong) == []
    assert query(target, "SELECT DISTINCT category FROM kernels") == [("rocm_kernel_dispatch",)]
    assert query(target, f"SELECT DISTINCT guid FROM rocpd_replay_pmc{SUFFIX}") == [(MD5,)]
    unequal = "SELECT 1 FROM rocpd_kernel_dispatch WHERE NOT json_valid(extdata) OR min(grid_size_x, grid_size_y) < 1"
    assert query(target, unequal) == []
    twice = "SELECT 1 FROM rocpd_info_pmc GROUP BY guid, agent_id, name HAVING COUNT(*) > 1"
    assert query(target, twice) == []


def test_all_else_is_as_it_was(merged: tuple[Merged, Path, Path]):
    """Tables without dispatches row by row, the others as far as they were there, objects in order, views by rows."""
    result, there, _ = merged
    before, after = of_tables(there), of_tables(result.target)
    with_events = "SELECT id, event_id, dispatch_id, start, queue_id, kernel_id FROM rocpd_kernel_dispatch ORDER BY id"
    old, new = query(there, with_events), query(result.target, with_events)
    removed = {row[0] for row in old} - {row[0] for row in new}
    assert len(removed) == result.removed
    assert new[: result.matched] == [row for row in old if row[0] not in removed]
    events = {row[1] for row in old if row[0] in removed}
    kept = [row for row in before[f"rocpd_event{SUFFIX}"] if row[0] not in events]
    assert after[f"rocpd_event{SUFFIX}"][: len(kept)] == kept
    for name, rows in before.items():
        base = name.removeprefix("rocpd_").removesuffix(SUFFIX)
        if base == "metadata":
            assert after[name][: len(rows)] == rows
        elif base not in CHANGED | {"sqlite_sequence"}:
            assert after[name] == rows
        elif base not in {"event", "kernel_dispatch", "sqlite_sequence"}:
            assert after[name][: len(rows)] == rows
    objects = "SELECT type, name, sql FROM sqlite_master ORDER BY rowid"
    were = query(there, objects)
    assert query(result.target, objects)[: len(were)] == were
    for (view,) in query(there, "SELECT name FROM sqlite_master WHERE type = 'view' AND name NOT LIKE 'rocpd%'"):
        if view not in OF_DISPATCHES | {"kernel_summary_region", "events_args"}:
            assert query(result.target, f"SELECT * FROM {view}") == query(there, f"SELECT * FROM {view}")
    assert query(there, "PRAGMA foreign_key_check") == []


def test_rows_of_passes_go_with_their_events_and_arguments_and_nothing_else(tmp_path: Path):
    then = (
        "INSERT INTO rocpd_arg~ (event_id, position, type, name) SELECT event_id, 0, 'int', 'x' "
        "FROM rocpd_kernel_dispatch~;"
    )
    result, there = merge(tmp_path, host=Host(RUN, then=then))
    assert (result.matched, result.added, result.removed) == (5, 0, 2)
    first = {d.id: executions_of(d)[0][0] for d in RUN.launches}
    kept = query(there, "SELECT id, event_id, dispatch_id, start FROM rocpd_kernel_dispatch ORDER BY id")
    kept = [row for row in kept if first[row[2]] == row[3]]
    rows = "SELECT id, event_id, dispatch_id, start FROM rocpd_kernel_dispatch ORDER BY id"
    assert query(result.target, rows) == kept
    gone = "SELECT COUNT(*) FROM rocpd_{}"
    for table in ("event", "arg"):
        assert query(result.target, gone.format(table))[0][0] == query(there, gone.format(table))[0][0] - 2
    assert len(query(result.target, "SELECT 1 FROM rocpd_arg a JOIN rocpd_kernel_dispatch k USING (event_id)")) == 5


def test_an_event_that_something_else_refers_to_stays(tmp_path: Path):
    then = (
        "UPDATE rocpd_region~ SET event_id = (SELECT MAX(event_id) FROM rocpd_kernel_dispatch~ WHERE dispatch_id = 2);"
    )
    result, there = merge(tmp_path, host=Host(RUN, then=then))
    regions = "SELECT * FROM rocpd_region"
    assert query(result.target, regions) == query(there, regions)
    assert query(result.target, "PRAGMA foreign_key_check") == []
    assert result.removed == 2


def test_a_dispatch_that_rocprof_sys_has_not_is_added_as_it_would_have_written_it(tmp_path: Path):
    result, _ = merge(tmp_path, host=Host(RUN, rows={}))
    assert (result.matched, result.added, result.removed) == (0, 5, 0)
    sql = (
        "SELECT k.dispatch_id, k.pid, t.tid, a.absolute_index, s.display_name, r.string, q.id, e.stack_id, "
        "e.parent_stack_id, e.correlation_id FROM rocpd_kernel_dispatch k JOIN rocpd_info_thread t ON t.id = k.tid "
        "JOIN rocpd_info_agent a ON a.id = k.agent_id JOIN rocpd_info_kernel_symbol s ON s.id = k.kernel_id "
        "JOIN rocpd_string r ON r.id = k.region_name_id JOIN rocpd_info_queue q ON q.id = k.queue_id "
        "JOIN rocpd_event e ON e.id = k.event_id WHERE k.dispatch_id = 4"
    )
    name = "init(int)"
    assert query(result.target, sql) == [(4, RUN.pid, RUN.pid, 1, name, name, 7, 0, 0, 0)]


def test_what_a_dispatch_says_of_itself_stays_where_it_is_an_object(tmp_path: Path):
    then = "".join(
        f"UPDATE rocpd_kernel_dispatch~ SET extdata = '{text}' WHERE dispatch_id = {number};"
        for number, text in {1: '{"a":[1]}', 2: "", 3: "[2]", 4: "{"}.items()
    )
    result, _ = merge(tmp_path, host=Host(RUN, then=then))
    rows = query(result.target, "SELECT extdata FROM rocpd_kernel_dispatch ORDER BY dispatch_id")
    told = [json.loads(text) for (text,) in rows]
    assert [set(one) for one in told] == [{"a", "replay"}, *[{"replay"}] * 4]
    assert told[0]["a"] == [1]
    assert told[0]["replay"] == {
        "passes": 2,
        "executions": 2,
        "canonical_pass": 0,
        "complete": True,
        "outcome": "replayed",
        "time_of": "pass 0",
    }


def test_counters_of_rocprof_sys_stay_beside_ours(tmp_path: Path):
    result, there = merge(tmp_path, host=Host(RUN, own_counters=("SQ_WAVES",)))
    names = "SELECT name FROM rocpd_info_pmc ORDER BY id"
    assert query(there, names) == [("GPU SQ_WAVES [0]",), ("GPU Temp [0]",)]
    assert query(result.target, names)[2:] == [("GRBM_COUNT",), ("SQ_WAVES",), ("TCC_HIT",)]
    samples = (
        "SELECT s.timestamp, v.value, i.name FROM rocpd_sample s JOIN rocpd_pmc_event v USING (event_id) "
        "JOIN rocpd_info_pmc i ON i.id = v.pmc_id ORDER BY s.id"
    )
    assert query(result.target, samples) == query(there, samples)
    assert len(query(there, samples)) > 10


def test_a_counter_that_is_on_the_event_already_is_not_there_twice(tmp_path: Path):
    then = (
        "INSERT INTO rocpd_info_pmc~ (id, nid, pid, agent_id, name, symbol) VALUES (77, 1, 4711, 2, 'SQ_WAVES', 'w');"
        "INSERT INTO rocpd_pmc_event~ (event_id, pmc_id, value) SELECT event_id, 77, 512 FROM rocpd_kernel_dispatch~ "
        "WHERE dispatch_id = 1 ORDER BY start LIMIT 1;"
    )
    result, _ = merge(tmp_path, host=Host(RUN, then=then))
    waves = "SELECT dispatch_id, value FROM counters_collection WHERE counter_name = 'SQ_WAVES' ORDER BY 1"
    assert query(result.target, waves) == [(1, 512), (2, 512), (3, 64), (5, 512)]
    assert [f for f in verify(result.target) if f.severity == "error"] == []


def changed(position: int, execution: int, **changes: object) -> Run:
    return with_execution(RUN, position, execution, **changes)


MISMATCHES = {
    "start": (Host(changed(0, 0, start=990)), "it starts at 990 there, and at 1000 by this tool"),
    "end": (Host(changed(0, 0, end=1101)), "it ends at 1101 there, and at 1100 by this tool"),
    "number": (Host(RUN, rows={1: 1, 2: 2, 3: 1, 4: 1, 5: 1}), "it is there 1 times, and was executed 2 times"),
    "kernel": (Host(with_launch(RUN, 0, kernel="other()")), "it is of another kernel there"),
    "GPU": (
        Host(
            RUN,
            then="INSERT INTO rocpd_info_agent~ SELECT 9, guid, nid, pid, type, 2, 2, 1, uuid, name, model_name, "
            "vendor_name, product_name, user_name, extdata FROM rocpd_info_agent~ WHERE id = 2;"
            "UPDATE rocpd_kernel_dispatch~ SET agent_id = 9 WHERE dispatch_id = 1;",
        ),
        "it is on another GPU there",
    ),
    "no event": (
        Host(RUN, then="UPDATE rocpd_kernel_dispatch~ SET event_id = NULL WHERE id = 1;"),
        "it has no event there",
    ),
}


@pytest.mark.parametrize("case", MISMATCHES)
def test_what_does_not_fit_is_told_and_left(tmp_path: Path, case: str):
    host, reason = MISMATCHES[case]
    result, there = merge(tmp_path, host=host)
    assert [(u.dispatch_id, u.reason) for u in result.unmatched] == [(1, reason)]
    assert (result.matched, result.added, result.unmatched_count) == (4, 0, 1)
    rows = "SELECT * FROM rocpd_kernel_dispatch WHERE dispatch_id = 1 ORDER BY id"
    assert query(result.target, rows) == query(there, rows)
    assert query(result.target, "SELECT 1 FROM counters_collection WHERE dispatch_id = 1") == []
    assert query(result.target, "SELECT 1 FROM rocpd_replay_pass WHERE dispatch_id = 1") == []


def test_a_dispatch_that_this_tool_did_not_record_is_told_and_left(tmp_path: Path):
    more = Run((*RUN.launches, replayed(9, 8000)))
    there = Host(more).write(tmp_path / "rocpd-1.db")
    result = merge_database(there, exported(tmp_path / "own", RUN), tmp_path / "merged.db")
    assert [(u.dispatch_id, u.reason) for u in result.unmatched] == [(9, "it is recorded there only")]
    assert len(query(result.target, "SELECT 1 FROM kernels WHERE dispatch_id = 9")) == 2


@pytest.mark.parametrize("times", [(0, 0), (3000, 3000), (3000, 2990)], ids=["unknown", "no length", "backwards"])
def test_a_dispatch_without_length_is_not_added(tmp_path: Path, times: tuple[int, int]):
    """Views of rocprof-sys would count it from 0, and validators refuse kernels without length."""
    run = with_execution(RUN, 2, 0, start=times[0], end=times[1])
    result, _ = merge(tmp_path, run, Host(run, rows={}))
    assert [u.dispatch_id for u in result.unmatched] == [3]
    assert result.added == 4
    assert query(result.target, "SELECT GpuTime, WallTime FROM busy") == [(100 + 100 + 50 + 100, 5100 - 1000)]


def test_a_dispatch_whose_times_this_tool_does_not_know_is_left(tmp_path: Path):
    """Nothing confirms then that the row is of the dispatch."""
    run = with_execution(RUN, 2, 0, start=0, end=0)
    result, _ = merge(tmp_path, run, Host(RUN))
    assert [(u.dispatch_id, u.reason) for u in result.unmatched] == [(3, "its times are not known to this tool")]
    assert query(result.target, "SELECT start FROM kernels WHERE dispatch_id = 3") == [(3000,)]


def test_executions_of_a_replay_that_broke_off_need_not_all_be_known(tmp_path: Path):
    """Dispatch 5 was cut after one recorded pass of two; rocprof-sys may have seen the second."""
    seen = with_launch(RUN, 4, executions=(*RUN.launches[4].executions, Execution(1, 5200, 5300, {})))
    result, _ = merge(tmp_path, host=Host(seen))
    assert (result.unmatched, result.removed) == ((), 3)


def test_of_several_processes_in_a_file_the_right_one_is_changed(tmp_path: Path):
    other = replace(foreign.replayed(foreign.GOOD), guid="e" * 32, pid=99)
    result, there = merge(tmp_path, host=Host(RUN, others=[other]))
    tables = of_tables(there)
    for name, rows in of_tables(result.target).items():
        if name.endswith("e" * 32):
            assert rows == tables[name]
    shown = "SELECT p.pid, COUNT(*) FROM rocpd_kernel_dispatch k JOIN rocpd_info_process p ON p.id = k.pid GROUP BY 1"
    assert query(result.target, shown) == [(99, 6), (RUN.pid, 5)]


def test_several_processes_of_a_file_can_be_merged_one_after_another(tmp_path: Path):
    second = Run((replayed(1, 9000), replayed(2, 9500)), pid=99, guid=RUN.guid.replace("1", "2"))
    host = Host(RUN, others=[replace(described(second), guid="e" * 32)])
    first, _ = merge(tmp_path, host=host)
    both = merge_database(first.target, exported(tmp_path / "second", second), tmp_path / "both.db")
    assert (both.matched, both.removed, both.unmatched_count) == (2, 2, 0)
    found = {p.pid: [members(d) for d in p.dispatches] for p in open_trace(both.target).processes}
    for run, folder in ((RUN, "own"), (second, "second")):
        (alone,) = open_trace(tmp_path / folder / f"multipass-{run.pid}.db").processes
        assert found[run.pid] == [members(d) for d in alone.dispatches]
    assert query(both.target, "SELECT COUNT(*) FROM replay_kernels") == [(11,)]
    assert [f.message for f in verify(both.target) if f.severity == "error"] == []


def two_gpus(own: Path) -> None:
    """Makes dispatch 2 one of a second GPU, with counters of the same names."""
    with closing(sqlite3.connect(own)) as connection, connection:
        (suffix,) = connection.execute("SELECT value FROM rocpd_metadata WHERE tag = 'uuid'").fetchone()
        connection.executescript(
            """
            INSERT INTO rocpd_info_agent~ SELECT 2, guid, nid, pid, type, 2, 2, 1, uuid, name, model_name, vendor_name,
              product_name, user_name, extdata FROM rocpd_info_agent~ WHERE id = 1;
            INSERT INTO rocpd_info_pmc~ (id, nid, pid, agent_id, name, symbol) SELECT id + 50, nid, pid, 2, name, symbol
              FROM rocpd_info_pmc~;
            UPDATE rocpd_kernel_dispatch~ SET agent_id = 2 WHERE id = 2;
            UPDATE rocpd_pmc_event~ SET pmc_id = pmc_id + 50
              WHERE event_id = (SELECT event_id FROM rocpd_kernel_dispatch~ WHERE id = 2);
            UPDATE rocpd_replay_pmc~ SET pmc_id = pmc_id + 50
              WHERE replay_pass_id IN (SELECT id FROM rocpd_replay_pass~ WHERE dispatch_id = 2);
            """.replace("~", suffix)
        )


@pytest.mark.parametrize("recorded", [True, False])
def test_gpus_are_found_by_their_indices_whatever_their_ids_are(tmp_path: Path, *, recorded: bool):
    then = (
        "INSERT INTO rocpd_info_agent~ (id, nid, pid, type, absolute_index, type_index, name) "
        "VALUES (44, 1, 4711, 'GPU', 2, 1, 'gfx942');"
        "UPDATE rocpd_kernel_dispatch~ SET agent_id = 44 WHERE dispatch_id = 2;"
    )
    host = Host(RUN, None if recorded else {}, then=then).write(tmp_path / "host.db")
    own = exported(tmp_path / "own", RUN)
    two_gpus(own)
    result = merge_database(host, own, tmp_path / "merged.db")
    assert (result.matched, result.added, result.unmatched) == ((5, 0, ()) if recorded else (0, 5, ()))
    waves = "SELECT dispatch_id, agent_id, value FROM counters_collection WHERE counter_name = 'SQ_WAVES' ORDER BY 1"
    assert query(result.target, waves) == [(1, 2, 512), (2, 44, 512), (3, 2, 64), (5, 2, 512)]
    strange = "SELECT 1 FROM rocpd_replay_pmc v JOIN rocpd_info_pmc i ON i.id = v.pmc_id JOIN rocpd_replay_pass p ON "
    strange += "p.id = v.replay_pass_id WHERE (i.agent_id = 44) <> (p.dispatch_id = 2)"
    assert query(result.target, strange) == []
    assert [(d.dispatch_id, d.agent.device) for d in open_trace(result.target).dispatches()][1] == (2, 1)


def test_a_gpu_that_is_not_there_is_added(tmp_path: Path):
    own = exported(tmp_path / "own", RUN)
    two_gpus(own)
    result = merge_database(Host(RUN, {}).write(tmp_path / "host.db"), own, tmp_path / "merged.db")
    assert (result.added, result.unmatched) == (5, ())
    shown = "SELECT agent_abs_index FROM kernels WHERE dispatch_id = 2"
    assert query(result.target, shown) == [(2,)]


def test_a_gpu_of_another_name_is_another_one(tmp_path: Path):
    then = "UPDATE rocpd_info_agent~ SET name = 'gfx90a' WHERE type = 'GPU';"
    result, _ = merge(tmp_path, host=Host(RUN, {}, then=then))
    assert {u.reason for u in result.unmatched} == {"its GPU (agent 1) is another one there"}
    assert (result.added, result.unmatched_count) == (0, 5)


def test_a_dispatch_that_is_left_with_all_its_passes_is_an_error_of_the_merged_file(tmp_path: Path):
    result, _ = merge(tmp_path, host=MISMATCHES["start"][0])
    (finding,) = [f for f in verify(result.target) if f.check == "duplicates"]
    assert (finding.severity, finding.hint) == ("error", "`rocprof-sys-multipass merge` says why it has no match")


def test_a_dispatch_that_is_left_with_all_its_passes_is_told_wherever_it_counts(tmp_path: Path):
    result, _ = merge(tmp_path, host=MISMATCHES["start"][0])
    (note,) = result.notes
    assert note == (
        "dispatches without a match have a row for each execution, and no counters: kernels, top_kernels and busy "
        "count them several times (dispatches: 1)"
    )
    (process,) = open_trace(result.target).processes
    (note,) = process.notes
    assert note == (
        "dispatches are here once for each execution and without counters, because they matched none of this tool's "
        "when the files were merged (dispatches: 1)"
    )


def test_what_is_wrong_with_a_merged_file_is_not_mended_by_exporting(tmp_path: Path):
    result, _ = merge(tmp_path)
    with closing(sqlite3.connect(result.target)) as connection, connection:
        connection.execute(f"DELETE FROM rocpd_event{SUFFIX} WHERE id = (SELECT event_id FROM rocpd_kernel_dispatch)")
    hints = {f.check: f.hint for f in verify(result.target) if f.severity == "error"}
    assert {"rocpd-foreign-keys", "rocpd-lost-rows"} <= hints.keys()
    assert "merge the files of rocprof-sys and of this tool again" in hints["rocpd-foreign-keys"]
    assert "export" not in "".join(hints.values())


def test_what_was_merged_is_not_merged_again(tmp_path: Path):
    result, _ = merge(tmp_path)
    with pytest.raises(Exception, match=f"it has passes of process {RUN.pid} already; give the file as rocprof-sys"):
        merge_database(result.target, tmp_path / "own" / f"multipass-{RUN.pid}.db", tmp_path / "again.db")
    assert not (tmp_path / "again.db").exists()


def test_the_index_of_the_readings_of_passes_is_there_too(tmp_path: Path):
    merged, _ = merge(tmp_path)
    sql = "SELECT name FROM sqlite_master WHERE type = 'index' AND name LIKE 'rocpd_index%' ORDER BY name"
    assert query(merged.target, sql) == [(f"rocpd_index_replay_pmc_replay_pass_id{SUFFIX}",)]
    assert query(merged.target, "PRAGMA integrity_check") == [("ok",)]
