# SPDX-License-Identifier: MIT
"""The plugin without the wrapper in one process with rocprof-sys, and both are given ROCPROFSYS_ROCM_EVENTS.

rocprof-sys is not here: second_tool.cpp stands in for it, under the name of its library. Like rocprof-sys it has one
configuration for the whole list, and registers before all others where it is preloaded.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest
from e2e_tools import Finished, by_hand
from fault_tools import EVENTS, PASSES, TRUTH_VARIABLE, TruthKey, read_executions, read_truth, readings_of

import rocprofsys_multipass as mp
from rocprofsys_multipass import Trace
from rocprofsys_multipass.native import Native

LAUNCHES = 4
ONE_PASS = EVENTS[:2]
Order = Literal["ours first", "theirs first"]


@dataclass(frozen=True)
class Both:
    """What two tools and their application left."""

    finished: Finished
    output: Path
    truth: dict[TruthKey, float]
    executions: dict[int, int]

    @property
    def said(self) -> list[str]:
        """The lines of the plugin."""
        mark = "rocprof-sys-multipass: "
        return [line.removeprefix(mark) for line in self.finished.stderr.splitlines() if line.startswith(mark)]

    @property
    def theirs(self) -> list[str]:
        """The lines of the other tool."""
        mark = "second tool: "
        return [line.removeprefix(mark) for line in self.finished.stderr.splitlines() if line.startswith(mark)]

    @property
    def warnings(self) -> list[str]:
        return [line.removeprefix("warning: ") for line in self.said if line.startswith("warning: ")]

    @property
    def trace(self) -> Trace:
        (journal,) = self.output.glob("multipass-*.journal")
        return mp.open_trace(journal)

    @property
    def outcomes(self) -> set[tuple[str, int]]:
        return {(one.outcome, len(one.passes)) for one in self.trace.dispatches()}

    @property
    def total(self) -> int:
        """Of all that was counted."""
        return round(sum(self.truth.values()))


RunBoth = Callable[..., Both]


@pytest.fixture
def run_both(
    native: Native, environment: dict[str, str], faults_application: Path, second_tool: Path, tmp_path: Path
) -> RunBoth:
    """Runs the application under both tools. `events`: ROCPROFSYS_ROCM_EVENTS, which the other one counts."""
    library = tmp_path / "librocprof-sys.so"
    shutil.copy(second_tool, library)

    def run(order: Order, events: tuple[str, ...], gpus: int = 1, **variables: str) -> Both:
        theirs_first = order == "theirs first"
        truth = tmp_path / "truth.csv"
        truth.touch()
        env = by_hand(
            native,
            environment,
            tmp_path / "out",
            **{
                "ROCPROFSYS_ROCM_EVENTS": ",".join(events),
                "SECOND_TOOL_COUNTERS": f",{','.join(events)},",
                "ROCPROFSYS_MULTIPASS_SIMULATE": "tiny",
                "ROCP_TOOL_LIBRARIES": str(native.plugin) if theirs_first else f"{native.plugin}:{library}:",
                TRUTH_VARIABLE: str(truth),
                **({"LD_PRELOAD": str(library)} if theirs_first else {}),
                **variables,
            },
        )
        words: list[str | Path] = [faults_application, "1", str(LAUNCHES)]
        finished = subprocess.run(words, env=env, capture_output=True, text=True, check=False)
        assert finished.returncode == 5, finished.stderr
        assert finished.stdout.splitlines() == [f"thread 0 GPU {gpu} wrong: 0" for gpu in range(gpus)]
        return Both(finished, tmp_path / "out", read_truth(truth), read_executions(truth))

    return run


def assert_sound(both: Both) -> None:
    assert [one for one in mp.verify(both.output) if one.severity == "error"] == []


def assert_theirs_whole(both: Both) -> None:
    """Every launch ran once, and the other tool counted all of it."""
    assert both.executions == dict.fromkeys(range(1, LAUNCHES + 1), 1)
    assert both.theirs == ["counting 0 replay -1 start 0", f"{LAUNCHES} records {both.total} waves"]


@pytest.mark.parametrize("order", ["ours first", "theirs first"])
def test_a_list_that_needs_one_pass_is_left_to_rocprof_sys(order: Order, run_both: RunBoth) -> None:
    both = run_both(order, ONE_PASS)
    assert_theirs_whole(both)
    (line,) = both.said
    assert line == (
        "note: rocprof-sys is in this process and collects ROCPROFSYS_ROCM_EVENTS itself: the list needs one pass on "
        "every GPU, so it is left to rocprof-sys, and this tool writes nothing. To have this tool collect it all the "
        "same, set ROCPROFSYS_MULTIPASS_FORCE=on"
    )
    assert not both.output.exists()


def test_a_list_that_needs_more_is_taken_and_what_rocprof_sys_prints_is_foretold(run_both: RunBoth) -> None:
    both = run_both("ours first", EVENTS)
    assert both.theirs == ["config 38", "counting 0 replay -1 start 12", "0 records 0 waves"]
    assert both.outcomes == {("replayed", PASSES)}
    assert readings_of(both.trace.dispatches()) == both.truth
    (warning,) = both.warnings
    assert warning == (
        "rocprof-sys is in this process and reads the same list (ROCPROFSYS_ROCM_EVENTS), which takes up to 3 passes: "
        "this tool collects it, and rocprof-sys has no dispatch counters. It will print that the list exceeds the "
        "limit of the hardware (EXCEEDS_HW_LIMIT, 38) and that its context conflicts with another one "
        "(CONTEXT_CONFLICT, 12); nothing else of it is touched. To avoid that, start with 'rocprof-sys-multipass run "
        "-- rocprof-sys-run ...', or give the list in ROCPROFSYS_MULTIPASS_EVENTS and leave ROCPROFSYS_ROCM_EVENTS "
        "empty"
    )
    assert_sound(both)


def test_where_rocprof_sys_counts_first_a_line_says_that_nobody_has_the_counters(run_both: RunBoth) -> None:
    both = run_both("theirs first", EVENTS)
    assert both.theirs[:2] == ["config 38", "counting 0 replay -1 start 0"]
    assert both.executions == dict.fromkeys(range(1, LAUNCHES + 1), 1)
    assert both.outcomes == {("incomplete", 1)}
    assert {one.reason for one in both.trace.dispatches()} == {"no counters were collected"}
    (warning,) = both.warnings
    assert warning == (
        "no counters are collected: another tool of this process collects dispatch counters "
        "(ROCPROFILER_STATUS_ERROR_CONTEXT_CONFLICT (12)): rocprof-sys, which started first with the same list "
        "(ROCPROFSYS_ROCM_EVENTS), and that takes up to 3 passes, so that it has no counters either. Launches are "
        "recorded with their times, and what the other one collects is not touched. To have the counters, start with "
        "'rocprof-sys-multipass run -- rocprof-sys-run ...', or give the list in ROCPROFSYS_MULTIPASS_EVENTS and leave "
        "ROCPROFSYS_ROCM_EVENTS empty"
    )
    assert [text for process in both.trace.processes for text in process.warnings] == [warning]
    assert_sound(both)


def test_force_collects_a_list_that_rocprof_sys_could_collect(run_both: RunBoth) -> None:
    both = run_both("ours first", ONE_PASS, ROCPROFSYS_MULTIPASS_FORCE="on")
    assert both.theirs == ["counting 0 replay -1 start 12", "0 records 0 waves"]
    assert both.outcomes == {("single_pass", 1)}
    assert readings_of(both.trace.dispatches()) == both.truth
    (warning,) = both.warnings
    assert "reads the same list (ROCPROFSYS_ROCM_EVENTS): this tool collects it" in warning
    assert "38" not in warning, "its own configuration is made"


def test_force_takes_nothing_from_a_rocprof_sys_that_counts_already(run_both: RunBoth) -> None:
    both = run_both("theirs first", ONE_PASS, ROCPROFSYS_MULTIPASS_FORCE="on")
    assert_theirs_whole(both)
    assert both.outcomes == {("incomplete", 1)}
    (warning,) = both.warnings
    assert "collects dispatch counters (ROCPROFILER_STATUS_ERROR_CONTEXT_CONFLICT (12)): rocprof-sys, which " in warning
    assert "no counters either" not in warning
    assert_sound(both)


def test_a_list_that_needs_more_on_one_gpu_is_taken_on_all(run_both: RunBoth) -> None:
    both = run_both("ours first", EVENTS[:4], gpus=2, ROCPROFSYS_MULTIPASS_SIMULATE="gfx942,tiny")
    outcomes = {(one.agent.device, one.outcome, len(one.passes)) for one in both.trace.dispatches()}
    assert outcomes == {(0, "single_pass", 1), (1, "replayed", 2)}
    assert readings_of(both.trace.dispatches()) == both.truth
    assert len([text for text in both.warnings if "which takes up to 2 passes" in text]) == 1


def test_a_list_of_its_own_beside_that_of_rocprof_sys_is_collected(run_both: RunBoth) -> None:
    both = run_both("ours first", ONE_PASS, ROCPROFSYS_MULTIPASS_EVENTS=",".join(EVENTS[2:4]))
    assert {reading.counter for one in both.trace.dispatches() for part in one.passes for reading in part.readings} == {
        *EVENTS[2:4]
    }
    (warning,) = both.warnings
    assert warning.startswith(
        "rocprof-sys is in this process and has a list of counters too (ROCPROFSYS_ROCM_EVENTS): this tool collects "
        "its own, and rocprof-sys has no dispatch counters. It will print that its context conflicts with another one "
    )


def test_a_library_of_another_name_is_no_rocprof_sys(
    native: Native, environment: dict[str, str], faults_application: Path, second_tool: Path, tmp_path: Path
) -> None:
    env = by_hand(
        native,
        environment,
        tmp_path / "out",
        ROCPROFSYS_ROCM_EVENTS=",".join(ONE_PASS),
        ROCPROFSYS_MULTIPASS_SIMULATE="tiny",
        ROCP_TOOL_LIBRARIES=f"{second_tool}:{native.plugin}:",
    )
    words: list[str | Path] = [faults_application, "1", str(LAUNCHES)]
    finished = subprocess.run(words, env=env, capture_output=True, text=True, check=False)
    assert finished.returncode == 5
    (line,) = re.findall(r"warning: (no counters are collected: .*)", finished.stderr)
    assert line.endswith(
        "(ROCPROFILER_STATUS_ERROR_CONTEXT_CONFLICT (12)), and the SDK lets one tool do so. Launches are recorded with "
        "their times, and what the other one collects is not touched. To have the counters, run without that tool "
        f"(ROCP_TOOL_LIBRARIES names {second_tool})"
    )
