# SPDX-License-Identifier: MIT
"""What the reports show, computed once: per kernel, per pass, per counter. Times in ns."""

from __future__ import annotations

import re
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from rocprofsys_multipass.metrics import Metric, metrics_on, values_of
from rocprofsys_multipass.trace import OUTCOMES, Agent, Dispatch, DurationSpread, Process

_KILOBYTES: Final = re.compile(r"\bkilobytes\b", re.IGNORECASE)  # 1024 bytes, by the expressions of those counters


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean and extent of a quantity over `count` dispatches that have it."""

    count: int
    total: float
    low: float
    high: float

    @property
    def mean(self) -> float:
        """Arithmetic mean."""
        return self.total / self.count

    @classmethod
    def of(cls, values: Iterable[float | None]) -> Spread | None:
        """None when no dispatch has the quantity."""
        there = [v for v in values if v is not None]
        return cls(len(there), float(sum(there)), min(there), max(there)) if there else None


@dataclass(frozen=True, slots=True)
class KernelStatistics:
    """The dispatches of one kernel on one GPU."""

    name: str
    agent: Agent
    dispatches: tuple[Dispatch, ...]
    permuted: bool = False  # the run gave its groups of counters to the passes in turn

    @property
    def outcomes(self) -> Mapping[str, int]:
        """As `outcome_counts`."""
        return outcome_counts(self.dispatches)

    @property
    def duration(self) -> Spread | None:
        """Kernel time of the executions that stand for the dispatches, see `time_of`."""
        return Spread.of(d.duration_ns for d in self.dispatches)

    @property
    def duration_each(self) -> Spread | None:
        """As `duration`, of the dispatches that were replayed where some were: one run of many is no pass 0."""
        return Spread.of(d.duration_ns for d in [d for d in self.dispatches if was_replayed(d)] or self.dispatches)

    @property
    def time_of(self) -> Mapping[str, int]:
        """Whose times the dispatches have, and how many: the timing pass's, those of pass 0, of a single run."""
        return Counter(d.time_of for d in self.dispatches if d.time_of)

    @property
    def over_passes(self) -> DurationSpread | None:
        """Extent of the kernel times of all replay passes; None where no dispatch has two."""
        of = [s for d in self.dispatches if (s := d.duration_spread) is not None]
        low, high = min((s.low_ns for s in of), default=0), max((s.high_ns for s in of), default=0)
        return DurationSpread(sum(s.passes for s in of), low, high) if of else None

    @property
    def counters(self) -> list[str]:
        """Counters that any dispatch has, in order of block and name."""
        return in_block_order({c for d in self.dispatches for c in d.counters}, self.agent)

    def counter(self, name: str) -> Spread | None:
        """Canonical values of a counter."""
        return Spread.of(d.counters.get(name) for d in self.dispatches)

    def read_in(self, spread: Spread) -> str:
        """How many of the dispatches that have any counter have this one: `all`, `2 of 3`."""
        everything = sum(bool(d.counters) for d in self.dispatches)
        return "all" if spread.count == everything else f"{spread.count} of {everything}"

    def sources(self, name: str) -> list[int]:
        """The planned passes that the canonical values come from, sorted."""
        return sorted({p.group for d in self.dispatches if (p := d.canonical_pass.get(name)) is not None})

    def source(self, name: str) -> str:
        """As `sources`, for people: `p1`, with groups permuted `g1`; several joined by `,`; `?` where nothing tells."""
        if any(p.mixed for d in self.dispatches if (p := d.canonical_pass.get(name)) is not None):
            return "?"
        return _source(self.sources(name), permuted=self.permuted)


@dataclass(frozen=True, slots=True)
class MetricStatistics:
    """A metric over the dispatches of a kernel. `extent` None: no dispatch has a value."""

    metric: Metric
    groups: tuple[int, ...]  # planned passes that the values come from
    median: float | None
    extent: Spread | None
    permuted: bool = False

    @property
    def source(self) -> str:
        """As `groups`, for people: `p1`, with groups permuted `g1`."""
        return _source(self.groups, permuted=self.permuted)


def _source(groups: Iterable[int], *, permuted: bool) -> str:
    """Permuted groups are read in another pass of each dispatch."""
    return ",".join(f"{'g' if permuted else 'p'}{group}" for group in groups)


def metrics_of_kernel(kernel: KernelStatistics, sets: Sequence[str]) -> list[MetricStatistics]:
    """The metrics of some sets on the kernel's GPU, also those without a value; none without sets, or without counters.

    Each value is of one pass of one dispatch.
    """
    wanted = metrics_on(kernel.agent.name, tuple(sets)) if sets and kernel.counters else ()
    values: dict[str, list[float]] = defaultdict(list)
    groups: dict[str, set[int]] = defaultdict(set)
    for d in kernel.dispatches if wanted else ():
        for one in values_of(d, wanted):
            values[one.metric.name].append(one.value)
            groups[one.metric.name].add(one.group)
    return [
        MetricStatistics(
            metric,
            tuple(sorted(groups[metric.name])),
            statistics.median(found) if (found := values[metric.name]) else None,
            Spread.of(found),
            kernel.permuted,
        )
        for metric in wanted
    ]


def was_replayed(dispatch: Dispatch) -> bool:
    """Whether any execution of it was in a replay loop."""
    return any(p.index is not None for p in dispatch.passes)


def time_owner(dispatches: Sequence[Dispatch]) -> str:
    """Whose times those of the dispatches are, "pass 0" or "timing pass"; empty: of single runs, or of both kinds."""
    owners = {d.time_of for d in dispatches if was_replayed(d)}
    return owners.pop() if len(owners) == 1 else ""


def whose_times(dispatches: Sequence[Dispatch]) -> str:
    """What the times of kernels are, for people; empty where nothing was replayed."""
    replayed = [d for d in dispatches if was_replayed(d)]
    if not replayed:
        return ""
    parts = []
    timed = sum(d.time_of == "timing pass" for d in replayed)
    if timed:
        parts.append("times of the timing pass, which read no counters")
    if timed < len(replayed):
        warmed = all(d.warm_up is not None for d in replayed if d.time_of != "timing pass")
        before = "warm-up pass" if warmed else "drain and a snapshot"
        parts.append(f"times of pass 0, the one that follows a {before}")
    which = "" if len(replayed) == len(dispatches) else ", of those that were replayed"
    kernels = {(d.kernel, d.agent.device) for d in replayed}
    others = sum((d.kernel, d.agent.device) in kernels for d in dispatches) - len(replayed)
    if others:
        which += f"; {others:,} other{'' if others == 1 else 's'} only in calls, total and share"
    return " or ".join(parts) + which


def outcome_counts(dispatches: Sequence[Dispatch]) -> Mapping[str, int]:
    """How many dispatches had an outcome, `declined (graph)` where a reason is known, in the order of OUTCOMES."""
    counts = Counter((d.outcome, d.reason) for d in dispatches)
    order = sorted(counts, key=lambda key: (OUTCOMES.index(key[0]), key[1]))
    return {f"{outcome} ({reason})" if reason else outcome: counts[outcome, reason] for outcome, reason in order}


def block_of(counter: str, agent: Agent) -> str:
    """Hardware block of a counter: as described, else the first word of its name; empty for derived ones."""
    for info in agent.counters:
        if info.name == counter and info.block:
            return info.block
    head, _, rest = counter.partition("_")
    return head if rest and head.isupper() else ""


def unit_of(counter: str, agent: Agent) -> str:
    """`KB` where the counter's description says kilobytes; empty where it says nothing of a unit."""
    described = (info.description for info in agent.counters if info.name == counter)
    return "KB" if any(_KILOBYTES.search(text) for text in described) else ""


def in_block_order(counters: Iterable[str], agent: Agent) -> list[str]:
    """Counters of one block beside each other, derived ones last."""
    return sorted(counters, key=lambda name: (not block_of(name, agent), block_of(name, agent), name))


def by_kernel(dispatches: Sequence[Dispatch], *, permuted: bool = False) -> list[KernelStatistics]:
    """Kernels with the longest total time first. `permuted`: the run gave its groups to the passes in turn."""
    grouped: dict[tuple[str, int | None, str], list[Dispatch]] = defaultdict(list)
    for d in dispatches:
        grouped[d.kernel, d.agent.device, d.agent.name].append(d)
    found = [KernelStatistics(key[0], of[0].agent, tuple(of), permuted) for key, of in grouped.items()]
    return sorted(found, key=lambda k: -(k.duration.total if k.duration else 0))


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
    extras = (("warm-up", dispatch.warm_up), ("timing", dispatch.timing))
    found = [(None, label, one.start_ns, one.end_ns) for label, one in extras if one is not None]
    parts: list[tuple[int | None, str, int | None, int | None]] = [*found]
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
    spread: float  # (max - min) / max of the worst

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
            for counter, read in d.by_counter.items() if d.agent.device == agent.device else ():
                if len(read) == 1:
                    continue
                kept = [v for p, v in read if p.status != "DISCARDED"]
                if len(kept) > 1:
                    values[counter].append((d, kept))
        found += [_agreement(counter, agent, compared) for counter, compared in sorted(values.items())]
    return found


def _agreement(counter: str, agent: Agent, compared: list[tuple[Dispatch, list[float]]]) -> Agreement:
    spreads = [(_spread(read), d) for d, read in compared]
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


def _spread(values: list[float]) -> float:
    size = max(abs(v) for v in values)
    return (max(values) - min(values)) / size if size else 0.0
