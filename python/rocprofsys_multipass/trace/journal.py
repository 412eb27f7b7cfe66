# SPDX-License-Identifier: MIT
"""Reads a capture file (`*.journal`), whole, torn or damaged.

16 bytes of header (magic, version, zero), then frames: magic `MPFR`, length and CRC-32 of the payload as
little-endian u32, payload (a `Frame` of library/journal/journal.proto). A file that ends inside a frame is read up to
the last whole one. Damage in the middle costs the frames it touches: reading goes on at the next frame whose CRC is
right. Both are said in the notes.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, cast

from google.protobuf.message import DecodeError

from rocprofsys_multipass.errors import TraceError
from rocprofsys_multipass.trace import journal_pb2 as pb
from rocprofsys_multipass.trace.canonical import mark_canonical
from rocprofsys_multipass.trace.guard import naming
from rocprofsys_multipass.trace.model import (
    Agent,
    CounterInfo,
    Dim3,
    Dispatch,
    Kernel,
    Pass,
    PlannedPass,
    Process,
    Reading,
    Unplaceable,
    outcome_of,
)

FILE_MAGIC: Final = b"RSMPJRNL"
FRAME_MAGIC: Final = b"MPFR"
VERSION: Final = 1
HEADER: Final = struct.Struct("<8sII")
EMPTY: Final = "there is nothing behind the header: the process died before it recorded anything"
TORN: Final = "the file ends inside"  # begins the note about a file that was cut
FRAME_HEAD: Final = struct.Struct("<4sII")


@dataclass
class Damage:
    """What was not read: bytes cut at the end, and (from, to) ranges that were skipped before it."""

    torn_at: int | None = None
    skipped: list[tuple[int, int]] = field(default_factory=list)

    def notes(self) -> list[str]:
        """Sentences for people."""
        texts = [f"bytes {a} to {b} are damaged; the frames in them are lost" for a, b in self.skipped]
        if self.torn_at is not None:
            texts.append(f"{TORN} the frame at byte {self.torn_at}; that frame is lost")
        return texts


def _frame_at(data: bytes, offset: int) -> tuple[pb.Frame, int] | None:
    """The frame that starts at `offset` and the offset behind it; None: there is no whole frame."""
    if len(data) - offset < FRAME_HEAD.size:
        return None
    magic, length, crc = FRAME_HEAD.unpack_from(data, offset)
    start = offset + FRAME_HEAD.size
    if magic != FRAME_MAGIC or length > len(data) - start:
        return None
    payload = data[start : start + length]
    if zlib.crc32(payload) != crc:
        return None
    try:
        return pb.Frame.FromString(payload), start + length
    except DecodeError:
        return None


def frames(data: bytes, damage: Damage) -> Iterator[pb.Frame]:
    """The whole frames of a file's content behind its header; fills `damage`."""
    offset = HEADER.size
    while offset < len(data):
        found = _frame_at(data, offset)
        if found is None:
            behind = _next_frame(data, offset)
            if behind is None:
                damage.torn_at = offset
                return
            damage.skipped.append((offset, behind[0]))
            found = behind[1]
        frame, offset = found
        yield frame


def _next_frame(data: bytes, after: int) -> tuple[int, tuple[pb.Frame, int]] | None:
    """Where the first whole frame behind `after` starts, and that frame."""
    offset = data.find(FRAME_MAGIC, after + 1)
    while offset >= 0:
        found = _frame_at(data, offset)
        if found is not None:
            return offset, found
        offset = data.find(FRAME_MAGIC, offset + 1)
    return None


def _check_header(data: bytes, path: Path) -> None:
    if len(data) < HEADER.size:
        raise TraceError(
            f"{path}: {len(data)} bytes are no journal, its header has {HEADER.size}; "
            "the process died before it recorded anything"
        )
    magic, version, _ = HEADER.unpack_from(data)
    if magic != FILE_MAGIC:
        raise TraceError(f"{path}: byte 0: no journal (it starts with {magic!r}); give the file that a run wrote")
    if version != VERSION:
        raise TraceError(
            f"{path}: byte 8: journal version {version}, this package reads version {VERSION}; "
            "read it with the version of the package that wrote it"
        )


class _Builder:
    """Collects frames and makes a Process of them. Refers to agents and kernels that are missing by a note."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._run = pb.Run()
        self._agents: dict[int, Agent] = {}
        self._kernels: dict[tuple[int, int], Kernel] = {}
        self._dispatches: list[pb.Dispatch] = []
        self._warnings: list[str] = []
        self._end: pb.End | None = None
        self._notes: dict[str, None] = {}
        self._frames: Counter[str] = Counter()
        self._behind_end = 0

    def add(self, frame: pb.Frame) -> None:
        body = frame.WhichOneof("body")
        self._frames[body or "unknown"] += 1
        if self._end is not None and body not in ("end", None):
            self._behind_end += 1
        if body == "run":
            self._run = frame.run
        elif body == "agent":
            self._agents[frame.agent.index] = _agent(frame.agent)
        elif body == "kernel":
            self._kernels[frame.kernel.agent, frame.kernel.id] = _kernel(frame.kernel)
        elif body == "dispatch":
            self._dispatches.append(frame.dispatch)
        elif body == "warning":
            self._warnings.append(cast("pb.Warning", frame.warning).text)  # a stub of protoc takes it for the built-in
        elif body == "end":
            self._end = frame.end

    def _note_order(self) -> None:
        """The order that a writer keeps: one frame of the run first, one that ends the file last."""
        frames = self._frames
        if not frames:
            self._notes[EMPTY] = None
        elif not frames["run"]:
            self._notes["there is no frame that says what the run was"] = None
        elif frames["run"] > 1:
            self._notes[f"the file describes {frames['run']} runs, it is of one"] = None
        if frames["end"] > 1:
            self._notes[f"the file has {frames['end']} last frames"] = None
        if self._behind_end:
            self._notes[f"{self._behind_end} frames stand behind the last one"] = None

    def build(self, damage: Damage) -> Process:
        run = self._run
        self._note_order()
        dispatches = sorted((self._dispatch(d) for d in self._dispatches), key=lambda d: d.dispatch_id)
        if self._end is not None and self._end.dispatches != len(dispatches):
            self._notes[f"{self._end.dispatches} dispatches were written, {len(dispatches)} can be read"] = None
        return Process(
            path=self._path,
            kind="journal",
            pid=run.pid,
            agents=tuple(sorted(self._agents.values(), key=lambda a: a.index)),
            dispatches=tuple(dispatches),
            kernels=tuple(self._kernels.values()),
            guid=run.guid,
            rank=run.rank if run.HasField("rank") else None,
            hostname=run.hostname,
            command=tuple(run.command),
            tool_version=run.tool_version,
            sdk_version=run.sdk_version,
            simulated=run.simulated,
            kernel_replay=run.kernel_replay,
            replay_mode=run.replay_mode,
            warnings=tuple(self._warnings),
            notes=(*damage.notes(), *self._notes),
            closed=self._end is not None,
            events=run.events,
            started_ns=run.start_ns or None,
            ended_ns=(self._end.end_ns or None) if self._end is not None else None,
            values_recorded=sum(len(p.values) for d in self._dispatches for p in d.passes),
        )

    def _dispatch(self, d: pb.Dispatch) -> Dispatch:
        agent = self._agents.get(d.agent)
        if agent is None:
            self._notes[f"agent {d.agent} is not described; the readings on it have no names and are left out"] = None
            agent = Agent(index=d.agent, device=None, name=f"agent {d.agent}")
        kernel = self._kernels.get((d.agent, d.kernel)) or self._kernel_of_any_agent(d.kernel)
        passes = [self._pass(p, agent) for p in d.passes]
        passes.sort(key=lambda p: -1 if p.index is None else p.index)
        return Dispatch(
            process=self._run.pid,
            dispatch_id=d.dispatch_id,
            agent=agent,
            symbol=kernel,
            outcome=outcome_of(d.outcome, f"{self._path}: dispatch {d.dispatch_id}"),
            reason=d.reason,
            passes_planned=d.passes_planned,
            passes=mark_canonical(passes, agent),
            queue_id=d.queue_id,
            stream_id=d.stream_id,
            thread_id=d.thread_id,
            grid=_dim3(list(d.grid)),
            workgroup=_dim3(list(d.workgroup)),
        )

    def _kernel_of_any_agent(self, kernel: int) -> Kernel:
        for (_, known), symbol in self._kernels.items():
            if known == kernel:
                return symbol
        self._notes[f"kernel {kernel} is not described; its dispatches are called 'kernel {kernel}'"] = None
        return Kernel(id=kernel, name=f"kernel {kernel}", demangled=f"kernel {kernel}")

    def _pass(self, p: pb.Pass, agent: Agent) -> Pass:
        if len(p.counters) != len(p.values):
            raise TraceError(
                f"{self._path}: a pass names {len(p.counters)} counters and has {len(p.values)} values; "
                "the file was written by a defective version"
            )
        known = [(i, v) for i, v in zip(p.counters, p.values, strict=True) if i < len(agent.counters)]
        if len(known) != len(p.counters) and agent.counters:
            self._notes[f"counters beyond the {len(agent.counters)} of agent {agent.index} are left out"] = None
        unknown = p.start_ns == 0 and p.end_ns == 0
        return Pass(
            index=getattr(p, "pass") if p.HasField("pass") else None,
            group=p.group,
            start_ns=None if unknown else p.start_ns,
            end_ns=None if unknown else p.end_ns,
            readings=tuple(Reading(agent.counters[i].name, v) for i, v in known if not math.isnan(v)),
        )


def _dim3(values: list[int]) -> Dim3 | None:
    x, y, z = values if len(values) == len("xyz") else (None, None, None)
    return None if x is None or y is None or z is None else (x, y, z)


def _agent(a: pb.Agent) -> Agent:
    return Agent(
        index=a.index,
        device=a.device if a.gpu else None,
        name=a.name,
        gpu=a.gpu,
        node_id=a.node_id,
        product_name=a.product_name,
        counters=tuple(CounterInfo(c.name, c.block, c.description, c.expression, c.instances) for c in a.counters),
        passes=tuple(PlannedPass(tuple(p.counters), tuple(p.sentinels)) for p in a.plan.passes),
        lower_bound=a.plan.lower_bound,
        proof=a.plan.proof,
        unplaceable=tuple(Unplaceable(u.counter, u.reason) for u in a.plan.unplaceable),
    )


def _kernel(k: pb.Kernel) -> Kernel:
    return Kernel(
        id=k.id,
        name=k.name,
        demangled=k.demangled,
        code_object_id=k.code_object_id,
        sgpr_count=k.sgpr_count,
        arch_vgpr_count=k.arch_vgpr_count,
        accum_vgpr_count=k.accum_vgpr_count,
    )


def read_journal(path: Path) -> Process:
    """The content of a journal, as far as it can be read.

    TraceError: the file cannot be opened, is no journal, or holds what this version does not know.
    """
    with naming(path):
        data = path.read_bytes()
        _check_header(data, path)
        damage = Damage()
        builder = _Builder(path)
        for frame in frames(data, damage):
            builder.add(frame)
        return builder.build(damage)
