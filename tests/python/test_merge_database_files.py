# SPDX-License-Identifier: MIT
"""The files of a merge of databases: unfinished, damaged, of other processes; and the target after an error."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from described_run import Run, replayed
from handmade_host import SUFFIX, Host, exported

import rocprofsys_multipass as mp
from rocprofsys_multipass.errors import MultipassError, OutputError, TraceError
from rocprofsys_multipass.merge.database.combine import combine_databases
from rocprofsys_multipass.merge.database.merge import merge_database

RUN = Run((replayed(1, 1000), replayed(2, 2000)))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with both files."""
    folder = tmp_path_factory.mktemp("files")
    Host(RUN).write(folder / "host.db")
    shutil.copy(exported(folder / "own", RUN), folder / "own.db")
    return folder


@pytest.fixture
def files(made: Path, tmp_path: Path) -> Path:
    """Copies of both, to be spoiled."""
    for name in ("host.db", "own.db"):
        shutil.copy(made / name, tmp_path)
    return tmp_path


def merge(files: Path) -> Path:
    return merge_database(files / "host.db", files / "own.db", files / "merged.db").target


def kernels(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("SELECT COUNT(*) FROM kernels").fetchone()[0])


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_the_inputs_stay_byte_for_byte_and_nothing_is_left_beside_them(files: Path):
    before = content(files)
    assert kernels(merge(files)) == 2
    assert {name: data for name, data in content(files).items() if name != "merged.db"} == before


def test_the_name_of_a_folder_may_be_no_text(files: Path):
    folder = files / os.fsdecode(b"caf\xe9")  # Latin-1
    shutil.copytree(files, folder)
    merged = merge(folder)
    combined = combine_databases([merged], folder / "all.db").target
    assert [len(mp.open_trace(path).dispatches()) for path in (merged, combined)] == [2, 2]


@pytest.mark.parametrize("mode", ["wal", "persist"])
def test_what_is_still_beside_a_database_that_was_not_closed_counts(files: Path, mode: str):
    """In a log a committed row, in a journal what takes a row back that was not committed."""
    host = files / "host.db"
    with closing(sqlite3.connect(host, isolation_level=None)) as writer:
        writer.executescript(f"PRAGMA journal_mode = {mode}; PRAGMA wal_autocheckpoint = 0; PRAGMA cache_spill = 1;")
        row = f"INSERT INTO rocpd_string{SUFFIX} (string) VALUES ('late')"
        if mode == "wal":
            writer.execute(row)
        else:
            writer.executescript("PRAGMA cache_size = 1; BEGIN")
            writer.execute(row)
            writer.execute(f"UPDATE rocpd_string{SUFFIX} SET string = string || hex(randomblob(9000))")
        crashed = files / "crashed"
        crashed.mkdir()
        for path in files.glob("host.db*"):
            shutil.copy(path, crashed)
    shutil.copy(files / "own.db", crashed)
    assert len(list(crashed.glob("host.db-*"))) >= 1
    before = content(crashed)
    target = merge(crashed)
    assert {name: data for name, data in content(crashed).items() if name != "merged.db"} == before
    with closing(sqlite3.connect(target)) as connection:
        late = connection.execute("SELECT COUNT(*) FROM rocpd_string WHERE string = 'late'").fetchone()[0]
        assert late == (mode == "wal")
        assert connection.execute("SELECT MAX(length(string)) FROM rocpd_string").fetchone()[0] < 100
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    assert kernels(target) == 2


def spoil(path: Path, how: str) -> None:
    data = path.read_bytes()
    changes = {
        "empty": b"",
        "text": b"not a database\n" * 20,
        "cut": data[: len(data) // 2],
        "overwritten": data[:4096] + bytes(range(256)) * ((len(data) - 4096) // 256),
        "no text": data.replace(b"CREATE TABLE", b"CREATE T\xffBLE"),
    }
    path.write_bytes(changes[how])


DAMAGE = {
    "empty": "0 bytes: rocprof-sys writes its database when the program ends",
    "text": "no SQLite database",
    "cut": "it was cut; copy it again, or run the program again",
    "overwritten": "malformed",
    "no text": "damaged",
}


@pytest.mark.parametrize("how", DAMAGE)
def test_a_damaged_file_of_rocprof_sys_is_named_and_nothing_is_written(files: Path, how: str):
    spoil(files / "host.db", how)
    (files / "merged.db").write_bytes(b"an older one")
    before = content(files)
    with pytest.raises(TraceError, match=DAMAGE[how]) as raised:
        merge(files)
    assert str(files / "host.db") in str(raised.value)
    assert content(files) == before


@pytest.mark.parametrize("how", DAMAGE)
def test_a_damaged_file_of_this_tool_is_named_too(files: Path, how: str):
    spoil(files / "own.db", how)
    with pytest.raises(TraceError, match=r"^\S*own\.db: "):
        merge(files)
    assert not (files / "merged.db").exists()


def test_a_file_of_another_process_is_refused(files: Path):
    with closing(sqlite3.connect(files / "host.db")) as connection, connection:
        connection.execute(f"UPDATE rocpd_info_process{SUFFIX} SET pid = 12")
    with pytest.raises(TraceError, match=r"its processes are 12, and .*own\.db is of process 4711"):
        merge(files)


def test_a_file_of_another_machine_is_refused_though_the_process_has_the_same_number(files: Path):
    with closing(sqlite3.connect(files / "own.db")) as connection:
        (table,) = connection.execute("SELECT name FROM sqlite_master WHERE name GLOB 'rocpd_info_node_*'").fetchone()
        connection.execute(f"UPDATE {table} SET machine_id = 'beef', hostname = 'node8'")
        connection.commit()
    with pytest.raises(TraceError, match=r"of machine node7, and .* is of node8: another process"):
        merge(files)


def test_files_that_are_no_rocpd_database_are_refused(files: Path):
    for name, reason in (("host.db", "no rocpd database of schema 3"), ("own.db", "no rocpd database of schema 3")):
        copy = (files / name).read_bytes()
        (files / name).unlink()
        with closing(sqlite3.connect(files / name)) as connection:
            connection.execute("CREATE TABLE readings (value)")
            connection.commit()
        with pytest.raises(TraceError, match=reason):
            merge(files)
        (files / name).write_bytes(copy)


def test_a_database_without_passes_is_no_file_of_this_tool(files: Path):
    shutil.copy(files / "host.db", files / "own.db")
    with pytest.raises(TraceError, match=r"own\.db: no database of this tool in layout canonical"):
        merge(files)


def test_a_missing_table_is_named(files: Path):
    with closing(sqlite3.connect(files / "host.db")) as connection:
        connection.execute("DROP VIEW rocpd_event")
    with pytest.raises(TraceError, match="no rocpd_event in it"):
        merge(files)


def test_the_target_is_no_input(files: Path):
    before = content(files)
    for name in ("host.db", "own.db"):
        with pytest.raises(OutputError, match="a merge makes a new file"):
            merge_database(files / "host.db", files / "own.db", files / name)
    (files / "link.db").symlink_to(files / "host.db")
    with pytest.raises(OutputError, match="a merge makes a new file"):
        merge_database(files / "host.db", files / "own.db", files / "link.db")
    (files / "link.db").unlink()
    assert content(files) == before


def test_a_target_that_cannot_be_written_is_named(files: Path):
    target = files / "no" / "merged.db"
    with pytest.raises(OutputError, match=r"no/merged\.db could not be written: .*make the folder first"):
        merge_database(files / "host.db", files / "own.db", target)


def test_a_name_with_signs_that_mean_something_elsewhere_is_taken_as_it_is(files: Path):
    host = (files / "host.db").rename(files / "rocpd-%7 ?mode=ro#.db")
    target = merge_database(host, files / "own.db", files / "merged ?&%20.db").target
    assert kernels(target) == 2


def test_errors_are_of_this_package(files: Path):
    with closing(sqlite3.connect(files / "host.db")) as connection:
        views = connection.execute("SELECT name FROM sqlite_master WHERE type = 'view' AND name NOT LIKE 'rocpd%'")
        connection.executescript(" ".join(f"DROP VIEW {name};" for (name,) in views.fetchall()))
        connection.executescript(f"ALTER TABLE rocpd_kernel_dispatch{SUFFIX} RENAME COLUMN dispatch_id TO number;")
    with pytest.raises(MultipassError, match=r"host\.db: "):
        merge(files)
