# SPDX-License-Identifier: MIT
"""All processes of a run in one trace and one database: which files are taken, what is said, what is left."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import trace_tools as tools
from combine_tools import Host, databases, guid_of, rank_run, rank_trace
from rocprof_sys_folder import write_host

import rocprofsys_multipass as mp
from rocprofsys_multipass.cli import main
from rocprofsys_multipass.errors import OutputError, TraceError, UsageError
from rocprofsys_multipass.merge import together


def run_directory(folder: Path, count: int, *, files: tuple[str, ...] = ("journal", "db", "pftrace", "json")) -> Path:
    for rank in range(count):
        tools.write_run(folder, rank_run(rank), files=files)
    return folder


def waves(path: Path) -> list[float]:
    return [dispatch.counters["SQ_WAVES"] for dispatch in mp.open_trace(path).dispatches()]


def test_a_run_directory_gets_a_folder_with_one_of_each(tmp_path: Path):
    folder = run_directory(tmp_path / "out", 4)
    result = mp.combine(folder)
    assert result.files == (folder / "combined/perfetto-trace.pftrace", folder / "combined/rocpd.db")
    assert [one.processes for one in result.combined] == [4, 4]
    assert (result.notes, result.errors, result.exit_code) == ((), (), 0)
    assert [sorted(waves(path)) for path in result.files] == 2 * [[100, 101, 102, 103]]
    assert len(mp.open_trace(folder).processes) == 4


def test_that_a_process_is_in_both_of_them_is_no_duplicate(tmp_path: Path):
    databases(tmp_path / "out", 2)
    for rank in range(2):
        rank_trace(tmp_path / "out" / f"multipass-rank{rank}.pftrace", rank_run(rank), Host())
    result = mp.combine(tmp_path / "out")
    processes = [process for path in result.files for process in mp.open_trace(path).processes]
    assert [process.guid for process in processes] == 2 * [guid_of(0), guid_of(1)]
    assert [one for one in mp.verify(result.output) if one.check == "duplicates"] == []


def test_that_merged_files_are_elsewhere_is_told(tmp_path: Path):
    folder = run_directory(tmp_path / "out", 2)
    run_directory(folder / "merged", 2)
    assert mp.combine(folder).notes == (), "not made by a merge"
    (folder / "merged/merge-rank0.json").write_text("{}")
    (note,) = mp.combine(folder, overwrite=True).notes
    assert note.endswith(f"to combine what was merged with it, give {folder / 'merged'}")
    assert mp.combine(folder / "merged").notes == ()


def test_each_rank_may_have_a_folder_of_its_own(tmp_path: Path):
    folders = [tools.write_run(tmp_path / f"rank{rank}", rank_run(rank)) for rank in range(3)]
    result = mp.combine(*folders, output=tmp_path / "all")
    assert {path.parent for path in result.files} == {tmp_path / "all"}
    assert waves(tmp_path / "all/rocpd.db") == [100, 101, 102]


def test_single_files_are_taken_by_what_they_are(tmp_path: Path):
    folder = run_directory(tmp_path / "out", 3)
    (database,) = mp.combine(*sorted(folder.glob("*.db"))[:2], output=tmp_path).combined
    assert (database.target, database.processes) == (tmp_path / "rocpd.db", 2)


def test_a_kind_that_fails_does_not_keep_the_other_from_being_made(tmp_path: Path):
    folder = run_directory(tmp_path / "out", 2)
    (folder / "multipass-rank1.db").write_bytes(b"")
    result = mp.combine(folder)
    assert result.files == (folder / "combined/perfetto-trace.pftrace",)
    (error,) = result.errors
    assert "multipass-rank1.db: no SQLite file (0 bytes" in error
    assert result.exit_code == 7


def test_a_fault_of_this_tool_with_one_kind_does_not_keep_the_other_from_being_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def fails(*_: object) -> None:
        raise KeyError("rank")

    monkeypatch.setattr(together, "combine_traces", fails)
    folder = run_directory(tmp_path / "out", 2)
    result = mp.combine(folder)
    assert (result.files, result.exit_code) == ((folder / "combined/rocpd.db",), 7)
    (error,) = result.errors
    assert error == (
        f"{folder}/combined/perfetto-trace.pftrace: not made by a fault of this tool (KeyError: 'rank'): leave its "
        "inputs there and report it"
    )


def test_what_a_killed_rank_of_rocprof_sys_alone_did_not_write_is_told_and_left_out(tmp_path: Path):
    """It has 0 bytes, and cannot be left out of the folder by name."""
    own = tools.write_run(tmp_path / "out", rank_run(0))
    write_host(tmp_path / "host", 4000, suffix=0, files=("trace",))
    write_host(tmp_path / "host", 4001, suffix=1)
    (tmp_path / "host/rocpd-1.db").write_bytes(b"")
    result = mp.merge(own, tmp_path / "host", combine=True)
    assert result.together is not None
    assert (result.errors, [one.processes for one in result.together.combined]) == ((), [2])
    (note,) = result.together.notes
    assert note == (
        f"{tmp_path}/host/rocpd-1.db is empty and was left out: its program was ended before rocprof-sys wrote it"
    )


def test_that_a_rank_left_only_a_trace_is_told(tmp_path: Path):
    folder = run_directory(tmp_path / "out", 2)
    (folder / "multipass-rank1.db").unlink()
    (note,) = mp.combine(folder).notes
    assert note.startswith("not all processes are in both files (perfetto-trace.pftrace 2, rocpd.db 1)")


def test_what_is_there_is_not_replaced_unless_it_is_to_be(tmp_path: Path):
    folder = run_directory(tmp_path / "out", 2)
    first = mp.combine(folder).files[0].read_bytes()
    with pytest.raises(OutputError, match="is there already and was not replaced: give overwrite=True"):
        mp.combine(folder)
    assert mp.combine(folder, overwrite=True).files[0].read_bytes() == first


def test_a_folder_with_journals_only_is_told_what_to_do(tmp_path: Path):
    folder = run_directory(tmp_path / "out", 2, files=("journal", "json"))
    with pytest.raises(TraceError, match=r"holds no \.pftrace and no \.db: it has journals only"):
        mp.combine(folder)
    assert not (folder / "combined").exists()


def test_paths_that_lead_nowhere(tmp_path: Path):
    with pytest.raises(UsageError, match="does not exist"):
        mp.combine(tmp_path / "none")
    with pytest.raises(UsageError, match="nothing to combine"):
        mp.combine()


def test_the_command_says_what_it_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    folder = run_directory(tmp_path / "out", 2)
    assert main(["merge", str(folder), "--combine"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["perfetto-trace.pftrace: 2 processes in one", "rocpd.db: 2 processes in one"]
    assert [line.split()[0] for line in lines[2:]] == [
        str(folder / "combined/perfetto-trace.pftrace"),
        str(folder / "combined/rocpd.db"),
    ]


def test_the_command_takes_several_folders_and_prints_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    folders = [str(tools.write_run(tmp_path / f"rank{rank}", rank_run(rank))) for rank in range(2)]
    assert main(["merge", folders[0], "--combine", folders[1], "--json", "-o", str(tmp_path / "all")]) == 0
    told = json.loads(capsys.readouterr().out)["combined"]
    assert told[1] == {"file": str(tmp_path / "all/rocpd.db"), "processes": 2, "notes": []}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "give two folders, RUN_DIR of this tool and ROCPROFSYS_DIR of rocprof-sys"),
        (["--combine", "--join"], "--join: there is no ROCPROFSYS_DIR to join with"),
    ],
)
def test_what_the_command_cannot_know(
    words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    folder = run_directory(tmp_path / "out", 1)
    assert main(["merge", str(folder), *words]) == 2
    assert message in capsys.readouterr().err
