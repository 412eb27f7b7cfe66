# SPDX-License-Identifier: MIT
"""A plan as a grid: what each pass takes of each hardware block.

A journal says how many registers each pass programs, and how many there are. Databases and traces do not: there the
grid has the number of counters, which is less where a counter needs several registers, and no capacity.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from rocprofsys_multipass.report.statistics import block_of
from rocprofsys_multipass.trace import Agent

DERIVED: Final = "derived"  # the row of counters that are of no one block, where registers are not known


@dataclass(frozen=True, slots=True)
class Cell:
    """What one pass takes of one block. `capacity` None: `used` is the number of counters."""

    used: int
    capacity: int | None
    counters: tuple[str, ...]
    sentinels: tuple[str, ...]

    @property
    def text(self) -> str:
        """``3/8``, ``3``, or a dot for nothing."""
        if not self.used:
            return "\N{MIDDLE DOT}"
        return str(self.used) if self.capacity is None else f"{self.used}/{self.capacity}"

    @property
    def full(self) -> bool:
        """Whether no register is left."""
        return self.capacity is not None and self.used >= self.capacity


@dataclass(frozen=True, slots=True)
class Row:
    """A hardware block, with a cell per pass."""

    block: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """The plan of GPUs that have the same one. `registers`: whether cells count registers, else counters."""

    agents: tuple[Agent, ...]
    rows: tuple[Row, ...]
    registers: bool

    @property
    def counted(self) -> tuple[Row, ...]:
        """The rows that have numbers: registers of derived counters are in those of the blocks that they need."""
        return tuple(row for row in self.rows if not self.registers or row.block != DERIVED)

    @property
    def passes(self) -> int:
        """How many columns there are."""
        return len(self.agents[0].passes)

    @property
    def label(self) -> str:
        """``GPU 0 [gfx942]``, ``GPU 0, 1, 2 [gfx942]``."""
        if len(self.agents) == 1:
            return self.agents[0].label
        return f"GPU {', '.join(str(a.device) for a in self.agents)} [{self.agents[0].name}]"

    @property
    def unit(self) -> str:
        """What the numbers of the cells are."""
        return "registers used of those there are" if self.registers else "counters; registers are in the journal only"


def grids(agents: Sequence[Agent]) -> list[Grid]:
    """A grid for each plan of these GPUs; GPUs with the same plan share one. None without a plan."""
    alike: dict[object, list[Agent]] = {}
    for agent in agents:
        if agent.passes:
            blocks = tuple(p.blocks for p in agent.passes)
            alike.setdefault((agent.name, agent.passes, blocks), []).append(agent)
    return [_grid(tuple(found)) for found in alike.values()]


def _grid(agents: tuple[Agent, ...]) -> Grid:
    first = agents[0]
    registers = all(p.blocks or not p.counters for p in first.passes)
    programmed = [{b.block: b for b in p.blocks} for p in first.passes]
    named = {block for p in programmed for block in p} if registers else set()
    row_of = {c: _row_of(c, first, named) for p in first.passes for c in p.counters}
    rows = []
    for block in sorted(named | set(row_of.values()), key=lambda name: (name == DERIVED, name)):
        cells = []
        for planned, uses in zip(first.passes, programmed, strict=True):
            here = tuple(c for c in planned.counters if row_of[c] == block)
            guests = tuple(c for c in here if c in planned.sentinels)
            use = uses.get(block) if registers else None
            used = (use.registers if use else 0) if registers else len(here)
            cells.append(Cell(used, use.capacity if use else None, here, guests))
        rows.append(Row(block, tuple(cells)))
    return Grid(agents, tuple(rows), registers)


def _row_of(counter: str, agent: Agent, named: Collection[str]) -> str:
    """The block whose row a counter is in. `named`: those whose registers are known."""
    described = {info.name: info.block for info in agent.counters if info.block}
    if not named:
        known = described.get(counter, "" if described else block_of(counter, agent))
        return known or DERIVED
    # Blocks that share registers are one in a plan, such as `SP+SQ`.
    block = described.get(counter, "")
    return next((name for name in named if block in name.split("+")), DERIVED)
