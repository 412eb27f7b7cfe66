# SPDX-License-Identifier: MIT
"""Why a dispatch has no reading of a counter, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rocprofsys_multipass.spelling import first_of, nearest

if TYPE_CHECKING:
    from rocprofsys_multipass.trace.model import Dispatch

_SHOWN: Final = 12  # names in a message


def why_missing(d: Dispatch, name: str) -> str:
    """One sentence: dispatch, counter, the reason as far as the file tells it, and what the dispatch has."""
    what = f"{d.where} of {d.kernel!r} ({d.outcome})"
    reason = reason_missing(d, name) + (f" ({d.reason})" if d.reason else "")
    names = list(d.counters)
    there = first_of(names, _SHOWN) or "no counters"
    return f"{what} has no reading of {name!r}: {reason}; it has {there}"


def reason_missing(d: Dispatch, name: str) -> str:
    """Why it is not there, as far as the file tells it: the middle of that sentence."""
    if d.agent.without_counters:
        return (
            "the trace was written without counters (--trace-counters none), the .db and .journal of the run have them"
        )
    planned = [k for k, p in enumerate(d.agent.passes) if name in p.counters]
    if name in d.agent.sentinels_only or name in d.by_counter:
        return "it was read to compare passes only, and is no counter of the dispatch (see Dispatch.by_counter)"
    if d.outcome == "filtered":
        return "nothing was read of a filtered dispatch"
    if planned:
        return _not_delivered(d, planned)
    return _not_planned(d, name)


def _not_planned(d: Dispatch, name: str) -> str:
    """It is in no pass of the plan, as far as that is known."""
    known = {c.name for c in d.agent.counters} | {c for p in d.agent.passes for c in p.counters}
    if name in known:
        return "it was planned, and none of its passes delivered it"
    refused = next((u.reason for u in d.agent.unplaceable if u.counter == name), "")
    if refused:
        return f"it fits no pass ({refused})"
    near = nearest(name, known | set(d.counters))
    hint = f", did you mean {near}?" if near else ""
    return ("it was not planned" if known else "this file does not say what was planned") + hint


def _not_delivered(d: Dispatch, planned: list[int]) -> str:
    """It is planned: the passes that lack it, and whether they ran."""
    read = {p.group for p in d.passes}
    parts = []
    if ran := [k for k in planned if k in read]:
        parts.append(f"{_passes(ran)} ran and did not deliver it")
    if absent := [k for k in planned if k not in read]:
        verb = "was" if len(absent) == 1 else "were"
        parts.append(f"{_passes(absent)}, where it is planned, {verb} not recorded")
    return " and ".join(parts)


def _passes(numbers: list[int]) -> str:
    return f"pass{'' if len(numbers) == 1 else 'es'} {', '.join(map(str, numbers))}"
