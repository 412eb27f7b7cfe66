# SPDX-License-Identifier: MIT
"""Reports for programs and documents: CSV, JSON, Markdown."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
import trace_tools as tools

import rocprofsys_multipass as mp
from rocprofsys_multipass.errors import UsageError
from rocprofsys_multipass.report import render_csv, render_json, render_markdown
from rocprofsys_multipass.report.markdown import DISPATCHES_SHOWN
from rocprofsys_multipass.trace import Trace, open_trace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


RUN = tools.sample_run()


def opened(tmp_path: Path, run: tools.Run = RUN, file: str = "journal") -> Trace:
    return open_trace(tools.write_run(tmp_path, run, files=(file,)))


def written(render: Callable[..., None], trace: Trace, **options: str) -> str:
    stream = io.StringIO()
    render(trace, stream, **options)
    return stream.getvalue()


def document(trace: Trace, **options: str) -> dict[str, Any]:
    """The only process of the JSON."""
    data = json.loads(written(render_json, trace, **options))
    assert data["schema"] == 1
    (process,) = data["processes"]
    found: dict[str, Any] = process
    return found


# ---------------------------------------------------------------------------------------------------------------------
# CSV


def test_csv_has_a_line_per_reading_with_outcome_and_geometry(tmp_path: Path):
    lines = list(csv.DictReader(io.StringIO(written(render_csv, opened(tmp_path)))))
    assert len(lines) == 12
    assert lines[0] == {
        "process": "4711",
        "agent": "0",
        "dispatch_id": "1",
        "kernel": "axpy(float*, int)",
        "pass": "0",
        "group": "0",
        "counter": "GRBM_COUNT",
        "value": "100.5",
        "canonical": "true",
        "start": "1000",
        "end": "1100",
        "outcome": "replayed",
        "reason": "",
        "grid_x": "1024",
        "grid_y": "1",
        "grid_z": "1",
        "workgroup_x": "64",
        "workgroup_y": "1",
        "workgroup_z": "1",
        "same_work": "unknown",
        "same_clock": "unknown",
        "same_cache": "unknown",
        "dispatch_time": "100",
        "time_of": "pass 0",
    }
    declined = [line for line in lines if line["dispatch_id"] == "3"]
    assert [(line["pass"], line["group"], line["reason"]) for line in declined] == [("", "1", "graph")] * 2
    assert {(line["dispatch_time"], line["time_of"]) for line in declined} == {("90", "single run")}


@pytest.mark.parametrize("value", [0.1 + 0.2, 1e300, 2.0**53 + 2, -0.0, 5e-324])
def test_csv_gives_back_the_same_double(tmp_path: Path, value: float):
    run = tools.with_execution(RUN, 0, 1, values={"TCC_HIT": value})
    lines = csv.DictReader(io.StringIO(written(render_csv, opened(tmp_path, run))))
    (text,) = (x["value"] for x in lines if (x["dispatch_id"], x["counter"]) == ("1", "TCC_HIT"))
    assert float(text).hex() == value.hex()


@pytest.mark.parametrize("file", ["journal", "db", "pftrace"])
def test_csv_read_by_pandas_is_the_data_frame(tmp_path: Path, file: str):
    pd = pytest.importorskip("pandas")
    trace = opened(tmp_path, file=file)
    expected = trace.to_pandas()
    read = pd.read_csv(io.StringIO(written(render_csv, trace)), dtype=dict(expected.dtypes))
    pd.testing.assert_frame_equal(read[list(expected.columns)], expected)


def test_csv_quotes_names_with_commas_quotes_and_lines(tmp_path: Path):
    name = 'k<"a", 1>\n(int)'
    lines = list(
        csv.DictReader(io.StringIO(written(render_csv, opened(tmp_path, tools.with_launch(RUN, 0, kernel=name)))))
    )
    assert {line["kernel"] for line in lines if line["dispatch_id"] == "1"} == {name}


def test_csv_of_one_kernel_has_its_readings_only(tmp_path: Path):
    lines = csv.DictReader(io.StringIO(written(render_csv, opened(tmp_path), kernel="init")))
    assert {line["dispatch_id"] for line in lines} == {"3"}


# ---------------------------------------------------------------------------------------------------------------------
# JSON


def test_json_has_every_dispatch_with_outcome_and_passes(tmp_path: Path):
    dispatches = document(opened(tmp_path))["dispatches"]
    assert [d["outcome"] for d in dispatches] == ["replayed", "replayed", "declined", "filtered", "incomplete"]
    assert dispatches[0]["counters"] == {"GRBM_COUNT": 100.5, "SQ_WAVES": 512, "TCC_HIT": 300}
    assert (dispatches[0]["grid"], dispatches[0]["workgroup"], dispatches[0]["agent"]) == ([1024, 1, 1], [64, 1, 1], 0)
    assert dispatches[2]["passes"] == [
        {
            "pass": None,
            "group": 1,
            "status": "OK",
            "start": 3000,
            "end": 3090,
            "counters": {"SQ_WAVES": 64, "TCC_HIT": 9},
        }
    ]


def test_json_counts_outcomes_and_reasons(tmp_path: Path):
    process = document(opened(tmp_path))
    assert process["outcomes"] == {
        "seen": 5,
        "replayed": 2,
        "single_pass": 0,
        "declined": 1,
        "filtered": 1,
        "incomplete": 1,
    }
    assert process["reasons"] == {"declined": {"graph": 1}, "incomplete": {"process_end": 1}}


def test_json_has_statistics_per_kernel_pass_and_counter(tmp_path: Path):
    process = document(opened(tmp_path))
    axpy = process["kernels"][0]
    assert (axpy["kernel"], axpy["dispatches"], axpy["outcomes"]) == (
        "axpy(float*, int)",
        3,
        {"replayed": 2, "incomplete (process_end)": 1},
    )
    assert axpy["duration"] == {"total": 300, "count": 3, "mean": 100, "min": 100, "max": 100}
    assert axpy["counters"]["TCC_HIT"] == {"passes": [1], "unit": "", "count": 2, "mean": 150, "min": 0, "max": 300}
    assert [(p["pass"], p["counters"], p["duration"]["mean"]) for p in process["passes"]] == [(0, 2, 100), (1, 2, 110)]
    assert process["passes"][1]["gap_before"] == {"count": 2, "mean": 50, "min": 50, "max": 50}
    assert process["cost"] == {"dispatches": 2, "window": 520, "first_pass": 200, "all_passes": 420}
    (agreement,) = process["agreement"]
    assert (agreement["counter"], agreement["compared"], agreement["equal"]) == ("SQ_WAVES", 2, 2)


def test_json_says_what_ran_and_what_was_planned(tmp_path: Path):
    process = document(opened(tmp_path))
    assert (process["pid"], process["command"], process["simulated"]) == (tools.PID, ["./app", "it's"], True)
    (agent,) = process["agents"]
    assert [p["counters"] for p in agent["passes"]] == [["SQ_WAVES", "GRBM_COUNT"], ["SQ_WAVES", "TCC_HIT"]]
    assert process["warnings"] == ["two queues overlapped"]


def test_json_has_a_line_of_text_per_dispatch(tmp_path: Path):
    lines = written(render_json, opened(tmp_path)).splitlines()
    assert [json.loads(line.rstrip(","))["dispatch_id"] for line in lines if '"dispatch_id"' in line] == [1, 2, 3, 4, 5]


def test_an_infinite_value_is_a_text_since_json_has_none(tmp_path: Path):
    run = tools.with_execution(RUN, 0, 1, values={"TCC_HIT": float("-inf")})
    text = written(render_json, opened(tmp_path, run, file="db"))  # a journal's is left out when it is read
    process = json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))["processes"][0]
    assert process["dispatches"][0]["counters"]["TCC_HIT"] == "-Infinity"
    assert process["kernels"][0]["counters"]["TCC_HIT"]["min"] == "-Infinity"


def test_json_is_ascii_whatever_the_names_are(tmp_path: Path):
    trace = opened(tmp_path, tools.with_launch(RUN, 0, kernel="größe(\u2028)"))
    assert written(render_json, trace).isascii()
    assert document(trace)["dispatches"][0]["kernel"] == "größe(\u2028)"


def test_json_of_one_kernel_has_its_dispatches_and_statistics_only(tmp_path: Path):
    process = document(opened(tmp_path), kernel="init")
    assert [d["dispatch_id"] for d in process["dispatches"]] == [3, 4]
    assert [k["kernel"] for k in process["kernels"]] == ["init(int)"]
    assert process["outcomes"]["seen"] == 2


def test_json_of_two_processes_has_both(tmp_path: Path):
    for rank in (0, 1):
        tools.write_run(tmp_path, replace(RUN, rank=rank, pid=100 + rank), files=("journal",))
    data = json.loads(written(render_json, open_trace(tmp_path)))
    assert [(p["pid"], p["rank"], len(p["dispatches"])) for p in data["processes"]] == [(100, 0, 5), (101, 1, 5)]


# ---------------------------------------------------------------------------------------------------------------------
# Markdown


def test_markdown_has_tables_of_kernels_dispatches_counters_passes_and_agreement(tmp_path: Path):
    text = written(render_markdown, opened(tmp_path))
    lines = text.splitlines()
    assert [line for line in lines if line.startswith("#")] == [
        "# ./app it's",
        "## Kernels",
        "## Launches",
        "## Not read, and what to do",
        "## Kernel counters",
        "## Dispatches",
        "## `axpy(float*, int)` on GPU 0 \\[gfx942\\]",
        "## `init(int)` on GPU 0 \\[gfx942\\]",
        "## Plan of GPU 0 \\[gfx942\\]",
        "## Passes",
        "## Agreement of the passes",
        "## Files",
    ]
    times = "300 ns | 100 ns | 100 ns | 100 ns | 100-110 ns"
    assert f"| `axpy(float*, int)` | 0 | 3 | {times} | 2 replayed, 1 incomplete (process_end) |" in lines
    assert "| 1 | 0 | `axpy(float*, int)` | replayed | 2 of 2 | 3 | 100 ns | pass 0 | 100-110 ns | 260 ns |" in lines
    assert "| 3 | 0 | `init(int)` | declined (graph) | - | 2 | 90 ns | single run | - | - |" in lines
    assert "| TCC_HIT | p1 |  | 2 of 3 | 150 | 0 | 300 |" in lines
    assert "| 1 | 2 | 2 | 110 ns | 110 ns | 110 ns | 50 ns |" in lines
    assert "| SQ_WAVES | 0 | 2 | 2 | - |  |" in lines


def test_markdown_tells_outcomes_with_reasons_and_warnings(tmp_path: Path):
    lines = written(render_markdown, opened(tmp_path)).splitlines()
    assert "- 5 dispatches: 2 replayed, 1 declined (graph), 1 filtered, 1 incomplete (process_end)" in lines
    assert "- **warning:** two queues overlapped" in lines


def test_every_row_of_a_markdown_table_has_the_cells_of_its_head(tmp_path: Path):
    run = tools.with_launch(RUN, 0, kernel="k<a|b>(`x`)")
    text = written(render_markdown, opened(tmp_path, run))
    blocks = [block.splitlines() for block in text.split("\n\n") if block.startswith("|")]
    assert len(blocks) > 3
    for block in blocks:
        cells = {len(line.replace("\\|", "").strip("|").split("|")) for line in block}
        assert len(cells) == 1, block


def test_names_are_no_markup_in_markdown(tmp_path: Path):
    run = replace(RUN, warnings=("<script> *bold* [a](b) | _x_ SQ_WAVES",))
    lines = written(render_markdown, opened(tmp_path, run)).splitlines()
    assert "- **warning:** \\<script\\> \\*bold\\* \\[a\\](b) \\| \\_x\\_ SQ_WAVES" in lines


def test_a_long_list_of_dispatches_is_cut_and_says_so(tmp_path: Path):
    run = replace(RUN, launches=tuple(tools.replayed(n, 1000 * n) for n in range(1, DISPATCHES_SHOWN + 4)))
    text = written(render_markdown, opened(tmp_path, run))
    assert f"| {DISPATCHES_SHOWN} | 0 |" in text
    assert f"| {DISPATCHES_SHOWN + 1} | 0 |" not in text
    assert "\n3 more dispatches: in the CSV.\n" in text


# ---------------------------------------------------------------------------------------------------------------------
# As a text


@pytest.mark.parametrize(
    ("form", "start"),
    [("text", "./app it's\n"), ("markdown", "# "), ("html", "<!DOCTYPE html>"), ("csv", "process,"), ("json", "{")],
)
def test_a_report_is_a_text_of_the_form_asked_for(tmp_path: Path, form: Any, start: str):
    folder = tools.write_run(tmp_path, RUN, files=("journal",))
    text = mp.report(folder, form)
    assert text.startswith(start)
    assert text == mp.report(open_trace(folder), form)
    assert "axpy" not in mp.report(folder, form, kernel="init")


def test_a_report_of_an_unknown_form_is_refused(tmp_path: Path):
    with pytest.raises(UsageError, match="form 'pdf' is not one of text, markdown, html, csv, json"):
        mp.report(tmp_path, "pdf")  # type: ignore[arg-type]
