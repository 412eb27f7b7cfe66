# SPDX-License-Identifier: MIT
"""Checks that hold for a run whichever file it is read from."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import pairwise

from rocprofsys_multipass.trace.model import Dispatch, Pass, Process
from rocprofsys_multipass.verify.evidence import Evidence, planned_counters
from rocprofsys_multipass.verify.finding import Finding
from rocprofsys_multipass.verify.registry import check


def place(process: Process, dispatch: Dispatch, one: Pass | None = None, counter: str = "") -> str:
    """Where something is: file, dispatch, pass, counter."""
    parts = [f"{process.path.name}: dispatch {dispatch.dispatch_id}"]
    parts += [one.label] if one else []
    parts += [counter] if counter else []
    return ", ".join(parts)


def _not_drawn(process: Process, dispatch: Dispatch) -> bool:
    """A trace has no place for executions without times, so it cannot tell whether a reading of theirs is missing."""
    return process.kind == "perfetto" and any(p.start_ns is None for p in dispatch.passes)


@check("readable")
def readable(evidence: Evidence) -> Iterator[Finding]:
    """Every file can be read."""
    for path, reason in evidence.unreadable:
        message, _, hint = reason.removeprefix(f"{path}: ").partition("; ")
        yield Finding("error", "readable", path.name, message, hint)


@check("complete")
def complete(evidence: Evidence) -> Iterator[Finding]:
    """A replayed dispatch has every planned pass, and in it every planned counter."""
    hint = "the outcome says replayed, so every reading must be there; write the output again from the journal"
    for process in evidence.processes:
        planned: dict[tuple[int, int], frozenset[str]] = {}
        for d in process.dispatches:
            if d.outcome != "replayed" or _not_drawn(process, d):
                continue
            there = {p.index: p for p in d.passes if p.status != "DISCARDED"}
            for k in range(d.passes_planned or len(d.agent.passes)):
                if (d.agent.index, k) not in planned:
                    planned[d.agent.index, k] = planned_counters(process, d.agent, k)
                one = there.get(k)
                if one is None:
                    yield Finding("error", "complete", place(process, d), f"pass {k} is missing", hint)
                    continue
                for counter in sorted(planned[d.agent.index, k] - {r.counter for r in one.readings}):
                    yield Finding("error", "complete", place(process, d, one, counter), "the reading is missing", hint)


@check("canonical")
def canonical(evidence: Evidence) -> Iterator[Finding]:
    """Each counter of a dispatch has exactly one canonical reading; it is that of the lowest pass with the counter."""
    for process in evidence.processes:
        for d in process.dispatches:
            marked: dict[str, list[Pass]] = defaultdict(list)
            for p in d.passes:
                for r in p.readings:
                    if r.canonical:
                        marked[r.counter].append(p)
            for counter, read in d.by_counter.items():
                usable = [p for p, _ in read if p.status != "DISCARDED"]
                problem = _not_canonical(process, d, counter, marked.get(counter, []), usable)
                if problem:
                    yield Finding("error", "canonical", place(process, d, None, counter), problem)


def _not_canonical(process: Process, d: Dispatch, counter: str, marked: list[Pass], usable: list[Pass]) -> str:
    """What is wrong with the canonical readings of a counter; empty: nothing."""
    if len(marked) > 1:
        return f"counted more than once: {' and '.join(p.label for p in marked)}"
    if marked:
        if not usable:
            return f"the canonical reading is of {marked[0].label}, which was discarded"
        right = marked[0] is usable[0]
        return "" if right else f"the canonical reading is of {marked[0].label}, {usable[0].label} has one too"
    # Sentinels that nobody requested have none; only a journal tells which those are.
    known = bool(d.agent.passes) or process.kind == "journal"
    return "no reading of it is the canonical one" if usable and known and counter not in d.agent.sentinels_only else ""


@check("duplicates")
def duplicates(evidence: Evidence) -> Iterator[Finding]:
    """No dispatch, no pass of a dispatch and no counter of a pass is there twice."""
    for process in evidence.processes:
        seen = Counter(d.dispatch_id for d in process.dispatches)
        for dispatch_id, times in seen.items():
            if times > 1:
                where = f"{process.path.name}: dispatch {dispatch_id}"
                yield Finding("error", "duplicates", where, f"recorded {times} times; its counters add up")
        for d in process.dispatches:
            passes = Counter(p.label for p in d.passes)
            for label, times in passes.items():
                if times > 1:
                    yield Finding("error", "duplicates", f"{place(process, d)}, {label}", f"recorded {times} times")
            for p in d.passes:
                for counter, times in Counter(r.counter for r in p.readings).items():
                    if times > 1:
                        yield Finding("error", "duplicates", place(process, d, p, counter), f"read {times} times")


@check("outcome")
def outcome(evidence: Evidence) -> Iterator[Finding]:
    """What was recorded of a dispatch fits its outcome."""
    for process in evidence.processes:
        for d in process.dispatches:
            replayed = [p for p in d.passes if p.index is not None]
            readings = sum(len(p.readings) for p in d.passes)
            problem = ""
            if d.outcome == "filtered" and readings:
                problem = f"filtered, but {readings} readings"
            elif d.outcome in ("single_pass", "declined") and replayed:
                problem = f"{d.outcome}, but with {len(replayed)} replay passes"
            elif d.outcome == "replayed" and len(replayed) != len(d.passes) and not _not_drawn(process, d):
                problem = "replayed, but with an execution outside the replay loop"
            elif d.outcome == "declined" and not d.reason:
                problem = "declined without a reason"
            if problem:
                yield Finding("error", "outcome", place(process, d), problem)


@check("times")
def times(evidence: Evidence) -> Iterator[Finding]:
    """No execution ends before it starts, and a pass starts after the one before it has ended."""
    for process in evidence.processes:
        for d in process.dispatches:
            timed = [p for p in d.passes if p.start_ns is not None and p.end_ns is not None]
            for p in timed:
                length = p.duration_ns or 0
                if length < 0:
                    message = f"start {p.start_ns} is after end {p.end_ns} by {-length} ns"
                    hint = "the clocks of host and GPU disagree (seen on some drivers); durations are not usable"
                    yield Finding("error", "times", place(process, d, p), message, hint)
                elif length == 0:
                    message = f"start and end are both {p.start_ns}"
                    yield Finding("warning", "times", place(process, d, p), message, "the duration is not usable")
            for before, after in pairwise(timed):
                overlap = (before.end_ns or 0) - (after.start_ns or 0)
                if overlap > 0 and (before.duration_ns or 0) >= 0 and (after.duration_ns or 0) >= 0:
                    message = f"starts {overlap} ns before the end of {before.label}"
                    hint = "passes of a dispatch run one after the other: one of the times is of another dispatch"
                    yield Finding("error", "times", place(process, d, after), message, hint)


@check("outcomes-declared")
def outcomes_declared(evidence: Evidence) -> Iterator[Finding]:
    """Tells how many dispatches are not complete, and why, as far as that is known."""
    for process in evidence.best:
        counts = Counter((d.outcome, d.reason) for d in process.dispatches if d.outcome in ("declined", "incomplete"))
        for (what, reason), count in sorted(counts.items()):
            dispatches = f"{count} dispatch{'es' if count > 1 else ''}"
            message = f"{dispatches} {what}" + (f" ({reason})" if reason else "")
            hint = (
                "they have the counters of one group only; the others are absent there, not 0"
                if what == "declined"
                else "what was read before the interruption is there"
            )
            yield Finding("info", "outcomes-declared", process.path.name, message, hint)
