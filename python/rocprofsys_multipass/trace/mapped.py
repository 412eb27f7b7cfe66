# SPDX-License-Identifier: MIT
"""Files as bytes that are read when they are asked for and given back behind a walk, so that memory does not grow."""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from rocprofsys_multipass.trace.guard import naming
from rocprofsys_multipass.trace.wire import Bytes


@contextmanager
def mapped(path: Path) -> Iterator[Bytes]:
    """The bytes of a file. TraceError: it cannot be opened."""
    with ExitStack() as stack:
        with naming(path):
            file = stack.enter_context(path.open("rb"))
            # An empty file cannot be mapped.
            empty = not path.stat().st_size
            data = b"" if empty else stack.enter_context(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        yield data


def forget(data: Bytes, start: int, end: int) -> int:
    """Gives back the pages of a mapped file between two bytes; where the next call is to start."""
    if not isinstance(data, mmap.mmap):
        return end
    first = start - start % mmap.PAGESIZE
    last = end - end % mmap.PAGESIZE
    if last > first:
        data.madvise(mmap.MADV_DONTNEED, first, last - first)
    return last
