# SPDX-License-Identifier: MIT
"""Checks of a Perfetto trace: what its importer drops or shows wrongly without saying so."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, Final

from rocprofsys_multipass.trace.agent import Agent
from rocprofsys_multipass.trace.guard import shown
from rocprofsys_multipass.trace.model import Dim3, Dispatch, Process
from rocprofsys_multipass.trace.perfetto import (
    DISPATCH,
    EXTRA,
    REPLAY,
    RUN,
    UNTIMED,
    WITHOUT_COUNTERS,
    counter_annotations,
    counter_tracks,
    device_of,
    gpu_of,
)
from rocprofsys_multipass.trace.perfetto_clock import BOOTTIME
from rocprofsys_multipass.trace.perfetto_file import ProblemKind, RawTrace
from rocprofsys_multipass.trace.perfetto_merged import GPU
from rocprofsys_multipass.verify.evidence import Evidence
from rocprofsys_multipass.verify.finding import Finding
from rocprofsys_multipass.verify.launches import misplaced_executions
from rocprofsys_multipass.verify.places import at, of_pid
from rocprofsys_multipass.verify.registry import check
from rocprofsys_multipass.verify.wording import unlike

_AGAIN: Final = "write the trace again with `rocprof-sys-multipass export`"
_UNSIGNED: Final = 2**64  # databases have handles as signed numbers of the same bits
_MOST_WARNINGS: Final = 256  # in a trace
_NEVER_MERGED: Final = 2  # TrackDescriptor.SIBLING_MERGE_BEHAVIOR_NONE


def _problems(raw: RawTrace | None, kinds: tuple[ProblemKind, ...], check_id: str, hint: str) -> Iterator[Finding]:
    for problem in raw.problems if raw else ():
        if problem.kind in kinds and raw is not None:
            yield Finding("error", check_id, f"{raw.path.name}: {problem.where}", problem.text, hint)


@check("perfetto-bytes")
def whole_file(evidence: Evidence) -> Iterator[Finding]:
    """The file is whole packets from first byte to last, without fields that do not exist."""
    hint = "the file was cut or something was appended: " + _AGAIN
    yield from _problems(evidence.raw, ("bytes", "fields"), "perfetto-bytes", hint)


@check("perfetto-names")
def names(evidence: Evidence) -> Iterator[Finding]:
    """Every track and every interned name is declared before it is used, and once."""
    yield from _problems(evidence.raw, ("names", "track", "counter"), "perfetto-names", _AGAIN)


@check("perfetto-slices")
def slices(evidence: Evidence) -> Iterator[Finding]:
    """Every slice that begins ends, and nothing ends that did not begin."""
    yield from _problems(evidence.raw, ("slice",), "perfetto-slices", _AGAIN)


@check("perfetto-lanes")
def lanes(evidence: Evidence) -> Iterator[Finding]:
    """No two dispatches of a lane overlap: Perfetto swaps the ends of slices that do (google/perfetto #438)."""
    raw = evidence.raw
    if raw is None:
        return
    for one in raw.slices:
        if one.depth > 0 and one.category in (DISPATCH, EXTRA, REPLAY):
            message = f"{one.name!r} from {one.start_ns} on starts inside another dispatch of the lane"
            where = f"{raw.path.name}: {raw.path_of(one.track)}"
            yield Finding("error", "perfetto-lanes", where, message, "durations on this track are wrong: " + _AGAIN)


@check("perfetto-pulses")
def counter_pulses(evidence: Evidence) -> Iterator[Finding]:
    """A counter goes back to 0 at the end of each execution, and stays there (rocm-systems PR #6146)."""
    raw = evidence.raw
    if raw is None:
        return
    for track in counter_tracks(raw):
        for start, end, value in raw.samples_of(track.uuid).pulses():
            if end is None:
                message = f"{value:.15g} from {start} on does not go back to 0"
                where = f"{raw.path.name}: {raw.path_of(track.uuid)}"
                yield Finding("error", "perfetto-pulses", where, message, _AGAIN)


@check("trace-notes")
def strangers(evidence: Evidence) -> Iterator[Finding]:
    """Everything in the Perfetto trace belongs to a dispatch that is in it: each value to an execution of its times."""
    raw = evidence.raw
    if raw is None:
        return
    placed = list(_without_execution(raw)) if any(process.notes for process in evidence.from_trace) else []
    for pid, where, message in placed:
        owner = of_pid(evidence.from_trace, pid)
        yield Finding("error", "trace-notes", f"{raw.path.name}: {owner}{where}", message, _AGAIN)
    opened = any(end is None for t in counter_tracks(raw) for _, end, _ in raw.samples_of(t.uuid).pulses())
    explained = (
        bool(placed) or opened or next(misplaced_executions(raw), None) is not None
    )  # checks perfetto-pulses and -kernels say so
    for process in evidence.from_trace:
        for note in process.notes if not explained else ():
            if note != WITHOUT_COUNTERS:  # check perfetto-counters says so
                yield Finding("error", "trace-notes", at(process), note, _AGAIN)


@check(
    "perfetto-counters",
    "info",
    remedy="nothing where it was wanted; `rocprof-sys-multipass export --format perfetto --trace-counters all` writes "
    "it with counters",
)
def without_counters(evidence: Evidence) -> Iterator[Finding]:
    """Tells of a trace that was written without counters, which is then compared with other files without them."""
    for process in evidence.from_trace:
        if WITHOUT_COUNTERS in process.notes:
            yield Finding("info", "perfetto-counters", at(process), WITHOUT_COUNTERS)


def _without_execution(raw: RawTrace) -> Iterator[tuple[int | None, str, str]]:
    """Counters of a GPU and pass at times that no execution there has; the number of their process first."""
    executions: set[tuple[int, str, int, int, int | None]] = set()
    for one in raw.slices:
        gpu = gpu_of(raw, one.track)
        if gpu is not None and one.category in (DISPATCH, REPLAY):
            in_pass = one.category == REPLAY
            scopes = [("pass", one.annotations.get("replay_pass")), ("", 0)] if in_pass else [("group", 0), ("", 0)]
            executions.update((gpu, scope, k, one.start_ns, one.end_ns) for scope, k in scopes if isinstance(k, int))
    lonely: dict[tuple[int, str, int, int, int], list[str]] = defaultdict(list)
    for track in counter_tracks(raw):
        scope, number = track.scope
        of_pass = number if scope == "pass" else 0
        for start, end, _ in raw.samples_of(track.uuid).pulses():
            if end is not None:
                key = (track.gpu, scope, of_pass, start, end)
                if key not in executions:
                    lonely[(*key[:2], number, start, end)].append(track.counter)
    for (gpu, scope, number, start, end), counters in lonely.items():
        where = raw.tracks[gpu].name + (f", {scope} {number}" if scope else "")
        yield raw.pid_of(gpu), where, f"no execution lasts from {start} to {end}, as values of {', '.join(counters)} do"


@check("perfetto-siblings")
def siblings(evidence: Evidence) -> Iterator[Finding]:
    """No two tracks of ours have one name and one parent: Perfetto would merge them."""
    raw = evidence.raw
    if raw is None:
        return
    ours = [t for t in raw.tracks.values() if gpu_of(raw, t.uuid) is not None and t.merge_behavior != _NEVER_MERGED]
    for (parent, name), count in Counter((t.parent, t.name) for t in ours).items():
        if count > 1:
            where = f"{raw.path.name}: {raw.path_of(parent)}"
            yield Finding("error", "perfetto-siblings", where, f"{count} tracks are called {name!r}", _AGAIN)


@check("perfetto-clock")
def clock(evidence: Evidence) -> Iterator[Finding]:
    """Our events are on the clock of the SDK's times, CLOCK_BOOTTIME; others are dropped without a snapshot."""
    raw = evidence.raw
    if raw is None:
        return
    wrong = Counter(
        s.clock for s in raw.slices if s.category in (DISPATCH, EXTRA, UNTIMED, REPLAY) and s.clock != BOOTTIME
    )
    for track in counter_tracks(raw):
        wrong.update(raw.samples_of(track.uuid).other_clocks)
    for number, count in sorted(wrong.items()):
        message = f"{count} events are on clock {number}, not on {BOOTTIME} (boot time)"
        yield Finding("error", "perfetto-clock", raw.path.name, message, _AGAIN)


@check("perfetto-times")
def swapped_times(evidence: Evidence) -> Iterator[Finding]:
    """No slice says that its execution was recorded with the end before the start."""
    raw = evidence.raw
    if raw is None:
        return
    seen = set()
    for one in raw.slices:
        key = (str(one.annotations.get("dispatch_id")), one.start_ns, one.end_ns)
        if one.category in (DISPATCH, EXTRA, REPLAY) and one.annotations.get("times_swapped") and key not in seen:
            seen.add(key)  # pass 0 is on the queue too
            where = f"{raw.path.name}: {raw.path_of(one.track)}, dispatch {one.annotations.get('dispatch_id')}"
            message = f"recorded from {one.end_ns} to {one.start_ns}, drawn the other way round"
            hint = "the clocks of host and GPU disagree (seen on some drivers); durations are not usable"
            yield Finding("error", "perfetto-times", where, message, hint)


@check("perfetto-annotations")
def counters_of_slices(evidence: Evidence) -> Iterator[Finding]:
    """The counters in the arguments of a dispatch are its canonical readings on the counter tracks."""
    raw = evidence.raw
    if raw is None or not evidence.trace_readable:
        return
    drawn: dict[object, list[Mapping[str, float]]] = defaultdict(list)  # two processes may have one pid
    for d in (d for p in evidence.from_trace for d in p.dispatches):
        drawn[d.process, d.agent.device, d.dispatch_id].append(d.counters)
    for one in raw.slices:
        dispatch_id = one.annotations.get("dispatch_id")
        if one.category not in (DISPATCH, UNTIMED) or not isinstance(dispatch_id, int):
            continue
        process, device = device_of(raw, one.track)
        if device is None:
            continue  # of another tool, in a trace of several processes
        alike = drawn.get((process, device, dispatch_id), [{}])
        shown = counter_annotations(one)
        values = next((of for of in alike if of == shown), alike[0])
        for counter, said in shown.items():
            if values.get(counter) != said:
                owner = of_pid(evidence.from_trace, process)
                where = f"{raw.path.name}: {owner}dispatch {dispatch_id}, {counter}"
                message = f"the slice says {said:.17g}, the counter track {values.get(counter, 'nothing')}"
                yield Finding("error", "perfetto-annotations", where, message, _AGAIN)


@check("perfetto-arguments")
def arguments(evidence: Evidence) -> Iterator[Finding]:
    """The other arguments of a dispatch, such as `executions`, `time_of` and `queue`, are those that the run has."""
    raw = evidence.raw
    if raw is None or not evidence.trace_readable:
        return
    pids = Counter(process.pid for process in evidence.best)  # two processes may have one
    alone = [process for process in evidence.best if pids[process.pid] == 1]
    known = {(d.process, d.agent.device, d.dispatch_id): (p, d) for p in alone for d in p.dispatches}
    logical = [one for one in raw.slices if one.category in (DISPATCH, UNTIMED)]
    told = {name for one in logical for name in one.annotations}  # earlier versions had fewer
    for one in logical:
        dispatch_id = one.annotations.get("dispatch_id")
        found = known.get((*device_of(raw, one.track), dispatch_id)) if isinstance(dispatch_id, int) else None
        if found is None:
            continue  # check parity says so
        process, d = found
        for name, right in _arguments(process, d, one.annotations).items():
            said = one.annotations.get(name)
            if right is None and GPU in one.annotations and name == "stream_id":
                continue  # the other tool whose slice it is knew it
            if (name in told or name == "extra_passes") and said != right:
                message = f"it is {_said(said)}, {process.path.name} has {_said(right)}"
                where = f"{raw.path.name}: {of_pid(evidence.from_trace, d.process)}dispatch {d.dispatch_id}, {name}"
                yield Finding("error", "perfetto-arguments", where, message, _AGAIN)


def _arguments(process: Process, d: Dispatch, said: Mapping[str, Any]) -> dict[str, object]:
    """Values of the arguments as another file has them, or as the trace has the executions that they are about."""
    right: dict[str, object] = {"extra_passes": ", ".join(name for name, _ in d.extra_passes) or None}
    untimed = any(p.start_ns is None for p in d.passes)
    if process.kind != "perfetto" or not untimed:  # it is not drawn
        right |= {"executions": len(d.passes), "time_of": d.time_of or None}
    if process.kind == "perfetto":
        return right
    numbers = {"kernel_id": d.symbol.id, "queue": d.queue_id, "stream_id": d.stream_id or None}
    right |= {name: None if value is None else value % _UNSIGNED for name, value in numbers.items()}
    right |= {"grid_size": _size(d.grid), "workgroup_size": _size(d.workgroup)}
    if "group" in said:
        single = len(d.passes) == 1 and d.passes[0].index is None and len(d.agent.passes) != 1
        right["group"] = d.passes[0].group if single else None
    return right


def _size(size: Dim3 | None) -> str | None:
    return None if size is None else ",".join(map(str, size))


def _said(value: object) -> str:
    return "absent" if value is None else shown(value)


@check("perfetto-run")
def run_mark(evidence: Evidence) -> Iterator[Finding]:
    """The mark of the run tells command, counters, plan, warnings and dispatches as the journal has them."""
    raw, journal = evidence.raw, evidence.journal
    if raw is None or journal is None or not evidence.trace_readable:
        return
    right: dict[str, object] = {
        "command": " ".join(journal.command),
        "events": journal.events,
        "sdk_library": journal.sdk_library,
        "tool_start_ns": journal.started_ns or 0,
        "dispatches": len(journal.dispatches),
        "plan": [line for agent in journal.gpus for line in _plan_lines(agent)],
    }
    for one in raw.slices:
        track = raw.tracks.get(raw.process_of(one.track)) if one.category == RUN else None
        if track is None or track.pid != journal.pid:
            continue
        told = dict(one.annotations)
        texts = told.get("warnings", [])
        warnings = list(journal.warnings[:_MOST_WARNINGS])
        if isinstance(texts, list):  # what is wrong with the journal follows, and is not in it
            told["warnings"] = texts[: len(warnings)]
        for name, value in (right | {"warnings": warnings}).items():
            if name in told and told[name] != value:
                message = unlike("it", told[name], value, journal.path.name)
                yield Finding("error", "perfetto-run", f"{raw.path.name}: {RUN}, {name}", message, _AGAIN)


def _plan_lines(agent: Agent) -> Iterator[str]:
    for k, one in enumerate(agent.passes):
        names = (f"{name} (sentinel)" if name in one.sentinels else name for name in one.counters)
        yield f"{agent.label} pass {k}: {', '.join(names)}"
    for counter in agent.unplaceable:
        yield f"{agent.label} not planned: {counter.counter} ({counter.reason})"
