# SPDX-License-Identifier: MIT
"""Journal, database and trace say the same: dispatch by dispatch, time by time, value by value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from rocprofsys_multipass.trace.model import Dispatch, Interval, Pass, Process
from rocprofsys_multipass.verify.evidence import Evidence
from rocprofsys_multipass.verify.finding import Finding
from rocprofsys_multipass.verify.registry import check
from rocprofsys_multipass.verify.structure import place

HINT: Final = "one of the files was changed or written by a defective version: write both again with `export`"


@check("parity")
def parity(evidence: Evidence) -> Iterator[Finding]:
    """All files of a run have the same dispatches, passes, times, readings and canonical values."""
    for name, process, other in _against_best(evidence):
        if other is not None:
            yield from _compare(process, other)
        elif process.dispatches:
            yield Finding("error", "parity", name, f"process {process.pid} is in {process.path.name} only", HINT)


def pairs(evidence: Evidence) -> Iterator[tuple[Process, Process]]:
    """Each process as the file that knows most has it, with the same process of each other file."""
    return ((process, other) for _, process, other in _against_best(evidence) if other is not None)


def _against_best(evidence: Evidence) -> Iterator[tuple[str, Process, Process | None]]:
    """Name of another file, a process of the best one, and that process in the other; None where it is not there."""
    sources: list[tuple[str, list[Process]]] = []
    if evidence.journal is not None:
        sources.append((evidence.journal.path.name, [evidence.journal]))
    if evidence.database is not None:
        sources.append((evidence.database.path.name, evidence.from_database))
    if evidence.raw is not None and evidence.trace_readable:
        sources.append((evidence.raw.path.name, evidence.from_trace))
    for name, other in sources[1:]:
        by_pid = {p.pid: p for p in other}
        for process in sources[0][1]:
            yield name, process, by_pid.get(process.pid)


def _compare(a: Process, b: Process) -> Iterator[Finding]:
    for name in (
        "guid",
        "rank",
        "simulated",
        "kernel_replay",
        "replay_mode",
        "sets",
        "warm_up_pass",
        "timing_pass",
        "permute_groups",
        "tool_version",
        "sdk_version",
        "hostname",
    ):
        one, other_one = getattr(a, name), getattr(b, name)
        if one not in (None, "") and other_one not in (None, "") and one != other_one:
            yield Finding("error", "parity", b.path.name, versus(name, one, a, other_one, b), HINT)
    left = {d.dispatch_id: d for d in a.dispatches}
    right = {d.dispatch_id: d for d in b.dispatches}
    for missing, owner, other in ((left.keys() - right.keys(), a, b), (right.keys() - left.keys(), b, a)):
        for dispatch_id in sorted(missing):
            where = f"{other.path.name}: dispatch {dispatch_id}"
            yield Finding("error", "parity", where, f"it is in {owner.path.name} only", HINT)
    for dispatch_id in sorted(left.keys() & right.keys()):
        for where, text in _differences(a, b, left[dispatch_id], right[dispatch_id]):
            yield Finding("error", "parity", where, text, HINT)


def _differences(a: Process, b: Process, x: Dispatch, y: Dispatch) -> Iterator[tuple[str, str]]:
    where = place(b, y)
    facts: tuple[tuple[str, object, object], ...] = (
        ("outcome", x.outcome, y.outcome),
        ("kernel", x.kernel, y.kernel),
        ("device", x.agent.device, y.agent.device),
        ("planned passes", x.passes_planned, y.passes_planned),
        ("reason", *_reasons(a, b, x, y)),
        ("grid", *_both(x.grid, y.grid)),
        ("workgroup", *_both(x.workgroup, y.workgroup)),
        ("thread", *_both(x.thread_id, y.thread_id)),
        ("agent", *_both(x.agent.name or None, y.agent.name or None)),
    )
    for name, left, right in facts:
        if left != right:
            yield where, versus(name, left, a, right, b)
    for counter, one, other in _unequal(x.counters, y.counters):
        yield f"{where}, {counter}", versus("canonical value", one, a, other, b)
    yield from _extras_differ(a, b, x, y)
    yield from _passes_differ(a, b, x, y)


def _both(x: object, y: object) -> tuple[object, object]:
    """The two values, or two equal ones where a file does not hold it."""
    return (None, None) if x is None or y is None else (x, y)


def _reasons(a: Process, b: Process, x: Dispatch, y: Dispatch) -> tuple[str, str]:
    """A trace need not say why a dispatch was filtered."""
    if x.outcome == "filtered" and any(p.kind == "perfetto" and not d.reason for p, d in ((a, x), (b, y))):
        return "", ""
    return x.reason or "unknown", y.reason or "unknown"


def _extras_differ(a: Process, b: Process, x: Dispatch, y: Dispatch) -> Iterator[tuple[str, str]]:
    drawn = "perfetto" in (a.kind, b.kind)
    for name, p, q in (("warm-up pass", x.warm_up, y.warm_up), ("timing pass", x.timing, y.timing)):
        left, right = (None if one is None else _times(one, ordered=drawn) for one in (p, q))
        if left != right:
            yield place(b, y), versus(name, left, a, right, b)
    one, other = x.time_of, y.time_of
    if one and other and one != other:
        yield place(b, y), versus("time_of", one, a, other, b)


def _passes_differ(a: Process, b: Process, x: Dispatch, y: Dispatch) -> Iterator[tuple[str, str]]:
    where = place(b, y)
    drawn = "perfetto" in (a.kind, b.kind)
    ours, theirs = ({p.label: p for p in d.passes if _comparable(p, drawn=drawn)} for d in (x, y))
    for label in sorted(ours.keys() | theirs.keys()):
        p, q = ours.get(label), theirs.get(label)
        if p is None or q is None:
            yield where, f"{label} is in {(a if q is None else b).path.name} only"
            continue
        if p.group != q.group:
            yield f"{where}, {label}", versus("group", p.group, a, q.group, b)
        if _times(p, ordered=drawn) != _times(q, ordered=drawn):
            yield f"{where}, {label}", versus("times", _times(p, ordered=False), a, _times(q, ordered=False), b)
        values = ({r.counter: r.value for r in one.readings} for one in (p, q))
        for counter, left, right in _unequal(*values):
            yield f"{where}, {label}, {counter}", versus("value", left, a, right, b)


def _comparable(p: Pass, *, drawn: bool) -> bool:
    """A trace has no place for an execution without times, and none for a group that was not read."""
    if p.start_ns is None:
        return not drawn and bool(p.readings)
    return bool(p.readings) or p.index is not None


def _times(p: Pass | Interval, *, ordered: bool) -> tuple[int | None, int | None]:
    """A slice cannot end before it starts: a trace has swapped times in order, and says so beside them."""
    if ordered and p.start_ns is not None and p.end_ns is not None:
        return min(p.start_ns, p.end_ns), max(p.start_ns, p.end_ns)
    return p.start_ns, p.end_ns


def _unequal(x: Mapping[str, float], y: Mapping[str, float]) -> Iterator[tuple[str, float | None, float | None]]:
    if x == y:
        return
    for counter in sorted(x.keys() | y.keys()):
        if x.get(counter) != y.get(counter):
            yield counter, x.get(counter), y.get(counter)


def versus(what: str, left: object, a: Process, right: object, b: Process) -> str:
    """What two files say, that of `b` first; None is absent."""

    def text(value: object) -> str:
        return "absent" if value is None else f"{value:.17g}" if isinstance(value, float) else str(value)

    return f"{what} is {text(right)} in {b.path.name}, {text(left)} in {a.path.name}"
