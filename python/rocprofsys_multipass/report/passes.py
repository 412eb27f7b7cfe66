# SPDX-License-Identifier: MIT
"""What the reports show of passes: what they took, what lies between them, how far they agree. Times in ns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from rocprofsys_multipass.report.statistics import Spread, was_replayed
from rocprofsys_multipass.trace import Agent, Dispatch, Process
from rocprofsys_multipass.trace.agreement import relative_spread


@dataclass(frozen=True, slots=True)
class PassStatistics:
    """One planned pass over all replayed dispatches of a set."""

    index: int
    counters: int  # with groups permuted, of the group that has most
    duration: Spread
    gap: Spread | None  # between the end of the pass before and the start of this one: restore and relaunch


def by_pass(dispatches: Sequence[Dispatch]) -> list[PassStatistics]:
    """Passes in order; none where nothing was replayed."""
    durations: dict[int, list[float]] = defaultdict(list)
    gaps: dict[int, list[float]] = defaultdict(list)
    # By group: with groups permuted a pass does not read the same in each dispatch.
    counters: dict[int, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    for d in dispatches:
        end: int | None = None
        for p in d.passes:
            if p.index is None or p.start_ns is None or p.end_ns is None:
                end = None
                continue
            durations[p.index].append(p.end_ns - p.start_ns)
            counters[p.index][p.group] |= {r.counter for r in p.readings}
            if end is not None:
                gaps[p.index].append(p.start_ns - end)
            end = p.end_ns
    found = []
    for index in sorted(durations):
        spread = Spread.of(durations[index])
        if spread is not None:
            found.append(PassStatistics(index, max(map(len, counters[index].values())), spread, Spread.of(gaps[index])))
    return found


@dataclass(frozen=True, slots=True)
class Execution:
    """An execution of a replayed dispatch with times. `index` None: it read no counters, `label` says what it was."""

    index: int | None
    label: str
    start_ns: int
    end_ns: int

    @property
    def mark(self) -> str:
        """One character: the pass's last digit, or the first letter of the label."""
        return self.label[0] if self.index is None else str(self.index % 10)


def executions_of(dispatch: Dispatch) -> list[Execution]:
    """Those in the replay loop, in order: warm-up, timing, passes. None of a dispatch that was not replayed."""
    if not was_replayed(dispatch):
        return []
    parts: list[tuple[int | None, str, int | None, int | None]] = [
        (None, name, one.start_ns, one.end_ns) for name, one in dispatch.extra_passes
    ]
    parts += [(p.index, p.label, p.start_ns, p.end_ns) for p in dispatch.passes if p.index is not None]
    return [
        Execution(index, label, start, end)
        for index, label, start, end in parts
        if start is not None and end is not None
    ]


@dataclass(frozen=True, slots=True)
class Window:
    """From the start of a dispatch's first execution to the end of its last, and the kernel time in it."""

    dispatch: Dispatch
    start_ns: int
    end_ns: int
    first_ns: int  # kernel time of the first pass
    kernel_ns: int  # of all executions
    executions: tuple[Execution, ...]

    @property
    def length_ns(self) -> int:
        """Length of the window."""
        return self.end_ns - self.start_ns


def window_of(dispatch: Dispatch) -> Window | None:
    """None for a dispatch that was not replayed, or whose times are not usable."""
    timed = executions_of(dispatch)
    first = next((one for one in timed if one.index is not None), None)
    if first is None or len(timed) < len("ab") or any(one.end_ns < one.start_ns for one in timed):
        return None
    kernel_ns = sum(one.end_ns - one.start_ns for one in timed)
    first_ns = first.end_ns - first.start_ns
    window = Window(dispatch, timed[0].start_ns, timed[-1].end_ns, first_ns, kernel_ns, tuple(timed))
    return window if window.length_ns > 0 else None


def longest_windows(windows: Sequence[Window]) -> list[Window]:
    """The longest window of each kernel, longest first."""
    longest: dict[str, Window] = {}
    for w in windows:
        known = longest.get(w.dispatch.kernel)
        if known is None or w.length_ns > known.length_ns:
            longest[w.dispatch.kernel] = w
    return sorted(longest.values(), key=lambda w: -w.length_ns)


@dataclass(frozen=True, slots=True)
class Agreement:
    """A counter that several passes read: how often they agreed, and where they did least."""

    counter: str
    agent: Agent
    compared: int
    equal: int
    all_zero: int
    worst: Dispatch | None
    spread: float  # `relative_spread` of the worst

    @property
    def proves_nothing(self) -> bool:
        """Every comparison was between zeros."""
        return self.all_zero == self.compared


def agreements(process: Process, dispatches: Sequence[Dispatch]) -> list[Agreement]:
    """A row per GPU and counter that was read in two or more passes of a dispatch."""
    found = []
    for agent in process.gpus:
        values: dict[str, list[tuple[Dispatch, list[float]]]] = defaultdict(list)
        for d in dispatches:
            if d.agent.device != agent.device:
                continue
            read: dict[str, list[float]] = defaultdict(list)
            for p in d.passes:
                for r in p.readings if p.status != "DISCARDED" else ():
                    read[r.counter].append(r.value)
            for counter, kept in read.items():
                if len(kept) > 1:
                    values[counter].append((d, kept))
        found += [_agreement(counter, agent, compared) for counter, compared in sorted(values.items())]
    return found


def _agreement(counter: str, agent: Agent, compared: list[tuple[Dispatch, list[float]]]) -> Agreement:
    spreads = [(relative_spread(read), d) for d, read in compared]
    worst = max(spreads, key=lambda pair: pair[0])
    return Agreement(
        counter=counter,
        agent=agent,
        compared=len(compared),
        equal=sum(spread == 0 for spread, _ in spreads),
        all_zero=sum(not any(read) for _, read in compared),
        worst=worst[1] if worst[0] else None,
        spread=worst[0],
    )
