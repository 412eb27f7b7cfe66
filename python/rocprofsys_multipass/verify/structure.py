# SPDX-License-Identifier: MIT
"""Checks that hold for a run whichever file it is read from."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from rocprofsys_multipass.spelling import plural
from rocprofsys_multipass.trace.agent import Agent
from rocprofsys_multipass.trace.model import Dispatch, Pass, Process
from rocprofsys_multipass.verify.evidence import Evidence, planned_counters
from rocprofsys_multipass.verify.finding import Finding
from rocprofsys_multipass.verify.places import at, place
from rocprofsys_multipass.verify.registry import AGAIN, check

_UNMATCHED: Final = "`rocprof-sys-multipass merge` says why it has no match"


def _not_drawn(process: Process, dispatch: Dispatch) -> bool:
    """A trace has no place for executions without times, so it cannot tell whether a reading of theirs is missing.

    Nor can one that was written without counters.
    """
    if dispatch.agent.without_counters:
        return True
    return process.kind == "perfetto" and any(p.start_ns is None for p in dispatch.passes)


@check("readable", remedy="restore the file, or write it again from the journal with `rocprof-sys-multipass export`")
def readable(evidence: Evidence) -> Iterator[Finding]:
    """Every file can be read."""
    for path, reason in evidence.unreadable:
        message, _, hint = reason.partition("; ")
        named, _, text = message.partition(": ")
        beside = text and Path(named).parent == path.parent  # or the sidecar of a database
        yield Finding("error", "readable", Path(named).name if beside else path.name, text if beside else message, hint)


@check("complete")
def complete(evidence: Evidence) -> Iterator[Finding]:
    """A replayed dispatch has every planned pass, and in it every planned counter."""
    hint = "the outcome says replayed, so every reading must be there: " + AGAIN
    for process in evidence.processes:
        planned: dict[tuple[int, int], frozenset[str]] = {}
        for d in process.dispatches:
            if d.outcome != "replayed" or _not_drawn(process, d):
                continue
            there = {p.index: p for p in d.passes if p.status != "DISCARDED"}
            groups = range(len(d.agent.passes) or d.passes_planned)
            read = {p.group for p in there.values()}
            for k in groups:
                one = there.get(k)
                if one is None:
                    yield Finding("error", "complete", place(process, d), f"pass {k} is missing", hint)
                elif k not in read and len(there) == len(groups):
                    yield Finding("error", "complete", place(process, d), f"no pass has read group {k}", hint)
                if one is None:
                    continue
                if (d.agent.index, one.group) not in planned:
                    asked = planned_counters(process, d.agent, one.group)
                    planned[d.agent.index, one.group] = asked - _without_number(evidence, d.agent)
                for counter in sorted(planned[d.agent.index, one.group] - {r.counter for r in one.readings}):
                    yield Finding("error", "complete", place(process, d, one, counter), "the reading is missing", hint)


def _without_number(evidence: Evidence, agent: Agent) -> frozenset[str]:
    """Counters of a GPU of which the journal holds what is no number: that is said already (check journal-whole)."""
    found = evidence.journal.not_numbers if evidence.journal else frozenset()
    return frozenset(counter for device, counter in found if device == agent.device)


@check("canonical")
def canonical(evidence: Evidence) -> Iterator[Finding]:
    """Each counter of a dispatch has exactly one canonical reading: the one that the rule of `trace.model` names."""
    for process in evidence.processes:
        for d in process.dispatches:
            if _first_is_canonical(d):
                continue
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


def _first_is_canonical(d: Dispatch) -> bool:
    """Whether of each counter the first reading is canonical and no other, as in nearly all dispatches."""
    seen: set[str] = set()
    for p in d.passes:
        if p.status == "DISCARDED":
            return False
        for r in p.readings:
            if r.canonical == (r.counter in seen):
                return False
            seen.add(r.counter)
    return True


def _not_canonical(process: Process, d: Dispatch, counter: str, marked: list[Pass], usable: list[Pass]) -> str:
    """What is wrong with the canonical readings of a counter; empty: nothing."""
    if len(marked) > 1:
        return f"counted more than once: {' and '.join(p.label for p in marked)}"
    if marked:
        if not usable:
            return f"the canonical reading is of {marked[0].label}, which was discarded"
        own = [p for p in usable if counter not in d.agent.sentinels_of(p.group)]
        expected = (own or usable)[0]
        # Where the plan is not known, which of the passes reads it as a sentinel is not either.
        right = marked[0] is expected or (process.kind == "perfetto" and not d.agent.passes)
        return "" if right else f"the canonical reading is of {marked[0].label}, {expected.label} has one too"
    # Sentinels that nobody requested have none; only a plan tells which those are.
    known = bool(d.agent.passes) or process.kind == "journal"
    return "no reading of it is the canonical one" if usable and known and counter not in d.agent.sentinels_only else ""


@check("duplicates")
def duplicates(evidence: Evidence) -> Iterator[Finding]:
    """No process, no dispatch, no pass of a dispatch and no counter of a pass is there twice."""
    for process, first in evidence.again:
        message = f"process {process.pid} is in {first.path.name} too; each of its counters is there twice"
        yield Finding("error", "duplicates", at(process), message, "keep one of the two, move the other away")
    for process in evidence.processes:
        seen = Counter(d.dispatch_id for d in process.dispatches)
        for dispatch_id, times in seen.items():
            if times > 1:
                where = at(process, f"dispatch {dispatch_id}")
                hint = _UNMATCHED if process.own_guid else ""
                yield Finding("error", "duplicates", where, f"recorded {times} times; its counters add up", hint)
        for d in process.dispatches:
            passes = Counter(p.label for p in d.passes if not p.mixed)
            for label, times in passes.items():
                if times > 1:
                    yield Finding("error", "duplicates", f"{place(process, d)}, {label}", f"recorded {times} times")
            for p in d.passes:
                for counter, times in _read_again(p):
                    yield Finding("error", "duplicates", place(process, d, p, counter), f"read {times} times")


def _read_again(p: Pass) -> list[tuple[str, int]]:
    """Counters that a pass has more than once, and how often."""
    if len({r.counter for r in p.readings}) == len(p.readings):  # nearly always, and found out sooner than by counting
        return []
    return [(counter, times) for counter, times in Counter(r.counter for r in p.readings).items() if times > 1]


@check("extra-passes")
def extra_passes(evidence: Evidence) -> Iterator[Finding]:
    """A replayed dispatch has the warm-up and the timing pass where the run asked for them, any other has none."""
    hint = AGAIN
    for process in evidence.processes:
        for d in process.dispatches:
            in_loop = d.outcome == "incomplete" or any(p.index is not None for p in d.passes)
            for name, asked, one in (
                ("warm-up", process.warm_up_pass, d.warm_up),
                ("timing", process.timing_pass, d.timing),
            ):
                if one is None and asked and d.outcome == "replayed":
                    yield Finding("error", "extra-passes", place(process, d), f"the {name} pass is missing", hint)
                elif one is not None and not asked:
                    message = f"there is a {name} pass, and the run asked for none"
                    yield Finding("error", "extra-passes", place(process, d), message, hint)
                elif one is not None and not in_loop:
                    message = f"{d.outcome}, but with a {name} pass"
                    yield Finding("error", "extra-passes", place(process, d), message, hint)
            untimed = process.kind != "perfetto" and d.timing is not None and d.timing.start_ns is None
            if d.outcome == "replayed" and untimed:
                yield Finding("error", "extra-passes", place(process, d), "the timing pass has no times", hint)


@check("outcome")
def outcome(evidence: Evidence) -> Iterator[Finding]:
    """What was recorded of a dispatch fits its outcome."""
    for process in evidence.processes:
        for d in process.dispatches:
            for problem in (_contradiction(process, d), *_against_plan(process, d)):
                if problem:
                    yield Finding("error", "outcome", place(process, d), problem)


def _contradiction(process: Process, d: Dispatch) -> str:
    """What of a dispatch does not fit its outcome, whatever was planned; empty: nothing."""
    replayed = [p for p in d.passes if p.index is not None]
    readings = sum(len(p.readings) for p in d.passes)
    if d.outcome == "filtered" and readings:
        return f"filtered, but {readings} readings"
    if d.outcome in ("single_pass", "declined") and replayed:
        return f"{d.outcome}, but with {len(replayed)} replay passes"
    if d.outcome in ("single_pass", "declined") and len([p for p in d.passes if p.readings]) > 1:
        return f"{d.outcome}, but with readings of {len([p for p in d.passes if p.readings])} groups"
    if d.outcome == "replayed" and len(replayed) != len(d.passes) and not _not_drawn(process, d):
        return "replayed, but with an execution outside the replay loop"
    if d.outcome == "declined" and not d.reason:
        return "declined without a reason"
    return ""


def _against_plan(process: Process, d: Dispatch) -> Iterator[str]:
    """What of a dispatch does not fit the plan and `--replay`; of a journal, from which the other files are made."""
    if process.kind != "journal":
        return
    planned = len(d.agent.passes)
    if d.passes_planned != planned:
        yield f"{d.passes_planned} passes planned, the plan of {d.agent.label} has {planned}"
    for p in d.passes:
        if p.readings and p.group >= planned:
            yield f"readings of group {p.group}, the plan has {planned}"
        elif p.index is not None and p.group != p.index and not process.permute_groups:
            yield f"{p.label} has the counters of pass {p.group}"
    yield from _turns(process, d)
    off = process.replay_mode == "off"
    once = process.replay_mode in ("off", "rotate")
    impossible = {
        "replayed": once,
        "single_pass": planned != 1 and not off,
        "declined": planned <= 1 or off,
        "filtered": planned > 0 and d.reason == "no_counters",
        "incomplete": _is_complete(d) and not _lacks_extra(process, d),
    }
    if impossible[d.outcome]:
        mode = f" and --replay {process.replay_mode}" if once else ""
        there = ", and all of them are there" if d.outcome == "incomplete" else ""
        yield f"{d.outcome}, with {planned} planned passes{mode}{there}"
    if d.outcome in ("single_pass", "declined"):
        yield from _lacking(d)


def _lacks_extra(process: Process, d: Dispatch) -> bool:
    """Whether an execution without counters that the run asked for is missing, or the timing pass has no times."""
    if all(p.index is None for p in d.passes):
        return False
    untimed = d.timing is None or d.timing.start_ns is None
    return (process.warm_up_pass and d.warm_up is None) or (process.timing_pass and untimed)


def _turns(process: Process, d: Dispatch) -> Iterator[str]:
    """Of permuted groups: all passes of a dispatch are shifted alike."""
    planned = len(d.agent.passes)
    in_loop = [(p.index, p.group) for p in d.passes if p.index is not None and p.index < planned and p.readings]
    shifts = sorted({(group - index) % planned for index, group in in_loop})
    if process.permute_groups and len(shifts) > 1:
        yield f"its passes are shifted by {' and '.join(map(str, shifts))} groups"


def _is_complete(d: Dispatch) -> bool:
    there = {p.group: {r.counter for r in p.readings} for p in d.passes}
    in_loop = all(p.index is not None for p in d.passes)
    return (in_loop or len(d.agent.passes) == 1) and all(
        set(planned.counters) <= there.get(k, set()) for k, planned in enumerate(d.agent.passes)
    )


def _lacking(d: Dispatch) -> Iterator[str]:
    """Counters that the one group which was read does not have."""
    one = next((p for p in d.passes if p.readings), None)
    if one is None:
        yield f"{d.outcome}, but without a reading"
    elif one.group < len(d.agent.passes):
        missing = sorted(set(d.agent.passes[one.group].counters) - {r.counter for r in one.readings})
        if missing:
            yield f"{d.outcome}, but {one.label} lacks {', '.join(missing)}"


@check(
    "delivered",
    "warning",
    remedy="another profiler may hold the counters; the warnings of the run, and the outcomes, say more",
)
def delivered(evidence: Evidence) -> Iterator[Finding]:
    """Of the dispatches on a GPU for which counters were planned, one at least has a reading."""
    for process in evidence.best:
        for agent in process.gpus:
            expected = [
                d
                for d in process.dispatches
                if d.agent.index == agent.index
                and d.outcome != "filtered"
                and (agent.passes or d.passes_planned)
                and not _not_drawn(process, d)
            ]
            if expected and not any(p.readings for d in expected for p in d.passes):
                where = at(process, f"GPU {agent.device}")
                message = f"none of {plural(len(expected), 'dispatch')} delivered a counter"
                yield Finding("warning", "delivered", where, message)


@check(
    "outcomes-declared",
    "info",
    remedy="nothing where it is known why; docs/replay-contract.md has the reasons to decline",
)
def outcomes_declared(evidence: Evidence) -> Iterator[Finding]:
    """Tells how many dispatches are not complete, and why, as far as that is known."""
    for process in evidence.best:
        counts = Counter((d.outcome, d.reason) for d in process.dispatches if d.outcome in ("declined", "incomplete"))
        for (what, reason), count in sorted(counts.items()):
            message = f"{plural(count, 'dispatch')} {what}" + (f" ({reason})" if reason else "")
            hint = (
                "they have the counters of one group only; the others are absent there, not 0"
                if what == "declined"
                else "what was read before the interruption is there"
            )
            yield Finding("info", "outcomes-declared", at(process), message, hint)
