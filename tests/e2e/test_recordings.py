# SPDX-License-Identifier: MIT
"""The SDK's calls are recorded without private data, and the plugin does with them again what it did."""

from __future__ import annotations

import getpass
import json
import socket
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fault_tools import FAULTS_VARIABLE, StartFaulty
from recordings import CONFIG, ENTER, EXIT, FOLDER, PASS, PLAYER, RECORD_VARIABLE, Recording, captured, dispatches_of, play

import rocprofsys_multipass as mp
from rocprofsys_multipass import Run

EVENTS = ("SQ_INSTS_VALU", "SQ_INSTS_VMEM_RD", "SQ_INSTS_VMEM_WR", "SQ_WAVE_CYCLES", "SQ_LEVEL_WAVES", "TCC_HIT")
"""Three passes on the device `tiny`."""


@dataclass(frozen=True)
class Recorded:
    """A run and the recording that it made."""

    run: Run
    path: Path


@pytest.fixture(scope="module")
def record(start_faulty: StartFaulty, tmp_path_factory: pytest.TempPathFactory) -> Any:
    def make(faults: str, *words: object, **options: Any) -> Recorded:
        path = tmp_path_factory.mktemp("recording") / "calls.jsonl"
        options = {"sentinel": "none", "replay": "kernel", **options}
        faulty = start_faulty(faults, *words, events=EVENTS, env={RECORD_VARIABLE: str(path)}, **options)
        return Recorded(faulty.run, path)

    return make


SHAPES: dict[str, tuple[str, tuple[object, ...], dict[str, Any]]] = {
    "three passes": ("", (1, 3), {}),
    "declined": ("snapshot_refused:every=2", (1, 3), {}),
    "two streams": ("", (2, 3), {}),
    "two GPUs": ("", (2, 2), {"devices": ["tiny", "tiny"]}),
    "late records": ("record_late", (1, 2), {}),
    "records at the end": ("record_at_stop", (1, 2), {}),
    "a pass that does not end": ("pass_abandoned:pass=1", (1, 2), {}),
    "rotation": ("", (1, 4), {"replay": "rotate"}),
    "extra passes": ("", (1, 2), {"warm_up_pass": True, "timing_pass": True}),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_recording_that_is_played_is_captured_as_the_run_was(
    shape: str, record: Any, environment: dict[str, str], tmp_path: Path
) -> None:
    faults, words, options = SHAPES[shape]
    recorded = record(faults, *words, **options)
    played = play(recorded.path, tmp_path / "out", environment, again=tmp_path / "again.jsonl")
    assert played.exit_code == 0, played.stderr
    assert captured(played) == captured(recorded.run)
    before, after = Recording.read(recorded.path), Recording.read(tmp_path / "again.jsonl")
    assert after.shape == before.shape
    assert after.answers == before.answers
