# SPDX-License-Identifier: MIT
"""Verifying, reporting and tabulating files that other tools wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import trace_tools as tools
from fake_native import Cli
from handmade_foreign import GOOD, WORKED_EXAMPLE, Execution, Launch, Run, replayed, write_rocprof_sys, write_rocprofv3
from handmade_foreign_trace import rocprof_sys_trace
from verify_cases_foreign import sys_database, sys_trace, v3

from rocprofsys_multipass.report import report
from rocprofsys_multipass.run.tables import write_tables
from rocprofsys_multipass.testing import CheckError, assert_no_double_count
from rocprofsys_multipass.verify import verify

GOOD_FILES = {
    "rocprofv3 3.0.0": v3(),
    "rocprofv3 3.0.4": v3(patch=4),
    "rocprofv3, a column of passes, none replayed": v3(shape="per_pass", own_views=True),
    "rocprofv3, instances in turn": v3(
        then="CREATE TABLE turned AS SELECT event_id, pmc_id, value, "
        "ROW_NUMBER() OVER (PARTITION BY event_id, pmc_id ORDER BY id) AS instance FROM rocpd_pmc_event~;"
        "DELETE FROM rocpd_pmc_event~; INSERT INTO rocpd_pmc_event~ (event_id, pmc_id, value) "
        "SELECT event_id, pmc_id, value FROM turned ORDER BY event_id, instance, pmc_id; DROP TABLE turned"
    ),
    "rocprofv3 without counters": v3(Run(tuple(Launch(n, (Execution(n * 100, n * 100 + 50),)) for n in (1, 2)))),
    "rocprof-sys database": sys_database(),
    "rocprof-sys database, other names": sys_database(name="{} GPU {}"),
    "rocprof-sys trace by stream": sys_trace(),
    "rocprof-sys trace by queue": sys_trace(by="queue"),
    "rocprof-sys trace, compressed": sys_trace(compressed=True),
}


@pytest.fixture(autouse=True)
def no_trace_processor(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("ROCPROFSYS_MULTIPASS_TRACE_PROCESSOR", raising=False)


@pytest.mark.parametrize("kind", GOOD_FILES)
def test_of_a_good_file_of_another_tool_one_line_says_who_wrote_it(tmp_path: Path, kind: str):
    GOOD_FILES[kind](tmp_path)
    assert [(f.severity, f.check) for f in verify(tmp_path)] == [("info", "foreign")]


def test_files_of_this_tool_are_not_foreign(tmp_path: Path):
    for files in (("journal", "db", "pftrace", "json"), ("db",), ("pftrace",)):
        folder = tools.write_run(tmp_path / "".join(files), tools.sample_run(), files=files)
        assert [f for f in verify(folder) if f.check.startswith("foreign")] == []


def test_a_json_of_rocprofv3_beside_its_database_is_no_summary_of_ours(tmp_path: Path):
    path = write_rocprofv3(tmp_path / "1_results.db", GOOD)
    path.with_suffix(".json").write_text('{"rocprofiler-sdk-tool": []}', encoding="utf-8")
    assert [f.check for f in verify(tmp_path)] == ["foreign"]


def test_a_trace_of_a_tool_that_is_not_known_is_said_to_be_of_another(tmp_path: Path):
    path = tmp_path / "other.pftrace"
    path.write_bytes(rocprof_sys_trace(GOOD, annotated=False))
    assert [(f.where, f.message) for f in verify(path)] == [
        ("other.pftrace", "written by another tool: checks that need this tool's plan are left out")
    ]


def test_slices_of_rocprof_sys_are_counted_in_a_trace_that_was_merged_with_ours(tmp_path: Path):
    path = tmp_path / "multipass-4711.pftrace"
    ours = tools.trace_bytes(tools.sample_run())
    path.write_bytes(ours + rocprof_sys_trace(WORKED_EXAMPLE, by="queue", first_track=90_000))
    assert [f.message for f in verify(path) if f.check == "foreign-times"] == [
        "3 slices and 300 ns of 1 dispatch that took 100 ns: each pass has a slice, first in dispatch 1"
    ]
    path.write_bytes(ours + rocprof_sys_trace(GOOD, by="queue", first_track=90_000))
    assert [f for f in verify(path) if f.check.startswith("foreign")] == []


def test_counters_of_different_passes_are_not_said_to_contradict_each_other(tmp_path: Path):
    hints = {}
    for shape in ("plain", "merged", "per_pass"):
        path = write_rocprofv3(tmp_path / f"{shape}.db", WORKED_EXAMPLE, shape=shape)
        (hints[shape],) = [f.hint for f in verify(path) if f.check == "ratios"]
    assert hints == {
        "plain": "the two counters contradict each other",
        "merged": "they may be of different passes, which the file does not tell apart",
        "per_pass": "read them in one pass: --group GRBM_GUI_ACTIVE,GRBM_COUNT",
    }


def test_the_command_tells_double_counting_by_its_exit_code(cli: Cli, tmp_path: Path):
    good, bad = tmp_path / "good.db", tmp_path / "bad.db"
    write_rocprofv3(good, GOOD)
    write_rocprof_sys(bad, replayed(GOOD))
    assert cli("verify", good)[0] == 0
    code, out, _ = cli("verify", bad)
    assert code == 6
    assert "counts 6 calls" in out


@pytest.mark.parametrize("shape", ["merged", "per_pass"])
def test_an_assertion_of_no_double_count_fails_for_what_is_added_up_over_passes(tmp_path: Path, shape: Any):
    assert_no_double_count(write_rocprofv3(tmp_path / "good.db", GOOD))
    with pytest.raises(CheckError, match="SQ_WAVES"):
        assert_no_double_count(write_rocprofv3(tmp_path / "bad.db", replayed(GOOD), shape=shape))


def test_a_report_does_not_say_of_which_pass_a_counter_is_where_nothing_tells(tmp_path: Path):
    text = report(write_rocprofv3(tmp_path / "x.db", replayed(GOOD), shape="merged"))
    assert {line.split()[1] for line in text.splitlines() if line.startswith("SQ_WAVES")} == {"?"}


@pytest.mark.parametrize(
    "write", [v3(replayed(GOOD), shape="merged"), v3(replayed(GOOD), shape="per_pass"), sys_database(), sys_trace()]
)
def test_a_report_and_tables_have_each_dispatch_and_each_counter_once(tmp_path: Path, write: Any):
    write(tmp_path)
    (path,) = tmp_path.iterdir()
    text = report(path)
    assert "axpy" in text
    csv_file, _ = write_tables(path, ("csv", "json"))
    lines = csv_file.read_text(encoding="utf-8").splitlines()
    canonical = [line for line in lines if ",SQ_WAVES," in line and ",512.0,true," in line]
    assert len(canonical) == len(GOOD.launches)
    assert [f for f in verify(path) if f.check == "tables"] == []
