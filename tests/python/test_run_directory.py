# SPDX-License-Identifier: MIT
"""The folder of a run: an earlier run is safe, and only files of ours are ever removed."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import re
import socket
import subprocess
from pathlib import Path

import pytest
from fake_native import Applications, FakeNative

import rocprofsys_multipass as mp
from rocprofsys_multipass.errors import OutputError
from rocprofsys_multipass.run.directory import prepare

EARLIER = (
    "multipass-17.journal",
    "multipass-17.pftrace",
    "multipass-17.db",
    "multipass-17.json",
    "multipass-17-2.db",
    "multipass-rank0.journal",
    "multipass-rank1-99.journal",
    "multipass-17.db-wal",
    "multipass-17.pftrace.tmp",
)
THEIRS = ("multipass-notes.txt", "notes.json", "run-fast.sh", "rocpd-17.db", "multipass-17.xlsx")


def fill(folder: Path, names: tuple[str, ...]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / name).write_text("old", encoding="utf-8")


@pytest.fixture
def marker(applications: Applications, tmp_path: Path) -> tuple[str, Path]:
    """A program, and the file that it makes when it is started."""
    path = tmp_path / "started"
    return applications.make(f"import pathlib; pathlib.Path({str(path)!r}).touch()", "marker"), path


@pytest.mark.parametrize("name", EARLIER)
def test_a_folder_with_an_earlier_run_is_refused_before_launch(
    native: FakeNative, marker: tuple[str, Path], tmp_path: Path, name: str
) -> None:
    fill(tmp_path / "out", (name,))
    with pytest.raises(OutputError, match=f"holds an earlier run .*{name}.*overwrite=True") as raised:
        mp.run([marker[0]], events="A", output="out")
    assert raised.value.exit_code == 7
    assert not marker[1].exists()
    assert (tmp_path / "out" / name).read_text(encoding="utf-8") == "old"


def test_overwriting_removes_the_earlier_run_and_nothing_else(
    native: FakeNative, applications: Applications, tmp_path: Path
) -> None:
    fill(tmp_path / "out", EARLIER + THEIRS)
    run = mp.run([applications.profiled()], events="A", output="out", overwrite=True, capture=True)
    left = {path.name for path in (tmp_path / "out").iterdir()}
    new = {path.name for path in run.files} | {f"run-{os.getpid()}.config.json"}
    assert run.exit_code == 0
    assert left == {*THEIRS, *new}


def test_a_folder_with_other_files_is_used(native: FakeNative, applications: Applications, tmp_path: Path) -> None:
    fill(tmp_path / "out", THEIRS)
    assert mp.run([applications.profiled()], events="A", output="out", capture=True).exit_code == 0


def test_a_run_that_captured_nothing_is_not_in_the_way_of_the_next(native: FakeNative, tmp_path: Path) -> None:
    fill(tmp_path / "out", (f"run-{_dead_pid()}.config.json",))
    assert mp.run(["/bin/true"], events="A", output="out").exit_code == 0
    assert mp.run(["/bin/true"], events="A", output="out").exit_code == 0
    assert [path.name for path in (tmp_path / "out").iterdir()] == [f"run-{os.getpid()}.config.json"]


def test_a_folder_that_a_running_wrapper_uses_is_refused(
    native: FakeNative, applications: Applications, marker: tuple[str, Path]
) -> None:
    """Also one of another thread of this process."""
    inner = applications.make(
        "import sys, rocprofsys_multipass as mp\n"
        f"try: mp.run([{marker[0]!r}], events='A', output='out', overwrite=True)\n"
        "except mp.MultipassError as error: sys.exit(str(error))"
    )
    run = mp.run([inner], events="A", output="out", capture=True)
    assert (run.exit_code, marker[1].exists()) == (1, False)
    where = f"in use by a run of process {os.getpid()} on {socket.gethostname()}"
    assert where in run.stderr


@pytest.mark.parametrize("pid", [1, os.getpid(), os.getppid()], ids=["first", "own", "parent"])
def test_what_an_ended_run_left_is_not_in_use_by_a_process_with_its_number(
    native: FakeNative, tmp_path: Path, pid: int
) -> None:
    """In containers numbers come again, and on a shared file system they are those of other hosts."""
    fill(tmp_path / "out", (f"run-{pid}.config.json",))
    assert mp.run(["/bin/true"], events="A", output="out").exit_code == 0
    assert [path.name for path in (tmp_path / "out").iterdir()] == [f"run-{os.getpid()}.config.json"]


def test_a_file_system_without_locks_is_no_obstacle(
    native: FakeNative, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_file: int, _operation: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", refuse)
    for _ in range(2):
        assert mp.run(["/bin/true"], events="A", output="out").exit_code == 0


def test_wrappers_of_one_job_with_the_same_number_on_two_hosts_have_files_of_their_own(
    native: FakeNative, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PMI_RANK", "0")
    first = prepare(tmp_path, overwrite=False, rank=0).write_config({"run_token": "first"})
    second = prepare(tmp_path, overwrite=False, rank=1).write_config({"run_token": "second"})
    assert [json.loads(h.path.read_text(encoding="utf-8"))["run_token"] for h in (first, second)] == ["first", "second"]
    for handover in (first, second):
        handover.release()
    third = prepare(tmp_path, overwrite=False, rank=0).write_config({"run_token": "third"})
    assert third.path == first.path
    third.release()


def test_ranks_of_one_job_share_a_folder(
    native: FakeNative, applications: Applications, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = applications.profiled()
    for rank in ("0", "1"):
        monkeypatch.setenv("PMI_RANK", rank)
        run = mp.run([program], events="A", output="out", capture=True)
        assert run.files[0].name == f"multipass-rank{rank}.journal"
        assert len(run.summaries) == 1
    with pytest.raises(OutputError, match=r"earlier run \(multipass-rank1.db\)"):
        mp.run([program], events="A", output="out")
    mp.run([program], events="A", output="out", overwrite=True, capture=True)
    assert (tmp_path / "out/multipass-rank0.db").exists()


def test_in_a_batch_script_the_processes_of_all_ranks_are_exported(
    native: FakeNative, applications: Applications, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There the wrapper has SLURM_PROCID=0, and mpirun gives each process of the application its own rank."""
    monkeypatch.setenv("SLURM_PROCID", "0")
    worker = applications.profiled(name="worker")
    mpirun = applications.make(
        "import os, subprocess\n"
        f"for rank in '012': subprocess.run([{worker!r}], check=True, env=os.environ | {{'PMI_RANK': rank}})",
        "mpirun",
    )
    run = mp.run([mpirun], events="A", output="out", capture=True)
    assert [path.name for path in run.files if path.suffix == ".db"] == [f"multipass-rank{r}.db" for r in range(3)]
    assert len(run.summaries) == 3
    assert run.exit_code == 0


def test_a_journal_of_another_run_is_left_alone(native: FakeNative, applications: Applications) -> None:
    """Of a wrapper of the same job that shares the folder, or of a nested one."""
    run = mp.run([applications.profiled(token="0" * 32)], events="A", output="out", capture=True)
    assert (run.files, run.summaries, native.exports) == ((), (), [])


def test_a_journal_of_this_run_is_exported_whatever_its_name(native: FakeNative, applications: Applications) -> None:
    ending = "p = next(output.glob('multipass-*.journal')); p.rename(output / 'renamed.journal')"
    run = mp.run([applications.profiled(ending)], events="A", output="out", capture=True)
    assert [path.name for path in run.files] == [f"renamed.{s}" for s in ("journal", "pftrace", "db", "json")]


def test_a_new_journal_that_does_not_say_whose_it_is_is_exported(
    native: FakeNative, applications: Applications, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its process was killed at once. One that was there before is of somebody else."""
    fill(tmp_path / "out", ("multipass-rank7.journal", "theirs.journal"))
    monkeypatch.setenv("PMI_RANK", "1")
    run = mp.run([applications.profiled(frame=False)], events="A", output="out", capture=True)
    assert [path.name for path in run.files if path.suffix == ".journal"] == ["multipass-rank1.journal"]


def test_each_run_has_a_token_of_its_own(native: FakeNative, applications: Applications) -> None:
    program = applications.profiled("print(config['run_token'])")
    tokens = [
        mp.run([program], events="A", output="out", overwrite=True, capture=True).stdout.splitlines()[-1]
        for _ in range(2)
    ]
    assert tokens[0] != tokens[1]
    assert all(re.fullmatch("[0-9a-f]{32}", token) for token in tokens)


def test_earlier_files_of_ranks_that_this_run_has_too_are_pointed_out(
    native: FakeNative, applications: Applications, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Rank 0 may remove those of an earlier rank 0 only: the others might be running."""
    fill(tmp_path / "out", ("multipass-rank1.journal", "multipass-rank2.journal"))
    monkeypatch.setenv("SLURM_PROCID", "0")
    worker = applications.profiled("next(output.glob('*.journal'))", name="worker")
    body = "import os, subprocess; subprocess.run([WORKER], env=os.environ | {'PMI_RANK': '1-5'}, check=True)"
    mpirun = applications.make(body.replace("WORKER", repr(worker)), "mpirun")
    run = mp.run([mpirun], events="A", output="out", overwrite=True, capture=True)
    assert [path.name for path in run.files if path.suffix == ".journal"] == ["multipass-rank1-5.journal"]
    assert any("earlier run of other ranks (multipass-rank1.journal)" in text for text in run.warnings)


@pytest.mark.parametrize("output", ["file", "file/below", "/proc/no/such", "/proc"])
def test_a_folder_that_cannot_be_made_stops_the_run_before_launch(
    native: FakeNative, marker: tuple[str, Path], tmp_path: Path, output: str
) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match=r"cannot be written .*nothing was started") as raised:
        mp.run([marker[0]], events="A", output=output)
    assert raised.value.exit_code == 7
    assert not marker[1].exists()


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        ("file", "/file is a file; name a folder): give another folder with output=..."),
        ("file/below", "/file is a file; name a folder)"),
        ("a/" + "x" * 300, "File name too long): a name may have 255 bytes, a whole path 4095"),
        ("x/" * 2040, "File name too long): a name may have 255 bytes"),
        ("/proc/no/such", "No such file or directory"),
    ],
)
def test_an_unusable_folder_is_told_with_the_fix_and_leaves_nothing(
    native: FakeNative, tmp_path: Path, output: str, reason: str
) -> None:
    (tmp_path / "file").touch()
    before = sorted(tmp_path.iterdir())
    with pytest.raises(OutputError) as raised:
        mp.run(["/bin/true"], events="A", output=output)
    text = str(raised.value)
    assert reason in text
    assert "another folder with output=..." in text
    assert "\n" not in text
    assert sorted(tmp_path.iterdir()) == before


def test_a_full_disk_is_told_with_the_fix(native: FakeNative, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_file: int, _data: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OutputError, match=r"No space left on device\): make room there, or give another folder"):
        mp.run(["/bin/true"], events="A", output="out")
    monkeypatch.undo()
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("output", ["o\udcff", "a/\udcff/b", "o\0"])
def test_a_folder_whose_name_is_no_text_is_refused(native: FakeNative, tmp_path: Path, output: str) -> None:
    with pytest.raises(
        OutputError, match=r"the output folder .*(\\xff|\\x00).* is not UTF-8 text.*nothing was started"
    ):
        mp.run(["/bin/true"], events="A", output=output)
    assert not (tmp_path / "a").exists()


def test_an_application_and_its_arguments_may_be_any_bytes(native: FakeNative, applications: Applications) -> None:
    program = applications.profiled("print(os.fsencode(sys.argv[1]))", name="app\udcff")
    run = mp.run([program, "\udcfe"], events="A", output="out", capture=True)
    assert run.exit_code == 0
    assert run.stdout.endswith("\nb'\\xfe'\n")
    with pytest.raises(OutputError, match=r"app\\xff is not UTF-8 text"):
        mp.run([program], events="A")


def test_the_folder_is_named_after_the_application_by_default(
    native: FakeNative, applications: Applications, tmp_path: Path
) -> None:
    run = mp.run([applications.profiled(name="solver")], events="A", capture=True)
    assert run.output_dir == tmp_path / "rocprof-sys-multipass-output/solver"


def test_keys_in_the_name_of_the_folder_are_expanded(native: FakeNative, tmp_path: Path) -> None:
    run = mp.run(["/bin/true"], events="A", output="o-%pid%-%size%")
    assert run.output_dir == tmp_path / f"o-{os.getpid()}-%size%"
    assert "%size% is not known" in run.warnings[0]


def _dead_pid() -> int:
    """Number of a process that has just ended."""
    child = subprocess.Popen(["/bin/true"])
    child.wait()
    return child.pid


@pytest.mark.parametrize(
    ("rank", "ranks", "left"),
    [
        (0, 2, {"rank1", "rank3", "rank7", "rank7-9"}),
        (1, 2, {"rank0", "rank2"}),
        (1, None, {"rank0", "rank2", "rank3", "rank7", "rank7-9"}),
        (5, 8, {"rank0", "rank1", "rank2", "rank3", "rank7", "rank7-9"}),
    ],
)
def test_a_smaller_job_replaces_the_ranks_of_a_larger_one_each_wrapper_its_part(
    rank: int, ranks: int | None, left: set[str], tmp_path: Path
) -> None:
    """Else those of the ranks above would be read as of this job."""
    names = ("rank0", "rank1", "rank2", "rank3", "rank7", "rank7-9", "4711")
    fill(tmp_path, tuple(f"multipass-{name}.db" for name in names))
    prepare(tmp_path, overwrite=True, rank=rank, ranks=ranks)
    assert {path.stem.removeprefix("multipass-") for path in tmp_path.iterdir()} == left


def test_what_was_combined_of_an_earlier_run_is_removed_with_it(tmp_path: Path) -> None:
    fill(tmp_path / "combined", ("perfetto-trace.pftrace", "rocpd.db", "mine.txt"))
    fill(tmp_path, ("multipass-rank0.db",))
    prepare(tmp_path, overwrite=True, rank=1, ranks=2)
    assert sorted(path.name for path in tmp_path.rglob("*.*")) == ["mine.txt", "multipass-rank0.db"]


def test_what_was_merged_of_ranks_that_are_gone_is_removed_with_them(tmp_path: Path) -> None:
    for rank in range(4):
        fill(tmp_path / "merged", (f"rocpd-{rank}.db",))
        report = {"rank": rank, "inputs": {}, "rocpd": {"file": f"rocpd-{rank}.db"}}
        (tmp_path / "merged" / f"merge-rank{rank}.json").write_text(json.dumps(report), encoding="utf-8")
    prepare(tmp_path, overwrite=True, rank=1, ranks=2)
    left = {path.name for path in (tmp_path / "merged").iterdir()}
    assert left == {"rocpd-0.db", "merge-rank0.json", "rocpd-2.db", "merge-rank2.json"}
