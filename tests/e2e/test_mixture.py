# SPDX-License-Identifier: MIT
"""Random programs print and return the same with the tool as without, whatever it replays, declines and ends early."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from e2e_tools import ROOT, alone
from fault_tools import EVENTS, FAULTS_VARIABLE, TRUTH_VARIABLE, FaultyRun, assert_sound

import rocprofsys_multipass as mp

COST = {"ROCPROFSYS_MULTIPASS_SIM_COST": "copy=50MB/s,kernel=1ms"}
DEVICE_ONLY = ("device",)


@dataclass(frozen=True)
class Program:
    """One of mixture.cpp, and how it is run."""

    seed: int
    gpus: int
    threads: int
    kinds: tuple[str, ...] = ()  # classes of memory; none: all that the application has
    faults: str = ""
    options: dict[str, Any] = field(default_factory=dict)


PROGRAMS = {
    "default": Program(1, 2, 4),
    "kernel": Program(2, 1, 3, options={"replay": "kernel"}),
    "copies": Program(3, 2, 4, DEVICE_ONLY, options={"max_replays": "none"}),
    "reversed": Program(4, 1, 4, DEVICE_ONLY, "record_reversed", {"replay": "kernel"}),
    "budget": Program(5, 2, 2, DEVICE_ONLY, "record_late", {"max_replays": "none", "replay_budget": "60ms"}),
    "refused": Program(6, 2, 3, DEVICE_ONLY, "snapshot_refused:every=3", {"max_replays": "2"}),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_random_program_has_the_same_results(
    name: str, build: Callable[[Path], Path], environment: dict[str, str], tmp_path: Path
) -> None:
    one = PROGRAMS[name]
    program = build(ROOT / "tests" / "e2e" / "mixture.cpp")
    words = [str(one.seed), str(one.threads), "80", *one.kinds]
    devices = ",".join(["tiny"] * one.gpus)
    plain = alone(program, *words, env=environment | {"ROCPROFSYS_MULTIPASS_SIMULATE": devices})
    assert (plain.returncode, plain.stdout.count("\n")) == (5, one.threads)
    truth = tmp_path / "truth.csv"
    variables = COST | {FAULTS_VARIABLE: one.faults, TRUTH_VARIABLE: str(truth)}
    run = mp.run(
        [program, *words], events=list(EVENTS), simulate=devices, output=tmp_path / "out", capture=True,
        env=environment | variables, **one.options,
    )  # fmt: skip
    assert (run.stdout, run.exit_code, run.errors) == (plain.stdout, plain.returncode, ())
    assert_sound(FaultyRun(run, truth))
