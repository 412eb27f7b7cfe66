# SPDX-License-Identifier: MIT
"""The channels of the L2 cache as counters of their own: ``TCC_HIT[i]``, i = XCC * banks + instance.

The capture has the value of each instance of a counter; which of them is which channel its dimensions tell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from math import prod
from typing import Final

from rocprofsys_multipass.compute.sysinfo import BANKS, Sysinfo
from rocprofsys_multipass.metrics import panel_metrics
from rocprofsys_multipass.metrics.panels import EVERY_CHANNEL
from rocprofsys_multipass.trace.agent import Agent, CounterInfo
from rocprofsys_multipass.trace.model import Dispatch

_INSTANCE: Final = "INSTANCE"
_XCC: Final = "XCC"
_PREFIX: Final = "DIMENSION_"
_MOST_XCCS: Final = 64  # where the capture does not tell how many there are


@cache
def channel_counters(architecture: str) -> frozenset[str]:
    """The counters that panels want of each channel."""
    return frozenset(
        name.removesuffix(EVERY_CHANNEL)
        for metric in panel_metrics(architecture)
        for name in metric.counters
        if name.endswith(EVERY_CHANNEL)
    )


@dataclass(frozen=True)
class ChannelPlan:
    """Position among the instances of each channel, by counter; `refused`: counters whose dimensions do not tell."""

    positions: Mapping[str, Sequence[int]]
    refused: tuple[str, ...] = ()

    def values(self, d: Dispatch) -> dict[str, float]:
        """The channels of a dispatch that were delivered, by the name of their rows."""
        found: dict[str, float] = {}
        for counter, positions in self.positions.items():
            one = d.canonical_pass.get(counter)
            kept = (one.instances or {}).get(counter, {}) if one is not None else {}
            of = dict(kept.items())
            names = self._names[counter]
            found |= {name: of[at] for name, at in zip(names, positions, strict=True) if at in of}
        return found

    @cached_property
    def _names(self) -> Mapping[str, Sequence[str]]:
        return {name: [f"{name}[{k}]" for k in range(len(at))] for name, at in self.positions.items()}

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of the rows of a dispatch that has all."""
        return frozenset(name for of in self._names.values() for name in of)


NO_CHANNELS: Final = ChannelPlan({})


def channel_plan(agent: Agent, sysinfo: Sysinfo) -> ChannelPlan:
    """Which instances of what is read on a GPU are the channels."""
    wanted = channel_counters(sysinfo.architecture) & agent.requested
    positions: dict[str, tuple[int, ...]] = {}
    refused: list[str] = []
    for counter in agent.counters:
        if counter.name not in wanted:
            continue
        found = _positions(counter, BANKS[sysinfo.architecture], sysinfo.get("num_xcd"))
        if found is None:
            refused.append(f"{counter.name} ({_shown(counter)})")
        else:
            positions[counter.name] = found
    return ChannelPlan(dict(sorted(positions.items())), tuple(sorted(refused)))


def _positions(counter: CounterInfo, banks: int, xccs: int | None) -> tuple[int, ...] | None:
    """The position of each channel in order; None: the dimensions are not those of the channels of such a GPU.

    A position has the indices of the dimensions as digits, the first the lowest.
    """
    step, steps, sizes = 1, {}, {}
    for name, size in counter.dimensions:
        plain = name.removeprefix(_PREFIX)
        if plain in sizes or (size != 1 and plain not in (_INSTANCE, _XCC)):
            return None
        steps[plain], sizes[plain] = step, size
        step *= size
    if sizes.get(_INSTANCE) != banks or not 0 < sizes.get(_XCC, 1) == (xccs or min(sizes.get(_XCC, 1), _MOST_XCCS)):
        return None
    return tuple(
        xcc * steps.get(_XCC, 0) + instance * steps[_INSTANCE]
        for xcc in range(sizes.get(_XCC, 1))
        for instance in range(banks)
    )


def _shown(counter: CounterInfo) -> str:
    if not counter.dimensions or not prod(size for _, size in counter.dimensions):
        return "no dimensions"
    return " × ".join(f"{name.removeprefix(_PREFIX)} {size}" for name, size in counter.dimensions)
