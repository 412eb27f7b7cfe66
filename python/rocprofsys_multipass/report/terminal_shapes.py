# SPDX-License-Identifier: MIT
"""Launch shapes in the report for a terminal: a line each, or all counters of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from rocprofsys_multipass.report.layout import Column, table_of
from rocprofsys_multipass.report.shapes import (
    COVERAGE,
    TITLE,
    VALUES,
    Shape,
    coverage_row,
    notes_on,
    value_rows,
)
from rocprofsys_multipass.report.terminal_parts import NAME_LEAST, cut, section
from rocprofsys_multipass.spelling import plural

SHAPES_SHOWN: Final = 12
_NAME_LINES: Final = 4
_RANKS: Final = {"GPU": 4, "Work-group": 3, "Replayed": 2, "Read n times": 1}


def coverage(shapes: Sequence[Shape], width: int) -> Iterator[RenderableType]:
    """How much of the plan was read of each launch shape, where some launch read one group only."""
    if not any(shape.of_one_group for shape in shapes):
        return
    yield from section(TITLE, "of each launch shape: launches that were not replayed read one group each")
    yield coverage_table(shapes[:SHAPES_SHOWN], width)
    more = len(shapes) - SHAPES_SHOWN
    text = f"{plural(more, 'more launch shape')}; " if more > 0 else ""
    yield Text(f"{text}median and MAD of each counter: --kernel-counters, or the view kernel_counters", style="dim")


def coverage_table(shapes: Sequence[Shape], width: int) -> Table:
    """A line for each shape."""
    rows = [coverage_row(shape, str) for shape in shapes]
    several_gpus = len({shape.first.agent for shape in shapes}) > 1
    columns = [
        Column(title, cells, left=title == "Kernel", least=NAME_LEAST if title == "Kernel" else None, rank=_rank(title))
        for title, *cells in zip(COVERAGE, *rows, strict=True)
        if title != "GPU" or several_gpus
    ]
    return table_of([*columns[1:], columns[0]], width, row_styles=["" if s.of_one_group else "dim" for s in shapes])


def _rank(title: str) -> int:
    return _RANKS.get(title, 0)


def values(shapes: Sequence[Shape], width: int) -> Iterator[RenderableType]:
    """Every counter of every shape."""
    for shape in shapes:
        yield from section(TITLE, f"GPU {shape.first.agent}, {shape.label}")
        yield cut(Text(shape.first.kernel, style="cyan"), _NAME_LINES * width)
        yield Text(
            shape.coverage, style="yellow" if shape.first.counters_planned and not shape.first.complete else "dim"
        )
        rows = value_rows(shape, str)
        ranks = {"Max": 2, "Min": 2}
        columns = [
            Column(title, cells, left=title == "Counter", least=NAME_LEAST if title == "Counter" else None)
            if title not in ranks
            else Column(title, cells, rank=ranks[title])
            for title, *cells in zip(VALUES, *rows, strict=True)
        ]
        groups = [row[1] for row in rows]
        ends = {at for at in range(len(groups) - 1) if groups[at] != groups[at + 1]}
        yield table_of(columns, width, ends=ends)
    yield from (Text(note, style="dim") for note in notes_on(shapes))
