# SPDX-License-Identifier: MIT
"""Readings as Parquet: the values of the CSV with their types, in any size, with the same bytes each time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import trace_tools as tools
from test_tables_wide import BIG, gpu, journal_with, launch

import rocprofsys_multipass as mp
from rocprofsys_multipass.errors import TraceError, UsageError
from rocprofsys_multipass.trace import journal_pb2 as pb
from rocprofsys_multipass.trace import parquet as module
from rocprofsys_multipass.trace.tidy import CSV_COLUMNS

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

RUN = tools.sample_run()
NAME = f"multipass-{tools.PID}"


def read(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pq.ParquetFile(path).read().to_pylist()
    return found


@pytest.mark.parametrize("file", ["journal", "db", "pftrace"])
@pytest.mark.parametrize("rows", [1, 1 << 16])  # of a row group: a dispatch, all of them
def test_the_rows_are_those_of_the_csv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, rows: int):
    monkeypatch.setattr(module, "ROWS", rows)
    tools.write_run(tmp_path, RUN, files=(file,))
    table, made = mp.export(tmp_path / f"{NAME}.{file}", "csv,parquet")
    lines = table.read_text(encoding="utf-8").splitlines()
    found = read(made)
    assert lines[0] == ",".join(found[0]) == ",".join(CSV_COLUMNS)

    def cell(value: object) -> str:
        if value is None:
            return ""
        text = str(value).lower() if isinstance(value, bool) else str(value)
        return f'"{text}"' if "," in text else text

    assert [",".join(map(cell, row.values())) for row in found] == lines[1:]
    assert pq.ParquetFile(made).num_row_groups == (len({row["dispatch_id"] for row in found}) if rows == 1 else 1)


def test_columns_have_types_and_the_file_its_schema(tmp_path: Path):
    tools.write_run(tmp_path, RUN, files=("journal",))
    (made,) = mp.export(tmp_path, "parquet")
    schema = pq.ParquetFile(made).schema_arrow
    assert schema.metadata[b"rocprofsys_multipass.schema"] == b"1"
    kinds = {name: str(schema.field(name).type) for name in ("dispatch_id", "pass", "start", "value", "canonical")}
    assert kinds == {"dispatch_id": "uint64", "pass": "int64", "start": "int64", "value": "double", "canonical": "bool"}
    assert all(pa.types.is_dictionary(schema.field(name).type) for name in ("kernel", "counter", "outcome", "time_of"))


def test_two_exports_have_the_same_bytes(tmp_path: Path):
    tools.write_run(tmp_path, RUN, files=("journal",))
    first = [path.read_bytes() for path in mp.export(tmp_path, "csv,csv-wide,json,parquet")]
    assert [path.read_bytes() for path in mp.export(tmp_path, "csv,csv-wide,json,parquet")] == first


def test_pandas_reads_it(tmp_path: Path):
    pd = pytest.importorskip("pandas")
    tools.write_run(tmp_path, RUN, files=("journal",))
    (made,) = mp.export(tmp_path, "parquet")
    frame = pd.read_parquet(made)
    expected = mp.open_trace(tmp_path / f"{NAME}.journal").to_pandas()
    assert list(frame["value"]) == list(expected["value"])
    assert list(frame["counter"]) == list(expected["counter"])
    assert frame["canonical"].sum() == expected["canonical"].sum()


def test_duckdb_reads_it(tmp_path: Path):
    duckdb = pytest.importorskip("duckdb")
    tools.write_run(tmp_path, RUN, files=("journal",))
    (made,) = mp.export(tmp_path, "parquet")
    query = "SELECT dispatch_id, value FROM read_parquet(?) WHERE canonical AND counter = 'SQ_WAVES' ORDER BY ALL"
    found = duckdb.connect().execute(query, [str(made)]).fetchall()
    assert found == [(d.id, d.canonical["SQ_WAVES"][1]) for d in RUN.launches if "SQ_WAVES" in d.canonical]


def test_ids_and_names_of_any_size_are_in_it(tmp_path: Path):
    name = 'void k<"é", 1>(' + "x" * 65536 + ")"
    agent = gpu(1, "SQ_WAVES")
    kernel = pb.Frame(kernel=pb.Kernel(id=1, agent=1, name="k", demangled=name))
    launches = [launch(agent, number, SQ_WAVES=0.1) for number in ((1 << 40) + 1, BIG)]
    (made,) = mp.export(journal_with(tmp_path / "multipass-1.journal", agent, kernel, *launches), "parquet")
    assert [(row["dispatch_id"], row["kernel"], row["value"]) for row in read(made)] == [
        ((1 << 40) + 1, name, 0.1),
        (BIG, name, 0.1),
    ]


def test_a_time_that_no_column_holds_is_named_and_nothing_is_left(tmp_path: Path):
    agent = gpu(1, "SQ_WAVES")
    one = launch(agent, 3, SQ_WAVES=1)
    one.dispatch.passes[0].start_ns = one.dispatch.passes[0].end_ns = BIG
    path = journal_with(tmp_path / "multipass-1.journal", agent, one)
    with pytest.raises(TraceError, match=rf"dispatch 3: start is {BIG}, which the column .* take it from the csv"):
        mp.export(path, "parquet")
    assert list(tmp_path.iterdir()) == [path]


def test_without_pyarrow_the_error_names_what_to_install(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(UsageError, match=r"pip install 'rocprofsys-multipass\[analysis\]'"):
        module.load()
