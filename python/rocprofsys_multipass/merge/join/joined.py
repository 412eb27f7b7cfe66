# SPDX-License-Identifier: MIT
"""What two runs of one process have in common, what they have not, and how that is told (docs/formats/join.md)."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Final

from rocprofsys_multipass.merge.join.launches import Shape
from rocprofsys_multipass.spelling import plural
from rocprofsys_multipass.trace.model import Dim3

_TOLD: Final = 10  # lines about shapes that were not joined


@dataclass(frozen=True)
class NotJoined:
    """Launches of one shape on one GPU that were not joined, in either run; `device` None: no file says which GPU."""

    shape: Shape
    device: int | None
    host: int  # launches in rocprof-sys's run
    own: int  # launches in this tool's
    reason: str

    def __str__(self) -> str:
        sizes = f"grid {_size(self.shape.grid)}, work-group {_size(self.shape.workgroup)}"
        where = "" if self.device is None else f", GPU {self.device}"
        return f"{self.shape.kernel} ({sizes}{where}; {self.host:,} there, {self.own:,} in this run): {self.reason}"


@dataclass(frozen=True)
class Inflation:
    """How much longer a kernel took in pass 0 of the replay than in the run without: median over its dispatches."""

    kernel: str
    dispatches: int
    ratio: float


class Pairs(Mapping[int, int]):
    """Dispatch id there -> dispatch id here, in 16 bytes each."""

    def __init__(self, there: array[int], here: array[int]) -> None:
        order = sorted(range(len(there)), key=there.__getitem__)
        self._there = array("q", (there[i] for i in order))
        self._here = array("q", (here[i] for i in order))

    def __getitem__(self, dispatch_id: int) -> int:
        at = bisect_left(self._there, dispatch_id)
        if at == len(self._there) or self._there[at] != dispatch_id:
            raise KeyError(dispatch_id)
        return self._here[at]

    def __iter__(self) -> Iterator[int]:
        return iter(self._there)

    def __len__(self) -> int:
        return len(self._there)


@dataclass(frozen=True)
class Joined:
    """What two runs of a process have in common. `pairs`: dispatch id of rocprof-sys's run -> that of this tool's."""

    host: Path
    own: Path
    pairs: Mapping[int, int]
    host_count: int
    own_count: int
    without_readings: int  # joined dispatches that this tool read nothing of: filtered, declined, lost
    not_joined: tuple[NotJoined, ...]  # what has the most launches first
    inflation: tuple[Inflation, ...]  # the longest first

    def to_json(self) -> dict[str, Any]:
        """As in the report of a merge; `pairs` are in the merged files."""
        return {
            "host": str(self.host),
            "own": str(self.own),
            "host_dispatches": self.host_count,
            "own_dispatches": self.own_count,
            "joined": len(self.pairs),
            "without_readings": self.without_readings,
            "not_joined": [
                {
                    "kernel": one.shape.kernel,
                    "grid": one.shape.grid,
                    "workgroup": one.shape.workgroup,
                    "device": one.device,
                    "host": one.host,
                    "own": one.own,
                    "reason": one.reason,
                }
                for one in self.not_joined
            ],
            "pass_0_over_clean": [
                {"kernel": one.kernel, "dispatches": one.dispatches, "median": one.ratio} for one in self.inflation
            ],
        }

    @property
    def obstacle(self) -> str:
        """Why the shape with the most launches was not joined, and how many others were not; empty: all were."""
        if not self.not_joined:
            return ""
        more = len(self.not_joined) - 1
        return str(self.not_joined[0]) + (f", and {plural(more, 'more shape')}" if more else "")

    def lines(self) -> Iterator[str]:
        """For people: how many dispatches were joined, which were not and why, and how like a clean run pass 0 is."""
        quiet = f" ({self.without_readings:,} of them without readings)" if self.without_readings else ""
        yield f"{len(self.pairs):,} of {plural(self.host_count, 'dispatch')} joined{quiet}"
        for one in self.not_joined[:_TOLD]:
            yield f"not joined: {one}"
        if len(self.not_joined) > _TOLD:
            yield f"not joined: {plural(len(self.not_joined) - _TOLD, 'more shape')}"
        if self.inflation:
            yield self._inflation()

    def _inflation(self) -> str:
        first, last = self.inflation[0], self.inflation[-1]
        if first is last:
            return f"pass 0 took {first.ratio:.2f} times as long as without replay (median of {first.kernel})"
        middle = median(one.ratio for one in self.inflation)
        return (
            f"pass 0 took {middle:.2f} times as long as without replay (median of {len(self.inflation)} kernels: "
            f"from {last.ratio:.2f}, {last.kernel}, to {first.ratio:.2f}, {first.kernel})"
        )


def _size(size: Dim3 | None) -> str:
    return "unknown" if size is None else " x ".join(map(str, size))
