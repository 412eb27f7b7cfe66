# SPDX-License-Identifier: MIT
"""Makes a process of the frames of a capture file (`*.journal`), as far as they can be read (`journal_frames`)."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice
from operator import le
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from rocprofsys_multipass.capture_loss import CaptureLoss, loss_in
from rocprofsys_multipass.errors import TraceError
from rocprofsys_multipass.journal_layout import HEADER
from rocprofsys_multipass.spelling import were
from rocprofsys_multipass.trace import journal_pb2 as pb
from rocprofsys_multipass.trace.agent import Agent
from rocprofsys_multipass.trace.canonical import mark_canonical, status_of
from rocprofsys_multipass.trace.guard import naming
from rocprofsys_multipass.trace.instances import instances_of
from rocprofsys_multipass.trace.journal_frames import Content, Damage, check_header, frame_at, located_frames
from rocprofsys_multipass.trace.journal_messages import (
    Layout,
    agent_of,
    in_order,
    index_of,
    interval_of,
    kernel_of,
    laid_out,
    layout_of,
    size_of,
    times_of,
)
from rocprofsys_multipass.trace.late import Rows
from rocprofsys_multipass.trace.left_out import LeftOut
from rocprofsys_multipass.trace.mapped import forget
from rocprofsys_multipass.trace.model import Dispatch, Kernel, Outcome, Pass, Process, Reading, outcome_of

if TYPE_CHECKING:
    from rocprofsys_multipass.trace.columns import Columns

EMPTY: Final = "there is nothing behind the header: the process died before it recorded anything"


_READ_AT_ONCE: Final = 8 << 20  # bytes of the file that are in memory, about, where it is mapped


class Builder:
    """Collects frames and makes a Process of them. Refers to agents and kernels that are missing by a note.

    Dispatches are not kept, only where they are: `dispatch` makes one of its frame, once all frames were added.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._run = pb.Run()
        self._agents: dict[int, Agent] = {}
        self._kernels: dict[tuple[int, int], Kernel] = {}
        self._ids, self._starts = array("Q"), array("Q")  # of dispatches: 16 bytes each, of which there are millions
        self._values = 0
        self._left_out = LeftOut()
        self._warnings: list[str] = []
        self._end: pb.End | None = None
        self._checkpoint: pb.Checkpoint | None = None  # the last one
        self._missing = 0  # dispatches that a checkpoint counts in front of it, and that were not found
        self._notes: dict[str, None] = {}
        self._frames: Counter[str] = Counter()
        self._behind_end = 0
        self._layouts: dict[tuple[object, ...], Layout | None] = {}

    def add(self, start: int, frame: pb.Frame) -> None:
        """Takes the next frame, which starts at that byte."""
        body = frame.WhichOneof("body")
        self._frames[body or "unknown"] += 1
        if self._end is not None and body not in ("end", None):
            self._behind_end += 1
        if body == "dispatch":
            self._values += self._readings_in(frame.dispatch)
            self._ids.append(frame.dispatch.dispatch_id)
            self._starts.append(start)
        elif body == "run":
            self._run = frame.run
        elif body == "agent":
            self._agents[frame.agent.index] = agent_of(frame.agent)
        elif body == "kernel":
            self._kernels[frame.kernel.agent, frame.kernel.id] = kernel_of(frame.kernel)
        elif body == "warning":
            self._warnings.append(cast("pb.Warning", frame.warning).text)  # a stub of protoc takes it for the built-in
        elif body == "checkpoint":
            self._checkpoint = frame.checkpoint
            self._missing = max(self._missing, frame.checkpoint.dispatches - self._frames["dispatch"])
        elif body == "end":
            self._end = frame.end

    def _readings_in(self, dispatch: pb.Dispatch) -> int:
        """Values that are readings: numbers, of counters that the agent's frame, which comes before, describes."""
        counters = self._agents[dispatch.agent].counters if dispatch.agent in self._agents else ()
        described = len(counters)
        count = 0
        for p in dispatch.passes:
            if p.instances:
                self._left_out.add_instances(dispatch, p, counters)
            if math.isfinite(sum(p.values)) and max(p.counters, default=-1) < described:
                count += len(p.values)
            else:
                self._left_out.add(dispatch, p)
                count += sum(i < described and math.isfinite(v) for i, v in zip(p.counters, p.values, strict=False))
        return count

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
        count = frames["dispatch"]
        if self._end is not None and self._end.dispatches != count:
            self._notes[f"{self._end.dispatches} dispatches were written, {count} can be read"] = None
        elif self._missing:
            text = f"{were(self._missing, 'dispatch')} written and cannot be read: the checkpoints count them"
            self._notes[text] = None

    @property
    def path(self) -> Path:
        """The file."""
        return self._path

    @property
    def pid(self) -> int:
        """Of the process; 0 as long as no frame said it."""
        return self._run.pid

    @property
    def places(self) -> Places:
        """Where the dispatches are."""
        return Places(self._ids, self._starts)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the frames lack, as far as their dispatches were made."""
        return tuple(self._notes)

    def build(self, damage: Damage, loss: CaptureLoss | None) -> Process:
        """What the frames said, without the dispatches and what is to be noted about these. `loss`: by the header."""
        run, last = self._run, self._checkpoint
        self._note_order()
        return Process(
            path=self._path,
            kind="journal",
            pid=run.pid,
            agents=tuple(sorted(self._agents.values(), key=lambda a: a.index)),
            dispatches=(),
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
            sets=tuple(run.sets),
            warm_up_pass=run.warm_up_pass,
            timing_pass=run.timing_pass,
            permute_groups=run.permute_groups,
            compute_panels=tuple(run.compute_panels),
            keeps_instances=run.keeps_instances,
            warnings=tuple(self._warnings),
            notes=(*damage.notes(), *self._notes),
            left_out=self._left_out.notes(self._agents),
            not_numbers=self._left_out.counters(self._agents),
            closed=self._end is not None,
            events=run.events,
            sdk_library=run.sdk_library,
            started_ns=run.start_ns or None,
            ended_ns=(self._end.end_ns or None) if self._end is not None else None,
            values_recorded=self._values,
            records_lost=max(loss.records if loss else 0, last.dropped if last else 0),
            in_flight=last.in_flight if last is not None and self._end is None else None,
        )

    def agent(self, index: int) -> Agent:
        """The agent, as a frame describes it; without readings where none does."""
        agent = self._agents.get(index)
        if agent is None:
            self._notes[f"agent {index} is not described; the readings on it have no names and are left out"] = None
            agent = Agent(index=index, device=None, name=f"agent {index}")
        return agent

    def kernel(self, agent: int, kernel: int) -> Kernel:
        """The kernel, as a frame describes it."""
        return self._kernels.get((agent, kernel)) or self._kernel_of_any_agent(kernel)

    def dispatch(self, d: pb.Dispatch) -> Dispatch:
        """The dispatch of a frame, with agent and kernel as the frames describe them."""
        agent = self.agent(d.agent)
        outcome = outcome_of(d.outcome, f"{self._path}: dispatch {d.dispatch_id}")
        records = in_order(d.passes)
        values = [list(p.values) for p in records]
        layout = self.layout(d.agent, outcome, records, values)
        return Dispatch(
            process=self._run.pid,
            dispatch_id=d.dispatch_id,
            agent=agent,
            symbol=self.kernel(d.agent, d.kernel),
            outcome=outcome,
            reason=d.reason,
            passes_planned=d.passes_planned,
            passes=self._passes(records, agent, outcome)
            if layout is None
            else laid_out(records, values, layout, agent.counters),
            queue_id=d.queue_id,
            stream_id=d.stream_id,
            thread_id=d.thread_id,
            grid=size_of(list(d.grid)),
            workgroup=size_of(list(d.workgroup)),
            warm_up=interval_of(d.warm_up) if d.HasField("warm_up") else None,
            timing=interval_of(d.timing) if d.HasField("timing") else None,
            correlation_id=d.correlation_id,
            private_segment_size=d.private_segment_size,
            group_segment_size=d.group_segment_size,
        )

    def layout(
        self, agent: int, outcome: Outcome, records: Sequence[pb.Pass], values: Sequence[list[float]]
    ) -> Layout | None:
        """What these executions read; None: not every value of them is a reading.

        It is found once for all dispatches that are alike, which takes a third of the time of finding it for each.
        """
        read: list[tuple[int, tuple[int, ...]]] = []
        for p, of_pass in zip(records, values, strict=True):
            counters = tuple(p.counters)
            if len(of_pass) != len(counters) or not math.isfinite(sum(of_pass)):  # one is not, or all of them are huge
                return None
            read.append((p.group, counters))
        key = (agent, outcome == "filtered", *read)
        if key not in self._layouts:
            made = self._passes(records, self.agent(agent), outcome)
            whole = all(len(p.readings) == len(of_pass) for p, of_pass in zip(made, values, strict=True))
            self._layouts[key] = layout_of(made) if whole else None
        return self._layouts[key]

    def _kernel_of_any_agent(self, kernel: int) -> Kernel:
        for (_, known), symbol in self._kernels.items():
            if known == kernel:
                return symbol
        self._notes[f"kernel {kernel} is not described; its dispatches are called 'kernel {kernel}'"] = None
        return Kernel(id=kernel, name=f"kernel {kernel}", demangled=f"kernel {kernel}")

    def _passes(self, records: Iterable[pb.Pass], agent: Agent, outcome: Outcome) -> tuple[Pass, ...]:
        return mark_canonical([self._pass(p, agent, outcome) for p in records], agent)

    def _pass(self, p: pb.Pass, agent: Agent, outcome: Outcome) -> Pass:
        if len(p.counters) != len(p.values):
            raise TraceError(
                f"{self._path}: a pass names {len(p.counters)} counters and has {len(p.values)} values; "
                "the file was written by a defective version"
            )
        known = [(i, v) for i, v in zip(p.counters, p.values, strict=True) if i < len(agent.counters)]
        if len(known) != len(p.counters) and agent.counters:
            self._notes[f"counters beyond the {len(agent.counters)} of agent {agent.index} are left out"] = None
        readings = tuple(Reading(agent.counters[i].name, v) for i, v in known if math.isfinite(v))
        status = status_of(outcome, agent.counters_of(p.group), readings)
        start_ns, end_ns = times_of(p)
        instances = instances_of(p, agent.counters)
        return Pass(index_of(p), p.group, start_ns, end_ns, readings, status, instances=instances)


class Places:
    """Dispatch id and byte of the frame of each dispatch, in order of the id."""

    def __init__(self, ids: array[int], starts: array[int]) -> None:
        self._ids, self._starts = ids, starts
        in_order = all(map(le, ids, islice(ids, 1, None)))
        self._order: Sequence[int] = range(len(ids))
        if not in_order:
            self._order = array("Q", sorted(self._order, key=ids.__getitem__))

    def __len__(self) -> int:
        return len(self._ids)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return ((self._ids[k], self._starts[k]) for k in self._order)


class JournalRows(Rows):
    """The dispatches of a journal, whose content stays as it was when the file was opened."""

    def __init__(self, data: Content, builder: Builder, damage: Damage) -> None:
        self._data = data
        self._builder = builder
        self._damage = damage
        self._places = builder.places

    def __len__(self) -> int:
        return len(self._places)

    def messages(self) -> Iterator[pb.Dispatch]:
        """Dispatch by dispatch in order of id, as it was written."""
        forgotten = 0
        for dispatch_id, start in self._places:
            if start - forgotten > _READ_AT_ONCE:
                forgotten = forget(self._data, forgotten, start)
            found = frame_at(self._data, start)
            if found is None:
                raise TraceError(
                    f"{self._builder.path}: dispatch {dispatch_id} at byte {start} changed while the file was read; "
                    "read it again"
                )
            yield found[0].dispatch

    def dispatches(self) -> Iterator[Dispatch]:
        """One after another."""
        with naming(self._builder.path):
            yield from map(self._builder.dispatch, self.messages())

    @cached_property
    def _all(self) -> tuple[Dispatch, ...]:
        return tuple(self.dispatches())

    def __call__(self) -> tuple[Dispatch, ...]:
        """All of them."""
        return self._all

    def columns(self) -> Columns | None:
        """Their readings without an object for each."""
        from rocprofsys_multipass.trace.journal_columns import columns_of  # loads numpy

        with naming(self._builder.path):
            return columns_of(self._builder, self.messages())

    def notes(self) -> tuple[str, ...]:
        """What the reader noted, about the dispatches too: they are made for it."""
        self()
        return (*self._damage.notes(), *self._builder.notes)


def scan(data: Content, path: Path) -> tuple[Process, JournalRows]:
    """The process of a journal, without its dispatches, and these. TraceError: it is no journal of this version."""
    with naming(path):
        check_header(data, path)
        damage = Damage()
        builder = Builder(path)
        forgotten = 0
        for start, frame in located_frames(data, damage):
            builder.add(start, frame)
            if start - forgotten > _READ_AT_ONCE:
                forgotten = forget(data, forgotten, start)
        return builder.build(damage, loss_in(data[: HEADER.size])), JournalRows(data, builder, damage)


def open_journal(path: Path) -> Process:
    """The content of a journal, as far as it can be read; its dispatches are made when they are asked for.

    TraceError: the file cannot be opened, is no journal, or holds what this version does not know.
    """
    with naming(path):
        data = path.read_bytes()
    process, rows = scan(data, path)
    return replace(process, dispatches=rows, notes=rows.notes)


def read_journal(path: Path) -> Process:
    """As `open_journal`, with the dispatches made."""
    process = open_journal(path)
    return replace(process, dispatches=process.dispatches)
