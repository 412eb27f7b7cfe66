# SPDX-License-Identifier: MIT
"""A launch shape as one dispatch: each counter has the median over the launches that read it.

A launch shape is a kernel with one grid and one work-group on one GPU of a process, as in `trace.kernel_counters`,
whose medians these are. Of a launch only its values are kept, 8 bytes each.
"""

from __future__ import annotations

import statistics
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from rocprofsys_multipass.compute.channels import ChannelPlan
from rocprofsys_multipass.compute.complete import FILTERED, GUI_ACTIVE, ZERO_CYCLES, Judgement, has_own_times, lacking
from rocprofsys_multipass.compute.names import KernelNames
from rocprofsys_multipass.trace.agreement import verdict_words
from rocprofsys_multipass.trace.model import Dim3, Dispatch, Process

_WORST_FIRST: Final = ("not", "within", "exact", "unknown")
_Key = tuple[int, str, Dim3 | tuple[()], Dim3 | tuple[()]]


@dataclass
class Shape:
    """What the launches of a shape read. `first` is that of the lowest id, filtered only where all are.

    `kernel`: its name in rows.
    """

    first: Dispatch
    kernel: str
    channels: ChannelPlan
    filtered: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    _values: dict[str, array[float]] = field(default_factory=dict)
    _durations: array[int] = field(default_factory=lambda: array("q"))
    _of_work: set[str] = field(default_factory=set)
    _of_caches: set[str] = field(default_factory=set)

    def add(self, process: Process, d: Dispatch) -> None:
        """Takes the next launch."""
        if d.outcome == "filtered":
            self.filtered += 1
            return
        if not self.launches:
            self.first = d
        self.outcomes[d.outcome] += 1
        for name, value in (*d.counters.items(), *self.channels.values(d).items()):
            self._values.setdefault(name, array("d")).append(value)
        if has_own_times(d):
            self._durations.append(d.duration_ns or 0)
        work, _, caches = verdict_words(process, d)
        self._of_work.add(work)
        self._of_caches.add(caches)

    @property
    def launches(self) -> int:
        """Those that were not filtered."""
        return self.outcomes.total()

    @property
    def duration_ns(self) -> int | None:
        """The median of the times of the launches, rounded down; None: none has a usable time."""
        return int(statistics.median(self._durations)) if self._durations else None

    @property
    def work(self) -> str:
        """The worst verdict on the work of the passes of a launch."""
        return next((one for one in _WORST_FIRST if one in self._of_work), "")

    @property
    def caches(self) -> str:
        """The same on the caches that they found."""
        return next((one for one in _WORST_FIRST if one in self._of_caches), "")

    def medians(self) -> Mapping[str, float]:
        """The median of each counter that was read."""
        return {name: statistics.median(values) for name, values in self._values.items()}

    def judged(self, medians: Mapping[str, float]) -> Judgement:
        """What speaks against the shape."""
        if not self.launches:
            return Judgement(FILTERED, FILTERED)
        requested = self.first.agent.requested
        incomplete = "" if requested else "no counter is planned on its GPU"
        missing = sorted((requested | self.channels.names) - medians.keys())
        incomplete = incomplete or lacking("no launch has a reading of", missing)
        return Judgement(incomplete, self._unusable(medians))

    def _unusable(self, medians: Mapping[str, float]) -> str:
        if not medians:
            return "it has no reading"
        if self.first.grid is None or self.first.workgroup is None:
            return "its grid is not known"
        if self.first.symbol.arch_vgpr_count is None:
            return "its kernel is not described"
        if self.duration_ns is None:
            return "its times are not known"
        return ZERO_CYCLES if medians.get(GUI_ACTIVE) == 0 else ""


class Shapes:
    """Collects the launches of one process, in order of their id."""

    def __init__(self, process: Process, names: KernelNames) -> None:
        self._process = process
        self._names = names
        self._shapes: dict[_Key, Shape] = {}

    def add(self, d: Dispatch, channels: ChannelPlan) -> None:
        """Takes the next dispatch. `channels`: those that are exported of its GPU."""
        kernel = self._names.of(d.symbol)
        key = (d.agent.index, kernel, d.grid or (), d.workgroup or ())
        if key not in self._shapes:
            self._shapes[key] = Shape(d, kernel, channels)
        self._shapes[key].add(self._process, d)

    def __iter__(self) -> Iterator[Shape]:
        """In order of GPU, kernel, grid and work-group."""
        return (self._shapes[key] for key in sorted(self._shapes))
