# SPDX-License-Identifier: MIT
"""The ways to read counters that do not fit one pass, side by side: what each takes, and what it reads."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from rocprofsys_multipass.config.limits import Budget
from rocprofsys_multipass.estimate.constants import DEFAULT_BUDGET, DEFAULT_MAX_REPLAYS
from rocprofsys_multipass.estimate.window import affordable, most_replays

if TYPE_CHECKING:
    from rocprofsys_multipass.estimate.window import Window, Workload

Name = Literal["auto", "kernel", "rotate", "runs"]


@dataclass(frozen=True)
class Limits:
    """What the options say of replays; None: as the mode has it.

    Attributes:
        budget: of ``--replay-budget``.
        max_replays: of each kernel; 0: no limit.
        lifted: the reasons of ``--unsafe``.
        further_executions: of a replay, beside its passes: for ``--warm-up-pass`` and ``--timing-pass``.
    """

    budget: Budget | None = None
    max_replays: int | None = None
    lifted: tuple[str, ...] = ()
    further_executions: int = 0


@dataclass(frozen=True)
class Way:
    """One way. `name`: a mode of ``--replay``, or "runs": one run of the application for each pass.

    Attributes:
        time_ns: wall time of the application, of all runs together.
        replays: launches that are replayed, and so have all counters of one and the same launch.
        copied_bytes: between GPU and host, for them.
        readings: of a counter of a kernel, at least, when kernels are launched equally often.
        most_readings: the same, at most.
        whole_kernels: kernels of which every counter is read, at least.
        declined: why the plugin replays nothing of it; its numbers are those of rotation then, which it does instead.
    """

    name: Name
    time_ns: int
    replays: int
    copied_bytes: int
    readings: int
    most_readings: int
    whole_kernels: int
    declined: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Replays:
    """How many launches are replayed, of how many kernels at least, and how many of one kernel at least and at most."""

    count: int
    kernels: int
    least: int
    most: int


def ways_of(work: Workload, window: Window, passes: int, limits: Limits, declined: tuple[str, ...]) -> tuple[Way, ...]:
    """The default, replay of every launch, rotation, and a run for each pass.

    `declined`: why the plugin replays nothing, if so. The default and replay of every launch then rotate, and of the
    latter, which asks for what does not happen, it is told.
    """
    budget = DEFAULT_BUDGET if limits.budget is None else limits.budget
    auto = _way("auto", work, window, passes, _replays(work, window, limits, budget, DEFAULT_MAX_REPLAYS))
    every = _way("kernel", work, window, passes, _replays(work, window, limits, limits.budget or Budget(), 0))
    rotate = _way("rotate", work, window, passes, _Replays(0, 0, 0, 0))
    least, most = _of_each(work.dispatches, work.kernels)
    return (
        replace(rotate, name="auto") if declined else auto,
        replace(rotate, name="kernel", declined=declined) if declined else every,
        rotate,
        Way("runs", passes * work.application_ns, 0, 0, least, most, work.kernels),
    )


def _replays(work: Workload, window: Window, limits: Limits, budget: Budget, max_replays: int) -> _Replays:
    """What a mode with these limits replays, in whichever order the launches come."""
    if window.executions <= 1:
        return _Replays(0, 0, 0, 0)
    of_one = max_replays if limits.max_replays is None else limits.max_replays
    all_that_may = most_replays(work, of_one)
    count = all_that_may
    if "budget" not in limits.lifted:
        unlimited = "window_time" in limits.lifted
        count = affordable(work, window, budget, all_that_may, unlimited=unlimited)
    _, launches = _of_each(work.dispatches, work.kernels)
    most = min(launches, of_one or launches, count)
    if count == all_that_may:
        return _Replays(count, work.kernels, count // work.kernels, most)
    return _Replays(count, -(-count // most) if most else 0, max(0, count - (work.kernels - 1) * most), most)


def _way(name: Name, work: Workload, window: Window, passes: int, replays: _Replays) -> Way:
    """A run in which these are replayed; all other launches read a pass each, in turn."""
    least, most = _of_each(work.dispatches, work.kernels)
    return Way(
        name,
        time_ns=work.application_ns + replays.count * (window.time_ns - work.kernel_time_ns),
        replays=replays.count,
        copied_bytes=replays.count * window.copied_bytes,
        readings=replays.least + (least - replays.least) // passes,
        most_readings=replays.most + -(-(most - replays.most) // passes),
        whole_kernels=work.kernels if least >= passes else replays.kernels,
    )


def _of_each(count: int, kernels: int) -> tuple[int, int]:
    """How many are of one kernel, at least and at most, when they are spread evenly."""
    return count // kernels, -(-count // kernels)
