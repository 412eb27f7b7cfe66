# SPDX-License-Identifier: MIT
"""Runs on a stand-in SDK that misbehaves, and the simulator's own record of what every execution did."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import rocprofsys_multipass as mp
from rocprofsys_multipass import Run
from rocprofsys_multipass.trace.model import Dispatch, Trace

FAULTS_VARIABLE = "ROCPROFSYS_MULTIPASS_SIM_FAULTS"
TRUTH_VARIABLE = "ROCPROFSYS_MULTIPASS_SIM_TRUTH"

EVENTS = ("SQ_INSTS_VALU", "SQ_INSTS_VMEM_RD", "SQ_INSTS_VMEM_WR", "SQ_WAVE_CYCLES", "SQ_LEVEL_WAVES", "TCC_HIT")
"""Three passes on the device `tiny`; each reads something else in each execution of faults.cpp."""

PASSES = 3

OUTCOMES = ("replayed", "single_pass", "declined", "filtered", "incomplete")

DEATHS = {
    "queue_stuck_aborts": 134,
    "agent_stuck_aborts": 134,
    "pass_stuck_aborts:pass=1": 134,
    "restore_aborts:pass=1": 134,
    "abort_after_pass:pass=1": 134,
    "kill_after_pass:pass=0": 137,
    "exit_after_pass:pass=1": 70,
}
"""Faults that end the process in a dispatch (`deadly`), and the exit code as a shell tells it."""


def deadly(fault: str, *, dispatch: int) -> str:
    """One of DEATHS, at that dispatch."""
    return f"{fault}:dispatch={dispatch}"


# (dispatch id, pass or None outside a replay loop, device, counter)
TruthKey = tuple[int, int | None, int, str]


@dataclass(frozen=True)
class FaultyRun:
    """A run under faults: what it left, and what is true."""

    run: Run
    truth: Path

    @property
    def trace(self) -> Trace:
        """From the journal, so without anything that an output may have made of it."""
        (journal,) = self.run.output_dir.glob("multipass-*.journal")
        return mp.open_trace(journal)

    @property
    def counts(self) -> dict[str, int]:
        """Dispatches of the summary by outcome, those that occur; and all, as "seen"."""
        return {name: self.dispatches[name] for name in ("seen", *OUTCOMES) if self.dispatches[name] != 0}

    @property
    def dispatches(self) -> dict[str, Any]:
        assert self.run.summary is not None
        found = self.run.summary["dispatches"]
        assert isinstance(found, dict)
        return found

    @property
    def reasons(self) -> dict[str, int]:
        """Of the declined dispatches."""
        found = self.dispatches["declined_reasons"]
        assert isinstance(found, dict)
        return found

    def incomplete_reasons(self) -> Counter[str]:
        return Counter(one.reason for one in self.trace.dispatches() if one.outcome == "incomplete")


StartFaulty = Callable[..., FaultyRun]
"""The fixture ``start_faulty``."""


def read_truth(path: Path) -> dict[TruthKey, float]:
    """Every counter of every counted execution. Fails when one pass of a dispatch was executed twice."""
    found: dict[TruthKey, float] = {}
    with path.open(encoding="utf-8", newline="") as lines:
        for dispatch, index, agent, _, counter, value in csv.reader(lines):
            if not counter:
                continue
            key = (int(dispatch), int(index) if index else None, int(agent), counter)
            assert key not in found
            found[key] = float(value)
    return found


def read_executions(path: Path) -> dict[int, int]:
    """How often each dispatch was executed."""
    with path.open(encoding="utf-8", newline="") as lines:
        executions = {(int(dispatch), index) for dispatch, index, *_ in csv.reader(lines)}
    return dict(Counter(dispatch for dispatch, _ in executions))


def readings_of(dispatches: list[Dispatch]) -> dict[TruthKey, float]:
    """Every reading, with the pass that it is attributed to."""
    return {
        (dispatch.dispatch_id, one.index, dispatch.agent.device, reading.counter): reading.value
        for dispatch in dispatches
        for one in dispatch.passes
        for reading in one.readings
    }


def assert_attributed(faulty: FaultyRun) -> None:
    """Each reading is of the execution that it is said to be of."""
    truth = read_truth(faulty.truth)
    found = readings_of(faulty.trace.dispatches())
    assert {key: value for key, value in found.items() if truth.get(key) != value} == {}


def assert_sound(faulty: FaultyRun) -> None:
    """Nothing is wrong with what a run left, however little it may be."""
    dispatches = faulty.dispatches
    assert dispatches["seen"] == sum(dispatches[name] for name in OUTCOMES)
    assert sum(faulty.reasons.values()) == dispatches["declined"]
    assert_attributed(faulty)
    executed = set(read_executions(faulty.truth))
    assert {one.dispatch_id for one in faulty.trace.dispatches()} == executed
    assert [finding for finding in mp.verify(faulty.run.output_dir) if finding.severity == "error"] == []
