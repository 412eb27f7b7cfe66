# SPDX-License-Identifier: MIT
"""Whether the passes of a kernel's dispatches can be taken for one execution: three verdicts and what they rest on.

docs/verification.md, "Three verdicts", has the definition; the exporter has another implementation of it, for the
summary, and `verify` compares the two. Relative differences are of the larger value and 1 at most; times are ns.
"""

from __future__ import annotations

import math
import os
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from operator import attrgetter
from typing import Final, Literal

from rocprofsys_multipass.trace.agent import Agent
from rocprofsys_multipass.trace.model import Dispatch, Pass, Process, Trace
from rocprofsys_multipass.trace.nature import CLOCK, EVIDENCE, CounterKind, kind_of_counter
from rocprofsys_multipass.trace.open import open_trace

Verdict = Literal["exact", "within", "not", "unknown"]
Reason = Literal["", "not_replayed", "not_read", "zero", "waves_only", "no_times", "simulated", "first_unread"]
AspectName = Literal["work", "clock", "cache"]
ASPECTS: Final[tuple[AspectName, ...]] = ("work", "clock", "cache")

_PAIR: Final = 2
_counter = attrgetter("counter")


@dataclass(frozen=True, slots=True)
class Tolerances:
    """Largest relative differences between two passes that count as the same.

    Instructions and waves of equal executions differ on GPUs by up to 0.06 % (public reports of SQ_WAVES, PAPI issue
    92); clock and caches are never quite alike, and 5 % is where they begin to move a result.
    """

    work: float = 0.0006
    clock: float = 0.05
    cache: float = 0.05

    def __post_init__(self) -> None:
        """ValueError where one is negative or no number: nothing would be the same."""
        for name, value in (("work", self.work), ("clock", self.clock), ("cache", self.cache)):
            if not value >= 0:
                message = f"tolerance {name} is {value!r}: give 0 or more, relative to the larger value, such as 0.05"
                raise ValueError(message)


DEFAULT: Final = Tolerances()


@dataclass(frozen=True, slots=True)
class Aspect:
    """One verdict on the passes of some dispatches.

    `exact`: no difference; `within`: at most the tolerance; `not`: more. `unknown` has a `reason` and no `spread`.
    It holds of the `compared` dispatches only, and of all passes of a dispatch only in `in_all_passes` of them.
    `worst` is the id of the dispatch whose passes differ most; None where none do.
    """

    verdict: Verdict
    reason: Reason
    spread: float | None
    compared: int
    in_all_passes: int
    counters: tuple[str, ...] = ()
    worst: int | None = None


@dataclass(frozen=True, slots=True)
class TimeExtent:
    """Times of some executions in ns, those that are not usable left out."""

    count: int
    total: int
    low: int
    high: int

    @classmethod
    def of(cls, times: Sequence[int]) -> TimeExtent | None:
        """None of no times."""
        return cls(len(times), sum(times), min(times), max(times)) if times else None


@dataclass(frozen=True, slots=True, repr=False)
class KernelVerdicts:
    """What can be said of the passes of the dispatches of one kernel on one GPU of one process.

    `replayed`: dispatches with two passes or more, of which the rest is. `pass_0` and `passes`: times of their first
    passes, and of all of them; `spread`: the largest relative difference of two times of one dispatch, 0 without two.
    """

    process: int
    agent: Agent
    kernel: str
    dispatches: int
    replayed: int
    work: Aspect
    clock: Aspect
    cache: Aspect
    pass_0: TimeExtent | None
    passes: TimeExtent | None
    spread: float

    def __repr__(self) -> str:
        """Kernel and the words of the verdicts; what they rest on are attributes."""
        verdicts = ", ".join(f"{name} {self.aspect(name).verdict}" for name in ASPECTS)
        return f"<KernelVerdicts {self.kernel!r} on {self.agent.label}: {verdicts}; replayed {self.replayed}>"

    @property
    def inputs_restored(self) -> Literal["no", "unknown"]:
        """`no` where passes did different work; nothing that a client sees can be evidence for `yes`."""
        return "no" if self.work.verdict == "not" else "unknown"

    def aspect(self, name: AspectName) -> Aspect:
        """The verdict of that name."""
        aspects: dict[AspectName, Aspect] = {"work": self.work, "clock": self.clock, "cache": self.cache}
        return aspects[name]


def verdicts(
    source: str | os.PathLike[str] | Trace, *, kernel: str | None = None, tolerances: Tolerances = DEFAULT
) -> list[KernelVerdicts]:
    """Same work, same clock, same cache state: for each kernel on each GPU, in order of first dispatch.

    Args:
        source: a trace, or what `open_trace` takes.
        kernel: as in `Trace.dispatches`.
        tolerances: relative differences that count as the same.

    Raises:
        UsageError: `kernel` is no regular expression and in no name.
        TraceError: nothing there can be read.
    """
    trace = source if isinstance(source, Trace) else open_trace(os.fspath(source))
    chosen = {id(d) for d in trace.dispatches(kernel=kernel)}
    return [
        one
        for process in trace.processes
        for one in verdicts_of(process, [d for d in process.dispatches if id(d) in chosen], tolerances)
    ]


def verdicts_of(
    process: Process,
    dispatches: Iterable[Dispatch],
    tolerances: Tolerances = DEFAULT,
    *,
    key: Callable[[Dispatch], Hashable] = lambda d: (d.agent.index, d.kernel),
) -> list[KernelVerdicts]:
    """The verdicts on some dispatches of a process; those with one `key` are one kernel's."""
    groups: dict[Hashable, list[Dispatch]] = defaultdict(list)
    for d in dispatches:
        groups[key(d)].append(d)
    return [_of_kernel(process, group, tolerances) for group in groups.values()]


def verdict_words(process: Process, d: Dispatch) -> tuple[Verdict, Verdict, Verdict]:
    """The three verdicts on the passes of one dispatch: same work, same clock, same cache state."""
    if len(replay_passes(d)) < _PAIR:
        return "unknown", "unknown", "unknown"
    one = _of_kernel(process, (d,), DEFAULT)
    return one.work.verdict, one.clock.verdict, one.cache.verdict


def replay_passes(dispatch: Dispatch) -> list[Pass]:
    """Its passes that are compared: those of a replay loop whose readings were kept."""
    return [p for p in dispatch.passes if p.index is not None and p.status != "DISCARDED"]


def usable_ns(one: Pass) -> int:
    """The duration of an execution; 0 where it is not usable."""
    return max(one.duration_ns or 0, 0)


def relative_spread(values: Sequence[float]) -> float:
    """The largest difference of two, relative to the larger; 1 at most, and where one is infinite."""
    low, high = min(values), max(values)
    if low == high:
        return 0.0
    if math.isinf(low) or math.isinf(high):
        return 1.0
    return min(1.0, (high - low) / max(abs(low), abs(high)))


@dataclass
class _Extent:
    """What the dispatches of a kernel show of one aspect."""

    compared: int = 0
    in_all_passes: int = 0
    zero: int = 0
    indirect: int = 0  # dispatches with what alone proves no agreement
    spread: float = 0.0
    worst: int | None = None
    counters: set[str] = field(default_factory=set)

    def add(self, d: Dispatch, passes: int, direct: dict[str, list[float]], indirect: dict[str, list[float]]) -> None:
        compared = list(_not_zero(direct))
        beside = list(_not_zero(indirect))
        self.compared += bool(compared)
        self.in_all_passes += any(len(values) == passes for _, values in compared)
        self.zero += not compared and any(len(values) >= _PAIR for values in direct.values())
        self.indirect += bool(beside)
        for counter, values in (*compared, *beside):
            self.counters.add(counter)
            spread = relative_spread(values)
            if spread > self.spread:
                self.spread, self.worst = spread, d.dispatch_id

    def judged(self, replayed: int, tolerance: float, indirect: Reason = "not_read") -> Aspect:
        reason: Reason = ""
        if not self.compared and self.spread <= tolerance:
            reason = indirect if self.indirect else "not_read"
            reason = "zero" if self.zero else reason
            reason = reason if replayed else "not_replayed"
        return self._aspect(reason, "exact" if not self.spread else "within" if self.spread <= tolerance else "not")

    def unknown(self, reason: Reason) -> Aspect:
        return self._aspect(reason, "unknown")

    def _aspect(self, reason: Reason, verdict: Verdict) -> Aspect:
        return Aspect(
            verdict="unknown" if reason else verdict,
            reason=reason,
            spread=None if reason else self.spread,
            compared=self.compared,
            in_all_passes=self.in_all_passes,
            counters=tuple(sorted(self.counters)),
            worst=None if reason else self.worst,
        )


def _not_zero(read: dict[str, list[float]]) -> Iterator[tuple[str, list[float]]]:
    return ((counter, values) for counter, values in read.items() if len(values) >= _PAIR and any(values))


def _of_kernel(process: Process, dispatches: Sequence[Dispatch], tolerances: Tolerances) -> KernelVerdicts:
    work, clock, cached = _Extent(), _Extent(), _Extent()
    replayed, unread, spread = 0, 0, 0.0
    first: list[int] = []
    every: list[int] = []
    for d in dispatches:
        passes = replay_passes(d)
        if len(passes) < _PAIR:
            continue
        replayed += 1
        unread += bool(d.extra_passes)
        times = [ns for p in passes if (ns := usable_ns(p))]
        every += times
        first += [ns for p in passes if p.index == 0 and (ns := usable_ns(p))]
        spread = max(spread, relative_spread([float(ns) for ns in times]) if times else 0.0)
        _compare(d, passes, work, clock, cached)
    of_work = work.judged(replayed, tolerances.work, "waves_only")
    if unread and of_work.verdict in ("exact", "within"):
        # All that was read may be on memory that the first execution left: a difference shows, and equality proves
        # nothing. One such dispatch is enough: what it hides is the kernel's.
        of_work = work.unknown("first_unread")
    of_clock = clock.judged(replayed, tolerances.clock, "no_times")
    if process.simulated and of_clock.verdict != "unknown":
        of_clock = clock.unknown("simulated")
    return KernelVerdicts(
        process=process.pid,
        agent=dispatches[0].agent,
        kernel=dispatches[0].kernel,
        dispatches=len(dispatches),
        replayed=replayed,
        work=of_work,
        clock=of_clock,
        cache=cached.judged(replayed, tolerances.cache),
        pass_0=TimeExtent.of(first),
        passes=TimeExtent.of(every),
        spread=spread,
    )


@lru_cache(maxsize=1024)  # the passes of few plans
def _evidence_among(counters: tuple[str, ...]) -> tuple[tuple[int, CounterKind], ...]:
    """Positions and kinds of the counters that verdicts rest on: most others are passed over this way."""
    kinds = enumerate(map(kind_of_counter, counters))
    return tuple((k, kind) for k, kind in kinds if kind in EVIDENCE)


def _compare(d: Dispatch, passes: Sequence[Pass], work: _Extent, clock: _Extent, cached: _Extent) -> None:
    read: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    rates: list[float] = []
    for p in passes:
        for k, kind in _evidence_among(tuple(map(_counter, p.readings))):
            r = p.readings[k]
            read[kind][r.counter].append(r.value)
            if kind == "clock" and (ns := usable_ns(p)):
                rates.append(r.value / ns)
    work.add(d, len(passes), read["instructions"], read["waves"])
    cached.add(d, len(passes), read["cache"], {})
    # Cycles without two usable times are as good as not compared, and the reason should say so.
    clock.add(d, len(passes), {CLOCK: rates}, {})
    clock.indirect += len(rates) < _PAIR and len(read["clock"][CLOCK]) >= _PAIR
