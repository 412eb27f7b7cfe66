# SPDX-License-Identifier: MIT
"""A change of any cell of a table is found, whichever files of the run are beside it."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

import pytest
import trace_tools as tools

import rocprofsys_multipass as mp
from rocprofsys_multipass.trace.model import Process
from rocprofsys_multipass.verify.evidence import Evidence
from rocprofsys_multipass.verify.tables import tables


def other(text: str) -> str:
    """Another value of the same kind."""
    words = {"true": "false", "": "7"}
    return words.get(text) or (str(int(text) + 1024) if text.isdigit() else f"7{text}")


def write(path: Path, rows: Sequence[dict[str, str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, list[Process]]]:
    """A folder, and what each file in it says."""
    folder = tmp_path_factory.mktemp("run")
    tools.write_run(folder, tools.sample_run())
    files = {ending: folder / f"multipass-{tools.PID}.{ending}" for ending in ("journal", "db", "pftrace")}
    return folder, {ending: list(mp.open_trace(path).processes) for ending, path in files.items()}


@pytest.mark.parametrize("kind", ["csv", "csv-wide"])
@pytest.mark.parametrize("source", ["journal", "db", "pftrace"])
def test_another_value_in_any_column_is_found(
    run: tuple[Path, dict[str, list[Process]]], tmp_path: Path, kind: str, source: str
):
    folder, said = run
    (path,) = mp.export(folder / f"multipass-{tools.PID}.{source}", kind, output=tmp_path)
    (journal,) = said["journal"]
    evidence = Evidence(
        "run", journal=journal, from_database=said["db"], from_trace=said["pftrace"], tables=[path], folder=folder
    )
    assert list(tables(evidence)) == []
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for column in rows[0]:
        write(path, [rows[0] | {column: other(rows[0][column])}, *rows[1:]])
        assert list(tables(evidence)), column


def test_what_only_a_file_that_is_gone_told_is_not_missed(run: tuple[Path, dict[str, list[Process]]], tmp_path: Path):
    folder, said = run
    (path,) = mp.export(folder / f"multipass-{tools.PID}.journal", "csv-wide", output=tmp_path)
    assert list(tables(Evidence("run", from_trace=said["pftrace"], tables=[path], folder=folder))) == []
