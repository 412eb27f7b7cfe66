# SPDX-License-Identifier: MIT
"""The streams that the command writes to, which may be closed, full, or without a reader.

A result that cannot be written is an error of its own. Messages that cannot be written are lost, and nothing else: the
exit code of the application must reach the caller.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
from typing import TYPE_CHECKING, TextIO, TypeAlias, cast

from rocprofsys_multipass.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_Failure: TypeAlias = "OSError | ValueError | None"  # None: the stream was closed before we started
_STANDARD = range(3)  # stdin, stdout, stderr


class StreamError(OutputError):
    """A result cannot be written to its stream. `nobody_reads`: the reader has gone, which is no reason to complain."""

    def __init__(self, error: _Failure) -> None:
        reason = "it is closed" if error is None or isinstance(error, ValueError) else error.strerror or str(error)
        super().__init__(f"the result cannot be written to stdout: {reason}; send it to a file or a pipe that takes it")
        self.nobody_reads = isinstance(error, OSError) and error.errno == errno.EPIPE


class _Stream(io.TextIOBase):
    """A stream of Python, or None where it was closed. What its encoding lacks is written with backslashes."""

    def __init__(self, stream: TextIO | None, fail: Callable[[_Failure], None]) -> None:
        super().__init__()
        self._stream = stream
        self._fail = fail

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """That of the stream below."""
        return getattr(self._stream, "encoding", None) or "utf-8"

    def isatty(self) -> bool:
        return self._stream is not None and not self._stream.closed and self._stream.isatty()

    def writable(self) -> bool:
        return True

    def write(self, text: str, /) -> int:
        printable = text.encode(self.encoding, "backslashreplace").decode(self.encoding)
        try:
            if self._stream is None:
                self._fail(None)
            else:
                self._stream.write(printable)
        except (OSError, ValueError) as error:  # ValueError: closed in Python
            self._fail(error)
        return len(text)

    def writelines(self, lines: Iterable[str], /) -> None:  # type: ignore[override]
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        try:
            if self._stream is not None and not self._stream.closed:
                self._stream.flush()
        except OSError as error:
            self._fail(error)

    def give_up(self) -> None:
        """Drop what could not be written: Python tries again when it ends, and would change the exit code."""
        if self._stream is None or self._stream.closed:
            return
        try:
            self._stream.flush()
        except OSError:
            with contextlib.suppress(OSError, ValueError):
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, self._stream.fileno())
                os.close(nowhere)
                self._stream.flush()


def _raise(error: _Failure) -> None:
    raise StreamError(error) from error


def _forget(_error: _Failure) -> None:
    """Nobody can be told."""


def results(stream: TextIO | None) -> TextIO:
    """Where results go; a write raises StreamError where it fails."""
    return cast("TextIO", _Stream(stream, _raise))


def messages(stream: TextIO | None) -> TextIO:
    """Where everything else goes; no write fails."""
    return cast("TextIO", _Stream(stream, _forget))


def give_up(stream: TextIO) -> None:
    """At the end: see that nothing which could not be written is tried again."""
    if isinstance(stream, _Stream):
        stream.give_up()


def reserve_standard_descriptors() -> None:
    """Keep files that are opened from the numbers of standard streams that are closed.

    What takes their place is closed in programs that are started, so that these find the streams as they were.
    """
    for number in _STANDARD:
        if not _is_open(number):
            os.open(os.devnull, os.O_RDWR)  # the lowest free number is this one


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True
