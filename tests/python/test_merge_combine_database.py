# SPDX-License-Identifier: MIT
"""One database of many: what SQL and the readers say of it."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import trace_tools as tools
from combine_tools import databases, guid_of, rank_run
from handmade_host import exported

from rocprofsys_multipass.errors import MultipassError, OutputError, TraceError, UsageError
from rocprofsys_multipass.merge.database.combine import combine_databases
from rocprofsys_multipass.trace import open_trace
from rocprofsys_multipass.verify import verify

WAVES = "SELECT value FROM counters_collection WHERE counter_name = 'SQ_WAVES' ORDER BY value"


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path)) as connection:
        yield connection


def column(path: Path, sql: str) -> list[Any]:
    with opened(path) as connection:
        return [value for (value,) in connection.execute(sql)]


@pytest.fixture(scope="module")
def ranks(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The databases of 40 ranks: more than SQLite attaches at once."""
    return databases(tmp_path_factory.mktemp("ranks") / "out", 40)


@pytest.mark.parametrize("count", [1, 16, 40])
def test_the_views_show_all_ranks(count: int, ranks: list[Path], tmp_path: Path):
    made = combine_databases(ranks[:count], tmp_path / "all.db")
    assert (made.target, made.processes, made.notes) == (tmp_path / "all.db", count, ())
    assert column(made.target, WAVES) == [100 + rank for rank in range(count)]
    assert column(made.target, "SELECT COUNT(*) FROM kernels") == [count]
    assert column(made.target, "SELECT total_calls FROM top_kernels") == [count]
    assert column(made.target, "SELECT COUNT(*) FROM replay_kernels") == [2 * count]
    assert column(made.target, "SELECT pid FROM processes ORDER BY pid") == [4000 + rank for rank in range(count)]
    assert column(made.target, "PRAGMA foreign_key_check") == []


def test_each_table_is_as_it_was(ranks: list[Path], tmp_path: Path):
    target = combine_databases(ranks[:12], tmp_path / "all.db").target
    with opened(target) as combined:
        tables = {name for (name,) in combined.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        for path in ranks[:12]:
            with opened(path) as one:
                of_one = [name for (name,) in one.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
                assert of_one
                for name in of_one:
                    wanted = one.execute(f"SELECT * FROM {name}").fetchall()
                    assert combined.execute(f"SELECT * FROM {name}").fetchall() == wanted
                    tables.remove(name)
    assert tables == set()


def test_readers_and_checks_take_it(ranks: list[Path], tmp_path: Path):
    target = combine_databases(ranks[:16], tmp_path / "all.db").target
    trace = open_trace(target)
    assert [(p.rank, p.pid, p.guid) for p in trace.processes] == [(k, 4000 + k, guid_of(k)) for k in range(16)]
    assert [dict(d.counters)["SQ_WAVES"] for d in trace.dispatches()] == [100 + k for k in range(16)]
    assert [len(d.passes) for d in trace.dispatches()] == 16 * [2]
    assert [finding for finding in verify(target) if finding.severity != "info"] == []


def test_kernel_counters_are_those_of_each_rank(tmp_path: Path):
    """By the view of the exporter's own files."""
    paths = []
    for rank in range(3):
        (folder := tmp_path / str(rank)).mkdir()
        paths.append(exported(folder, rank_run(rank)).rename(tmp_path / f"multipass-rank{rank}.db"))
    target = combine_databases(paths, tmp_path / "all.db").target
    sql = "SELECT rank, launches, n, median, groups_read, groups_planned FROM kernel_counters WHERE counter_name = {} "
    with opened(target) as connection:
        rows = connection.execute(sql.format("'SQ_WAVES'") + "ORDER BY rank").fetchall()
    assert rows == [(rank, 1, 1, 100.0 + rank, 2, 2) for rank in range(3)]
    assert [row.median for row in open_trace(target).kernel_counters() if row.counter == "SQ_WAVES"] == [100, 101, 102]
    assert [finding for finding in verify(target) if finding.severity != "info"] == []


def test_combined_files_combine_again(ranks: list[Path], tmp_path: Path):
    halves = [
        combine_databases(ranks[:3], tmp_path / "a.db").target,
        combine_databases(ranks[3:5], tmp_path / "b.db").target,
    ]
    made = combine_databases(halves, tmp_path / "all.db")
    assert (made.processes, column(made.target, WAVES)) == (5, [100, 101, 102, 103, 104])


def test_more_than_a_compound_select_takes(ranks: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys.modules[combine_databases.__module__], "_COMPOUND", 3)
    made = combine_databases(ranks[:10], tmp_path / "all.db")
    assert column(made.target, WAVES) == [100 + rank for rank in range(10)]


def test_forked_processes_of_one_guid_are_told_apart(tmp_path: Path):
    """rocprof-sys gives a forked child the guid of its parent, so that tables of all have the same names."""
    runs = [replace(rank_run(rank), guid=guid_of(0)) for rank in range(3)]
    paths = [tools.write_database(tmp_path / f"{run.pid}.db", run) for run in runs]
    first, *others = combine_databases(paths, tmp_path / "all.db").notes or ("",)
    assert first.startswith(f"{paths[1]}: it has the guid {guid_of(0)} of {paths[0]}, as forked processes")
    assert len(others) == 1
    assert column(tmp_path / "all.db", WAVES) == [100, 101, 102]
    assert column(tmp_path / "all.db", "SELECT pid FROM processes ORDER BY pid") == [4000, 4001, 4002]
    assert column(tmp_path / "all.db", "PRAGMA foreign_key_check") == []
    guids = column(tmp_path / "all.db", "SELECT DISTINCT guid FROM rocpd_event")
    suffixes = column(tmp_path / "all.db", "SELECT value FROM rocpd_metadata WHERE tag = 'uuid'")
    assert suffixes == ["_" + guid.replace("-", "_") for guid in guids]
    assert guids[0] == guid_of(0)
    assert len(set(guids)) == 3
    assert [len(process.dispatches) for process in open_trace(tmp_path / "all.db").processes] == [1, 1, 1]
    assert combine_databases(paths, tmp_path / "more.db").target.read_bytes() == (tmp_path / "all.db").read_bytes()
    for again in ([tmp_path / "all.db", paths[0]], [tmp_path / "all.db", paths[1]], [paths[2], tmp_path / "all.db"]):
        with pytest.raises(TraceError, match="of the same process"):
            combine_databases(again, tmp_path / "twice.db")


def test_columns_in_another_order_are_not_mixed_up(tmp_path: Path):
    paths = databases(tmp_path / "in", 2)
    suffix = "_" + guid_of(1).replace("-", "_")
    with opened(paths[1]) as one:
        one.executescript(
            f"DROP TABLE rocpd_sample{suffix}; CREATE TABLE rocpd_sample{suffix} (event_id INT, timestamp BIGINT, "
            f"track_id INT, guid TEXT DEFAULT '{guid_of(1)}', id INTEGER PRIMARY KEY);"
            f"INSERT INTO rocpd_sample{suffix} (id, track_id, timestamp, event_id) VALUES (1, 2, 3, 4)"
        )
    target = combine_databases(paths, tmp_path / "all.db").target
    with opened(target) as combined:
        rows = combined.execute("SELECT id, track_id, timestamp, event_id FROM rocpd_sample").fetchall()
    assert rows == [(1, 2, 3, 4)]


def test_processes_without_side_tables_beside_those_with_them(tmp_path: Path):
    """As with --ranks: of the others rocprof-sys's databases are there."""
    plain = tools.write_database(tmp_path / "plain.db", rank_run(0), side=False)
    counted = tools.write_database(tmp_path / "counted.db", rank_run(1))
    made = combine_databases([plain, counted], tmp_path / "all.db")
    assert column(made.target, "SELECT COUNT(*) FROM kernels") == [2]
    assert column(made.target, "SELECT COUNT(*) FROM replay_kernels") == [2]


def test_indexes_are_kept_and_what_is_of_no_process_is_told(tmp_path: Path):
    spoil = (
        "CREATE INDEX by_event~ ON rocpd_pmc_event~ (event_id); CREATE TABLE mine (id INT);"
        "CREATE VIEW first AS SELECT * FROM rocpd_event~; CREATE VIEW second AS SELECT id FROM rocpd_event"
    )
    paths = [
        tools.write_database(tmp_path / "a.db", rank_run(0), then=spoil),
        tools.write_database(tmp_path / "b.db", rank_run(1)),
    ]
    made = combine_databases(paths, tmp_path / "all.db")
    names = column(made.target, "SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL")
    assert len(names) == 1
    assert names[0].startswith("by_event_0190")
    assert column(made.target, "SELECT COUNT(*) FROM second") == [2]
    assert made.notes == (
        f"{paths[0]}: table mine is of no process and was left out",
        f"{paths[0]}: view first is over tables of one process and was left out",
    )


def test_rows_that_refer_to_nothing_are_told_with_their_file(tmp_path: Path):
    spoiled = tools.write_database(tmp_path / "a.db", rank_run(0), then="DELETE FROM rocpd_info_agent~ WHERE id = 1")
    made = combine_databases([spoiled, *databases(tmp_path / "in", 2)[1:]], tmp_path / "all.db")
    assert any(note.startswith(f"{spoiled}: 1 row of rocpd_kernel_dispatch_0190") for note in made.notes)
    assert all(note.startswith(f"{spoiled}: ") for note in made.notes)


def test_a_view_that_multiplies_rows_of_equal_pids_is_told(tmp_path: Path):
    join = (
        "DROP VIEW threads; CREATE VIEW threads AS SELECT t.tid FROM rocpd_info_thread t "
        "JOIN rocpd_info_process p ON p.id = t.pid"
    )
    paths = [tools.write_database(tmp_path / f"{rank}.db", rank_run(rank, pid=4711), then=join) for rank in range(2)]
    made = combine_databases(paths, tmp_path / "all.db")
    (note,) = made.notes
    assert note.startswith("the view threads shows 4 rows for 2: two processes have one pid")


def two(folder: Path, then: str) -> list[Path]:
    return [
        tools.write_database(folder / "a.db", rank_run(0)),
        tools.write_database(folder / "b.db", rank_run(1), then=then),
    ]


def twice(folder: Path) -> list[Path]:
    (path,) = databases(folder / "in", 1)
    copy = folder / "copy.db"
    copy.write_bytes(path.read_bytes())
    return [path, copy]


def with_text(folder: Path) -> list[Path]:
    (folder / "text.db").write_text("none")
    return [*databases(folder / "in", 1), folder / "text.db"]


@pytest.mark.parametrize(
    ("inputs", "kind", "message"),
    [
        (lambda _: [], UsageError, "nothing to combine"),
        (lambda f: 2 * databases(f / "in", 1), UsageError, "is the same file as"),
        (twice, TraceError, "copy.db: the guid 0190aaaa-bbbb-7ccc-8ddd-000000000000 is in"),
        (
            lambda f: two(f, "UPDATE rocpd_metadata~ SET value = '3.0.3' WHERE tag = 'schema_version'"),
            TraceError,
            "b.db: schema_version is 3.0.3, that of",
        ),
        (
            lambda f: two(f, "ALTER TABLE rocpd_event~ ADD COLUMN more INT"),
            TraceError,
            "a.db: rocpd_event has no column more, which it has in",
        ),
        (with_text, TraceError, "text.db: no SQLite file"),
        (
            lambda f: two(f, "ALTER TABLE rocpd_metadata~ RENAME TO other~"),
            TraceError,
            "b.db: has no table rocpd_metadata_...: no rocpd database of a process",
        ),
    ],
)
def test_what_does_not_fit_together_is_refused_and_nothing_is_left(
    inputs: Callable[[Path], list[Path]], kind: type[MultipassError], message: str, tmp_path: Path
):
    target = tmp_path / "all.db"
    target.write_text("old")
    with pytest.raises(kind, match=message):
        combine_databases(inputs(tmp_path), target)
    assert target.read_text() == "old"
    assert list(tmp_path.glob("all.db?*")) == []


def test_the_target_is_none_of_the_inputs(tmp_path: Path):
    paths = databases(tmp_path / "in", 2)
    before = paths[0].read_bytes()
    with pytest.raises(UsageError, match="is one of the files to combine"):
        combine_databases(paths, paths[0])
    assert paths[0].read_bytes() == before


def test_a_target_that_cannot_be_written_is_told(tmp_path: Path):
    paths = databases(tmp_path / "in", 1)
    with pytest.raises(OutputError, match=r"nowhere/all\.db could not be written"):
        combine_databases(paths, tmp_path / "nowhere" / "all.db")
