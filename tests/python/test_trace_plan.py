# SPDX-License-Identifier: MIT
"""The plan in a Perfetto trace: what it tells of sentinels, and a damaged one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
import trace_tools as tools
from hypothesis import given
from hypothesis import strategies as st

from rocprofsys_multipass.errors import CounterError
from rocprofsys_multipass.trace import open_trace
from rocprofsys_multipass.trace.agent import PlannedPass
from rocprofsys_multipass.trace.frame import rows
from rocprofsys_multipass.trace.perfetto_plan import planned_passes
from rocprofsys_multipass.verify import verify

if TYPE_CHECKING:
    from pathlib import Path

    from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pt

    from rocprofsys_multipass.trace import Trace

RUN = tools.sample_run()
LABEL = "GPU 0 [gfx942]"
GUEST = replace(RUN, sentinels=(("SQ_WAVES",), ()))
LINES = [f"{LABEL} pass 0: SQ_WAVES (sentinel), GRBM_COUNT", f"{LABEL} pass 1: SQ_WAVES, TCC_HIT"]
PASSES = (PlannedPass(("SQ_WAVES", "GRBM_COUNT"), ("SQ_WAVES",)), PlannedPass(("SQ_WAVES", "TCC_HIT")))


def both(folder: Path, run: tools.Run) -> tuple[Trace, Trace]:
    """From the journal and from the trace."""
    tools.write_run(folder, run, files=("journal", "pftrace"))
    name = f"multipass-{run.pid}"
    return open_trace(folder / f"{name}.journal"), open_trace(folder / f"{name}.pftrace")


def with_plan(folder: Path, run: tools.Run, plan: object) -> Trace:
    """A trace whose mark says this of the plan; None: nothing."""

    def change(one: pt.TracePacket) -> None:
        if "rocm_multipass_run" not in one.track_event.categories:
            return
        kept = [a for a in one.track_event.debug_annotations if a.name != "plan"]
        del one.track_event.debug_annotations[:]
        one.track_event.debug_annotations.extend(kept)
        if plan is not None:
            tools.annotate(one.track_event, {"plan": plan})

    path = folder / "x.pftrace"
    path.write_bytes(tools.trace_bytes(run, change))
    return open_trace(path)


def run_with(first: dict[str, float], second: dict[str, float]) -> tools.Run:
    """GUEST with one dispatch, whose two executions read this."""
    run = replace(GUEST, launches=GUEST.launches[:1])
    return tools.with_execution(tools.with_execution(run, 0, 0, values=first), 0, 1, values=second)


@pytest.mark.parametrize(
    "run",
    [
        RUN,
        GUEST,
        replace(RUN, sentinels=(("SQ_WAVES",), ("SQ_WAVES",))),
        run_with({"SQ_WAVES": 1, "GRBM_COUNT": 5}, {"SQ_WAVES": 2, "TCC_HIT": 3}),
        run_with({"SQ_WAVES": 1, "GRBM_COUNT": 5}, {"TCC_HIT": 3}),
        run_with({"SQ_WAVES": 1, "GRBM_COUNT": 5}, {}),
        run_with({}, {"SQ_WAVES": 2, "TCC_HIT": 3}),
    ],
    ids=[
        "no sentinels",
        "requested too",
        "never requested",
        "they differ",
        "own is lost",
        "pass 1 lost",
        "pass 0 lost",
    ],
)
def test_the_readings_are_those_of_the_journal(tmp_path: Path, run: tools.Run):
    journal, trace = both(tmp_path, run)
    assert list(rows(trace)) == list(rows(journal))
    assert [a.passes for a in trace.agents] == [a.passes for a in journal.agents]
    assert [dict(d.counters) for d in trace.dispatches()] == [dict(d.counters) for d in journal.dispatches()]


@pytest.mark.parametrize(
    ("values", "status"),
    [
        ({"SQ_WAVES": 1, "GRBM_COUNT": 5}, "OK"),
        ({"GRBM_COUNT": 5}, "PARTIAL"),
        ({"SQ_WAVES": 1}, "PARTIAL"),
        ({}, "PARTIAL"),
    ],
    ids=["whole", "no sentinel", "no counter", "lost"],
)
def test_a_pass_that_lacks_what_was_planned_is_partial(tmp_path: Path, values: dict[str, float], status: str):
    for trace in both(tmp_path, run_with(values, {"SQ_WAVES": 2, "TCC_HIT": 3})):
        assert [p.status for p in trace.dispatches()[0].passes] == [status, "OK"], trace.processes[0].kind


def test_a_filtered_dispatch_lacks_nothing(tmp_path: Path):
    for trace in both(tmp_path, replace(GUEST, launches=RUN.launches[3:4])):
        assert [(p.status, p.readings) for d in trace.dispatches() for p in d.passes] == [("OK", ())]


def test_a_trace_with_sentinels_has_no_findings(tmp_path: Path):
    tools.write_run(tmp_path, GUEST, files=("pftrace",))
    assert [f for f in verify(tmp_path) if f.severity != "info"] == []


@pytest.mark.parametrize(
    "plan",
    [
        None,
        "GPU 0",
        7,
        [],
        LINES[:1],
        LINES[1:],
        [LINES[0], LINES[0]],
        [LINES[0], f"{LABEL} pass 1: "],
        [LINES[0], f"{LABEL} pass 1: SQ_WAVES,, TCC_HIT"],
        [LINES[0], f"{LABEL} pass x: SQ_WAVES, TCC_HIT"],
        [LINES[0], f"{LABEL} pass {'9' * 5000}: SQ_WAVES"],
        [line.replace("GPU 0", "GPU 1") for line in LINES],
    ],
)
def test_without_a_whole_plan_the_value_shown_says_which_reading_counts(tmp_path: Path, plan: object):
    run = run_with({"SQ_WAVES": 1, "GRBM_COUNT": 5}, {"SQ_WAVES": 2, "TCC_HIT": 3})
    trace = with_plan(tmp_path, run, plan)
    assert [a.passes for a in trace.agents] == [()]
    first = trace.dispatches()[0]
    assert (first.canonical_pass["SQ_WAVES"].index, first.counter("SQ_WAVES")) == (1, 2)


def test_a_trace_without_a_plan_does_not_claim_that_a_counter_was_not_planned(tmp_path: Path):
    first = with_plan(tmp_path, RUN, None).dispatches()[0]
    with pytest.raises(CounterError, match="this file does not say what was planned, did you mean SQ_WAVES"):
        first.counter("SQ_WAVE")


def test_lines_of_what_was_not_planned_and_of_other_gpus_are_no_passes():
    more = [
        f"{LABEL} not planned: SQ_X (no block)",
        "GPU 1 [gfx942] pass 0: TCC_MISS",
        "GPU 0 [gfx90a] pass 0: TCC_REQ",
    ]
    assert planned_passes(LABEL, [*more, *LINES]) == PASSES


@given(st.lists(st.one_of(st.sampled_from(LINES), st.text(), st.text().map(lambda t: f"{LABEL} pass {t}"))))
def test_no_text_is_more_than_a_plan_or_none(lines: list[str]):
    found = planned_passes(LABEL, lines)
    assert all(p.counters and set(p.sentinels) <= set(p.counters) for p in found)


def test_a_value_of_an_execution_that_is_not_drawn_is_not_taken_for_a_sentinel(tmp_path: Path):
    run = run_with({"SQ_WAVES": 1, "GRBM_COUNT": 5}, {"SQ_WAVES": 2, "TCC_HIT": 3})
    gone = {tools.KERNELS + 1}
    file = tools.TraceFile(run).build()
    gone |= {uuid for name, uuid in file.tracks.items() if name.endswith("pass 1")}
    file.change = lambda one: one.track_event.track_uuid not in gone and one.track_descriptor.uuid not in gone
    path = tmp_path / "x.pftrace"
    path.write_bytes(file.to_bytes())
    first = open_trace(path).dispatches()[0]
    assert (first.counter("SQ_WAVES"), first.canonical_pass["SQ_WAVES"].index) == (2, 1)
    assert [(r.counter, r.canonical) for r in first.passes[0].readings] == [("SQ_WAVES", False), ("GRBM_COUNT", True)]
