# SPDX-License-Identifier: MIT
"""Which dispatches are exported, and of the others why not.

``analyze`` averages over what is there without a word. So a dispatch is exported whole: with a finite value of each
counter that is planned on its GPU, of all its passes, and with the times of its first execution.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final

from rocprofsys_multipass.spelling import first_of, plural
from rocprofsys_multipass.trace.model import Dispatch, Interval, Pass

FILTERED: Final = "filtered"
"""The reason of a dispatch that the user's filter kept out: nothing to warn of."""
GUI_ACTIVE: Final = "GRBM_GUI_ACTIVE"
ZERO_CYCLES: Final = f"{GUI_ACTIVE} is 0"
"""``analyze`` divides by it and ends."""
NO_CHANNEL: Final = "no value of"
_OWN_TIMES: Final = ("timing pass", "pass 0", "single run")
NAMED: Final = 3
"""Of counters, passes or channels in a reason."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """`incomplete`: why it is left out unless partial ones are asked for; `unusable`: why it is left out in any case.

    Empty: that is no reason.
    """

    incomplete: str = ""
    unusable: str = ""

    def why_not(self, *, partial: bool) -> str:
        """Why it is not exported; empty: it is."""
        return self.unusable if partial else self.incomplete or self.unusable


def judged(d: Dispatch, channels: AbstractSet[str], wanted_channels: AbstractSet[str]) -> Judgement:
    """What speaks against a dispatch. `channels`: names of rows of single channels that it has."""
    if d.outcome == "filtered":
        return Judgement(FILTERED, FILTERED)
    incomplete = _incomplete(d) or lacking("no reading of", sorted(d.agent.requested - d.counters.keys()))
    if not incomplete and wanted_channels:
        incomplete = lacking(NO_CHANNEL, sorted(wanted_channels - channels, key=_by_channel))
    return Judgement(incomplete, _unusable(d))


def lacking(what: str, names: list[str]) -> str:
    """``incomplete: no reading of A, B, C and 9 more``; empty where there are no names."""
    return f"incomplete: {what} {first_of(names, NAMED)}" if names else ""


def _by_channel(name: str) -> tuple[str, int]:
    counter, _, channel = name.rstrip("]").partition("[")
    return counter, int(channel)


def _incomplete(d: Dispatch) -> str:
    if not d.agent.requested:
        return "no counter is planned on its GPU"
    if d.outcome == "declined":
        return f"declined: {d.reason or 'unknown'}"
    groups = max(len(d.agent.passes), d.passes_planned)
    if d.outcome == "single_pass" and groups > 1:
        return f"reads one group (single_pass) of {groups}"
    there = {p.index for p in d.passes}
    missing = [str(k) for k in range(d.passes_planned) if k not in there] if d.outcome != "single_pass" else []
    if missing:
        return f"incomplete: no pass{'es' if len(missing) > 1 else ''} {first_of(missing, NAMED)}"
    if d.outcome == "incomplete":
        partial = [str(p.index) for p in d.passes if p.status != "OK" and p.index is not None]
        return f"incomplete: {f'pass {first_of(partial, NAMED)} lacks counters' if partial else d.reason or 'unknown'}"
    return ""


def _unusable(d: Dispatch) -> str:
    if not d.counters:
        return "it has no reading"
    if d.grid is None or d.workgroup is None:
        return "its grid is not known"
    if d.symbol.arch_vgpr_count is None:
        return "its kernel is not described"
    return _times_fault(d) or (ZERO_CYCLES if d.counters.get(GUI_ACTIVE) == 0 else "")


def has_own_times(d: Dispatch) -> bool:
    """Whether its times are those that stand for it: of the timing pass, of pass 0, or of its only execution."""
    return d.time_of in _OWN_TIMES and (d.duration_ns or 0) > 0


def _times_fault(d: Dispatch) -> str:
    if has_own_times(d):
        return ""
    first: Pass | Interval | None = d.timing or next((p for p in d.passes if p.index in (None, 0)), None)
    duration = first.duration_ns if first is not None else None
    if duration is None:
        return "its times are not known"
    return "it ends before it starts" if duration < 0 else "it takes no time"


def counted(reasons: dict[str, int]) -> str:
    """``declined: budget (12), incomplete: no pass 3 (1)``, the most frequent first."""
    order = sorted(reasons.items(), key=lambda one: (-one[1], one[0]))
    told = [f"{reason} ({count:,})" for reason, count in order[: 2 * NAMED]]
    rest = sum(count for _, count in order[2 * NAMED :])
    return ", ".join([*told, *([f"{plural(rest, 'other')}"] if rest else [])])
