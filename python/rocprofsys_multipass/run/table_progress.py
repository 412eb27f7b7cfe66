# SPDX-License-Identifier: MIT
"""How far the writing of tables is, in the form in which the exporter shows its own (library/apps/export/progress.hpp).

Nothing in the first two seconds, then on a terminal one line that is rewritten, elsewhere a line every ten seconds. It
never waits for a reader and never fails: a line that cannot be written is left out.
"""

from __future__ import annotations

import contextlib
import os
import select
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeVar

_Item = TypeVar("_Item")
_SILENT: Final = 2.0  # seconds
_ON_TERMINAL: Final = 0.2
_ELSEWHERE: Final = 10.0
_BETWEEN: Final = 64  # dispatches between two looks at the clock
_PREFIX: Final = "rocprof-sys-multipass: "
_CLEAR_LINE: Final = "\r\x1b[K"
_USUAL_WIDTH: Final = 80
_MINUTE: Final = 60
_HOUR: Final = 3600


class TableProgress:
    """Of several tables, each of so many dispatches. `out` None: nobody is told."""

    def __init__(
        self, out: int | None, dispatches: int, now: Callable[[], float] = time.monotonic, *, tables: int = 1
    ) -> None:
        self._out, self._total, self._now = out, dispatches * tables, now
        self._what = f"{dispatches} dispatches" + (f" in {tables} tables" if tables > 1 else "")
        self._terminal = out is not None and os.isatty(out)
        self._start = now()
        self._shown: float | None = None
        self._done = 0
        self._line = False  # on the terminal now

    def over(self, name: str, dispatches: Iterable[_Item]) -> Iterator[_Item]:
        """The dispatches as they are, each counted; `name` is that of the table that they are written to."""
        for one in dispatches:
            yield one
            self._done += 1
            if self._done % _BETWEEN == 0 and self._out is not None and self._is_due():
                self._show(self._out, self._state(name))

    def clear(self) -> None:
        """Takes the line away, so that a message can stand in its place."""
        if self._line and self._out is not None:
            _write(self._out, _CLEAR_LINE)
        self._line = False

    def _is_due(self) -> bool:
        now = self._now()
        if now - self._start < _SILENT:
            return False
        return self._shown is None or now - self._shown >= (_ON_TERMINAL if self._terminal else _ELSEWHERE)

    def _state(self, name: str) -> str:
        self._shown = self._now()
        done = min(self._done, self._total)  # some tables take what they write twice
        left = (self._shown - self._start) * (self._total - done) / max(done, 1)
        percent = done * 100 // max(self._total, 1)
        return f"exporting {name}: {percent} % of {self._what} written, {time_text(round(left))} left"

    def _show(self, out: int, text: str) -> None:
        if not self._terminal:
            _write(out, f"{_PREFIX}{text}\n")
            return
        self._line = True
        _write(out, _CLEAR_LINE + text[: _width(out) - 1])  # a full line would be continued on the next


def time_text(seconds: int) -> str:
    """``12 s``, ``3 min 5 s``, ``2 h 4 min``."""
    if seconds < _MINUTE:
        return f"{seconds} s"
    if seconds < _HOUR:
        return f"{seconds // _MINUTE} min {seconds % _MINUTE} s"
    return f"{seconds // _HOUR} h {seconds % _HOUR // _MINUTE} min"


def _width(terminal: int) -> int:
    with contextlib.suppress(OSError):
        if (width := os.get_terminal_size(terminal).columns) > 1:
            return width
    return _USUAL_WIDTH


def _write(out: int, text: str) -> None:
    with contextlib.suppress(OSError, ValueError):
        ready = select.poll()
        ready.register(out, select.POLLOUT)
        if ready.poll(0):
            os.write(out, text.encode(errors="replace"))
