# SPDX-License-Identifier: MIT
"""Which metrics there are: the content of ``metrics.json``, read when it is first asked for."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from rocprofsys_multipass.metrics.formula import Formula

DATA: Final = Path(__file__).with_name("metrics.json")


@dataclass(frozen=True)
class MetricSet:
    """A set of metrics, and what it is about."""

    name: str
    description: str


@dataclass(frozen=True)
class Metric:
    """A metric as it is on some architectures.

    `text` is the formula. Its names with a capital are counters, instances summed; the others are properties of the
    GPU and of the pass that the counters are from. All counters are those of one pass.
    """

    name: str
    set: str
    unit: str
    description: str
    text: str
    architectures: tuple[str, ...]

    @cached_property
    def formula(self) -> Formula:
        """The formula, ready to be computed."""
        return Formula(self.text)

    @property
    def counters(self) -> tuple[str, ...]:
        """The counters of the formula, sorted."""
        return tuple(name for name in self.formula.names if name[0].isupper())

    @property
    def properties(self) -> tuple[str, ...]:
        """The properties of the formula, sorted."""
        return tuple(name for name in self.formula.names if not name[0].isupper())


@cache
def _data() -> dict[str, Any]:
    data: dict[str, Any] = json.loads(DATA.read_text(encoding="utf-8"))
    return data


@cache
def sets() -> tuple[MetricSet, ...]:
    """All sets."""
    return tuple(MetricSet(one["name"], one["description"]) for one in _data()["sets"])


@cache
def set_names() -> tuple[str, ...]:
    """The names of all sets."""
    return tuple(one.name for one in sets())


@cache
def _metrics() -> tuple[Metric, ...]:
    return tuple(
        Metric(
            name=one["name"],
            set=one["set"],
            unit=one["unit"],
            description=one["description"],
            text=variant["formula"],
            architectures=tuple(variant["architectures"]),
        )
        for one in _data()["metrics"]
        for variant in one["variants"]
    )


def metrics_of(chosen: Iterable[str] = ()) -> tuple[Metric, ...]:
    """All metrics of some sets, of all without any: one for each formula, those of a metric beside each other."""
    names = frozenset(chosen)
    return tuple(metric for metric in _metrics() if not names or metric.set in names)


@cache
def metrics_on(architecture: str, chosen: tuple[str, ...] = ()) -> tuple[Metric, ...]:
    """The metrics that an architecture has, of some sets or of all; each at most once, none where it is not known."""
    described = _data()["aliases"].get(architecture, architecture)
    return tuple(metric for metric in metrics_of(chosen) if described in metric.architectures)


def properties() -> Mapping[str, str]:
    """What the properties in formulas are."""
    return MappingProxyType(_data()["properties"])


def aliases() -> Mapping[str, str]:
    """Architectures whose counters are defined as those of another one, and that one."""
    return MappingProxyType(_data()["aliases"])


def source() -> str:
    """Where the facts are from that the formulas rest on."""
    text: str = _data()["source"]
    return text
