# SPDX-License-Identifier: MIT
"""Metrics and counters of a kernel, in the report for a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from rocprofsys_multipass.report import document, numbers
from rocprofsys_multipass.report.layout import Column, table_of
from rocprofsys_multipass.report.statistics import (
    KernelStatistics,
    block_of,
    metrics_of_kernel,
    time_owner,
    unit_of,
    was_replayed,
)
from rocprofsys_multipass.report.terminal_parts import NAME_LEAST, OUTCOME_STYLE, cut, outcomes, section
from rocprofsys_multipass.spelling import plural
from rocprofsys_multipass.trace import Agent, Dispatch

DISPATCHES_SHOWN: Final = 24  # of a kernel, in the table per dispatch; further ones are in the files
_NAME_LINES: Final = 4  # of a kernel's name above its counters
_BETWEEN: Final = 2  # columns between two values of a table
_SMALL_BLOCK: Final = 3  # counters; smaller blocks are not set apart


def counters_section(kernel: KernelStatistics, width: int) -> Iterator[RenderableType]:
    """The counters of a kernel below its name."""
    yield from section("Counters", f"{kernel.agent.label}, {outcomes(kernel.dispatches).plain}")
    yield cut(Text(kernel.name, style="cyan"), _NAME_LINES * width)
    yield from _counters(kernel, width)


def _counters(kernel: KernelStatistics, width: int) -> Iterator[RenderableType]:
    """One dispatch: its values. Several: mean and extent, then the counters that vary, in blocks of columns."""
    dispatches = [d for d in kernel.dispatches if d.counters]
    names = kernel.counters
    if len(dispatches) > 1:
        yield _statistics_table(kernel, names, width)
        names = [name for name in names if _varies(name, dispatches)]
        if not names or all(d.outcome == "declined" for d in dispatches):  # of one group each: hardly a value in a line
            return
        yield Text("\nby dispatch, counters that vary", style="dim")
    shown = dispatches[:DISPATCHES_SHOWN]
    replayed = any(was_replayed(d) for d in kernel.dispatches)
    whose = time_owner(dispatches)
    times = [f"{whose} time" if whose else "duration", *["over passes"] * replayed]
    heads, ends = _counter_columns(kernel, names, times)
    values = [_dispatch_column(d, names, replayed=replayed) for d in shown]
    before = sum(c.natural for c in heads) + _BETWEEN * len(heads)
    each = max(c.natural for c in values) + _BETWEEN
    per_block = max(1, (width - before + _BETWEEN) // each)
    for start in range(0, len(shown), per_block):
        if start:
            yield Text()
        styles = ["dim"] * (1 + replayed) + [""] * len(names)
        yield table_of([*heads, *values[start : start + per_block]], width, row_styles=styles, ends=ends)
    marked = {d.outcome for d in shown if _marked(d)}
    if marked:
        yield Text(f"* {', '.join(sorted(marked))}", style="dim")
    if len(dispatches) > len(shown):
        count = plural(len(dispatches) - len(shown), "more dispatch")
        yield Text(f"{count}: in the database, or with --csv", style="dim")


def metrics_section(kernel: KernelStatistics, sets: Sequence[str], width: int) -> Iterator[RenderableType]:
    """The metrics of the sets that the run asked for, sets apart; nothing where it asked for none."""
    found = metrics_of_kernel(kernel, sets)
    if not found:
        return
    yield from section("Metrics", f"{kernel.agent.label}, {outcomes(kernel.dispatches).plain}")
    yield cut(Text(kernel.name, style="cyan"), _NAME_LINES * width)
    varying = [one.extent is not None and one.extent.low != one.extent.high for one in found]
    columns = [
        Column("Metric", [one.metric.name for one in found], left=True, least=NAME_LEAST),
        Column("from", [one.source for one in found], left=True, style="dim"),
        Column("Unit", [one.metric.unit for one in found], left=True, style="dim"),
        Column("Median" if any(varying) else "Each", [numbers.value(one.median) for one in found]),
    ]
    if any(varying):
        extents = list(zip((one.extent for one in found), varying, strict=True))
        columns += [
            Column("Min", [numbers.value(e.low) if e and v else "=" * bool(e) for e, v in extents], rank=2),
            Column("Max", [numbers.value(e.high) if e and v else "=" * bool(e) for e, v in extents], rank=2),
        ]
    read = [kernel.read_in(one.extent) if one.extent else "none" for one in found]
    columns += [Column("read in", read, style="dim")] if set(read) - {"all", "none"} else []
    ends = {i for i, (one, following) in enumerate(pairwise(found)) if one.metric.set != following.metric.set}
    yield table_of(columns, width, ends=ends)
    yield from (Text(note, style="dim") for note in document.metric_notes(found))


def _varies(name: str, dispatches: Sequence[Dispatch]) -> bool:
    return len({d.counters[name] for d in dispatches if name in d.counters}) > 1


def _ends_of_blocks(names: Sequence[str], agent: Agent) -> set[int]:
    """Positions that an empty line belongs below: between blocks, unless both are small."""
    blocks = [block_of(name, agent) for name in names]
    size = Counter(blocks)
    return {
        position
        for position, (block, following) in enumerate(pairwise(blocks))
        if following != block and max(size[block], size[following]) >= _SMALL_BLOCK
    }


def _counter_columns(
    kernel: KernelStatistics, names: Sequence[str], first: Sequence[str] = ()
) -> tuple[list[Column], set[int]]:
    """Names, passes and units, where any has one, below first rows of another kind; rows with a line below them."""
    columns = [
        Column("Counter", [*first, *names], left=True, least=NAME_LEAST),
        Column("from", [""] * len(first) + [kernel.source(name) for name in names], left=True, style="dim"),
    ]
    units = [unit_of(name, kernel.agent) for name in names]
    if any(units):
        columns.append(Column("Unit", [""] * len(first) + units, left=True, style="dim"))
    return columns, {position + len(first) for position in _ends_of_blocks(names, kernel.agent)}


def _statistics_table(kernel: KernelStatistics, names: Sequence[str], width: int) -> Table:
    spreads = [spread for name in names if (spread := kernel.counter(name)) is not None]
    varying = [s.low != s.high for s in spreads]
    columns, ends = _counter_columns(kernel, names)
    columns.append(Column("Mean" if any(varying) else "Each", [numbers.value(s.mean) for s in spreads]))
    if any(varying):
        lows = [numbers.value(s.low) if v else "=" for s, v in zip(spreads, varying, strict=True)]
        highs = [numbers.value(s.high) if v else "=" for s, v in zip(spreads, varying, strict=True)]
        extents = [_extent(s.low, s.high) if v else "" for s, v in zip(spreads, varying, strict=True)]
        columns += [Column("Min", lows, rank=2), Column("Max", highs, rank=2), Column("Max/Min", extents, rank=1)]
    read = [kernel.read_in(s) for s in spreads]
    columns += [Column("read in", read, style="dim")] if set(read) != {"all"} else []
    return table_of(columns, width, ends=ends)


def _extent(low: float, high: float) -> str:
    return numbers.factor(high / low) if low > 0 else ""


def _marked(dispatch: Dispatch) -> bool:
    return dispatch.outcome not in ("replayed", "single_pass")


def _dispatch_column(d: Dispatch, names: Sequence[str], *, replayed: bool) -> Column:
    values = [numbers.value(d.counters.get(name)) for name in names]
    mark, style = ("*", OUTCOME_STYLE[d.outcome]) if _marked(d) else ("", "")
    times = [numbers.duration(d.duration_ns), *([document.over_passes(d.duration_spread)] * replayed)]
    return Column(f"#{d.dispatch_id}{mark}", [*times, *values], style=style)
