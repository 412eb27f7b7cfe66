# SPDX-License-Identifier: MIT
"""How much host memory a process of this user can still get: what the machine has, or its control groups leave.

The plugin looks at the same files before it lets a launch be replayed, which copies memory of a GPU to the host.
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


def host_room(root: Path = _ROOT) -> Room:
    """What ``/proc/meminfo`` says is available, or what the control groups of this process leave where that is less.

    `root`: the folder that stands for ``/``.
    """
    kibibytes = numbers(read_text(root / "proc/meminfo")).get("MemAvailable")
    room = Room(None if kibibytes is None else kibibytes * _KIBI, "MemAvailable of /proc/meminfo")
    for folder, limit_name, used_name in _groups(root):
        limit, used = read_number(folder / limit_name), read_number(folder / used_name)
        if limit is None or limit >= _NO_LIMIT:
            continue
        left = max(limit - (used or 0), 0)
        if room.size is None or left < room.size:
            place = f"/{folder.relative_to(root)}"
            room = Room(left, f"the memory limit of {limit / _GIGA:.1f} GB in {place}")
    return room


def _groups(root: Path) -> list[tuple[Path, str, str]]:
    """Folders of the control groups that bound this process, innermost first, and the names of limit and use.

    A container sees its own group as the root of the tree, or the path of the host without its folders: both are looked
    at, what is not there has no limit.
    """
    found: list[tuple[Path, str, str]] = []
    for line in read_text(root / "proc/self/cgroup").splitlines():
        number, _, rest = line.partition(":")
        controllers, _, group = rest.partition(":")
        if number == "0" and not controllers:
            trees, names = ["sys/fs/cgroup", "sys/fs/cgroup/unified"], ("memory.max", "memory.current")
        elif "memory" in controllers.split(","):
            trees, names = ["sys/fs/cgroup/memory"], ("memory.limit_in_bytes", "memory.usage_in_bytes")
        else:
            continue
        inner = PurePosixPath(group.lstrip("/"))
        for tree in trees:
            folders = dict.fromkeys((inner, *inner.parents, PurePosixPath()))
            found.extend((root / tree / folder, *names) for folder in folders)
    return found
