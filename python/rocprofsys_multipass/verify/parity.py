# SPDX-License-Identifier: MIT
"""Journal, database and trace say the same: dispatch by dispatch, time by time, value by value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from rocprofsys_multipass.trace.model import Dispatch, Interval, Pass, Process
from rocprofsys_multipass.verify.evidence import Evidence
from rocprofsys_multipass.verify.finding import Finding
from rocprofsys_multipass.verify.places import at
from rocprofsys_multipass.verify.registry import check

_UNSIGNED: Final = 2**64
_OF_PROCESS: Final = (
    "pid",
    "run_guid",
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
)
HINT: Final = (
    "one of the files was changed or written by a defective version: `rocprof-sys-multipass export` writes all but the "
    "journal again"
)


class Difference(NamedTuple):
    """What two files say of one thing: the best one first. `what` is empty where only one of them has it at all."""

    place: str  # behind the name of the file
    what: str
    one: object
    other: object


@check("parity", remedy=HINT)
def parity(evidence: Evidence) -> Iterator[Finding]:
    """All files of a run have the same dispatches, passes, times, readings and canonical values.

    Where two files agree and the third does not, the finding is about that one.
    """
    found: dict[int, tuple[Process, list[tuple[Process, dict[tuple[str, str], Difference]]]]] = {}
    for name, process, other in _against_best(evidence):
        if other is not None:
            differences = {(d.place, d.what): d for d in _compare(process, other)}
            found.setdefault(id(process), (process, []))[1].append((other, differences))
        elif process.dispatches:
            yield Finding("error", "parity", name, f"process {process.pid} is in {process.path.name} only")
    for process, others in found.values():
        yield from _told(process, others)


def _told(best: Process, others: list[tuple[Process, dict[tuple[str, str], Difference]]]) -> Iterator[Finding]:
    """The differences of a process in the best file from the same in other files, each about the file that is alone."""
    both = {}
    if len(others) > 1:
        (one, in_one), (other, in_other) = others
        both = {key: d for key, d in in_one.items() if key in in_other and in_other[key].other == d.other}
        for d in both.values():
            yield Finding(
                "error", "parity", at(best, d.place), _text(d, best, f"{one.path.name} and {other.path.name}")
            )
    for process, differences in others:
        for key, d in differences.items():
            if key not in both:
                swapped = d._replace(one=d.other, other=d.one)
                yield Finding("error", "parity", at(process, d.place), _text(swapped, process, best.path.name))


def _text(d: Difference, process: Process, others: str) -> str:
    """`one` is what `process` says, `other` what the other files do."""
    if not d.what:
        return f"it is in {process.path.name if d.other is None else others} only"
    return f"{d.what} is {_shown(d.one)} in {process.path.name}, {_shown(d.other)} in {others}"


def _shown(value: object) -> str:
    return "absent" if value is None else f"{value:.17g}" if isinstance(value, float) else str(value)


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
        by_guid = {p.run_guid: p for p in other if p.run_guid}
        by_pid = {p.pid: p for p in other}  # of a file of one machine
        for process in sources[0][1]:
            yield name, process, by_guid.get(process.run_guid, by_pid.get(process.pid))


def _compare(a: Process, b: Process) -> Iterator[Difference]:
    for name in _OF_PROCESS:
        one, other_one = getattr(a, name), getattr(b, name)
        if one not in (None, "") and other_one not in (None, "") and one != other_one:
            yield Difference("", name.removeprefix("run_"), one, other_one)
    left = {d.dispatch_id: d for d in a.dispatches}
    right = {d.dispatch_id: d for d in b.dispatches}
    for dispatch_id in sorted(left.keys() ^ right.keys()):
        here, there = dispatch_id in left or None, dispatch_id in right or None
        yield Difference(f"dispatch {dispatch_id}", "", here, there)
    # One that is there twice may be compared with either: check duplicates says so.
    twice = {i for p in (a, b) for i, n in Counter(d.dispatch_id for d in p.dispatches).items() if n > 1}
    for dispatch_id in sorted((left.keys() & right.keys()) - twice):
        x, y = left[dispatch_id], right[dispatch_id]
        for d in _differences(a, b, x, y):
            yield d._replace(place=f"dispatch {dispatch_id}{d.place}")


def _differences(a: Process, b: Process, x: Dispatch, y: Dispatch) -> Iterator[Difference]:
    """Of one dispatch; places are what stands behind its number."""
    facts: tuple[tuple[str, object, object], ...] = (
        ("outcome", x.outcome, y.outcome),
        ("kernel", x.kernel, y.kernel),
        ("device", x.agent.device, y.agent.device),
        ("planned passes", x.passes_planned, y.passes_planned),
        ("reason", *_reasons(a, b, x, y)),
        ("grid", *_both(x.grid, y.grid)),
        ("workgroup", *_both(x.workgroup, y.workgroup)),
        ("thread", *_both(x.thread_id, y.thread_id)),
        ("queue", *_both(_unsigned(x.queue_id), _unsigned(y.queue_id))),
        ("stream", *_both(_unsigned(x.stream_id or None), _unsigned(y.stream_id or None))),  # 0: not known
        ("agent", *_both(x.agent.name or None, y.agent.name or None)),
    )
    for name, left, right in facts:
        if left != right:
            yield Difference("", name, left, right)
    yield from _extras_differ(a, b, x, y)
    shown = not (x.agent.without_counters or y.agent.without_counters)
    said: set[str] = set()
    for difference, counters in _passes_differ(a, b, x, y):
        said |= counters
        yield difference
    for counter, one, other in _unequal(x.counters, y.counters) if shown else ():
        if counter not in said:  # else the reading is another, not which of them stands for the dispatch
            yield Difference(f", {counter}", "canonical value", one, other)


def _both(x: object, y: object) -> tuple[object, object]:
    """The two values, or two equal ones where a file does not hold it."""
    return (None, None) if x is None or y is None else (x, y)


def _unsigned(handle: int | None) -> int | None:
    """A handle of 64 bits; databases have them signed."""
    return None if handle is None else handle % _UNSIGNED


def _reasons(a: Process, b: Process, x: Dispatch, y: Dispatch) -> tuple[str, str]:
    """A trace need not say why a dispatch was filtered."""
    if x.outcome == "filtered" and any(p.kind == "perfetto" and not d.reason for p, d in ((a, x), (b, y))):
        return "", ""
    return x.reason or "none", y.reason or "none"


def _extras_differ(a: Process, b: Process, x: Dispatch, y: Dispatch) -> Iterator[Difference]:
    drawn = "perfetto" in (a.kind, b.kind)
    for name, p, q in (("warm-up pass", x.warm_up, y.warm_up), ("timing pass", x.timing, y.timing)):
        left, right = (None if one is None else _times(one, ordered=drawn) for one in (p, q))
        if left != right:
            yield Difference("", name, left, right)
    one, other = x.time_of, y.time_of
    if one and other and one != other:
        yield Difference("", "time_of", one, other)


def _passes_differ(a: Process, b: Process, x: Dispatch, y: Dispatch) -> Iterator[tuple[Difference, set[str]]]:
    """The differences, and the counters whose readings they are about."""
    drawn = "perfetto" in (a.kind, b.kind)
    shown = not (x.agent.without_counters or y.agent.without_counters)
    ours, theirs = ({p.label: p for p in d.passes if _comparable(p, drawn=drawn, shown=shown)} for d in (x, y))
    for label in sorted(ours.keys() | theirs.keys()):
        p, q = ours.get(label), theirs.get(label)
        if p is None or q is None:
            there = p or q
            counters = {r.counter for r in there.readings} if there else set()
            yield Difference(f", {label}", "", p and True, q and True), counters
            continue
        if p.group != q.group:
            yield Difference(f", {label}", "group", p.group, q.group), set()
        if _times(p, ordered=drawn) != _times(q, ordered=drawn):
            left, right = (" to ".join(map(str, _times(one, ordered=False))) for one in (p, q))
            yield Difference(f", {label}", "its time", left, right), set()
        if not shown:
            continue
        values = ({r.counter: r.value for r in one.readings} for one in (p, q))
        for counter, one, other in _unequal(*values):
            yield Difference(f", {label}, {counter}", "value", one, other), {counter}


def _comparable(p: Pass, *, drawn: bool, shown: bool) -> bool:
    """A trace has no place for an execution without times, and none for a group that was not read.

    `shown`: none of the two files is a trace without counters.
    """
    if p.start_ns is None:
        return not drawn and bool(p.readings)
    return p.index is not None or (shown and bool(p.readings))


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
    return f"{what} is {_shown(right)} in {b.path.name}, {_shown(left)} in {a.path.name}"
