# SPDX-License-Identifier: MIT
"""What a command is, and what it may write to."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TextIO, cast

from rocprofsys_multipass.errors import missing
from rocprofsys_multipass.visible import VisibleConsole

if TYPE_CHECKING:
    import argparse

    from rich.console import Console

# Columns of a table that goes to a file or a pipe, where no terminal says how wide a line may be.
_PLAIN_WIDTH = 160
_BLANKS_AT_END = re.compile(r" +$", re.MULTILINE)


@dataclass(frozen=True)
class Streams:
    """Where a command writes: results to `out`, everything else to `err`."""

    out: TextIO
    err: TextIO


class Command(Protocol):
    """A command: an object that describes its options, and runs with their values.

    `run` returns the exit code; errors are exceptions (`errors.MultipassError`), which `main` reports.
    """

    name: str
    help: str

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of this command to its parser."""

    def run(self, args: argparse.Namespace, streams: Streams) -> int:
        """Do it."""


def refuse_missing(path: str) -> None:
    """See that there is something at a path of the command line; what it is, the readers tell.

    Raises:
        UsageError: there is nothing.
    """
    try:
        Path(path).stat()
    except (FileNotFoundError, NotADirectoryError) as error:
        raise missing(path) from error
    except OSError:
        return  # the readers say why it cannot be read


class _Trimmed(io.TextIOBase):
    """A stream to which lines are written whole, without the blanks that fill up the last column of a table."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__()
        self._stream = stream

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return getattr(self._stream, "encoding", None) or "utf-8"

    def write(self, text: str, /) -> int:
        self._stream.write(_BLANKS_AT_END.sub("", text))
        return len(text)

    def flush(self) -> None:
        self._stream.flush()


def console(stream: TextIO) -> Console:
    """A rich console on `stream`: colours on a terminal, elsewhere plain text without blanks at ends of lines."""
    if stream.isatty():
        return VisibleConsole(file=stream, highlight=False)
    plain = cast("TextIO", _Trimmed(stream))
    return VisibleConsole(file=plain, highlight=False, color_system=None, width=_PLAIN_WIDTH, soft_wrap=False)
