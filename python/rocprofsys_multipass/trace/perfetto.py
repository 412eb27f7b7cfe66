# SPDX-License-Identifier: MIT
"""Reads a run from its Perfetto trace: logical dispatches, replay passes and counter tracks by their names.

docs/formats/perfetto.md says what is where. Other producers' tracks in the same file are passed over; where there is
nothing else, those of rocprof-sys are read (`trace.perfetto_foreign`).
A counter track holds a value at the start of each execution and 0 at its end; such a pair belongs to the execution
with the same start and end on that track's GPU and pass.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from rocprofsys_multipass.errors import TraceError
from rocprofsys_multipass.trace import perfetto_foreign
from rocprofsys_multipass.trace.agent import PROPERTIES, Agent, PlannedPass
from rocprofsys_multipass.trace.canonical import mark, mark_canonical, status_of
from rocprofsys_multipass.trace.guard import Facts, naming
from rocprofsys_multipass.trace.model import (
    Dim3,
    Dispatch,
    Interval,
    Kernel,
    Outcome,
    Pass,
    Process,
    Reading,
    Status,
    outcome_of,
)
from rocprofsys_multipass.trace.perfetto_file import RawTrace, Slice, Track, decode
from rocprofsys_multipass.trace.perfetto_merged import GPU, gpu_in, nameless_kernels
from rocprofsys_multipass.trace.perfetto_plan import planned_passes

DISPATCH: Final = "rocm_kernel_dispatch"
UNTIMED: Final = "rocm_kernel_dispatch_untimed"
REPLAY: Final = "rocm_kernel_replay_pass"
EXTRA: Final = "rocm_kernel_replay_extra"
RUN: Final = "rocm_multipass_run"
NOT_COUNTERS: Final = frozenset(
    {
        "dispatch_id",
        "outcome",
        "decline_reason",
        "incomplete_reason",
        "filter_reason",
        "unsafe_reason",
        "passes",
        "executions",
        "extra_passes",
        "time_of",
        "group",
        "grid_size",
        "workgroup_size",
        "group_segment_size",
        "private_segment_size",
        "kernel_id",
        "queue",
        "stream_id",
        "thread_id",
        "corr_id",
        "times_swapped",
        GPU,
    }
)
WITHOUT_COUNTERS: Final = (
    "the trace was written without counters (--trace-counters none): they are in journal and database of the run"
)
REASONS: Final = ("decline_reason", "incomplete_reason", "filter_reason", "unsafe_reason")
_COUNTER_TRACK: Final = re.compile(r"GPU (.+) \[(\d+)\](?: (pass|group) (\d+))?(?: \(\d+\))?(?: \(multipass\))?")

Times = tuple[int, int | None]
Scope = tuple[str, int]  # ("pass", 2), ("group", 1), or ("", 0) on an agent with one pass


@dataclass(frozen=True, slots=True)
class CounterTrack:
    """A counter track of ours, by what its name says."""

    uuid: int
    gpu: int  # uuid of the GPU's track
    counter: str
    scope: Scope


@dataclass
class _Gpu:
    track: Track
    agent: Agent
    logical: list[Slice] = field(default_factory=list)
    passes: dict[int, dict[int, Slice]] = field(default_factory=lambda: defaultdict(dict))  # dispatch id, pass
    extras: dict[int, dict[str, Slice]] = field(default_factory=lambda: defaultdict(dict))  # dispatch id, what for
    readings: dict[Scope, dict[Times, list[dict[str, float]]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(list))
    )


def counter_annotations(logical: Slice) -> dict[str, float]:
    """The counters that a logical slice shows, by name."""
    return {
        key: float(value)
        for key, value in logical.annotations.items()
        if (type(value) is int or (type(value) is float and not math.isnan(value))) and key not in NOT_COUNTERS
    }


def gpu_of(raw: RawTrace, uuid: int) -> int | None:
    """The GPU track at or above a track; None: it is not one of ours."""
    for _ in range(8):
        track = raw.tracks.get(uuid)
        if track is None:
            return None
        if not track.counter and gpu_in(track.name):
            return uuid
        uuid = track.parent
    return None


def device_of(raw: RawTrace, uuid: int) -> tuple[int, int | None]:
    """Process id and GPU ordinal of a track; (0, None) when it is not one of ours."""
    gpu = gpu_of(raw, uuid)
    named = gpu_in(raw.tracks[gpu].name) if gpu is not None else None
    if gpu is None or named is None:
        return 0, None
    process = raw.tracks.get(raw.tracks[gpu].parent)
    return (process.pid if process else None) or 0, named[0]


def counter_tracks(raw: RawTrace) -> Iterator[CounterTrack]:
    """The counter tracks below GPU tracks, in order of declaration."""
    for track in raw.tracks.values():
        match = _COUNTER_TRACK.fullmatch(track.name) if track.counter else None
        gpu = gpu_of(raw, track.parent) if match else None
        if match and gpu is not None:
            yield CounterTrack(track.uuid, gpu, match[1], (match[3] or "", int(match[4] or 0)))


class _Where(NamedTuple):
    """The place of a slice, made a text when there is something wrong with it."""

    raw: RawTrace
    slice: Slice

    def __str__(self) -> str:
        return f"{self.raw.path}: {self.raw.path_of(self.slice.track)}, slice at {self.slice.start_ns}"


class _Builder:
    def __init__(self, raw: RawTrace) -> None:
        self._raw = raw
        self._gpus: dict[int, _Gpu] = {}
        self._notes: dict[str, None] = {}
        self._run: dict[int, dict[str, Any]] = {}  # by process track
        self._nameless: Mapping[int, str] = {}  # by process track

    def build(self) -> list[Process]:
        for track in self._raw.tracks.values():
            named = None if track.counter else gpu_in(track.name)
            if named:
                device, name = named
                self._gpus[track.uuid] = _Gpu(track, Agent(index=device, device=device, name=name))
        self._sort_slices()
        self._sort_readings()
        drawn = {one.name for gpu in self._gpus.values() for of in gpu.passes.values() for one in of.values()}
        self._nameless = nameless_kernels(self._raw, drawn)
        by_process: dict[int, list[_Gpu]] = {uuid: [] for uuid in self._run}
        for gpu in self._gpus.values():
            by_process.setdefault(gpu.track.parent, []).append(gpu)
        shared = len(by_process) > 1
        return [self._process(uuid, gpus, shared=shared) for uuid, gpus in by_process.items()]

    def _sort_slices(self) -> None:
        for one in self._raw.slices:
            if one.category == RUN:
                self._run[self._raw.process_of(one.track)] = dict(one.annotations)
                continue
            if one.category not in (DISPATCH, UNTIMED, REPLAY, EXTRA) or "dispatch_id" not in one.annotations:
                continue
            uuid = gpu_of(self._raw, one.track)
            if uuid is None:
                continue
            facts = self._facts(one)
            if one.category == EXTRA:
                self._gpus[uuid].extras[facts.count("dispatch_id")][facts.text("replay_extra")] = one
            elif one.category == REPLAY:
                self._gpus[uuid].passes[facts.count("dispatch_id")][facts.count("replay_pass")] = one
            else:
                self._gpus[uuid].logical.append(one)

    def _facts(self, one: Slice) -> Facts:
        return Facts(one.annotations, _Where(self._raw, one))

    def _sort_readings(self) -> None:
        for track in counter_tracks(self._raw):
            gpu = self._gpus[track.gpu]
            counter, of_scope = track.counter, gpu.readings[track.scope]
            for start, end, value in self._raw.samples_of(track.uuid).pulses():
                # Executions on two lanes may have equal times: each gets one value of a counter.
                sets = of_scope[start, end]
                for free in sets:
                    if counter not in free:
                        break
                else:
                    free = {}
                    sets.append(free)
                if not math.isnan(value):
                    free[counter] = value

    def _process(self, uuid: int, gpus: list[_Gpu], *, shared: bool) -> Process:
        track = self._raw.tracks.get(uuid)
        said = self._run.get(uuid, {})
        run = Facts(said, f"{self._raw.path}: {RUN}")
        pid = (track.pid if track else None) or 0
        lines = run.texts("properties")
        bare = run.text("trace_counters") == "none"
        if bare:
            self._notes[WITHOUT_COUNTERS] = None
        for gpu in gpus:
            plan = self._plan(gpu, said.get("plan"))
            properties = _properties(gpu.agent, lines)
            gpu.agent = replace(gpu.agent, properties=properties, passes=plan, without_counters=bare)
        dispatches = [self._dispatch(pid, gpu, one) for gpu in gpus for one in gpu.logical]
        if uuid in self._nameless:
            self._notes[self._nameless[uuid]] = None
        unclaimed = sum(len(sets) for gpu in gpus for scope in gpu.readings.values() for sets in scope.values())
        if unclaimed:
            self._notes[f"{unclaimed} counter values belong to no execution of that start and end"] = None
        kernels = {d.symbol.name: d.symbol for d in dispatches}
        return Process(
            path=self._raw.path,
            kind="perfetto",
            pid=pid,
            agents=tuple(gpu.agent for gpu in sorted(gpus, key=lambda g: g.agent.index)),
            dispatches=tuple(sorted(dispatches, key=lambda d: d.dispatch_id)),
            kernels=tuple(kernels.values()),
            guid=run.text("guid"),
            rank=run.whole("rank"),
            hostname=run.text("hostname"),
            shares_file=shared,
            command=(track.command if track else ()) or tuple(run.text("command").split()),
            tool_version=run.text("tool_version"),
            sdk_version=run.text("sdk_version"),
            simulated=run.flag("simulated"),
            kernel_replay=run.flag("kernel_replay"),
            replay_mode=run.text("replay_mode"),
            sets=run.texts("sets"),
            warm_up_pass=run.flag("warm_up_pass") or False,
            timing_pass=run.flag("timing_pass") or False,
            permute_groups=run.flag("permute_groups") or False,
            warnings=run.texts("warnings"),
            notes=tuple(self._notes),
        )

    def _plan(self, gpu: _Gpu, lines: object) -> tuple[PlannedPass, ...]:
        """The plan of a GPU; none where the trace does not tell it, or fewer passes than its dispatches have."""
        plan = planned_passes(gpu.agent.label, lines if isinstance(lines, list) else ())
        most = max((self._facts(one).count("passes") for one in gpu.logical), default=0)
        return plan if most <= len(plan) else ()

    def _take(self, gpu: _Gpu, scope: Scope, one: Slice, wanted: dict[str, float], group: int) -> tuple[Reading, ...]:
        of_scope = gpu.readings.get(scope, {})
        sets = of_scope.get((one.start_ns, one.end_ns))
        if not sets:
            return ()
        # Several executions with the same times: that with the values on the logical slice.
        best = 0
        if len(sets) > 1 and wanted:
            best = max(range(len(sets)), key=lambda i: sum(wanted.get(c) == v for c, v in sets[i].items()))
        found = sets.pop(best)
        if not sets:
            del of_scope[one.start_ns, one.end_ns]
        guests = gpu.agent.sentinels_of(group)  # most are marked right so, and need not be made again
        return tuple([Reading(counter, value, counter not in guests) for counter, value in found.items()])

    def _dispatch(self, pid: int, gpu: _Gpu, one: Slice) -> Dispatch:
        a = self._facts(one)
        dispatch_id = a.count("dispatch_id")
        outcome = outcome_of(a.text("outcome"), f"{self._raw.path}: dispatch {dispatch_id}")
        shown = counter_annotations(one)
        passes = self._passes(gpu, one, a, shown)
        passes = self._with_untimed(gpu, one, passes, a, shown)
        passes = [p if _status(p, gpu.agent, outcome) == p.status else replace(p, status="PARTIAL") for p in passes]
        return Dispatch(
            process=pid,
            dispatch_id=dispatch_id,
            agent=gpu.agent,
            symbol=Kernel(id=a.whole("kernel_id"), name=one.name, demangled=one.name),
            outcome=outcome,
            reason=next((a.text(name) for name in REASONS if a.text(name)), ""),
            passes_planned=a.count("passes"),
            passes=mark_canonical(passes, gpu.agent) if gpu.agent.passes else _marked(passes, one),
            queue_id=a.whole("queue"),
            stream_id=a.whole("stream_id"),
            thread_id=a.whole("thread_id"),
            grid=_dim3(a.text("grid_size")),
            workgroup=_dim3(a.text("workgroup_size")),
            warm_up=_extra("warm-up", a, gpu.extras.get(dispatch_id, {})),
            timing=_extra("timing", a, gpu.extras.get(dispatch_id, {})),
            correlation_id=a.whole("corr_id"),
            private_segment_size=a.whole("private_segment_size"),
        )

    def _passes(self, gpu: _Gpu, one: Slice, a: Facts, wanted: dict[str, float]) -> list[Pass]:
        replays = gpu.passes.get(a.count("dispatch_id"))
        if replays:
            one_pass = a.count("passes") == 1  # its counters are on the GPU itself
            passes = []
            for k, s in sorted(replays.items()):
                of = self._facts(s).count("group", k)
                readings = self._take(gpu, ("", 0) if one_pass else ("pass", k), s, wanted, of)
                passes.append(Pass(k, of, s.start_ns, s.end_ns, readings))
            return passes
        if one.instant or a.text("time_of") == "timing pass":
            return []  # no pass ran
        group = a.whole("group")
        scopes: list[Scope] = [("", 0)] if group is None else [("group", group)]
        readings = next((r for scope in scopes if (r := self._take(gpu, scope, one, wanted, group or 0))), ())
        return [Pass(None, group or 0, one.start_ns, one.end_ns, readings)]

    def _with_untimed(self, gpu: _Gpu, one: Slice, passes: list[Pass], a: Facts, shown: dict[str, float]) -> list[Pass]:
        """Adds what is on the logical slice only: an execution without times is not drawn.

        Of one such execution it is known which pass it was, of several it is not: their readings come without a pass.
        """
        executions = a.count("executions", len(passes) or 1)
        drawn = {r.counter for p in passes for r in p.readings}
        if executions > len(passes):  # a sentinel of another value is not the reading shown
            drawn -= _only_guests(passes, gpu.agent, shown)
        readings = tuple(Reading(c, v) for c, v in shown.items() if c not in drawn)
        if not readings and executions <= len(passes):
            return passes
        group = a.count("group")
        if executions == 1:
            start, end = (one.start_ns, one.end_ns) if passes else (None, None)
            return [Pass(None, group, start, end, readings)]
        index = _only_absent(executions, {p.index for p in passes})
        read = None if index is None else _only_absent(executions, {p.group for p in passes})
        untimed = Pass(index, read or 0, None, None, readings, "PARTIAL", mixed=index is None)
        return sorted([*passes, untimed], key=lambda p: -1 if p.index is None else p.index)


def _marked(passes: list[Pass], one: Slice) -> tuple[Pass, ...]:
    """The reading of each counter that the logical slice shows.

    For a trace without a plan: what the slice does not show are sentinels that nobody requested. Of several passes that
    read a counter some may have it as a sentinel: it is the lowest that has the value shown.
    """
    shown = counter_annotations(one)
    chosen: dict[str, int] = {}
    fallback: dict[str, int] = {}
    for position, p in enumerate(passes):
        for r in p.readings:
            if r.counter in shown:
                (chosen if r.value == shown[r.counter] else fallback).setdefault(r.counter, position)
    return mark(passes, fallback | chosen)


def _status(one: Pass, agent: Agent, outcome: Outcome) -> Status:
    """What the plan says of a pass; one that is partial already stays so.

    Sentinels that nobody requested are on the tracks only, where an execution without times is not.
    """
    if one.status != "OK" or agent.without_counters:
        return one.status
    drawn = one.start_ns is not None
    counters = agent.counters_of(one.group)
    return status_of(outcome, counters if drawn else set(counters) - agent.sentinels_only, one.readings)


def _only_guests(passes: list[Pass], agent: Agent, shown: dict[str, float]) -> set[str]:
    """Counters that these passes read as sentinels only, and with another value than that shown."""
    read = [(p, r) for p in passes for r in p.readings]
    own = {
        r.counter for p, r in read if r.counter not in agent.sentinels_of(p.group) or r.value == shown.get(r.counter)
    }
    return {r.counter for _, r in read} - own


def _properties(agent: Agent, lines: tuple[str, ...]) -> tuple[tuple[str, int], ...]:
    """Those of one GPU, of the lines of all: ``GPU 0 [gfx942] cu_count=304, simd_count=1216``."""
    line = next((line for line in lines if line.startswith(f"{agent.label} ")), "")
    said = {name: int(value) for name, value in re.findall(r"(\w+)=(\d{1,18})\b", line)}
    return tuple((name, said[name]) for name in PROPERTIES if said.get(name))


def _extra(name: str, logical: Facts, drawn: dict[str, Slice]) -> Interval | None:
    """An execution without counters; one without times is not drawn, the logical slice alone tells of it."""
    if name in drawn:
        return Interval(drawn[name].start_ns, drawn[name].end_ns)
    return Interval(None, None) if name in logical.text("extra_passes").split(", ") else None


def _only_absent(executions: int, known: AbstractSet[int | None]) -> int | None:
    """The one pass below `executions` that is not known; None: there are several, or none."""
    if executions > len(known) + 1:  # a damaged number may be as large as any
        return None
    absent = sorted(set(range(executions)) - known)
    return absent[0] if len(absent) == 1 else None


def _dim3(text: str) -> Dim3 | None:
    parts = re.fullmatch(r"(\d+),(\d+),(\d+)", text)
    return (int(parts[1]), int(parts[2]), int(parts[3])) if parts else None


def processes_of(raw: RawTrace) -> list[Process]:
    """The processes of this tool in a decoded trace; where it has none, those of rocprof-sys."""
    with naming(raw.path):
        return _Builder(raw).build() or perfetto_foreign.processes_of(raw)


def read_perfetto(path: Path) -> list[Process]:
    """The processes in a trace file.

    TraceError: it cannot be opened, is cut or has garbage at its end, or holds no dispatch of this tool or rocprof-sys.
    """
    raw = decode(path)
    broken = next((p for p in raw.problems if p.kind == "bytes"), None)
    if broken:
        raise TraceError(
            f"{path}: {broken.where}: {broken.text}; the file is damaged: write it again with "
            "`rocprof-sys-multipass export` from the journal beside it"
        )
    found = processes_of(raw)
    if not found:
        raise TraceError(
            f"{path}: no track `GPU <n> [<arch>]` in it, and no kernel of rocprof-sys with a dispatch_id: "
            "not a trace of this tool or that one, or of a run without any dispatch"
        )
    return found
