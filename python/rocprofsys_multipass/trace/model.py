# SPDX-License-Identifier: MIT
"""What a run left behind, the same whichever file it was read from.

Identity is (process, dispatch id, pass). All times are CLOCK_BOOTTIME nanoseconds as the SDK gave them.
`pass` is 0-based and absent (None) where no replay loop surrounded the execution; `group` is the index of the
planned pass whose counters were read. A counter that was not delivered is absent, never 0.

A counter that several passes read has one *canonical* reading: that of the lowest pass which has it and is not
planned to read it as a sentinel, or where there is none, of the lowest which has it. Passes that were discarded give
none, and neither do sentinels that nobody requested (a counter which is a sentinel in every pass of the plan).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sized
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from rocprofsys_multipass.errors import CounterError, TraceError, UsageError
from rocprofsys_multipass.spelling import plural
from rocprofsys_multipass.trace.agent import Agent
from rocprofsys_multipass.trace.late import Late, Rows

if TYPE_CHECKING:
    import pandas as pd

    from rocprofsys_multipass.trace.kernel_counters import KernelCounter

Outcome = Literal["replayed", "single_pass", "declined", "filtered", "incomplete"]
OUTCOMES: Final[tuple[Outcome, ...]] = get_args(Outcome)
Kind = Literal["journal", "perfetto", "rocpd"]
Status = Literal["OK", "PARTIAL", "DISCARDED"]
Dim3 = tuple[int, int, int]


OURS: Final = "rocprofsys-multipass"
ROCPROFV3: Final = "rocprofv3"
ROCPROF_SYS: Final = "rocprof-sys"
UNKNOWN: Final = "another tool"
"""Tools that write what can be read here (docs/formats/foreign.md)."""

_SHOWN: Final = 60  # characters of a command where an object is shown
_FEW: Final = 3  # GPUs there


def outcome_of(text: str, where: str) -> Outcome:
    """The outcome with this name; TraceError for a name that does not exist."""
    for outcome in OUTCOMES:
        if outcome == text:
            return outcome
    raise TraceError(
        f"{where}: outcome {text!r} is none of {', '.join(OUTCOMES)}; "
        "the file was written by another version, read it with that one"
    )


@dataclass(frozen=True, slots=True)
class Interval:
    """Start and end of an execution in ns; None: unknown."""

    start_ns: int | None
    end_ns: int | None

    @property
    def duration_ns(self) -> int | None:
        """End minus start in ns, negative where the file has them swapped; None: times unknown."""
        if self.start_ns is None or self.end_ns is None:
            return None
        return self.end_ns - self.start_ns


@dataclass(frozen=True, slots=True)
class Reading:
    """One counter as one pass delivered it, instances summed."""

    counter: str
    value: float
    canonical: bool = False


@dataclass(frozen=True, slots=True)
class Pass:
    """One execution of a dispatch. `index` None: no replay loop surrounded it. Times None: unknown.

    `status` PARTIAL: planned counters of it were not delivered; of what was filtered nothing was to be read, and where
    the plan is not known neither is what is missing. `mixed`: what several executions read that a file does not tell
    apart, without `index`; times, where it has them, are those of the first, or of a run without replay that the
    counters of another were joined to. `instances`: of a journal of a run that kept them, the values of the single
    instances of each counter by their position (`CounterInfo.dimensions`); None: they were not kept.
    """

    index: int | None
    group: int
    start_ns: int | None
    end_ns: int | None
    readings: tuple[Reading, ...] = ()
    status: Status = "OK"
    mixed: bool = False
    instances: Mapping[str, Mapping[int, float]] | None = field(default=None, compare=False)

    @property
    def duration_ns(self) -> int | None:
        """End minus start in ns, negative where the file has them swapped; None: times unknown."""
        if self.start_ns is None or self.end_ns is None:
            return None
        return self.end_ns - self.start_ns

    @property
    def label(self) -> str:
        """`pass 2`, or `group 2` where no replay loop surrounded the execution."""
        return f"group {self.group}" if self.index is None else f"pass {self.index}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kernel:
    """A kernel symbol; sizes in bytes, None where the file does not hold them."""

    id: int | None
    name: str
    demangled: str
    code_object_id: int | None = None
    sgpr_count: int | None = None
    arch_vgpr_count: int | None = None
    accum_vgpr_count: int | None = None
    group_segment_size: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class DurationSpread:
    """How the times of the passes of one dispatch lie: `passes` have a usable time, from `low_ns` to `high_ns`."""

    passes: int
    low_ns: int
    high_ns: int

    @property
    def relative(self) -> float:
        """How much shorter the shortest is than the longest, from 0 to 1."""
        return (self.high_ns - self.low_ns) / self.high_ns


@dataclass(frozen=True, kw_only=True, repr=False)
class Dispatch:
    """One logical dispatch with every pass of it. `process` is the pid.

    `warm_up` and `timing` are the executions of a replayed dispatch that read no counters, where the run asked for
    them (``--warm-up-pass``, ``--timing-pass``), else None; they are none of `passes`. `time_of` says whose times
    `start_ns`, `end_ns` and `duration_ns` are: the timing pass's where there is one, else those of pass 0.
    """

    process: int
    dispatch_id: int
    agent: Agent
    symbol: Kernel
    outcome: Outcome
    reason: str = ""
    passes_planned: int = 0
    passes: tuple[Pass, ...] = ()  # in order of pass: passes[k] is pass k where none before it is missing
    queue_id: int | None = None
    stream_id: int | None = None
    thread_id: int | None = None
    grid: Dim3 | None = None  # work-items
    workgroup: Dim3 | None = None
    warm_up: Interval | None = None
    timing: Interval | None = None
    correlation_id: int | None = field(default=None, compare=False)  # of the SDK
    private_segment_size: int | None = field(default=None, compare=False)  # bytes of scratch memory of a work-item
    group_segment_size: int | None = field(default=None, compare=False)  # bytes of LDS of a work-group; of a journal

    def __getstate__(self) -> dict[str, Any]:
        """To pickle and to copy: without what was made of the fields, which is no part of it and cannot be pickled."""
        return {one.name: getattr(self, one.name) for one in fields(self)}

    def __repr__(self) -> str:
        """What it is and what became of it; agent, symbol and readings are attributes."""
        reason = f" ({self.reason})" if self.reason else ""
        return (
            f"<Dispatch {self.dispatch_id} of process {self.process}, {self.kernel!r} on {self.agent.label}: "
            f"{self.outcome}{reason}, passes {len(self.passes)} of {self.passes_planned}, "
            f"counters {len(self.counters)}>"
        )

    @property
    def kernel(self) -> str:
        """Demangled name, the mangled one where that is all there is."""
        return self.symbol.demangled or self.symbol.name

    @property
    def extra_passes(self) -> tuple[tuple[str, Interval], ...]:
        """Its executions that read no counters, in the order in which they ran: `warm-up`, `timing`."""
        named = (("warm-up", self.warm_up), ("timing", self.timing))
        return tuple((name, one) for name, one in named if one is not None)

    @cached_property
    def counters(self) -> Mapping[str, float]:
        """Every counter once, its canonical value, in order of name."""
        found = {r.counter: r.value for p in reversed(self.passes) for r in p.readings if r.canonical}
        return MappingProxyType(dict(sorted(found.items())))

    @cached_property
    def canonical_pass(self) -> Mapping[str, Pass]:
        """The pass that the canonical value of each counter comes from."""
        return MappingProxyType({r.counter: p for p in reversed(self.passes) for r in p.readings if r.canonical})

    @cached_property
    def by_counter(self) -> Mapping[str, list[tuple[Pass, float]]]:
        """Every reading of each counter with its pass, in order of pass."""
        found: dict[str, list[tuple[Pass, float]]] = {}
        for p in self.passes:
            for r in p.readings:
                found.setdefault(r.counter, []).append((p, r.value))
        return MappingProxyType(dict(sorted(found.items())))

    def counter(self, name: str) -> float:
        """Canonical value of a counter, instances summed, in the unit of the counter.

        CounterError (also a KeyError) where it was not delivered: it says in which passes it was planned, which name is
        near, and what there is.
        """
        value = self.counters.get(name)
        if value is None:
            from rocprofsys_multipass.trace.missing import why_missing

            raise CounterError(why_missing(self, name))
        return value

    @cached_property
    def _timed(self) -> tuple[str, Interval] | None:
        """Whose times the dispatch has, and these."""
        executions: tuple[Pass | Interval, ...] = self.passes
        if self.timing is not None:
            executions = (self.timing, *executions)
        timed = [one for one in executions if one.duration_ns is not None]
        one = next((one for one in timed if (one.duration_ns or 0) > 0), timed[0] if timed else None)
        if one is None or isinstance(one, Interval):
            return None if one is None else ("timing pass", one)
        label = (
            "pass 0" if one.mixed and self.outcome == "replayed" else "single run" if one.index is None else one.label
        )
        return label, Interval(one.start_ns, one.end_ns)

    @property
    def time_of(self) -> str:
        """Whose times these are: `timing pass`, `pass 0`, or `single run` outside a replay; empty: times unknown."""
        return self._timed[0] if self._timed else ""

    @property
    def start_ns(self) -> int | None:
        """Start of the timing pass; without one of pass 0, else of the lowest pass with valid times, else with any."""
        return self._timed[1].start_ns if self._timed else None

    @property
    def end_ns(self) -> int | None:
        """End of the execution that `start_ns` is of."""
        return self._timed[1].end_ns if self._timed else None

    @property
    def duration_ns(self) -> int | None:
        """Kernel time in ns of the execution that `start_ns` is of."""
        return self._timed[1].duration_ns if self._timed else None

    @property
    def duration_spread(self) -> DurationSpread | None:
        """The extent of the kernel times of its replay passes; None where fewer than two have a usable time."""
        times = [ns for p in self.passes if p.index is not None and (ns := p.duration_ns or 0) > 0]
        return DurationSpread(len(times), min(times), max(times)) if len(times) > 1 else None

    @property
    def where(self) -> str:
        """How a message names this dispatch."""
        return f"process {self.process}, dispatch {self.dispatch_id}"


@dataclass(frozen=True, kw_only=True, repr=False)
class Process:
    """All that one process recorded. `notes` say what the reader had to skip or could not resolve.

    `dispatches` and `notes` of a journal or database are read from it when they are first asked for; all else is there
    at once.
    """

    path: Path
    kind: Kind
    pid: int
    agents: tuple[Agent, ...]
    dispatches: Late[tuple[Dispatch, ...]] = Late()  # noqa: RUF009  a descriptor
    kernels: tuple[Kernel, ...] = ()
    guid: str = ""  # by which the rows of a database are of this process
    rank: int | None = None
    hostname: str = ""
    command: tuple[str, ...] = ()
    tool: str = OURS  # that wrote the file
    tool_version: str = ""
    sdk_version: str = ""
    simulated: bool | None = None
    kernel_replay: bool | None = None
    replay_mode: str = ""
    warnings: tuple[str, ...] = ()
    notes: Late[tuple[str, ...]] = Late(())  # noqa: RUF009  a descriptor
    closed: bool = True  # False: the journal has no last frame, the process died or still runs
    sets: tuple[str, ...] = ()  # of metrics, as they were asked for
    warm_up_pass: bool = False  # these three: as they were asked for
    timing_pass: bool = False
    permute_groups: bool = False
    compute_panels: tuple[int, ...] = ()  # of rocprofiler-compute, likewise; this and the next: of a journal only
    keeps_instances: bool = False
    shares_file: bool = False  # with other processes, as in what `merge --combine` makes
    own_guid: str = ""  # of this tool's run, where that was merged into a database with a guid of rocprof-sys
    events: str = ""  # the list of counters as it was asked for; this and what follows: of a journal only
    sdk_library: str = ""  # path
    started_ns: int | None = None
    ended_ns: int | None = None
    left_out: tuple[str, ...] = ()  # a sentence for each counter of which NaN or infinity was recorded
    not_numbers: frozenset[tuple[int | None, str]] = frozenset()  # GPU and name of each of these counters
    records_lost: int | None = None  # dispatches, kernels and warnings that the plugin could not write, at least
    in_flight: int | None = None  # dispatches at the last checkpoint, when there is no last frame
    values_recorded: int | None = None  # readings of all passes: finite, of counters that are described

    def __getstate__(self) -> dict[str, Any]:
        """To pickle and to copy: what is still in the file is read first. TraceError as for `dispatches`."""
        return {one.name: getattr(self, one.name) for one in fields(self)}

    def __repr__(self) -> str:
        """What it is, in a line; dispatches that were not read yet stay so."""
        rank = f" rank {self.rank}" if self.rank is not None else ""
        command = f" {' '.join(self.command)[:_SHOWN]!r}" if self.command else ""
        return f"<Process {self.pid}{rank}{command}: {_found_in((self,))}, {self.path}>"

    @property
    def run_guid(self) -> str:
        """That of this tool's run, whatever the file; empty where it tells of none."""
        return self.own_guid or self.guid

    @property
    def identity(self) -> tuple[str, int, int | None]:
        """What no other process has; it begins with an empty text where the file does not tell."""
        return (self.guid if self.tool == OURS else "", self.pid, self.rank)

    @property
    def unread_rows(self) -> Rows | None:
        """Where the dispatches are, as long as nobody asked for them."""
        rows = vars(self)["dispatches"]
        return rows if isinstance(rows, Rows) else None

    @property
    def gpus(self) -> tuple[Agent, ...]:
        """The GPU agents in order of their ordinal."""
        return tuple(sorted((a for a in self.agents if a.device is not None), key=lambda a: a.device or 0))

    def unread(self, agent: Agent) -> tuple[str, ...]:
        """Counters planned on a GPU that no dispatch there has a reading of, sorted; none where nothing was to be read.

        They are in no table: those of later passes when nothing was replayed. Empty where the file does not say what
        was planned, or was written without counters.
        """
        here = [d for d in self.dispatches if d.agent.index == agent.index and d.outcome != "filtered"]
        if not here or agent.without_counters:
            return ()
        planned = {c.name for c in agent.counters} | {c for p in agent.passes for c in p.counters}
        read = {r.counter for d in here for p in d.passes for r in p.readings}
        return tuple(sorted(planned - read - agent.sentinels_only))


def _found_in(processes: tuple[Process, ...]) -> str:
    """``12 dispatches of 3 kernels on GPU 0 [gfx942]``; of dispatches that were not read yet what is known of them."""
    rows = [vars(one)["dispatches"] for one in processes]
    found = "dispatches not read yet"
    if all(isinstance(one, Sized) for one in rows):
        found = plural(sum(map(len, rows)), "dispatch")
        if all(isinstance(one, tuple) for one in rows):
            found += f" of {plural(len({d.kernel for of in rows for d in of}), 'kernel')}"
    gpus = list(dict.fromkeys(agent.label for one in processes for agent in one.gpus))
    more = f" and {len(gpus) - _FEW} more" if len(gpus) > _FEW else ""
    return found + (f" on {', '.join(gpus[:_FEW])}{more}" if gpus else "")


@dataclass(frozen=True, repr=False)
class Trace:
    """What was recorded, of one process or of several. Order: process, then dispatch id."""

    processes: tuple[Process, ...]

    def __repr__(self) -> str:
        """What there is of it, in a line; dispatches that were not read yet stay so."""
        folders = {one.path.parent for one in self.processes}
        of_all = self.processes[0].path if len(self.processes) == 1 else folders.pop() if len(folders) == 1 else ""
        where = f", {of_all}" if of_all else ""
        return f"<Trace of {plural(len(self.processes), 'process')}: {_found_in(self.processes)}{where}>"

    @property
    def agents(self) -> tuple[Agent, ...]:
        """GPU agents of all processes."""
        return tuple(agent for process in self.processes for agent in process.gpus)

    @cached_property
    def counters(self) -> tuple[str, ...]:
        """Names of all counters that were planned or read, sorted."""
        read = {r.counter for d in self._all for p in d.passes for r in p.readings}
        planned = {c for agent in self.agents for p in agent.passes for c in p.counters}
        return tuple(sorted(read | planned))

    @cached_property
    def kernels(self) -> tuple[str, ...]:
        """Names of the kernels that were dispatched, in order of first appearance."""
        return tuple(dict.fromkeys(d.kernel for d in self._all))

    @cached_property
    def _all(self) -> tuple[Dispatch, ...]:
        return tuple(d for process in self.processes for d in process.dispatches)

    def dispatches(
        self, kernel: str | None = None, *, agent: int | str | None = None, outcome: Outcome | None = None
    ) -> list[Dispatch]:
        """Dispatches that match everything given.

        Args:
            kernel: a regular expression searched in the demangled name; a text that is in the name as it stands
                matches too, so names with parentheses need no quoting.
            agent: ordinal of the GPU, or its name (`gfx942`).
            outcome: one of OUTCOMES.

        Returns:
            Dispatches in order of process and dispatch id; none where nothing matches.

        Raises:
            UsageError: `kernel` is neither a regular expression nor in any name, or there is no such outcome.
        """
        found: Iterable[Dispatch] = self._all
        if kernel is not None:
            names = self._matching(kernel)
            found = [d for d in found if d.kernel in names]
        if isinstance(agent, int):
            found = [d for d in found if d.agent.device == agent]
        elif agent is not None:
            found = [d for d in found if d.agent.name == agent]
        if outcome is not None:
            if outcome not in OUTCOMES:
                raise UsageError(f"outcome {outcome!r} is none of {', '.join(OUTCOMES)}")
            found = [d for d in found if d.outcome == outcome]
        return list(found)

    def kernel_counters(self, kernel: str | None = None, *, agent: int | str | None = None) -> list[KernelCounter]:
        """A row for each counter of each launch shape: how often it was read, median, MAD, and how much of the plan.

        A launch shape is a kernel with one grid and work-group on one GPU of a process. A planned counter that was
        never read has a row with `n` 0 and no value: nothing is filled in. Order: process, GPU, kernel, grid,
        work-group, counter. ``pandas.DataFrame(trace.kernel_counters())`` makes a data frame of it.

        `kernel`, `agent` and what is raised: as of `dispatches`.
        """
        from rocprofsys_multipass.trace.kernel_counters import kernel_counters_of

        chosen = {id(d) for d in self.dispatches(kernel, agent=agent)}
        return [
            row
            for process in self.processes
            for row in kernel_counters_of(process, [d for d in process.dispatches if id(d) in chosen])
        ]

    def _matching(self, pattern: str) -> frozenset[str]:
        try:
            search = re.compile(pattern).search
        except re.error as error:
            matching = frozenset(name for name in self.kernels if pattern in name)
            if matching:
                return matching
            raise UsageError(f"kernel {pattern!r} is no regular expression ({error}) and in no kernel's name") from None
        return frozenset(name for name in self.kernels if pattern in name or search(name))

    def to_pandas(self) -> pd.DataFrame:
        """A pandas data frame with a row per reading, in order of process, dispatch, pass and counter.

        Columns: process (pid), agent (ordinal of the GPU), dispatch_id, kernel, pass, group, counter, value (instances
        summed, in the counter's unit), canonical, start and end of the pass in ns of CLOCK_BOOTTIME; dispatch_time, the
        dispatch's own kernel time in ns, and time_of, whose time that is, in every row of it. `agent`, `pass`, `start`,
        `end` and `dispatch_time` are nullable Int64: `pass` is absent where no replay loop surrounded the execution,
        times where they are unknown. A counter that was not delivered has no row. Dispatches without readings have none
        either; they are in `dispatches()`.

        UsageError where pandas is not installed.
        """
        from rocprofsys_multipass.trace.frame import to_pandas

        return to_pandas(self)
