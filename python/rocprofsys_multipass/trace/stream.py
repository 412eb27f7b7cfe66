# SPDX-License-Identifier: MIT
"""The dispatches of a file one after another, for what passes over them once and should not hold all of them.

Of a journal only its descriptions and an index are in memory (a million dispatches: about 0.1 GB in place of several).
The other kinds of files are read whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from rocprofsys_multipass.trace.journal import scan
from rocprofsys_multipass.trace.journal_frames import Content
from rocprofsys_multipass.trace.mapped import mapped
from rocprofsys_multipass.trace.model import Dispatch, Process
from rocprofsys_multipass.trace.open import kind_of, read_file


@dataclass(frozen=True)
class Stream:
    """One process of a file. `process` has no dispatches: there are `count`, given by `dispatches()` in order of id."""

    process: Process
    count: int
    dispatches: Callable[[], Iterator[Dispatch]]


@contextmanager
def open_streams(path: Path) -> Iterator[list[Stream]]:
    """The processes in one file, which stays open for the block.

    TraceError: the file cannot be read; it comes from `dispatches()` too.
    """
    if kind_of(path) != "journal":
        yield [
            Stream(replace(p, dispatches=()), len(p.dispatches), lambda p=p: iter(p.dispatches))  # type: ignore[misc]
            for p in read_file(path)
        ]
        return
    with mapped(path) as data:
        yield [_of_journal(path, data)]


def _of_journal(path: Path, data: Content) -> Stream:
    process, rows = scan(data, path)
    return Stream(process, len(rows), rows.dispatches)
