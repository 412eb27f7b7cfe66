# SPDX-License-Identifier: MIT
"""Tables that fit their width without cutting a number or a heading.

Too narrow for all columns: names are shortened first, then columns are left out that can be missed, and only what is
then still too wide goes beyond the edge, whole.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from rich import box
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

_PADDING: Final = (0, 1, 0, 0)
_GAP: Final = 2  # between columns: the padding, and the separator of the box, which is a space


@dataclass(frozen=True, slots=True)
class Column:
    """A column and its cells, top to bottom.

    `least`: the width down to which its cells may be shortened (None: not at all). `rank`: columns of the highest rank
    are left out first, together; 0 stays.
    """

    title: str
    cells: Sequence[str | Text]
    left: bool = False
    style: str = ""
    least: int | None = None
    rank: int = 0

    @property
    def natural(self) -> int:
        """Width of the widest cell, or of the title."""
        return max([cell_len(self.title), *(cell_len(str(cell)) for cell in self.cells)])

    @property
    def smallest(self) -> int:
        """Width that it cannot do without."""
        return self.natural if self.least is None else min(self.natural, max(self.least, cell_len(self.title)))


def _width(columns: Sequence[Column]) -> int:
    return sum(c.smallest for c in columns) + _GAP * (len(columns) - 1)


def fitting(columns: Sequence[Column], width: int) -> list[Column]:
    """The columns that have room, in order."""
    kept = list(columns)
    for rank in sorted({c.rank for c in columns if c.rank}, reverse=True):
        if _width(kept) <= width:
            break
        kept = [c for c in kept if c.rank != rank]
    return kept


def table_of(
    columns: Sequence[Column],
    width: int,
    *,
    row_styles: Sequence[str] = (),
    ends: Collection[int] = (),
    plain: bool = False,
) -> Table:
    """A table of those columns that have room in `width`.

    `ends`: rows that an empty line follows. `plain`: without a line below the headings.
    """
    kept = fitting(columns, width)
    spare = max(0, width - _width(kept))
    table = Table(
        box=None if plain else box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, _GAP, 0, 0) if plain else _PADDING,
        header_style="bold",
    )
    for c in kept:
        room = min(c.natural, c.smallest + spare)
        spare -= room - c.smallest
        table.add_column(
            c.title,
            justify="left" if c.left else "right",
            style=c.style,
            no_wrap=True,
            overflow="ellipsis",
            min_width=room,
            max_width=room,
        )
    for position, row in enumerate(zip(*(c.cells for c in kept), strict=True)):
        cells = [cell if isinstance(cell, Text) else Text(cell) for cell in row]
        style = row_styles[position] if row_styles else ""
        table.add_row(*cells, style=style, end_section=position in ends)
    return table
