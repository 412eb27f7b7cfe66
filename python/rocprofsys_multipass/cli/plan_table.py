# SPDX-License-Identifier: MIT
"""A plan as text: one headline and one table per agent, then what could not be planned and why."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from rich.markup import escape
from rich.table import Table

from rocprofsys_multipass.cli.plan_panels import panel_coverage, panel_table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.console import Console

    from rocprofsys_multipass.planned import (
        AgentPlan,
        GroupPlacement,
        PartnersPlacement,
        Plan,
        UnknownCounter,
        UnplaceableCounter,
    )

    Explain = Callable[[AgentPlan, int | None, Console], None]

_SHOWN = 20  # lines of one kind


def show_plan(plan: Plan, terminal: Console, explain: Explain | None = None) -> None:
    """Print the whole plan; `explain` prints more of each agent, for which it gets the effort of the plan too."""
    unknown = frozenset(one.token for one in plan.unknown)
    for agent in plan.agents:
        _show_agent(agent, terminal, unknown)
        if explain is not None:
            explain(agent, plan.effort, terminal)
    by_place = sorted(plan.unknown, key=lambda one: one.column or sys.maxsize)  # as the user wrote them
    _show_some(terminal, "[yellow]unknown:[/yellow]", [_unknown(unknown) for unknown in by_place])
    _show_some(terminal, "asked for twice, read once:", plan.duplicates)
    _show_some(terminal, "ignored:", [f"{ignored.token}: {ignored.reason}" for ignored in plan.ignored])
    _show_some(terminal, "[yellow]warning:[/yellow]", plan.warnings)
    _show_some(terminal, "note:", plan.notes)


def _show_agent(agent: AgentPlan, terminal: Console, unknown: frozenset[str]) -> None:
    """What cannot be planned because of an `unknown` name is left out: that name has a line of its own."""
    terminal.print(f"[bold]{escape(plan_headline(agent))}[/bold]")
    if agent.passes:
        terminal.print(_passes(agent))
    if any(metric.panel is None for metric in agent.metrics):
        terminal.print(_metrics(agent))
    if coverage := panel_coverage(agent):
        terminal.print(panel_table(coverage))
    for group in _groups_asked_for(agent):
        terminal.print(f"  group {escape(', '.join(group.counters))}: pass {group.pass_}")
    of_panels = {name for metric in agent.metrics if metric.panel is not None for name in metric.counters}
    for partners in agent.partners:
        # What panels divide by one another is together: a metric is a group.
        if partners.pass_ is None and not of_panels.issuperset(partners.counters):
            terminal.print(f"  {escape(_split(partners))}", soft_wrap=True)
    for kind, is_group in (("cannot be placed", False), ("not in one pass", True)):
        told = [one for one in agent.unplaceable if unknown.isdisjoint(one.counter.split(","))]
        texts = [_unplaceable(one, agent) for one in told if one.is_group == is_group]
        _show_some(terminal, f"  [red]{kind}:[/red]", texts)


def _unplaceable(one: UnplaceableCounter, agent: AgentPlan) -> str:
    """With the metrics that are lost with it."""
    of_sets = [metric for metric in agent.metrics if metric.panel is None]
    lost = [f"{m.name} of set {m.set}" for m in of_sets if ",".join(m.counters) == one.counter]
    text = f"{one.counter}: {one.reason}"
    if not lost:
        return text
    told = f"the metric {lost[0]} is" if len(lost) == 1 else f"the metrics {', '.join(lost)} are"
    return f"{text}; {told} lost"


def _show_some(terminal: Console, kind: str, texts: Sequence[str]) -> None:
    """One line for each of the texts, and one for what is beyond the first _SHOWN, so that the passes stay in view."""
    for text in texts[:_SHOWN]:
        terminal.print(f"{kind} {escape(text)}")
    if len(texts) > _SHOWN:
        terminal.print(f"{kind} {len(texts) - _SHOWN} more; --json has all of them")


def _unknown(unknown: UnknownCounter) -> str:
    place = f"column {unknown.column}" if unknown.column else "in a group"
    if unknown.place == "sentinel":
        place = f"sentinel, {place}"
    text = f"{unknown.token} ({place})" + (f": {unknown.reason}" if unknown.reason else "")
    text += f"; did you mean {unknown.suggestion}?" if unknown.suggestion else ""
    return text + ("; the others of its group are planned singly" if unknown.place == "group" else "")


def plan_headline(agent: AgentPlan) -> str:
    """The headline of an agent of a plan."""
    return headline(agent.device, agent.device_index, agent.pass_count, agent.lower_bound, proven=agent.proven_minimal)


def headline(name: str, device: int, pass_count: int, lower_bound: int, *, proven: bool) -> str:
    """``gfx942 (GPU 0): 6 passes (lower bound 6, proven minimal)``; without a pass: ``...: nothing to collect``."""
    proof = "proven minimal" if proven else "not proven minimal"
    count = f"{passes(pass_count)} (lower bound {lower_bound}, {proof})" if pass_count else "nothing to collect"
    return f"{name} (GPU {device}): {count}"


def passes(count: int) -> str:
    """``1 pass``, ``6 passes``."""
    return "1 pass" if count == 1 else f"{count} passes"


def _split(partners: PartnersPlacement) -> str:
    group = f"--group {','.join(partners.counters)}"
    return f"{partners.name} are in different passes: {', '.join(partners.counters)}; {group} keeps them together"


def _passes(agent: AgentPlan) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("pass", justify="right")
    table.add_column("counters", overflow="fold")
    table.add_column("registers", no_wrap=True)
    for one in agent.passes:
        counters = ", ".join(name for name in one.counters if name not in one.sentinel)
        sentinels = f"\nsentinels: {', '.join(one.sentinel)}" if one.sentinel else ""
        used = [f"{block} {count} of {one.capacity.get(block, 0)}" for block, count in one.registers.items()]
        table.add_row(str(one.index), escape(counters + sentinels), escape(in_lines(used)))
    return table


def _groups_asked_for(agent: AgentPlan) -> list[GroupPlacement]:
    """Without those that are there for the sake of a metric, which has a line of its own."""
    of_metrics = {metric.counters for metric in agent.metrics}
    return [group for group in agent.groups if group.counters not in of_metrics]


def _metrics(agent: AgentPlan) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for title in ("set", "metric", "unit"):
        table.add_column(title, no_wrap=True)
    table.add_column("pass", justify="right")
    table.add_column("counters", overflow="fold")
    before = ""
    for metric in agent.metrics:
        if metric.panel is not None:  # they have a table of their own, of a line for each panel
            continue
        place = "none" if metric.pass_ is None else str(metric.pass_)
        of_set = "" if metric.set == before else metric.set
        table.add_row(*map(escape, (of_set, metric.name, metric.unit, place, ", ".join(metric.counters))))
        before = metric.set
    return table


def in_lines(items: Sequence[str], width: int = 40) -> str:
    """The items with commas between them, in lines of at most `width` columns, each item whole."""
    lines: list[str] = []
    for item in items:
        if lines and len(lines[-1]) + len(item) + 3 <= width:  # two before it, one behind
            lines[-1] += f", {item}"
        else:
            lines.append(item)
    return ",\n".join(lines)
