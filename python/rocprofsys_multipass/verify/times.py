# SPDX-License-Identifier: MIT
"""Checks of times: of each execution, of a dispatch's passes, of the dispatches of a queue, of the process."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from typing import Final, NamedTuple

from rocprofsys_multipass.trace.model import Dispatch, Pass, Process
from rocprofsys_multipass.verify.clocks import span_of
from rocprofsys_multipass.verify.evidence import Evidence
from rocprofsys_multipass.verify.finding import Finding
from rocprofsys_multipass.verify.places import place
from rocprofsys_multipass.verify.registry import check

EARLY_NS: Final = 1_000_000  # clocks of GPU and host agree better than that
LATE_NS: Final = 60_000_000_000  # a simulated kernel may be said to last longer than the process did
UPTIME_NS: Final = 10 * 365 * 86_400 * 1_000_000_000  # no machine is up for longer; 1980 as a time of day
_ANOTHER_CLOCK: Final = "the times are on another clock, or the file was changed; do not place them beside other traces"


class _Extra(NamedTuple):
    """An execution without counters, as the checks of times see it."""

    label: str
    start_ns: int | None
    end_ns: int | None
    duration_ns: int | None


def _executions(d: Dispatch) -> list[Pass | _Extra]:
    """All of a dispatch in the order in which they ran, those without counters first."""
    extras = [_Extra(f"{name} pass", one.start_ns, one.end_ns, one.duration_ns) for name, one in d.extra_passes]
    return [*extras, *d.passes]


@check(
    "times",
    "error",
    "warning",
    remedy="do not use the durations of the dispatch; where many are so, the clocks of driver and GPU disagree",
)
def times(evidence: Evidence) -> Iterator[Finding]:
    """No execution ends before it starts, and a pass starts after the one before it has ended."""
    for process in evidence.processes:
        for d in process.dispatches:
            timed = [p for p in _executions(d) if p.start_ns is not None and p.end_ns is not None]
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
                # The same pass twice is no matter of times: check duplicates says so.
                if overlap > 0 and before.label != after.label and _is_forward(before) and _is_forward(after):
                    message = f"starts {overlap} ns before the end of {before.label}"
                    hint = "passes of a dispatch run one after the other: one of the times is of another dispatch"
                    yield Finding("error", "times", place(process, d, after), message, hint)


def _is_forward(one: Pass | _Extra) -> bool:
    return (one.duration_ns or 0) >= 0


@check(
    "times-of-run", "warning", remedy="do not place the dispatches beside other traces; durations may still be right"
)
def times_of_run(evidence: Evidence) -> Iterator[Finding]:
    """Executions have times since boot (CLOCK_BOOTTIME), which lie between start and end of the process."""
    for process in evidence.best:
        measured = [d for d in process.dispatches if d.outcome in ("replayed", "single_pass", "declined")]
        # What has no times is not in a trace, where that is no loss.
        untimed = [d for d in measured if process.kind != "perfetto" and all(p.start_ns is None for p in d.passes)]
        if untimed:
            message = f"{len(untimed)} of {len(measured)} dispatches have no times"
            hint = "the driver gave none; their durations are not known"
            yield Finding("warning", "times-of-run", place(process, untimed[0]), message, hint)
        started, ended = span_of(evidence, process)
        for d in process.dispatches:
            for p in _executions(d):
                if p.start_ns is None or p.end_ns is None:
                    continue
                message = _misplaced(min(p.start_ns, p.end_ns), max(p.start_ns, p.end_ns), started, ended)
                if message:
                    yield Finding("warning", "times-of-run", place(process, d, p), message, _ANOTHER_CLOCK)


def _misplaced(first: int, last: int, started: int | None, ended: int | None) -> str:
    """What is wrong with the place of an execution in its process; empty: nothing."""
    if last > UPTIME_NS:
        return f"{last} ns are no time since boot: they look like a time of day (CLOCK_REALTIME)"
    if started and started - first > EARLY_NS:
        return f"{started - first} ns before the process started to record"
    if ended and last - ended > LATE_NS:
        return f"{last - ended} ns after the process ended"
    return ""


@check(
    "queue-order",
    "warning",
    remedy="the times of one of the two dispatches are another's, or the queue was not drained for the replay; "
    "do not use their order or the gaps between them",
)
def queue_order(evidence: Evidence) -> Iterator[Finding]:
    """Dispatches of a queue start in the order of their launches, and none runs between the passes of another.

    A replay begins when its queue is drained and holds the queue until its last pass has ended
    (docs/replay-contract.md). The order of launches is known where one thread made them.
    """
    for process in evidence.best:
        queues: dict[tuple[int, int], list[_Window]] = defaultdict(list)
        for d in process.dispatches:
            window = _window(d)
            if window is not None and d.queue_id is not None:
                queues[d.agent.index, d.queue_id].append(window)
        for windows in queues.values():
            yield from _interleaved(process, windows)
            yield from _out_of_order(process, windows)


class _Window(NamedTuple):
    """From the first start to the last end of a dispatch."""

    start_ns: int
    end_ns: int
    dispatch: Dispatch

    @property
    def in_loop(self) -> bool:
        return any(p.index is not None for p in self.dispatch.passes)


def _window(d: Dispatch) -> _Window | None:
    """None where a time is missing or wrong: check `times` says so."""
    executions = _executions(d)
    if not executions or not all(p.start_ns is not None and (p.duration_ns or 0) > 0 for p in executions):
        return None
    return _Window(min(p.start_ns or 0 for p in executions), max(p.end_ns or 0 for p in executions), d)


def _interleaved(process: Process, windows: list[_Window]) -> Iterator[Finding]:
    latest: _Window | None = None
    for one in sorted(windows, key=lambda w: (w.start_ns, w.end_ns)):
        overlap = latest is not None and one.start_ns < latest.end_ns and (one.in_loop or latest.in_loop)
        if latest is not None and overlap and one.dispatch.dispatch_id != latest.dispatch.dispatch_id:
            message = (
                f"starts {latest.end_ns - one.start_ns} ns before the last pass of dispatch "
                f"{latest.dispatch.dispatch_id} of the same queue ends"
            )
            yield Finding("warning", "queue-order", place(process, one.dispatch), message)
        if latest is None or one.end_ns > latest.end_ns:
            latest = one


def _out_of_order(process: Process, windows: list[_Window]) -> Iterator[Finding]:
    before: dict[int, _Window] = {}
    for one in sorted(windows, key=lambda w: w.dispatch.dispatch_id):
        thread = one.dispatch.thread_id
        if thread is None:
            continue
        last = before.get(thread)
        if last is not None and one.end_ns <= last.start_ns:
            message = (
                f"ran before dispatch {last.dispatch.dispatch_id}, which the same thread launched before it on the "
                "same queue"
            )
            yield Finding("warning", "queue-order", place(process, one.dispatch), message)
        else:
            before[thread] = one
