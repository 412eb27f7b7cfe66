# SPDX-License-Identifier: MIT
"""The folder of a run: an earlier run is safe, and only files of ours are ever removed."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from fake_native import Applications, FakeNative

import rocprofsys_multipass as mp
from rocprofsys_multipass.errors import OutputError

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
    with pytest.raises(OutputError, match=f"holds an earlier run .*{name}.*--overwrite") as raised:
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
    native: FakeNative, marker: tuple[str, Path], tmp_path: Path
) -> None:
    fill(tmp_path / "out", (f"run-{os.getppid()}.config.json",))
    with pytest.raises(OutputError, match=f"in use by a run of process {os.getppid()}"):
        mp.run([marker[0]], events="A", output="out", overwrite=True)
    assert not marker[1].exists()


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


@pytest.mark.parametrize("output", ["file", "file/below", "/proc/no/such", "/proc"])
def test_a_folder_that_cannot_be_made_stops_the_run_before_launch(
    native: FakeNative, marker: tuple[str, Path], tmp_path: Path, output: str
) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match=r"cannot be written .*nothing was started") as raised:
        mp.run([marker[0]], events="A", output=output)
    assert raised.value.exit_code == 7
    assert not marker[1].exists()


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
