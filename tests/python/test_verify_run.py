# SPDX-License-Identifier: MIT
"""What verify takes, and how its findings come."""

from __future__ import annotations

import gc
import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
import trace_tools as tools

from rocprofsys_multipass.errors import TraceError
from rocprofsys_multipass.trace import open_trace
from rocprofsys_multipass.verify import CHECKS, SEVERITIES, Finding, verify
from rocprofsys_multipass.verify.run import MOST_PER_CHECK

if TYPE_CHECKING:
    from pathlib import Path

RUN = tools.sample_run()
NAME = f"multipass-{tools.PID}"


@pytest.fixture(autouse=True)
def no_trace_processor(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("ROCPROFSYS_MULTIPASS_TRACE_PROCESSOR", raising=False)


def spoiled(tmp_path: Path) -> Path:
    """A run whose database has a wrong value, beside a trace that is cut."""
    tools.write_run(tmp_path, RUN)
    (tmp_path / f"{NAME}.db").unlink()
    tools.write_database(tmp_path / f"{NAME}.db", RUN, then="UPDATE rocpd_replay_pmc~ SET value = 1 WHERE id = 2")
    (tmp_path / f"{NAME}.pftrace").write_bytes(tools.trace_bytes(RUN)[:-2])
    return tmp_path


def test_findings_come_worst_first_and_of_all_files(tmp_path: Path):
    findings = verify(spoiled(tmp_path))
    ranks = [SEVERITIES.index(f.severity) for f in findings]
    assert ranks == sorted(ranks)
    assert {"perfetto-bytes", "rocpd-no-double-count", "parity"} <= {f.check for f in findings if f.severity == "error"}


def test_single_files_are_checked_by_themselves(tmp_path: Path):
    folder = spoiled(tmp_path)
    assert not any(f.severity == "error" for f in verify(folder / f"{NAME}.journal"))
    checks = {f.check for f in verify(str(folder / f"{NAME}.db")) if f.severity == "error"}
    assert checks == {"rocpd-no-double-count"}


def test_several_files_with_one_name_are_compared(tmp_path: Path):
    folder = spoiled(tmp_path)
    findings = verify([folder / f"{NAME}.db", folder / f"{NAME}.journal"])
    assert any(f.check == "parity" and "pass 0, GRBM_COUNT" in f.where for f in findings)


def test_every_process_of_a_directory_is_checked_by_itself(tmp_path: Path):
    tools.write_run(tmp_path, replace(RUN, rank=0))
    tools.write_run(tmp_path, replace(RUN, rank=1, launches=RUN.launches[:1]), files=("journal", "pftrace"))
    assert not any(f.severity == "error" for f in verify(tmp_path))


def test_strict_makes_errors_of_warnings(tmp_path: Path):
    run = tools.with_execution(RUN, 0, 1, values={"SQ_WAVES": 1, "TCC_HIT": 300})
    tools.write_run(tmp_path, run, files=("journal",))
    assert [f.severity for f in verify(tmp_path) if f.check == "agreement"] == ["warning"]
    assert [f.severity for f in verify(tmp_path, strict=True) if f.check == "agreement"] == ["error"]


def test_many_findings_of_one_kind_are_counted_not_listed(tmp_path: Path):
    launches = tuple(tools.replayed(n, 1000 * n) for n in range(1, 51))
    run = replace(RUN, launches=launches)
    broken = replace(run, launches=tuple(replace(d, executions=d.executions[:1]) for d in launches))
    tools.write_run(tmp_path, broken, files=("journal",))
    found = [f for f in verify(tmp_path) if f.check == "complete"]
    assert len(found) == MOST_PER_CHECK + 1
    assert (found[-1].where, found[-1].message) == (f"{NAME}.journal", "30 more like those above")


def test_nothing_to_verify_is_an_error(tmp_path: Path):
    with pytest.raises(TraceError, match=r"no .journal, .db or .pftrace in it"):
        verify(tmp_path)
    with pytest.raises(TraceError, match="there is no such file or directory"):
        verify(tmp_path / "gone")


def test_a_finding_is_plain_data_and_one_line_with_a_hint_below():
    finding = Finding("error", "parity", "a.db: dispatch 1", "differs", "write it again")
    assert json.loads(json.dumps(finding.to_json())) == {
        "severity": "error",
        "check": "parity",
        "where": "a.db: dispatch 1",
        "message": "differs",
        "hint": "write it again",
        "path": "",
    }
    assert str(finding) == "error: a.db: dispatch 1: differs [parity]\n  write it again"


def test_every_check_is_described_in_one_line():
    assert all(c.description.endswith(".") and len(c.description) < 120 for c in CHECKS.values())


def test_a_trace_is_not_asked_of_perfetto_without_its_program(tmp_path: Path):
    tools.write_run(tmp_path, RUN, files=("pftrace",))
    assert [f.severity for f in verify(tmp_path) if f.check == "perfetto-stats"] == ["info"]


def test_what_holds_for_every_trace_is_said_once(tmp_path: Path):
    for rank in range(3):
        tools.write_run(tmp_path, replace(RUN, rank=rank), files=("journal", "pftrace"))
    found = [f for f in verify(tmp_path) if f.check == "perfetto-stats"]
    assert [(f.severity, f.where) for f in found] == [("info", "multipass-rank0.pftrace and 2 more")]


@pytest.mark.parametrize("was_enabled", [True, False])
def test_the_collector_is_left_as_it_was(tmp_path: Path, *, was_enabled: bool):
    tools.write_run(tmp_path, RUN, files=("journal",))
    try:
        if not was_enabled:
            gc.disable()
        verify(tmp_path)
        with pytest.raises(TraceError):
            verify(tmp_path / "gone")
        assert gc.isenabled() is was_enabled
    finally:
        gc.enable()


def test_a_program_that_cannot_be_started_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ROCPROFSYS_MULTIPASS_TRACE_PROCESSOR", str(tmp_path / "none"))
    tools.write_run(tmp_path, RUN, files=("pftrace",))
    found = [f for f in verify(tmp_path) if f.check == "perfetto-stats"]
    assert [f.severity for f in found] == ["error"]
    assert "cannot be started" in found[0].message


def test_a_program_that_does_not_serve_is_an_error_not_an_exception(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    program = tmp_path / "trace_processor_shell"
    program.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("ROCPROFSYS_MULTIPASS_TRACE_PROCESSOR", str(program))
    tools.write_run(tmp_path, RUN, files=("pftrace",))
    found = [f for f in verify(tmp_path) if f.check == "perfetto-stats"]
    assert [(f.severity, f.where) for f in found] == [("error", f"{NAME}.pftrace")]
    assert "Perfetto cannot load it" in found[0].message


def merged(folder: Path, *databases: Path) -> Path:
    """What `rocpd merge` makes: the tables of all, each base view a union of those that begin with its name."""
    path = folder / "merged.db"
    with closing(sqlite3.connect(path)) as db:
        for n, one in enumerate(databases):
            db.execute(f"ATTACH '{one}' AS of_{n}")
            found = db.execute(f"SELECT name, sql FROM of_{n}.sqlite_master WHERE type = 'table'").fetchall()
            for name, sql in found:
                if not name.startswith("sqlite_"):
                    db.execute(sql)
                    db.execute(f'INSERT INTO main."{name}" SELECT * FROM of_{n}."{name}"')
        tables = [row[0] for row in db.execute("SELECT name FROM main.sqlite_master WHERE type = 'table'")]
        for name, sql in db.execute("SELECT name, sql FROM of_0.sqlite_master WHERE type = 'view'").fetchall():
            union = " UNION ALL ".join(f'SELECT * FROM "{t}"' for t in tables if t.startswith(f"{name}_"))
            db.execute(f"CREATE VIEW {name} AS {union}" if name.startswith("rocpd_") else sql)
        db.commit()
    return path


def test_the_tags_of_databases_that_were_merged_into_one_are_there_once_for_each(tmp_path: Path):
    other = replace(RUN, pid=7, guid=tools.GUID.replace("0001", "0002"))
    for run in (RUN, other):
        tools.write_run(tmp_path / "each", run, files=("db",))
    path = merged(tmp_path, *sorted((tmp_path / "each").glob("*.db")))
    assert [f.message for f in verify(path) if f.check == "rocpd-metadata"] == []
    trace = open_trace(path)
    assert [(p.pid, len(p.dispatches)) for p in trace.processes] == [(7, 5), (tools.PID, 5)]


def test_tags_that_are_there_twice_in_the_file_of_one_process_are_told(tmp_path: Path):
    again = "INSERT INTO rocpd_metadata~ (tag, value) SELECT tag, value FROM rocpd_metadata~ WHERE tag = 'guid'"
    tools.write_database(tmp_path / f"{NAME}.db", RUN, then=again)
    assert [f.message for f in verify(tmp_path) if f.check == "rocpd-metadata"] == ["tag guid is there 2 times"]
