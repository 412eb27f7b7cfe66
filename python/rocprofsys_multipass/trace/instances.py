# SPDX-License-Identifier: MIT
"""The values of the single instances of counters, where a journal has kept them (`Pass.instances`)."""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from operator import lt
from typing import Final

from rocprofsys_multipass.trace import journal_pb2 as pb
from rocprofsys_multipass.trace.agent import CounterInfo


class InstanceValues(Mapping[int, float]):
    """The value of each instance by its position, in order of these. Eight bytes for each, of which a dict takes more.

    `positions` rise, and `values[i]` is of `positions[i]`.
    """

    __slots__ = ("_positions", "_values")

    def __init__(self, positions: Sequence[int], values: Sequence[float]) -> None:
        self._positions: Final = positions
        self._values: Final = values

    def __getitem__(self, position: int) -> float:
        """The value; KeyError: none was delivered."""
        at = bisect_left(self._positions, position)
        if at == len(self._positions) or self._positions[at] != position:
            raise KeyError(position)
        return self._values[at]

    def __iter__(self) -> Iterator[int]:
        return iter(self._positions)

    def __len__(self) -> int:
        return len(self._positions)

    def __repr__(self) -> str:
        return f"InstanceValues({dict(self)})"


def examined(one: pb.Instances, counter: CounterInfo) -> tuple[InstanceValues, int] | None:
    """Those that are numbers, and how many are none. None: the positions are not those of the values.

    They must rise, one for each value, and be below the number of instances where the dimensions tell it.
    """
    values = array("d", one.values)
    positions: Sequence[int] = range(len(values))
    if one.positions:
        positions = array("I", one.positions)
        if len(positions) != len(values) or not all(map(lt, positions, islice(positions, 1, None))):
            return None
    if values and counter.dimensions and positions[-1] >= math.prod(size for _, size in counter.dimensions):
        return None
    if math.isfinite(sum(values)):
        return InstanceValues(positions, values), 0
    finite = [(at, value) for at, value in zip(positions, values, strict=True) if math.isfinite(value)]
    read = InstanceValues(array("I", [at for at, _ in finite]), array("d", [value for _, value in finite]))
    return read, len(values) - len(finite)


def instances_of(p: pb.Pass, counters: Sequence[CounterInfo]) -> Mapping[str, InstanceValues] | None:
    """The instances of each counter that an execution has some of; None: none were kept in it."""
    if not p.instances:
        return None
    found: dict[str, InstanceValues] = {}
    for counter, one in zip(p.counters, p.instances, strict=False):
        read = examined(one, counters[counter]) if counter < len(counters) else None
        if read is not None and read[0]:
            found.setdefault(counters[counter].name, read[0])
    return found
