# SPDX-License-Identifier: MIT
"""Files that have their name only when they are whole.

A file is written as ``<name>.tmp-<pid>`` beside its place, as the exporter does, and renamed. What fails leaves
neither a half file nor a changed one.
"""

from __future__ import annotations

import contextlib
import errno
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TextIO, TypeVar

from rocprofsys_multipass.errors import OutputError

_Stream = TypeVar("_Stream", TextIO, BinaryIO)

_FIXES = {
    errno.ENOSPC: "make room there, or choose another place",
    errno.EDQUOT: "make room there, or choose another place",
    errno.EACCES: "see that you may write there, or choose another place",
    errno.EPERM: "see that you may write there, or choose another place",
    errno.EROFS: "see that you may write there, or choose another place",
    errno.ENOENT: "make the folder first",
    errno.ENOTDIR: "name a file in a folder",
    errno.EISDIR: "name a file, this is a folder",
}


def scratch_prefix(name: str) -> str:
    """How the name begins that a folder `name` has until it is whole: ``.<name>.tmp-<pid>-<host>-``."""
    return f".{name}.tmp-{os.getpid()}-{_host()}-"


def is_orphan(name: str) -> bool:
    """Whether a folder with such a name is of a process that is gone. Of another host that is not known."""
    process, _, host = name.partition(".tmp-")[2].rpartition("-")[0].partition("-")
    return process.isdigit() and host == _host() and not Path("/proc", process).exists()


def _host() -> str:
    return socket.gethostname().replace("/", "_")


def refuse_existing(path: Path, how: str) -> None:
    """OutputError where there is something of that name; `how` says how to have it replaced."""
    if path.exists() or path.is_symlink():
        raise OutputError(f"{path} is there already and was not replaced: {how}")


@contextmanager
def writing(path: Path) -> Iterator[TextIO]:
    """A stream for the new content of a file, in UTF-8, lines ending as written. An old file is replaced at the end.

    What is no regular file (a pipe, /dev/stdout) is written as it is. A link stays one.

    Raises:
        OutputError: it cannot be written; the message has path and errno. Then an old file is as it was. Exceptions of
            the block pass through, with the same effect.
    """
    try:
        with replacing(path) as stream:
            yield stream
    except OSError as error:
        raise unwritable(path, error) from error


@contextmanager
def writing_bytes(path: Path) -> Iterator[BinaryIO]:
    """As `writing`, a stream for bytes."""
    try:
        with _replacing(path, _opened_for_bytes) as stream:
            yield stream
    except OSError as error:
        raise unwritable(path, error) from error


@contextmanager
def replacing(path: Path) -> Iterator[TextIO]:
    """As `writing`, for callers with words of their own: what goes wrong is the OSError itself."""
    with _replacing(path, _opened) as stream:
        yield stream


@contextmanager
def _replacing(path: Path, opened: Callable[[Path], _Stream]) -> Iterator[_Stream]:
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file() and not target.is_dir():
        with opened(target) as stream:
            yield stream
        return
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    temporary = target.with_name(f"{target.name}.tmp-{os.getpid()}")
    try:
        with opened(temporary) as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """The name under which a file is built by other means than a text stream; at the end it gets its own.

    Raises:
        OutputError: as `writing`.
    """
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f"{target.name}.tmp-{os.getpid()}")
    try:
        if target.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        yield temporary
        with temporary.open("rb") as built:
            os.fsync(built.fileno())
        temporary.replace(target)
    except OSError as error:
        raise unwritable(path, error) from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


def make_folder(path: Path) -> None:
    """Make the folder, and those above it, where they are not there. OutputError: it cannot be made."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(path, error) from error


def unwritable(path: Path, error: OSError) -> OutputError:
    """The error for a file that could not be written, with errno and what to do."""
    number = error.errno or 0
    name = errno.errorcode.get(number, str(number))
    fix = _FIXES.get(number, "choose another place")
    return OutputError(f"{path} could not be written: {error.strerror or error} ({name}, errno {number}); {fix}")


def _opened(path: Path) -> TextIO:
    # Names in a trace are text, but a command line may hold any bytes.
    return path.open("w", encoding="utf-8", errors="backslashreplace", newline="")


def _opened_for_bytes(path: Path) -> BinaryIO:
    return path.open("wb")
