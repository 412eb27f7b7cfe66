# SPDX-License-Identifier: MIT
"""The dispatches of a database, which is opened again when they are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Protocol

from rocprofsys_multipass.trace.database import Database, Key, open_database
from rocprofsys_multipass.trace.guard import naming
from rocprofsys_multipass.trace.late import Rows, Unchanged
from rocprofsys_multipass.trace.model import Dispatch

if TYPE_CHECKING:
    from rocprofsys_multipass.trace.columns import Columns


class Reader(Protocol):
    """What reads the rows of a database whose agents, kernels and counters it has read."""

    def read(self, db: Database) -> Mapping[Key, list[Dispatch]]:
        """The dispatches by the row of their process."""

    def columns(self, db: Database, process: Key) -> Columns | None:
        """The readings of one process column by column; None: its dispatches tell."""

    def notes(self, guid: str) -> tuple[str, ...]:
        """What was noted when the dispatches were read."""


class RowsOfFile:
    """The rows of all processes in one file. Threads may ask for them: one after the other is served."""

    def __init__(self, path: Path, reader: Reader) -> None:
        self._path = path
        self._reader = reader
        self._file = Unchanged(path)
        self._one_at_a_time = RLock()  # the reader has one database, which is of one thread

    @contextmanager
    def opened(self) -> Iterator[Database]:
        """The file; TraceError where it is no longer what it was."""
        with self._one_at_a_time, naming(self._path):
            self._file.check()
            with open_database(self._path) as db:
                yield db

    @cached_property
    def dispatches(self) -> Mapping[Key, list[Dispatch]]:
        """By the row of their process."""
        with self.opened() as db:
            return self._reader.read(db)

    def columns(self, process: Key) -> Columns | None:
        """The readings of one process column by column; None: its dispatches tell."""
        with self.opened() as db:
            return self._reader.columns(db, process)

    def notes(self, guid: str) -> tuple[str, ...]:
        """What was noted, for which the dispatches are read."""
        self.dispatches  # noqa: B018  reads them
        return self._reader.notes(guid)

    def rows(self, process: Key) -> Rows:
        """Those of one process."""
        return _RowsOfProcess(self, process)


class _RowsOfProcess(Rows):
    def __init__(self, file: RowsOfFile, process: Key) -> None:
        self._file = file
        self._process = process

    def __call__(self) -> tuple[Dispatch, ...]:
        found = self._file.dispatches.get(self._process, ())
        return tuple(sorted(found, key=lambda d: d.dispatch_id))

    def columns(self) -> Columns | None:
        return self._file.columns(self._process)
