# SPDX-License-Identifier: MIT
"""Which files a path stands for."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
import trace_tools as tools

import rocprofsys_multipass as mp
from rocprofsys_multipass.errors import TraceError
from rocprofsys_multipass.trace import open_trace

if TYPE_CHECKING:
    from pathlib import Path

RUN = tools.sample_run()


@pytest.mark.parametrize(
    ("files", "kind"),
    [(("journal", "db", "pftrace"), "journal"), (("db", "pftrace"), "rocpd"), (("pftrace",), "perfetto")],
)
def test_a_directory_is_read_from_the_source_that_knows_most(tmp_path: Path, files: tuple[str, ...], kind: str):
    assert open_trace(tools.write_run(tmp_path, RUN, files=files)).processes[0].kind == kind


@pytest.mark.parametrize(("ending", "kind"), [("journal", "journal"), ("db", "rocpd"), ("pftrace", "perfetto")])
def test_a_file_is_recognised_by_content_not_by_name(tmp_path: Path, ending: str, kind: str):
    folder = tools.write_run(tmp_path, RUN, files=(ending,))
    renamed = (folder / f"multipass-{tools.PID}.{ending}").rename(tmp_path / "renamed.bin")
    assert open_trace(str(renamed)).processes[0].kind == kind


def test_the_processes_of_a_directory_become_one_trace_in_order_of_rank(tmp_path: Path):
    for rank in (1, 0):
        tools.write_run(tmp_path, replace(RUN, rank=rank, pid=100 - rank), files=("journal",))
    trace = open_trace(tmp_path)
    assert [(p.rank, p.pid) for p in trace.processes] == [(0, 100), (1, 99)]
    assert [d.process for d in trace.dispatches(kernel="axpy")] == [100, 100, 100, 99, 99, 99]


@pytest.mark.parametrize("ending", ["journal", "db", "pftrace"])
def test_a_copy_beside_a_file_is_refused_since_it_would_count_double(tmp_path: Path, ending: str):
    folder = tools.write_run(tmp_path, RUN, files=(ending,))
    shutil.copy(folder / f"multipass-{tools.PID}.{ending}", folder / f"multipass-5.{ending}")
    with pytest.raises(TraceError, match=rf"multipass-5\.{ending}: process 4711 is in multipass-4711\.{ending} too"):
        open_trace(folder)
    assert len(open_trace(folder / f"multipass-5.{ending}").processes) == 1


def test_other_tools_files_beside_ours_are_left_alone(tmp_path: Path):
    tools.write_run(tmp_path, RUN, files=("journal",))
    (tmp_path / "wall_clock.journal").write_bytes(b"of someone else")
    assert len(open_trace(tmp_path).processes) == 1


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "x.bin: is empty: neither"),
        (b"#!/bin/sh\n", r"x.bin: starts with b'#!/bin/s'"),
        (b"RSMP", "starts with b'RSMP'"),
    ],
)
def test_a_file_of_no_known_kind_is_refused(tmp_path: Path, data: bytes, message: str):
    (tmp_path / "x.bin").write_bytes(data)
    with pytest.raises(TraceError, match=message):
        open_trace(tmp_path / "x.bin")


def test_a_directory_without_outputs_and_a_path_of_nothing_are_refused(tmp_path: Path):
    with pytest.raises(TraceError, match=r"no .journal, .db or .pftrace in it"):
        open_trace(tmp_path)
    with pytest.raises(TraceError, match=r"gone: No such file"):
        open_trace(tmp_path / "gone")


def test_the_newest_folder_with_outputs_is_named_where_one_above_is_given(tmp_path: Path):
    """As the dated ones in the folder of rocprof-sys, or that of the application in ours."""
    for date in ("2026-01-01_10.00", "2026-01-02_10.00", "empty"):
        (tmp_path / date).mkdir()
        if date != "empty":
            tools.write_database(tmp_path / date / "rocpd-1.db", RUN)
    wanted = rf"give {tmp_path}/2026-01-02_10\.00 \(or another of the 2 in it that have some\)"
    for use in (open_trace, mp.verify, mp.combine):
        with pytest.raises(TraceError, match=wanted):
            use(tmp_path)


def test_a_pipe_is_refused_before_anything_waits_for_its_writer(tmp_path: Path):
    os.mkfifo(tmp_path / "multipass-1.journal")
    with pytest.raises(TraceError, match=r"multipass-1\.journal: is no regular file"):
        open_trace(tmp_path / "multipass-1.journal")
