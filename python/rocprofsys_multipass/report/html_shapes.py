# SPDX-License-Identifier: MIT
"""Launch shapes in the HTML report: how much of the plan was read of each, and every counter of those launched most."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Final

from rocprofsys_multipass.report.html_parts import LONG_NAME, code, dim, table
from rocprofsys_multipass.report.html_summary import ProcessReport
from rocprofsys_multipass.report.shapes import COVERAGE, TITLE, VALUES, coverage_row, notes_on, value_rows
from rocprofsys_multipass.spelling import plural

SHAPES_LISTED: Final = 200
SHAPES_DETAILED: Final = 40  # with their counters


def kernel_counters(f: ProcessReport) -> Iterator[str]:
    """The table of launch shapes, then the counters of each."""
    listed, detailed = f.shapes[:SHAPES_LISTED], f.shapes[:SHAPES_DETAILED]
    if any(shape.of_one_group for shape in f.shapes):
        yield dim("Launches that were not replayed read one group of counters each.")
    yield from table(COVERAGE, [coverage_row(shape, code) for shape in listed], caption=TITLE, wide=("Kernel",))
    if more := len(f.shapes) - len(listed):
        yield dim(f"{plural(more, 'more launch shape')}: in the JSON, or with --kernel.")
    for shape in detailed:
        yield f"<details><summary>{code(shape.first.kernel, LONG_NAME)} "
        yield f'<span class="dim">GPU {shape.first.agent}, {escape(shape.label)}</span></summary>'
        yield dim(f"{shape.coverage}.")
        yield from table(VALUES, value_rows(shape, code), caption=f"{TITLE} of a launch shape")
        yield "</details>"
    if more := len(listed) - len(detailed):
        yield dim(f"Counters of {plural(more, 'more launch shape')}: in the JSON, or with --kernel.")
    yield from (dim(f"{note}.") for note in notes_on(detailed))
