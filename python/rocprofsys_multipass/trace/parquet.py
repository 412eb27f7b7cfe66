# SPDX-License-Identifier: MIT
"""The readings of dispatches as a Parquet file, with the columns of the CSV (docs/formats/readings.md).

pyarrow is needed. The same readings give the same bytes, with the same version of it.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from itertools import repeat
from typing import Any, BinaryIO, Final

from rocprofsys_multipass.errors import TraceError, UsageError
from rocprofsys_multipass.trace.model import Dispatch, Pass, Process
from rocprofsys_multipass.trace.tidy import CSV_COLUMNS, Layouts, of_dispatch

_Arrow = Any  # pyarrow ships no types
SCHEMA: Final = 1
ROWS: Final = 1 << 15  # of a row group, about: it ends with a dispatch, and one is in memory, with the foot of all
_WHOLE: Final = ("process", "agent", "pass", "group", "start", "end", "dispatch_time")
_IDS: Final = ("dispatch_id",)
_OF_READING: Final = ("counter", "value", "canonical")
_OF_EXECUTION: Final = tuple(name for name in CSV_COLUMNS if name not in _OF_READING)


def load() -> _Arrow:
    """The package with its writer. UsageError: it is not installed, or cannot be loaded."""
    try:
        import pyarrow as pa
        import pyarrow.parquet
    except ImportError as error:
        raise UsageError(
            f"parquet needs pyarrow, which cannot be loaded ({error}): pip install 'rocprofsys-multipass[analysis]', "
            "or ask for csv"
        ) from error
    return pa


class ParquetFile:
    """Collects readings and writes them a row group at a time; the last one and the foot when its block ends well."""

    def __init__(self, stream: BinaryIO) -> None:
        self._pa = load()
        self._schema = self._schema_of()
        self._writer = self._pa.parquet.ParquetWriter(stream, self._schema, compression="snappy")
        self._layouts = Layouts(self._codes)
        self._words: dict[str, dict[str, int]] = {}  # by column: text and position
        self._start()

    def _start(self) -> None:
        self._executions: list[tuple[object, ...]] = []
        self._of = array("i")  # of each reading: position of its execution
        self._counters, self._values, self._canonical = array("i"), array("d"), array("B")

    def add(self, process: Process, d: Dispatch) -> None:
        """The readings of a dispatch. TraceError: a number of it has more bits than the file's column."""
        if not any(p.readings for p in d.passes):
            return
        beside = of_dispatch(process, d)
        for p in d.passes:
            self._execution(d, p, beside)
        if len(self._values) >= ROWS:
            self._flush()

    def _execution(self, d: Dispatch, p: Pass, beside: tuple[object, ...]) -> None:
        (counters, canonical), values = self._layouts.of(p)
        self._of.extend(repeat(len(self._executions), len(values)))
        device = d.agent.device
        self._executions.append(
            (d.process, device, d.dispatch_id, d.kernel, p.index, p.group, p.start_ns, p.end_ns, *beside)
        )
        self._counters.extend(counters)
        self._values.extend(values)
        self._canonical.extend(canonical)

    def __enter__(self) -> ParquetFile:  # noqa: PYI034  Python 3.10 has no Self
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        try:
            if error is None:
                self._flush()
                self._writer.close()
        finally:
            self._writer.is_open = False  # else it writes a foot behind what has failed when it is collected

    def _codes(self, names: tuple[str, ...], flags: tuple[bool, ...]) -> tuple[array[int], array[int]]:
        return array("i", [self._word("counter", name) for name in names]), array("B", flags)

    def _word(self, column: str, text: str) -> int:
        known = self._words.setdefault(column, {})
        return known.setdefault(text, len(known))

    def _flush(self) -> None:
        if not self._values:
            return
        pa = self._pa
        of = pa.Array.from_buffers(pa.int32(), len(self._of), [None, pa.py_buffer(self._of)])
        columns = dict(zip(_OF_EXECUTION, zip(*self._executions, strict=True), strict=True))
        made = {name: self._column(name, values).take(of) for name, values in columns.items()}
        made |= {
            "counter": self._dictionary("counter", self._numbers(pa.int32(), self._counters)),
            "value": self._numbers(pa.float64(), self._values),
            "canonical": self._numbers(pa.uint8(), self._canonical).cast(pa.bool_()),
        }
        batch = pa.Table.from_arrays([made[name] for name in CSV_COLUMNS], schema=self._schema)
        self._writer.write_table(batch, row_group_size=len(batch))
        self._start()

    def _numbers(self, kind: _Arrow, values: array[Any]) -> _Arrow:
        return self._pa.Array.from_buffers(kind, len(values), [None, self._pa.py_buffer(values)])

    def _column(self, name: str, values: Sequence[Any]) -> _Arrow:
        pa = self._pa
        kind = self._schema.field(name).type
        if not pa.types.is_dictionary(kind):
            try:
                return pa.array(values, kind)
            except (OverflowError, pa.ArrowInvalid) as error:
                raise self._too_large(name, values) from error
        return self._dictionary(name, pa.array([self._word(name, text) if text else None for text in values], "int32"))

    def _dictionary(self, name: str, positions: _Arrow) -> _Arrow:
        return self._pa.DictionaryArray.from_arrays(
            positions, self._pa.array(list(self._words.get(name, ())), "string")
        )

    def _too_large(self, name: str, values: Sequence[Any]) -> TraceError:
        low, high = (0, 1 << 64) if name in _IDS else (-(1 << 63), 1 << 63)
        k = next(k for k, value in enumerate(values) if value is not None and not low <= value < high)
        pid, dispatch_id = (self._executions[k][_OF_EXECUTION.index(one)] for one in ("process", "dispatch_id"))
        return TraceError(
            f"process {pid}, dispatch {dispatch_id}: {name} is {values[k]}, which the column of a parquet file cannot "
            "hold; take it from the csv"
        )

    def _schema_of(self) -> _Arrow:
        pa = self._pa
        whole = dict.fromkeys(_WHOLE, pa.int64()) | dict.fromkeys(_IDS, pa.uint64())
        whole |= dict.fromkeys((name for name in CSV_COLUMNS if name.startswith(("grid_", "workgroup_"))), pa.int64())
        kinds = whole | {"value": pa.float64(), "canonical": pa.bool_()}
        text = pa.dictionary(pa.int32(), pa.string())
        told = {"rocprofsys_multipass.schema": str(SCHEMA)}
        return pa.schema([(name, kinds.get(name, text)) for name in CSV_COLUMNS], told)


def write_parquet(processes: Iterable[tuple[Process, Iterable[Dispatch]]], stream: BinaryIO) -> None:
    """A row per reading with the columns and the order of the CSV; what is unknown is null.

    UsageError: pyarrow is not there. TraceError: a number has more bits than its column.
    """
    with ParquetFile(stream) as file:
        for process, dispatches in processes:
            for d in dispatches:
                file.add(process, d)
