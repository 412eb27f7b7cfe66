# SPDX-License-Identifier: MIT
"""Counters of a run with replay, put on the files of another run of the program, under the stand-in of rocprof-sys."""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
from collections import Counter, defaultdict
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from e2e_tools import Cli, by_hand
from fault_tools import EVENTS
from perfetto_tools import LoadedTrace, load
from rocprof_sys_tools import Launched, RocprofSys

import rocprofsys_multipass as mp
from rocprofsys_multipass import Run
from rocprofsys_multipass.errors import ExitCode
from rocprofsys_multipass.merge import MergeResult
from rocprofsys_multipass.native import Native
from rocprofsys_multipass.trace import Dispatch

THREADS, LAUNCHES, GPUS = 2, 4, 2
SIMULATE = "tiny,tiny"


@pytest.fixture(scope="module")
def clean(rocprof_sys: RocprofSys, faults_application: Path, tmp_path_factory: pytest.TempPathFactory) -> Launched:
    """The program under rocprof-sys alone: two threads that launch one kernel on two GPUs, no counters."""
    words = ["-T", "-P", "--use-rocpd", "--", faults_application, str(THREADS), str(LAUNCHES)]
    env = {"ROCPROFSYS_MULTIPASS_SIMULATE": SIMULATE}
    return rocprof_sys.run(words, tmp_path_factory.mktemp("clean"), env=env)


@pytest.fixture(scope="module")
def own(faults_application: Path, environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The same with counters of three passes."""
    return collect(faults_application, LAUNCHES, tmp_path_factory.mktemp("own") / "out", environment)


def collect(application: Path, launches: int, output: Path, environment: dict[str, str]) -> Run:
    words = [application, str(THREADS), str(launches)]
    return mp.run(
        words, events=EVENTS, replay="kernel", simulate=SIMULATE, output=output, env=environment, capture=True
    )


@dataclass(frozen=True)
class Joined:
    """What the merge made."""

    result: MergeResult
    trace: Path
    database: Path


@pytest.fixture(scope="module")
def joined(clean: Launched, own: Run, tmp_path_factory: pytest.TempPathFactory) -> Joined:
    result = mp.merge(own.output_dir, clean.folder, tmp_path_factory.mktemp("joined") / "out", join=True)
    assert result.errors == ()
    trace, database, _ = result.files
    return Joined(result, trace, database)


def by_launch(dispatches: list[Dispatch], threads: dict[int, int | None]) -> dict[int, tuple[int | None, int]]:
    """GPU, and the place among the launches of its thread there: what the counters of this program depend on."""
    seen: Counter[tuple[int | None, int | None]] = Counter()
    found = {}
    for d in sorted(dispatches, key=lambda d: d.dispatch_id):
        key = d.agent.device, threads[d.dispatch_id]
        found[d.dispatch_id] = d.agent.device, seen[key]
        seen[key] += 1
    return found


def test_each_dispatch_of_the_clean_run_has_the_counters_of_its_launch(
    joined: Joined, clean: Launched, own: Run
) -> None:
    ours, theirs = mp.open_trace(own.output_dir).dispatches(), mp.open_trace(clean.database).dispatches()
    expected: dict[tuple[int | None, int], set[tuple[tuple[str, float], ...]]] = defaultdict(set)
    launches = by_launch(ours, {d.dispatch_id: d.thread_id for d in ours})
    for d in ours:
        expected[launches[d.dispatch_id]].add(tuple(d.counters.items()))
    assert {len(one) for one in expected.values()} == {1}, "both threads do the same on a GPU"
    assert len(set().union(*expected.values())) == LAUNCHES // GPUS, "and launches differ"
    launches = by_launch(theirs, {d.dispatch_id: d.thread_id for d in theirs})
    for path in (joined.database, joined.trace):
        found = mp.open_trace(path).dispatches()
        assert len(found) == THREADS * LAUNCHES
        for d in found:
            assert {tuple(d.counters.items())} == expected[launches[d.dispatch_id]], (path.name, d)


def test_times_are_those_of_the_clean_run(joined: Joined, clean: Launched) -> None:
    for path, before in ((joined.trace, clean.trace), (joined.database, clean.database)):
        times = [[(d.dispatch_id, d.start_ns, d.end_ns) for d in mp.open_trace(p).dispatches()] for p in (path, before)]
        assert times[0] == times[1]


def test_readers_take_no_joined_dispatch_for_a_replayed_one(joined: Joined) -> None:
    for path in (joined.trace, joined.database):
        (process,) = mp.open_trace(path).processes
        assert {(d.outcome, d.time_of, len(d.passes), d.passes[0].mixed) for d in process.dispatches} == {
            ("single_pass", "single run", 1, True)
        }
        (note,) = process.notes
        said = re.sub(r", [-\da-f]{36}", "", note)  # a database names the run by its guid
        assert said == "counters were measured in another run of the program, and joined with the dispatches here"


@pytest.fixture(scope="module")
def loaded(joined: Joined, clean: Launched) -> tuple[LoadedTrace, LoadedTrace]:
    """The clean trace, before and after, by trace_processor."""
    return load(clean.trace), load(joined.trace)


def test_the_trace_has_its_slices_and_counters_and_ours_beside_them(loaded: tuple[LoadedTrace, LoadedTrace]) -> None:
    before, after = loaded
    assert after.errors == {}
    slices = [sorted((s.name, s.ts, s.dur, s.category, s.depth, s.track) for s in one.slices) for one in loaded]
    assert slices[0] == slices[1]
    assert {name: after.counters[name] for name in before.counters} == before.counters
    names = {name.split(" (")[0] for name in after.counters.keys() - before.counters.keys()}
    assert names == {f"GPU {counter} [{gpu}]" for counter in EVENTS for gpu in range(GPUS)}


def test_counters_are_pulses_over_the_slices(loaded: tuple[LoadedTrace, LoadedTrace]) -> None:
    before, after = loaded
    kernels = [s for s in after.slices if s.category == "rocm_kernel_dispatch"]
    pulses = [p for name, points in after.counters.items() if name not in before.counters for p in points]
    starts, ends = [s.ts for s in kernels], [s.ts + s.dur for s in kernels]
    assert Counter(time for time, _ in pulses) == Counter((starts + ends) * len(EVENTS))
    assert sum(value for _, value in pulses) == sum(s.args[counter] for s in kernels for counter in EVENTS)


CHANGED = tuple(f"rocpd_{table}_" for table in ("kernel_dispatch", "metadata", "info_pmc", "pmc_event"))
"""Tables that get rows or, of dispatches, more in extdata; with the beginning of their suffix."""


def base(table: str) -> str:
    """The name of the view over the tables of all processes."""
    return table.removesuffix("_")


def rows(path: Path, query: str) -> list[Any]:
    with closing(sqlite3.connect(path)) as database:
        return database.execute(query).fetchall()


def test_the_database_has_its_rows_and_our_counters(joined: Joined, clean: Launched) -> None:
    assert rows(joined.database, "PRAGMA foreign_key_check") == []
    objects = "SELECT name FROM sqlite_master WHERE type = '{}' AND name NOT LIKE 'sqlite%'"
    for name in (*rows(clean.database, objects.format("table")), *rows(clean.database, objects.format("view"))):
        if not name[0].startswith(CHANGED) and name[0] not in (
            *map(base, CHANGED),
            "counters_collection",
            "pmc_events",
        ):
            query = f'SELECT * FROM "{name[0]}"'
            assert rows(joined.database, query) == rows(clean.database, query), name
    shown = "SELECT name, total_calls, total_duration FROM top_kernels"
    assert rows(joined.database, shown) == rows(clean.database, shown)
    assert rows(joined.database, "SELECT COUNT(*) FROM kernels") == [(THREADS * LAUNCHES,)]
    columns = "id, guid, nid, pid, tid, agent_id, kernel_id, dispatch_id, queue_id, stream_id, start, end, event_id"
    columns = columns.replace("end", '"end"')
    dispatches = f"SELECT {columns} FROM rocpd_kernel_dispatch ORDER BY id"
    assert rows(joined.database, dispatches) == rows(clean.database, dispatches)
    counted = "SELECT dispatch_id, COUNT(*), COUNT(DISTINCT counter_name) FROM counters_collection GROUP BY dispatch_id"
    assert rows(joined.database, counted) == [(n + 1, len(EVENTS), len(EVENTS)) for n in range(THREADS * LAUNCHES)]


def test_the_report_says_what_was_joined(joined: Joined) -> None:
    (process,) = joined.result.processes
    assert process.report is not None
    told = json.loads(process.report.read_text())["join"]
    assert (told["joined"], told["host_dispatches"], told["own_dispatches"]) == (8, 8, 8)
    assert told["not_joined"] == []
    (kernel,) = told["pass_0_over_clean"]
    assert kernel["dispatches"] == THREADS * LAUNCHES
    assert kernel["median"] > 0


def test_a_trace_alone_tells_the_threads_by_the_calls_that_launched_the_kernels(
    clean: Launched, own: Run, joined: Joined, tmp_path: Path
) -> None:
    folder = tmp_path / "trace"
    folder.mkdir()
    (folder / clean.trace.name).write_bytes(clean.trace.read_bytes())
    result = mp.merge(own.output_dir, folder, tmp_path / "out", join=True)
    assert result.errors == ()
    found, with_database = (mp.open_trace(path).dispatches() for path in (result.files[0], joined.trace))
    assert [d.counters for d in found] == [d.counters for d in with_database]


def test_ranks_are_joined_with_the_same_ranks(
    native: Native, rocprof_sys: RocprofSys, faults_application: Path, tmp_path: Path
) -> None:
    launches = {0: 2, 1: 4}
    for rank, count in launches.items():
        variables = {"OMPI_COMM_WORLD_RANK": str(rank), "ROCPROFSYS_MULTIPASS_SIMULATE": "tiny"}
        variables |= {"ROCPROFSYS_MULTIPASS_EVENTS": ",".join(EVENTS), "ROCPROFSYS_MULTIPASS_REPLAY": "kernel"}
        environment = by_hand(native, dict(rocprof_sys.environment), tmp_path / "out", **variables)
        subprocess.run([faults_application, "1", str(count)], env=environment, capture_output=True, check=False)
    for rank, count in reversed(launches.items()):
        words = ["-T", "--use-rocpd", "--", faults_application, "1", str(count)]
        rocprof_sys.run(words, tmp_path / "clean", env={"OMPI_COMM_WORLD_RANK": str(rank)})
    result = mp.merge(tmp_path / "out", tmp_path / "clean", join=True)
    assert [(one.rank, one.errors) for one in result.processes] == [(0, ()), (1, ())]
    assert [len(one.joined.pairs) for one in result.processes if one.joined] == list(launches.values())


def test_what_is_not_joined_is_told_and_stays_as_it_is(cli: Cli, clean: Launched, own: Run, tmp_path: Path) -> None:
    folder = tmp_path / "clean"
    folder.mkdir()
    database = folder / clean.database.name
    database.write_bytes(clean.database.read_bytes())
    with closing(sqlite3.connect(database)) as opened, opened:
        (table,) = opened.execute("SELECT name FROM sqlite_master WHERE name LIKE 'rocpd_kernel_dispatch_%'").fetchone()
        opened.execute(f"DELETE FROM {table} WHERE id = (SELECT MAX(id) FROM {table} WHERE agent_id = {GPUS})")
    done = cli("merge", own.output_dir, folder, "--join", "-o", tmp_path / "out")
    assert (done.returncode, done.stderr) == (0, "")
    told = [line.strip() for line in done.stdout.splitlines()]
    assert "4 of 7 dispatches joined" in told
    (left,) = [line for line in told if line.startswith("not joined: ")]
    assert "(grid 64 x 1 x 1, work-group 64 x 1 x 1, GPU 1; 3 there, 4 in this run): not launched as often" in left
    found = mp.open_trace(tmp_path / "out" / database.name).dispatches()
    assert Counter((d.agent.device, len(d.counters)) for d in found) == {(0, len(EVENTS)): 4, (1, 0): 3}


def test_runs_of_different_length_are_an_error(
    cli: Cli, clean: Launched, faults_application: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    longer = collect(faults_application, LAUNCHES + GPUS, tmp_path / "longer", environment)
    done = cli("merge", longer.output_dir, clean.folder, "--join", "-o", tmp_path / "out")
    assert done.returncode == ExitCode.VERIFICATION_FAILED
    assert f"{clean.database}: none of its dispatches is in " in done.stderr
    assert "4 there, 6 in this run): not launched as often in both runs" in done.stderr
    assert "and 1 more shape; give two runs of one program" in done.stderr


def test_a_run_with_replay_is_not_joined(cli: Cli, joined: Joined, own: Run, tmp_path: Path) -> None:
    done = cli("merge", own.output_dir, joined.database.parent, "--join", "-o", tmp_path / "out")
    assert done.returncode == ExitCode.VERIFICATION_FAILED
    assert "results of rocprofsys-multipass are in it already" in done.stderr
