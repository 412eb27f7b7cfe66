# SPDX-License-Identifier: MIT
"""Why a plan has as many passes as it has, in words: what ``plan --explain`` prints of an agent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from rocprofsys_multipass.cli.plan_panels import spread_metrics
from rocprofsys_multipass.cli.plan_table import passes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from rocprofsys_multipass.planned import AgentPlan, BlockBound, PlanBounds


_MOST_SEARCHED = 64  # passes that a search is made for (docs/planner.md)


def show_reasons(agent: AgentPlan, effort: int | None, terminal: Console) -> None:
    """Print what decides the number of passes, what every block needs, and what would save a pass.

    `effort` is that of the plan.
    """
    if agent.bounds is None or not agent.passes:
        return
    terminal.print(f"  [bold]why {passes(agent.pass_count)}[/bold]")
    for text in reasons(agent, agent.bounds, effort):
        terminal.print(f"  - {escape(text)}", soft_wrap=True)
    terminal.print(Padding(_blocks(agent, agent.bounds), (0, 0, 0, 4), expand=False))


def reasons(agent: AgentPlan, bounds: PlanBounds, effort: int | None = None) -> Iterator[str]:
    """The sentences, the weightiest first."""
    if agent.pass_count == 1:
        yield "everything fits one pass"
    else:
        yield _lower_bound(agent, bounds)
        yield from _search(agent, effort)
        yield from _saving(agent, bounds)
    if bounds.passes_without_groups is not None:
        yield _groups(agent.pass_count, bounds.passes_without_groups)
    for metric, read in spread_metrics(agent):
        numbers = ", ".join(map(str, read))
        yield f"{metric.name} has counters that no pass takes together: they are in passes {numbers}"


def _lower_bound(agent: AgentPlan, bounds: PlanBounds) -> str:
    least = f"at least {passes(agent.lower_bound)}"
    binding = [block for block in bounds.blocks if block.binding]
    if bounds.decided_by == "clique":
        items = "; ".join(" with ".join(item) for item in bounds.clique)
        return f"{least}: no two of these fit one pass: {items}"
    if bounds.decided_by == "block_search":
        found = " and ".join(f"the counters of {block.block}, which {_program(block)}," for block in binding)
        return f"{least}: {found} cannot be divided into fewer, as a search of all ways showed"
    return f"{least}: {'; '.join(f'{block.block} must {_program(block)}' for block in binding)}"


def _program(block: BlockBound) -> str:
    count = f"program {_registers(block.registers)}"
    if block.distinct < block.registers:
        count += f" ({block.distinct} different ones, some of them in several passes)"
    return f"{count} and a pass has {block.slots}"


def _search(agent: AgentPlan, effort: int | None) -> Iterator[str]:
    fewer = passes(agent.pass_count - 1)
    if agent.proof == "search":
        yield f"a search of all ways to use {fewer} found none, so {agent.pass_count} is the minimum"
    elif agent.proof == "none":
        yield f"whether {fewer} would do is not known: {_open_search(agent, effort)}"


def _open_search(agent: AgentPlan, effort: int | None) -> str:
    """Why a search could not tell, and what helps, where something does."""
    if agent.pass_count - 1 > _MOST_SEARCHED:
        return f"above {_MOST_SEARCHED} passes no search is made"
    if agent.search_given_up:
        same = "N" if effort is None else effort
        return f"the search took too long and was given up; --effort {same} gives it all the time it needs"
    more = "" if effort is None else f" with N above {effort}"
    return f"the search ended before it could tell; --effort N{more} lets it try more"


def _saving(agent: AgentPlan, bounds: PlanBounds) -> Iterator[str]:
    if agent.proof != "bound":
        return
    if bounds.decided_by == "clique":
        yield "to save a pass, one of these must go"
        return
    if bounds.decided_by == "block_search":
        names = " and ".join(block.block for block in bounds.blocks if block.binding)
        yield f"to save a pass, counters of {names} must go"
        return
    # With groups, what counts several times may do so for their sake: other groups help as well as fewer counters.
    sure = [b for b in bounds.blocks if not agent.groups or b.registers == b.distinct]
    over = [(block.block, block.registers - block.slots * (agent.pass_count - 1)) for block in sure]
    needed = " and ".join(f"{_registers(count)} of {name}" for name, count in over if count > 0)
    if needed:
        yield f"to save a pass, leave out counters with {needed} between them, at least"


def _groups(count: int, without: int) -> str:
    if without >= count:
        return "the groups cost no pass"
    return f"the groups cost {passes(count - without)}: without them these counters take {passes(without)}"


def _registers(count: int) -> str:
    return "1 register" if count == 1 else f"{count} registers"


def _blocks(agent: AgentPlan, bounds: PlanBounds) -> Table:
    """Every block, the one that needs most first, and the slots that this plan leaves free in it."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("block")
    for title in ("registers", "slots a pass", "passes at least", "slots free"):
        table.add_column(title, justify="right")
    table.add_column("")
    for block in sorted(bounds.blocks, key=lambda block: (-_needs(block), block.block)):
        used = sum(one.registers.get(block.block, 0) for one in agent.passes)
        table.add_row(
            escape(block.block),
            str(block.registers),
            str(block.slots),
            str(_needs(block)),
            str(block.slots * agent.pass_count - used),
            "decides" if block.binding and agent.pass_count > 1 else "",
        )
    return table


def _needs(block: BlockBound) -> int:
    return block.passes if block.searched is None else block.searched
