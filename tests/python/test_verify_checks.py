# SPDX-License-Identifier: MIT
"""Every check finds the file that it is there for, and nothing in a good one."""

from __future__ import annotations

import csv
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import trace_tools as tools
import verify_cases_files
import verify_cases_foreign
import verify_cases_launches
import verify_cases_perfetto
import verify_cases_rocpd
import verify_cases_rotation
import verify_cases_structure
import verify_cases_values
from verify_tools import GOOD, NAME, OF_A_SET, RUN, Case, asked, frames_changed, journal, single_pass

from rocprofsys_multipass.run.tables import write_tables
from rocprofsys_multipass.trace import journal_pb2 as pb
from rocprofsys_multipass.verify import CHECKS, Finding, verify

CASES = [
    case
    for module in (
        verify_cases_structure,
        verify_cases_rocpd,
        verify_cases_rotation,
        verify_cases_perfetto,
        verify_cases_files,
        verify_cases_launches,
        verify_cases_values,
        verify_cases_foreign,
    )
    for case in module.CASES
]


NOTES = {"coverage", "journal-there", "outcomes-declared", "warnings"}  # checks that tell what a good run has too


@pytest.fixture(autouse=True)
def no_trace_processor(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("ROCPROFSYS_MULTIPASS_TRACE_PROCESSOR", raising=False)


def of_check(findings: list[Finding], case: Case) -> list[Finding]:
    return [f for f in findings if f.check == case.check and f.severity == case.severity]


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c.check}: {c.message[:40]}")
def test_the_check_finds_what_it_is_there_for(tmp_path: Path, case: Case):
    case.write(tmp_path)
    found = of_check(verify(tmp_path), case)
    assert any(case.where in f.where and case.message in f.message for f in found), verify(tmp_path)


@pytest.mark.parametrize("check", sorted({c.check for c in CASES} - NOTES))
def test_the_check_finds_nothing_in_a_good_run(tmp_path: Path, check: str):
    assert [f for f in verify(tools.write_run(tmp_path, RUN)) if f.check == check] == []


def test_a_good_run_has_no_error_and_no_warning(tmp_path: Path):
    assert {f.severity for f in verify(tools.write_run(tmp_path, RUN))} == {"info"}


def test_every_check_has_a_case_here_or_a_test_of_its_own():
    own = {"perfetto-stats", "perfetto-counters"}
    assert {c.check for c in CASES} | own == set(CHECKS)


@pytest.mark.parametrize(
    ("text", "severity"),
    [
        ("GPU 0 (gfx942): FOO is not collected: it fits no pass", "warning"),
        ("SQ_WAVES:device=7 is collected nowhere: there is no GPU 7", "warning"),
        ("GPU 1 is left out: the SDK names no counters", "warning"),
        ("kernels are not replayed: this SDK has no kernel replay", "warning"),
        ("kernels run once, for SDK 1.0.0 has no kernel replay: each launch reads one group, in turn", "info"),
        ("GPU 0 (gfx942): not every group of counters was read: axpy: group 1 of 2 was never read (1 launch)", "info"),
        ("3 records were dropped because the disk was too slow or full", "warning"),
        ("'max_sclk' is not counted: a constant of the agent, the same for every dispatch", "info"),
        ("the output path 'a%x%' has the unknown token '%x%', it is kept", "info"),
    ],
)
def test_what_was_left_out_during_the_run_is_a_warning(tmp_path: Path, text: str, severity: str):
    journal(tmp_path, replace(GOOD, warnings=(text,)))
    assert [(f.severity, f.message) for f in verify(tmp_path) if f.check == "warnings"] == [
        (severity, f"during the run: {text}")
    ]


@pytest.mark.parametrize("run", [single_pass("auto"), replace(GOOD, replay_mode="off")])
def test_replay_off_is_no_matter_where_it_is_not_on_or_left_nothing_out(tmp_path: Path, run: tools.Run):
    journal(tmp_path, run)
    assert [f for f in verify(tmp_path) if f.check == "replay-off"] == []


def test_a_sentinel_that_is_not_in_the_default_views_is_no_loss(tmp_path: Path):
    run = replace(GOOD, sentinels=(("SQ_WAVES",), ("SQ_WAVES",)))
    journal(tmp_path, run)
    assert [f for f in verify(tmp_path) if f.severity != "info"] == []


def test_damage_inside_a_database_is_found(tmp_path: Path):
    path = tools.write_database(tmp_path / f"{NAME}.db", GOOD)
    data = bytearray(path.read_bytes())
    page = int.from_bytes(data[16:18], "big")
    data[-page + 8 : -page + 600] = b"\xff" * 592
    path.write_bytes(data)
    assert any(f.severity == "error" for f in verify(path))


def test_a_trace_need_not_say_why_a_dispatch_was_filtered(tmp_path: Path):
    filtered = tools.with_launch(RUN, 3, reason="no_match")
    tools.write_run(tmp_path, RUN, files=("pftrace",))  # an older writer: without the reason
    tools.write_run(tmp_path, filtered, files=("journal", "db"))
    assert [f for f in verify(tmp_path) if f.severity == "error"] == []


def test_gpus_of_a_run_with_sets_and_sentinels_are_the_same_in_all_files(tmp_path: Path):
    run = replace(OF_A_SET, sentinels=((), ("SQ_WAVES",)))
    assert {f.severity for f in verify(tools.write_run(tmp_path, run))} == {"info"}


def test_a_trace_without_sets_need_not_tell_the_properties_of_its_gpus(tmp_path: Path):
    run = replace(OF_A_SET, sets=())
    assert [f for f in verify(tools.write_run(tmp_path, run)) if f.check == "gpus"] == []


def test_a_summary_beside_a_good_database_alone_has_nothing_wrong(tmp_path: Path):
    tools.write_run(tmp_path, replace(OF_A_SET, sentinels=((), ("SQ_WAVES",))), files=("db", "json"))
    assert [f for f in verify(tmp_path) if f.severity != "info"] == []


@pytest.mark.parametrize("source", ["journal", "db", "pftrace"])
def test_tables_of_any_file_of_a_good_run_have_its_readings(tmp_path: Path, source: str):
    run = tools.with_execution(RUN, 0, 1, values={"SQ_WAVES": 512, "TCC_HIT": float("inf")})
    written = write_tables(tools.write_run(tmp_path, run) / f"{NAME}.{source}", ("csv", "json"))
    assert [path.name for path in written] == [f"{NAME}.csv", f"readings-{tools.PID}.json"]
    assert [f for f in verify(tmp_path) if f.check == "tables"] == []


def test_tables_of_an_earlier_version_need_not_have_the_newer_members(tmp_path: Path):
    csv_file, json_file = write_tables(tools.write_run(tmp_path, RUN) / f"{NAME}.journal", ("csv", "json"))
    older = ["same_work", "same_clock", "same_cache", "dispatch_time", "time_of"]
    with csv_file.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    with csv_file.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, [n for n in rows[0] if n not in older], extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    content = json.loads(json_file.read_text(encoding="utf-8"))
    for member in ("closed", "warm_up_pass", "outcomes"):
        del content["processes"][0][member]
    for d in content["processes"][0]["dispatches"]:
        for member in (*older[:3], "time_of", "warm_up", "timing"):
            del d[member]
    json_file.write_text(json.dumps(content), encoding="utf-8")
    assert [f for f in verify(tmp_path) if f.check == "tables"] == []


@pytest.mark.parametrize("gone", ["journal", "db", "pftrace"])
def test_tables_whose_source_is_gone_are_compared_as_far_as_another_file_knows(tmp_path: Path, gone: str):
    source = tools.write_run(tmp_path, RUN) / f"{NAME}.{gone}"
    _, table = write_tables(source, ("csv", "json"))
    source.unlink()
    assert [f for f in verify(tmp_path) if f.check == "tables"] == []
    table.write_text(table.read_text(encoding="utf-8").replace("init(int)", "init()"), encoding="utf-8")
    found = [f.where for f in verify(tmp_path) if f.check == "tables"]
    assert found == [f"{table.name}: dispatch 3, kernel", f"{table.name}: dispatch 4, kernel"]


def test_a_csv_of_someone_else_beside_a_database_of_another_name_is_no_table(tmp_path: Path):
    tools.write_database(tmp_path / "results.db", RUN)
    (tmp_path / "results.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    assert [f for f in verify(tmp_path) if f.check == "tables"] == []


def test_a_reason_to_filter_that_the_trace_has_is_compared(tmp_path: Path):
    tools.write_run(tmp_path, tools.with_launch(RUN, 3, reason="no_match"), files=("pftrace",))
    tools.write_run(tmp_path, tools.with_launch(RUN, 3, reason="range"), files=("journal",))
    found = [f.message for f in verify(tmp_path) if f.severity == "error"]
    assert found == [f"reason is no_match in {NAME}.pftrace, range in {NAME}.journal"]


@pytest.mark.parametrize("events", ["SQ_WAVES,TCC_HIT", "SQ_WAVES:device=0", "SQ_WAVES:device=7", ""])
def test_a_device_that_kernels_ran_on_or_that_does_not_exist_is_no_matter(tmp_path: Path, events: str):
    asked(events)(tmp_path)
    assert [f for f in verify(tmp_path) if f.check == "asked-device"] == []


def test_of_a_parallel_job_it_is_enough_that_one_process_used_the_device(tmp_path: Path):
    asked("SQ_WAVES:device=1")(tmp_path)

    def on_the_other(frames: list[pb.Frame]) -> list[pb.Frame]:
        frames[2].agent.device = 1
        return frames

    (tmp_path / "other").mkdir()
    frames_changed(on_the_other)(tmp_path / "other")
    assert [f for f in verify([tmp_path, tmp_path / "other"]) if f.check == "asked-device"] == []
    assert [f.where for f in verify(tmp_path) if f.check == "asked-device"] == [f"{NAME}.journal: GPU 1"]


def test_a_run_that_was_moved_has_its_files(tmp_path: Path):
    tools.write_run(tmp_path / "before", RUN)
    moved = (tmp_path / "before").rename(tmp_path / "after")
    assert [f for f in verify(moved) if f.check == "files"] == []


def test_files_of_a_run_that_was_copied_are_looked_for_in_the_copy(tmp_path: Path):
    tools.write_run(tmp_path / "run", RUN)
    shutil.copytree(tmp_path / "run", tmp_path / "copy")
    (tmp_path / "copy" / f"{NAME}.db").unlink()
    assert [f.check for f in verify(tmp_path / "copy") if f.severity == "error"] == ["files"]


def test_a_check_that_fails_is_a_finding_and_keeps_no_other_from_running(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def failing(evidence: object) -> None:
        raise KeyError("gone")

    journal(tmp_path, GOOD)
    others = [f for f in verify(tmp_path) if f.check != "complete"]
    monkeypatch.setitem(CHECKS, "complete", replace(CHECKS["complete"], function=failing))
    found = verify(tmp_path)
    assert [(f.severity, f.message) for f in found if f.check == "complete"] == [
        ("error", "internal: KeyError: 'gone'")
    ]
    assert [f for f in found if f.check != "complete"] == others


def test_of_a_sidecar_that_is_given_alone_nothing_is_said_but_what_to_give(tmp_path: Path):
    """Not that it lacks all tables and views that are in the other file."""
    tools.write_strict(tmp_path / f"{NAME}.db", GOOD)
    (error,) = (f for f in verify(tmp_path / f"{NAME}-replay.db") if f.severity == "error")
    assert (error.check, error.where) == ("readable", f"{NAME}-replay.db")
    assert error.hint == f"give {NAME}.db, with this file beside it"


def test_a_journal_without_its_first_frame_is_not_said_to_differ_in_the_mode_of_replay(tmp_path: Path):
    """Its process was killed while that frame was written; the summary has the default then."""
    tools.write_run(tmp_path, GOOD, files=("journal", "json"))
    frames_changed(lambda frames: frames[1:])(tmp_path)
    found = [f for f in verify(tmp_path) if f.check == "summary"]
    assert found != []
    assert [f for f in found if "replay_mode" in f.where] == []
