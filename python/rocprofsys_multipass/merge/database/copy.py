# SPDX-License-Identifier: MIT
"""The copy of a database of rocprof-sys that a merge works on; the file itself is only read.

The copy is made beside the target, so that it can be renamed, and opened without locks and without a journal: nobody
else knows it, locks fail on some network file systems, and after a failure it is removed.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import quote

from rocprofsys_multipass.errors import OutputError, TraceError
from rocprofsys_multipass.trace.database import MAGIC
from rocprofsys_multipass.writing import whole_file

_HEADER: Final = 100  # bytes; sqlite.org/fileformat.html
_UNFINISHED: Final = ("-wal", "-journal")  # what SQLite has beside a file that was not closed
_UNWRITABLE: Final = ("disk is full", "disk I/O error", "unable to open", "readonly")  # in messages of SQLite
CACHE_KIB: Final = 64 * 1024


def uri_of(path: Path, options: str) -> str:
    """A name by which SQLite opens the file with these options."""
    return f"file:{quote(os.fsencode(path.absolute()))}?{options}"


def check_database(path: Path) -> None:
    """TraceError: the file is empty, cut or no SQLite file; it says what may have happened."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            header = file.read(_HEADER)
    except OSError as error:
        raise TraceError(f"{path}: {error.strerror}; check the path and its permissions") from error
    if not size:
        raise TraceError(
            f"{path}: 0 bytes: rocprof-sys writes its database when the program ends, and this one was ended before; "
            "run it again"
        )
    if len(header) < _HEADER or not header.startswith(MAGIC):
        raise TraceError(f"{path}: no SQLite database ({size} bytes, starts with {header[:16]!r}); give a rocpd .db")
    page = int.from_bytes(header[16:18], "big")
    pages = int.from_bytes(header[28:32], "big")
    counted = header[24:28] == header[92:96]  # else the number of pages is of an older version of SQLite
    wanted = (65536 if page == 1 else page) * pages
    if counted and size < wanted and not _beside(path):
        raise TraceError(f"{path}: {size} bytes of {wanted}: it was cut; copy it again, or run the program again")


def _beside(path: Path) -> list[str]:
    """Endings of the files that hold what is not in the database yet."""
    found = []
    for ending in _UNFINISHED:
        with contextlib.suppress(OSError):
            if path.with_name(path.name + ending).stat().st_size:
                found.append(ending)
    return found


@contextmanager
def copied(host: Path, target: Path, *others: Path) -> Iterator[sqlite3.Connection]:
    """A connection to a copy of `host`, which is `target` when the block ends, and nothing when it fails.

    `others`: what else the block reads, and must not be replaced.

    Raises:
        TraceError: `host` is damaged. OutputError: the copy cannot be written; it has path and reason.
    """
    check_database(host)
    inputs = [one for one in (host, *others) if one.exists()]
    if target.exists() and (not target.is_file() or any(map(target.samefile, inputs))):
        raise OutputError(f"{target} is one of the inputs, or no file; name another one, a merge makes a new file")
    with whole_file(target) as copy:
        try:
            _copy(host, copy)
            with closing(sqlite3.connect(uri_of(copy, "nolock=1"), uri=True, isolation_level=None)) as connection:
                connection.executescript(
                    "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; "
                    f"PRAGMA foreign_keys = OFF; PRAGMA temp_store = FILE; PRAGMA cache_size = -{CACHE_KIB};"
                )
                yield connection
        except (sqlite3.Error, UnicodeDecodeError) as error:  # the latter where a message has bytes of a damaged file
            raise _failed(error, inputs, target) from error
        finally:
            for ending in ("-shm", *_UNFINISHED):
                with contextlib.suppress(OSError):
                    copy.with_name(copy.name + ending).unlink()


def _copy(host: Path, copy: Path) -> None:
    """The whole database, also what is still in the files beside it."""
    shutil.copyfile(host, copy)
    endings = _beside(host)
    for ending in endings:
        shutil.copyfile(host.with_name(host.name + ending), copy.with_name(copy.name + ending))
    if endings or _keeps_a_log(host):
        # Alone with the file a log needs no memory that is shared; `nolock` allows no log at all.
        with closing(sqlite3.connect(uri_of(copy, "vfs=unix-none"), uri=True)) as connection:
            connection.executescript("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE;")
            connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchall()


def _keeps_a_log(path: Path) -> bool:
    """Whether the file says that it is in WAL mode."""
    with path.open("rb") as file:
        return b"\x02" in file.read(_HEADER)[18:20]


def _failed(error: Exception, inputs: Sequence[Path], target: Path) -> OutputError | TraceError:
    full = "full" in str(error)  # it can be nothing else; the files may be large
    damaged = None if full else next((path for path in inputs if not _is_sound(path)), None)
    if damaged is None and any(text in str(error) for text in _UNWRITABLE):
        fix = "make room there and in the folder for temporary files (TMPDIR), or choose another place"
        return OutputError(f"{target} could not be written: {error}; {fix}")
    return TraceError(
        f"{damaged or inputs[0]}: {error}; it is damaged or of a schema that this package does not know "
        "(`sqlite3 FILE 'PRAGMA integrity_check'` says which)"
    )


def _is_sound(path: Path) -> bool:
    """Whether SQLite finds nothing wrong with a file, as far as it can be read without what is beside it."""
    try:
        with closing(sqlite3.connect(uri_of(path, "mode=ro&immutable=1"), uri=True)) as connection:
            return bool(connection.execute("PRAGMA quick_check(1)").fetchone() == ("ok",))
    except (sqlite3.Error, UnicodeDecodeError):
        return False
