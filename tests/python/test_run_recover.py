# SPDX-License-Identifier: MIT
"""Whether a journal is still being written, and what the run that it is of was asked for."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pytest
import trace_tools as tools
from fake_native import FakeNative

import rocprofsys_multipass as mp
from rocprofsys_multipass.errors import OutputError
from rocprofsys_multipass.run.asked import asked_form, asked_formats
from rocprofsys_multipass.run.export import Exported
from rocprofsys_multipass.run.handover import Handover
from rocprofsys_multipass.run.writers import handover_of, in_use

recovering = importlib.import_module("rocprofsys_multipass.run.recover")
writers = importlib.import_module("rocprofsys_multipass.run.writers")

TOKEN = "0123456789abcdef" * 2
OTHER = 4194305  # no process has so high a number


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """A journal of the run with TOKEN."""
    frames = tools.journal_frames(tools.sample_run())
    frames[0].run.run_token = TOKEN
    path = tmp_path / "multipass-4711.journal"
    path.write_bytes(tools.journal_header() + b"".join(tools.frame(one) for one in frames))
    return path


@pytest.fixture
def processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in place of /proc."""
    folder = tmp_path / "proc"
    folder.mkdir()
    (folder / "self").mkdir()
    monkeypatch.setattr(writers, "_PROCESSES", folder)
    return folder


def process(processes: Path, number: int, files: dict[int, tuple[Path, int]]) -> None:
    """A process with open files: descriptor -> (file, flags)."""
    for part in ("fd", "fdinfo"):
        (processes / str(number) / part).mkdir(parents=True)
    for descriptor, (file, flags) in files.items():
        (processes / str(number) / "fd" / str(descriptor)).symlink_to(file)
        text = f"pos:\t0\nflags:\t0{flags:o}\nmnt_id:\t1\n"
        (processes / str(number) / "fdinfo" / str(descriptor)).write_text(text, encoding="ascii")


def config(folder: Path, name: str, **members: Any) -> Path:
    path = folder / name
    path.write_text(json.dumps({"schema": 1, **members}), encoding="utf-8")
    return path


def test_a_process_that_has_the_journal_open_for_writing_is_named(journal: Path, processes: Path):
    process(processes, 12, {0: (Path("/dev/null"), 2)})
    process(processes, 13, {0: (Path("/dev/null"), 2), 7: (journal, 0o102001)})
    assert in_use(journal, 4711) == "process 13 has it open for writing"


@pytest.mark.parametrize("flags", [0, 0o100000])
def test_a_reader_of_the_journal_is_no_writer(journal: Path, processes: Path, flags: int):
    process(processes, 13, {7: (journal, flags)})
    assert in_use(journal, OTHER) == ""


def test_a_process_that_ends_while_it_is_looked_at_is_no_writer(journal: Path, processes: Path):
    process(processes, 13, {7: (journal, 0o102001)})
    (processes / "13" / "fdinfo" / "7").unlink()
    assert in_use(journal, OTHER) == ""


def test_a_process_whose_files_cannot_be_seen_may_be_the_writer(
    journal: Path, processes: Path, monkeypatch: pytest.MonkeyPatch
):
    process(processes, 4711, {})
    iterdir = Path.iterdir

    def refused(path: Path) -> Any:
        if path.name == "fd":
            raise PermissionError(13, "Permission denied")
        return iterdir(path)

    monkeypatch.setattr(Path, "iterdir", refused)
    assert "process 4711, whose open files cannot be seen from here" in in_use(journal, 4711)
    assert in_use(journal, OTHER) == ""


def test_a_locked_hand_over_of_the_same_run_keeps_others_away(journal: Path, processes: Path):
    handover = Handover.create(journal.parent, json.dumps({"run_token": TOKEN}).encode())
    try:
        assert in_use(journal, OTHER) == f"its run goes on ({handover.path.name} is locked) and exports by itself"
    finally:
        handover.release()
    assert in_use(journal, OTHER) == ""


def test_a_locked_hand_over_of_another_run_is_no_matter(journal: Path, processes: Path):
    handover = Handover.create(journal.parent, json.dumps({"run_token": "f" * 32}).encode())
    try:
        assert in_use(journal, OTHER) == ""
    finally:
        handover.release()


def test_the_hand_over_file_is_found_by_its_token(journal: Path):
    folder = journal.parent
    config(folder, "run-1.config.json", run_token="f" * 32)
    (folder / "run-2.config.json").write_text("{", encoding="utf-8")
    (folder / "run-3.config.json").write_text("[]", encoding="utf-8")
    ours = config(folder, "run-4.config.json", run_token=TOKEN, outputs=["csv"])
    found = handover_of(journal)
    assert found is not None
    assert (found[0], found[1]["outputs"]) == (ours, ["csv"])


def test_a_journal_without_a_token_has_no_hand_over_file(tmp_path: Path):
    tools.write_run(tmp_path, tools.sample_run(), files=("journal",))
    config(tmp_path, "run-1.config.json", run_token="")
    assert handover_of(tmp_path / "multipass-4711.journal") is None


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ({"outputs": ["csv", "json"], "formats": ["rocpd"]}, ["csv", "json"]),
        ({"formats": ["rocpd"]}, ["rocpd"]),
        ({"outputs": ["later", 7, "rocpd"]}, ["rocpd"]),
        ({"outputs": "csv"}, ["perfetto", "rocpd"]),
        ({}, ["perfetto", "rocpd"]),
    ],
)
def test_the_formats_are_those_of_the_hand_over_file(journal: Path, members: dict[str, Any], expected: list[str]):
    config(journal.parent, "run-4.config.json", run_token=TOKEN, **members)
    assert asked_formats(journal) == expected


@pytest.mark.parametrize(
    ("members", "expected"), [({"layout": "strict"}, "strict"), ({"layout": "later/7"}, "canonical"), ({}, "canonical")]
)
def test_the_layout_is_that_of_the_hand_over_file(journal: Path, members: dict[str, Any], expected: str):
    config(journal.parent, "run-4.config.json", run_token=TOKEN, **members)
    assert asked_form(journal).layout == expected


def test_a_journal_that_grows_meanwhile_is_said_to_be_written(
    journal: Path, native: FakeNative, monkeypatch: pytest.MonkeyPatch
):
    def grow(*_: object, **__: object) -> Exported:
        with journal.open("ab") as file:
            file.write(b"MPFR")
        return Exported((), "")

    monkeypatch.setattr(recovering, "export_journal", grow)
    with pytest.raises(OutputError, match="grew while it was read: a process writes it"):
        mp.recover(journal)


@pytest.mark.parametrize("ending", ["db", "pftrace", "json"])
def test_a_journal_with_the_name_of_an_output_is_not_replaced_by_it(journal: Path, native: FakeNative, ending: str):
    named = journal.rename(journal.with_suffix(f".{ending}"))
    before = named.read_bytes()
    with pytest.raises(OutputError, match=rf"\.{ending} is the source itself"):
        mp.recover(named)
    assert (named.read_bytes(), native.exports) == (before, [])
