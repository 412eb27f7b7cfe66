# SPDX-License-Identifier: MIT
"""``rocprof-sys-run -- app`` with the plugin in ROCP_TOOL_LIBRARIES, as in batch scripts: both have the list.

What runs is the stand-in of tests/standin, in both orders of registration; no rocprof-sys was here.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pytest
from e2e_tools import alone, by_hand
from fault_tools import EVENTS, PASSES, TRUTH_VARIABLE, read_executions, read_truth, readings_of
from rocprof_sys_tools import Launched, RocprofSys

import rocprofsys_multipass as mp
from rocprofsys_multipass import Trace
from rocprofsys_multipass.native import Native

LAUNCHES = 3  # as many as the default replays
ONE_PASS = EVENTS[:2]
LEFT = "start with 'rocprof-sys-multipass run -- rocprof-sys-run ...', or give the list in "
LEFT += "ROCPROFSYS_MULTIPASS_EVENTS and leave ROCPROFSYS_ROCM_EVENTS empty"
CONFLICT = "rocprofiler_start_context (counters) failed with error code 12"
LIMIT = "rocprofiler_create_counter_config failed with error code 38"


@dataclass(frozen=True)
class Both:
    """What the two tools and their application left."""

    launched: Launched
    output: Path
    truth_file: Path

    @property
    def said(self) -> list[str]:
        """The lines of the plugin."""
        mark = "rocprof-sys-multipass: "
        lines = self.launched.finished.stderr.splitlines()
        return [line.removeprefix(mark) for line in lines if line.startswith(mark)]

    @property
    def warnings(self) -> list[str]:
        return [line.removeprefix("warning: ") for line in self.said if line.startswith("warning: ")]

    @property
    def ours(self) -> Trace:
        (journal,) = self.output.glob("multipass-*.journal")
        return mp.open_trace(journal)

    @property
    def outcomes(self) -> set[tuple[str, int]]:
        return {(one.outcome, len(one.passes)) for one in self.ours.dispatches()}

    @property
    def theirs(self) -> list[dict[str, float]]:
        """The counters of each kernel in rocprof-sys's trace."""
        return [dict(one.counters) for one in mp.open_trace(self.launched.trace).dispatches()]

    @property
    def counted(self) -> list[dict[str, float]]:
        """By the simulator: what each launch did, where it ran once."""
        found: defaultdict[int, dict[str, float]] = defaultdict(dict)
        for (dispatch, index, _, counter), value in read_truth(self.truth_file).items():
            assert index is None
            found[dispatch][counter] = value
        return [found[dispatch] for dispatch in sorted(found)]


class RunBoth(Protocol):
    """Runs the application under both. `events`: ROCPROFSYS_ROCM_EVENTS; "early": rocprof-sys registers first."""

    def __call__(self, order: str, events: tuple[str, ...], gpus: int = 1, **variables: str) -> Both: ...


@pytest.fixture
def run_both(native: Native, rocprof_sys: RocprofSys, faults_application: Path, tmp_path: Path) -> RunBoth:
    def run(order: str, events: tuple[str, ...], gpus: int = 1, **variables: str) -> Both:
        truth = tmp_path / "truth.csv"
        truth.touch()
        env = {
            "ROCP_TOOL_LIBRARIES": str(native.plugin),
            "ROCPROFSYS_ROCM_EVENTS": ",".join(events),
            "ROCPROFSYS_MULTIPASS_OUTPUT": str(tmp_path / "ours"),
            "ROCPROFSYS_TRACE": "ON",
            "STANDIN_ORDER": order,
            TRUTH_VARIABLE: str(truth),
        }
        words = ["--", faults_application, "1", str(LAUNCHES)]
        launched = rocprof_sys.run(words, tmp_path / "theirs", env=env | variables)
        assert launched.finished.returncode == 5, launched.finished.stderr
        assert launched.finished.stdout.splitlines() == [f"thread 0 GPU {gpu} wrong: 0" for gpu in range(gpus)]
        return Both(launched, tmp_path / "ours", truth)

    return run


def assert_theirs_whole(both: Both) -> None:
    """Every launch ran once, and rocprof-sys has all that was counted."""
    assert read_executions(both.truth_file) == dict.fromkeys(range(1, LAUNCHES + 1), 1)
    assert both.theirs == both.counted
    assert [set(one) for one in both.theirs] == [set(ONE_PASS)] * LAUNCHES
    assert CONFLICT not in both.launched.finished.stderr


def assert_ours_sound(both: Both) -> None:
    """The plugin has all that was counted."""
    assert readings_of(both.ours.dispatches()) == read_truth(both.truth_file)
    assert [one for one in mp.verify(both.output) if one.severity == "error"] == []


def assert_ours_whole(both: Both) -> None:
    """Alone: rocprof-sys has every kernel and no counter, and says so."""
    assert_ours_sound(both)
    assert all(one == {} for one in both.theirs)
    assert CONFLICT in both.launched.finished.stderr


@pytest.mark.parametrize("order", ["early", "late"])
def test_a_list_that_needs_one_pass_is_left_to_rocprof_sys(order: str, run_both: RunBoth) -> None:
    both = run_both(order, ONE_PASS)
    assert_theirs_whole(both)
    (line,) = both.said
    assert line == (
        "note: rocprof-sys collects ROCPROFSYS_ROCM_EVENTS itself: one pass holds the list on every GPU, so it is left "
        "to rocprof-sys, and this tool writes nothing; ROCPROFSYS_MULTIPASS_FORCE=on has this tool collect it"
    )
    assert not both.output.exists()


def test_a_list_that_needs_more_is_taken_and_what_rocprof_sys_prints_is_foretold(run_both: RunBoth) -> None:
    both = run_both("late", EVENTS, ROCPROFSYS_MULTIPASS_REPLAY="kernel")
    assert both.outcomes == {("replayed", PASSES)}
    assert_ours_whole(both)
    assert LIMIT in both.launched.finished.stderr
    (warning,) = both.warnings
    assert warning == (
        "rocprof-sys reads the same list (ROCPROFSYS_ROCM_EVENTS), which takes up to 3 passes: this tool counts, so "
        "rocprof-sys has no counters of launches and will print error codes 38 (EXCEEDS_HW_LIMIT) and 12 "
        f"(CONTEXT_CONFLICT); nothing else of it is touched. To avoid that, {LEFT}"
    )


def test_where_rocprof_sys_counts_first_a_line_says_that_nobody_has_the_counters(run_both: RunBoth) -> None:
    both = run_both("early", EVENTS)
    assert LIMIT in both.launched.finished.stderr
    assert both.theirs == [{}] * LAUNCHES
    assert both.outcomes == {("incomplete", 1)}
    assert {one.reason for one in both.ours.dispatches()} == {"no counters were collected"}
    assert all(one.passes[0].duration_ns for one in both.ours.dispatches())
    (warning,) = both.warnings
    assert warning == (
        "no counters are collected: another tool of this process collects dispatch counters "
        "(ROCPROFILER_STATUS_ERROR_CONTEXT_CONFLICT (12)): rocprof-sys, which started first; its list "
        "(ROCPROFSYS_ROCM_EVENTS) takes up to 3 passes, so that it has no counters either (its error code 38). "
        "Launches are recorded with their times, and what the other tool collects is whole. To have the counters, "
        f"{LEFT}"
    )
    assert [text for process in both.ours.processes for text in process.warnings] == [warning]
    assert [line for line in both.said if "passes" in line] == [f"warning: {warning}"], "no plan that does not hold"
    assert [one for one in mp.verify(both.output) if one.severity == "error"] == []


def test_force_collects_a_list_that_rocprof_sys_could_collect(run_both: RunBoth) -> None:
    both = run_both("late", ONE_PASS, ROCPROFSYS_MULTIPASS_FORCE="on")
    assert both.outcomes == {("single_pass", 1)}
    assert_ours_whole(both)
    (warning,) = both.warnings
    assert warning.startswith("rocprof-sys reads the same list (ROCPROFSYS_ROCM_EVENTS): this tool counts, so ")
    assert "38" not in warning, "its own configuration is made"


def test_force_takes_nothing_from_a_rocprof_sys_that_counts_already(run_both: RunBoth) -> None:
    both = run_both("early", ONE_PASS, ROCPROFSYS_MULTIPASS_FORCE="on")
    assert_theirs_whole(both)
    assert both.outcomes == {("incomplete", 1)}
    (warning,) = both.warnings
    assert "(ROCPROFILER_STATUS_ERROR_CONTEXT_CONFLICT (12)): rocprof-sys, which started first. Launches " in warning
    assert "no counters either" not in warning


def test_a_list_that_needs_more_on_one_gpu_is_taken_on_all(run_both: RunBoth) -> None:
    both = run_both("late", EVENTS[:4], gpus=2, ROCPROFSYS_MULTIPASS_SIMULATE="gfx942,tiny")
    outcomes = {(one.agent.device, one.outcome, len(one.passes)) for one in both.ours.dispatches()}
    assert outcomes == {(0, "single_pass", 1), (1, "replayed", 2)}
    assert_ours_whole(both)
    assert len([text for text in both.warnings if "which takes up to 2 passes" in text]) == 1


def test_a_list_of_our_own_is_collected_beside_that_of_rocprof_sys(run_both: RunBoth) -> None:
    both = run_both("late", ONE_PASS, ROCPROFSYS_MULTIPASS_EVENTS=",".join(EVENTS[2:4]))
    assert_ours_whole(both)
    (warning,) = both.warnings
    assert warning.startswith("rocprof-sys has a list of its own (ROCPROFSYS_ROCM_EVENTS): this tool counts, so ")


@pytest.mark.parametrize("order", ["early", "late"])
def test_beside_a_rocprof_sys_without_a_list_nothing_is_said(order: str, run_both: RunBoth) -> None:
    both = run_both(order, (), ROCPROFSYS_MULTIPASS_EVENTS=",".join(EVENTS), ROCPROFSYS_MULTIPASS_REPLAY="kernel")
    assert both.outcomes == {("replayed", PASSES)}
    assert_ours_sound(both)
    assert both.warnings == []


def test_a_rocprof_sys_that_is_switched_off_has_nothing_left_to_it(run_both: RunBoth) -> None:
    both = run_both("late", ONE_PASS, ROCPROFSYS_USE_ROCM="OFF")
    assert both.outcomes == {("single_pass", 1)}
    assert both.warnings == []


# ---------------------------------------------------------------------------------------------------------------------
# Counters that rocprof-sys polls


def test_polled_counters_that_do_not_fit_are_named_with_their_block(run_both: RunBoth) -> None:
    both = run_both("late", (), ROCPROFSYS_MULTIPASS_EVENTS="SQ_WAVES", ROCPROFSYS_GPU_PERF_COUNTERS=",".join(EVENTS))
    excess, interference = both.warnings
    assert excess == (
        "GPU 0 (tiny): rocprof-sys polls nothing here: ROCPROFSYS_GPU_PERF_COUNTERS must fit one pass, but block SQ "
        "has 2 registers where 5 are needed (SQ_INSTS_VALU, SQ_INSTS_VMEM_RD, SQ_INSTS_VMEM_WR, SQ_WAVE_CYCLES, "
        "SQ_LEVEL_WAVES). Leave some out, or add them to the list of this tool, which counts launches in several passes"
    )
    assert interference == (
        "rocprof-sys polls counters (ROCPROFSYS_GPU_PERF_COUNTERS) while this tool collects those of launches: both "
        "use the registers of the same GPUs, so that values of either may be disturbed; for values to rely on, use one "
        "of them per run"
    )
    assert_ours_sound(both)


def test_each_gpu_is_asked_for_the_polled_counters_that_are_meant_for_it(run_both: RunBoth) -> None:
    polled = "SQ_INSTS_VALU,SQ_INSTS_VMEM_RD;SQ_INSTS_VMEM_WR:device=0,SQ_WAVES:device=0,TCC_HIT:device=1"
    devices = {"ROCPROFSYS_MULTIPASS_SIMULATE": "gfx942,tiny", "ROCPROFSYS_MULTIPASS_EVENTS": ",".join(EVENTS[:4])}
    both = run_both("late", (), gpus=2, ROCPROFSYS_GPU_PERF_COUNTERS=polled, **devices)
    (interference,) = both.warnings
    assert ", and what is polled counts all executions of a replayed launch; for values" in interference
    assert_ours_sound(both)


def test_polled_names_that_no_gpu_has_are_told(run_both: RunBoth) -> None:
    polled = "SQ_WAVE,TCC_HIT:device=7, TCC_MISS[0],A B"
    both = run_both("late", ONE_PASS, ROCPROFSYS_GPU_PERF_COUNTERS=polled)
    assert_theirs_whole(both)
    mark, meant = "ROCPROFSYS_GPU_PERF_COUNTERS: ", "did you mean TCC_MISS?"
    assert both.warnings == [
        f"{mark}'TCC_MISS[0]' (column 27) is not polled: rocprof-sys looks for a counter of this very name; {meant}",
        f"{mark}'A B' (column 39) is not polled: rocprof-sys takes it for one name: put commas between names",
        f"{mark}'SQ_WAVE' (column 1) is not polled: not a counter of tiny; did you mean SQ_WAVES?",
        f"{mark}'TCC_HIT:device=7' (column 9) is not polled: there is only GPU 0",
    ]


def test_a_blank_between_polled_counters_is_told(run_both: RunBoth) -> None:
    both = run_both("late", ONE_PASS, ROCPROFSYS_GPU_PERF_COUNTERS="SQ_WAVES, TCC_HIT")
    (warning,) = both.warnings
    assert warning == (
        "ROCPROFSYS_GPU_PERF_COUNTERS: there is a blank at column 10: some releases of rocprof-sys take it for part of "
        "a name, which they then do not find; leave blanks out"
    )


def test_polled_counters_are_nobodys_business_without_rocprof_sys(
    native: Native, environment: dict[str, str], faults_application: Path, tmp_path: Path
) -> None:
    polled = {"ROCPROFSYS_GPU_PERF_COUNTERS": ",".join(EVENTS), "ROCPROFSYS_MULTIPASS_EVENTS": "SQ_WAVES"}
    env = by_hand(native, environment, tmp_path / "out", ROCPROFSYS_MULTIPASS_SIMULATE="tiny", **polled)
    application = alone(faults_application, "1", "1", env=env)
    assert application.returncode == 5
    assert "warning" not in application.stderr


@pytest.mark.parametrize("order", ["late", "early"])
def test_beside_counters_that_rocprof_sys_streams_nothing_is_set_up(run_both: RunBoth, order: str) -> None:
    """rocprof-sys ends a program in which another tool counts: the program comes first."""
    both = run_both(order, (), ROCPROFSYS_MULTIPASS_EVENTS=",".join(EVENTS), ROCPROFSYS_ROCM_SPM_EVENTS="SQ_WAVES")
    (said,) = both.said
    assert said.startswith("error: the program runs unprofiled: rocprof-sys streams counters (ROCPROFSYS_ROCM_SPM_")
    assert read_executions(both.truth_file) == dict.fromkeys(range(1, LAUNCHES + 1), 1)
    assert not both.output.exists()


def test_that_a_list_in_a_file_is_not_read_is_told(run_both: RunBoth, tmp_path: Path) -> None:
    file = tmp_path / "my.cfg"
    file.write_text(f"ROCPROFSYS_ROCM_EVENTS = {','.join(ONE_PASS)}\n")
    both = run_both("late", (), ROCPROFSYS_CONFIG_FILE=str(file))
    (warning,) = both.warnings
    assert warning.startswith("no counters are asked for")
    assert "the files in ROCPROFSYS_CONFIG_FILE are not read here" in warning
