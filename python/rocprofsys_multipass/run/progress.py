# SPDX-License-Identifier: MIT
"""Where the progress of exports is shown: on the stderr of a command, and nowhere when Python code asks for them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TextIO

_SHOWN: ContextVar[TextIO | None] = ContextVar("_SHOWN", default=None)


@contextmanager
def progress_on(stream: TextIO | None) -> Iterator[None]:
    """Exports within this block show their progress on the stream; None: they show none."""
    before = _SHOWN.set(stream)
    try:
        yield
    finally:
        _SHOWN.reset(before)


@contextmanager
def progress_descriptor() -> Iterator[int | None]:
    """A descriptor for a child to show its progress on; None where nobody is to see it, or the stream has none."""
    stream = _SHOWN.get()
    try:
        shown = None if stream is None else os.dup(stream.fileno())  # not 2, which a child may have replaced
    except (OSError, ValueError):
        shown = None
    try:
        yield shown
    finally:
        if shown is not None:
            os.close(shown)
