# SPDX-License-Identifier: MIT
"""How much host memory a process of this user can still get: what the machine has, or its control groups leave.

The plugin looks at the same files before it lets a launch be replayed, which copies memory of a GPU to the host
(library/replay/host_memory.hpp).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from rocprofsys_multipass.kernel_files import numbers, read_number, read_text

_KIBI = 1024
_GIGA = 10**9
_NO_LIMIT = 1 << 60  # cgroup v1 says "none" by a number near 2^63
_ROOT = Path("/")


@dataclass(frozen=True)
class Room:
    """Host memory that a process of this user can still get, in bytes, and what bounds it. None: not known."""

    size: int | None
    bound: str


@dataclass(frozen=True)
class _Kind:
    """The files of a control group: those with limits, the one with what is used, and what of that can be had back."""

    limits: tuple[str, ...]
    used: str
    reclaimable: str


_SECOND = _Kind(("memory.max", "memory.high"), "memory.current", "inactive_file")
_FIRST = _Kind(("memory.limit_in_bytes",), "memory.usage_in_bytes", "total_inactive_file")


def host_room(root: Path = _ROOT) -> Room:
    """What ``/proc/meminfo`` says is available, or what the control groups of this process leave where that is less.

    Pages of files that nobody uses count as free, as they do in ``MemAvailable``. `root`: the folder that stands for
    ``/``.
    """
    kibibytes = numbers(read_text(root / "proc/meminfo")).get("MemAvailable")
    room = Room(None if kibibytes is None else kibibytes * _KIBI, "MemAvailable of /proc/meminfo")
    for folder, kind in _groups(root):
        limits = [read_number(folder / name) for name in kind.limits]
        limit = min((one for one in limits if one is not None), default=_NO_LIMIT)
        if limit >= _NO_LIMIT:
            continue
        back = numbers(read_text(folder / "memory.stat")).get(kind.reclaimable, 0)
        used = max((read_number(folder / kind.used) or 0) - back, 0)
        left = max(limit - used, 0)
        if room.size is None or left < room.size:
            place = f"/{folder.relative_to(root)}"
            room = Room(left, f"the memory limit of {limit / _GIGA:.1f} GB in {place}")
    return room


def _groups(root: Path) -> list[tuple[Path, _Kind]]:
    """Folders of the control groups that bound this process, innermost first, and their kind.

    A container sees its own group as the root of the tree, or the path of the host without its folders: both are looked
    at, what is not there has no limit.
    """
    found: list[tuple[Path, _Kind]] = []
    for line in read_text(root / "proc/self/cgroup").splitlines():
        number, _, rest = line.partition(":")
        controllers, _, group = rest.partition(":")
        if number == "0" and not controllers:
            trees, kind = ["sys/fs/cgroup", "sys/fs/cgroup/unified"], _SECOND
        elif "memory" in controllers.split(","):
            trees, kind = ["sys/fs/cgroup/memory"], _FIRST
        else:
            continue
        inner = PurePosixPath(group.lstrip("/"))
        for tree in trees:
            folders = dict.fromkeys((inner, *inner.parents, PurePosixPath()))
            found.extend((root / tree / folder, kind) for folder in folders)
    return found
