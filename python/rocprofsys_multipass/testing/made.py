# SPDX-License-Identifier: MIT
"""Traces made by hand, for tests of what people do with a trace: no GPU, no run and no file is needed.

::

    made = trace(
        launch("axpy(float*, int)", {"SQ_WAVES": 512, "GRBM_COUNT": 900}, {"TCC_HIT": 300}),
        launch("init(int*)", {"SQ_WAVES": 64}, outcome="declined", reason="graph"),
    )
    made.dispatches("axpy")[0].counter("TCC_HIT")  # 300.0
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from rocprofsys_multipass.errors import UsageError
from rocprofsys_multipass.trace import (
    Agent,
    CounterInfo,
    Dispatch,
    Kernel,
    Outcome,
    Pass,
    PlannedPass,
    Process,
    Reading,
    Trace,
)
from rocprofsys_multipass.trace.canonical import mark_canonical, status_of
from rocprofsys_multipass.trace.model import Dim3, outcome_of

_GAP_NS: Final = 50  # between two executions
_FIRST_NS: Final = 1_000
_UNREPLAYED: Final = ("declined", "single_pass", "filtered")


@dataclass(frozen=True, slots=True)
class Launch:
    """A dispatch of a made trace; see `launch`."""

    kernel: str
    passes: tuple[Mapping[str, float], ...]
    outcome: Outcome
    reason: str
    device: int
    duration_ns: int
    grid: Dim3
    workgroup: Dim3
    group: int


def launch(  # noqa: PLR0913 - what a launch has, by keyword
    kernel: str,
    *passes: Mapping[str, float],
    outcome: str = "",
    reason: str = "",
    device: int = 0,
    duration_ns: int = 100,
    grid: Dim3 = (1024, 1, 1),
    workgroup: Dim3 = (64, 1, 1),
    group: int = 0,
) -> Launch:
    """A dispatch for `trace`.

    Args:
        kernel: its demangled name.
        passes: the counters of each pass, in order; one for a dispatch that was executed once.
        outcome: one of `OUTCOMES`; without it that of its passes: several are `replayed`, one is a `single_pass`, none
            is `filtered`.
        reason: why, of a declined, filtered or incomplete one.
        device: the ordinal of the GPU.
        duration_ns: of each execution.
        grid: work-items.
        workgroup: work-items.
        group: the planned pass whose counters were read, of a dispatch that was not replayed.

    Raises:
        UsageError: outcome and passes do not fit.
    """
    usual = "filtered" if not passes else "single_pass" if len(passes) == 1 else "replayed"
    kind = outcome_of(outcome or usual, "launch")
    if kind in _UNREPLAYED and len(passes) > 1:
        message = f"launch of {kernel!r}: {kind} dispatches are executed once, and there are {len(passes)} passes"
        raise UsageError(message)
    return Launch(kernel, passes, kind, reason, device, duration_ns, grid, workgroup, group)


def trace(
    *launches: Launch,
    device: str | Sequence[str] = "gfx942",
    sentinels: Sequence[str] = (),
    pid: int = 1,
) -> Trace:
    """A trace of one process with these dispatches, as `open_trace` would read it.

    The plan of a GPU is what its launches read: pass k has the counters that any of them has in pass k.

    Args:
        launches: in order of dispatch id, from 1. They ran one after the other from 1000 ns on.
        device: names of the simulated GPUs, one or a list.
        sentinels: counters that later passes than the first with them read to compare passes only.
        pid: the id of the process.

    Raises:
        UsageError: a launch is on a device that is not there.
    """
    names = (device,) if isinstance(device, str) else tuple(device)
    agents = [_agent(ordinal, name, launches, sentinels) for ordinal, name in enumerate(names)]
    symbols = list(dict.fromkeys(one.kernel for one in launches))
    kernels = {name: Kernel(id=number, name=name, demangled=name) for number, name in enumerate(symbols, 1)}
    dispatches = []
    now = _FIRST_NS
    for number, one in enumerate(launches, 1):
        if one.device not in range(len(agents)):
            message = f"launch of {one.kernel!r}: there is no device {one.device}; devices are {', '.join(names)}"
            raise UsageError(message)
        agent = agents[one.device]
        passes = _passes(one, agent, now)
        dispatches.append(
            Dispatch(
                process=pid,
                dispatch_id=number,
                agent=agent,
                symbol=kernels[one.kernel],
                outcome=one.outcome,
                reason=one.reason,
                passes_planned=len(agent.passes),
                passes=passes,
                queue_id=1,
                thread_id=pid,
                grid=one.grid,
                workgroup=one.workgroup,
            )
        )
        now = (passes[-1].end_ns or 0) + _GAP_NS
    process = Process(
        path=Path("made by mp.testing.trace", f"multipass-{pid}.journal"),  # is not there
        kind="journal",
        pid=pid,
        agents=tuple(agents),
        dispatches=tuple(dispatches),
        kernels=tuple(kernels.values()),
        command=("made",),
        simulated=True,
        kernel_replay=True,
        replay_mode="auto",
        started_ns=0,
        ended_ns=now,
    )
    return Trace((process,))


def _agent(ordinal: int, name: str, launches: Sequence[Launch], sentinels: Sequence[str]) -> Agent:
    planned: dict[int, dict[str, None]] = {}
    for one in launches:
        for k, values in enumerate(one.passes if one.device == ordinal else (), one.group):
            planned.setdefault(k, {}).update(dict.fromkeys(values))
    passes = []
    seen: set[str] = set()
    for k in range(max(planned, default=-1) + 1):
        counters = tuple(planned.get(k, ()))
        passes.append(PlannedPass(counters, tuple(c for c in counters if c in sentinels and c in seen)))
        seen.update(counters)
    infos = tuple(CounterInfo(counter) for counter in sorted(seen))
    return Agent(
        index=ordinal + 1,
        device=ordinal,
        name=name,
        node_id=ordinal + 1,
        counters=infos,
        passes=tuple(passes),
        lower_bound=len(passes),
        proof="bound",
    )


def _passes(one: Launch, agent: Agent, start: int) -> tuple[Pass, ...]:
    """Its executions, one at least: what a filter left out ran too."""
    passes = []
    for k, values in enumerate(one.passes or ({},)):
        begin = start + k * (one.duration_ns + _GAP_NS)
        readings = tuple(Reading(counter, float(value)) for counter, value in values.items())
        group = k + one.group
        status = status_of(one.outcome, agent.counters_of(group), readings)
        index = None if one.outcome in _UNREPLAYED else k
        passes.append(Pass(index, group, begin, begin + one.duration_ns, readings, status))
    return mark_canonical(passes, agent)
