# SPDX-License-Identifier: MIT
"""Every fault of the simulated SDK, on one GPU and two, from one thread and four.

Whatever the SDK does, the application prints and returns the same, each dispatch is there with its outcome, and no
reading is of another execution than it is said to be. The simulator's own record of the executions is the judge.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path

import pytest
from e2e_tools import Finished, alone
from fault_tools import DEATHS, PASSES, StartFaulty, assert_attributed, assert_sound, deadly

import rocprofsys_multipass as mp

LAUNCHES = int(os.environ.get("MULTIPASS_FAULT_LAUNCHES", "4"))  # of each thread; .ci/full sets more
EXIT_CODE = 5  # of the application

SHAPES = [(1, 1), (2, 1), (1, 4), (2, 4)]
"""GPUs and threads."""


@pytest.fixture(scope="module")
def unprofiled(faults_application: Path, environment: dict[str, str]) -> Callable[[int, int], Finished]:
    """The application alone."""

    @cache
    def run(gpus: int, threads: int) -> Finished:
        devices = {"ROCPROFSYS_MULTIPASS_SIMULATE": ",".join(["tiny"] * gpus)}
        return alone(faults_application, str(threads), str(LAUNCHES), env=environment | devices)

    return run


# ---------------------------------------------------------------------------------------------------------------------
# Faults that a run survives


@dataclass(frozen=True)
class Case:
    """What becomes of the dispatches that a fault hits; the others are replayed."""

    faults: str
    outcome: str = "replayed"
    passes: frozenset[int | None] = frozenset(range(PASSES))  # with readings
    every: int = 1  # which dispatches are hit
    pure: bool = False  # the application must not depend on what the fault damages

    def hits(self, dispatch: int) -> bool:
        return dispatch % self.every == 0


ONE_GROUP = frozenset({None})
NOTHING: frozenset[int | None] = frozenset()

CASES = [
    Case(""),
    # The SDK does not replay, or not to the end.
    Case("not_offered", "declined", ONE_GROUP),
    Case("several_packets:every=3", "declined", ONE_GROUP, every=3),
    Case("snapshot_refused:every=2", "declined", ONE_GROUP, every=2),
    Case("snapshot_refused", "declined", ONE_GROUP),
    Case("queue_stuck:every=2", "declined", ONE_GROUP, every=2),
    Case("agent_stuck:every=3", "declined", ONE_GROUP, every=3),
    Case("copies_in_flight:every=2", "declined", ONE_GROUP, every=2),
    Case("copies_unfenced"),  # nothing is copied meanwhile
    Case("drain_waits:dispatch=2:seconds=1"),  # the launch goes on
    Case("pass_waits:pass=1:dispatch=3:seconds=1"),
    Case("pass_abandoned:pass=0:every=2", "incomplete", frozenset({0}), every=2),
    Case("pass_abandoned:pass=1", "incomplete", frozenset({0, 1})),
    Case("pass_abandoned:pass=1:every=3,record_reversed", "incomplete", frozenset({0, 1}), every=3),
    Case("pass_abandoned:pass=2", "replayed"),  # all passes have run, and all deliver
    Case("passes_untold:every=2", "incomplete", NOTHING, every=2),
    Case("passes_untold:pass=1", "incomplete", frozenset({0, 2})),
    Case("passes_untold:pass=2:every=3", "incomplete", frozenset({0, 1}), every=3),
    Case("pass_added"),
    Case("pass_added:every=2,record_reversed"),
    Case("replay_owned", "declined", ONE_GROUP),
    Case("sdk_1_0_0", "declined", ONE_GROUP),
    # Memory between the passes is not what it was.
    Case("restore_wrong", pure=True),
    Case("restore_partial:every=2", pure=True),
    Case("restore_skipped:pass=2", pure=True),
    Case("inputs_change", pure=True),
    Case("inputs_change:pass=0:every=2", pure=True),
    Case("cache_warm:pass=1"),
    # The payload is of another revision.
    Case("payload_without_toggles"),
    Case("payload_longer"),
    Case("total_hidden"),
    Case("more_operations"),
    Case("replay_kind_moved"),
    Case("payload_short", "declined", ONE_GROUP),
    Case("payload_toggles_first", "declined", ONE_GROUP),
    Case("payload_callbacks_first", "declined", ONE_GROUP),
    # Records come at any time, in any order, twice or never.
    Case("record_before_complete"),
    Case("record_before_complete:pass=1"),
    Case("record_after_passes"),
    Case("record_late"),
    Case("record_late:every=2,record_reversed:every=3"),
    Case("record_reversed"),
    Case("record_at_stop"),
    Case("record_at_stop:pass=1,record_late"),
    Case("record_on_handler"),
    Case("record_twice"),
    Case("record_twice,record_reversed"),
    Case("record_lost", "incomplete", NOTHING),
    Case("record_lost:pass=1:every=2", "incomplete", frozenset({0, 2}), every=2),
    Case("record_after_finalize", "incomplete", NOTHING),
    Case("record_after_finalize:pass=2:every=3", "incomplete", frozenset({0, 1}), every=3),
    Case("snapshot_refused:every=2,record_lost:every=2", "incomplete", NOTHING, every=2),
    # Counting is refused, or doubtful.
    Case("counting_conflict", "incomplete", NOTHING),
    Case("start_denied", "incomplete", NOTHING),
    Case("not_lockable"),
    Case("ids_tagged"),
    Case("set_agents_hidden"),
]


@pytest.mark.parametrize(("gpus", "threads"), SHAPES)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.faults or "none")
def test_a_fault_costs_readings_and_nothing_else(
    case: Case, gpus: int, threads: int, start_faulty: StartFaulty, unprofiled: Callable[[int, int], Finished]
) -> None:
    faulty = start_faulty(case.faults, threads, LAUNCHES, *["pure"] * case.pure, devices=["tiny"] * gpus)
    expected = unprofiled(gpus, threads)
    assert (faulty.run.stdout, faulty.run.exit_code) == (expected.stdout, EXIT_CODE)
    assert faulty.run.errors == ()
    assert_sound(faulty)
    dispatches = {one.dispatch_id: one for one in faulty.trace.dispatches()}
    assert sorted(dispatches) == list(range(1, threads * LAUNCHES + 1))
    whole = frozenset(range(PASSES))
    assert {number: (one.outcome, _with_readings(one)) for number, one in dispatches.items()} == {
        number: (case.outcome, case.passes) if case.hits(number) else ("replayed", whole) for number in dispatches
    }
    assert [one for one in dispatches.values() if one.outcome != "replayed" and not one.reason] == []


def _with_readings(dispatch: mp.Dispatch) -> frozenset[int | None]:
    return frozenset(one.index for one in dispatch.passes if one.readings)


# ---------------------------------------------------------------------------------------------------------------------
# Faults that end the process


@pytest.mark.parametrize(("gpus", "threads"), SHAPES)
@pytest.mark.parametrize("fault", DEATHS)
def test_nothing_false_is_captured_when_the_sdk_ends_the_process(
    fault: str, gpus: int, threads: int, start_faulty: StartFaulty
) -> None:
    """How much was written by then is not known here; test_fault_cases.py sees that what was written stays."""
    faulty = start_faulty(deadly(fault, dispatch=4), threads, LAUNCHES, devices=["tiny"] * gpus)
    assert faulty.run.exit_code == DEATHS[fault]
    assert_attributed(faulty)
    dispatches = faulty.trace.dispatches()
    assert {one.outcome for one in dispatches} <= {"replayed"}
    assert 4 not in {one.dispatch_id for one in dispatches}
    assert [finding for finding in mp.verify(faulty.run.output_dir) if finding.severity == "error"] == []


# ---------------------------------------------------------------------------------------------------------------------
# GPUs that cannot be counted on


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize(
    ("fault", "position"), list(product(["agent_unsupported", "agent_empty", "config_denied"], range(3)))
)
def test_a_gpu_without_counters_does_not_hold_up_the_others(
    fault: str, position: int, threads: int, start_faulty: StartFaulty
) -> None:
    faulty = start_faulty(f"{fault}:agent={position}", threads, 6, devices=["tiny"] * 3)
    assert faulty.run.exit_code == EXIT_CODE
    assert_sound(faulty)
    found = {(one.agent.device, one.outcome) for one in faulty.trace.dispatches()}
    assert found == {(gpu, "filtered" if gpu == position else "replayed") for gpu in range(3)}


@pytest.mark.parametrize("fault", ["agent_unsupported", "agent_empty", "config_denied"])
def test_without_any_gpu_to_count_on_the_application_runs_unprofiled(fault: str, start_faulty: StartFaulty) -> None:
    faulty = start_faulty(fault, 1, LAUNCHES)
    assert (faulty.run.exit_code, faulty.counts) == (EXIT_CODE, {})
