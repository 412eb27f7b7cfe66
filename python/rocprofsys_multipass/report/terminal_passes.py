# SPDX-License-Identifier: MIT
"""Plan, cost and agreement of the passes, in the report for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from rocprofsys_multipass.report import document, numbers
from rocprofsys_multipass.report.layout import Column, table_of
from rocprofsys_multipass.report.occupancy import Cell, grids
from rocprofsys_multipass.report.passes import Agreement, Execution, Window, by_pass, longest_windows, window_of
from rocprofsys_multipass.report.terminal_parts import NAME_LEAST, PASS_COLOURS, section
from rocprofsys_multipass.trace import Agent, Dispatch, KernelVerdicts
from rocprofsys_multipass.trace.agreement import AspectName

TIMELINES_SHOWN: Final = 8


def plan(agents: Sequence[Agent], width: int) -> Iterator[RenderableType]:
    """What each pass takes of each block. Nothing where one pass is all there is, or the plan is not known."""
    for grid in grids(agents):
        if grid.passes == 1:
            continue
        yield from section("Plan", f"{grid.label}, {grid.unit}")
        columns = [Column("Block", [row.block for row in grid.counted], left=True)]
        for index in range(grid.passes):
            cells = [_cell(row.cells[index]) for row in grid.counted]
            columns.append(Column(f"Pass {index}", cells))
        yield table_of(columns, width)


def _cell(cell: Cell) -> Text:
    return Text(cell.text, style="bold" if cell.full else "" if cell.used else "dim")


def cost(dispatches: Sequence[Dispatch], width: int) -> Iterator[RenderableType]:
    """What each pass took, and the longest windows to scale."""
    windows = [w for d in dispatches if (w := window_of(d)) is not None]
    if not windows:
        return
    yield from section("Passes", document.cost_of(windows))
    passes = by_pass([w.dispatch for w in windows])
    reference = passes[0].duration.mean
    shares = [numbers.factor(p.duration.mean / reference) if reference else numbers.ABSENT for p in passes]
    columns = [
        Column("Pass", [Text(str(p.index), style=PASS_COLOURS[p.index % len(PASS_COLOURS)]) for p in passes]),
        Column("Counters", [str(p.counters) for p in passes]),
        Column("Executions", [f"{p.duration.count:,}" for p in passes], rank=1),
        Column("Mean", [numbers.duration(p.duration.mean) for p in passes]),
        Column("Min", [numbers.duration(p.duration.low) for p in passes], rank=2),
        Column("Max", [numbers.duration(p.duration.high) for p in passes], rank=2),
        Column("to pass 0", shares),
        Column("Gap before", [numbers.duration(p.gap.mean) if p.gap else "" for p in passes]),
    ]
    yield table_of(columns, width)
    yield from _timelines(windows, width)


def _timelines(windows: Sequence[Window], width: int) -> Iterator[RenderableType]:
    """The longest window of each kernel, drawn: passes as bars that begin with their number, else dots."""
    shown = longest_windows(windows)[:TIMELINES_SHOWN]
    label = min(max(28, width // 3), max(len(f"{w.dispatch.kernel} #{w.dispatch.dispatch_id}") for w in shown))
    for w in shown:
        number = f" #{w.dispatch.dispatch_id}"
        name = Text(w.dispatch.kernel, no_wrap=True)
        name.truncate(label - len(number), overflow="ellipsis", pad=True)
        line = Text.assemble(
            name, (number, "dim"), " ", _bar(w, width - label - 14), f" {numbers.duration(w.length_ns)}"
        )
        yield Padding(line, (0, 0, 0, 1))
    yield Text(document.legend_of(shown, "numbered bars:", "dots:"), style="dim")


def _bar(window: Window, cells: int) -> Text:
    cells = max(cells, 10)
    kinds: list[Execution | None] = [None] * cells
    for one in window.executions:
        first = (one.start_ns - window.start_ns) * cells // window.length_ns
        last = (one.end_ns - window.start_ns) * cells // window.length_ns
        for cell in range(first, max(first + 1, last)):
            kinds[min(cell, cells - 1)] = one
    bar = Text()
    for kind, of in groupby(kinds, key=lambda one: (one.label, one.index) if one else None):
        count = len(list(of))
        if kind is None:
            bar.append("·" * count, "dim")
            continue
        label, index = kind
        mark = label[0] if index is None else str(index)
        colour = "white" if index is None else PASS_COLOURS[index % len(PASS_COLOURS)]
        bar.append(mark if len(mark) <= count else "", f"bold reverse {colour}")
        bar.append("█" * (count - len(mark) if len(mark) <= count else count), colour)
    return bar


_VERDICT_STYLE: Final = {"exact": "green", "within": "green", "not": "bold red", "unknown": "yellow"}


def verdicts(found: Sequence[KernelVerdicts], width: int, *, warmed: bool) -> Iterator[RenderableType]:
    """The three verdicts on the kernels that were replayed."""
    replayed = [one for one in found if one.replayed]
    if not replayed:
        return
    yield from section("Agreement of the passes", "can those of a dispatch be taken for one execution?")

    def column(title: str, aspect: AspectName) -> Column:
        said = [(one.aspect(aspect), one.replayed) for one in replayed]
        cells = [Text(document.verdict_of(a, n), style=_VERDICT_STYLE[a.verdict]) for a, n in said]
        return Column(title, cells, left=True)

    columns = [
        Column("GPU", [str(one.agent.device) for one in replayed], rank=2),
        column("Same work", "work"),
        column("Same clock", "clock"),
        column("Same caches", "cache"),
        Column("Times differ", [numbers.percent(one.spread) if one.passes else "-" for one in replayed], rank=1),
    ]
    if document.any_not_restored(replayed):
        columns.append(Column("Inputs restored", [one.inputs_restored for one in replayed], left=True, rank=2))
    columns.append(Column("Kernel", [one.kernel for one in replayed], left=True, least=NAME_LEAST))
    yield table_of(columns, width)
    yield from (Text(note, style="dim") for note in document.verdict_notes(found, warmed=warmed))


def agreement_table(rows: Sequence[Agreement], width: int) -> Iterator[RenderableType]:
    """The counters that several passes of a dispatch read."""
    if not rows:
        return
    differing = any(row.equal < row.compared for row in rows)
    yield from section(
        "Counters of several passes",
        "what several passes of a dispatch read: did all see the same work?"
        if differing
        else "what several passes of a dispatch read was the same in all of them",
    )
    columns = [
        Column("Counter", [row.counter for row in rows], left=True, least=NAME_LEAST),
        Column("GPU", [str(row.agent.device) for row in rows], rank=1),
        Column("Compared", [f"{row.compared:,}" for row in rows]),
        Column("Equal", [f"{row.equal:,}" for row in rows]),
    ]
    if differing:
        spreads = [numbers.percent(row.spread) if row.spread else "" for row in rows]
        columns.append(Column("Differ by", spreads))
    remarks = [document.remark_on(row) for row in rows]
    columns += [Column("", remarks, left=True, style="yellow")] if any(remarks) else []
    yield table_of(columns, width)
