# SPDX-License-Identifier: MIT
"""What no simulator makes an SDK do: recordings that were edited, and played."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from recordings import (
    CONFIG,
    ENTER,
    EXIT,
    PASS,
    Recording,
    outcomes,
    play,
)

import rocprofsys_multipass as mp

WHOLE = ("replayed", "", [0, 1, 2])


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
    recording = Recording.read(two).in_order()
    edit(recording)
    played = play(recording.write(tmp_path / "edited.jsonl"), tmp_path / "out", environment)
    assert played.exit_code == 0, played.stderr
    assert sorted(outcomes(played), key=str) == sorted(expected, key=str)
    assert [finding for finding in mp.verify(played.output_dir) if finding.severity == "error"] == []
