# SPDX-License-Identifier: MIT
"""What is read of a file when it is asked for, not when the file is opened."""

from __future__ import annotations

import gc
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar, cast, overload

from rocprofsys_multipass.errors import TraceError

if TYPE_CHECKING:
    from rocprofsys_multipass.trace.columns import Columns
    from rocprofsys_multipass.trace.model import Dispatch

T = TypeVar("T")


@contextmanager
def collector_paused() -> Iterator[None]:
    """Keeps Python from searching for reference cycles: a trace is many small objects and has none.

    Reading takes about two thirds of the time so. Of the whole process; as it was afterwards, but for what was made
    meanwhile: it counts as old, for a search of all that is young would begin at once otherwise.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            if not gc.get_freeze_count():  # of the process's own
                gc.freeze()
                gc.unfreeze()
            gc.enable()


class Late(Generic[T]):
    """A field of a dataclass that may be given as a function, which is called once, when the field is first read.

    With several threads it may be called by more than one of them. What it raises is raised at every attempt.
    """

    def __init__(self, *default: T) -> None:
        self._default = default

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> T: ...
    @overload
    def __get__(self, instance: object, owner: type) -> T: ...
    def __get__(self, instance: object | None, owner: type) -> T:
        if instance is None:  # dataclass asks for the default
            if self._default:
                return self._default[0]
            raise AttributeError(self._name)
        value = vars(instance)[self._name]
        if callable(value):
            with collector_paused():
                value = vars(instance)[self._name] = value()
        return cast("T", value)

    def __set__(self, instance: object, value: T | Callable[[], T]) -> None:
        vars(instance)[self._name] = value


class Rows(ABC):
    """The dispatches of one process in a file that was opened. TraceError: the file is damaged, or changed since."""

    @abstractmethod
    def __call__(self) -> tuple[Dispatch, ...]:
        """Every dispatch, in order of its id."""

    @abstractmethod
    def columns(self) -> Columns | None:
        """The readings without an object for each; None: they are only to be had from the dispatches."""


class Unchanged:
    """Tells whether a file is still the one that was opened."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._then = self._now()

    def _now(self) -> tuple[int, ...]:
        found = self._path.stat()
        return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns

    def check(self) -> None:
        """TraceError: it was written to, replaced or removed."""
        try:
            now = self._now()
        except OSError as error:
            raise TraceError(f"{self._path}: {error.strerror}; it was there when it was opened") from error
        if now != self._then:
            raise TraceError(f"{self._path}: it changed after it was opened; open it again")
