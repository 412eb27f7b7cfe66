# SPDX-License-Identifier: MIT
"""Which of several readings of a counter stands for the dispatch."""

from __future__ import annotations

from collections.abc import Sequence

from rocprofsys_multipass.trace.model import Agent, Pass, Reading


def canonical_passes(passes: Sequence[Pass], agent: Agent) -> dict[str, int]:
    """Position in `passes` of the canonical reading of each counter (the rule stands in `trace.model`)."""
    never = agent.sentinels_only
    chosen: dict[str, int] = {}
    for position, one in enumerate(passes):
        if one.status == "DISCARDED":
            continue
        for reading in one.readings:
            if reading.counter not in never:
                chosen.setdefault(reading.counter, position)
    return chosen


def mark_canonical(passes: Sequence[Pass], agent: Agent) -> tuple[Pass, ...]:
    """The passes in order, each reading marked by the rule. A counter twice in its pass is marked once."""
    chosen = canonical_passes(passes, agent)
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
        made = Pass(one.index, one.group, one.start_ns, one.end_ns, tuple(readings), one.status)
        marked.append(made)
    return tuple(marked)
