# SPDX-License-Identifier: MIT
"""A control group with little memory, for one process that the kernel is to kill."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_GROUPS = Path("/sys/fs/cgroup")


@dataclass(frozen=True)
class _Version:
    """Of control groups: where they are, and the files of a group."""

    root: Path
    limit: str
    events: str  # with a line "oom_kill COUNT"


_VERSIONS = (
    _Version(_GROUPS / "memory", "memory.limit_in_bytes", "memory.oom_control"),  # 1
    _Version(_GROUPS, "memory.max", "memory.events"),  # 2
)


class MemoryGroupError(Exception):
    """This machine lets nobody here make one; why."""


@dataclass(frozen=True)
class MemoryGroup:
    """A group without processes. Whoever writes its number into `processes` is in it."""

    processes: Path
    events: Path

    @property
    def kills(self) -> int:
        """How many of its processes the kernel has killed for memory."""
        lines = dict(line.split() for line in self.events.read_text(encoding="ascii").splitlines())
        return int(lines["oom_kill"])


@contextmanager
def memory_group(limit: int) -> Iterator[MemoryGroup]:
    """A group of its own with so many bytes, which is removed at the end. Raises MemoryGroupError."""
    version = next((one for one in _VERSIONS if (one.root / "cgroup.procs").exists()), None)
    if version is None:
        raise MemoryGroupError(f"no control groups with memory are mounted in {_GROUPS}")
    folder = version.root / f"multipass-test-{os.getpid()}"
    try:
        folder.mkdir()
    except OSError as error:
        raise MemoryGroupError(f"{folder} cannot be made: {error.strerror}") from error
    try:
        if not (folder / version.limit).exists():
            raise MemoryGroupError(f"groups in {version.root} have no {version.limit}")
        (folder / version.limit).write_text(str(limit), encoding="ascii")
        yield MemoryGroup(folder / "cgroup.procs", folder / version.events)
    finally:
        _remove(folder)


def _remove(folder: Path) -> None:
    """Once the last process has left it, which is a moment after its parent knows."""
    deadline = time.monotonic() + 10
    while True:
        try:
            return folder.rmdir()
        except OSError:
            if time.monotonic() > deadline:
                raise
        time.sleep(0.01)
