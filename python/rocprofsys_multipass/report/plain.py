# SPDX-License-Identifier: MIT
"""Reports for programs and documents: CSV, JSON, Markdown."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from typing import Any, TextIO

from rocprofsys_multipass.report import numbers
from rocprofsys_multipass.report.statistics import KernelStatistics, Spread, by_kernel, unit_of
from rocprofsys_multipass.trace import Dispatch, Trace
from rocprofsys_multipass.trace.frame import COLUMNS, rows


def render_csv(trace: Trace, stream: TextIO) -> None:
    """A line per reading; the columns are those of Trace.to_pandas(). Absent: empty."""
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows(trace):
        values: list[object] = ["" if cell is None else cell for cell in row]
        values[COLUMNS.index("value")] = repr(int(row.value)) if row.value.is_integer() else repr(row.value)
        values[COLUMNS.index("canonical")] = int(row.canonical)
        writer.writerow(values)


def render_json(trace: Trace, stream: TextIO, *, kernel: str | None = None) -> None:
    """Dispatches with all their passes (schema 1)."""
    data = {"schema": 1, "dispatches": [_dispatch(d) for d in trace.dispatches(kernel=kernel)]}
    json.dump(data, stream, indent=1, ensure_ascii=False)
    stream.write("\n")


def _dispatch(d: Dispatch) -> dict[str, Any]:
    return {
        "process": d.process,
        "agent": d.agent.device,
        "dispatch_id": d.dispatch_id,
        "kernel": d.kernel,
        "outcome": d.outcome,
        "reason": d.reason,
        "start": d.start_ns,
        "end": d.end_ns,
        "counters": dict(d.counters),
        "passes": [
            {
                "pass": p.index,
                "group": p.group,
                "start": p.start_ns,
                "end": p.end_ns,
                "counters": {r.counter: r.value for r in p.readings},
            }
            for p in d.passes
        ],
    }


def render_markdown(trace: Trace, stream: TextIO, *, kernel: str | None = None) -> None:
    """Kernels, and the counters of each: mean, least and largest canonical value."""
    kernels = by_kernel(trace.dispatches(kernel=kernel))
    _markdown_table(
        stream,
        ("Kernel", "GPU", "Calls", "Total", "Mean", "Outcome"),
        [_kernel_row(k) for k in kernels],
    )
    for k in kernels:
        spreads = [(name, s) for name in k.counters if (s := k.counter(name)) is not None]
        if spreads:
            stream.write(f"\n## `{k.name}`\n\n")
            _markdown_table(stream, ("Counter", "From", "Unit", "Mean", "Min", "Max"), _counter_rows(k, spreads))


def _counter_rows(k: KernelStatistics, spreads: Sequence[tuple[str, Spread]]) -> list[tuple[str, ...]]:
    return [
        (name, k.source(name), unit_of(name, k.agent), *(numbers.value(v) for v in (s.mean, s.low, s.high)))
        for name, s in spreads
    ]


def _kernel_row(k: KernelStatistics) -> tuple[str, ...]:
    time = k.duration
    outcomes = ", ".join(f"{n} {name}" for name, n in k.outcomes.items())
    times = (numbers.duration(time.total), numbers.duration(time.mean)) if time else (numbers.ABSENT, numbers.ABSENT)
    return (f"`{k.name}`", str(k.agent.device), str(len(k.dispatches)), *times, outcomes)


def _markdown_table(stream: TextIO, head: Sequence[str], table: Sequence[Sequence[str]]) -> None:
    stream.writelines(
        "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |\n"
        for row in (head, ["---"] * len(head), *table)
    )
