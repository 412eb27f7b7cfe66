# SPDX-License-Identifier: MIT
"""Databases in layout strict as the merges need them: with the readings of passes in them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from rocprofsys_multipass.converting import convert_database
from rocprofsys_multipass.errors import TraceError
from rocprofsys_multipass.trace.database import open_database
from rocprofsys_multipass.trace.sidecar import is_strict, sidecar_problem
from rocprofsys_multipass.writing import unwritable


@contextmanager
def in_canonical(path: Path, folder: Path) -> Iterator[Path]:
    """The database itself; of one in layout strict, a canonical copy in `folder`, which is removed at the end.

    Raises:
        TraceError: it is none, or its sidecar is missing.
        OutputError: the copy cannot be written.
    """
    with open_database(path) as db:
        strict, problem = is_strict(db), sidecar_problem(db)
    if problem:
        raise TraceError(f"{path}: {problem}; copy the sidecar of this run there")
    if not strict:
        yield path
        return
    try:
        work = TemporaryDirectory(prefix=".multipass-", dir=folder)
    except OSError as error:
        raise unwritable(folder, error) from error
    with work as copies:
        convert_database(path, "canonical", Path(copies))
        yield Path(copies) / f"{path.stem}.db"
