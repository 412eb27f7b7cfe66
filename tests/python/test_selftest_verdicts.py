# SPDX-License-Identifier: MIT
"""What the self-test says of runs that came out so or so; a kit made by hand stands for the processes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from rocprofsys_multipass.doctor.check import Check, Status
from rocprofsys_multipass.doctor.selftest.kit import Kit, PartRun
from rocprofsys_multipass.doctor.selftest.launches import check_agents, check_graph
from rocprofsys_multipass.doctor.selftest.memory import KINDS, check_memory_kind
from rocprofsys_multipass.trace.agent import Agent
from rocprofsys_multipass.trace.model import Dispatch, Kernel, Outcome, Pass, Process

GPU = Agent(index=1, device=0, name="gfx942")
MANAGED = next(kind for kind in KINDS if kind.word == "managed")


def dispatch(outcome: Outcome, passes: int, reason: str = "", kernel: str = "multipass_kit_step(int*)") -> Dispatch:
    indices = [None] if passes == 1 else list(range(passes))
    return Dispatch(
        process=1,
        dispatch_id=1,
        agent=GPU,
        symbol=Kernel(id=1, name=kernel, demangled=kernel),
        outcome=outcome,
        reason=reason,
        passes_planned=5,
        passes=tuple(Pass(index, index or 0, None, None) for index in indices),
    )


def ran(
    how: str,
    *lines: str,
    launches: tuple[Dispatch, ...] = (),
    code: int | None = 0,
    said: str = "",
    replay: bool = True,
) -> PartRun:
    process = Process(path=Path("x"), kind="journal", pid=1, agents=(GPU,), dispatches=launches, kernel_replay=True)
    return PartRun("restore x", how, code, 0.1, lines, said, 60.0, None if how == "alone" else process)


class Made(Kit):
    """A kit whose runs are known beforehand."""

    def __init__(self, *runs: PartRun) -> None:
        self._by_how = {run.how: run for run in runs}

    def alone(self, part: str) -> PartRun:  # noqa: ARG002 - as the real one
        return self._by_how["alone"]

    def profiled(
        self,
        part: str,  # noqa: ARG002
        how: str,
        options: Mapping[str, object],  # noqa: ARG002
        *,
        record: bool = False,  # noqa: ARG002
    ) -> PartRun:
        return self._by_how[how]


def memory(default: PartRun, unsafe: PartRun) -> Check:
    return check_memory_kind(Made(ran("alone", "remains 1"), default, unsafe), MANAGED)


REPLAYED = (dispatch("replayed", 5),)
DECLINED = (dispatch("declined", 1, "managed_memory"),)


@pytest.mark.parametrize(
    ("default", "unsafe", "status", "said"),
    [
        (
            ran("default", "remains 1", launches=DECLINED),
            ran("unsafe", "remains 5", launches=REPLAYED),
            Status.NOTE,
            "(5 after 5 passes, --unsafe all); by default such launches are not replayed (managed_memory)",
        ),
        (
            ran("default", "remains 1", launches=DECLINED),
            ran("unsafe", "remains 1", launches=REPLAYED),
            Status.NOTE,
            "here (1 after 5 passes, --unsafe all); by default such launches are not replayed (managed_memory)",
        ),
        (
            ran("default", "remains 1", launches=DECLINED),
            ran("unsafe", "remains 1", launches=DECLINED),
            Status.NOTE,
            "managed memory: not tried, launches are not replayed (managed_memory)",
        ),
        (
            ran("default", "remains 1", launches=(dispatch("single_pass", 1),)),
            ran("unsafe", "remains 1", launches=(dispatch("single_pass", 1),)),
            Status.NOTE,
            "not tried, one pass holds all counters of this GPU",
        ),
        (
            ran("default", "remains 1", launches=REPLAYED),
            ran("unsafe", "remains 1", launches=REPLAYED),
            Status.OK,
            "managed memory is restored between passes (1 after 5 passes)",
        ),
        (
            ran("default", "remains 5", launches=REPLAYED),
            ran("unsafe", "remains 5", launches=REPLAYED),
            Status.PROBLEM,
            "is not restored between passes (5 after 5 passes; without the tool 1), and the tool replays such launches",
        ),
        (
            ran("default", "remains 254", launches=REPLAYED),
            ran("unsafe", "remains 5", launches=REPLAYED),
            Status.PROBLEM,
            "managed memory is restored wrongly between passes (254 after 5 passes; without the tool 1)",
        ),
        (
            ran("default", "remains 1", launches=REPLAYED),
            ran("unsafe", "remains 5", launches=REPLAYED),
            Status.WARNING,
            "in the run with the tool's own choice 1 remained after 5 passes",
        ),
        (
            ran("default", "remains 1", launches=DECLINED),
            ran("unsafe", code=-6, said="pass does not end\n"),
            Status.PROBLEM,
            "was ended by SIGABRT under the tool (--unsafe all), and ends well without it; it said: pass does not end",
        ),
        (
            ran("default", code=None),
            ran("unsafe", "remains 5", launches=REPLAYED),
            Status.PROBLEM,
            "did not end within 60 s under the tool, and ends well without it",
        ),
        (
            ran("default", "remains 1", said="rocprof-sys-multipass: warning: no GPU here\n"),
            ran("unsafe", "remains 1"),
            Status.PROBLEM,
            "was not captured: no GPU here",
        ),
    ],
)
def test_memory_is_judged_by_what_remains(default: PartRun, unsafe: PartRun, status: Status, said: str) -> None:
    found = memory(default, unsafe)
    assert said in found.found
    assert found.status is status


@pytest.mark.parametrize(
    ("alone", "status", "said"),
    [
        (
            ran("alone", "absent hipMallocManaged answers: operation not supported", code=3),
            Status.NOTE,
            "managed memory: not tried, hipMallocManaged answers: operation not supported",
        ),
        (
            ran("alone", code=1, said="kit: hipMemcpy: no device\n"),
            Status.PROBLEM,
            "ended with exit code 1 without the tool; it said: kit: hipMemcpy: no device",
        ),
    ],
)
def test_what_fails_without_the_tool_is_not_tried_with_it(alone: PartRun, status: Status, said: str) -> None:
    found = check_memory_kind(Made(alone), MANAGED)
    assert said in found.found
    assert found.status is status


def test_graph_launches_that_are_replayed_are_told() -> None:
    graph = tuple(dispatch("replayed", 5, kernel="multipass_kit_graph_step(int*)") for _ in range(4))
    kit = Made(ran("alone", "value 5"), ran("all", "value 5", launches=graph))
    found = check_graph(kit)
    assert (found.status, found.found) == (
        Status.NOTE,
        "4 of 4 graph launches were replayed, and the result is right",
    )


def test_results_that_change_are_a_problem() -> None:
    kit = Made(ran("alone", "value 3", "value 3"), ran("all", "value 3", "value 15", launches=REPLAYED))
    found = check_agents(kit)
    assert found.status is Status.PROBLEM
    assert "the application's results change, [3, 15] in place of [3, 3] (1 replayed)" in found.found


def test_launches_that_are_missing_on_one_gpu_are_a_problem() -> None:
    kit = Made(ran("alone", "value 3", "value 3"), ran("all", "value 3", "value 3", launches=REPLAYED))
    assert "1 launch was captured on 1 GPU" in check_agents(kit).found
