# SPDX-License-Identifier: MIT
"""The columns of a data frame with a row per reading."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from rocprofsys_multipass.trace.columns import ABSENT, Columns, Whole, Words, columns_of, joined
from rocprofsys_multipass.trace.model import Process, Trace


def table_of(trace: Trace) -> dict[str, Any]:
    """The columns that `Trace.to_pandas` describes, by name."""
    parts = [_columns_of(process) for process in trace.processes] or [columns_of(())]
    executions = [part.execution for part in parts]
    dispatches = [part.dispatch[rows] for part, rows in zip(parts, executions, strict=True)]
    times = [part.times() for part in parts]

    def whole(columns: Iterable[Whole], rows: Iterable[Whole]) -> Whole:
        return np.concatenate([column[at] for column, at in zip(columns, rows, strict=True)])

    def words(columns: Iterable[Words], rows: Iterable[Whole]) -> pd.api.extensions.ExtensionArray:
        return _text(joined([column[at] for column, at in zip(columns, rows, strict=True)]))

    return {
        "process": whole((part.process for part in parts), dispatches),
        "agent": _nullable(whole((part.device for part in parts), dispatches)),
        "dispatch_id": whole((part.dispatch_id for part in parts), dispatches),
        "kernel": words((part.kernel for part in parts), dispatches),
        "pass": _nullable(whole((part.index for part in parts), executions)),
        "group": whole((part.group for part in parts), executions),
        "counter": _text(joined([part.counter for part in parts])),
        "value": np.concatenate([part.value for part in parts]),
        "canonical": np.concatenate([part.canonical for part in parts]),
        "start": _nullable(whole((part.start_ns for part in parts), executions)),
        "end": _nullable(whole((part.end_ns for part in parts), executions)),
        "dispatch_time": _nullable(whole((time for time, _ in times), dispatches)),
        "time_of": words((whose for _, whose in times), dispatches),
    }


def _columns_of(process: Process) -> Columns:
    rows = process.unread_rows
    found = rows.columns() if rows is not None else None
    return columns_of(process.dispatches) if found is None else found


def _nullable(numbers: Whole) -> pd.arrays.IntegerArray:
    """Whole numbers, of which some are absent."""
    absent = numbers == ABSENT
    if absent.any():
        numbers[absent] = 0
    return pd.arrays.IntegerArray(numbers, absent)


def _text(column: Words) -> pd.api.extensions.ExtensionArray:
    """Texts of the type that pandas has for them: `str`, which before 3.0 is object."""
    return pd.Series(column.words, dtype="str").array.take(column.at)
