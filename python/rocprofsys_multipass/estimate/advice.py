# SPDX-License-Identifier: MIT
"""Which way to choose, why, and what stands in the way: in sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocprofsys_multipass.estimate.amounts import rounded_down, size_text, time_text
from rocprofsys_multipass.estimate.constants import (
    ASSUMED_COPY_RATE,
    DEFAULT_BUDGET,
    SDK_PATIENCE_NS,
    SEEN_OVERHEAD_NS,
    WINDOW_LIMIT_NS,
)
from rocprofsys_multipass.estimate.window import allowed, first_copy_ns, measures_rate
from rocprofsys_multipass.spelling import plural

if TYPE_CHECKING:
    from rocprofsys_multipass.estimate.room import HostRoom
    from rocprofsys_multipass.estimate.ways import Name, Way
    from rocprofsys_multipass.estimate.window import Window, Workload

_SECOND = 10**9
_WORTH_TELLING = 10  # what overheads add, in parts of what is computed


@dataclass(frozen=True)
class Case:
    """All that is known of one GPU. `against`: why its launches should not be replayed; `declined`: and are not."""

    work: Workload
    window: Window
    passes: int
    ways: tuple[Way, ...]
    room: HostRoom
    against: tuple[str, ...]
    declined: tuple[str, ...]

    def way(self, name: Name) -> Way:
        """One of the ways."""
        return next(way for way in self.ways if way.name == name)

    @property
    def covers(self) -> bool:
        """Whether rotation reads every counter of every kernel."""
        return self.way("rotate").whole_kernels == self.work.kernels


def choose(case: Case) -> tuple[Name, str]:
    """The way, and one sentence that says why."""
    work, auto, every = case.work, case.way("auto"), case.way("kernel")
    if case.passes <= 1:
        return "auto", "one pass holds every counter: each launch runs once and is read whole, in every mode"
    if case.against:
        return _without_replay(case)
    if auto.replays == work.dispatches:
        whole = "which is read whole" if work.dispatches == 1 else "each of which is read whole"
        return "auto", f"it replays {_all(work)}, {whole}, {_added(case, auto)}{_runs(case, auto)}"
    with_overheads = every.time_ns + every.replays * SEEN_OVERHEAD_NS - work.application_ns
    if every.replays == work.dispatches and with_overheads <= allowed(DEFAULT_BUDGET, work.application_ns):
        return "kernel", (
            f"{_all(work)} can be read whole {_added(case, every)}, which is within the budget of the default, and the "
            f"default would replay {auto.replays:,}"
        )
    if auto.whole_kernels == work.kernels:
        return "auto", _auto(case, auto, every)
    return _one_that_covers(case, auto, every)


def _auto(case: Case, auto: Way, every: Way) -> str:
    """Some launches whole, and the others in turn."""
    work = case.work
    text = (
        f"{auto.replays:,} of {plural(work.dispatches, 'launch')} are read whole, {_added(case, auto)}, and the others "
        f"read one of the {case.passes} passes, in turn: {_readings(auto)} of each kernel"
    )
    if every.replays == work.dispatches:
        text += f"; to replay every launch would take {time_text(every.time_ns)}"
    return text


def _without_replay(case: Case) -> tuple[Name, str]:
    """Rotation where it covers, which the default then does by itself, unless it was told not to mind."""
    names = " and ".join(case.against)
    head = "replays are declined" if case.declined == case.against else f"replays are not safe here ({names})"
    rotate, runs = case.way("rotate"), case.way("runs")
    if not case.covers:
        return "runs", f"{head}, and rotation has too few launches; this takes {time_text(runs.time_ns)}"
    same = ", so the default does the same" if case.declined else ""
    return "rotate", (
        f"{head}{same}: each launch reads one of the {case.passes} passes, in turn, at no further time, which gives "
        f"{_readings(rotate)} of each kernel"
    )


def _one_that_covers(case: Case, auto: Way, every: Way) -> tuple[Name, str]:
    """Where the default leaves counters out: replay of every launch or a run for each pass, whichever is quicker."""
    runs, kernels = case.way("runs"), plural(case.work.kernels, "kernel")
    short = (
        f"the budget lets the default read {auto.whole_kernels:,} of {kernels} whole, and rotation has too few launches"
    )
    if every.replays < case.work.dispatches:
        return "runs", f"{short}; this takes {time_text(runs.time_ns)}"
    if every.time_ns <= runs.time_ns:
        return "kernel", f"{short}; this reads every launch whole, in {time_text(every.time_ns)}{_runs(case, every)}"
    return "runs", f"{short}; this takes {time_text(runs.time_ns)}, to replay every launch {time_text(every.time_ns)}"


def warnings_of(case: Case, choice: Name) -> tuple[str, ...]:
    """What stands in the way, and what would help; of the way that was chosen, what its time leaves out."""
    if case.passes <= 1:
        return ()
    found = [*case.room.warnings(case.work.footprint, declined="host_memory" in case.declined)]
    if "window_time" in case.against:
        found.append(_window(case))
    if not case.covers:
        found.append(_too_few(case))
    found.extend(_overheads(case.way(choice)))
    return tuple(found)


def _too_few(case: Case) -> str:
    of_each = case.work.launches_of_each
    reads = f"with {of_each:,} it reads {of_each:,} of the {case.passes:,} passes"
    return f"rotation needs {plural(case.passes, 'launch')} of each kernel: {reads}"


def _window(case: Case) -> str:
    """A replay that takes too long, and with how much memory it would not."""
    work, times = case.work, case.window.executions
    taken, limit = time_text(case.window.time_ns), time_text(WINDOW_LIMIT_NS)
    takes = f"a replay takes {'just over ' if taken == limit else ''}{taken}"
    patience = f"revisions of the SDK end a process that waits for {time_text(SDK_PATIENCE_NS)}"
    if case.window.time_ns <= WINDOW_LIMIT_NS:
        return f"{takes}, {_never_measured(work)}"
    if "window_time" not in case.declined:
        return f"{takes}, and {patience}"
    text = f"{takes}, and more than {limit} is declined (window_time), since {patience}"
    if measures_rate(work):
        text += "; one may be begun to measure how fast memory is copied, and ended early"
    copy_ns = WINDOW_LIMIT_NS - times * work.kernel_time_ns
    if copy_ns <= 0:
        return f"{text}; {plural(times, 'execution')} alone take {time_text(times * work.kernel_time_ns)}"
    fits = min(copy_ns * work.copy_rate // (_SECOND * times), WINDOW_LIMIT_NS * ASSUMED_COPY_RATE // _SECOND)
    return f"{text}; with {size_text(rounded_down(fits))} allocated it would be in time"


def _never_measured(work: Workload) -> str:
    """Copies are faster than the plugin can know: not even one of them seems to be in time."""
    return (
        f"but one copy alone takes {time_text(first_copy_ns(work))} at the "
        f"{size_text(ASSUMED_COPY_RATE)}/s that a run assumes before it has measured, and more than "
        f"{time_text(WINDOW_LIMIT_NS)} is declined (window_time); --replay kernel --unsafe window_time lifts that"
    )


def _overheads(way: Way) -> list[str]:
    """Where the formula leaves out what decides."""
    added = way.replays * SEEN_OVERHEAD_NS
    if added * _WORTH_TELLING <= way.time_ns:
        return []
    text = (
        f"overheads are left out: {plural(way.replays, 'replay')} at the {time_text(SEEN_OVERHEAD_NS)} that a debug "
        f"build of the SDK was seen to take beside copies and kernels would add {time_text(added)}"
    )
    return [text]


def _added(case: Case, way: Way) -> str:
    return f"for {time_text(way.time_ns - case.work.application_ns)} more"


def _runs(case: Case, way: Way) -> str:
    """Where runs are quicker."""
    runs = case.way("runs")
    if runs.time_ns >= way.time_ns:
        return ""
    return f"; {case.passes:,} application runs take {time_text(runs.time_ns)}, and none of their launches is whole"


def _all(work: Workload) -> str:
    return "the launch" if work.dispatches == 1 else f"all {work.dispatches:,} launches"


def _readings(way: Way) -> str:
    return f"{plural(way.readings, 'reading')} of each counter"
