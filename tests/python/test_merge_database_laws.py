# SPDX-License-Identifier: MIT
"""Whatever rocprof-sys recorded of a run, the merged database has each dispatch and each counter once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from described_run import Execution, Launch, Run
from handmade_host import Host, exported
from hypothesis import given, settings
from hypothesis import strategies as st
from test_merge_database import members, query

from rocprofsys_multipass.merge.database.merge import merge_database
from rocprofsys_multipass.trace import open_trace

PLAN = (("A", "SHARED"), ("B", "SHARED"), ("C",))


@st.composite
def recorded(draw: st.DrawFn) -> tuple[Run, dict[int, int]]:
    """Dispatches of up to three passes, and how many executions of each rocprof-sys recorded: all of them or none."""
    launches = []
    rows = {}
    time = 1000
    values = st.integers(0, 2**40).map(float)
    for number in draw(st.lists(st.integers(1, 2**40), min_size=1, max_size=6, unique=True)):
        executions = []
        alone = draw(st.booleans())
        for k in [draw(st.integers(0, 2))] if alone else range(3):
            counted = {counter: draw(values) for counter in PLAN[k]}
            executions.append(Execution(None if alone else k, time, time + draw(st.integers(1, 500)), counted, group=k))
            time = executions[-1].end + draw(st.integers(0, 3))
        kernel = draw(st.sampled_from(("axpy(float*, int)", "sum<'\"'>")))
        outcome = ("declined", "graph") if alone else ("replayed", "")
        queue = draw(st.integers(1, 3))
        launches.append(Launch(number, tuple(executions), kernel, *outcome, queue=queue))
        rows[number] = len(executions) * draw(st.booleans())
    return Run(tuple(launches), plan=PLAN), rows


@settings(max_examples=15, deadline=None)
@given(case=recorded())
def test_kernels_are_the_union_and_counters_are_there_once(case: tuple[Run, dict[int, int]]):
    run, rows = case
    with TemporaryDirectory() as name:
        folder = Path(name)
        own = exported(folder / "own", run)
        result = merge_database(Host(run, rows).write(folder / "host.db"), own, folder / "merged.db")
        assert (result.matched, result.unmatched) == (sum(1 for n in rows.values() if n), ())
        assert result.added == sum(1 for n in rows.values() if not n)
        assert result.removed == sum(max(n - 1, 0) for n in rows.values())
        for sql in (
            "SELECT dispatch_id, name, start, [end] FROM kernels ORDER BY 1",
            "SELECT dispatch_id, counter_name, value FROM counters_collection ORDER BY 1, 2",
            "SELECT dispatch_id, counter_name, counter_value FROM pmc_events ORDER BY 1, 2",
            "SELECT dispatch_id, counter_name, kind FROM replay_conflicts ORDER BY 1, 2",
            "SELECT kernel_name, counter_name, n, median, mad, groups_read FROM kernel_counters ORDER BY 1, 2",
        ):
            assert query(result.target, sql) == query(own, sql)
        assert query(result.target, "PRAGMA foreign_key_check") == []
        (here,), (there,) = open_trace(own).processes, open_trace(result.target).processes
        assert [members(d) for d in there.dispatches] == [members(d) for d in here.dispatches]


@settings(max_examples=15, deadline=None)
@given(case=recorded(), data=st.data())
def test_a_dispatch_is_right_or_told_and_left_whatever_is_there(case: tuple[Run, dict[int, int]], data: st.DataObject):
    """Rows of rocprof-sys may be too few, or have other times or another kernel than this tool recorded."""
    run, _ = case
    seen = []
    rows = {}
    for d in run.launches:
        late = data.draw(st.sampled_from((0, 0, 0, 1)))
        executions = tuple(replace(e, start=e.start + late, end=e.end + late) for e in d.executions)
        kernel = data.draw(st.sampled_from((d.kernel, d.kernel, "other()")))
        seen.append(replace(d, executions=executions, kernel=kernel))
        rows[d.id] = data.draw(st.integers(0, len(executions)))
    with TemporaryDirectory() as name:
        folder = Path(name)
        own, host = (
            exported(folder / "own", run),
            Host(replace(run, launches=tuple(seen)), rows).write(folder / "host.db"),
        )
        result = merge_database(host, own, folder / "merged.db")
        left = {u.dispatch_id for u in result.unmatched}
        assert len(left) == len(result.unmatched) == result.unmatched_count
        for d, there in zip(run.launches, seen, strict=True):
            same = (there.executions, there.kernel, rows[d.id]) == (d.executions, d.kernel, len(d.executions))
            assert (d.id in left) == (rows[d.id] > 0 and not same)
        for kept, source in ((False, own), (True, host)):
            for sql in (
                "SELECT dispatch_id, name, start, [end] FROM kernels ORDER BY 1, 3",
                "SELECT dispatch_id, counter_name, value FROM counters_collection ORDER BY 1, 2",
            ):
                expected, found = (
                    [r for r in query(path, sql) if (r[0] in left) == kept] for path in (source, result.target)
                )
                assert found == expected
        assert query(result.target, "PRAGMA foreign_key_check") == []
