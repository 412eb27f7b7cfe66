# SPDX-License-Identifier: MIT
"""Launch shapes and their counters in reports: how much of the plan was read of each, and what, over its launches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any, Final

from rocprofsys_multipass.report import numbers
from rocprofsys_multipass.spelling import plural
from rocprofsys_multipass.trace import Dispatch, KernelCounter, Process
from rocprofsys_multipass.trace.kernel_counters import kernel_counters_of
from rocprofsys_multipass.trace.model import Dim3
from rocprofsys_multipass.trace.tables import json_number

TITLE: Final = "Kernel counters"
COVERAGE: Final = ("Kernel", "GPU", "Grid", "Work-group", "Launches", "Replayed", "Groups", "Counters", "Read n times")
VALUES: Final = ("Counter", "Group", "n", "Median", "MAD", "Min", "Max")
CSV_COLUMNS: Final = (
    *("process", "rank", "agent", "kernel", "grid_x", "grid_y", "grid_z", "workgroup_x", "workgroup_y", "workgroup_z"),
    *("launches", "replayed", "counter", "group", "n", "median", "mad", "min", "max", "counters_read"),
    *("counters_planned", "groups_read", "groups_planned"),
)


@dataclass(frozen=True, slots=True)
class Shape:
    """A launch shape with a row for each of its counters, of which there is one at least."""

    rows: tuple[KernelCounter, ...]

    @property
    def first(self) -> KernelCounter:
        """What is told of the shape is in every row."""
        return self.rows[0]

    @property
    def of_one_group(self) -> bool:
        """Whether some launch read one group of several, or a planned counter was never read."""
        one = self.first
        several = (one.groups_planned or 0) > 1
        return (several and one.replayed < one.launches) or (one.counters_planned or 0) > one.counters_read

    @property
    def label(self) -> str:
        """What it is beside its kernel."""
        one = self.first
        texts = [f"grid {size(one.grid)}", f"work-group {size(one.workgroup)}"]
        return ", ".join([*texts, f"{plural(one.launches, 'launch')}, {one.replayed:,} replayed"])

    @property
    def coverage(self) -> str:
        """``2 of 6 groups, 9 of 22 counters were read``."""
        one = self.first
        return (
            f"{of(one.groups_read, one.groups_planned)} groups, {of(one.counters_read, one.counters_planned)} counters "
            "were read"
        )


def shapes_of(process: Process, dispatches: Sequence[Dispatch]) -> list[Shape]:
    """The launch shapes that have counters, those that were launched most first."""
    rows = kernel_counters_of(process, dispatches)
    found = [Shape(tuple(of)) for _, of in groupby(rows, lambda one: (one.agent, one.kernel, one.grid, one.workgroup))]
    return sorted(found, key=lambda shape: -shape.first.launches)


def size(extent: Dim3 | None) -> str:
    """``512,1,1``."""
    return numbers.ABSENT if extent is None else ",".join(map(str, extent))


def of(part: int, whole: int | None) -> str:
    """``2 of 6``."""
    return f"{part:,}" if whole is None else f"{part:,} of {whole:,}"


def coverage_row(shape: Shape, name: Callable[[str], str]) -> tuple[str, ...]:
    """A row of COVERAGE."""
    one = shape.first
    times = [row.n for row in shape.rows]
    low, high = min(times), max(times)
    return (
        name(one.kernel),
        str(one.agent),
        size(one.grid),
        size(one.workgroup),
        f"{one.launches:,}",
        f"{one.replayed:,}",
        of(one.groups_read, one.groups_planned),
        of(one.counters_read, one.counters_planned),
        f"{low:,}" if low == high else f"{low:,}-{high:,}",
    )


def value_rows(shape: Shape, name: Callable[[str], str]) -> list[tuple[str, ...]]:
    """Rows of VALUES: by group, so that what was read together stands together."""
    ordered = sorted(shape.rows, key=lambda row: (row.group is None, row.group or 0, row.counter))
    return [
        (
            name(row.counter),
            numbers.ABSENT if row.group is None else str(row.group),
            f"{row.n:,}",
            *(numbers.value(value) for value in (row.median, row.mad, row.low, row.high)),
        )
        for row in ordered
    ]


def notes_on(shapes: Sequence[Shape]) -> list[str]:
    """What stands below the values of some shapes."""
    notes = []
    if any(shape.of_one_group and (shape.first.groups_planned or 0) > 1 for shape in shapes):
        notes.append(
            "Counters of different groups were read in different launches: their ratio is that of no launch; "
            "--group A,B reads two in one"
        )
    if any(0 < shape.first.replayed < shape.first.launches for shape in shapes):
        notes.append("Of a shape with both, values of replayed launches and of others are taken together")
    if any(row.n == 0 for shape in shapes for row in shape.rows):
        notes.append("What has no value was never read: a launch that is not replayed reads one group of counters")
    return notes


def as_json(row: KernelCounter) -> dict[str, Any]:
    """The members of a row; numbers that JSON does not have as in `json_number`."""
    values = asdict(row)
    low, high = values.pop("low"), values.pop("high")
    found = {}
    for name, value in values.items():
        found[name] = json_number(value) if isinstance(value, float) else value
        if name == "mad":
            found |= {
                "min": None if low is None else json_number(low),
                "max": None if high is None else json_number(high),
            }
    return found


def as_cells(row: KernelCounter) -> list[object]:
    """The cells of CSV_COLUMNS; empty: unknown, or never read."""
    members: dict[str, object] = {**asdict(row), "min": row.low, "max": row.high}
    for name, extent in (("grid", row.grid), ("workgroup", row.workgroup)):
        members |= {f"{name}_{axis}": value for axis, value in zip("xyz", extent or (None,) * 3, strict=True)}
    return ["" if (value := members[name]) is None else value for name in CSV_COLUMNS]
