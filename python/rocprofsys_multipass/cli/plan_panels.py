# SPDX-License-Identifier: MIT
"""Panels of rocprofiler-compute in a plan: how much of each is there, in a table of a line for each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.markup import escape
from rich.table import Table

from rocprofsys_multipass.metrics import panel_metrics, panels

if TYPE_CHECKING:
    from rocprofsys_multipass.planned import AgentPlan, PlannedMetric


@dataclass(frozen=True)
class PanelCoverage:
    """How the metrics of a panel are read: `whole` in one pass, `spread` over several; `lost`: not all counters are."""

    number: int
    title: str
    metrics: int
    whole: int
    spread: int
    lost: int


def panel_coverage(agent: AgentPlan) -> tuple[PanelCoverage, ...]:
    """Of each panel of which the plan has a metric, by number."""
    found: dict[int, list[PlannedMetric]] = {}
    for metric in agent.metrics:
        if metric.panel is not None:
            found.setdefault(metric.panel, []).append(metric)
    spread = {metric.name for metric, _ in spread_metrics(agent)}
    titles = {panel.number: panel.title for panel in panels()}
    coverage = []
    for number, metrics in sorted(found.items()):
        # Those of which the SDK lists no counter are in no plan.
        count = max(len(metrics), len(panel_metrics(agent.device, [number])))
        whole = sum(metric.pass_ is not None for metric in metrics)
        several = sum(metric.name in spread for metric in metrics)
        coverage.append(PanelCoverage(number, titles.get(number, ""), count, whole, several, count - whole - several))
    return tuple(coverage)


def spread_metrics(agent: AgentPlan) -> tuple[tuple[PlannedMetric, tuple[int, ...]], ...]:
    """Metrics of panels that have all their counters, in several passes, and these."""
    passes: dict[str, list[int]] = {}
    for one in agent.passes:
        for name in one.counters:
            if name not in one.sentinel:
                passes.setdefault(name, []).append(one.index)
    return tuple(
        (metric, tuple(sorted({passes[name][0] for name in metric.counters})))
        for metric in agent.metrics
        if metric.panel is not None and metric.pass_ is None and all(name in passes for name in metric.counters)
    )


def panel_table(coverage: tuple[PanelCoverage, ...]) -> Table:
    """A line for each panel."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("panel", justify="right")
    table.add_column("title", no_wrap=True)
    for title in ("metrics", "in one pass", "in several", "lost"):
        table.add_column(title, justify="right")
    for one in coverage:
        cells = (one.number, one.title, one.metrics, one.whole, one.spread, one.lost)
        table.add_row(*(escape(str(cell)) for cell in cells))
    return table
