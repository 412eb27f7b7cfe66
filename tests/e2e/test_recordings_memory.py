# SPDX-License-Identifier: MIT
"""What a recording tells of the application's memory is heeded when it is played."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from recordings import (
    CONFIG,
    ENTER,
    EXIT,
    Record,
    Recording,
    dispatches_of,
    play,
)

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
def once(record: Record) -> Path:
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
        ([(HIP, "hipHostMalloc", HERE | {"flags": 0})], "pinned_memory"),
        ([(HIP, "hipExtHostAlloc", HERE | {"flags": 0})], "pinned_memory"),
        ([(HIP, "hipHostRegister", HERE | {"flags": 0})], "pinned_memory"),
        ([(HIP, "hipMallocHost", HERE), (HIP, "hipFreeHost", {"result": 0, "memory": 0})], ""),
        ([(HIP, "hipHostRegister", HERE | {"flags": 0}), (HIP, "hipHostUnregister", {"result": 0, "memory": 0})], ""),
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
