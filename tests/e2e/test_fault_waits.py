# SPDX-License-Identifier: MIT
"""Replay that stands still: what people are told and when, and what is left when the process ends all the same."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest
from e2e_tools import Cli, by_hand
from fault_tools import EVENTS, FAULTS_VARIABLE, PASSES, StartFaulty, assert_sound

import rocprofsys_multipass as mp
from rocprofsys_multipass.native import Native

SOON = {"ROCPROFSYS_MULTIPASS_STALL_SECONDS": "1"}
ENDS_S = 60
"""How long the end of a process may take on a machine with other work."""

KNOB = "run it once with --no-replay 'step', or without counters with --kernel-exclude 'step'"


def told(text: str) -> list[str]:
    return [line for line in text.splitlines() if "warning: replay of step(" in line]


@pytest.mark.parametrize(
    ("faults", "where"),
    [
        ("drain_waits:dispatch=2:seconds=3", "pass 0 has not begun for 1 s (the SDK waits until the GPU is idle, "),
        ("pass_waits:dispatch=2:pass=1:seconds=3", "pass 1 has not ended for 1 s. "),
    ],
)
def test_a_replay_that_stands_still_is_named_once_and_nothing_is_lost(
    faults: str, where: str, start_faulty: StartFaulty
) -> None:
    faulty = start_faulty(faults, 1, 4, env=SOON)
    (line,) = told(faulty.run.stderr)
    assert line.startswith("rocprof-sys-multipass: warning: replay of step(unsigned int*, ")
    assert f" on GPU 0 (tiny), dispatch 2: {where}" in line
    assert KNOB in line
    assert "end the process after about 60 s" in line
    assert faulty.run.warnings == (line.partition("warning: ")[2],), "the capture holds it too"
    assert_sound(faulty)
    assert faulty.counts == {"seen": 4, "replayed": 4}


def test_further_lines_come_at_longer_times(start_faulty: StartFaulty) -> None:
    faulty = start_faulty("drain_waits:dispatch=2:seconds=5", 1, 3, env=SOON)
    assert [line.partition("has not begun for ")[2][:3] for line in told(faulty.run.stderr)] == ["1 s", "3 s"]


@pytest.mark.parametrize("threads", [1, 4])
def test_a_kernel_is_named_once_however_many_launches_of_it_stand_still(
    threads: int, start_faulty: StartFaulty
) -> None:
    faulty = start_faulty("pass_waits:pass=0:seconds=2", threads, 4 // threads, env=SOON)
    assert len(told(faulty.run.stderr)) == 1
    assert faulty.counts == {"seen": 4, "replayed": 4}
    assert_sound(faulty)


@pytest.mark.parametrize("env", [{"ROCPROFSYS_MULTIPASS_STALL_SECONDS": "0"}, {}])
def test_nobody_is_told_of_two_seconds_who_did_not_ask(env: dict[str, str], start_faulty: StartFaulty) -> None:
    assert told(start_faulty("drain_waits:dispatch=1:seconds=2", 1, 1, env=env).run.stderr) == []


def test_a_time_that_is_none_is_named(start_faulty: StartFaulty) -> None:
    faulty = start_faulty("", 1, 1, env={"ROCPROFSYS_MULTIPASS_STALL_SECONDS": "soon"})
    assert faulty.run.warnings == (
        "ROCPROFSYS_MULTIPASS_STALL_SECONDS='soon' is not a number from 0 to 86400; 10 is used",
    )


# ---------------------------------------------------------------------------------------------------------------------
# For ever


@pytest.fixture
def stuck(
    native: Native, environment: dict[str, str], faults_application: Path, tmp_path: Path
) -> Callable[[str], subprocess.Popen[str]]:
    """The application into the folder ``out``, its third launch hit by a fault that waits for ever."""

    def start(fault: str) -> subprocess.Popen[str]:
        variables = SOON | {
            "ROCPROFSYS_MULTIPASS_EVENTS": ",".join(EVENTS),
            "ROCPROFSYS_MULTIPASS_SIMULATE": "tiny",
            FAULTS_VARIABLE: f"{fault}:dispatch=3",
        }
        return subprocess.Popen(
            [faults_application, "leave", "4"],
            env=by_hand(native, environment, tmp_path / "out", **variables),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    return start


@contextmanager
def killed_at_the_end(process: subprocess.Popen[str]) -> Iterator[subprocess.Popen[str]]:
    with process:
        try:
            yield process
        finally:
            process.kill()


def wait_until_told(stream: IO[str] | None) -> str:
    assert stream is not None
    return next(line for line in stream if "replay of step(" in line)


STUCK = [
    ("drain_waits", "its launch had not ended when the program ended", 0),
    ("pass_waits:pass=0", "pass 0 had not ended when the program ended", 0),
    ("pass_waits:pass=1", "pass 1 had not ended when the program ended", 1),
]


@pytest.mark.parametrize(("fault", "reason", "passes"), STUCK)
def test_the_end_of_the_process_does_not_wait_for_a_window_that_never_closes(
    fault: str, reason: str, passes: int, stuck: Callable[[str], subprocess.Popen[str]], tmp_path: Path
) -> None:
    with killed_at_the_end(stuck(fault)) as process:
        assert "dispatch 3: " in wait_until_told(process.stderr)
        process.communicate("\n", timeout=ENDS_S)
        assert process.returncode == 5
    found = {one.dispatch_id: (one.outcome, one.reason) for one in mp.open_trace(tmp_path / "out").dispatches()}
    assert found == {1: ("replayed", ""), 2: ("replayed", ""), 3: ("incomplete", reason)}
    (third,) = (one for one in mp.open_trace(tmp_path / "out").dispatches() if one.dispatch_id == 3)
    assert len([part for part in third.passes if part.readings]) == passes
    assert [one for one in mp.verify(tmp_path / "out") if one.severity == "error"] == []


@pytest.mark.parametrize("fault", ["drain_waits", "pass_waits:pass=1"])
def test_a_capture_of_a_process_that_was_killed_while_it_stood_still_says_why(
    fault: str, stuck: Callable[[str], subprocess.Popen[str]], cli: Cli, tmp_path: Path
) -> None:
    with killed_at_the_end(stuck(fault)) as process:
        line = wait_until_told(process.stderr).strip()
        journal = next((tmp_path / "out").glob("multipass-*.journal"))
        text = line.partition("warning: ")[2]
        while text not in mp.open_trace(journal).processes[0].warnings:  # written after it was said
            assert process.poll() is None
        process.kill()
    assert cli("recover", tmp_path / "out").returncode == 0
    for path in (journal, *(tmp_path / "out").glob("*.db")):
        found = [(one.dispatch_id, one.outcome, len(one.passes)) for one in mp.open_trace(path).dispatches()]
        assert found == [(1, "replayed", PASSES), (2, "replayed", PASSES)]
