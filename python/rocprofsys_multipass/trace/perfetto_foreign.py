# SPDX-License-Identifier: MIT
"""Reads dispatches and their counters from a Perfetto trace of rocprof-sys (docs/formats/foreign.md).

It draws a slice per execution, on a track of the queue or of the stream; `dispatch_id` in its arguments says of which
dispatch. Nothing says which pass it was, and only tracks of queues and counters which GPU.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from rocprofsys_multipass.trace.agent import Agent
from rocprofsys_multipass.trace.canonical import mark_canonical
from rocprofsys_multipass.trace.guard import Facts
from rocprofsys_multipass.trace.model import ROCPROF_SYS, Dispatch, Kernel, Pass, Process, Reading
from rocprofsys_multipass.trace.perfetto_file import RawTrace, Slice
from rocprofsys_multipass.trace.rocprof_sys import (
    BY_QUEUE,
    BY_STREAM,
    COUNTERS,
    JOINED_ID,
    JOINED_NOTE,
    Pulses,
    Span,
    counter_of,
    dim3_of,
    gpu_of_queue,
    readings_of,
    unclaimed_note,
)

Device = int | None


@dataclass(frozen=True)
class Execution:
    """One slice of a kernel."""

    slice: Slice
    process: int  # track
    dispatch_id: int
    device: Device  # by the name of its track

    @property
    def interval(self) -> Span:
        """Start and end in ns; a slice that is never closed has its start twice."""
        return self.slice.start_ns, self.slice.start_ns if self.slice.end_ns is None else self.slice.end_ns


def executions_of(raw: RawTrace) -> Iterator[Execution]:
    """The slices of kernels that rocprof-sys drew, in order of time; those without a `dispatch_id` are left out."""
    for one in raw.slices:
        categories = one.category.split(",")
        if BY_QUEUE not in categories and BY_STREAM not in categories:
            continue
        dispatch_id = one.annotations.get("dispatch_id")
        # This tool's own slices of that category say what became of the dispatch.
        if not isinstance(dispatch_id, int) or "outcome" in one.annotations or one.instant:
            continue
        device = gpu_of_queue(raw.tracks[one.track].name) if one.track in raw.tracks else None
        yield Execution(one, raw.process_of(one.track), dispatch_id, device)


@dataclass
class _OfProcess:
    """What one process drew."""

    executions: list[Execution] = field(default_factory=list)
    tracks: dict[Device, dict[str, Pulses]] = field(default_factory=lambda: defaultdict(dict))
    nameless: int = 0  # slices of kernels without an id


@dataclass
class _Builder:
    raw: RawTrace
    found: dict[int, _OfProcess] = field(default_factory=lambda: defaultdict(_OfProcess))

    def build(self) -> list[Process]:
        for execution in executions_of(self.raw):
            self.found[execution.process].executions.append(execution)
        for one in self.raw.slices:
            track = self.raw.tracks.get(one.track)
            if track and gpu_of_queue(track.name) is not None and "dispatch_id" not in one.annotations:
                self.found[self.raw.process_of(one.track)].nameless += 1
        for uuid, samples in self.raw.samples.items():
            track = self.raw.tracks.get(uuid)
            named = counter_of(track.name) if track else None
            if named is None or COUNTERS not in self.raw.sampled_as.get(uuid, COUNTERS).split(","):
                continue
            counter, device = named
            pulses = self.found[self.raw.process_of(uuid)].tracks[device].setdefault(counter, Pulses(counter))
            for time, value in zip(samples.times, samples.values, strict=True):
                pulses.add(time, value)
        found = {uuid: one for uuid, one in self.found.items() if one.executions or one.nameless}
        return [self._process(uuid, one, shared=len(found) > 1) for uuid, one in found.items()]

    def _process(self, uuid: int, of: _OfProcess, *, shared: bool) -> Process:
        notes: list[str] = []
        devices = _devices(of, notes)
        agents = {d: _agent(d) for d in dict.fromkeys(devices)}
        by_device: dict[Device, list[Span]] = defaultdict(list)
        for execution, device in zip(of.executions, devices, strict=True):
            by_device[device].append(execution.interval)
        read = {
            device: readings_of(of.tracks.get(device, {}).values(), intervals)
            for device, intervals in by_device.items()
        }
        grouped: dict[tuple[int, Device, str], list[Execution]] = defaultdict(list)
        for execution, device in zip(of.executions, devices, strict=True):
            grouped[execution.dispatch_id, device, execution.slice.name].append(execution)
        track = self.raw.tracks.get(uuid)
        pid = (track.pid if track else None) or 0
        dispatches = [
            self._dispatch(pid, agents[key[1]], executions, read[key[1]]) for key, executions in grouped.items()
        ]
        notes += _notes(of, dispatches)
        return Process(
            path=self.raw.path,
            kind="perfetto",
            pid=pid,
            agents=tuple(sorted(agents.values(), key=lambda a: a.index)),
            dispatches=tuple(sorted(dispatches, key=lambda d: d.dispatch_id)),
            kernels=tuple({d.symbol.name: d.symbol for d in dispatches}.values()),
            command=track.command if track else (),
            tool=ROCPROF_SYS,
            shares_file=shared,
            notes=tuple(notes),
        )

    def _dispatch(
        self,
        pid: int,
        agent: Agent,
        executions: list[Execution],
        read: Mapping[Span, dict[str, float]],
    ) -> Dispatch:
        first = executions[0].slice
        facts = Facts(first.annotations, f"{self.raw.path}: {self.raw.path_of(first.track)}, slice at {first.start_ns}")
        passes = []
        for k, one in enumerate(executions):
            mixed = JOINED_ID in first.annotations
            counted = _joined(first.annotations) if mixed else read.get(one.interval, {})
            readings = tuple(Reading(c, v) for c, v in counted.items())
            index = k if len(executions) > 1 else None
            passes.append(Pass(index, index or 0, one.slice.start_ns, one.slice.end_ns, readings, mixed=mixed))
        return Dispatch(
            process=pid,
            dispatch_id=executions[0].dispatch_id,
            agent=agent,
            symbol=Kernel(id=facts.whole("kernel_id"), name=first.name, demangled=first.name),
            outcome="replayed" if len(executions) > 1 else "single_pass",
            passes_planned=len(passes) if any(p.readings for p in passes) else 0,
            passes=mark_canonical(passes, agent),
            queue_id=_number(first.annotations.get("queue")),
            stream_id=_number(first.annotations.get("stream_id")),
            grid=dim3_of(first.annotations.get("grid_size")),
            workgroup=dim3_of(first.annotations.get("workgroup_size")),
        )


def _joined(annotations: Mapping[str, object]) -> dict[str, float]:
    """The counters of another run: the numbers behind the dispatch id there."""
    names = list(annotations)
    joined = {name: annotations[name] for name in names[names.index(JOINED_ID) + 1 :]}
    return {
        name: float(value)
        for name, value in joined.items()
        if isinstance(value, (int, float)) and not isinstance(value, bool)
    }


def _agent(device: Device) -> Agent:
    """The trace says of a GPU no more than its number, and not always that."""
    return (
        Agent(index=-1, device=None, name="unknown GPU")
        if device is None
        else Agent(index=device, device=device, name="")
    )


def _devices(of: _OfProcess, notes: list[str]) -> list[Device]:
    """The GPU of each execution: by its track, by the only one with counters at those times, or the only one named."""
    known = {e.device for e in of.executions if e.device is not None} | of.tracks.keys()
    only = next(iter(known)) if len(known) == 1 else 0 if not known else None
    devices: list[Device] = []
    open_ = 0
    for execution in of.executions:
        start, end = execution.interval
        beside = [
            device for device, tracks in of.tracks.items() if any(p.has(start) and p.has(end) for p in tracks.values())
        ]
        device = execution.device if execution.device is not None else beside[0] if len(beside) == 1 else only
        open_ += device is None
        devices.append(device)
    if open_:
        notes.append(f"nothing says on which GPU kernels drawn by stream ran (executions: {open_})")
    elif not known and of.executions:
        notes.append("the trace names no GPU: all kernels are taken to have run on GPU 0")
    return devices


def _notes(of: _OfProcess, dispatches: list[Dispatch]) -> Iterator[str]:
    several = sum(len(d.passes) > 1 for d in dispatches)
    if several:
        yield (
            "no slice says which pass it is: those of a dispatch are taken as its passes, in order of start "
            f"(dispatches: {several})"
        )
    if any(p.mixed for d in dispatches for p in d.passes):
        yield JOINED_NOTE.format("")
    if of.nameless:
        yield (
            "slices of kernels without a dispatch_id are left out; record them with ROCPROFSYS_PERFETTO_ANNOTATIONS=ON "
            f"(slices: {of.nameless})"
        )
    if text := unclaimed_note(pulses for tracks in of.tracks.values() for pulses in tracks.values()):
        yield text


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def processes_of(raw: RawTrace) -> list[Process]:
    """The processes of rocprof-sys in a decoded trace; none where it has no kernel of theirs."""
    return _Builder(raw).build()
