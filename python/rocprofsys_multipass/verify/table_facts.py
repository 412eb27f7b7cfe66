# SPDX-License-Identifier: MIT
"""What the tables must say beside the readings, by docs/formats/readings.md, worked out from a file of the run."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any, Final

from rocprofsys_multipass.metrics import metric_values, set_names
from rocprofsys_multipass.trace.agent import Agent, CounterInfo
from rocprofsys_multipass.trace.agreement import verdicts_of
from rocprofsys_multipass.trace.model import OUTCOMES, Dim3, Dispatch, Interval, Pass, Process

VERDICTS: Final = ("same_work", "same_clock", "same_cache")
# Of a dispatch, in every file of a run alike; the rest is not told by each of them.
IN_EVERY_FILE: Final = ("agent", "kernel", "outcome", "grid", "workgroup")
_SIZES: Final = ("grid_x", "grid_y", "grid_z", "workgroup_x", "workgroup_y", "workgroup_z")
_NO_SIZE: Final = ("", "", "")
COLUMNS: Final = frozenset(("agent", "kernel", "outcome", "reason", *_SIZES, *VERDICTS, "dispatch_time", "time_of"))

_PASS: Final = ("pass", "group", "status", "start", "end")
_INSTANCES: Final = "instances"  # of a pass, where they were kept
_AGENT: Final = ("device", "index", "name", "product_name", "passes", "lower_bound", "unplaceable", "counters")
_OF_PROCESS: Final = (
    *("kind", "pid", "rank", "guid", "tool_version", "sdk_version", "simulated", "kernel_replay", "replay_mode"),
    *("warm_up_pass", "timing_pass", "permute_groups", "keeps_instances", "closed"),
)
_OF_DISPATCH: Final = (
    *("agent", "kernel", "outcome", "reason", "passes_planned", "queue_id", "stream_id", "thread_id", "grid"),
    *("workgroup", "start", "end", "time_of", "warm_up", "timing", "duration_spread", "metrics", *VERDICTS, "passes"),
)
MEMBERS: Final = frozenset(
    (
        *_OF_PROCESS,
        *("host", "command", "sets", "compute_panels", "warnings", "agents", "outcomes", "reasons"),
        *_OF_DISPATCH,
        *(f"passes[].{name}" for name in (*_PASS, _INSTANCES)),
        *(f"agents[].{name}" for name in _AGENT),
    )
)
"""Of the JSON. Without `source` and `notes`, which are of the file when it was read, and the readings."""

Facts = dict[str, object]  # by the name of a member; of those in a list `passes[0].status`


def generic(name: str) -> str:
    """The name of a member, whichever of a list it is of: ``passes[].status``."""
    return re.sub(r"\[\d+\]", "[]", name)


def flat(members: Mapping[str, Any], listed: str = "") -> Facts:
    """Members by name, those of the objects in the list `listed` each by itself, and how many objects there are."""
    found = {name: value for name, value in members.items() if name != listed}
    if listed in members:
        found[listed] = len(members[listed])
        found |= {f"{listed}[{k}].{n}": v for k, one in enumerate(members[listed]) for n, v in one.items()}
    return found


def cells(process: Process, d: Dispatch, told: frozenset[str]) -> Facts:
    """The columns of the CSV that are the same in all lines of a dispatch, as texts; verdicts only if they are told."""
    values: Facts = {
        "agent": d.agent.device,
        "kernel": d.kernel,
        "outcome": d.outcome,
        "reason": d.reason,
        **dict(zip(_SIZES, (*(d.grid or _NO_SIZE), *(d.workgroup or _NO_SIZE)), strict=True)),
        "dispatch_time": d.duration_ns,
        "time_of": d.time_of,
        **_verdicts(process, d, told),
    }
    return {name: "" if value is None else str(value) for name, value in values.items()}


def of_dispatch(process: Process, d: Dispatch, told: frozenset[str]) -> Facts:
    """The members of a dispatch in the JSON, without counters."""
    spread = d.duration_spread
    members: dict[str, Any] = {
        "agent": d.agent.device,
        "kernel": d.kernel,
        "outcome": d.outcome,
        "reason": d.reason,
        "passes_planned": d.passes_planned,
        "queue_id": d.queue_id,
        "stream_id": d.stream_id,
        "thread_id": d.thread_id,
        "grid": _size(d.grid),
        "workgroup": _size(d.workgroup),
        "start": d.start_ns,
        "end": d.end_ns,
        "time_of": d.time_of or None,
        "warm_up": _times(d.warm_up),
        "timing": _times(d.timing),
        "duration_spread": spread and {"passes": spread.passes, "min": spread.low_ns, "max": spread.high_ns},
        "passes": [dict(zip(_PASS, _pass(p), strict=True)) | _instances(p) for p in d.passes],
        **_verdicts(process, d, told),
    }
    if process.sets and set(process.sets) <= set(set_names()):
        members["metrics"] = dict(metric_values(d, process.sets))
    return flat(members, "passes")


def of_process(process: Process) -> Facts:
    """The members of a process in the JSON."""
    outcomes = Counter(d.outcome for d in process.dispatches)
    reasons: dict[str, Counter[str]] = defaultdict(Counter)
    for d in process.dispatches:
        if d.reason:
            reasons[d.outcome][d.reason] += 1
    members: dict[str, Any] = {
        **{name: getattr(process, name) for name in _OF_PROCESS},
        "host": process.hostname,
        "command": list(process.command),
        "sets": list(process.sets),
        "compute_panels": list(process.compute_panels),
        "warnings": list(process.warnings),
        "agents": [dict(zip(_AGENT, _agent(agent), strict=True)) for agent in process.gpus],
        "outcomes": {"seen": len(process.dispatches)} | {outcome: outcomes[outcome] for outcome in OUTCOMES},
        "reasons": {outcome: dict(counts) for outcome, counts in reasons.items()},
    }
    return flat(members, "agents")


def _verdicts(process: Process, d: Dispatch, told: frozenset[str]) -> dict[str, str]:
    if not told.issuperset(VERDICTS):  # of earlier versions; they take longer than all the rest
        return {}
    (one,) = verdicts_of(process, (d,))
    return dict(zip(VERDICTS, (one.work.verdict, one.clock.verdict, one.cache.verdict), strict=True))


def _size(size: Dim3 | None) -> list[int] | None:
    return None if size is None else list(size)


def _times(one: Interval | None) -> dict[str, int | None] | None:
    return None if one is None else {"start": one.start_ns, "end": one.end_ns}


def _pass(p: Pass) -> tuple[object, ...]:
    return p.index, p.group, p.status, p.start_ns, p.end_ns


def _instances(p: Pass) -> dict[str, object]:
    if p.instances is None:
        return {}
    return {_INSTANCES: {name: {str(at): value for at, value in of.items()} for name, of in p.instances.items()}}


def _counter(c: CounterInfo) -> dict[str, object]:
    members: dict[str, object] = {
        "name": c.name,
        "block": c.block,
        "description": c.description,
        "expression": c.expression,
    }
    if c.dimensions:
        members["dimensions"] = [{"name": name, "size": size} for name, size in c.dimensions]
    return members


def _agent(agent: Agent) -> tuple[object, ...]:
    """In the order of _AGENT."""
    return (
        agent.device,
        agent.index,
        agent.name,
        agent.product_name,
        [{"counters": list(p.counters), "sentinels": list(p.sentinels)} for p in agent.passes],
        agent.lower_bound,
        [{"counter": u.counter, "reason": u.reason} for u in agent.unplaceable],
        [_counter(c) for c in agent.counters],
    )
