# SPDX-License-Identifier: MIT
"""What rocprof-sys wrote is found by its naming rule and its metadata, and told apart by what is in the files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from rocprof_sys_folder import TEXTS, copies_of, write_host, write_metadata

from rocprofsys_multipass.errors import TraceError, UsageError
from rocprofsys_multipass.rocprof_sys.files import HostProcess, find_files, find_written
from rocprofsys_multipass.rocprof_sys.metadata import read_metadata
from rocprofsys_multipass.rocprof_sys.names import is_timestamp, role_of, split


def names(process: HostProcess) -> list[str]:
    return [path.name for path in process.files]


@pytest.mark.parametrize(
    ("name", "role", "parts"),
    [
        ("perfetto-trace-4711.proto", "trace", ("perfetto-trace", "4711")),
        ("perfetto-trace.proto", "trace", ("perfetto-trace", "")),
        ("run-2-of-app.perfetto-trace", None, ("run-2-of-app", "")),
        ("rocpd-4711.db", "database", ("rocpd", "4711")),
        ("locksmetadata-1785877.json", "metadata", ("locksmetadata", "1785877")),
        ("wall_clock-3.txt", "text", ("wall_clock", "3")),
        ("rocprof-device-0-SQ_WAVES-4711.txt", "text", ("rocprof-device-0-SQ_WAVES", "4711")),
        ("multipass-4711.db", None, ("multipass", "4711")),
        ("app.log", None, ("app", "")),
    ],
)
def test_a_name_tells_what_a_file_is(name: str, role: str | None, parts: tuple[str, str]):
    assert (role_of(Path(name)), split(Path(name))) == (role, parts)


@pytest.mark.parametrize(
    ("name", "stamp"),
    [("2026-11-30_06.20", True), ("2022-01-31_12.30_PM", True), ("2026-11-30_06:20:11", True), ("rank2026", False)],
)
def test_folders_of_runs_are_known_by_their_date(name: str, stamp: bool):  # noqa: FBT001
    assert is_timestamp(Path(name)) is stamp


def test_all_files_of_a_process_are_found(tmp_path: Path):
    write_host(tmp_path, 71, texts=TEXTS, environment={"HOME": "/home/x"})
    found = find_files(tmp_path)
    (process,) = found.processes
    assert names(process) == [
        "perfetto-trace-71.proto",
        "rocpd-71.db",
        "metadata-71.json",
        "trip_count-71.txt",
        "wall_clock-71.json",
        "wall_clock-71.txt",
    ]
    assert (process.pid, process.rank, str(process)) == (71, None, "process 71")
    assert (found.notes, found.combined) == ((), ())


def test_a_rank_in_the_names_is_no_pid(tmp_path: Path):
    for rank, pid in enumerate((7100, 7101, 7102)):
        write_host(tmp_path, pid, suffix=rank)
    found = find_files(tmp_path).processes
    assert [(one.pid, one.rank, one.suffix) for one in found] == [(7100, 0, "0"), (7101, 1, "1"), (7102, 2, "2")]


def test_the_launcher_s_rank_is_read_in_the_metadata(tmp_path: Path):
    write_host(tmp_path, 90, environment={"OMPI_COMM_WORLD_RANK": "5", "SLURM_PROCID": "0"})
    assert [str(one) for one in find_files(tmp_path).processes] == ["process 90 (rank 5)"]


def test_files_without_a_number_are_of_the_process_in_them(tmp_path: Path):
    write_host(tmp_path, 90, suffix="")
    (process,) = find_files(tmp_path).processes
    assert (process.pid, names(process)) == (90, ["perfetto-trace.proto", "rocpd.db"])


def test_a_trace_by_pid_and_a_database_by_rank_are_of_one_process(tmp_path: Path):
    write_host(tmp_path, 90, files=("trace",))
    write_host(tmp_path, 90, suffix=4, files=("database",))
    (process,) = find_files(tmp_path).processes
    assert (names(process), process.rank) == (["perfetto-trace-90.proto", "rocpd-4.db"], 4)


def test_the_same_pid_on_two_nodes_is_two_processes(tmp_path: Path):
    for rank in (0, 1):
        write_host(tmp_path, 90, suffix=rank)
    assert [(one.pid, one.rank) for one in find_files(tmp_path).processes] == [(90, 0), (90, 1)]


def test_a_trace_of_another_name_is_found_by_the_metadata(tmp_path: Path):
    trace = write_host(tmp_path / "run", 90, files=("trace",)) / "perfetto-trace-90.proto"
    renamed = trace.rename(tmp_path / "my-own-name.bin.pftrace")
    write_metadata(tmp_path / "run" / "metadata-90.json", {}, [renamed])
    (process,) = find_files(tmp_path / "run").processes
    assert (process.trace, process.pid) == (renamed, 90)


def test_of_a_copied_folder_the_files_in_it_are_taken(tmp_path: Path):
    first = write_host(tmp_path / "first", 90, environment={})
    (tmp_path / "copy").mkdir()
    for path in first.iterdir():
        (tmp_path / "copy" / path.name).write_bytes(path.read_bytes())
    assert {path.parent.name for path in find_files(tmp_path / "copy").processes[0].files} == {"copy"}


def test_listed_paths_are_relative_to_where_the_run_began(tmp_path: Path):
    trace = write_host(tmp_path / "elsewhere", 90, files=("trace",)) / "perfetto-trace-90.proto"
    path = write_metadata(tmp_path / "metadata-90.json", {}, [trace.relative_to(tmp_path)], PWD=str(tmp_path))
    described = read_metadata(path)
    assert described is not None
    assert described.outputs == (trace,)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"a": {"metadata": 1}}', '{"a": {"metadata": {"output": [1]}}}', "\0"]
)
def test_metadata_of_another_shape_is_of_no_use_and_no_harm(tmp_path: Path, text: str):
    write_host(tmp_path, 90)
    (tmp_path / "metadata-90.json").write_text(text, encoding="utf-8")
    assert [one.pid for one in find_files(tmp_path).processes] == [90]


def test_of_several_runs_the_newest_is_taken_and_said(tmp_path: Path):
    for minute in ("2026-11-30_06.20", "2026-11-30_06.21", "2026-11-29_23.59"):
        write_host(tmp_path / minute, 90, files=("database",))
    (tmp_path / "2026-11-30_06.22").mkdir()  # of a run that wrote nothing
    for age, minute in enumerate(("2026-11-30_06.21", "2026-11-30_06.20", "2026-11-29_23.59")):
        os.utime(tmp_path / minute, (1000 - age, 1000 - age))
    found = find_files(tmp_path)
    assert [folder.name for folder in found.folders] == ["2026-11-30_06.21"]
    (note,) = found.notes
    assert note.startswith(f"of 3 runs in {tmp_path} the newest was taken (2026-11-30_06.21): name the folder")
    assert find_files(tmp_path / "2026-11-29_23.59").notes == ()


def test_of_the_run_that_has_just_ended_all_minutes_count(tmp_path: Path):
    for minute, pid in (("2026-11-30_06.19", 1), ("2026-11-30_06.20", 90), ("2026-11-30_06.21", 91)):
        write_host(tmp_path / minute, pid, files=("database",))
    os.utime(tmp_path / "2026-11-30_06.19" / "rocpd-1.db", (5, 5))
    found = find_written(tmp_path, 6_000_000_000)
    assert ([one.pid for one in found.processes], found.notes) == ([90, 91], ())


@pytest.mark.parametrize("template", ["out-%tag%-%env{X}%/of %p", "out-%pid%/of $env{Y}", "%argv_hash%/%ppid%"])
def test_keys_in_a_path_stand_for_what_the_process_put_there(tmp_path: Path, template: str):
    write_host(tmp_path / "out-[app]-7" / "of 3", 90, files=("database",))
    (tmp_path / "out-file").write_text("", encoding="utf-8")
    assert [one.pid for one in find_written(tmp_path / template, 0).processes] == [90]
    assert find_written(tmp_path / "other-%tag%", 0).processes == ()


def test_a_folder_for_each_rank_is_looked_into(tmp_path: Path):
    for rank in (0, 1):
        write_host(tmp_path / f"rank{rank}" / "2026-11-30_06.20", 90 + rank, suffix="")
    assert [one.pid for one in find_files(tmp_path).processes] == [90, 91]


def test_a_trace_and_a_database_of_several_processes_are_told_apart(tmp_path: Path):
    write_host(tmp_path, 90)
    write_host(tmp_path, 91)
    both = b"".join((tmp_path / f"perfetto-trace-{pid}.proto").read_bytes() for pid in (90, 91))
    (tmp_path / "merged.proto").write_bytes(both)
    (tmp_path / "perfetto-trace-all.proto").write_bytes(both)
    copies_of(tmp_path / "rocpd-all.db", [90, 91])
    found = find_files(tmp_path)
    assert [path.name for path in found.combined] == ["merged.proto", "perfetto-trace-all.proto", "rocpd-all.db"]
    assert [one.pid for one in found.processes] == [90, 91]


def test_files_of_this_tool_and_of_an_earlier_merge_are_not_rocprof_sys_s(tmp_path: Path):
    write_host(tmp_path, 90)
    for name in ("multipass-90.db", "multipass-90.pftrace", "merge-90.json", "other.db"):
        (tmp_path / name).write_bytes((tmp_path / "rocpd-90.db").read_bytes() if name == "multipass-90.db" else b"x")
    assert [names(one) for one in find_files(tmp_path).processes] == [["perfetto-trace-90.proto", "rocpd-90.db"]]
    write_host(tmp_path / "run" / "merged", 91)
    (tmp_path / "run" / "merged" / "merge-91.json").write_text("{}", encoding="utf-8")
    with pytest.raises(TraceError, match=r"run has no trace and no database of rocprof-sys"):
        find_files(tmp_path / "run")


def test_a_second_trace_of_a_process_is_left_out_and_said(tmp_path: Path):
    write_host(tmp_path, 90, files=("trace",))
    (tmp_path / "renamed-90.proto").write_bytes((tmp_path / "perfetto-trace-90.proto").read_bytes())
    found = find_files(tmp_path)
    assert names(found.processes[0]) == ["perfetto-trace-90.proto"]
    assert "renamed-90.proto is left out: it belongs to process 90" in found.notes[0]


@pytest.mark.parametrize("name", ["perfetto-trace-90.proto", "rocpd-90.db"])
def test_a_file_that_was_cut_short_is_still_one(tmp_path: Path, name: str):
    (tmp_path / name).write_bytes(b"")
    assert [(one.pid, one.suffix) for one in find_files(tmp_path).processes] == [(None, "90")]


def test_where_there_are_texts_only_they_are_named(tmp_path: Path):
    write_host(tmp_path, 90, files=(), texts=TEXTS, environment={})
    with pytest.raises(TraceError, match=r"\(wall_clock-90\.json, wall_clock-90\.txt: each pass of a kernel that was"):
        find_files(tmp_path)
    assert find_written(tmp_path, 0).processes == ()


def test_what_is_no_folder_of_rocprof_sys_is_said(tmp_path: Path):
    (tmp_path / "file").write_text("x", encoding="utf-8")
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="nowhere does not exist"):
        find_files(tmp_path / "nowhere")
    with pytest.raises(TraceError, match="is no folder"):
        find_files(tmp_path / "file")
    with pytest.raises(TraceError, match="ROCPROFSYS_OUTPUT_PATH or its option -o names"):
        find_files(tmp_path / "empty")
