# SPDX-License-Identifier: MIT
"""Every reading of a file as a table, beside it or elsewhere (docs/formats/readings.md)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rocprofsys_multipass.config.values import TABLES
from rocprofsys_multipass.run.export import output_file
from rocprofsys_multipass.run.progress import progress_descriptor
from rocprofsys_multipass.run.table_progress import TableProgress
from rocprofsys_multipass.writing import writing, writing_bytes

if TYPE_CHECKING:
    from rocprofsys_multipass.trace.model import Process
    from rocprofsys_multipass.trace.stream import Stream


def write_tables(
    source: Path, formats: Sequence[str], folder: Path | None = None, warnings: list[str] | None = None
) -> list[Path]:
    """Write those of `formats` that are tables, of a journal, a trace or a database; an old file is replaced.

    A journal is passed over once per table and never held in memory. Without a table in `formats` nothing is loaded.
    `warnings` gets what is to be said of readings that are none, which the exporter says too, and of a source that has
    none since it was written without.

    Raises:
        UsageError: a table needs a package that is not there.
        TraceError: the source cannot be read.
        OutputError: a file cannot be written; the message has path and errno.
    """
    kinds = [kind for kind in TABLES if kind in formats]
    if not kinds:
        return []
    # Loaded when they are needed: the readers bring protobuf along.
    from rocprofsys_multipass.trace.stream import open_streams

    written = []
    with open_streams(source) as streams, progress_descriptor() as out:
        progress = TableProgress(out, sum(one.count for one in streams), tables=len(kinds))
        try:
            for kind in kinds:
                path = output_file(source, kind, folder)
                _write([_counted(one, path.name, progress) for one in streams], kind, path)
                written.append(path)
        finally:
            progress.clear()
        if warnings is not None:
            warnings += [f"{source.absolute()}: {text}" for one in streams for text in _without(one.process)]
    return written


def _without(process: Process) -> Iterator[str]:
    """What the tables lack of that process."""
    if any(agent.without_counters for agent in process.agents):
        yield "the trace has no counters (--trace-counters none), nor have its tables: export the journal"
    yield from process.left_out


def _counted(stream: Stream, name: str, progress: TableProgress) -> Stream:
    """The stream, which tells how far it is."""
    return replace(stream, dispatches=lambda: progress.over(name, stream.dispatches()))


def _write(streams: Sequence[Stream], kind: str, path: Path) -> None:
    from rocprofsys_multipass.trace.tables import write_json
    from rocprofsys_multipass.trace.tidy import write_csv
    from rocprofsys_multipass.trace.wide import write_wide

    if kind == "parquet":
        from rocprofsys_multipass.trace.parquet import load, write_parquet

        load()
        with writing_bytes(path) as file:
            write_parquet(((one.process, one.dispatches()) for one in streams), file)
        return
    with writing(path) as stream:
        if kind == "csv":
            write_csv(((one.process, one.dispatches()) for one in streams), stream)
        elif kind == "csv-wide":
            write_wide([(one.process, one.dispatches) for one in streams], stream)
        else:
            write_json(((one.process, one.dispatches(), {}) for one in streams), stream)
