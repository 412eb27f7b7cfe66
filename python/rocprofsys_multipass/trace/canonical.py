# SPDX-License-Identifier: MIT
"""Which of several readings of a counter stands for the dispatch, and whether a pass has all that it should."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rocprofsys_multipass.trace.agent import Agent
from rocprofsys_multipass.trace.model import Outcome, Pass, Reading, Status


def status_of(outcome: Outcome, counters: Iterable[str], readings: Iterable[Reading]) -> Status:
    """PARTIAL where one of the planned `counters` is not among the readings of an execution; as databases have it."""
    if outcome == "filtered" or {r.counter for r in readings}.issuperset(counters):
        return "OK"
    return "PARTIAL"


def canonical_passes(passes: Sequence[Pass], agent: Agent) -> dict[str, int]:
    """Position in `passes` of the canonical reading of each counter (the rule stands in `trace.model`)."""
    never = agent.sentinels_only
    chosen: dict[str, int] = {}
    guests: dict[str, int] = {}  # readings of requested counters that are there to compare passes
    for position, one in enumerate(passes):
        if one.status == "DISCARDED":
            continue
        sentinels = agent.sentinels_of(one.group)
        for reading in one.readings:
            if reading.counter not in never:
                (guests if reading.counter in sentinels else chosen).setdefault(reading.counter, position)
    return guests | chosen


def mark_canonical(passes: Sequence[Pass], agent: Agent) -> tuple[Pass, ...]:
    """The passes in order, each reading marked by the rule."""
    return mark(passes, canonical_passes(passes, agent))


def mark(passes: Sequence[Pass], canonical_at: Mapping[str, int]) -> tuple[Pass, ...]:
    """The passes in order, the reading of each counter marked in that place. Twice in its pass, it is marked once."""
    chosen = dict(canonical_at)
    marked = []
    for position, one in enumerate(passes):
        readings = []
        for reading in one.readings:
            canonical = chosen.get(reading.counter) == position
            if canonical:
                chosen[reading.counter] = -1
            # Most readings stay as they are; making one anew costs as much as reading it from the file.
            same = reading.canonical == canonical
            readings.append(reading if same else Reading(reading.counter, reading.value, canonical))
        # Named like this and not with replace(), which costs three times as much.
        of = one.instances
        made = Pass(one.index, one.group, one.start_ns, one.end_ns, tuple(readings), one.status, one.mixed, of)
        marked.append(made)
    return tuple(marked)
