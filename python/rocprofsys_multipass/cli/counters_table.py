# SPDX-License-Identifier: MIT
"""Counters as text: one headline and one table for each kind of GPU, or one line for each device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.markup import escape
from rich.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from rocprofsys_multipass.counters import AgentCounters, CounterInfo

_PLAIN_WIDTH = 100  # columns, where no terminal says how wide a line may be


def show_counters(
    agents: Sequence[AgentCounters], shown: Sequence[AgentCounters], terminal: Console, *, live: bool
) -> None:
    """Print the counters in `shown`, which are those of `agents` or some of them. Live GPUs of one kind are one table.

    Of devices that are not `live`, the headline has no ordinal: what is printed is that of the kind.
    """
    kinds: list[tuple[AgentCounters, AgentCounters, list[int]]] = []
    for agent, some in zip(agents, shown, strict=True):
        for known, _, ordinals in kinds:
            if _kind(known) == _kind(agent):
                ordinals.append(agent.device_index)
                break
        else:
            kinds.append((agent, some, [agent.device_index]))
    for agent, some, ordinals in kinds:
        place = f"{agent.device} ({_place(agent, ordinals)})" if live else agent.device
        terminal.print(f"[bold]{escape(_headline(place, agent, some))}[/bold]", width=_width(terminal))
        if agent.counters:
            terminal.print(escape(f"registers per pass: {_costs(agent.slots)}"), width=_width(terminal))
        if some.counters:
            terminal.print(_table(some), width=_width(terminal))


def show_devices(agents: Sequence[AgentCounters], terminal: Console) -> None:
    """Print one line for each device: how much it can count, in which blocks."""
    table = _plain_table()
    table.add_column("device", no_wrap=True)
    table.add_column("counters", justify="right")
    table.add_column("registers per pass", overflow="fold")
    for agent in agents:
        table.add_row(escape(agent.device), str(len(agent.counters)), escape(_costs(agent.slots)))
    terminal.print(table, width=_width(terminal))


def _kind(agent: AgentCounters) -> tuple[object, ...]:
    return (agent.device, agent.product_name, agent.slots, agent.counters, agent.reason)


def _place(agent: AgentCounters, ordinals: Sequence[int]) -> str:
    """``GPU 0, 1; Simulated gfx942``."""
    return f"GPU {', '.join(map(str, ordinals))}" + (f"; {agent.product_name}" if agent.product_name else "")


def _headline(place: str, agent: AgentCounters, some: AgentCounters) -> str:
    """``gfx942 (GPU 0, 1; Simulated gfx942): 12 of 455 counters``."""
    if not agent.counters:
        return f"{place}: no counters" + (f": {agent.reason}" if agent.reason else "")
    all_of_them = len(some.counters) == len(agent.counters)
    count = f"{len(agent.counters)}" if all_of_them else f"{len(some.counters)} of {len(agent.counters)}"
    return f"{place}: {count} counters"


def _table(agent: AgentCounters) -> Table:
    table = _plain_table()
    table.add_column("name", no_wrap=True)
    table.add_column("block", no_wrap=True)
    table.add_column("kind", no_wrap=True)
    table.add_column("instances", justify="right", no_wrap=True)
    table.add_column("registers", overflow="fold")
    table.add_column("description", overflow="fold", ratio=1)
    for counter in agent.counters:
        table.add_row(
            escape(counter.name),
            escape(counter.block),
            counter.kind,
            str(counter.instances) if counter.instances else "",  # 0: not known
            escape(_registers(counter)),
            escape(counter.description),
        )
    return table


def _registers(counter: CounterInfo) -> str:
    if counter.registers is None:
        return f"not known: {', '.join(counter.unknown)}"
    return _costs(counter.registers)


def _costs(registers: dict[str, int]) -> str:
    return ", ".join(f"{block} {count}" for block, count in registers.items())


def _plain_table() -> Table:
    return Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))


def _width(terminal: Console) -> int:
    return terminal.width if terminal.is_terminal else _PLAIN_WIDTH
