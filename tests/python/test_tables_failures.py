# SPDX-License-Identifier: MIT
"""What cannot be written, or cannot be asked for: the message, the exit code, and that nothing half is left."""

from __future__ import annotations

import csv
import json
import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import trace_tools as tools
from test_tables_wide import BIG, gpu, journal_with, launch

import rocprofsys_multipass as mp
from rocprofsys_multipass.cli import main
from rocprofsys_multipass.config import values
from rocprofsys_multipass.errors import OutputError
from rocprofsys_multipass.run.directory import prepare
from rocprofsys_multipass.run.export import output_file
from rocprofsys_multipass.run.recover import _is_whole
from rocprofsys_multipass.trace import journal_pb2 as pb

NAME = f"multipass-{tools.PID}"
KINDS = ("csv", "csv-wide", "json", "parquet")


def needed(kind: str) -> str:
    if kind == "parquet":
        pytest.importorskip("pyarrow")
    return kind


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """A file that grows beyond it gives EFBIG: the interpreter ignores the signal."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_that_finds_no_room_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str):
    needed(kind)
    tools.write_run(tmp_path, tools.sample_run(), files=("journal",))
    journal = tmp_path / f"{NAME}.journal"
    table = output_file(journal, kind)
    with files_of_at_most(100):
        code = main(["export", str(journal), "--format", kind])
    said = capsys.readouterr().err
    assert code == 7
    assert f"{table} could not be written: File too large (EFBIG, errno 27)" in said
    assert list(tmp_path.iterdir()) == [journal]


@pytest.mark.parametrize("kind", KINDS)
def test_a_folder_with_the_name_of_a_table_is_named_and_stays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str
):
    needed(kind)
    tools.write_run(tmp_path, tools.sample_run(), files=("journal",))
    table = output_file(tmp_path / f"{NAME}.journal", kind)
    table.mkdir()
    assert main(["export", str(tmp_path), "--format", kind]) == 7
    assert f"{table} could not be written: Is a directory (EISDIR, errno 21); name a file" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([f"{NAME}.journal", table.name])


@pytest.mark.parametrize("kind", KINDS)
def test_an_old_table_stays_where_the_new_one_fails(tmp_path: Path, kind: str):
    needed(kind)
    tools.write_run(tmp_path, tools.sample_run(), files=("journal",))
    table = output_file(tmp_path / f"{NAME}.journal", kind)
    table.write_bytes(b"of the last export")
    with files_of_at_most(100), pytest.raises(OutputError):
        mp.export(tmp_path, kind)
    assert table.read_bytes() == b"of the last export"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere; tests/e2e/test_full_disk.py mounts read-only")
def test_a_folder_that_cannot_be_written_to_is_named(tmp_path: Path):
    tools.write_run(tmp_path, tools.sample_run(), files=("journal",))
    tmp_path.chmod(0o555)
    try:
        with pytest.raises(OutputError, match="see that you may write there"):
            mp.export(tmp_path, "csv")
    finally:
        tmp_path.chmod(0o755)


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_is_of_the_run_that_overwrite_removes_and_recover_sees_that_it_is_cut(tmp_path: Path, kind: str):
    needed(kind)
    tools.write_run(tmp_path, tools.sample_run(), files=("journal",))
    (table,) = mp.export(tmp_path, kind)
    assert _is_whole(table, kind)
    table.write_bytes(table.read_bytes()[:-3])
    assert not _is_whole(table, kind)
    prepare(tmp_path, overwrite=True, rank=None)
    assert list(tmp_path.iterdir()) == []


# ---------------------------------------------------------------------------------------------------------------------
# Parquet without pyarrow


@pytest.fixture
def no_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(values, "find_spec", lambda _: None)


WHAT = "parquet needs pyarrow, which is not installed: pip install 'rocprofsys-multipass[analysis]', or give csv"


@pytest.mark.parametrize("command", ["run", "export", "recover"])
def test_without_pyarrow_parquet_is_refused_before_anything_is_done(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], no_pyarrow: None, command: str
):
    tools.write_run(tmp_path / "run", tools.sample_run(), files=("journal",))
    marker = tmp_path / "started"
    more = {"run": ["--events", "SQ_WAVES", "-o", str(tmp_path / "out"), "--", "touch", str(marker)]}
    assert main([command, "--format", "rocpd,parquet", *more.get(command, [str(tmp_path / "run")])]) == 2
    assert f"--format: {WHAT}" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run"]
    assert len(list((tmp_path / "run").iterdir())) == 1


def test_without_pyarrow_a_variable_is_refused_with_3(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, no_pyarrow: None
):
    monkeypatch.setenv("ROCPROFSYS_MULTIPASS_FORMAT", "parquet")
    marker = tmp_path / "started"
    assert main(["run", "--events", "SQ_WAVES", "-o", str(tmp_path / "out"), "--", "touch", str(marker)]) == 3
    assert f"ROCPROFSYS_MULTIPASS_FORMAT: {WHAT}" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


# ---------------------------------------------------------------------------------------------------------------------
# Values of any size


def test_names_and_ids_of_any_size_are_in_every_text(tmp_path: Path):
    name = 'void k<"é\u2028", 1>(' + "x" * 65536 + ")\r\n'"
    agent = gpu(1, "SQ_WAVES")
    kernel = pb.Frame(kernel=pb.Kernel(id=1, agent=1, name="k", demangled=name))
    numbers = [(1 << 40) + 1, BIG, (1 << 64) - 1]
    launches = [launch(agent, number, SQ_WAVES=0.1 + number) for number in reversed(numbers)]
    path = journal_with(tmp_path / "multipass-1.journal", agent, kernel, *launches)
    made = mp.export(path, "csv,csv-wide,json")
    found = [[(d.dispatch_id, d.kernel, d.counters["SQ_WAVES"]) for d in mp.open_trace(path).dispatches()]]
    tidy, wide = (_lines(made[k]) for k in (0, 1))
    found += [[(int(row["dispatch_id"]), row["kernel"], float(row["value"])) for row in tidy]]
    found += [[(int(row["Dispatch_Id"]), row["Kernel_Name"], float(row["SQ_WAVES"])) for row in wide]]
    (process,) = json.loads(made[2].read_text(encoding="utf-8"))["processes"]
    found += [[(d["dispatch_id"], d["kernel"], d["counters"]["SQ_WAVES"]) for d in process["dispatches"]]]
    assert found == [[(number, name, 0.1 + number) for number in numbers]] * 4


def _lines(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_a_database_gives_ids_without_sign(tmp_path: Path):
    run = tools.with_launch(tools.sample_run(), 4, id=BIG - (1 << 64))  # as its writer stores them
    tools.write_database(tmp_path / "one.db", run)
    (made,) = mp.export(tmp_path / "one.db", "csv-wide")
    assert str(BIG) in [row["Dispatch_Id"] for row in _lines(made)]
