# SPDX-License-Identifier: MIT
"""Metrics in reports and tables: of the sets that a run asked for, the same from each of its files."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import trace_tools as tools

from rocprofsys_multipass.report import render_csv, render_html, render_json, render_markdown, render_terminal
from rocprofsys_multipass.trace import Trace, open_trace
from rocprofsys_multipass.trace.tables import write_json
from rocprofsys_multipass.verify import verify

READ = ("TCC_BUBBLE_sum", "TCC_EA0_RDREQ_32B_sum", "TCC_EA0_RDREQ_sum")
CACHE = ("TCC_HIT_sum", "TCC_MISS_sum")
WAVES = ("GRBM_GUI_ACTIVE", "SQ_WAVE_CYCLES", "SQ_WAVES")
GPU = {"cu_count": 10, "simd_count": 40, "simd_per_cu": 4, "wave_front_size": 64, "num_xcc": 2, "max_waves_per_simd": 8}


def launch(number: int, hits: float, ns: int) -> tools.Launch:
    """8 KB in 64-byte reads and `hits` of 100 hits; the first pass takes `ns`, the second 1 ns more."""
    at = number * 10_000
    first = {**dict.fromkeys(READ, 0.0), "TCC_EA0_RDREQ_sum": 125.0, "TCC_HIT_sum": hits}
    second = {"TCC_HIT_sum": hits, "TCC_MISS_sum": 100 - hits, **dict.fromkeys(WAVES, 1000.0)}
    return tools.Launch(
        number, (tools.Execution(0, at, at + ns, first), tools.Execution(1, at + 5000, at + 5001 + ns, second))
    )


RUN = tools.Run(
    launches=(launch(1, 60, 1000), launch(2, 80, 2000), launch(3, 90, 4000)),
    plan=((*READ, "TCC_HIT_sum"), (*CACHE, *WAVES)),
    sets=("memory", "cache", "occupancy"),
    properties=GPU,
)


def opened(folder: Path, run: tools.Run = RUN, file: str = "journal") -> Trace:
    return open_trace(tools.write_run(folder / file, run, files=(file,)))


def text(render: Callable[..., None], trace: Trace, **options: int) -> str:
    stream = io.StringIO()
    render(trace, stream, **options)
    return stream.getvalue()


def process_of(trace: Trace) -> dict[str, Any]:
    (process,) = json.loads(text(render_json, trace))["processes"]
    found: dict[str, Any] = process
    return found


@pytest.mark.parametrize("file", ["journal", "pftrace", "db"])
def test_every_file_of_a_run_says_which_sets_and_what_the_gpu_is(tmp_path: Path, file: str) -> None:
    (process,) = opened(tmp_path, file=file).processes
    assert process.sets == RUN.sets
    assert dict(process.gpus[0].properties) == GPU


def test_a_run_directory_with_sets_has_no_findings(tmp_path: Path) -> None:
    assert [f for f in verify(tools.write_run(tmp_path, RUN)) if f.severity != "info"] == []


def test_files_that_name_other_sets_are_not_of_one_run(tmp_path: Path) -> None:
    folder = tools.write_run(tmp_path, RUN)
    other = tools.write_run(tmp_path / "other", replace(RUN, sets=("cache",)), files=("db",))
    (database,) = other.glob("*.db")
    database.replace(folder / database.name)
    assert any("sets is" in finding.message for finding in verify(folder))


@pytest.mark.parametrize("file", ["journal", "pftrace", "db"])
def test_the_terminal_shows_median_and_extent_of_each_metric(tmp_path: Path, file: str) -> None:
    shown = text(render_terminal, opened(tmp_path, file=file), width=120)
    table = shown[shown.index("\nMetrics") : shown.index("\n- is no value")]
    rows = {cells[0]: cells[1:] for line in table.splitlines() if (cells := line.split())}
    assert rows["Metric"] == ["from", "Unit", "Median", "Min", "Max"]
    assert rows["read_bandwidth"] == ["p0", "GB/s", "4", "2", "8"]  # 8000 B in 1000, 2000 and 4000 ns
    assert rows["read_bytes"] == ["p0", "B", "8,000", "=", "="]
    assert rows["l2_hit_rate"] == ["p1", "%", "80", "60", "90"]
    assert rows["waves_per_cu"] == ["p1", "waves", "0.8", "=", "="]  # 4 x 1000 x 2 / (1000 x 10)
    assert rows["occupancy"] == ["p1", "%", "2.5", "=", "="]
    assert rows["write_bytes"] == ["B", "-"]
    assert list(rows)[4:] == [
        *("read_bandwidth", "write_bandwidth", "read_bytes", "write_bytes", "read_request_size", "write_request_size"),
        *("dram_read_share", "dram_write_share", "l2_hit_rate", "l1_hit_rate", "scalar_cache_hit_rate"),
        *("instruction_cache_hit_rate", "translation_hit_rate"),
        *("waves_per_cu", "occupancy", "waves_per_active_cu", "wave_life"),
    ]


def test_a_run_without_sets_shows_no_metrics(tmp_path: Path) -> None:
    trace = opened(tmp_path, replace(RUN, sets=()))
    for render in (render_terminal, render_markdown, render_html):
        assert "l2_hit_rate" not in text(render, trace)
    process = process_of(trace)
    assert process["kernels"][0]["metrics"] == {}
    assert "metrics" not in process["dispatches"][0]


def test_a_set_that_this_package_does_not_know_shows_nothing(tmp_path: Path) -> None:
    shown = text(render_terminal, opened(tmp_path, replace(RUN, sets=("of_tomorrow",))))
    assert "Metrics" not in shown


def test_a_metric_that_some_launches_lack_says_in_how_many_it_was_read(tmp_path: Path) -> None:
    first = replace(RUN.launches[0], executions=RUN.launches[0].executions[:1], outcome="incomplete")
    shown = text(render_terminal, opened(tmp_path, replace(RUN, launches=(first, *RUN.launches[1:]))), width=120)
    (line,) = re.findall(r"^l2_hit_rate .*$", shown, re.MULTILINE)
    assert line.split() == ["l2_hit_rate", "p1", "%", "85", "80", "90", "2", "of", "3"]


def test_the_page_has_metrics_under_a_heading_of_their_own(tmp_path: Path) -> None:
    shown = text(render_html, opened(tmp_path))
    metrics, counters = shown.index("<h3>Metrics</h3>"), shown.index("<h3>Counters</h3>")
    assert metrics < shown.index(">l2_hit_rate<") < counters < shown.index("<code>TCC_HIT_sum</code>")
    assert shown.count("<h3>Metrics</h3>") == 1
    assert "Metrics" not in text(render_html, opened(tmp_path / "none", replace(RUN, sets=()))).partition("<script>")[0]


def test_the_page_has_the_metrics_of_all_kernels_side_by_side(tmp_path: Path) -> None:
    shown = text(render_html, opened(tmp_path)).partition("Metrics of each kernel, median")[2]
    titles = re.findall(r'<th scope="col">([^<]*)</th>', shown.partition("</thead>")[0])
    cells = re.findall(r"<td>([^<]*)</td>", shown.partition("</tr></tbody>")[0].partition("<tbody>")[2])
    medians = dict(zip(titles, cells, strict=False))
    assert medians["l2_hit_rate (%)"] == "80"


def test_documents_have_the_metrics_of_each_kernel(tmp_path: Path) -> None:
    trace = opened(tmp_path)
    assert "| l2_hit_rate | p1 | % | all | 80 | 60 | 90 |" in text(render_markdown, trace)
    assert "| write_bytes |  | B | - | - | - | - |" in text(render_markdown, trace)
    page = text(render_html, trace)
    cells = ["l2_hit_rate", "p1", "%"]
    row = "".join(f'<td class="text">{cell}</td>' for cell in cells)
    assert f"<tr>{row}<td>all</td><td>80</td><td>60</td><td>90</td></tr>" in page


def test_the_json_has_the_metrics_of_kernels_and_dispatches(tmp_path: Path) -> None:
    process = process_of(opened(tmp_path))
    assert process["sets"] == ["memory", "cache", "occupancy"]
    metrics = process["kernels"][0]["metrics"]
    assert metrics["l2_hit_rate"] == {
        "set": "cache",
        "unit": "%",
        "formula": "100 * TCC_HIT_sum / (TCC_HIT_sum + TCC_MISS_sum)",
        "passes": [1],
        "median": 80.0,
        "count": 3,
        "min": 60.0,
        "max": 90.0,
        "apart": {},
    }
    assert metrics["write_bytes"]["median"] is None
    assert (metrics["write_bytes"]["count"], metrics["write_bytes"]["min"]) == (0, None)
    assert [d["metrics"]["l2_hit_rate"] for d in process["dispatches"]] == [60.0, 80.0, 90.0]
    assert "write_bytes" not in process["dispatches"][0]["metrics"]


def test_the_table_of_readings_has_no_metrics_and_its_json_has_them(tmp_path: Path) -> None:
    trace = opened(tmp_path)
    assert "l2_hit_rate" not in text(render_csv, trace)
    stream = io.StringIO()
    write_json([(trace.processes[0], trace.processes[0].dispatches, {})], stream)
    (process,) = json.loads(stream.getvalue())["processes"]
    assert process["dispatches"][2]["metrics"]["read_bandwidth"] == 2.0


@pytest.mark.parametrize("render", [render_terminal, render_markdown, render_html])
def test_the_dash_of_a_metric_without_a_value_is_explained(tmp_path: Path, render: Callable[..., None]) -> None:
    """Nothing was counted of the one, the counters of others are in different passes, or were not read."""
    run = replace(RUN, launches=(tools.with_launch(RUN, 0, executions=zero(RUN)).launches[0],), sets=("cache",))
    shown = text(render, opened(tmp_path, run)).replace("\\", "")
    assert "- is no value: the formula divides by 0 (l2_hit_rate)" in shown
    assert re.search(r"- is no value: no pass read all of its counters \(l1_hit_rate, scalar_cache_hit_rate", shown)
    whole = text(render, opened(tmp_path / "whole", replace(RUN, sets=("occupancy",))))
    assert "divides by 0" not in whole


def zero(run: tools.Run) -> tuple[tools.Execution, ...]:
    """The executions of its first launch, without a hit and without a miss."""
    return tuple(replace(e, values=dict.fromkeys(e.values, 0.0)) for e in run.launches[0].executions)


@pytest.mark.parametrize("render", [render_terminal, render_markdown, render_html])
def test_counters_of_different_launches_make_no_metric_and_it_is_said(
    tmp_path: Path, render: Callable[..., None]
) -> None:
    """In rotation each launch reads one group: hits of one and misses of the next are a rate that no cache had."""
    launches = []
    for number, (group, name) in enumerate((n % 2, CACHE[n % 2]) for n in range(4)):
        at = 1000 * (number + 1)
        one = tools.Execution(None, at, at + 90, {name: 50.0 + number}, group=group)
        launches.append(tools.Launch(number + 1, (one,), outcome="declined", reason="rotate_mode"))
    run = replace(RUN, launches=tuple(launches), plan=tuple((name,) for name in CACHE), sets=("cache",))
    trace = opened(tmp_path, run)
    shown = text(render, trace).replace("\\", "").replace("\n", " ")
    assert "l2_hit_rate is no value: its counters were read in different executions" in shown
    assert "(TCC_HIT_sum in g0, TCC_MISS_sum in g1)" in shown
    assert "--group TCC_HIT_sum,TCC_MISS_sum reads them together" in shown
    metric = process_of(trace)["kernels"][0]["metrics"]["l2_hit_rate"]
    assert (metric["median"], metric["count"]) == (None, 0)
    assert metric["apart"] == {"TCC_HIT_sum": [0], "TCC_MISS_sum": [1]}
