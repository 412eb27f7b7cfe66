# SPDX-License-Identifier: MIT
"""The Parquet of a run is compared with its files, where it can be read."""

from __future__ import annotations

from pathlib import Path

import pytest
import trace_tools as tools

import rocprofsys_multipass as mp
from rocprofsys_multipass.verify import tables

NAME = f"multipass-{tools.PID}"


def of_table(folder: Path) -> list[tuple[str, str, str]]:
    return [(f.severity, f.where, f.message) for f in mp.verify(folder) if f.check == "tables"]


def test_where_pyarrow_is_not_installed_it_is_said_that_it_is_not_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(tables, "find_spec", lambda _: None)
    tools.write_run(tmp_path, tools.sample_run(), files=("journal",))
    (tmp_path / f"{NAME}.parquet").write_bytes(b"PAR1")
    assert of_table(tmp_path) == [
        ("info", f"{NAME}.parquet", "it is not looked at, because pyarrow is not installed"),
    ]


@pytest.mark.parametrize("file", ["journal", "db", "pftrace"])
def test_the_table_of_any_file_of_a_run_is_good(tmp_path: Path, file: str):
    pytest.importorskip("pyarrow")
    tools.write_run(tmp_path, tools.sample_run())
    mp.export(tmp_path / f"{NAME}.{file}", "parquet,csv-wide", overwrite=True)
    assert of_table(tmp_path) == []


def test_another_value_and_a_cut_file_are_found(tmp_path: Path):
    parquet = pytest.importorskip("pyarrow.parquet")
    tools.write_run(tmp_path, tools.sample_run(), files=("journal",))
    (made,) = mp.export(tmp_path, "parquet")
    table = parquet.ParquetFile(made).read()
    k = table.column_names.index("value")
    values = table["value"].to_pylist()
    changed = table.set_column(k, "value", [[values[0] + 1, *values[1:]]])
    parquet.write_table(changed, made)
    row = table.slice(0, 1).to_pylist()[0]
    where = f"{made.name}: dispatch 1, pass 0, {row['counter']}"
    assert of_table(tmp_path)[0] == ("error", where, f"it is {values[0] + 1}, the journal has {values[0]}")
    made.write_bytes(made.read_bytes()[:-9])
    ((severity, where, message),) = of_table(tmp_path)
    assert (severity, where) == ("error", made.name)
    assert message.startswith("it is cut, or no table of readings: ")
