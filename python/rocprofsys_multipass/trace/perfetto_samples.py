# SPDX-License-Identifier: MIT
"""The values of counters in a Perfetto trace, which has more of them than of anything else."""

from __future__ import annotations

import operator
from array import array
from collections import Counter
from collections.abc import Iterator

from rocprofsys_multipass.trace.perfetto_clock import BOOTTIME


class Samples:
    """The samples of one track, as columns: an object for each would take most of the time of reading a trace."""

    __slots__ = ("other_clocks", "times", "values")

    def __init__(self) -> None:
        self.times: list[int] = []  # whole numbers of any size: a damaged clock may lead anywhere
        self.values = array("d")
        self.other_clocks: Counter[int] = Counter()  # of samples that are not on boot time

    def __len__(self) -> int:
        """How many there are."""
        return len(self.times)

    def add(self, time: int, value: float, clock: int) -> None:
        """Adds one at the end."""
        self.times.append(time)
        self.values.append(value)
        if clock != BOOTTIME:
            self.other_clocks[clock] += 1

    def sort(self) -> None:
        """Puts them in order of time; those of one time stay in order."""
        times = self.times
        if all(map(operator.le, times, times[1:])):
            return
        order = sorted(range(len(times)), key=times.__getitem__)
        self.times = [times[at] for at in order]
        self.values = array("d", [self.values[at] for at in order])

    def pulses(self) -> Iterator[tuple[int, int | None, float]]:
        """Start, end and value of each pair of value and closing 0; the end is None where something else follows."""
        ends = self.values[1::2]
        if len(self) % 2 == 0 and ends.count(0) == len(ends):  # as a writer leaves them
            return zip(self.times[::2], self.times[1::2], self.values[::2], strict=True)
        return _pulses(self)


def _pulses(samples: Samples) -> Iterator[tuple[int, int | None, float]]:
    opened: tuple[int, float] | None = None
    for time, value in zip(samples.times, samples.values, strict=True):
        if opened is None:
            opened = time, value
        elif value == 0:
            yield opened[0], time, opened[1]
            opened = None
        else:
            yield opened[0], None, opened[1]
            opened = time, value
    if opened is not None:
        yield opened[0], None, opened[1]
