# SPDX-License-Identifier: MIT
"""The readings of a trace as JSON, written dispatch by dispatch. docs/formats/readings.md describes it."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final, TextIO

from rocprofsys_multipass.metrics import metric_values
from rocprofsys_multipass.trace.agent import Agent, CounterInfo
from rocprofsys_multipass.trace.agreement import verdict_words
from rocprofsys_multipass.trace.model import OUTCOMES, Dispatch, Interval, Process
from rocprofsys_multipass.trace.tidy import VERDICTS

SCHEMA: Final = 1


def write_json(processes: Iterable[tuple[Process, Iterable[Dispatch], Mapping[str, Any]]], stream: TextIO) -> None:
    """Processes with their dispatches, a line of text per dispatch (schema 1).

    `processes`: each with the dispatches to write, and members to add to it. The outcomes are counted on the way.
    """
    stream.write(f'{{\n "schema": {SCHEMA},\n "processes": [')
    separator = ""
    for process, dispatches, more in processes:
        stream.write(f"{separator}\n  {{\n")
        separator = ","
        stream.writelines(f'   "{name}": {_text(value)},\n' for name, value in {**_facts(process), **more}.items())
        _write_dispatches(process, dispatches, stream)
        stream.write("\n  }")
    stream.write("\n ]\n}\n")


def _write_dispatches(process: Process, dispatches: Iterable[Dispatch], stream: TextIO) -> None:
    outcomes: Counter[str] = Counter()
    reasons: dict[str, Counter[str]] = {}
    stream.write('   "dispatches": [')
    separator = ""
    for d in dispatches:
        outcomes[d.outcome] += 1
        if d.reason:
            reasons.setdefault(d.outcome, Counter())[d.reason] += 1
        stream.write(f"{separator}\n    {_text(dispatch_of(process, d))}")
        separator = ","
    stream.write("\n   ],\n" if separator else "],\n")
    counts = {"seen": sum(outcomes.values())} | {outcome: outcomes[outcome] for outcome in OUTCOMES}
    stream.write(f'   "outcomes": {_text(counts)},\n   "reasons": {_text(reasons)}')


def _facts(process: Process) -> dict[str, Any]:
    """What is known of a process beside its dispatches."""
    return {
        "source": str(process.path),
        "kind": process.kind,
        "pid": process.pid,
        "rank": process.rank,
        "host": process.hostname,
        "guid": process.guid,
        "command": list(process.command),
        "tool_version": process.tool_version,
        "sdk_version": process.sdk_version,
        "simulated": process.simulated,
        "kernel_replay": process.kernel_replay,
        "replay_mode": process.replay_mode,
        "sets": list(process.sets),
        "warm_up_pass": process.warm_up_pass,
        "timing_pass": process.timing_pass,
        "permute_groups": process.permute_groups,
        "compute_panels": list(process.compute_panels),
        "keeps_instances": process.keeps_instances,
        "closed": process.closed,
        "warnings": list(process.warnings),
        "notes": [*process.notes, *process.left_out],
        "agents": [_agent(agent) for agent in process.gpus],
    }


def _agent(agent: Agent) -> dict[str, Any]:
    return {
        "device": agent.device,
        "index": agent.index,
        "name": agent.name,
        "product_name": agent.product_name,
        "passes": [{"counters": list(p.counters), "sentinels": list(p.sentinels)} for p in agent.passes],
        "lower_bound": agent.lower_bound,
        "unplaceable": [{"counter": u.counter, "reason": u.reason} for u in agent.unplaceable],
        "counters": list(map(_counter, agent.counters)),
    }


def _counter(c: CounterInfo) -> dict[str, Any]:
    said = {"name": c.name, "block": c.block, "description": c.description, "expression": c.expression}
    return {**said, **({"dimensions": [{"name": n, "size": size} for n, size in c.dimensions]} if c.dimensions else {})}


def dispatch_of(process: Process, d: Dispatch) -> dict[str, Any]:
    """A dispatch as the JSON has it: canonical values, metrics of the run's sets, every pass with its own values."""
    spread = d.duration_spread
    return {
        "dispatch_id": d.dispatch_id,
        "agent": d.agent.device,
        "kernel": d.kernel,
        "outcome": d.outcome,
        "reason": d.reason,
        "passes_planned": d.passes_planned,
        "queue_id": d.queue_id,
        "stream_id": d.stream_id,
        "thread_id": d.thread_id,
        "grid": d.grid,
        "workgroup": d.workgroup,
        "start": d.start_ns,
        "end": d.end_ns,
        "time_of": d.time_of or None,
        "warm_up": _interval(d.warm_up),
        "timing": _interval(d.timing),
        "duration_spread": spread and {"passes": spread.passes, "min": spread.low_ns, "max": spread.high_ns},
        **dict(zip(VERDICTS, verdict_words(process, d), strict=True)),
        "counters": _numbers(d.counters),
        **({"metrics": dict(metric_values(d, process.sets))} if process.sets else {}),
        "passes": [
            {
                "pass": p.index,
                "group": p.group,
                "status": p.status,
                "start": p.start_ns,
                "end": p.end_ns,
                "counters": _numbers({r.counter: r.value for r in p.readings}),
                **({} if p.instances is None else {"instances": {name: dict(of) for name, of in p.instances.items()}}),
            }
            for p in d.passes
        ],
    }


def _interval(one: Interval | None) -> dict[str, int | None] | None:
    return None if one is None else {"start": one.start_ns, "end": one.end_ns}


def json_number(value: float) -> float | str | None:
    """JSON has no infinity: it is the text `Infinity` or `-Infinity`. What is no number, as a mean of both, is null."""
    if math.isfinite(value):
        return value
    if math.isnan(value):
        return None
    return "Infinity" if value > 0 else "-Infinity"


def _numbers(values: Mapping[str, float]) -> Mapping[str, float | str | None]:
    """As `json_number`, of each; hardly ever is one not finite, and one sum tells of all."""
    if math.isfinite(sum(values.values())):
        return dict(values)
    return {name: json_number(value) for name, value in values.items()}


def _text(value: object) -> str:
    return json.dumps(value, allow_nan=False)  # in ASCII: valid on a stream of any encoding
