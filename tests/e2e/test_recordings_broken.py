# SPDX-License-Identifier: MIT
"""What is no recording is refused, in words that name the place."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from recordings import (
    EXIT,
    PASS,
    PLAYER,
    Recording,
    outcomes,
    play,
)

from rocprofsys_multipass.native import Native


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
    recording = Recording.read(two).in_order()
    cut = recording.calls.index(recording.replay(0, PASS, EXIT, 1))
    recording.calls = recording.calls[: cut + 1]
    path = recording.write(tmp_path / "cut.jsonl")
    path.write_text(path.read_text(encoding="ascii")[:-20], encoding="ascii")
    played = play(path, tmp_path / "out", environment)
    assert "the recording has no end" in played.stderr
    assert outcomes(played) == [("incomplete", "pass 2 had not begun when the program ended", [0, 1])]
