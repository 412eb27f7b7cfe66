# SPDX-License-Identifier: MIT
"""The end of a run under rocprof-sys: what is merged, and that nothing of it can get in the way of the run."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest
import trace_tools as tools
from rocprof_sys_folder import write_host

from rocprofsys_multipass.config import COMMAND_LINE
from rocprofsys_multipass.errors import OutputError
from rocprofsys_multipass.merge import Merged, pairing, process
from rocprofsys_multipass.run.merging import Merging, merge_run

RUN = tools.sample_run()


@pytest.fixture
def run_dir(tmp_path: Path) -> Path:
    return tools.write_run(tmp_path / "out", RUN)


def end(run_dir: Path, host: Path, *, alone: bool = True, since_ns: int = 0) -> Merging:
    files = sorted(run_dir.glob(f"multipass-{RUN.pid}.*"))
    return merge_run(run_dir, files, host, since_ns, overwrite=False, alone=alone, wording=COMMAND_LINE)


def works(host: Path, own: Path, target: Path, **_: object) -> Merged:
    target.write_bytes(b"x")
    return Merged(target, 1, 0, 0)


@pytest.fixture
def merging(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_merger", lambda _: works)


@pytest.mark.usefixtures("merging")
def test_only_the_processes_of_this_run_are_merged(run_dir: Path, tmp_path: Path):
    tools.write_run(run_dir, replace(RUN, pid=9, rank=3))  # of another wrapper of the job
    for pid in (RUN.pid, 9):
        write_host(tmp_path / "host", pid)
    found = end(run_dir, tmp_path / "host")
    assert found.result is not None
    assert [one.pid for one in found.result.processes] == [RUN.pid]
    assert found.result.only_host == ("process 9",)
    assert (found.warnings, found.errors) == ((), ())


@pytest.mark.usefixtures("merging")
def test_beside_other_wrappers_the_processes_of_these_are_not_spoken_of(run_dir: Path, tmp_path: Path):
    for pid in (RUN.pid, 9):
        write_host(tmp_path / "host", pid)
    found = end(run_dir, tmp_path / "host", alone=False)
    assert found.result is not None
    assert found.result.only_host == ()


def test_where_nothing_was_collected_nothing_is_looked_for(run_dir: Path, tmp_path: Path):
    assert merge_run(run_dir, [], tmp_path, 0, overwrite=False, alone=True, wording=COMMAND_LINE) == Merging()


@pytest.mark.parametrize("age", ["none", "old"])
def test_where_rocprof_sys_wrote_nothing_a_warning_says_how_it_would(run_dir: Path, tmp_path: Path, age: str):
    if age == "old":
        write_host(tmp_path / "host", RUN.pid)
    found = end(run_dir, tmp_path / "host", since_ns=1 << 62)
    (warning,) = found.warnings
    assert warning.startswith(f"nothing was merged: rocprof-sys left no trace or database of one process in {tmp_path}")
    assert "ROCPROFSYS_USE_ROCPD=ON, when the application ends and not when it is killed" in warning
    assert warning.endswith(f"rocprof-sys-multipass merge {run_dir} FOLDER")
    assert (found.result, found.errors) == (None, ())


def test_where_rocprof_sys_recorded_other_processes_a_warning_says_why(run_dir: Path, tmp_path: Path):
    """As of a script that starts the programs with kernels: it does not follow these, and no output is at fault."""
    found = end(run_dir, write_host(tmp_path / "host", 9))
    (warning,) = found.warnings
    assert warning.startswith(f"nothing was merged: rocprof-sys recorded process 9, and not process {RUN.pid}, which")
    assert "writes nothing of a process that is killed or left by _exit" in warning
    assert (found.result, found.errors) == (None, ())


def test_a_process_that_fails_is_an_error_of_the_run(run_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def full(host: Path, own: Path, target: Path, **_: object) -> Merged:
        raise OutputError(f"{target.name} could not be written; make room")

    monkeypatch.setattr(process, "_merger", lambda kind: full if kind == "trace" else works)
    found = end(run_dir, write_host(tmp_path / "host", RUN.pid))
    assert found.errors == (f"not merged: perfetto-trace-{RUN.pid}.pftrace could not be written; make room",)
    assert found.result is not None
    assert found.result.processes[0].database is not None


def test_a_fault_of_the_merge_itself_is_told_and_goes_no_further(
    run_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(pairing, "pair", lambda *_, **__: {}["nothing"])
    monkeypatch.setattr(sys.modules["rocprofsys_multipass.merge.folders"], "pair", pairing.pair)
    found = end(run_dir, write_host(tmp_path / "host", RUN.pid))
    (error,) = found.errors
    assert error.startswith(
        f"nothing was merged: a fault of this tool, KeyError: 'nothing'; what was collected is in {run_dir}"
    )
