# SPDX-License-Identifier: MIT
"""Another tool in the process, another process on the GPU, GPUs of two kinds: faults of one do not reach the other."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from e2e_tools import ROOT, Finished, by_hand
from fault_tools import EVENTS, PASSES, StartFaulty, assert_attributed, assert_sound

import rocprofsys_multipass as mp
from rocprofsys_multipass.native import Native

LAUNCHES = 4

# ---------------------------------------------------------------------------------------------------------------------
# Another tool that counts


@pytest.fixture(scope="module")
def second_tool(native: Native, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """second_tool.cpp as a library that ROCP_TOOL_LIBRARIES can name."""
    library = tmp_path_factory.mktemp("second") / "libsecond-tool.so"
    source = Path(__file__).with_name("second_tool.cpp")
    flags = ["-std=c++20", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", f"-I{ROOT / 'library'}"]
    sdk = native.simulator / "librocprofiler-sdk.so.1"
    built = subprocess.run(
        ["g++", *flags, source, str(sdk), "-o", library], capture_output=True, text=True, check=False
    )
    assert built.returncode == 0, built.stderr
    return library


@pytest.fixture
def together(
    native: Native, environment: dict[str, str], faults_application: Path, second_tool: Path, tmp_path: Path
) -> Callable[..., Finished]:
    """Runs the application under both tools into the folder ``out``; `ours_first`: in this order of registration."""

    def run(*, ours_first: bool, wish: str = "count") -> Finished:
        tools = [str(native.plugin), str(second_tool)]
        variables = by_hand(
            native,
            environment,
            tmp_path / "out",
            ROCPROFSYS_MULTIPASS_EVENTS=",".join(EVENTS),
            ROCPROFSYS_MULTIPASS_REPLAY="kernel",
            ROCPROFSYS_MULTIPASS_SIMULATE="tiny",
            ROCP_TOOL_LIBRARIES=":".join([*(tools if ours_first else reversed(tools)), ""]),
            SECOND_TOOL=wish,
        )
        words: list[str | Path] = [faults_application, "1", str(LAUNCHES)]
        return subprocess.run(words, env=variables, capture_output=True, text=True, check=False)

    return run


def test_a_second_counting_tool_does_not_disturb_the_first(together: Callable[..., Finished], tmp_path: Path) -> None:
    finished = together(ours_first=True)
    assert (finished.stdout, finished.returncode) == ("thread 0 GPU 0 wrong: 0\n", 5)
    assert "second tool: counting 0 replay -1 start 12\n" in finished.stderr
    assert "second tool: 0 records 0 waves\n" in finished.stderr
    trace = mp.open_trace(tmp_path / "out")
    assert [(one.outcome, len(one.passes)) for one in trace.dispatches()] == [("replayed", PASSES)] * LAUNCHES
    assert [one for one in mp.verify(tmp_path / "out") if one.severity == "error"] == []


def test_next_to_a_tool_that_counts_already_nothing_is_counted_and_a_line_says_why(
    together: Callable[..., Finished], second_tool: Path, tmp_path: Path
) -> None:
    finished = together(ours_first=False)
    assert (finished.stdout, finished.returncode) == ("thread 0 GPU 0 wrong: 0\n", 5)
    assert "second tool: counting 0 replay -1 start 0\n" in finished.stderr
    assert f"second tool: {LAUNCHES} records {LAUNCHES} waves\n" in finished.stderr, "one run each, and all are its own"
    (line,) = (one for one in finished.stderr.splitlines() if "no counters are collected: " in one)
    assert line == (
        "rocprof-sys-multipass: warning: no counters are collected: another tool of this process collects dispatch "
        "counters (ROCPROFILER_STATUS_ERROR_CONTEXT_CONFLICT (12)), and the SDK lets one tool do so. Launches are "
        "recorded with their times, and what the other tool collects is whole. To have the counters, run without that "
        f"tool (ROCP_TOOL_LIBRARIES names {second_tool})"
    )
    dispatches = mp.open_trace(tmp_path / "out").dispatches()
    assert [(one.outcome, one.reason) for one in dispatches] == [
        ("incomplete", "no counters were collected")
    ] * LAUNCHES
    assert [reading for one in dispatches for part in one.passes for reading in part.readings] == []
    assert all(one.passes[0].duration_ns for one in dispatches), "times come from tracing"
    assert [one for one in mp.verify(tmp_path / "out") if one.severity == "error"] == []


def test_a_tool_that_wants_replay_after_us_does_not_get_it(together: Callable[..., Finished], tmp_path: Path) -> None:
    finished = together(ours_first=True, wish="replay")
    assert "second tool: counting 0 replay 15 start 12\n" in finished.stderr
    assert {one.outcome for one in mp.open_trace(tmp_path / "out").dispatches()} == {"replayed"}


def test_a_tool_that_owns_counting_and_replay_keeps_both(together: Callable[..., Finished], tmp_path: Path) -> None:
    finished = together(ours_first=False, wish="replay")
    assert (finished.stdout, finished.returncode) == ("thread 0 GPU 0 wrong: 0\n", 5)
    assert "second tool: counting 0 replay 0 start 0\n" in finished.stderr
    assert "kernels are not replayed: another tool of this process owns kernel replay" in finished.stderr
    assert "no counters are collected: another tool of this process collects dispatch counters" in finished.stderr
    assert {one.outcome for one in mp.open_trace(tmp_path / "out").dispatches()} == {"incomplete"}


# ---------------------------------------------------------------------------------------------------------------------
# Another process on the same GPU


def test_two_processes_on_one_gpu_have_a_whole_capture_each(
    native: Native, environment: dict[str, str], faults_application: Path, tmp_path: Path
) -> None:
    variables = by_hand(
        native,
        environment,
        tmp_path / "out",
        ROCPROFSYS_MULTIPASS_EVENTS=",".join(EVENTS),
        ROCPROFSYS_MULTIPASS_REPLAY="kernel",
        ROCPROFSYS_MULTIPASS_SIMULATE="tiny",
        ROCPROFSYS_MULTIPASS_SIM_FAULTS="not_lockable",
    )

    def run(_: int) -> Finished:
        words: list[str | Path] = [faults_application, "2", str(LAUNCHES)]
        return subprocess.run(words, env=variables, capture_output=True, text=True, check=False)

    with ThreadPoolExecutor(2) as pool:
        runs = list(pool.map(run, range(2)))
    assert [one.returncode for one in runs] == [5, 5]
    assert [one.stderr.count("is not locked for profiling") for one in runs] == [1, 1], "the SDK says so"
    journals = sorted((tmp_path / "out").glob("multipass-*.journal"))
    assert len(journals) == 2
    for journal in journals:
        assert [one.outcome for one in mp.open_trace(journal).dispatches()] == ["replayed"] * 2 * LAUNCHES
    assert [one for one in mp.verify(tmp_path / "out") if one.severity == "error"] == []


# ---------------------------------------------------------------------------------------------------------------------
# GPUs with plans of different length, one of which misbehaves

ONE_GPU_FAULTS = [
    ("snapshot_refused", "declined"),
    ("queue_stuck", "declined"),
    ("not_offered", "declined"),
    ("record_lost", "incomplete"),
    ("pass_abandoned:pass=0", "incomplete"),
    ("passes_untold", "incomplete"),
    ("restore_wrong", "replayed"),
    ("record_reversed", "replayed"),
    ("record_at_stop", "replayed"),
    ("not_lockable", "replayed"),
]


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("gpu", [0, 1])
@pytest.mark.parametrize(("fault", "outcome"), ONE_GPU_FAULTS)
def test_a_fault_of_one_gpu_leaves_one_with_another_plan_alone(
    fault: str, gpu: int, outcome: str, threads: int, start_faulty: StartFaulty
) -> None:
    events = [*EVENTS, "TCC_MISS", "TCC_REQ", "TCC_READ", "TCC_WRITE"]  # the last three on gfx942 only
    faulty = start_faulty(f"{fault}:agent={gpu}", threads, 4, "pure", devices=["tiny", "gfx942"], events=events)
    assert faulty.run.exit_code == 5
    assert faulty.run.errors == ()
    assert_sound(faulty)
    lengths = {one.agent.device: len(one.agent.passes) for one in faulty.trace.dispatches()}
    assert lengths == {0: 3, 1: 2}
    dispatches = faulty.trace.dispatches()
    found = {(one.agent.device, one.outcome) for one in dispatches}
    assert found == {(gpu, outcome), (1 - gpu, "replayed")}
    for one in dispatches:
        if one.outcome == "replayed":
            assert [part.index for part in one.passes] == list(range(lengths[one.agent.device]))


@pytest.mark.parametrize("gpu", [0, 1])
def test_a_permission_that_lacks_on_one_gpu_costs_its_counters_only(gpu: int, start_faulty: StartFaulty) -> None:
    faulty = start_faulty(
        f"config_denied:agent={gpu}", 2, 4, devices=["tiny", "gfx942"], events=["TCC_HIT", "SQ_WAVES"]
    )
    assert_sound(faulty)
    assert_attributed(faulty)
    outcomes = {one.agent.device: one.outcome for one in faulty.trace.dispatches()}
    assert outcomes[gpu] == "filtered"
    assert outcomes[1 - gpu] in {"replayed", "single_pass"}
