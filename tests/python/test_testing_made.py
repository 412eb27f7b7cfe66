# SPDX-License-Identifier: MIT
"""Traces made by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import trace_tools as tools

import rocprofsys_multipass as mp
from rocprofsys_multipass.errors import MultipassError
from rocprofsys_multipass.testing import launch, trace

AXPY = "axpy(float*, int)"


def test_a_made_trace_is_what_the_reader_makes_of_a_run_of_that_kind(tmp_path: Path):
    run = replace(tools.sample_run(), launches=(tools.replayed(1, 1000),), sentinels=((), ("SQ_WAVES",)))
    (read,) = mp.open_trace(tools.write_run(tmp_path, run, files=("journal",))).dispatches()
    (made,) = trace(
        launch(AXPY, {"SQ_WAVES": 512, "GRBM_COUNT": 100.5}, {"SQ_WAVES": 512, "TCC_HIT": 300}), sentinels=["SQ_WAVES"]
    ).dispatches()
    assert made.agent.passes == read.agent.passes
    for name in ("kernel", "outcome", "counters", "by_counter", "grid", "workgroup", "start_ns", "passes_planned"):
        mine, theirs = getattr(made, name), getattr(read, name)
        if name == "by_counter":  # the passes of the file are of other lengths
            mine, theirs = ({c: [v for _, v in r] for c, r in of.items()} for of in (mine, theirs))
        assert mine == theirs, name


def test_outcomes_follow_from_the_passes_unless_they_are_said():
    made = trace(
        launch("a()", {"A": 1}, {"B": 2}),
        launch("b()", {"A": 1}),
        launch("c()", {"B": 3}, outcome="declined", reason="graph", group=1),
        launch("d()"),
        launch("e()", {"A": 1}, outcome="incomplete", reason="process_end"),
    )
    assert [(d.outcome, d.reason, [p.label for p in d.passes]) for d in made.dispatches()] == [
        ("replayed", "", ["pass 0", "pass 1"]),
        ("single_pass", "", ["group 0"]),
        ("declined", "graph", ["group 1"]),
        ("filtered", "", ["group 0"]),
        ("incomplete", "process_end", ["pass 0"]),
    ]
    assert made.dispatches("c")[0].counters == {"B": 3.0}


def test_every_gpu_has_the_plan_of_its_own_launches():
    made = trace(launch("a()", {"A": 1}, {"B": 2}), launch("a()", {"C": 1}, device=1), device=["gfx942", "gfx1100"])
    assert [(agent.label, [p.counters for p in agent.passes]) for agent in made.agents] == [
        ("GPU 0 [gfx942]", [("A",), ("B",)]),
        ("GPU 1 [gfx1100]", [("C",)]),
    ]
    assert [d.agent.device for d in made.dispatches(agent=1)] == [1]


def test_executions_follow_each_other_without_overlap():
    made = trace(launch("a()", {"A": 1}, {"B": 2}, duration_ns=70), launch("b()", {"A": 1}))
    times = [(p.start_ns, p.end_ns) for d in made.dispatches() for p in d.passes]
    assert times == [(1000, 1070), (1120, 1190), (1240, 1340)]


def test_a_made_trace_makes_a_data_frame_and_a_report():
    made = trace(launch(AXPY, {"SQ_WAVES": 512}, {"TCC_HIT": 300}))
    assert made.to_pandas()["value"].tolist() == [512.0, 300.0]
    assert "| SQ_WAVES |" in mp.report(made, "markdown")
    assert mp.verdicts(made)[0].kernel == AXPY


@pytest.mark.parametrize(
    ("outcome", "passes", "message"),
    [
        ("replaid", 1, "outcome 'replaid' is none of"),
        ("declined", 2, "declined dispatches are executed once, and there are 2 passes"),
    ],
)
def test_a_launch_that_cannot_be_is_refused(outcome: str, passes: int, message: str):
    with pytest.raises(MultipassError, match=message):
        launch(AXPY, *[{"A": 1.0}] * passes, outcome=outcome)


def test_a_launch_on_a_gpu_that_is_not_there_is_refused():
    with pytest.raises(MultipassError, match="there is no device 1; devices are gfx942"):
        trace(launch(AXPY, {"A": 1}, device=1))
