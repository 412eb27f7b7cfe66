# SPDX-License-Identifier: MIT
"""The panels of rocprofiler-compute and the counters of their metrics: ``compute_panels.json``, read when asked for.

A panel is a numbered page of what ``rocprof-compute analyze`` prints, with tables (7.2) of metrics. A metric whose
counters are not all there is blank in its table. How it is computed is rocprofiler-compute's own.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

PANEL_DATA: Final = Path(__file__).with_name("compute_panels.json")
EVERY_CHANNEL: Final = "[*]"
"""Behind the name of a counter: it is wanted of each channel of the L2 cache, as ``NAME[0]``, ``NAME[1]`` and so on."""
NORMAL_UNITS: Final = ("SQ_WAVES", "GRBM_GUI_ACTIVE")
"""What a normalised metric may be divided by (``--normal-unit per_wave``, ``per_cycle``)."""


@dataclass(frozen=True)
class Panel:
    """A panel as ``analyze`` numbers it."""

    number: int
    title: str


@dataclass(frozen=True)
class PanelMetric:
    """A metric of a table, and the counters that it needs on some architectures; they end in EVERY_CHANNEL or not."""

    panel: int
    table: str
    name: str
    counters: tuple[str, ...]  # sorted
    architectures: tuple[str, ...]
    normalised: bool

    @property
    def base_counters(self) -> tuple[str, ...]:
        """The counters as the SDK names them, without EVERY_CHANNEL."""
        return tuple(name.removesuffix(EVERY_CHANNEL) for name in self.counters)


@cache
def _data() -> dict[str, Any]:
    data: dict[str, Any] = json.loads(PANEL_DATA.read_text(encoding="utf-8"))
    return data


@cache
def panels() -> tuple[Panel, ...]:
    """All panels, by number."""
    return tuple(Panel(one["panel"], one["title"]) for one in _data()["panels"])


@cache
def panel_architectures() -> tuple[str, ...]:
    """The architectures whose panels are known."""
    return tuple(_data()["architectures"])


@cache
def _metrics() -> tuple[PanelMetric, ...]:
    return tuple(
        PanelMetric(
            panel=panel["panel"],
            table=table["table"],
            name=one["metric"],
            counters=tuple(one["counters"]),
            architectures=tuple(one["architectures"]),
            normalised=one.get("normalised", False),
        )
        for panel in _data()["panels"]
        for table in panel["tables"]
        for one in table["metrics"]
    )


def panel_metrics(architecture: str, chosen: Iterable[int] = ()) -> tuple[PanelMetric, ...]:
    """The metrics of some panels on an architecture, of all without any; none where its panels are not known."""
    numbers = frozenset(chosen)
    return tuple(
        one for one in _metrics() if architecture in one.architectures and (not numbers or one.panel in numbers)
    )
