# SPDX-License-Identifier: MIT
"""Reports for programs: CSV and JSON (docs/formats/report.md)."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, TextIO

from rocprofsys_multipass.report import closing
from rocprofsys_multipass.report.advice import Loss, losses
from rocprofsys_multipass.report.files import files_of
from rocprofsys_multipass.report.passes import Agreement, PassStatistics, agreements, by_pass, window_of
from rocprofsys_multipass.report.shapes import CSV_COLUMNS, as_cells, as_json
from rocprofsys_multipass.report.statistics import (
    KernelStatistics,
    MetricStatistics,
    Spread,
    by_kernel,
    metrics_of_kernel,
    unit_of,
)
from rocprofsys_multipass.trace import Agent, Dispatch, KernelVerdicts, Process, Trace
from rocprofsys_multipass.trace.agreement import ASPECTS, TimeExtent, verdicts_of
from rocprofsys_multipass.trace.kernel_counters import kernel_counters_of
from rocprofsys_multipass.trace.tables import json_number, write_json
from rocprofsys_multipass.trace.tidy import write_csv


def render_csv(trace: Trace, stream: TextIO, *, kernel: str | None = None) -> None:
    """A line per reading: `CSV_COLUMNS` of trace.tidy. `kernel`: as in Trace.dispatches()."""
    chosen = {id(d) for d in trace.dispatches(kernel=kernel)}
    write_csv(((p, (d for d in p.dispatches if id(d) in chosen)) for p in trace.processes), stream)


def render_counters_csv(trace: Trace, stream: TextIO, *, kernel: str | None = None) -> None:
    """A line per counter of each launch shape: `CSV_COLUMNS` of report.shapes. `kernel`: as in Trace.dispatches()."""
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    writer.writerows(map(as_cells, trace.kernel_counters(kernel)))


def render_json(trace: Trace, stream: TextIO, *, kernel: str | None = None) -> None:
    """Processes with their statistics and dispatches (schema 1). `kernel`: as in Trace.dispatches()."""
    chosen = {id(d) for d in trace.dispatches(kernel=kernel)}
    parts = [(p, [d for d in p.dispatches if id(d) in chosen]) for p in trace.processes]
    write_json(((p, dispatches, _statistics(p, dispatches)) for p, dispatches in parts), stream)


def render_counters_json(trace: Trace, stream: TextIO, *, kernel: str | None = None) -> None:
    """An array with an object per counter of each launch shape. `kernel`: as in Trace.dispatches()."""
    lines = [json.dumps(as_json(row), allow_nan=False) for row in trace.kernel_counters(kernel)]
    stream.write("[\n " + ",\n ".join(lines) + "\n]\n" if lines else "[]\n")


def _statistics(process: Process, dispatches: Sequence[Dispatch]) -> Mapping[str, Any]:
    windows = [w for d in dispatches if (w := window_of(d)) is not None]
    cost = {
        "dispatches": len(windows),
        "window": sum(w.length_ns for w in windows),
        "first_pass": sum(w.first_ns for w in windows),
        "all_passes": sum(w.kernel_ns for w in windows),
    }
    return {
        "kernels": [_kernel(k, process.sets) for k in by_kernel(dispatches)],
        "kernel_counters": [as_json(row) for row in kernel_counters_of(process, dispatches)],
        "passes": [_pass(p) for p in by_pass([w.dispatch for w in windows])],
        "cost": cost,
        "verdicts": [_verdicts(one) for one in verdicts_of(process, dispatches)],
        "agreement": [_agreement(a) for a in agreements(process, dispatches)],
        "unread": {str(agent.device): list(process.unread(agent)) for agent in process.gpus},
        "registers": {str(agent.device): _registers(agent) for agent in process.gpus},
        "losses": [_loss(one) for one in losses(dispatches)],
        "lifted": closing.lifted_lines(closing.of_dispatches(dispatches)),
        "files": [{"path": str(one.path), "size": one.size, "open": one.opened_by} for one in files_of(process)],
    }


def _registers(agent: Agent) -> list[dict[str, Any]]:
    """Of each planned pass, block by block; none where the file does not hold them."""
    return [
        {b.block: {"used": b.registers, "capacity": b.capacity} for b in p.blocks} for p in agent.passes if p.blocks
    ]


def _loss(one: Loss) -> dict[str, Any]:
    return {
        "outcome": one.outcome,
        "reason": one.reason,
        "dispatches": one.count,
        "kernels": list(one.kernels),
        "why": one.why,
        "advice": one.advice,
    }


def _kernel(k: KernelStatistics, sets: Sequence[str]) -> dict[str, Any]:
    counters = {}
    for name in k.counters:
        spread = k.counter(name)
        if spread is not None:
            unit = unit_of(name, k.agent)
            counters[name] = {"passes": k.sources(name), "unit": unit, **_spread(spread)}
    return {
        "kernel": k.name,
        "agent": k.agent.device,
        "dispatches": len(k.dispatches),
        "outcomes": dict(k.outcomes),
        "duration": None if k.duration is None else {"total": k.duration.total, **_spread(k.duration)},
        "time_of": dict(k.time_of),
        "over_passes": None
        if (s := k.over_passes) is None
        else {"passes": s.passes, "min": s.low_ns, "max": s.high_ns},
        "counters": counters,
        "metrics": {one.metric.name: _metric(one) for one in metrics_of_kernel(k, sets)},
    }


def _metric(one: MetricStatistics) -> dict[str, Any]:
    extent = {"count": 0, "min": None, "max": None} if one.extent is None else _spread(one.extent)
    return {
        "set": one.metric.set,
        "unit": one.metric.unit,
        "formula": one.metric.text,
        "passes": list(one.groups),
        "median": one.median,
        **{name: extent[name] for name in ("count", "min", "max")},
        "apart": {name: list(groups) for name, groups in one.apart},
    }


def _spread(spread: Spread) -> dict[str, float | str | None]:
    extent = {"mean": spread.mean, "min": spread.low, "max": spread.high}
    return {"count": spread.count} | {name: json_number(value) for name, value in extent.items()}


def _pass(p: PassStatistics) -> dict[str, Any]:
    return {
        "pass": p.index,
        "counters": p.counters,
        "duration": {"total": p.duration.total, **_spread(p.duration)},
        "gap_before": None if p.gap is None else _spread(p.gap),
    }


def _verdicts(one: KernelVerdicts) -> dict[str, Any]:
    """As in the summary of the run, with the counters that were compared and the dispatch whose passes differ most."""

    def times(of: TimeExtent | None) -> dict[str, Any] | None:
        return None if of is None else {"count": of.count, "total": of.total, "min": of.low, "max": of.high}

    return {
        "kernel": one.kernel,
        "agent": one.agent.device,
        "dispatches": one.dispatches,
        "replayed": one.replayed,
        **{name: asdict(one.aspect(name)) for name in ASPECTS},
        "inputs_restored": one.inputs_restored,
        "pass_0": times(one.pass_0),
        "passes": times(one.passes),
        "spread": one.spread if one.passes else None,
    }


def _agreement(a: Agreement) -> dict[str, Any]:
    return {
        "counter": a.counter,
        "agent": a.agent.device,
        "compared": a.compared,
        "equal": a.equal,
        "all_zero": a.all_zero,
        "spread": json_number(a.spread),
        "worst_dispatch": None if a.worst is None else a.worst.dispatch_id,
    }
