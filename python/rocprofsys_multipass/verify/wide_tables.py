# SPDX-License-Identifier: MIT
"""Compares a table of a line per dispatch with the files of a run, without the code that writes it.

docs/formats/readings.md describes its columns. It does not tell which file it was made of, and not every file knows
every column: what one does not tell is empty in its table, or in that of another file what another file tells.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from rocprofsys_multipass.trace.model import Dispatch, Process
from rocprofsys_multipass.verify.evidence import without_counters
from rocprofsys_multipass.verify.wording import ABSENT, unlike

_LDS_BLOCK: Final = 512  # bytes
_KEY: Final = ("Process_Id", "Dispatch_Id")
_NEEDED: Final = (*_KEY, "Kernel_Name", "Outcome")

_Rows = Mapping[tuple[int, int], list[dict[str, str]]]  # by pid and dispatch
_Right = tuple[str, Mapping[tuple[int, int], list[Dispatch]]]  # a file of the run, as it is called


def differences(path: Path, sources: Sequence[Sequence[Process]]) -> Iterator[tuple[str, str]]:
    """Place and difference from the file that knows most, where the table is that of none.

    OSError, ValueError, csv.Error: it is no such table.
    """
    found, columns = _read(path)
    first: list[tuple[str, str]] = []
    files = [_by_dispatch(source) for source in sources]
    for source, file in zip(sources, files, strict=True):
        told = list(_unlike(found, columns, file, files))
        if not told:
            return
        first = first or ([] if without_counters(source) else told)
    yield from first


def _read(path: Path) -> tuple[_Rows, frozenset[str]]:
    rows: dict[tuple[int, int], list[dict[str, str]]] = defaultdict(list)
    with path.open(encoding="utf-8", newline="") as stream:
        reader = csv.DictReader(stream, strict=True)
        columns = list(reader.fieldnames or ())
        if missing := [name for name in _NEEDED if name not in columns]:
            raise ValueError(f"there is no column {missing[0]}")
        if len(set(columns)) != len(columns):
            raise ValueError("two columns have the same name")
        for row in reader:
            if None in row or None in row.values():
                raise ValueError(f"line {reader.line_num} has another number of cells than the first")
            rows[int(row[_KEY[0]]), int(row[_KEY[1]])].append(row)
    return rows, frozenset(columns)


def _by_dispatch(source: Sequence[Process]) -> _Right:
    right: dict[tuple[int, int], list[Dispatch]] = defaultdict(list)
    for process in source:
        for d in process.dispatches:
            right[d.process, d.dispatch_id].append(d)
    return f"the {source[0].kind}", right


def _unlike(found: _Rows, columns: frozenset[str], file: _Right, files: Sequence[_Right]) -> Iterator[tuple[str, str]]:
    name, right = file
    for key in sorted(found.keys() | right.keys()):
        rows, dispatches = found.get(key, []), right.get(key, [])
        where = f"dispatch {key[1]}"
        if len(rows) != len(dispatches):
            yield where, f"it has {len(rows)} lines, and is in {name} {len(dispatches)} times"
            continue
        for at, (row, d) in enumerate(zip(rows, dispatches, strict=True)):
            others = [(other, of[key][at]) for other, of in files if len(of.get(key, ())) == len(rows)]
            for column, value in _described(d).items():
                told, by = (value, name) if value is not None else _elsewhere(column, others)
                untold = ("", f"GPU {d.agent.device}") if value is None else ()
                if told is not None and column in columns and row[column] not in (str(told), *untold):
                    yield f"{where}, {column}", unlike("it", row[column], str(told), by)
            yield from ((f"{where}, {counter}", text) for counter, text in _values(row, d, name))


def _elsewhere(column: str, others: Sequence[tuple[str, Dispatch]]) -> tuple[object, str]:
    """What the first file that tells it has in a column, and how that file is called."""
    return next(((told, name) for name, d in others if (told := _described(d)[column]) is not None), (None, ""))


def _values(row: Mapping[str, str], d: Dispatch, name: str) -> Iterator[tuple[str, str]]:
    fixed = _described(d)
    expected: dict[str, float] = {}
    for counter, value in d.counters.items():
        column = counter
        while column in fixed or (column != counter and column in d.counters):  # another counter is called so
            column += " (counter)"
        expected[column] = value
    there = {column: float(text) for column, text in row.items() if column not in fixed and text}
    for column in sorted(there.keys() | expected.keys()):
        ours, theirs = there.get(column, ABSENT), expected.get(column, ABSENT)
        if ours != theirs:
            yield column, unlike("it", ours, theirs, name)


def _described(d: Dispatch) -> dict[str, object]:
    """By column; None: the file that the dispatch was read from does not tell."""
    kernel, logical, lds = d.symbol, d.agent.logical_node_id, d.symbol.group_segment_size
    return {
        "Correlation_Id": d.correlation_id,
        "Dispatch_Id": d.dispatch_id,
        "Agent_Id": None if logical is None else f"Agent {logical}",
        "Queue_Id": d.queue_id,
        "Process_Id": d.process,
        "Thread_Id": d.thread_id,
        "Grid_Size": _product(d.grid),
        "Kernel_Id": kernel.id,
        "Kernel_Name": d.kernel,
        "Workgroup_Size": _product(d.workgroup),
        "LDS_Block_Size": None if lds is None else (lds + _LDS_BLOCK - 1) // _LDS_BLOCK * _LDS_BLOCK,
        "Scratch_Size": d.private_segment_size,
        "VGPR_Count": kernel.arch_vgpr_count,
        "Accum_VGPR_Count": kernel.accum_vgpr_count,
        "SGPR_Count": kernel.sgpr_count,
        "Start_Timestamp": d.start_ns,
        "End_Timestamp": d.end_ns,
        "Outcome": d.outcome,
        "Reason": d.reason,
        "Passes": len(d.passes),
    }


def _product(size: tuple[int, int, int] | None) -> int | None:
    return None if size is None else size[0] * size[1] * size[2]
