# SPDX-License-Identifier: MIT
"""Host memory for copies of GPU memory: what a process has, and what it needs (library/replay/host_memory.hpp)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocprofsys_multipass.estimate.amounts import size_text
from rocprofsys_multipass.host_memory import host_room

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True)
class HostRoom:
    """What a process has for copies. `size`: bytes, None where it is not known; `bound`: what bounds it.

    `ranks`: processes that share the node's memory; `gpus`: those that may replay at the same time in a process.
    """

    size: int | None
    bound: str
    ranks: int
    gpus: int

    def holds(self, footprint: int) -> bool:
        """Whether a copy of one GPU's memory has room; what is not known limits nothing."""
        return self.size is None or footprint <= self.size

    def warnings(self, footprint: int, *, declined: bool) -> Iterator[str]:
        """Where there is no room, or not for all. `declined`: the plugin declines then, unless it is told not to."""
        needed = f"a copy of {size_text(footprint)}"
        if self.size is None:
            yield f"how much host memory is left is not known ({self.bound}): see that {needed} has room there"
        elif footprint > self.size and not declined:
            yield f"{needed} has no room in host memory: {self}"
        elif footprint > self.size:
            yield (
                f"{needed} has no room in host memory, so replays are declined (host_memory): {self}; free memory, run "
                "fewer ranks on a node, or allocate less on the GPU"
            )
        elif footprint * self.gpus > self.size:
            yield (
                f"copies of {self.gpus} GPUs at a time are {size_text(footprint * self.gpus)}: {self}; replays on more "
                f"than {self.size // footprint} at a time are declined (host_memory)"
            )

    def __str__(self) -> str:
        """``54 GB for each of 8 ranks (MemAvailable of /proc/meminfo)``."""
        size = "an unknown size" if self.size is None else size_text(self.size)
        of_each = f" for each of {self.ranks} ranks" if self.ranks > 1 else ""
        return f"{size}{of_each} ({self.bound})"


def room_of(given: int | None, source: str, ranks: int, gpus: int) -> HostRoom:
    """What is `given`, of each process, as `source` says; else an equal part of what this machine has left."""
    if given is not None:
        return HostRoom(given, source, ranks, gpus)
    room = host_room()
    return HostRoom(None if room.size is None else room.size // ranks, room.bound, ranks, gpus)
