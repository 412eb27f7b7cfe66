# SPDX-License-Identifier: MIT
"""What an assertion takes the value of: a counter, or a metric made of counters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from rocprofsys_multipass.errors import UsageError
from rocprofsys_multipass.metrics import metrics_of, metrics_on, values_of
from rocprofsys_multipass.spelling import did_you_mean
from rocprofsys_multipass.trace import Dispatch, Pass
from rocprofsys_multipass.trace.missing import reason_missing


class Quantity(Protocol):
    """Something that a dispatch has a value of, or not."""

    @property
    def name(self) -> str:
        """As it was asked for."""

    @property
    def title(self) -> str:
        """As messages name it."""

    def read(self, d: Dispatch) -> tuple[float, str] | None:
        """The value, and the pass that it is from; None where there is none."""

    def all_read(self, d: Dispatch) -> list[tuple[Pass, float]]:
        """The values of all passes that have one, as far as passes are compared by it."""

    def why_missing(self, d: Dispatch) -> str:
        """Why there is none."""


def _label(d: Dispatch, p: Pass) -> str:
    """How messages name the pass; a plan of one pass has no groups that a launch could read one of."""
    return "single pass" if p.index is None and d.passes_planned == 1 else p.label


@dataclass(frozen=True, slots=True)
class CounterOf:
    """The canonical reading of a counter."""

    name: str

    @property
    def title(self) -> str:
        """As messages name it."""
        return self.name

    def read(self, d: Dispatch) -> tuple[float, str] | None:
        """The value, and the pass that it is from; None where there is none."""
        value = d.counters.get(self.name)
        return None if value is None else (value, _label(d, d.canonical_pass[self.name]))

    def all_read(self, d: Dispatch) -> list[tuple[Pass, float]]:
        """Every reading with its pass."""
        return d.by_counter.get(self.name, [])

    def why_missing(self, d: Dispatch) -> str:
        """Why there is none."""
        return reason_missing(d, self.name)


@dataclass(frozen=True, slots=True)
class MetricOf:
    """A metric, of the pass that has all its counters. UsageError: there is no metric of that name."""

    name: str

    def __post_init__(self) -> None:
        """UsageError where no architecture has such a metric."""
        known = {metric.name for metric in metrics_of()}
        if self.name not in known:
            message = f"{self.name!r} is no metric: {did_you_mean(self.name, known)}docs/metrics.md has all"
            raise UsageError(message)

    @property
    def title(self) -> str:
        """Its name and unit."""
        return f"{self.name} ({next(metric.unit for metric in metrics_of() if metric.name == self.name)})"

    def read(self, d: Dispatch) -> tuple[float, str] | None:
        """The value, and the pass that it is from; None where there is none."""
        for one in values_of(d, [metric for metric in metrics_on(d.agent.name) if metric.name == self.name]):
            return one.value, next((_label(d, p) for p in d.passes if p.group == one.group), "")
        return None

    def all_read(self, _: Dispatch) -> list[tuple[Pass, float]]:
        """None: its counters are those of one pass."""
        return []

    def why_missing(self, d: Dispatch) -> str:
        """Why there is none."""
        metric = next((metric for metric in metrics_on(d.agent.name) if metric.name == self.name), None)
        if metric is None:
            return f"{d.agent.name} has no such metric"
        read = {reading.counter for p in d.passes for reading in p.readings}
        if lacking := [counter for counter in metric.counters if counter not in read]:
            was = "was" if len(lacking) == 1 else "were"
            return f"{', '.join(lacking)} {was} not read: sets='{metric.set}' collects what it needs"
        if any(read.issuperset(metric.counters) for read in ({r.counter for r in p.readings} for p in d.passes)):
            return f"{metric.text} has no value, as when it divides by 0"
        return (
            f"no pass has all of {', '.join(metric.counters)}: groups=[...] or sets='{metric.set}' keeps them together"
        )
