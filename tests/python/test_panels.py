# SPDX-License-Identifier: MIT
"""The panels of rocprofiler-compute: what the shipped table says, and what can be asked of it."""

from __future__ import annotations

import re

import pytest

from rocprofsys_multipass.config import values
from rocprofsys_multipass.metrics import panel_architectures, panel_metrics, panels

NUMBERS = (2, 3, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16, 17, 18)
# rocprofiler-compute 3.3.0, number of counters of each default panel.
COUNTERS = {
    "gfx90a": (54, 56, 17, 21, 11, 36, 41, 10, 7, 14, 27, 39, 34, 14),
    "gfx942": (56, 54, 17, 21, 11, 36, 42, 10, 7, 14, 27, 35, 33, 14),
}


@pytest.mark.parametrize("architecture", panel_architectures())
def test_each_panel_has_the_counters_that_the_release_reads(architecture: str) -> None:
    """And all panels together 233 and 231 of them."""
    assert tuple(panel.number for panel in panels()) == NUMBERS
    found = [
        len({counter for metric in panel_metrics(architecture, [number]) for counter in metric.counters})
        for number in NUMBERS
    ]
    assert tuple(found) == COUNTERS[architecture]
    everything = {counter for metric in panel_metrics(architecture) for counter in metric.counters}
    assert len(everything) == {"gfx90a": 233, "gfx942": 231}[architecture]


def test_the_panels_of_another_architecture_are_not_known() -> None:
    """Nothing is assumed of it."""
    assert panel_metrics("gfx1100") == ()


def test_a_metric_of_every_channel_names_the_counter_of_the_sdk_too() -> None:
    """The hit rate of the channels."""
    [metric] = [one for one in panel_metrics("gfx942", [18]) if one.table == "18.1"]
    assert (metric.name, metric.counters) == ("L2 Cache Hit Rate", ("TCC_HIT[*]", "TCC_MISS[*]"))
    assert metric.base_counters == ("TCC_HIT", "TCC_MISS")


@pytest.mark.parametrize(
    ("text", "expected"),
    [("all", NUMBERS), ("17, 2 7", (2, 7, 17)), ("2,2", (2,)), ("18", (18,))],
)
def test_panels_are_asked_for_by_number(text: str, expected: tuple[int, ...]) -> None:
    """Each once, sorted."""
    assert values.compute_panels(text) == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("4", "'4' is no panel: give all, or some of 2, 3, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16, 17, 18, with commas"),
        ("2,all", "'all' stands alone: leave out the others, or it"),
        ("02", "'02' is no panel"),
        ("2,7.2", "'7.2' is no panel: panels are whole, give 7"),
        ("4.1", "'4.1' is no panel: give all, or some of 2, 3,"),
        (" ", "it is empty: give all, or panels by number"),
    ],
)
def test_what_is_no_panel_is_refused_with_those_there_are(text: str, reason: str) -> None:
    """In a sentence that is complete."""
    with pytest.raises(ValueError, match=re.escape(reason)):
        values.compute_panels(text)
