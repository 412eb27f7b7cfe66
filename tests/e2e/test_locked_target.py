# SPDX-License-Identifier: MIT
"""Databases that another process uses while they are to be replaced."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from e2e_tools import Cli
from kill_tools import victim_environment

import rocprofsys_multipass as mp
from rocprofsys_multipass.errors import OutputError
from rocprofsys_multipass.native import Native

HOLDER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN EXCLUSIVE")
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture(scope="module")
def exported(
    native: Native, environment: dict[str, str], victim: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A run of ten launches with its outputs."""
    folder = tmp_path_factory.mktemp("exported") / "out"
    environ = victim_environment(native, environment, folder)
    subprocess.run([victim, "/dev/null", "done", "10"], env=environ, capture_output=True, check=True)
    mp.recover(folder)
    return folder


@pytest.fixture
def folder(exported: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(exported, tmp_path / "out"))


@contextmanager
def held(database: Path) -> Iterator[int]:
    """The database, locked by a process of that number."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, database], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        try:
            assert holder.stdout is not None
            assert holder.stdout.readline() == "held\n"
            yield holder.pid
        finally:
            holder.kill()


@pytest.mark.parametrize("verb", [("export",), ("recover", "--overwrite")])
def test_a_database_that_another_process_has_locked_stays(folder: Path, cli: Cli, verb: tuple[str, ...]) -> None:
    (database,) = folder.glob("*.db")
    (journal,) = folder.glob("*.journal")
    before, captured = database.read_bytes(), journal.read_bytes()
    with held(database) as holder:
        done = cli(*verb, folder)
    assert done.returncode == 7, done.stderr
    assert str(database) in done.stderr
    assert f"process {holder}" in done.stderr
    assert database.read_bytes() == before
    assert journal.read_bytes() == captured
    assert [path for path in folder.iterdir() if ".tmp" in path.name] == []
    assert journal.with_suffix(".pftrace").exists()
    (again,) = mp.recover(folder, overwrite=True)
    assert (again.state, database in again.files) == ("recovered", True)


@pytest.mark.parametrize("ending", ["-wal", "-journal"])
def test_a_database_with_a_journal_of_its_own_beside_it_stays(folder: Path, ending: str) -> None:
    """Put beside another database, that journal would be played into it."""
    (database,) = folder.glob("*.db")
    before = database.read_bytes()
    left = database.with_name(database.name + ending)
    left.write_bytes(b"of a transaction that somebody began")
    with pytest.raises(OutputError, match=left.name):
        mp.export(folder)
    assert (database.read_bytes(), left.exists()) == (before, True)
    left.unlink()
    assert database in mp.export(folder)
