# SPDX-License-Identifier: MIT
"""Every reading of a file as CSV or JSON, beside it or elsewhere (docs/formats/readings.md)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from rocprofsys_multipass.config.values import TABLES
from rocprofsys_multipass.run.export import output_file
from rocprofsys_multipass.writing import writing


def write_tables(source: Path, formats: Sequence[str], folder: Path | None = None) -> list[Path]:
    """Write those of `formats` that are tables, of a journal, a trace or a database; an old file is replaced.

    A journal is passed over once per table and never held in memory. Without a table in `formats` nothing is loaded.

    Raises:
        TraceError: the source cannot be read.
        OutputError: a file cannot be written; the message has path and errno.
    """
    written = []
    for kind in TABLES:
        if kind in formats:
            path = output_file(source, kind, folder)
            with writing(path) as stream:
                _write(source, kind, stream)
            written.append(path)
    return written


def _write(source: Path, kind: str, stream: TextIO) -> None:
    # Loaded when they are needed: the readers bring protobuf along.
    from rocprofsys_multipass.trace.stream import open_streams
    from rocprofsys_multipass.trace.tables import write_json
    from rocprofsys_multipass.trace.tidy import write_csv

    with open_streams(source) as streams:
        if kind == "csv":
            write_csv(((one.process, one.dispatches()) for one in streams), stream)
        else:
            write_json(((one.process, one.dispatches(), {}) for one in streams), stream)
