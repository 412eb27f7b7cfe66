# SPDX-License-Identifier: MIT
"""Checks of the clocks of a run: what relates its times to those of other files and to the time of day."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from rocprofsys_multipass.journal_layout import FRAME_HEAD, HEADER
from rocprofsys_multipass.trace import journal_frames
from rocprofsys_multipass.trace import journal_pb2 as pb
from rocprofsys_multipass.trace.guard import naming
from rocprofsys_multipass.trace.model import Process
from rocprofsys_multipass.trace.perfetto import RUN
from rocprofsys_multipass.trace.perfetto_clock import BOOTTIME, STATE_CLEARED, first_packets
from rocprofsys_multipass.verify.evidence import Evidence
from rocprofsys_multipass.verify.finding import Finding
from rocprofsys_multipass.verify.registry import check

OUR_SEQUENCES: Final = 0xF0000000  # their ids begin here (docs/formats/perfetto.md)
_MONOTONIC: Final = 3  # perfetto.protos.BuiltinClock
_REALTIME: Final = 1
_NAMES: Final = {BOOTTIME: "BOOTTIME", _MONOTONIC: "MONOTONIC", _REALTIME: "REALTIME"}
_APART_NS: Final = 1_000_000  # of reading one clock and the next
_START_NS: Final = 60_000_000_000  # between the start of a process and the reading of its clocks
_BOOT_NS: Final = 1_000_000_000  # a clock that is set in small steps does not move as far in a job
_OLDEST_NS: Final = 1_577_836_800_000_000_000  # 2020-01-01, before there was such a run
_REMEDY: Final = (
    "do not merge the trace with others, and do not compare its times with the time of day; "
    "`rocprof-sys-multipass export` writes the trace again"
)


class Clocks(NamedTuple):
    """Three clocks that were read together, in ns; 0: not known."""

    boottime: int
    monotonic: int
    realtime: int
    start: int = 0  # of the process, by the first of them


class _Head(NamedTuple):
    clocks: Clocks | None
    clears: bool  # the first packet of our sequence clears its state
    of_others: bool = False  # there is a clock snapshot of another producer, as in a merged trace


@check("clocks", "error", "warning", remedy=_REMEDY)
def clocks(evidence: Evidence) -> Iterator[Finding]:
    """Three clocks were read together at the start of the run, and every file says so alike.

    The snapshot relates boot time, in which all times are, to the time of day. Processes of one job on one machine have
    the same relation.
    """
    recorded = None
    if evidence.journal is not None:
        recorded = _of_journal(evidence.journal.path)
        for message in _implausible(recorded):
            yield Finding("warning", "clocks", evidence.journal.path.name, message)
        yield from _another_boot(evidence, recorded)
    yield from _of_snapshot(evidence, recorded)


def _of_snapshot(evidence: Evidence, recorded: Clocks | None) -> Iterator[Finding]:
    """That of the trace beside the clocks of the journal, where there is one."""
    if evidence.raw is None or not evidence.trace_readable or not evidence.from_trace:
        return
    name, (drawn, _, of_others) = evidence.raw.path.name, _of_trace(evidence.raw.path)
    if drawn is None:
        if not of_others and recorded is not None and recorded.boottime:
            yield Finding("error", "clocks", name, "the clock snapshot is missing")
    elif recorded is None:
        for message in _implausible(drawn):
            yield Finding("warning", "clocks", name, message)
    elif recorded.boottime:
        for number, here, there in zip(_NAMES, drawn, recorded, strict=False):
            if here != there:
                message = f"{_NAMES[number]} of the snapshot is {here}, the journal has {there}"
                yield Finding("error", "clocks", name, message)


@check("perfetto-sequence")
def sequence(evidence: Evidence) -> Iterator[Finding]:
    """The first packet of our sequence clears its state: without, names are lost when traces are joined."""
    raw = evidence.raw
    if raw is not None and evidence.from_trace and not _of_trace(raw.path).clears:
        message = "the first packet of the sequence does not clear its state (sequence_flags 1)"
        yield Finding("error", "perfetto-sequence", raw.path.name, message)


def span_of(evidence: Evidence, process: Process) -> tuple[int | None, int | None]:
    """Start and end of a process as its file has them; None where it does not."""
    if process.kind == "journal":
        return process.started_ns, process.ended_ns
    if process.kind == "rocpd" and evidence.database is not None:
        wanted = {"start", "end"}
        if wanted <= evidence.database.columns("rocpd_info_process"):
            sql = 'SELECT start, "end" FROM rocpd_info_process WHERE guid = ? AND pid = ?'
            for row in evidence.database.rows(sql, (process.guid, process.pid)):
                return row["start"], row["end"]
    if process.kind == "perfetto" and evidence.raw is not None and len(evidence.from_trace) == 1:
        started = (s.annotations.get("tool_start_ns") for s in evidence.raw.slices if s.category == RUN)
        return next((ns for ns in started if isinstance(ns, int)), None), None
    return None, None


def _implausible(one: Clocks) -> Iterator[str]:
    """What cannot be right of three clocks that were read together."""
    if not one.boottime:
        return  # of a version before them
    if one.monotonic - one.boottime > _APART_NS:
        yield f"BOOTTIME is {one.boottime}, less than MONOTONIC, {one.monotonic}"
    if one.realtime < _OLDEST_NS:
        yield f"REALTIME is {one.realtime}, which is before 2020"
    if one.start and abs(one.boottime - one.start) > _START_NS:
        seconds = abs(one.boottime - one.start) / 1e9
        yield f"BOOTTIME is {one.boottime}, {seconds:.0f} s from the start of the process at {one.start}"


def _another_boot(evidence: Evidence, here: Clocks) -> Iterator[Finding]:
    """Of processes that one command started on one machine."""
    journal = evidence.journal
    if journal is None or len(evidence.of_run) < 2 or not here.boottime:  # noqa: PLR2004  itself and another
        return
    first = next(p for p in evidence.of_run if _job(p.path) == _job(journal.path))
    there = _of_journal(first.path)
    if first is journal or not _job(journal.path)[0] or not there.boottime:
        return
    apart = abs((here.realtime - here.boottime) - (there.realtime - there.boottime))
    if apart > _BOOT_NS:
        message = f"its clocks are {apart / 1e9:.0f} s apart from those of {first.path.name}, of the same job and host"
        yield Finding("warning", "clocks", journal.path.name, message)


def _job(path: Path) -> tuple[str, str, str]:
    """What processes have in common that one command started on one machine."""
    run = _run_of(path)
    return run.run_token, run.machine_id, run.hostname


def _of_journal(path: Path) -> Clocks:
    run = _run_of(path)
    return Clocks(run.boottime_ns, run.monotonic_ns, run.realtime_ns, run.start_ns)


def _run_of(path: Path) -> pb.Run:
    """What the first frame of a journal says; nothing where it is another one, damaged, or of a trace in no file."""
    if not path.is_file():
        return pb.Run()
    start = HEADER.size
    with naming(path), path.open("rb") as file:
        data = file.read(start + FRAME_HEAD.size)
        if (head := journal_frames.head_at(data, start)) is not None:
            data += file.read(head.length)  # a command line may be long
    found = journal_frames.frame_at(data, start)
    return found[0].run if found else pb.Run()


def _of_trace(path: Path) -> _Head:
    """The first clock snapshot of our first sequence, and whether that begins with a cleared state."""
    head = list(first_packets(path))
    ours = [packet for packet in head if packet.trusted_packet_sequence_id >= OUR_SEQUENCES]
    snapshot = next((p.clock_snapshot for p in ours if p.HasField("clock_snapshot")), None)
    clears = not ours or bool(ours[0].sequence_flags & STATE_CLEARED)
    if snapshot is None:
        return _Head(None, clears, any(packet.HasField("clock_snapshot") for packet in head))
    times = {clock.clock_id: clock.timestamp for clock in snapshot.clocks}
    return _Head(Clocks(*(times.get(number, 0) for number in _NAMES)), clears)
