# SPDX-License-Identifier: MIT
"""The hand-over file of a running wrapper.

The wrapper holds a lock (flock) on it as long as it runs. That tells whether a folder is in use, where a process number
does not: numbers come again, in containers soon, and on a shared file system they are those of several hosts. The lock
goes with the wrapper, however that ends. Where the file system has no locks, no folder counts as in use.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from pathlib import Path

_SUFFIX = ".config.json"
_MODE = 0o666  # less the umask, as any new file


class Handover:
    """A file with the settings of one run, locked until `release`. The application inherits nothing of it."""

    def __init__(self, path: Path, content: bytes, file: int) -> None:
        self.path = path
        self._content = content
        self._file = file

    @classmethod
    def create(cls, folder: Path, content: bytes) -> Handover:
        """Write ``run-<pid>.config.json``, or ``run-<pid>-<n>.config.json`` where another host's wrapper has that.

        Raises:
            OSError: it cannot be written; then nothing is left of it.
        """
        path, file = _claim(folder)
        try:
            with contextlib.suppress(OSError):  # no locks here
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            rest = memoryview(content)
            while rest:
                rest = rest[os.write(file, rest) :]
        except BaseException:
            os.close(file)
            with contextlib.suppress(OSError):
                path.unlink()
            raise
        return cls(path, content, file)

    @property
    def stem(self) -> str:
        """``run-<pid>`` or ``run-<pid>-<n>``: begins the names of all files that this run's wrapper alone writes."""
        return self.path.name.removesuffix(_SUFFIX)

    def is_intact(self) -> bool:
        """Whether the file is still there, as it was written."""
        try:
            return self.path.read_bytes() == self._content
        except OSError:
            return False

    def release(self) -> None:
        """The run is over: the folder may be used by another one. The file stays, as a record of the settings."""
        with contextlib.suppress(OSError):  # not left to the closing: a forked process may have the file too
            fcntl.flock(self._file, fcntl.LOCK_UN)
        os.close(self._file)


def is_locked(path: Path) -> bool:
    """Whether a running wrapper, of this host or another, holds the file."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(file)
    return False


def _claim(folder: Path) -> tuple[Path, int]:
    """A new file that only this wrapper has. What an ended one of the same number left is replaced."""
    attempt = 0
    while True:
        path = folder / f"run-{os.getpid()}{f'-{attempt}' if attempt else ''}{_SUFFIX}"
        try:
            return path, os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, _MODE)
        except FileExistsError:
            if is_locked(path):
                attempt += 1
            else:
                path.unlink(missing_ok=True)
