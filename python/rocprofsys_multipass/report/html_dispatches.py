# SPDX-License-Identifier: MIT
"""The table of the dispatches: its first lines as HTML, all of it as data for the script."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Final

from rocprofsys_multipass.report import document
from rocprofsys_multipass.report.html_parts import code, dim, table
from rocprofsys_multipass.report.html_summary import ProcessReport
from rocprofsys_multipass.report.table_data import TIMES, TableData, name_length, table_data
from rocprofsys_multipass.spelling import plural

ROWS_SHOWN: Final = 50  # without the script; the script has pages of as many
_NAMED: Final = 6  # columns in a sentence


def dispatch_table(f: ProcessReport, prefix: str, room: int) -> Iterator[str]:
    """The first page of the table, what of it is not in the page, and its data."""
    data = table_data(f.dispatches, room, name_length(len(f.kernels)))
    shown = f.dispatches[:ROWS_SHOWN]
    yield f'<div class="dispatches" id="{prefix}table" data-prefix="{prefix}" data-page="{ROWS_SHOWN}">'
    yield f'<noscript>{_first(len(shown), len(f.dispatches))}</noscript><div class="controls" hidden></div>'
    yield from table(
        document.DISPATCHES,
        [document.dispatch_row(d, code, escape) for d in shown],
        caption="Dispatches",
        wide=("Kernel",),
    )
    yield '<div class="pager" hidden></div></div>'
    yield from map(dim, _left_out(f, data))
    yield f'<script type="text/plain" id="{prefix}head">{data.head}</script>'
    yield f'<script type="text/plain" id="{prefix}values">{data.values}</script>'


def _first(shown: int, count: int) -> str:
    if shown == count:
        return dim("Searching, sorting and all counters of a dispatch need JavaScript.")
    return dim(f"The first {shown} of {count:,}. Further ones, searching and sorting need JavaScript, or the CSV.")


def _left_out(f: ProcessReport, data: TableData) -> Iterator[str]:
    """What the table lacks so that the page stays small, in plain sentences."""
    exact = "Exact in the CSV (--csv)."
    if more := len(f.dispatches) - data.rows:
        yield document.more_dispatches(more)
    for digits in sorted(set(data.rounded.values()), reverse=True):
        names = [name for name, of in data.rounded.items() if of == digits]
        yield f"To keep this page small, it has {digits} digits of {_listed(names)}. {exact}"
    if data.missing:
        yield f"To keep this page small, it lacks {_listed(data.missing)}. {exact}"
    if data.bare:
        yield f"{plural(data.bare, 'dispatch')} of unusual passes without readings here. {exact}"


def _listed(names: list[str] | tuple[str, ...]) -> str:
    """Names of columns, some of them where there are many."""
    counters = [name for name in names if name != TIMES]
    text = ", ".join(counters[:_NAMED])
    if len(counters) > _NAMED:
        text += f" and {len(counters) - _NAMED} more counters"
    parts = [text] if counters else []
    return " and ".join([*parts, *([f"the {TIMES}"] if TIMES in names else [])])
