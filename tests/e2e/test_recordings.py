# SPDX-License-Identifier: MIT
"""The SDK's calls are recorded without private data, and the plugin does with them again what it did."""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fault_tools import StartFaulty
from recordings import (
    CONFIG,
    ENTER,
    EXIT,
    FOLDER,
    PASS,
    PLAYER,
    RECORD_VARIABLE,
    Recording,
    captured,
    dispatches_of,
    play,
    text_of,
)

import rocprofsys_multipass as mp
from rocprofsys_multipass import Run
from rocprofsys_multipass.native import Native

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


# ---------------------------------------------------------------------------------------------------------------------
# What is in the file


def texts_in(value: object) -> set[str]:
    if isinstance(value, str):
        return {value}
    if isinstance(value, dict):
        return set().union(*map(texts_in, value.values()))
    return set().union(*map(texts_in, value)) if isinstance(value, list) else set()


def test_a_recording_says_nothing_of_who_and_what_was_profiled(record: Any) -> None:
    recording = Recording.read(record("", 1, 1).path)
    lines = [line for line in (*recording.set_up, *recording.calls) if "kind" not in line or "call" in line]
    version = {mp.__version__, "1.4.1"}
    counters = {*EVENTS, "GRBM", "SQ", "TCC", ""}  # names, blocks, expressions
    kinds = {"CODE_OBJECT", "KERNEL_DISPATCH", "KERNEL_REPLAY"}
    calls = {"configure", "start", "tracing", "pass_count", "counting", "record", "finalize"}
    functions = {"pass_count", "continue", "start_context", "stop_context"}
    rest = {"replay", "tracing", "counting", "gpu", "cpu", "tiny", "kernel"}
    assert texts_in(lines) - version - counters - kinds - calls - functions - rest == set()


def test_ids_are_numbers_from_0_in_the_order_of_their_appearance(record: Any) -> None:
    recording = Recording.read(record("", 2, 2, devices=["tiny", "tiny"]).path)
    dispatches = [call["dispatch"] for call in recording.calls if "dispatch" in call]
    for name in ("id", "queue", "kernel"):
        first_seen = list(dict.fromkeys(one[name] for one in dispatches))
        assert sorted(first_seen) == list(range(len(first_seen)))
    assert list(dict.fromkeys(one["id"] for one in dispatches)) == [0, 1, 2, 3]
    threads = list(dict.fromkeys(call["thread"] for call in recording.calls))
    assert threads == list(range(len(threads)))


def test_the_set_up_tells_kinds_agents_counters_and_configurations(record: Any) -> None:
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


def test_a_kernel_of_the_projects_own_keeps_its_name(record: Any, environment: dict[str, str], tmp_path: Path) -> None:
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
# What no simulator does


@pytest.fixture(scope="module")
def two(record: Any) -> Path:
    """Two dispatches, three passes each."""
    path = record("", 1, 2).path
    assert isinstance(path, Path)
    return path


WHOLE = ("replayed", "", [0, 1, 2])


def outcomes(run: Run) -> list[tuple[str, str, list[int | None]]]:
    """Of each dispatch: outcome, reason, and the passes that brought readings."""
    return [
        (one.outcome, one.reason, [part.index for part in one.passes if part.readings]) for one in dispatches_of(run)
    ]


def records_at_once(recording: Recording) -> None:
    for dispatch in (0, 1):
        for number in range(3):
            asked, brought = recording.execution(dispatch, number)
            recording.move(brought, behind=asked)


def records_behind_the_next_dispatch(recording: Recording) -> None:
    end = recording.replay(1, CONFIG, EXIT)
    for number in range(3):
        recording.move(recording.execution(0, number)[1], behind=end)


def record_behind_the_end(recording: Recording) -> None:
    recording.move(recording.execution(1, 2)[1], behind=recording.of("finalize")[0])


def pass_abandoned(recording: Recording) -> None:
    """As a revision does when a pass does not finish: no EXIT, no further pass, CONFIG EXIT; the record comes later."""
    end = recording.replay(0, CONFIG, EXIT)
    begun = recording.replay(0, PASS, ENTER, 1)
    asked, brought = recording.execution(0, 1)
    recording.move(brought, behind=end)
    _, last = recording.execution(0, 2)
    between = recording.calls[recording.calls.index(recording.replay(0, PASS, EXIT, 1)) : recording.calls.index(end)]
    recording.calls = [call for call in recording.calls if call not in between and call != last]
    assert recording.calls.index(begun) < recording.calls.index(asked) < recording.calls.index(end)


def window_without_end(recording: Recording) -> None:
    recording.calls.remove(recording.replay(1, CONFIG, EXIT))


def no_records(recording: Recording) -> None:
    _, brought = recording.execution(0, 1)
    brought["records"] = []


def second_launch_inside_the_first(recording: Recording) -> None:
    """As from a callback inside the window: all calls of the second dispatch behind the counting call of a pass."""
    inner = [call for call in recording.calls if call.get("dispatch", {}).get("id") == 1]
    behind, _ = recording.execution(0, 1)
    for call in inner:
        recording.move(call, behind=behind)
        behind = call


def passes_without_config(recording: Recording) -> None:
    for call in (recording.replay(0, CONFIG, ENTER), recording.replay(0, CONFIG, EXIT), recording.of("pass_count")[0]):
        recording.calls.remove(call)


def unknown_agent(recording: Recording) -> None:
    for call in recording.calls:
        if call.get("dispatch", {}).get("id") == 0:
            call["dispatch"]["agent"] = None


def payload_size(size: int) -> Callable[[Recording], None]:
    def edit(recording: Recording) -> None:
        for call in recording.of("tracing", "KERNEL_REPLAY"):
            call.update(size=size, functions=[] if size < 184 else call["functions"])

    return edit


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (records_at_once, [WHOLE, WHOLE]),
        (records_behind_the_next_dispatch, [WHOLE, WHOLE]),
        (record_behind_the_end, [WHOLE, ("incomplete", "pass 2 delivered no counters", [0, 1])]),
        (pass_abandoned, [("incomplete", "pass 2 did not run", [0, 1]), WHOLE]),
        (window_without_end, [WHOLE, WHOLE]),
        (no_records, [("incomplete", "pass 1 delivered no counters", [0, 2]), WHOLE]),
        (second_launch_inside_the_first, [WHOLE, WHOLE]),
        (passes_without_config, [WHOLE, WHOLE]),
        (unknown_agent, [WHOLE]),
        (payload_size(168), [WHOLE, WHOLE]),
        (payload_size(4096), [WHOLE, WHOLE]),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_another_sdk_may_do(
    edit: Callable[[Recording], None],
    expected: list[tuple[str, str, list[int | None]]],
    two: Path,
    environment: dict[str, str],
    tmp_path: Path,
) -> None:
    recording = Recording.read(two)
    edit(recording)
    played = play(recording.write(tmp_path / "edited.jsonl"), tmp_path / "out", environment)
    assert played.exit_code == 0, played.stderr
    assert sorted(outcomes(played), key=str) == sorted(expected, key=str)
    assert [finding for finding in mp.verify(played.output_dir) if finding.severity == "error"] == []


# ---------------------------------------------------------------------------------------------------------------------
# The application's memory

HIP, HSA = "HIP_RUNTIME_API", "HSA_AMD_EXT_API"
HERE = {"result": 0, "memory": 0, "bytes": 8192}


def call_of(
    recording: Recording, kind: str, operation: str | int, phase: int, members: dict[str, Any]
) -> dict[str, Any]:
    """Of a kind of tracing; the name of an operation that the SDK does not have yet is added."""
    number = operation
    if isinstance(operation, str):
        (names,) = [one["operations"] for one in recording.parts("kind") if one["name"] == kind]
        if operation not in names:
            names.append(operation)
        number = names.index(operation)
    common = {"n": 0, "ns": 0, "took": 0, "thread": 0, "call": "tracing", "of_thread": 0, "correlation": 0, "size": 256}
    return {**common, "kind": kind, "operation": number, "phase": phase, **members, "data_in": 0, "data": 0}


def both(recording: Recording, kind: str, operation: str, members: dict[str, Any]) -> list[dict[str, Any]]:
    entered = call_of(recording, kind, operation, ENTER, {})
    return [entered, call_of(recording, kind, operation, EXIT, members)]


@pytest.fixture(scope="module")
def once(record: Any) -> Path:
    """Two dispatches that the SDK would not replay, for a reason of its own."""
    path = record("snapshot_refused", 1, 2).path
    assert isinstance(path, Path)
    return path


@pytest.mark.parametrize(
    ("calls", "reason"),
    [
        ([(HIP, "hipMallocManaged", HERE | {"flags": 1})], "managed_memory"),
        ([(HIP, "hipMallocManaged", {"result": 2})], ""),
        ([(HIP, "hipMallocManaged", HERE | {"flags": 1}), (HIP, "hipFree", {"result": 0, "memory": 0})], ""),
        ([(HIP, "hipMallocAsync", HERE)], "pool_memory"),
        ([(HIP, "hipExtMallocWithFlags", HERE | {"flags": 1})], "fine_grained_memory"),
        ([(HIP, "hipExtMallocWithFlags", HERE | {"flags": 0})], ""),
        ([(HSA, "hsa_amd_vmem_map", HERE | {"handle": 1})], "virtual_memory"),
        (
            [
                (HSA, "hsa_amd_vmem_map", HERE | {"handle": 1}),
                (HSA, "hsa_amd_vmem_unmap", {"result": 0, "memory": 0, "bytes": 4096}),
            ],
            "virtual_memory",
        ),
        (
            [
                (HSA, "hsa_amd_vmem_map", HERE | {"handle": 1}),
                (HSA, "hsa_amd_vmem_unmap", {"result": 0, "memory": 0, "bytes": 4096}),
                (HSA, "hsa_amd_vmem_unmap", {"result": 0, "memory": 0, "offset": 4096, "bytes": 4096}),
            ],
            "",
        ),
        ([(HSA, "hsa_amd_ipc_memory_attach", HERE)], "imported_memory"),
        ([(HSA, "hsa_amd_interop_map_buffer", HERE)], "imported_memory"),
        ([(HSA, "hsa_amd_svm_attributes_set", HERE | {"attributes": [0x200]})], "managed_memory"),
        ([(HSA, "hsa_amd_svm_attributes_set", HERE | {"attributes": [0x202]})], ""),
    ],
)
def test_memory_that_was_recorded_is_heeded_when_it_is_played(
    calls: list[tuple[str, str, dict[str, Any]]],
    reason: str,
    once: Path,
    environment: dict[str, str],
    tmp_path: Path,
) -> None:
    recording = Recording.read(once)
    made = [call for kind, name, members in calls for call in both(recording, kind, name, members)]
    at = recording.calls.index(recording.replay(0, CONFIG, ENTER))
    recording.calls[at:at] = made
    played = play(recording.write(tmp_path / "memory.jsonl"), tmp_path / "out", environment, again=tmp_path / "again")
    assert {(one.outcome, one.reason) for one in dispatches_of(played)} == {("declined", reason or "unknown")}
    remade = [call for call in Recording.read(tmp_path / "again").calls if call.get("kind") in (HIP, HSA)]
    told = ("operation", "phase", "size", "result", "memory", "offset", "bytes", "flags", "handle", "attributes")
    assert [[call.get(key) for key in told] for call in remade] == [[call.get(key) for key in told] for call in made]


def test_a_copy_under_way_is_heeded_until_it_has_ended(two: Path, environment: dict[str, str], tmp_path: Path) -> None:
    recording = Recording.read(two)
    members = {"from": 1, "to": 0, "bytes": 64, "start": None, "end": None}
    begun = call_of(recording, "MEMORY_COPY", 3, ENTER, members)
    ended = call_of(recording, "MEMORY_COPY", 3, EXIT, members)
    recording.calls.insert(recording.calls.index(recording.replay(0, CONFIG, ENTER)), begun)
    recording.calls.insert(recording.calls.index(recording.replay(1, CONFIG, ENTER)), ended)
    path = recording.write(tmp_path / "copy.jsonl")
    play(path, tmp_path / "out", environment, again=tmp_path / "again")
    asked = [
        one for one in Recording.read(tmp_path / "again").of("tracing", "KERNEL_REPLAY") if one["operation"] == CONFIG
    ]
    assert ["pass_count" in one["answer"] for one in asked if one["phase"] == ENTER] == [False, True]


# ---------------------------------------------------------------------------------------------------------------------
# What is no recording


def refused(path: Path, environment: dict[str, str], native: Native) -> str:
    """The one line of an error."""
    variables = {"ROCP_TOOL_LIBRARIES": str(native.plugin), "ROCPROFSYS_MULTIPASS_EVENTS": "SQ_WAVES"}
    done = subprocess.run(
        [PLAYER, path], env=environment | variables, capture_output=True, text=True, check=False, cwd=path.parent
    )
    assert done.returncode == 1, done
    (line,) = done.stderr.splitlines()
    return line.removeprefix(f"rocprofiler-sdk (simulated): {path}")


def edited(two: Path, to: Path, call: str, members: dict[str, Any]) -> Path:
    """The first such call has these members; None of them: without it."""
    recording = Recording.read(two)
    line = next(one for one in recording.calls if one["call"] == call)
    line.update(members)
    return recording.write(to)


@pytest.mark.parametrize(
    ("call", "members", "message"),
    [
        ("tracing", {"call": "shake"}, '"call": "shake" is unknown; docs/formats/recording.md lists those there are'),
        ("tracing", {"kind": "SHAKE"}, '"kind": SHAKE is not among the kinds of the recording'),
        ("tracing", {"size": 1 << 40}, '"size": expected an integer up to 65536, found 1099511627776'),
        ("tracing", {"thread": -1}, '"thread": expected an integer up to 256, found -1'),
        ("tracing", {"operation": "x"}, '"operation": expected an integer, found "x"'),
        ("counting", {"config": 9}, '"config": configuration 9 is not among the 3 of the recording'),
        ("counting", {"dispatch": 1}, "dispatch: expected an object, found 1"),
        (
            "record",
            {"records": [[1 << 16, 0, 1]]},
            '"records": expected [counter of 16 bits, instance of 48 bits, value], found [65536,0,1]',
        ),
        ("record", {"start": 0.5}, '"start": expected an integer, found 0.5'),
        ("pass_count", {"ns": None}, '"ns": expected an integer up to 9223372036854775807, found null'),
    ],
)
def test_a_call_that_cannot_be_made_is_named(  # noqa: PLR0913, PLR0917 - fixtures
    call: str,
    members: dict[str, Any],
    message: str,
    two: Path,
    environment: dict[str, str],
    native: Native,
    tmp_path: Path,
) -> None:
    text = refused(edited(two, tmp_path / "broken.jsonl", call, members), environment, native)
    assert text.startswith(": line ")
    assert text.endswith(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", ": empty; a recording begins with {"),
        ("{}\n", ': line 1: member "recording" is missing'),
        ('{"recording":2}\n', ": line 1: schema 2; this program plays schema 1"),
        ('{"recording":1,"sdk":"new"}\n', ': line 1: "sdk": expected a version such as 1.4.1, found "new"'),
        ('{"recording":1,"sdk":"1.4.1"}\n[1]\n', ": line 2: expected an object, found an array"),
        ('{"recording":1,"sdk":"1.4.1"}\n{"x":1}\n', ": line 2: neither a call nor a part of the set-up"),
        ('{"recording":1,"sdk":"1.4.1"}\nnonsense\n', ": line 2: no JSON"),
        ('{"recording":1,"sdk":"1.4.1"}\n', ": has no calls: nothing was collected when it was made"),
        ('{"recording":1,"sdk":"1.4.1"}\n{"agent":{"index":1}}\n', "agents must be in order, from index 0"),
    ],
)
def test_a_file_that_is_no_recording_is_refused(
    text: str, message: str, environment: dict[str, str], native: Native, tmp_path: Path
) -> None:
    path = tmp_path / "broken.jsonl"
    path.write_text(text, encoding="ascii")
    assert message in refused(path, environment, native)


def test_a_recording_that_is_cut_is_played_as_far_as_it_goes(
    two: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    recording = Recording.read(two)
    cut = recording.calls.index(recording.replay(0, PASS, EXIT, 1))
    recording.calls = recording.calls[: cut + 1]
    path = recording.write(tmp_path / "cut.jsonl")
    path.write_text(path.read_text(encoding="ascii")[:-20], encoding="ascii")
    played = play(path, tmp_path / "out", environment)
    assert "the recording has no end" in played.stderr
    assert outcomes(played) == [("incomplete", "pass 2 had not begun when the program ended", [0, 1])]


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
