# SPDX-License-Identifier: MIT
"""The one file of metrics: each formula can be computed, on architectures that have its counters, and is documented."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from rocprofsys_multipass.errors import ExitCode
from rocprofsys_multipass.metrics import Metric, docs, metrics_of, metrics_on, properties, set_names, sets
from rocprofsys_multipass.metrics.catalogue import DATA, aliases

ROOT = Path(__file__).parents[2]
PACKING = ROOT / "tests/data/packing"
PAGE = ROOT / "docs/metrics.md"
ARCHITECTURES = tuple(sorted(path.stem for path in PACKING.glob("*.json")))
METRICS = metrics_of()


@cache
def counters_of(architecture: str) -> frozenset[str]:
    return frozenset(json.loads((PACKING / f"{architecture}.json").read_text(encoding="utf-8"))["counters"])


def named(metric: Metric) -> str:
    return f"{metric.name}-{metric.architectures[0]}"


def test_the_sets_are_these() -> None:
    assert set_names() == ("memory", "cache", "occupancy", "compute", "stall", "lds")
    assert all(one.description for one in sets())


@pytest.mark.parametrize("metric", METRICS, ids=named)
def test_a_formula_needs_only_counters_of_its_architectures_and_known_properties(metric: Metric) -> None:
    assert metric.counters
    assert set(metric.properties) <= set(properties())
    for architecture in metric.architectures:
        assert set(metric.counters) <= counters_of(architecture)


@pytest.mark.parametrize("metric", METRICS, ids=named)
def test_a_metric_says_what_it_means_in_a_known_unit(metric: Metric) -> None:
    assert metric.description
    assert metric.unit in {"B", "GB/s", "%", "waves", "cycles", "inst/wave", "lanes", "GFLOP/s"}
    assert metric.set in set_names()
    # GB/s and GFLOP/s are numbers per nanosecond, and nothing else is divided by a time.
    assert ("duration_ns" in metric.properties) == metric.unit.endswith("/s")
    assert ("100 *" in metric.text or "400 *" in metric.text) == (metric.unit == "%")


def test_an_architecture_has_a_metric_once() -> None:
    found = Counter((metric.name, name) for metric in METRICS for name in metric.architectures)
    assert set(found.values()) == {1}
    assert {name for _, name in found} == set(ARCHITECTURES)


def test_the_formulas_of_a_metric_are_of_one_unit_and_stand_together() -> None:
    names = [metric.name for metric in METRICS]
    blocks = [name for i, name in enumerate(names) if i == 0 or names[i - 1] != name]
    assert len(blocks) == len(set(names))
    assert {metric.name: metric.unit for metric in METRICS} == {m.name: m.unit for m in reversed(METRICS)}


def test_every_property_is_used_by_a_formula() -> None:
    assert {name for metric in METRICS for name in metric.properties} == set(properties())


def test_an_architecture_that_is_defined_as_another_has_its_metrics() -> None:
    for name, other in aliases().items():
        assert name not in ARCHITECTURES
        assert metrics_on(name) == metrics_on(other) != ()


def test_metrics_are_chosen_by_set_and_architecture() -> None:
    assert [m.name for m in metrics_on("gfx1201", ("stall", "occupancy"))] == ["wait_share", "issue_wait_share"]
    assert metrics_on("gfx1201", ("occupancy",)) == ()
    assert metrics_on("gfx000") == ()
    assert {m.set for m in metrics_of(("lds",))} == {"lds"}


def test_the_file_is_small_enough_for_one_text_in_the_code() -> None:
    # ISO C++ promises literals of 65536 characters; the text is one in library/metrics.
    text = DATA.read_text(encoding="utf-8")
    assert len(text) < 65536
    assert text.isascii()
    assert ')metrics"' not in text


def test_the_page_has_the_tables_of_the_file() -> None:
    assert docs.PART.main([str(PAGE)]) == ExitCode.OK


def test_a_page_with_other_tables_is_told_and_mended(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE.read_text(encoding="utf-8").replace("| cycles |", "| seconds |"), encoding="utf-8")
    assert docs.PART.main([str(page)]) == ExitCode.CONFIG
    assert "are not those of metrics.json: use --write" in capsys.readouterr().err
    assert docs.PART.main([str(page), "--write"]) == ExitCode.OK
    assert page.read_text(encoding="utf-8") == PAGE.read_text(encoding="utf-8")


def test_a_page_without_a_place_for_them_is_refused() -> None:
    with pytest.raises(ValueError, match="are missing"):
        docs.PART.put_into("# Metrics\n")
