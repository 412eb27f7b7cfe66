# SPDX-License-Identifier: MIT
"""A trace as a table of readings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from rocprofsys_multipass.errors import UsageError
from rocprofsys_multipass.trace.late import collector_paused
from rocprofsys_multipass.trace.model import Dispatch, Trace

if TYPE_CHECKING:
    import pandas as pd

COLUMNS: Final = (
    "process",
    "agent",
    "dispatch_id",
    "kernel",
    "pass",
    "group",
    "counter",
    "value",
    "canonical",
    "start",
    "end",
)
OF_DISPATCH: Final = ("dispatch_time", "time_of")  # the same in all rows of a dispatch


class Row(NamedTuple):
    """One reading with its identity; the order is that of COLUMNS, then of OF_DISPATCH. Times in ns."""

    process: int
    agent: int | None
    dispatch_id: int
    kernel: str
    pass_index: int | None
    group: int
    counter: str
    value: float
    canonical: bool
    start: int | None
    end: int | None
    dispatch_time: int | None
    time_of: str


def rows(trace: Trace) -> Iterator[Row]:
    """Every reading of the trace, in order of process, dispatch, pass and counter."""
    return rows_of(trace.dispatches())


def rows_of(dispatches: Iterable[Dispatch]) -> Iterator[Row]:
    """Every reading of the dispatches, each in order of pass and counter."""
    for d in dispatches:
        of_dispatch = (d.duration_ns, d.time_of)
        for p in d.passes:
            for r in sorted(p.readings, key=lambda reading: reading.counter):
                yield Row(
                    d.process,
                    d.agent.device,
                    d.dispatch_id,
                    d.kernel,
                    p.index,
                    p.group,
                    r.counter,
                    r.value,
                    r.canonical,
                    p.start_ns,
                    p.end_ns,
                    *of_dispatch,
                )


def to_pandas(trace: Trace) -> pd.DataFrame:
    """The table as a data frame; UsageError where pandas is not installed.

    Of processes whose dispatches nobody asked for, the readings are taken from the file without making dispatches.
    """
    try:
        import pandas as pd
    except ImportError as error:
        raise UsageError("to_pandas needs pandas: pip install '.[analysis]' here, or pip install pandas") from error
    from rocprofsys_multipass.trace.table import table_of  # numpy comes with pandas

    with collector_paused():
        return pd.DataFrame(table_of(trace), columns=[*COLUMNS, *OF_DISPATCH], copy=False)
