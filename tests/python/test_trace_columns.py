# SPDX-License-Identifier: MIT
"""A data frame made of columns is the one made of dispatches."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import trace_tools as tools
from hypothesis import given, settings
from hypothesis import strategies as st

from rocprofsys_multipass.errors import TraceError
from rocprofsys_multipass.trace import Trace, open_trace
from rocprofsys_multipass.trace.agent import Agent
from rocprofsys_multipass.trace.frame import Row, rows
from rocprofsys_multipass.trace.model import OUTCOMES, Dispatch, Interval, Kernel, Pass, Process, Reading

pd = pytest.importorskip("pandas")

COUNTERS = ("SQ_WAVES", "GRBM_COUNT", "TCC_HIT", "b", "a")
TYPES: dict[str, Any] = {
    "process": "int64",
    "agent": "Int64",
    "dispatch_id": "int64",
    "kernel": "str",
    "pass": "Int64",
    "group": "int64",
    "counter": "str",
    "value": "float64",
    "canonical": "bool",
    "start": "Int64",
    "end": "Int64",
    "dispatch_time": "Int64",
    "time_of": "str",
}
RUN = tools.sample_run()
NAME = f"multipass-{tools.PID}"


def told(trace: Trace) -> Any:
    """The frame as the rows of the trace say it, one by one."""
    columns = list(zip(*rows(trace), strict=True)) or [()] * len(Row._fields)
    return pd.DataFrame(
        {name: pd.Series(values, dtype=TYPES[name]) for name, values in zip(TYPES, columns, strict=True)}
    )


def check(path: Path) -> Trace:
    """Every way to the frame of a file gives the same."""
    expected = told(open_trace(path))
    trace = open_trace(path)
    pd.testing.assert_frame_equal(trace.to_pandas(), expected)
    trace.dispatches()
    pd.testing.assert_frame_equal(trace.to_pandas(), expected)
    return trace


instants = st.integers(0, 6)  # few, so that executions last for nothing, or end before they begin
times = st.one_of(st.just((0, 0)), st.tuples(instants, instants), st.tuples(instants, st.integers(10, 2**60)))
values = st.one_of(
    st.integers(0, 2**53).map(float), st.sampled_from([0.0, 0.1, math.inf, -math.inf, math.nan, 5e-324, 1.7e308])
)
counters = st.lists(st.sampled_from(COUNTERS), min_size=1, max_size=3, unique=True)
kernels = st.sampled_from(["k", "axpy(float*, int)", "K"])
AGENTS = (
    Agent(index=1, device=0, name="gfx942"),
    Agent(index=2, device=1, name="gfx90a"),
    Agent(index=3, device=None, name=""),
)


@st.composite
def dispatches(draw: st.DrawFn) -> Dispatch:
    """One as no reader may have made it: any times, any order, a counter twice in a pass."""
    unsure = st.one_of(st.none(), instants)
    readings = st.lists(st.builds(Reading, st.sampled_from(COUNTERS), values, st.booleans()), max_size=3)
    mixed = st.booleans()
    passes = st.builds(
        Pass,
        st.one_of(st.none(), st.integers(0, 3)),
        st.integers(0, 3),
        unsure,
        unsure,
        readings.map(tuple),
        mixed=mixed,
    )
    name = draw(kernels)
    return Dispatch(
        process=draw(st.integers(1, 2)),
        dispatch_id=draw(st.integers(1, 9)),
        agent=draw(st.sampled_from(AGENTS)),
        symbol=Kernel(id=1, name=name, demangled=draw(st.sampled_from([name, ""]))),
        outcome="replayed",
        passes=tuple(draw(st.lists(passes, max_size=4))),
        timing=draw(st.one_of(st.none(), st.builds(Interval, unsure, unsure))),
    )


@given(processes=st.lists(st.lists(dispatches(), max_size=4), max_size=3))
@settings(max_examples=100)
def test_the_frame_of_any_dispatches_has_their_readings(processes: list[list[Dispatch]]):
    made = [Process(path=Path("x"), kind="journal", pid=1, agents=(), dispatches=tuple(of)) for of in processes]
    trace = Trace(tuple(made))
    pd.testing.assert_frame_equal(trace.to_pandas(), told(trace))


@st.composite
def executions(draw: st.DrawFn, groups: int) -> tuple[tools.Execution, ...]:
    replay = st.permutations(range(3)).flatmap(lambda order: st.sampled_from([list(order), list(order[:2])]))
    made = []
    for index in draw(st.one_of(st.just([None]), replay)):
        start, end = draw(times)
        group = draw(st.integers(0, groups - 1))
        read = draw(counters) if draw(st.integers(0, 4)) else []
        made.append(tools.Execution(index, start, end, {c: draw(values) for c in read}, group))
    return tuple(made)


@st.composite
def runs(draw: st.DrawFn) -> tools.Run:
    plan = tuple(tuple(one) for one in draw(st.lists(counters, min_size=1, max_size=3)))
    sentinels = tuple(tuple(c for c in p if draw(st.booleans())) for p in plan) if draw(st.booleans()) else ()
    extra = st.one_of(st.none(), times)
    launches = st.builds(
        tools.Launch,
        st.integers(1, 2**40),
        executions(len(plan)),
        kernels,
        st.sampled_from(OUTCOMES),
        warm_up=extra,
        timing=extra,
    )
    made = draw(st.lists(launches, min_size=1, max_size=4, unique_by=lambda d: d.id))
    return tools.Run(tuple(made), plan, sentinels)


def as_journal(path: Path, run: tools.Run) -> None:
    path.write_bytes(tools.journal_bytes(run))


def as_trace(path: Path, run: tools.Run) -> None:
    path.write_bytes(tools.trace_bytes(run))


def as_database_without_side_tables(path: Path, run: tools.Run) -> None:
    tools.write_database(path, run, side=False)


WRITERS: dict[str, Callable[[Path, tools.Run], object]] = {
    "journal": as_journal,
    "canonical": tools.write_database,
    "strict": tools.write_strict,
    "other": as_database_without_side_tables,
    "trace": as_trace,
}


@pytest.mark.parametrize("writer", WRITERS)
@given(run=runs())
@settings(max_examples=25)
def test_the_frame_of_columns_is_that_of_dispatches(
    tmp_path_factory: pytest.TempPathFactory, writer: str, run: tools.Run
):
    path = tmp_path_factory.mktemp("law") / "x"
    WRITERS[writer](path, run)
    check(path)


@pytest.mark.parametrize("writer", ["journal", "canonical", "strict"])
def test_dispatches_are_not_made_for_a_frame(tmp_path: Path, writer: str):
    WRITERS[writer](tmp_path / "x", RUN)
    trace = open_trace(tmp_path / "x")
    rows = trace.processes[0].unread_rows
    assert rows is not None
    assert rows.columns() is not None
    assert len(trace.to_pandas()) == 12
    assert trace.processes[0].unread_rows is not None
    assert len(trace.dispatches()) == 5
    assert trace.processes[0].unread_rows is None


@pytest.mark.parametrize("writer", WRITERS)
def test_several_processes_follow_one_another(tmp_path: Path, writer: str):
    ending = {"journal": "journal", "trace": "pftrace"}.get(writer, "db")
    for rank in (1, 0):
        run = replace(RUN, rank=rank, pid=100 + rank, launches=RUN.launches[rank:])
        WRITERS[writer](tmp_path / f"multipass-rank{rank}.{ending}", run)
    trace = check(tmp_path)
    assert [len(p.dispatches) for p in trace.processes] == [5, 4]


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("DELETE FROM rocpd_info_pmc~ WHERE id = 1", 12),  # a counter without a name
        ("INSERT INTO rocpd_replay_pmc~ (replay_pass_id, pmc_id, value) VALUES (1, 1, 0.5)", 12),  # two instances
        ("DELETE FROM rocpd_replay_pass~ WHERE id = 1", 10),
        ("UPDATE rocpd_kernel_dispatch~ SET pid = 1 WHERE id = 1", 8),  # of no process
        (  # of a second process in the file
            (
                "INSERT INTO rocpd_info_process~ (id, pid) VALUES (1, 77); "
                "UPDATE rocpd_kernel_dispatch~ SET pid = 1 WHERE id = 1"
            ),
            12,
        ),
        ("UPDATE rocpd_replay_pmc~ SET value = NULL WHERE id < 3", 10),
        ("UPDATE rocpd_replay_pmc~ SET is_canonical = NULL", 12),
        ("UPDATE rocpd_replay_pass~ SET extdata = 'no JSON'", 12),
        ("UPDATE rocpd_kernel_dispatch~ SET kernel_id = 99", 12),
        ("UPDATE rocpd_info_pmc~ SET name = 'a'", 6),  # counters of one name are one
        ("UPDATE rocpd_replay_pmc~ SET pmc_id = pmc_id + 2000000; UPDATE rocpd_info_pmc~ SET id = id + 2000000", 12),
    ],
)
def test_rows_that_are_not_as_our_writer_has_them_give_the_same_frame(tmp_path: Path, sql: str, rows: int):
    path = tools.write_database(tmp_path / "x.db", RUN, then=f"PRAGMA foreign_keys = OFF; {sql}")
    assert sum(len(p.readings) for d in check(path).dispatches() for p in d.passes) == rows


def test_a_row_per_pass_gives_its_frame(tmp_path: Path):
    path = tools.write_database(
        tmp_path / "x.db",
        RUN,
        side=False,
        then="ALTER TABLE rocpd_kernel_dispatch~ ADD COLUMN replay_pass INT; DROP VIEW rocpd_kernel_dispatch; "
        "CREATE VIEW rocpd_kernel_dispatch AS SELECT * FROM rocpd_kernel_dispatch~; "
        "UPDATE rocpd_kernel_dispatch~ SET dispatch_id = 1, replay_pass = id - 1 WHERE id < 3",
    )
    assert [len(d.passes) for d in check(path).dispatches()] == [2, 1, 1, 1]


def test_a_journal_without_descriptions_gives_its_frame(tmp_path: Path):
    frames = [f for f in tools.journal_frames(RUN) if f.WhichOneof("body") not in ("kernel", "agent")]
    (tmp_path / "x").write_bytes(tools.journal_header() + b"".join(map(tools.frame, frames)))
    assert len(check(tmp_path / "x").to_pandas()) == 0
    frames = [f for f in tools.journal_frames(RUN) if f.WhichOneof("body") != "kernel"]
    (tmp_path / "x").write_bytes(tools.journal_header() + b"".join(map(tools.frame, frames)))
    assert set(check(tmp_path / "x").to_pandas()["kernel"]) == {"kernel 1", "kernel 2"}


def test_a_journal_with_too_few_values_is_refused_with_the_same_words(tmp_path: Path):
    frames = tools.journal_frames(RUN)
    last = next(f for f in reversed(frames) if f.WhichOneof("body") == "dispatch")
    del last.dispatch.passes[0].values[-1]
    (tmp_path / "x").write_bytes(tools.journal_header() + b"".join(map(tools.frame, frames)))
    for use in (Trace.dispatches, Trace.to_pandas):
        with pytest.raises(TraceError, match=r"x: a pass names 2 counters and has 1 values"):
            use(open_trace(tmp_path / "x"))


@pytest.mark.parametrize("use", [Trace.dispatches, Trace.to_pandas])
def test_a_database_that_changed_since_it_was_opened_is_not_read(tmp_path: Path, use: Callable[[Trace], object]):
    path = tools.write_database(tmp_path / "x.db", RUN)
    trace = open_trace(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE more (id INTEGER)")
    with pytest.raises(TraceError, match=r"x\.db: it changed after it was opened; open it again"):
        use(trace)
    path.unlink()
    with pytest.raises(TraceError, match=r"x\.db: No such file or directory"):
        use(trace)


def test_what_a_journal_held_when_it_was_opened_stays(tmp_path: Path):
    path = tmp_path / "x.journal"
    as_journal(path, RUN)
    trace = open_trace(path)
    path.unlink()
    assert len(trace.to_pandas()) == 12
    assert len(trace.dispatches()) == 5


def test_what_is_noted_of_dispatches_is_there_when_notes_are_asked_for(tmp_path: Path):
    frames = [f for f in tools.journal_frames(RUN) if f.WhichOneof("body") != "kernel"]
    (tmp_path / "x").write_bytes(tools.journal_header() + b"".join(map(tools.frame, frames)))
    (process,) = open_trace(tmp_path / "x").processes
    assert process.notes == tuple(
        f"kernel {k} is not described; its dispatches are called 'kernel {k}'" for k in (1, 2)
    )


def test_a_changed_copy_of_a_process_has_its_own_dispatches(tmp_path: Path):
    as_journal(tmp_path / "x", RUN)
    (process,) = open_trace(tmp_path / "x").processes
    first = replace(process, dispatches=process.dispatches[:1])
    assert set(Trace((first,)).to_pandas()["dispatch_id"]) == {1}


@pytest.mark.parametrize(
    ("run", "message"),
    [
        (
            tools.with_execution(RUN, 0, 1, end=2**64 - 1),
            r"process 4711, dispatch 1: a time of it, 1150 to 18446744073709551615 ns, has more than 63 bits",
        ),
        (tools.with_launch(RUN, 0, id=2**63 + 7), r"process 4711, dispatch 9223372036854775815: its id, or the time"),
    ],
)
@pytest.mark.parametrize("first", [Trace.to_pandas, Trace.dispatches])
def test_a_number_that_no_data_frame_holds_is_told_with_its_dispatch(
    tmp_path: Path, run: tools.Run, message: str, first: Callable[[Trace], object]
):
    trace = open_trace(tools.write_run(tmp_path, run, files=("journal",)))
    with suppress(TraceError):
        first(trace)
    with pytest.raises(TraceError, match=message):
        trace.to_pandas()
    assert len(trace.dispatches()) == len(RUN.launches)
