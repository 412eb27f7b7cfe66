# SPDX-License-Identifier: MIT
"""What a process writes to its pipes until it ends.

Not until the pipes are closed, as ``Popen.communicate`` waits: a child of the process that lives on, such as a daemon,
holds them open for as long as it likes.
"""

from __future__ import annotations

import contextlib
import os
import selectors
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator

_CHUNK = 1 << 16  # bytes
_FULL_PIPE = 1 << 20  # bytes that a pipe can hold (fs.pipe-max-size)
_LOOK_S = 0.05  # where the system has no descriptor for a process


def gather(child: subprocess.Popen[bytes]) -> tuple[bytes, bytes]:
    """Output and error output of a process, both pipes, until it has ended or closed them. Does not wait for its end.

    What the process has written itself is complete.

    Raises:
        ValueError: it has no pipes.
    """
    if child.stdout is None or child.stderr is None:
        message = "the process was not started with pipes"
        raise ValueError(message)
    found: dict[IO[bytes], bytearray] = {child.stdout: bytearray(), child.stderr: bytearray()}
    for pipe in found:
        os.set_blocking(pipe.fileno(), False)
    for pipe in _read_until_end(child, found):  # what it wrote last
        before = len(found[pipe])
        while len(found[pipe]) - before < _FULL_PIPE and _read(pipe, found[pipe], if_empty=False):
            pass
    for pipe in found:
        pipe.close()
    return bytes(found[child.stdout]), bytes(found[child.stderr])


def _read_until_end(child: subprocess.Popen[bytes], found: dict[IO[bytes], bytearray]) -> set[IO[bytes]]:
    """Read until the process has ended or closed its pipes. Returns those that are still open."""
    with selectors.DefaultSelector() as ready, _end_of(child) as end:
        for pipe in found:
            ready.register(pipe, selectors.EVENT_READ, pipe)
        if end is not None:
            ready.register(end, selectors.EVENT_READ, None)
        is_open = set(found)
        ended = False
        while is_open and not ended:
            for key, _ in ready.select(None if end is not None else _LOOK_S):
                if key.data is None:
                    ended = True
                elif not _read(key.data, found[key.data]):
                    ready.unregister(key.data)
                    is_open.discard(key.data)
            ended = ended or (end is None and child.poll() is not None)
    return is_open


def _read(pipe: IO[bytes], into: bytearray, *, if_empty: bool = True) -> bool:
    """Take what is there. False at the end of the pipe; `if_empty` when there is nothing."""
    try:
        chunk = os.read(pipe.fileno(), _CHUNK)
    except BlockingIOError:
        return if_empty
    into += chunk
    return bool(chunk)


@contextlib.contextmanager
def _end_of(child: subprocess.Popen[bytes]) -> Iterator[int | None]:
    """A descriptor that is ready when the process has ended; None where the system has none (Linux before 5.3)."""
    try:
        descriptor = os.pidfd_open(child.pid)
    except (OSError, AttributeError):
        yield None
        return
    try:
        yield descriptor
    finally:
        os.close(descriptor)
