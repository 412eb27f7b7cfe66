# SPDX-License-Identifier: MIT
"""Sets of metrics as text and as JSON: what ``counters --sets`` prints."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rich.markup import escape
from rich.table import Table

from rocprofsys_multipass.metrics import metrics_of, metrics_on, sets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from rocprofsys_multipass.metrics import Metric

SETS_SCHEMA = 1


def chosen_metrics(architectures: Sequence[str], pattern: str) -> list[Metric]:
    """The metrics of some architectures, of all without any, whose name or set has `pattern` in it; case is ignored."""
    wanted = {id(m) for name in architectures for m in metrics_on(name)}
    word = pattern.lower()
    return [
        metric
        for metric in metrics_of()
        if (not architectures or id(metric) in wanted) and (word in metric.name or word in metric.set)
    ]


def show_sets(metrics: Sequence[Metric], terminal: Console, *, of_one: bool) -> None:
    """Print each set that any of the metrics is of: a headline, and a line for each formula.

    `of_one`: they are those of one architecture, which need not be named again.
    """
    for one in sets():
        of_set = [metric for metric in metrics if metric.set == one.name]
        if of_set:
            terminal.print(f"[bold]{escape(one.name)}[/bold]: {escape(one.description)}")
            terminal.print(_table(of_set, of_one=of_one))


def sets_json(metrics: Sequence[Metric]) -> str:
    """The same as JSON (schema 1)."""
    data = {
        "schema": SETS_SCHEMA,
        "sets": [
            {
                "name": one.name,
                "description": one.description,
                "metrics": [_metric(metric) for metric in metrics if metric.set == one.name],
            }
            for one in sets()
        ],
    }
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def _metric(metric: Metric) -> dict[str, Any]:
    return {
        "name": metric.name,
        "unit": metric.unit,
        "description": metric.description,
        "architectures": list(metric.architectures),
        "formula": metric.text,
        "counters": list(metric.counters),
    }


def _table(metrics: Sequence[Metric], *, of_one: bool) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("metric", no_wrap=True)
    table.add_column("unit", no_wrap=True)
    if not of_one:
        table.add_column("architectures", overflow="fold", max_width=24)
    table.add_column("formula", overflow="fold", ratio=1)
    before = ""
    for metric in metrics:
        name = "" if metric.name == before else metric.name
        before = metric.name
        where = [] if of_one else [", ".join(metric.architectures)]
        table.add_row(*map(escape, (name, metric.unit if name else "", *where, metric.text)))
    return table
