# SPDX-License-Identifier: MIT
"""Disks that are full, read-only or without locks. MULTIPASS_SMALL_DISKS=1: real ones too, in mount namespaces."""

from __future__ import annotations

import os
import shutil
import subprocess
from itertools import product
from pathlib import Path

import pytest
from disks import Disk, run_for, run_mounted
from kill_tools import LONG_S, read_written, run_words, victim_environment

import rocprofsys_multipass as mp
from rocprofsys_multipass.capture_loss import CaptureLoss, read_loss
from rocprofsys_multipass.native import Native

SMALL_DISKS = bool(os.environ.get("MULTIPASS_SMALL_DISKS"))
KINDS = ["preload", "fsize", *["tmpfs", "quota", "broken"] * SMALL_DISKS]
ROOMS = [45_056, 131_072] if SMALL_DISKS else [131_072]
LAUNCHES = 100
FORMATS = "perfetto,rocpd,csv,json"


def on_disks(*cases: object) -> list[tuple[object, str]]:
    """Cases with disks: each on every kind, or each on another one where real disks are not asked for."""
    return list(product(cases, KINDS) if SMALL_DISKS else zip(cases, KINDS, strict=True))


@pytest.fixture(scope="session")
def full_disk_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = Path(__file__).with_name("full_disk.cpp")
    library = tmp_path_factory.mktemp("full_disk") / "libfull_disk.so"
    words = [
        "g++",
        "-std=c++17",
        "-O1",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-shared",
        "-fPIC",
        source,
        "-o",
        library,
        "-ldl",
    ]
    built = subprocess.run(words, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return library


@pytest.fixture(params=KINDS)
def disk(request: pytest.FixtureRequest, full_disk_library: Path, environment: dict[str, str]) -> Disk:
    """Each way in which a disk is full."""
    return Disk(request.param, full_disk_library, environment)


@pytest.fixture(params=KINDS if SMALL_DISKS else ["preload"])
def a_disk(request: pytest.FixtureRequest, full_disk_library: Path, environment: dict[str, str]) -> Disk:
    """One of these ways, where not all of them are wanted."""
    return Disk(request.param, full_disk_library, environment)


@pytest.fixture(scope="module")
def captured(
    native: Native, environment: dict[str, str], victim: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A journal without outputs."""
    folder = tmp_path_factory.mktemp("captured")
    environ = victim_environment(native, environment, folder)
    words = [victim, "/dev/null", "done", str(LAUNCHES)]
    subprocess.run(words, env=environ, capture_output=True, timeout=LONG_S, check=True)
    (journal,) = folder.glob("*.journal")
    return journal


@pytest.fixture
def journal(captured: Path, tmp_path: Path) -> Path:
    """A copy of it, in a folder of its own."""
    (tmp_path / "out").mkdir()
    return Path(shutil.copy(captured, tmp_path / "out"))


def names(folder: Path) -> list[str]:
    """Of the files that are or look like outputs."""
    return sorted(path.name for path in folder.iterdir() if path.suffix not in {".journal", ".json"})


def assert_nothing_half(journal: Path) -> None:
    """What has a final name is whole; no file of another name is left."""
    folder = journal.parent
    assert [path.name for path in folder.iterdir() if ".tmp" in path.name] == []
    assert [path.name for path in folder.iterdir() if path.name.endswith(("-journal", "-wal", "-shm"))] == []
    written = read_written(journal).dispatches
    for path in folder.glob("multipass-*"):
        if path.suffix in {".db", ".pftrace"}:
            assert {one.dispatch_id for one in mp.open_trace(path).dispatches()} == written


def assert_recoverable(journal: Path, command: list[str], environment: dict[str, str]) -> None:
    """With room, all that is in the journal gets into the outputs."""
    done = run_for([*command, "recover", str(journal.parent)], environment)
    assert done.returncode == 0, done.stderr
    assert_nothing_half(journal)
    assert journal.with_suffix(".db").exists()
    assert journal.with_suffix(".pftrace").exists()


# ---------------------------------------------------------------------------------------------------------------------
# While the application runs


@pytest.mark.parametrize(("ending", "disk"), on_disks(("done", 7), ("return", 3)), indirect=["disk"])
def test_a_disk_that_gets_full_costs_records_and_nothing_else(  # noqa: PLR0913, PLR0917 - fixtures
    ending: tuple[str, int],
    disk: Disk,
    command: list[str],
    environment: dict[str, str],
    victim: Path,
    tmp_path: Path,
) -> None:
    """The application runs to its end and keeps its code; where it succeeded the run ends with 7."""
    how, code = ending
    out = tmp_path / "out"
    out.mkdir()
    words = [*run_words(command, out, "--overwrite"), str(victim), "/dev/null", how, str(LAUNCHES)]
    done = disk.run(words, out, 12_288)
    assert (done.returncode, done.stdout) == (code, ""), done.stderr
    assert f"cannot write the capture file {out}" in done.stderr
    assert disk.reason in done.stderr
    (journal,) = out.glob("*.journal")
    written = len(read_written(journal).dispatches)
    assert 0 < written < LAUNCHES
    assert read_loss(journal) == CaptureLoss(LAUNCHES - written, disk.errno)
    assert names(out) == []
    assert_recoverable(journal, command, environment)
    assert {one.check for one in mp.verify(out) if one.severity == "error"} <= {"journal-loss"}


def test_a_disk_without_room_for_the_first_frames_leaves_the_application_alone(
    disk: Disk, command: list[str], victim: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    words = [*run_words(command, out, "--overwrite"), str(victim), "/dev/null", "done", str(LAUNCHES)]
    done = disk.run(words, out, 600 if disk.kind != "tmpfs" else 4096)
    assert (done.returncode, done.stdout) == (7, ""), done.stderr
    assert disk.reason in done.stderr
    assert names(out) == []
    assert [path.name for path in out.iterdir() if ".tmp" in path.name] == []


# ---------------------------------------------------------------------------------------------------------------------
# While outputs are written


@pytest.mark.parametrize("room", ROOMS)
@pytest.mark.parametrize(("verb", "disk"), on_disks("export", "recover"), indirect=["disk"])
def test_outputs_that_find_no_room_are_not_there_and_can_be_written_later(  # noqa: PLR0913, PLR0917 - fixtures
    verb: str, room: int, disk: Disk, journal: Path, command: list[str], environment: dict[str, str]
) -> None:
    folder = journal.parent
    before = journal.read_bytes()
    done = disk.run([*command, verb, str(folder), "--format", FORMATS], folder, room)
    assert done.returncode == 7, done.stderr
    assert disk.reason in done.stderr
    assert f"{journal.stem}.db" in done.stderr
    assert f"{journal.stem}.db" not in names(folder)
    assert journal.read_bytes() == before
    assert_nothing_half(journal)
    assert_recoverable(journal, command, environment)


@pytest.mark.parametrize("kind", ["csv", "csv-wide", "json"])
def test_tables_that_find_no_room_are_not_there(kind: str, a_disk: Disk, journal: Path, command: list[str]) -> None:
    done = a_disk.run([*command, "export", str(journal), "--format", kind], journal.parent, 8192)
    assert done.returncode == 7, done.stderr
    assert f"could not be written: {a_disk.reason}" in done.stderr
    assert [path.name for path in journal.parent.iterdir()] == [journal.name]


def test_a_page_and_a_merged_file_that_find_no_room_are_not_there(
    a_disk: Disk, journal: Path, command: list[str], environment: dict[str, str], tmp_path: Path
) -> None:
    assert run_for([*command, "recover", str(journal)], environment).returncode == 0
    small = tmp_path / "small"
    small.mkdir()
    page = a_disk.run([*command, "report", str(journal), "--html", str(small / "x.html")], small, 8192)
    assert page.returncode == 7, page.stderr
    assert f"{small / 'x.html'} could not be written: {a_disk.reason}" in page.stderr
    combine = [*command, "merge", str(journal.parent), "--combine", "-o", str(small / "all")]
    merged = a_disk.run(combine, small, 8192)
    assert merged.returncode == 7, merged.stderr
    assert a_disk.reason in merged.stderr
    assert [path for path in small.rglob("*") if path.is_file()] == []


# ---------------------------------------------------------------------------------------------------------------------
# Other disks


def test_a_disk_without_locks_is_written_to(
    full_disk_library: Path, journal: Path, command: list[str], environment: dict[str, str]
) -> None:
    """As a network file system whose lock service is down: fcntl gives ENOLCK."""
    folder = journal.parent
    disk = {"MULTIPASS_TEST_DISK": str(folder), "MULTIPASS_TEST_NO_LOCKS": "1", "LD_PRELOAD": str(full_disk_library)}
    done = run_for([*command, "export", str(folder)], environment | disk)
    assert done.returncode == 0, done.stderr
    assert_nothing_half(journal)
    assert journal.with_suffix(".db").exists()


if SMALL_DISKS:

    @pytest.mark.parametrize("verb", ["export", "recover"])
    def test_a_folder_that_cannot_be_written_to_is_named(
        verb: str, journal: Path, command: list[str], environment: dict[str, str]
    ) -> None:
        folder = journal.parent
        done = run_mounted([*command, verb, str(folder)], folder, "ro", environment)
        assert done.returncode == 7, done.stderr
        assert str(folder) in done.stderr
        assert "Read-only file system" in done.stderr
        assert [path.name for path in folder.iterdir()] == [journal.name]
        assert_recoverable(journal, command, environment)
