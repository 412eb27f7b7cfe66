# SPDX-License-Identifier: MIT
"""The readings of dispatches as a table of a row each: its columns, and as CSV (docs/formats/readings.md).

Readings come by the million, and most executions are laid out as one before: what is the same in all rows of a
dispatch, of an execution and of a layout is made once for each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import Final, Generic, TextIO, TypeVar

from rocprofsys_multipass.trace.agreement import verdict_words
from rocprofsys_multipass.trace.frame import COLUMNS, OF_DISPATCH
from rocprofsys_multipass.trace.model import Dim3, Dispatch, Pass, Process

GEOMETRY: Final = ("grid_x", "grid_y", "grid_z", "workgroup_x", "workgroup_y", "workgroup_z")
VERDICTS: Final = ("same_work", "same_clock", "same_cache")  # of the passes of the dispatch
CSV_COLUMNS: Final = (*COLUMNS, "outcome", "reason", *GEOMETRY, *VERDICTS, *OF_DISPATCH)
_SIZE: Final = len("xyz")

_Made = TypeVar("_Made")
_names = attrgetter("counter")
_flags = attrgetter("canonical")
_values = attrgetter("value")


class Layouts(Generic[_Made]):
    """What executions read without the values, in order of the counter's name; `make` turns names and flags into it."""

    def __init__(self, make: Callable[[tuple[str, ...], tuple[bool, ...]], _Made]) -> None:
        self._make = make
        self._known: dict[tuple[object, ...], tuple[_Made, tuple[int, ...] | None]] = {}

    def of(self, p: Pass) -> tuple[_Made, list[float]]:
        """The layout of an execution, and its values in the same order."""
        names, flags = tuple(map(_names, p.readings)), tuple(map(_flags, p.readings))
        found = self._known.get((names, flags))
        if found is None:
            order = tuple(sorted(range(len(names)), key=names.__getitem__))
            made = self._make(tuple(names[k] for k in order), tuple(flags[k] for k in order))
            found = made, None if order == tuple(range(len(names))) else order
            self._known[names, flags] = found
        values = list(map(_values, p.readings))
        return found[0], values if found[1] is None else [values[k] for k in found[1]]


def cell(value: object) -> str:
    """A value in a line: None is empty, numbers have the digits that give the same number back, texts are quoted.

    Quoted where RFC 4180 wants it, and by the same rule with every version of Python, which its csv module has not.
    """
    if value is None:
        return ""
    text = value if isinstance(value, str) else repr(value)
    return '"' + text.replace('"', '""') + '"' if any(mark in text for mark in ',"\r\n') else text


def sizes(size: Dim3 | None) -> tuple[int | None, ...]:
    """x, y and z."""
    return size if size is not None else (None,) * _SIZE


def of_dispatch(process: Process, d: Dispatch) -> tuple[object, ...]:
    """The columns behind those of a reading, which are the same in all rows of a dispatch."""
    beside = (d.outcome, d.reason, *sizes(d.grid), *sizes(d.workgroup))
    return (*beside, *verdict_words(process, d), d.duration_ns, d.time_of)


def write_csv(processes: Iterable[tuple[Process, Iterable[Dispatch]]], stream: TextIO) -> None:
    """A line per reading with the columns of CSV_COLUMNS, in order of pass and counter; what is unknown is empty."""
    layouts = Layouts(_cells)
    kernels: dict[str, str] = {}
    stream.write(",".join(CSV_COLUMNS) + "\n")
    for process, dispatches in processes:
        for d in dispatches:
            if not any(p.readings for p in d.passes):
                continue
            kernel = kernels.get(d.kernel)
            if kernel is None:
                kernel = kernels[d.kernel] = cell(d.kernel)
            first = f"{d.process},{cell(d.agent.device)},{d.dispatch_id},{kernel},"
            last = ",".join(map(cell, of_dispatch(process, d))) + "\n"
            for p in d.passes:
                cells, values = layouts.of(p)
                head, tail = f"{first}{cell(p.index)},{p.group},", f"{cell(p.start_ns)},{cell(p.end_ns)},{last}"
                lines = [
                    f"{head}{name}{value!r}{flag}{tail}" for (name, flag), value in zip(cells, values, strict=True)
                ]
                stream.write("".join(lines))


def _cells(names: tuple[str, ...], flags: tuple[bool, ...]) -> list[tuple[str, str]]:
    """What stands in front of each value and behind it."""
    return [
        (f"{cell(name)},", ",true," if canonical else ",false,") for name, canonical in zip(names, flags, strict=True)
    ]
