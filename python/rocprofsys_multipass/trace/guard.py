# SPDX-License-Identifier: MIT
"""Turns what a damaged file provokes into errors that name the file, and checks what a file says before it is used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from rocprofsys_multipass.errors import MultipassError, TraceError

AGAIN: Final = "the file is damaged: write it again with `rocprof-sys-multipass export` from the journal"
_SHOWN: Final = 40  # characters of a value in a message


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Every exception of a reader becomes a TraceError about `path`; errors of this package stay as they are.

    Readers check what they use and name the place. This is for damage that no such check has foreseen.
    """
    try:
        yield
    except MultipassError:
        raise
    except OSError as error:
        raise TraceError(f"{path}: {error.strerror or error}; check the path and its permissions") from error
    except Exception as error:
        raise TraceError(f"{path}: {type(error).__name__}: {error}; {AGAIN}") from error


def shown(value: object) -> str:
    """The value as a message shows it, cut where it is long."""
    text = repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


class Facts:
    """Named values of which a file says what they are, asked for with the type that they must have.

    `where` names file and place, as a text or when it is made one. TraceError: a value is there and has another type.
    """

    def __init__(self, values: Mapping[str, Any], where: object) -> None:
        self._values = values
        self._where = where

    def _wrong(self, name: str, kind: str) -> TraceError:
        return TraceError(f"{self._where}: {name} is {shown(self._values[name])}, not {kind}; {AGAIN}")

    def whole(self, name: str) -> int | None:
        """A whole number; None where it is absent or null."""
        value = self._values.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int):
            raise self._wrong(name, "a whole number")
        return value

    def count(self, name: str, default: int = 0) -> int:
        """A whole number from 0 on."""
        value = self.whole(name)
        if value is None:
            return default
        if value < 0:
            raise self._wrong(name, "a number from 0 on")
        return value

    def flag(self, name: str) -> bool | None:
        """True or false; None where it is absent or null."""
        value = self._values.get(name)
        if value is None or isinstance(value, bool):
            return value
        raise self._wrong(name, "true or false")

    def text(self, name: str) -> str:
        """A text; empty where it is absent or null."""
        value = self._values.get(name)
        if value is None:
            return ""
        if not isinstance(value, str):
            raise self._wrong(name, "a text")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts; empty where it is absent or null."""
        value = self._values.get(name)
        if value is None:
            return ()
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise self._wrong(name, "a list of texts")
        return tuple(value)

    def pair(self, name: str) -> tuple[int, int] | None:
        """Two whole numbers; None where it is absent or null."""
        value = self._values.get(name)
        if value is None:
            return None
        whole = isinstance(value, list) and all(isinstance(n, int) and not isinstance(n, bool) for n in value)
        if not whole or len(value) != len(("start", "end")):
            raise self._wrong(name, "a list of two whole numbers")
        return value[0], value[1]
