# SPDX-License-Identifier: MIT
"""Values of metrics, of the readings of a dispatch.

All readings of a value, and the time it divides by, are of one execution: the lowest pass that has all the counters
and reads none of them as a sentinel, for that is the one that the plan chose for the metric. Where it did not deliver,
it is the lowest that has them, sentinels or not. Without such a pass there is no value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocprofsys_multipass.errors import UsageError
from rocprofsys_multipass.metrics.catalogue import Metric, metrics_on, properties, set_names
from rocprofsys_multipass.spelling import did_you_mean

if TYPE_CHECKING:
    from rocprofsys_multipass.trace.agent import Agent
    from rocprofsys_multipass.trace.model import Dispatch, Pass


@dataclass(frozen=True, slots=True)
class MetricValue:
    """What a metric is for one dispatch, in the metric's unit, and the planned pass that its counters are from."""

    metric: Metric
    value: float
    group: int


def values_of(dispatch: Dispatch, metrics: Iterable[Metric]) -> list[MetricValue]:
    """The values that `dispatch` has, in the order of `metrics`, which are those of its GPU's architecture."""
    passes: list[tuple[Pass, dict[str, float]]] | None = None
    found = []
    for metric in metrics:
        if passes is None:
            passes = [(p, _values(p, dispatch.agent)) for p in dispatch.passes if _is_one_execution(p)]
        whole = [(p, values) for p, values in passes if all(c in values for c in metric.counters)]
        one = next((w for w in whole if _is_own(metric, w[0], dispatch.agent)), whole[0] if whole else None)
        value = metric.formula.value(one[1]) if one else None
        if one and value is not None:
            found.append(MetricValue(metric, value, one[0].group))
    return found


def metric_values(dispatch: Dispatch, sets: str | Iterable[str] = ()) -> Mapping[str, float]:
    """The metrics that a dispatch has values of, by name, of some sets (a list, or one text with commas) or of all.

    Whether the run asked for those sets does not matter: what counts is that one pass has all the counters of a metric.
    Units and formulas are in docs/metrics.md. A metric without a value is absent, never 0.

    Raises:
        UsageError: there is no set of that name.
    """
    chosen = tuple(sets.replace(",", " ").split() if isinstance(sets, str) else sets)
    for name in chosen:
        if name not in set_names():
            hint = did_you_mean(name, set_names())
            raise UsageError(f"'{name}' is no set of metrics: {hint}known are {', '.join(set_names())}")
    metrics = metrics_on(dispatch.agent.name, chosen)
    return {one.metric.name: one.value for one in values_of(dispatch, metrics)}


def _is_own(metric: Metric, one: Pass, agent: Agent) -> bool:
    """Whether none of the metric's counters is there to compare passes only."""
    return frozenset(metric.counters).isdisjoint(agent.sentinels_of(one.group))


def _is_one_execution(one: Pass) -> bool:
    """Readings of several executions, where a trace cannot tell them apart, make no value together."""
    return one.status != "DISCARDED" and not one.mixed


def _values(one: Pass, agent: Agent) -> dict[str, float]:
    said = dict(agent.properties)
    values: dict[str, float] = {name: said[name] for name in properties() if name in said}
    # What a journal says of it is not taken: a metric has the same value whichever file is read.
    values.pop("max_waves_per_cu", None)
    simds, waves = said.get("simd_per_cu"), said.get("max_waves_per_simd")
    if simds and waves:
        values["max_waves_per_cu"] = simds * waves
    if one.duration_ns is not None and one.duration_ns > 0:
        values["duration_ns"] = one.duration_ns
    values.update((reading.counter, reading.value) for reading in one.readings)
    return values
