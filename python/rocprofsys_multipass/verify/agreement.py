# SPDX-License-Identifier: MIT
"""Checks of what several passes read: whether they did the same work."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import Final

from rocprofsys_multipass.trace.agreement import relative_spread
from rocprofsys_multipass.trace.model import Dispatch, Process
from rocprofsys_multipass.trace.nature import nature_of
from rocprofsys_multipass.verify.evidence import Evidence
from rocprofsys_multipass.verify.finding import Finding
from rocprofsys_multipass.verify.limits import Limits
from rocprofsys_multipass.verify.places import at, place
from rocprofsys_multipass.verify.registry import check
from rocprofsys_multipass.verify.values import counters_of_metrics

_PAIR: Final = 2


_Read = tuple[float, str]  # a value, and the label of its pass


@dataclass
class _Apart:
    """Where passes differ in time or in the caches: how often, and the worst."""

    limit: float  # relative; more is worth knowing, and no fault
    compared: int = 0
    differ: int = 0
    worst: float = 0
    text: str = ""

    def note(self, apart: float, d: Dispatch, low: _Read, high: _Read) -> None:
        """One dispatch more: its readings lie `apart`, relative to the larger."""
        self.compared += 1
        if apart > self.limit:
            self.differ += 1
            if apart > self.worst:
                self.worst, self.text = apart, f"dispatch {d.dispatch_id}: {_pair(low, high)}"


@check(
    "agreement",
    "warning",
    "info",
    remedy="do not combine counters of different passes of that kernel; run it once per launch: --no-replay "
    "with its name, or --replay rotate for all",
)
def agreement(evidence: Evidence) -> Iterator[Finding]:
    """A counter that several passes read has the same value in all of them; all 0 proves nothing."""
    for process in evidence.best:
        loose: dict[tuple[int | None, str], _Apart] = defaultdict(lambda: _Apart(evidence.limits.loose))
        for d in process.dispatches:
            for counter, every in d.by_counter.items():
                read = [(value, p.label) for p, value in every if p.status != "DISCARDED"]
                if len(read) < _PAIR:
                    continue
                low, high = min(read, key=itemgetter(0)), max(read, key=itemgetter(0))
                apart = relative_spread((low[0], high[0]))
                if nature_of(counter) != "work":
                    loose[d.agent.device, counter].note(apart, d, low, high)
                elif apart > evidence.limits.work:
                    hint = (
                        "the passes did not do the same work: memory that is not restored between them, a kernel that "
                        "does other work each time, or another one beside it; do not combine counters of different "
                        "passes here, and run it once per launch: --no-replay with its name, or --replay rotate for all"
                    )
                    yield Finding("warning", "agreement", place(process, d, None, counter), _pair(low, high), hint)
        yield from _loosely(process, loose)


def _pair(low: _Read, high: _Read) -> str:
    return f"{low[0]:.15g} in {low[1]}, {high[0]:.15g} in {high[1]}"


def _share(limit: float) -> str:
    return "a quarter" if limit == Limits().loose else f"{100 * limit:g} %"


def _loosely(process: Process, loose: Mapping[tuple[int | None, str], _Apart]) -> Iterator[Finding]:
    """One finding for all dispatches of a GPU: thousands of short kernels may have no two passes alike."""
    for (device, counter), found in sorted(loose.items(), key=str):
        if not found.differ:
            continue
        where = at(process, f"GPU {device}", counter)
        message = (
            f"it differs by more than {_share(found.limit)} between the passes of {found.differ} of {found.compared} "
            f"dispatches, most in {found.text}"
        )
        hint = "clocks and caches are in another state in each pass; counters of work tell whether it did the same"
        yield Finding("info", "agreement", where, message, hint)


@check(
    "agreement-at-zero",
    "warning",
    remedy="give --sentinel a counter of work that the kernels use, such as one of their instructions",
)
def agreement_at_zero(evidence: Evidence) -> Iterator[Finding]:
    """Of the counters that compare passes, one at least is not of time and not 0 in every pass of every dispatch.

    Counters of sets of metrics and of panels are in several passes for the sake of several metrics.
    """
    for process in evidence.best:
        compared: dict[tuple[int | None, str], list[float]] = defaultdict(list)
        for d in process.dispatches:
            for counter, read in d.by_counter.items():
                if len(read) >= _PAIR:
                    compared[d.agent.device, counter] += [value for _, value in read]
        proven = {
            device for (device, counter), values in compared.items() if any(values) and nature_of(counter) != "time"
        }
        of_metrics = {device: counters_of_metrics(process, device) for device, _ in compared}
        for (device, counter), values in sorted(compared.items(), key=str):
            if any(values) or device in proven or counter in of_metrics[device]:
                continue
            where = at(process, f"GPU {device}", counter)
            yield Finding("warning", "agreement-at-zero", where, "read in several passes to compare them, and 0 in all")


@check("compared", "info", remedy="leave the sentinels to the tool: --sentinel auto")
def compared_at_all(evidence: Evidence) -> Iterator[Finding]:
    """Where dispatches are replayed, a counter of work is read in two passes, which tells whether they did the same."""
    for process in evidence.best:
        replayed = [d for d in process.dispatches if sum(p.index is not None for p in d.passes) >= _PAIR]
        for device in sorted({d.agent.device for d in replayed if not d.agent.without_counters}, key=str):
            compared = {
                counter
                for d in replayed
                if d.agent.device == device
                for counter, read in d.by_counter.items()
                if sum(p.status != "DISCARDED" for p, _ in read) >= _PAIR
            }
            if any(nature_of(counter) == "work" for counter in compared):
                continue
            where = at(process, f"GPU {device}")
            message = "no counter is read in two passes: nothing tells whether the passes did the same work"
            hint = "leave the sentinels to the tool: --sentinel auto"
            if compared:
                message = (
                    f"only counters of time and caches are read in two passes ({', '.join(sorted(compared))}): "
                    "none tells whether the passes did the same work"
                )
                hint += ", or give it a counter of work, such as one of the instructions of the kernels"
            yield Finding("info", "compared", where, message, hint)
