# SPDX-License-Identifier: MIT
"""What a replay takes, and how many of them a budget admits: the projection of the plugin, before it has measured.

Whole nanoseconds and bytes; library/replay/projection.hpp and window_budget.hpp are what is computed here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from rocprofsys_multipass.config.limits import Budget
from rocprofsys_multipass.estimate.constants import ASSUMED_COPY_RATE, WINDOW_LIMIT_NS

_SECOND = 10**9


@dataclass(frozen=True)
class Workload:
    """What is told of the application, on each GPU.

    Attributes:
        footprint: bytes of device memory that it has allocated.
        dispatches: launches whose counters are wanted.
        kernel_time_ns: of each of them.
        kernels: how many kernels these are, or launch shapes of a kernel (its grid and work-group).
        startup_ns: time of the application beside them, such as its start.
        copy_rate: bytes a second, between GPU and host.
    """

    footprint: int
    dispatches: int
    kernel_time_ns: int
    kernels: int
    startup_ns: int
    copy_rate: int

    @property
    def application_ns(self) -> int:
        """Of one run, in which each launch runs once."""
        return self.dispatches * self.kernel_time_ns + self.startup_ns

    @property
    def launches_of_each(self) -> int:
        """Of each kernel, at least, when they are launched equally often."""
        return self.dispatches // self.kernels


@dataclass(frozen=True)
class Window:
    """One replay: `executions` of the kernel; the snapshot and the restores copy the footprint as often."""

    executions: int
    copied_bytes: int
    time_ns: int


def window_of(work: Workload, executions: int) -> Window:
    """The replay of one launch; a single execution copies nothing."""
    copied = work.footprint * executions if executions > 1 else 0
    return Window(executions, copied, copied * _SECOND // work.copy_rate + executions * work.kernel_time_ns)


def projected_first(work: Workload, executions: int) -> Window:
    """What the plugin takes a replay for before it has measured one: it does not know how fast copies really are."""
    return window_of(replace(work, copy_rate=ASSUMED_COPY_RATE), executions)


def first_copy_ns(work: Workload) -> int:
    """Of the footprint, as the plugin takes it for before it has measured."""
    return work.footprint * _SECOND // ASSUMED_COPY_RATE


def measures_rate(work: Workload) -> bool:
    """Whether a first replay is begun, however long it would take at the assumed rate: one copy must be in time."""
    return first_copy_ns(work) <= WINDOW_LIMIT_NS


def most_replays(work: Workload, max_replays: int) -> int:
    """Launches that `max_replays` of each kernel are; 0: all."""
    return min(work.dispatches, max_replays * work.kernels) if max_replays else work.dispatches


def affordable(work: Workload, window: Window, budget: Budget, most: int, *, unlimited: bool = False) -> int:
    """How many replays, of `most`, the budget admits until the last launch.

    The plugin admits a replay when those before it and this one take no more than the budget, of the wall time that has
    passed then. The more launches have run once before, the more that is, and no order of launches admits more. Where
    the first is not admitted for what it is projected to take, none is, and nothing is measured. It is ended at the
    limit of a window, unless they are `unlimited`, so no more is taken for it.
    """
    first_ns = projected_first(work, window.executions).time_ns
    if not unlimited:
        first_ns = min(first_ns, WINDOW_LIMIT_NS)
    before_the_last = work.startup_ns + (work.dispatches - 1) * work.kernel_time_ns
    if first_ns > allowed(budget, before_the_last):
        return 0
    low, high = 0, most
    while low < high:
        count = (low + high + 1) // 2
        passed = work.startup_ns + (work.dispatches - count) * work.kernel_time_ns + (count - 1) * window.time_ns
        if count * window.time_ns <= allowed(budget, passed):
            low = count
        else:
            high = count - 1
    return low


def allowed(budget: Budget, wall_ns: int) -> float:
    """Nanoseconds that may be spent when so many have passed; without a limit, infinity."""
    if not budget.seconds and not budget.share:
        return float("inf")
    return max(round(budget.seconds * _SECOND), int(budget.share * wall_ns))
