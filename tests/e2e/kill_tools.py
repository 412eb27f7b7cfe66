# SPDX-License-Identifier: MIT
"""What a run that died must leave, told by what the application wrote down and by the bytes of the capture."""

from __future__ import annotations

import struct
import subprocess
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import rocprofsys_multipass as mp
from rocprofsys_multipass.errors import MultipassError
from rocprofsys_multipass.native import Native

VICTIM_EVENTS = ("SQ_WAVES", "FETCH_SIZE", "WRITE_SIZE")
VICTIM_READINGS = 9
"""Of each launch: the counters, and three sentinels in both passes of gfx942."""

SETTLED_S = 1.0
"""What was done so long before the death is in the capture: checkpoints are half a second apart, on a quiet machine."""

LONG_S = 120
"""What takes so long is a hang."""

_LAUNCH = struct.Struct("<QQ")  # number, CLOCK_MONOTONIC in ns
_HEADER = 32
_HEAD = struct.Struct("<4sIII")
_DISPATCH, _END, _CHECKPOINT = 4, 6, 7


@dataclass(frozen=True)
class Checkpoint:
    dispatches: int
    in_flight: int
    dropped: int


@dataclass(frozen=True)
class Written:
    """The whole frames of a capture up to the first that is not. `checkpoint`: the last one, with what is before it."""

    dispatches: frozenset[int]
    ended: bool
    checkpoint: Checkpoint | None = None
    before_checkpoint: int = 0


def read_written(journal: Path) -> Written:
    """By docs/formats/journal.md, with a reader of its own."""
    data = journal.read_bytes()
    at, ids, ended, checkpoint, before = _HEADER, [], False, None, 0
    while len(data) - at >= _HEAD.size:
        magic, length, crc, own = _HEAD.unpack_from(data, at)
        payload = data[at + _HEAD.size : at + _HEAD.size + length]
        if magic != b"MPFR" or zlib.crc32(data[at : at + 12]) != own or len(payload) != length:
            break
        assert zlib.crc32(payload) == crc
        ((kind, body),) = _fields(payload)
        numbers = dict(_fields(body)) if isinstance(body, bytes) and kind in {_DISPATCH, _CHECKPOINT} else {}
        if kind == _DISPATCH:
            ids.append(_number(numbers, 1))
        elif kind == _CHECKPOINT:
            checkpoint = Checkpoint(*(_number(numbers, field) for field in (1, 2, 3)))
            before = len(ids)
        ended |= kind == _END
        at += _HEAD.size + length
    assert len(ids) == len(set(ids))
    return Written(frozenset(ids), ended, checkpoint, before)


def _number(fields: dict[int, int | bytes], field: int) -> int:
    found = fields.get(field, 0)
    assert isinstance(found, int)
    return found


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The members of a protobuf message."""
    at = 0

    def number() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        tag = number()
        if tag & 7 == 0:
            yield tag >> 3, number()
            continue
        size = number() if tag & 7 == 2 else {1: 8, 5: 4}[tag & 7]
        yield tag >> 3, data[at : at + size]
        at += size


def launched(truth: Path, until_ns: int | None = None) -> set[int]:
    """The launches that the victim had waited for, by then."""
    return {number for number, at in _launches(truth).items() if until_ns is None or at <= until_ns}


def _launches(truth: Path) -> dict[int, int]:
    """Their numbers, and when each had been waited for."""
    data = truth.read_bytes() if truth.exists() else b""
    return dict(_LAUNCH.iter_unpack(data[: len(data) // _LAUNCH.size * _LAUNCH.size]))


def settled(truth: Path, died_ns: int | None = None) -> set[int]:
    """The launches that had been waited for long enough before the victim died: by default, before its last launch."""
    if died_ns is None:
        died_ns = max(_launches(truth).values(), default=0)
    return launched(truth, died_ns - int(SETTLED_S * 1e9))


def victim_environment(native: Native, environment: dict[str, str], out: Path) -> dict[str, str]:
    """That of a victim without a wrapper."""
    return environment | {
        "ROCP_TOOL_LIBRARIES": str(native.plugin),
        "ROCPROFSYS_MULTIPASS_SIMULATE": "gfx942",
        "ROCPROFSYS_MULTIPASS_OUTPUT": str(out),
        "ROCPROFSYS_MULTIPASS_REPLAY": "kernel",
        "ROCPROFSYS_MULTIPASS_EVENTS": ",".join(VICTIM_EVENTS),
    }


def run_words(command: list[str], out: Path, *options: str) -> list[str]:
    """The wrapper up to the application."""
    events = ["--simulate", "gfx942", "--events", ",".join(VICTIM_EVENTS), "--replay", "kernel"]
    return [*command, "run", *events, "-o", str(out), *options, "--"]


@contextmanager
def process(words: list[str], env: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    """A process that is killed at the end, by its number, whatever happens."""
    with subprocess.Popen(
        words, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as started:
        try:
            yield started
        finally:
            started.kill()


def child_of(parent: int) -> int:
    """The one child of a process, once it runs another program than its parent."""
    deadline = time.monotonic() + LONG_S
    while time.monotonic() < deadline:
        children = Path(f"/proc/{parent}/task/{parent}/children").read_text(encoding="ascii").split()
        if children and Path(f"/proc/{children[0]}/exe").readlink() != Path(f"/proc/{parent}/exe").readlink():
            return int(children[0])
        time.sleep(0.001)
    raise AssertionError(f"process {parent} has started nothing")


def gone(pid: int) -> bool:
    """Whether a process has no file open any more: it is dead, also where nobody has waited for it."""
    try:
        return next(Path(f"/proc/{pid}/fd").iterdir(), None) is None
    except OSError:
        return True


def wait_until_gone(pid: int) -> None:
    deadline = time.monotonic() + LONG_S
    while not gone(pid):
        assert time.monotonic() < deadline
        time.sleep(0.002)


def assert_survived(journal: Path, there: set[int] | frozenset[int]) -> None:
    """The outputs hold every launch of `there`, each as it was, and no finding is an error. Nothing is half written."""
    folder = journal.parent
    written = read_written(journal)
    assert there <= written.dispatches, sorted(there - written.dispatches)[:10]
    if (last := written.checkpoint) is not None:
        assert last.dispatches == written.before_checkpoint
        assert last.dropped == 0
    for output in (journal.with_suffix(".db"), journal.with_suffix(".pftrace")):
        found = mp.open_trace(output).dispatches()
        assert {one.dispatch_id for one in found} == written.dispatches
        for one in found:
            if one.outcome == "replayed":
                assert one.counters["SQ_WAVES"] == 1 + (one.dispatch_id - 1) % 7
                assert sum(len(part.readings) for part in one.passes) == VICTIM_READINGS
    assert [finding for finding in mp.verify(folder) if finding.severity == "error"] == []
    assert list(folder.glob("*.tmp-*")) == []


def assert_recovered_once(journal: Path) -> None:
    """A second `recover` finds nothing to do and touches nothing."""
    files = sorted(path for path in journal.parent.iterdir() if path.is_file())
    before = [(path, path.stat().st_mtime_ns, path.stat().st_ino) for path in files]
    (again,) = mp.recover(journal)
    assert again.state == "complete"
    files = sorted(path for path in journal.parent.iterdir() if path.is_file())
    assert [(path, path.stat().st_mtime_ns, path.stat().st_ino) for path in files] == before


def assert_readable_or_empty(journal: Path) -> bool:
    """Whether there is something to recover. A process that died in its first moments has recorded nothing."""
    try:
        return mp.recover(journal)[0].state != "empty"
    except MultipassError as error:
        raise AssertionError(f"{journal} is unreadable: {error}") from error
