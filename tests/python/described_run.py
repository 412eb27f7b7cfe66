# SPDX-License-Identifier: MIT
"""A run described once, from which the files of tests are made by hand."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

GUID = "0190aaaa-bbbb-7ccc-8ddd-eeeeffff0001"
PID = 4711
SDK_LIBRARY = "/opt/x/librocprofiler-sdk.so.1"


@dataclass(frozen=True)
class Execution:
    """One pass: index (None: outside a replay loop), group, times, values by counter."""

    index: int | None
    start: int
    end: int
    values: dict[str, float]
    group: int | None = None
    # Of counters, in a journal only: all of them, or those at some positions.
    instances: dict[str, list[float] | dict[int, float]] = field(default_factory=dict)

    @property
    def read_group(self) -> int:
        return self.group if self.group is not None else self.index or 0


@dataclass(frozen=True)
class Launch:
    id: int
    executions: tuple[Execution, ...]
    kernel: str = "axpy(float*, int)"
    outcome: str = "replayed"
    reason: str = ""
    queue: int = 7
    grid: tuple[int, int, int] = (1024, 1, 1)
    workgroup: tuple[int, int, int] = (64, 1, 1)
    tid: int | None = None  # the first one of the process
    warm_up: tuple[int, int] | None = None  # start and end of the executions without counters
    timing: tuple[int, int] | None = None

    @property
    def times(self) -> tuple[int, int]:
        """Of the timing pass, else of the first execution."""
        return self.timing or (self.executions[0].start, self.executions[0].end)

    @property
    def canonical(self) -> dict[str, tuple[int, float]]:
        """Counter -> (position of the execution, value), by the contract's rule, without sentinels."""
        found: dict[str, tuple[int, float]] = {}
        for position, one in enumerate(self.executions):
            for counter, value in one.values.items():
                found.setdefault(counter, (position, value))
        return found


@dataclass(frozen=True)
class Run:
    """One process on one GPU (agent 1, device 0) beside a CPU (agent 0)."""

    launches: tuple[Launch, ...]
    plan: tuple[tuple[str, ...], ...] = (("SQ_WAVES", "GRBM_COUNT"), ("SQ_WAVES", "TCC_HIT"))
    sentinels: tuple[tuple[str, ...], ...] = ()
    pid: int = PID
    guid: str = GUID
    rank: int | None = None
    warnings: tuple[str, ...] = ()
    closed: bool = True
    simulated: bool = True
    replay_mode: str = "auto"
    extras: tuple[str, ...] = ()  # of warm_up_pass, timing_pass, permute_groups, those that were asked for
    events: str = ""  # the list; in the journal only
    sets: tuple[str, ...] = ()  # of metrics
    unplaceable: tuple[tuple[str, str], ...] = ()  # counter, reason; in the journal only
    blocks: tuple[tuple[tuple[str, int, int], ...], ...] = ()  # of each pass: block, registers, slots; journal only
    properties: dict[str, int] = field(default_factory=dict)  # of the GPU
    described: dict[str, str | int] = field(default_factory=dict)  # what else a journal says of the GPU
    dimensions: dict[str, tuple[tuple[str, int], ...]] = field(default_factory=dict)  # of counters; journal only
    compute_panels: tuple[int, ...] = ()  # in the journal only, as the next
    keeps_instances: bool = False
    descriptions: dict[str, str] = field(default_factory=dict)  # of counters

    @cached_property
    def counters(self) -> list[str]:
        return sorted({c for p in self.plan for c in p} | {c for d in self.launches for c in d.canonical})

    def canonical(self, d: Launch) -> dict[str, tuple[int, float]]:
        """As `Launch.canonical`, and by what is a sentinel where: its own pass first, never one nobody requested."""
        sentinels = self.sentinels or ((),) * len(self.plan)
        requested = {c for p, guests in zip(self.plan, sentinels, strict=True) for c in p if c not in guests}
        never = {c for guests in sentinels for c in guests} - requested
        own: dict[str, tuple[int, float]] = {}
        for position, one in enumerate(d.executions):
            for counter, value in one.values.items():
                if counter not in sentinels[one.read_group]:
                    own.setdefault(counter, (position, value))
        return {c: own.get(c, first) for c, first in d.canonical.items() if c not in never}

    @cached_property
    def sentinels_of_passes(self) -> tuple[tuple[str, ...], ...]:
        return self.sentinels or ((),) * len(self.plan)

    @cached_property
    def kernels(self) -> list[str]:
        return list(dict.fromkeys(d.kernel for d in self.launches))


def replayed(dispatch_id: int, start: int, *, waves: float = 512, hits: float = 300) -> Launch:
    """A dispatch with two passes of 100 ns."""
    return Launch(
        dispatch_id,
        (
            Execution(0, start, start + 100, {"SQ_WAVES": waves, "GRBM_COUNT": 100.5}),
            Execution(1, start + 150, start + 260, {"SQ_WAVES": waves, "TCC_HIT": hits}),
        ),
    )


def sample_run() -> Run:
    """Every outcome once, replayed twice; a counter that is exactly 0 once."""
    return Run(
        (
            replayed(1, 1000),
            replayed(2, 2000, hits=0),
            Launch(
                3,
                (Execution(None, 3000, 3090, {"SQ_WAVES": 64, "TCC_HIT": 9}, group=1),),
                outcome="declined",
                reason="graph",
                kernel="init(int)",
            ),
            Launch(4, (Execution(None, 4000, 4050, {}, group=0),), outcome="filtered", kernel="init(int)"),
            Launch(
                5,
                (Execution(0, 5000, 5100, {"SQ_WAVES": 512, "GRBM_COUNT": 90}),),
                outcome="incomplete",
                reason="process_end",
            ),
        ),
        warnings=("two queues overlapped",),
    )


def with_launch(run: Run, position: int, **changes: object) -> Run:
    """The run with one launch changed."""
    launches = list(run.launches)
    launches[position] = replace(launches[position], **changes)  # type: ignore[arg-type]
    return replace(run, launches=tuple(launches))


def with_execution(run: Run, position: int, execution: int, **changes: object) -> Run:
    """The run with one execution of one launch changed."""
    executions = list(run.launches[position].executions)
    executions[execution] = replace(executions[execution], **changes)  # type: ignore[arg-type]
    return with_launch(run, position, executions=tuple(executions))


def shifted(run: Run, shift: int) -> Run:
    """The run with groups permuted: every pass of a replay reads the group that is `shift` later."""
    launches = []
    for d in run.launches:
        count = len(d.executions)
        values = [d.executions[(k + shift) % count].values for k in range(count)]
        executions = [
            replace(one, group=(k + shift) % count, values=values[k]) if one.index is not None else one
            for k, one in enumerate(d.executions)
        ]
        launches.append(replace(d, executions=tuple(executions)))
    return replace(run, launches=tuple(launches), extras=(*run.extras, "permute_groups"))
