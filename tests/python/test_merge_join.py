# SPDX-License-Identifier: MIT
"""Dispatches of a run of this tool are found in the files of another run of the same program, or left out by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from described_run import Execution as Pass
from described_run import Launch as OwnLaunch
from described_run import Run as OwnRun
from handmade_foreign import Execution, Launch, Region, Run, write_rocprof_sys, write_rocprofv3
from handmade_foreign_trace import rocprof_sys_trace
from handmade_journal import journal_bytes

from rocprofsys_multipass.errors import TraceError
from rocprofsys_multipass.merge.join.joined import Joined, NotJoined
from rocprofsys_multipass.merge.join.launches import Shape
from rocprofsys_multipass.merge.join.match import match_runs

Write = Callable[[Path, Run], Path]
WIDE, NARROW, GROUP = (1024, 1, 1), (256, 1, 1), (64, 1, 1)
PROGRAM = (("axpy", WIDE), ("sum", WIDE), ("axpy", WIDE), ("axpy", NARROW))
"""Kernels and grids in order of launch."""


def own(
    tmp_path: Path, *program: tuple[str, tuple[int, int, int]], threads: tuple[int, ...] = (), twice: int = 110
) -> Path:
    """A journal of the program, replayed twice: dispatch ids from 1, pass 0 takes `twice` ns."""
    launches = []
    for n, (kernel, grid) in enumerate(program, 1):
        time = 10_000 * n
        passes = (
            Pass(0, time, time + twice, {"SQ_WAVES": n, "GRBM_COUNT": 1}),
            Pass(1, time + 500, time + 600, {"SQ_WAVES": n, "TCC_HIT": 1}),
        )
        tid = threads[n - 1] if threads else None
        launches.append(OwnLaunch(n, passes, kernel=kernel, grid=grid, tid=tid))
    path = tmp_path / "multipass-4711.journal"
    path.write_bytes(journal_bytes(OwnRun(tuple(launches))))
    return path


def clean(*program: tuple[str, tuple[int, int, int]], threads: tuple[int, ...] = ()) -> Run:
    """The program under rocprof-sys alone: dispatch ids 11, 13, ..., each of 100 ns, in another process."""
    launches = []
    for n, (kernel, grid) in enumerate(program):
        tid = threads[n] if threads else None
        one = Execution(5000 * n + 1000, 5000 * n + 1100)
        launches.append(Launch(11 + 2 * n, (one,), kernel=kernel, grid=grid, workgroup=GROUP, tid=tid))
    return Run(tuple(launches), pid=99)


def database(tmp_path: Path, run: Run) -> Path:
    return write_rocprof_sys(tmp_path / "rocpd-99.db", run)


def trace(tmp_path: Path, run: Run, by: str = "stream") -> Path:
    path = tmp_path / "perfetto-trace-99.proto"
    path.write_bytes(rocprof_sys_trace(run, by=by))
    return path


def trace_with_calls(tmp_path: Path, run: Run) -> Path:
    """With the HIP functions that launched the kernels."""
    calls = tuple(
        Region("hipLaunchKernel", d.executions[0].start - 20, d.executions[0].start - 10, tid=d.tid, correlation=d.id)
        for d in run.launches
    )
    return trace(tmp_path, replace(run, regions=calls))


def pairs(join: Joined) -> dict[int, int]:
    return dict(join.pairs)


@pytest.mark.parametrize("write", [database, trace, lambda p, r: trace(p, r, "queue")], ids=["db", "stream", "queue"])
def test_every_launch_is_found_by_kernel_sizes_and_order(tmp_path: Path, write: Write):
    join = match_runs(write(tmp_path, clean(*PROGRAM)), own(tmp_path, *PROGRAM))
    assert pairs(join) == {11: 1, 13: 2, 15: 3, 17: 4}
    assert (join.host_count, join.own_count, join.not_joined) == (4, 4, ())


def test_a_database_of_rocprofv3_is_read_too(tmp_path: Path):
    host = write_rocprofv3(tmp_path / "99_results.db", clean(*PROGRAM))
    assert pairs(match_runs(host, own(tmp_path, *PROGRAM))) == {11: 1, 13: 2, 15: 3, 17: 4}


def test_the_order_of_other_kernels_does_not_matter(tmp_path: Path):
    other = (PROGRAM[3], PROGRAM[0], PROGRAM[2], PROGRAM[1])
    assert pairs(match_runs(database(tmp_path, clean(*other)), own(tmp_path, *PROGRAM))) == {11: 4, 13: 1, 15: 3, 17: 2}


@pytest.mark.parametrize("write", [database, trace])
def test_a_shape_launched_more_often_in_one_run_is_left_out_whole(tmp_path: Path, write: Write):
    join = match_runs(write(tmp_path, clean(*PROGRAM, ("axpy", WIDE))), own(tmp_path, *PROGRAM))
    assert pairs(join) == {13: 2, 17: 4}
    reason = "not launched as often in both runs, so which is which is open"
    assert join.not_joined == (NotJoined(Shape("axpy", WIDE, GROUP), 0, host=3, own=2, reason=reason),)


def test_what_one_run_alone_launched_is_listed_with_what_the_other_did(tmp_path: Path):
    join = match_runs(
        database(tmp_path, clean(("axpy", NARROW), ("sum", WIDE), ("only_there", WIDE))),
        own(tmp_path, ("axpy", WIDE), ("sum", WIDE), ("only_here", WIDE)),
    )
    assert pairs(join) == {13: 2}
    assert [(one.shape.kernel, one.shape.grid, one.host, one.own, one.reason) for one in join.not_joined] == [
        ("axpy", NARROW, 1, 0, "this run launched this kernel with other sizes only"),
        ("only_there", WIDE, 1, 0, "this run did not launch this kernel"),
        ("axpy", WIDE, 0, 1, "the other run launched this kernel with other sizes only"),
        ("only_here", WIDE, 0, 1, "the other run did not launch this kernel"),
    ]


@pytest.mark.parametrize("write", [database, trace_with_calls])
def test_launches_of_several_threads_are_joined_thread_by_thread(tmp_path: Path, write: Write):
    two = (("axpy", WIDE), ("axpy", WIDE), ("axpy", WIDE))
    host = write(tmp_path, clean(*two, threads=(500, 501, 500)))
    assert pairs(match_runs(host, own(tmp_path, *two, threads=(71, 71, 72)))) == {11: 1, 13: 3, 15: 2}


@pytest.mark.parametrize("write", [database, trace_with_calls])
def test_threads_keep_their_order_where_their_ids_began_anew(tmp_path: Path, write: Write):
    two = (("axpy", WIDE), ("axpy", WIDE))
    host = write(tmp_path, clean(*two, threads=(500, 50)))  # of process 99: the second thread is the younger one
    assert pairs(match_runs(host, own(tmp_path, *two, threads=(4712, 4713)))) == {11: 1, 13: 2}


def test_the_number_of_threads_has_to_be_the_same(tmp_path: Path):
    program = (("axpy", WIDE), ("axpy", WIDE), ("sum", WIDE))
    host = database(tmp_path, clean(*program, threads=(500, 501, 502)))
    join = match_runs(host, own(tmp_path, *program, threads=(71, 72, 72)))
    assert pairs(join) == {15: 3}
    (left,) = join.not_joined
    threads = "3 threads of the other run launched kernels, 2 of this"
    assert left.reason == f"launched by several threads, and {threads}, so which is which is open"


def test_kernels_whose_sizes_are_not_recorded_are_left_out(tmp_path: Path):
    path = trace(tmp_path, clean(*PROGRAM))
    path.write_bytes(path.read_bytes().replace(b"(256,1,1)", b"(nothing)"))
    join = match_runs(path, own(tmp_path, *PROGRAM))
    assert pairs(join) == {11: 1, 13: 2, 15: 3}
    assert [(one.shape.grid, one.reason) for one in join.not_joined] == [
        (None, "grid and work-group are not recorded in both runs"),
        (NARROW, "grid and work-group are not recorded in both runs"),
    ]


@pytest.mark.parametrize("write", [database, trace_with_calls])
def test_launches_of_threads_that_differ_are_left_out(tmp_path: Path, write: Write):
    program = (("axpy", WIDE), ("axpy", WIDE), ("sum", WIDE))
    host = write(tmp_path, clean(*program, threads=(500, 501, 501)))
    join = match_runs(host, own(tmp_path, *program, threads=(71, 71, 72)))
    assert pairs(join) == {15: 3}
    assert [one.reason for one in join.not_joined] == [
        "launched by several threads, by each not as often in both runs",
    ]


def test_a_trace_without_hip_functions_does_not_tell_the_threads(tmp_path: Path):
    program = (("axpy", WIDE), ("axpy", WIDE), ("sum", WIDE))
    join = match_runs(trace(tmp_path, clean(*program)), own(tmp_path, *program, threads=(71, 72, 72)))
    assert pairs(join) == {15: 3}
    (left,) = join.not_joined
    assert left.reason == (
        "launched by 2 threads, and perfetto-trace-99.proto does not say which launched what: "
        "the order among threads may differ from run to run"
    )


def test_a_symbol_and_its_demangled_name_are_one_kernel(tmp_path: Path):
    run = clean(("_Z1axpy.kd", WIDE), ("sum [clone .kd]", WIDE))
    assert pairs(match_runs(trace(tmp_path, run), own(tmp_path, ("_Z1axpy", WIDE), ("sum", WIDE)))) == {11: 1, 13: 2}


def test_pass_0_is_compared_with_the_run_without_replay(tmp_path: Path):
    join = match_runs(database(tmp_path, clean(*PROGRAM)), own(tmp_path, *PROGRAM, twice=150))
    assert [(one.kernel, one.dispatches, one.ratio) for one in join.inflation] == [("axpy", 3, 1.5), ("sum", 1, 1.5)]


def test_dispatches_without_a_reading_are_joined_and_counted(tmp_path: Path):
    path = own(tmp_path, *PROGRAM)
    quiet = OwnLaunch(1, (Pass(None, 10, 20, {}),), kernel="axpy", outcome="filtered")
    path.write_bytes(journal_bytes(OwnRun((quiet,))))
    join = match_runs(database(tmp_path, clean(("axpy", WIDE))), path)
    assert (pairs(join), join.without_readings) == ({11: 1}, 1)


@pytest.mark.parametrize("write", [database, trace])
def test_a_run_with_replay_is_no_clean_run(tmp_path: Path, write: Write):
    run = clean(*PROGRAM)
    first = replace(run.launches[0], executions=(Execution(1000, 1100), Execution(1200, 1300)))
    host = write(tmp_path, replace(run, launches=(first, *run.launches[1:])))
    with pytest.raises(TraceError, match=r"1 dispatch of 4 ran several times there: it was recorded while kernels"):
        match_runs(host, own(tmp_path, *PROGRAM))


@pytest.mark.parametrize("write", [database, trace])
def test_a_file_without_dispatches_says_what_to_record(tmp_path: Path, write: Write):
    host = write(tmp_path, Run((), pid=99))
    with pytest.raises(TraceError, match="has no kernel dispatch with an id: run it again with kernel_dispatch in ROC"):
        match_runs(host, own(tmp_path, *PROGRAM))


def test_another_architecture_is_named(tmp_path: Path):
    host = write_rocprof_sys(
        tmp_path / "rocpd-99.db", clean(*PROGRAM), then="UPDATE rocpd_info_agent~ SET name = 'gfx90a' WHERE id = 1"
    )
    with pytest.raises(TraceError, match=r"rocpd-99\.db: GPU 0 is gfx90a, in .*4711\.journal it is gfx942: counters"):
        match_runs(host, own(tmp_path, *PROGRAM))


def test_compressed_packets_are_read(tmp_path: Path):
    path = tmp_path / "perfetto-trace-99.proto"
    path.write_bytes(rocprof_sys_trace(clean(*PROGRAM), compressed=True))
    assert len(match_runs(path, own(tmp_path, *PROGRAM)).pairs) == len(PROGRAM)


def test_a_cut_trace_is_an_error_that_names_the_byte(tmp_path: Path):
    path = trace(tmp_path, clean(*PROGRAM))
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(
        TraceError, match=r"perfetto-trace-99\.proto: byte \d+: .* is cut after .*; the trace is damaged"
    ):
        match_runs(path, own(tmp_path, *PROGRAM))


def test_a_name_of_a_track_that_is_no_text_is_damage(tmp_path: Path):
    path = tmp_path / "perfetto-trace-99.proto"
    path.write_bytes(rocprof_sys_trace(clean(*PROGRAM), by="queue").replace(b"GPU Kernel", b"GPU \xffernel"))
    with pytest.raises(TraceError, match=r"byte \d+: a text is no UTF-8"):
        match_runs(path, own(tmp_path, *PROGRAM))


def test_a_file_of_several_processes_is_refused(tmp_path: Path):
    run = clean(*PROGRAM)
    other = replace(run, pid=98, guid="0198c0de-0000-7000-8000-000000000002")
    host = write_rocprof_sys(tmp_path / "rocpd-99.db", run, other)
    with pytest.raises(TraceError, match="has 2 processes; counters of another run are joined process by process"):
        match_runs(host, own(tmp_path, *PROGRAM))


def test_results_of_this_tool_are_no_clean_run(tmp_path: Path):
    path = own(tmp_path, *PROGRAM)
    with pytest.raises(TraceError, match="results of rocprofsys-multipass are in it already"):
        match_runs(path, path)


def test_the_report_tells_what_was_joined_and_what_not(tmp_path: Path):
    host = database(tmp_path, clean(*PROGRAM, ("axpy", WIDE), ("only_there", NARROW)))
    journal = own(tmp_path, *PROGRAM, twice=150)
    join = match_runs(host, journal)
    assert list(join.lines()) == [
        "2 of 6 dispatches joined",
        (
            "not joined: axpy (grid 1024 x 1 x 1, work-group 64 x 1 x 1, GPU 0; 3 there, 2 in this run): "
            "not launched as often in both runs, so which is which is open"
        ),
        (
            "not joined: only_there (grid 256 x 1 x 1, work-group 64 x 1 x 1, GPU 0; 1 there, 0 in this run): "
            "this run did not launch this kernel"
        ),
        "pass 0 took 1.50 times as long as without replay (median of 2 kernels: from 1.50, sum, to 1.50, axpy)",
    ]
    told = join.to_json()
    assert (told["host_dispatches"], told["own_dispatches"], told["joined"], told["without_readings"]) == (6, 4, 2, 0)
    assert (told["host"], told["own"]) == (str(host), str(journal))
    assert told["not_joined"][1] == {
        "kernel": "only_there",
        "grid": NARROW,
        "workgroup": GROUP,
        "device": 0,
        "host": 1,
        "own": 0,
        "reason": "this run did not launch this kernel",
    }
    assert told["pass_0_over_clean"] == [
        {"kernel": "axpy", "dispatches": 1, "median": 1.5},
        {"kernel": "sum", "dispatches": 1, "median": 1.5},
    ]
