# SPDX-License-Identifier: MIT
"""The SDK's calls are recorded without private data, and the plugin does with them again what it did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fault_tools import EVENTS, StartFaulty
from recordings import (
    EXIT,
    FOLDER,
    PASS,
    RECORD_VARIABLE,
    Record,
    Recording,
    captured,
    dispatches_of,
    play,
    text_of,
)

import rocprofsys_multipass as mp

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
    shape: str, record: Record, environment: dict[str, str], tmp_path: Path
) -> None:
    faults, words, options = SHAPES[shape]
    recorded = record(faults, *words, **options)
    played = play(recorded.path, tmp_path / "out", environment, again=tmp_path / "again.jsonl")
    assert played.exit_code == 0, played.stderr
    assert captured(played) == captured(recorded.run)
    before, after = Recording.read(recorded.path), Recording.read(tmp_path / "again.jsonl")
    assert after.shape == before.shape
    assert after.answers == before.answers


# ---------------------------------------------------------------------------------------------------------------------
# What is in the file


def texts_in(value: object) -> set[str]:
    if isinstance(value, str):
        return {value}
    if isinstance(value, dict):
        return set().union(*map(texts_in, value.values()))
    return set().union(*map(texts_in, value)) if isinstance(value, list) else set()


def test_a_recording_says_nothing_of_who_and_what_was_profiled(record: Record) -> None:
    recording = Recording.read(record("", 1, 1).path)
    lines = [line for line in (*recording.set_up, *recording.calls) if "kind" not in line or "call" in line]
    version = {mp.__version__, "1.4.1"}
    counters = {*EVENTS, "GRBM", "SQ", "TCC", ""}  # names, blocks, expressions
    kinds = {"CODE_OBJECT", "KERNEL_DISPATCH", "KERNEL_REPLAY", "MEMORY_ALLOCATION", "MEMORY_COPY", "HIP_RUNTIME_API"}
    calls = {"configure", "start", "tracing", "pass_count", "counting", "record", "finalize"}
    functions = {"pass_count", "continue", "start_context", "stop_context"}
    rest = {"replay", "tracing", "counting", "gpu", "cpu", "tiny", "kernel"}
    assert texts_in(lines) - version - counters - kinds - calls - functions - rest == set()
    addresses = {line["memory"] for line in lines if line.get("memory") is not None}
    assert addresses == set(range(len(addresses))), "they are numbered"


def test_ids_are_numbers_from_0_in_the_order_of_their_appearance(record: Record) -> None:
    recording = Recording.read(record("", 2, 2, devices=["tiny", "tiny"]).path)
    dispatches = [call["dispatch"] for call in recording.calls if "dispatch" in call]
    for name in ("id", "queue", "kernel"):
        first_seen = list(dict.fromkeys(one[name] for one in dispatches))
        assert sorted(first_seen) == list(range(len(first_seen)))
    assert list(dict.fromkeys(one["id"] for one in dispatches)) == [0, 1, 2, 3]
    threads = list(dict.fromkeys(call["thread"] for call in recording.calls))
    assert threads == list(range(len(threads)))


def test_the_set_up_tells_kinds_agents_counters_and_configurations(record: Record) -> None:
    recording = Recording.read(record("", 1, 1).path)
    first = recording.set_up[0]
    assert (first["recording"], first["sdk"], first["simulated"]) == (1, "1.4.1", True)
    assert first["options"] == {"REPLAY": "kernel"}
    (replay,) = [one for one in recording.parts("kind") if one["name"] == "KERNEL_REPLAY"]
    assert (replay["number"], len(replay["operations"])) == (25, 3)
    cpu, gpu = recording.parts("agent")
    assert (cpu["type"], gpu["type"], gpu["name"], gpu["slots"]["SQ"]) == ("cpu", "gpu", "tiny", 2)
    assert {one["name"] for one in recording.parts("counter")} == set(EVENTS)
    assert Counter(name for one in recording.parts("config") for name in one["counters"]) == Counter(EVENTS)


def test_the_waves_of_a_cu_and_the_clock_of_the_memory_are_recorded_and_played(
    record: Record, environment: dict[str, str], tmp_path: Path
) -> None:
    recording = Recording.read(record("", 1, 1).path)
    _, gpu = recording.parts("agent")
    assert (gpu["max_waves_per_cu"], gpu["mem_clk_max"]) == (8, 0)
    gpu["mem_clk_max"] = 1300
    play(recording.write(tmp_path / "clock.jsonl"), tmp_path / "out", environment, again=tmp_path / "again.jsonl")
    _, played = Recording.read(tmp_path / "again.jsonl").parts("agent")
    assert (played["max_waves_per_cu"], played["mem_clk_max"]) == (8, 1300)


def test_the_first_line_has_the_options_that_answers_depend_on(record: Record) -> None:
    options = {"replay": "auto", "replay_budget": "90s,2.5%", "max_replays": 2, "unsafe": "managed_memory,budget"}
    first = Recording.read(record("", 1, 1, **options, timing_pass=True).path).set_up[0]
    assert first["options"] == {
        "REPLAY": "auto",
        "REPLAY_BUDGET": "90s,2.500%",
        "MAX_REPLAYS": "2",
        "UNSAFE": "managed_memory,budget",
        "TIMING_PASS": "on",
    }


def test_a_kernel_of_the_projects_own_keeps_its_name(
    record: Record, environment: dict[str, str], tmp_path: Path
) -> None:
    recording = Recording.read(record("", 1, 1).path)
    (symbol,) = [call for call in recording.of("tracing", "CODE_OBJECT") if "vgprs" in call and call["phase"] == 1]
    symbol["name"] = "_Z20multipass_kit_doublePf.kd"
    path = recording.write(tmp_path / "named.jsonl")
    played = play(path, tmp_path / "out", environment, again=tmp_path / "again.jsonl")
    assert {one.kernel for one in dispatches_of(played)} == {"multipass_kit_double(float*)"}
    assert '"name":"_Z20multipass_kit_doublePf.kd"' in (tmp_path / "again.jsonl").read_text(encoding="ascii")


def test_a_file_that_is_there_is_kept_and_the_program_profiled(start_faulty: StartFaulty, tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    path.write_text("mine", encoding="ascii")
    faulty = start_faulty("", 1, 1, env={RECORD_VARIABLE: str(path)})
    assert faulty.counts == {"seen": 1, "replayed": 1}
    assert path.read_text(encoding="ascii") == "mine"
    assert f"no recording is written to {path}: File exists" in faulty.run.stderr
    assert "ROCPROFSYS_MULTIPASS_RECORD must name a new file" in faulty.run.stderr


def test_a_program_that_dies_leaves_what_came(start_faulty: StartFaulty, tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    start_faulty("kill_after_pass:pass=1:dispatch=2", 1, 3, env={RECORD_VARIABLE: str(path)}, sentinel="none")
    recording = Recording.read(path)
    last = recording.of("tracing", "KERNEL_REPLAY")[-1]
    assert (last["operation"], last["phase"], last["pass"], last["dispatch"]["id"]) == (PASS, EXIT, 1, 1)
    assert recording.of("finalize") == []


def test_nothing_is_recorded_without_the_variable(start_faulty: StartFaulty, tmp_path: Path) -> None:
    start_faulty("", 1, 1, cwd=tmp_path, env={RECORD_VARIABLE: ""})
    assert list(tmp_path.iterdir()) == []


# ---------------------------------------------------------------------------------------------------------------------
# Those that are kept


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.jsonl")), ids=lambda path: path.stem)
def test_a_kept_recording_is_answered_and_captured_as_before(
    path: Path, environment: dict[str, str], golden: Callable[[str, str], None], tmp_path: Path
) -> None:
    played = play(path, tmp_path / "out", environment, again=tmp_path / "again.jsonl")
    assert played.exit_code == 0, played.stderr
    before, after = Recording.read(path), Recording.read(tmp_path / "again.jsonl")
    assert after.shape == before.shape
    assert after.answers == before.answers
    golden(f"recordings/{path.stem}.txt", text_of(played))
