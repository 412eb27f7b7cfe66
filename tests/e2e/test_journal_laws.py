# SPDX-License-Identifier: MIT
"""Journals with any damage: the exporter in C++ and the reader in Python find the same in them."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import trace_tools as tools
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from rocprofsys_multipass.journal_layout import HEADER
from rocprofsys_multipass.trace import journal_pb2 as pb
from rocprofsys_multipass.trace import open_trace
from rocprofsys_multipass.trace.journal import read_journal
from rocprofsys_multipass.trace.journal_frames import Damage, located_frames

if TYPE_CHECKING:
    from rocprofsys_multipass.native import Native
    from rocprofsys_multipass.trace import Dispatch

EXAMPLES = int(os.environ.get("MULTIPASS_DAMAGE_ROUNDS", "25"))  # .ci/full has more
RUN = tools.sample_run()
MESSAGES = tools.journal_frames(RUN)
FRAMES = [tools.frame(f) for f in MESSAGES]
FIRST = next(n for n, f in enumerate(MESSAGES) if f.WhichOneof("body") == "dispatch")
INNER = tools.frame(pb.Frame(dispatch=pb.Dispatch(dispatch_id=666, agent=1, kernel=1, outcome="declined")))


def _head(length: int, payload_crc: int = 0) -> bytes:
    head = b"MPFR" + struct.pack("<II", length, payload_crc)
    return head + struct.pack("<I", zlib.crc32(head))


place = st.floats(0, 1)  # of the file, or of its list of frames
bit = st.builds(lambda at, mask: ("bit", at, bytes([mask])), place, st.integers(1, 255))
cut = st.builds(lambda at: ("cut", at, b""), place)
without = st.builds(lambda at, n: ("without", at, bytes(n)), place, st.integers(1, 200))
between = st.builds(
    lambda at, data: ("between", at, data),
    place,
    st.binary(min_size=1, max_size=60)
    | st.sampled_from(
        [
            b"MPFR" * 30,
            _head(0) * 3,  # a frame of no bytes, whole
            _head(0, 1),
            _head(40),
            _head(2**24 - 1),
            _head(2**24),
            _head(2**32 - 1),
            b"MPFR" + b"\xff" * 12,
            INNER[:-1],
            tools.framed(b"\xfa\x07" + bytes([len(INNER)]) + INNER),  # of a later version
            tools.framed(b"x" + INNER)[:-1] + b"!",
        ]
    ),
)
twice = st.builds(lambda at: ("twice", at, b""), place)
swapped = st.builds(lambda at: ("swapped", at, b""), place)


def damaged(steps: list[tuple[str, float, bytes]]) -> bytes:
    """The journal of `RUN`: frames behind what they refer to moved first, then bytes changed."""
    frames = list(FRAMES)
    for kind, at, _ in steps:
        number = int(at * (len(frames) - 1))
        if kind == "twice":
            frames.insert(number, frames[number])
        elif kind == "swapped" and number > FIRST:
            frames[FIRST], frames[number] = frames[number], frames[FIRST]
    data = bytearray(b"".join(frames))
    for kind, at, extra in steps:
        offset = int(at * max(len(data) - 1, 0))
        if kind == "bit" and data:
            data[offset] ^= extra[0]
        elif kind == "cut":
            del data[offset:]
        elif kind == "without":
            del data[offset : offset + len(extra)]
        elif kind == "between":
            data[offset:offset] = extra
    return tools.journal_header() + bytes(data)


def content(dispatches: tuple[Dispatch, ...]) -> dict[int, object]:
    """Each dispatch by its id; of one that is there twice, the first."""
    return {
        d.dispatch_id: (
            d.kernel.removesuffix(" (symbol unknown)"),
            d.outcome,
            d.reason,
            tuple(
                (p.index, p.group, p.start_ns, p.end_ns, *((r.counter, r.value) for r in p.readings)) for p in d.passes
            ),
        )
        for d in reversed(dispatches)
    }


def damaged_bytes(data: bytes) -> int:
    damage = Damage()
    for _ in located_frames(data, damage):
        pass
    torn = 0 if damage.torn_at is None else len(data) - damage.torn_at
    return torn + sum(b - a for a, b in damage.skipped)


def described_too_late(data: bytes) -> bool:
    """Whether an agent is described behind a kernel or dispatch of it: no plugin does so, and a sink takes it once."""
    named: set[int] = set()
    described: set[int] = set()
    for _, found in located_frames(data, Damage()):
        if found.HasField("agent"):
            if found.agent.index in named - described:
                return True
            described.add(found.agent.index)
        named.update(getattr(found, kind).agent for kind in ("kernel", "dispatch") if found.HasField(kind))
    return False


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("laws")


def exported(native: Native, folder: Path, data: bytes) -> tuple[Path, dict[str, object]]:
    path = folder / f"multipass-{tools.PID}.journal"
    path.write_bytes(data)
    done = subprocess.run(
        [native.exporter, "--quiet", "--format", "rocpd", path], capture_output=True, text=True, check=False
    )
    assert (done.returncode, [line for line in done.stderr.splitlines() if "rror" in line]) == (0, [])
    return path, json.loads(path.with_suffix(".json").read_text())


@settings(deadline=None, max_examples=EXAMPLES)
@given(steps=st.lists(bit | cut | without | between | twice | swapped, min_size=1, max_size=4))
@example(steps=[("twice", 1.0, b"")])
@example(steps=[("between", 0.0, INNER[:-1])])
def test_both_readers_find_the_same_dispatches_readings_and_damage(
    native: Native, folder: Path, steps: list[tuple[str, float, bytes]]
):
    data = damaged(steps)
    assume(not described_too_late(data))
    path, summary = exported(native, folder, data)
    ours = read_journal(path)
    theirs = open_trace(path.with_suffix(".db"))
    assert content(theirs.dispatches()) == content(ours.dispatches)
    assert len(theirs.dispatches()) == len({d.dispatch_id for d in ours.dispatches})
    capture = summary["capture"]
    assert isinstance(capture, dict)
    assert (capture["damaged_bytes"], capture["ended"]) == (damaged_bytes(data), ours.closed)


@pytest.mark.parametrize("filling", [b"MPFR", _head(2**24 - 1), _head(0, 1), _head(64, 1), INNER[:-1]])
def test_reading_takes_time_as_the_size_of_the_file(native: Native, folder: Path, filling: bytes):
    data = tools.journal_header() + FRAMES[0] + filling * (2_000_000 // len(filling)) + b"".join(FRAMES[1:])
    path, summary = exported(native, folder, data)
    assert len(read_journal(path).dispatches) == summary["dispatches"]["seen"] == len(RUN.launches)  # type: ignore[index]
    assert damaged_bytes(data) == summary["capture"]["damaged_bytes"] > HEADER.size  # type: ignore[index]
