# SPDX-License-Identifier: MIT
"""What the reports show, computed once: per kernel and per counter. Times in ns."""

from __future__ import annotations

import re
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from rocprofsys_multipass.metrics import Metric, metrics_on, values_of
from rocprofsys_multipass.trace import OUTCOMES, Agent, Dispatch, DurationSpread

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


@dataclass(frozen=True)
class KernelStatistics:
    """The dispatches of one kernel on one GPU."""

    name: str
    agent: Agent
    dispatches: tuple[Dispatch, ...]
    permuted: bool = False  # the run gave its groups of counters to the passes in turn

    @cached_property
    def outcomes(self) -> Mapping[str, int]:
        """As `outcome_counts`."""
        return outcome_counts(self.dispatches)

    @cached_property
    def duration(self) -> Spread | None:
        """Kernel time of the executions that stand for the dispatches, see `time_of`."""
        return Spread.of(d.duration_ns for d in self.dispatches)

    @cached_property
    def duration_each(self) -> Spread | None:
        """As `duration`, of the dispatches that were replayed where some were: one run of many is no pass 0."""
        return Spread.of(d.duration_ns for d in [d for d in self.dispatches if was_replayed(d)] or self.dispatches)

    @cached_property
    def time_of(self) -> Mapping[str, int]:
        """Whose times the dispatches have, and how many: the timing pass's, those of pass 0, of a single run."""
        return Counter(d.time_of for d in self.dispatches if d.time_of)

    @cached_property
    def over_passes(self) -> DurationSpread | None:
        """Extent of the kernel times of all replay passes; None where no dispatch has two."""
        of = [s for d in self.dispatches if (s := d.duration_spread) is not None]
        low, high = min((s.low_ns for s in of), default=0), max((s.high_ns for s in of), default=0)
        return DurationSpread(sum(s.passes for s in of), low, high) if of else None

    @cached_property
    def _canonical(self) -> Mapping[str, tuple[list[float], set[int]]]:
        """Of each counter its canonical values, and the planned passes that they come from."""
        found: dict[str, tuple[list[float], set[int]]] = {}
        for d in self.dispatches:
            for p in d.passes:
                group = p.group
                for r in p.readings:
                    if not r.canonical:
                        continue
                    known = found.get(r.counter)
                    if known is None:
                        found[r.counter] = known = ([], set())
                    known[0].append(r.value)
                    known[1].add(group)
        return found

    @cached_property
    def _spreads(self) -> Mapping[str, Spread | None]:
        return {counter: Spread.of(values) for counter, (values, _) in self._canonical.items()}

    @cached_property
    def _mixed(self) -> frozenset[str]:
        """Counters of which a canonical value is of several executions that nothing tells apart."""
        mixed = (p for d in self.dispatches for p in d.passes if p.mixed)
        return frozenset(r.counter for p in mixed for r in p.readings if r.canonical)

    @cached_property
    def _read(self) -> int:
        """How many dispatches have any counter."""
        return sum(any(r.canonical for p in d.passes for r in p.readings) for d in self.dispatches)

    @property
    def counters(self) -> list[str]:
        """Counters that any dispatch has, in order of block and name."""
        return in_block_order(self._canonical, self.agent)

    def counter(self, name: str) -> Spread | None:
        """Canonical values of a counter."""
        return self._spreads.get(name)

    def read_in(self, spread: Spread) -> str:
        """How many of the dispatches that have any counter have this one: `all`, `2 of 3`."""
        return "all" if spread.count == self._read else f"{spread.count} of {self._read}"

    def sources(self, name: str) -> list[int]:
        """The planned passes that the canonical values come from, sorted."""
        _, groups = self._canonical.get(name, ((), ()))
        return sorted(groups)

    def source(self, name: str) -> str:
        """As `sources`, for people: `p1`, with groups permuted `g1`; several joined by `,`; `?` where nothing tells."""
        if name in self._mixed:
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
    read: bool = True  # whether some pass read all of its counters
    apart: tuple[tuple[str, tuple[int, ...]], ...] = ()  # else, where all were read: each with its planned passes

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
            read := bool(found) or _read_together(kernel, metric),
            () if read else _apart(kernel, metric),
        )
        for metric in wanted
    ]


def _apart(kernel: KernelStatistics, metric: Metric) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """The counters of a metric with the planned passes that read them; empty where one was not read at all."""
    of = tuple((counter, tuple(kernel.sources(counter))) for counter in metric.counters)
    return of if all(groups for _, groups in of) else ()


def _read_together(kernel: KernelStatistics, metric: Metric) -> bool:
    passes = (p for d in kernel.dispatches for p in d.passes)
    return any({r.counter for r in p.readings}.issuperset(metric.counters) for p in passes)


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
        parts.append("kernel times of the timing pass, which read no counters")
    if timed < len(replayed):
        warmed = all(d.warm_up is not None for d in replayed if d.time_of != "timing pass")
        when = "after the warm-up pass" if warmed else "the GPU was idle, memory just copied"
        parts.append(f"kernel times of pass 0 ({when})")
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
