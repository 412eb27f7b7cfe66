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
        readings: of a counter of a kernel, at least, when kernels are launched, and replayed, equally often.
        most_readings: the same, at most.
        whole_kernels: kernels of which every counter is read, at least.
        declined: why the plugin would not do it; its numbers are what it would take all the same.
    """

    name: Name
    time_ns: int
    replays: int
    copied_bytes: int
    readings: int
    most_readings: int
    whole_kernels: int
    declined: tuple[str, ...] = ()


def ways_of(work: Workload, window: Window, passes: int, limits: Limits, declined: tuple[str, ...]) -> tuple[Way, ...]:
    """The default, replay of every launch, rotation, and a run for each pass.

    `declined`: why the plugin replays nothing, if so. The default then rotates; of replay of every launch it is told
    what that would take.
    """
    budget = DEFAULT_BUDGET if limits.budget is None else limits.budget
    auto = _way("auto", work, window, passes, *_replays(work, window, limits, budget, DEFAULT_MAX_REPLAYS))
    rotate = _way("rotate", work, window, passes, 0, whole=0)
    every = _way("kernel", work, window, passes, *_replays(work, window, limits, limits.budget or Budget(), 0))
    least, most = _of_each(work.dispatches, work.kernels)
    return (
        replace(rotate, name="auto") if declined else auto,
        replace(every, declined=declined),
        rotate,
        Way("runs", passes * work.application_ns, 0, 0, least, most, work.kernels),
    )


def _replays(work: Workload, window: Window, limits: Limits, budget: Budget, max_replays: int) -> tuple[int, int]:
    """Launches that a mode with these limits replays, and kernels that these are of, at least."""
    if window.executions <= 1:
        return 0, work.kernels
    of_one = max_replays if limits.max_replays is None else limits.max_replays
    most = most_replays(work, of_one)
    replays = most if "budget" in limits.lifted else affordable(work, window, budget, most)
    _, most_launches = _of_each(work.dispatches, work.kernels)
    most_of_one = min(most_launches, of_one or most_launches)
    return replays, work.kernels if replays == most else -(-replays // most_of_one)


def _way(name: Name, work: Workload, window: Window, passes: int, replays: int, whole: int) -> Way:  # noqa: PLR0913, PLR0917
    """A run in which so many launches are replayed, of `whole` kernels; the others read a pass each, in turn."""
    least, most = _of_each(work.dispatches, work.kernels)
    least_replays, most_replays_of_one = _of_each(replays, work.kernels)
    return Way(
        name,
        time_ns=work.application_ns + replays * (window.time_ns - work.kernel_time_ns),
        replays=replays,
        copied_bytes=replays * window.copied_bytes,
        readings=least_replays + (least - least_replays) // passes,
        most_readings=most_replays_of_one + -(-(most - most_replays_of_one) // passes),
        whole_kernels=work.kernels if least >= passes else whole,
    )


def _of_each(count: int, kernels: int) -> tuple[int, int]:
    """How many are of one kernel, at least and at most, when they are spread evenly."""
    return count // kernels, -(-count // kernels)
