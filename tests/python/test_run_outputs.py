# SPDX-License-Identifier: MIT
"""Outputs written again, and readings as tables: what is made, where, and what is never replaced."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest
import trace_tools as tools
from fake_native import Applications, FakeNative, write_script

import rocprofsys_multipass as mp
from rocprofsys_multipass.errors import OutputError, TraceError, UsageError
from rocprofsys_multipass.run.directory import prepare

RUN = tools.sample_run()
NAME = f"multipass-{tools.PID}"
READINGS = f"readings-{tools.PID}.json"


def lines(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def values(path: Path) -> dict[tuple[str, str, str], float]:
    return {(line["dispatch_id"], line["pass"], line["counter"]): float(line["value"]) for line in lines(path)}


@pytest.mark.parametrize("file", ["journal", "db", "pftrace"])
def test_tables_of_every_kind_of_file_have_the_same_readings(tmp_path: Path, file: str):
    tools.write_run(tmp_path, RUN, files=(file,))
    made = mp.export(tmp_path / f"{NAME}.{file}", "csv,json")
    assert made == [tmp_path / f"{NAME}.csv", tmp_path / READINGS]
    assert values(made[0]) == {
        (str(d.id), "" if one.index is None else str(one.index), counter): value
        for d in RUN.launches
        for one in d.executions
        for counter, value in one.values.items()
    }
    (process,) = json.loads(made[1].read_text(encoding="utf-8"))["processes"]
    assert [d["counters"] for d in process["dispatches"]] == [
        {c: v for c, (_, v) in sorted(d.canonical.items())} for d in RUN.launches
    ]
    assert (process["kind"], process["outcomes"]["seen"]) == (
        {"journal": "journal", "db": "rocpd", "pftrace": "perfetto"}[file],
        5,
    )


def test_tables_need_no_compiled_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ROCPROFSYS_MULTIPASS_NATIVE", str(tmp_path / "nothing"))
    tools.write_run(tmp_path, RUN, files=("journal",))
    assert len(mp.export(tmp_path, ["csv"])) == 1


def test_lines_come_in_order_of_dispatch_whatever_the_order_in_the_journal(tmp_path: Path):
    run = replace(RUN, launches=tuple(reversed(RUN.launches)))
    tools.write_run(tmp_path, run, files=("journal",))
    (made,) = mp.export(tmp_path, "csv")
    assert [int(line["dispatch_id"]) for line in lines(made)] == [1] * 4 + [2] * 4 + [3] * 2 + [5] * 2


def test_the_journal_of_a_run_without_dispatches_gives_a_head_and_no_line(tmp_path: Path):
    tools.write_run(tmp_path, replace(RUN, launches=()), files=("journal",))
    made = mp.export(tmp_path, "csv,json")
    assert made[0].read_text(encoding="utf-8").startswith("process,agent,dispatch_id,")
    assert lines(made[0]) == []
    assert json.loads(made[1].read_text(encoding="utf-8"))["processes"][0]["dispatches"] == []


def test_a_journal_gives_traces_by_default_and_another_file_tables(tmp_path: Path, native: FakeNative):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "multipass-1.journal").write_text("{}", encoding="utf-8")
    assert [path.suffix for path in mp.export(tmp_path / "a")] == [".pftrace", ".db", ".json"]
    tools.write_run(tmp_path / "b", RUN, files=("db", "pftrace"))
    assert [path.name for path in mp.export(tmp_path / "b")] == [f"{NAME}.csv", READINGS]


def test_a_trace_is_not_made_of_a_database(tmp_path: Path):
    tools.write_run(tmp_path, RUN, files=("db",))
    with pytest.raises(UsageError, match=r"\.db is no journal, and perfetto is made of one"):
        mp.export(tmp_path / f"{NAME}.db", "csv,perfetto")


def test_a_database_of_a_database_needs_a_layout(tmp_path: Path):
    tools.write_run(tmp_path, RUN, files=("db",))
    path = tmp_path / f"{NAME}.db"
    with pytest.raises(UsageError) as caught:
        mp.export(path, "rocpd")
    assert str(caught.value) == (
        f"{path} is a database: to have it in another layout, say in which: canonical or strict"
    )


def test_a_layout_is_of_a_database(tmp_path: Path):
    tools.write_run(tmp_path, RUN, files=("journal",))
    with pytest.raises(UsageError, match="layout: it is of the database, and no rocpd is written of"):
        mp.export(tmp_path, "csv", layout="strict")
    with pytest.raises(UsageError, match="trace_counters: it is of the trace, and no perfetto is written of"):
        mp.export(tmp_path, "rocpd", trace_counters="none")
    with pytest.raises(UsageError, match="layout: 'per-pass' is not one of canonical, strict"):
        mp.export(tmp_path, layout="per-pass")


def test_the_exporter_is_told_the_layout(tmp_path: Path, native: FakeNative):
    journal = tmp_path / "multipass-1.journal"
    journal.write_text("{}", encoding="utf-8")
    mp.export(journal, "rocpd", layout="strict")
    (call,) = native.exports
    assert call[call.index("--layout") :] == ["--layout", "strict"]


def test_a_database_is_not_converted_over_what_is_there(tmp_path: Path, native: FakeNative):
    tools.write_run(tmp_path, RUN, files=("db",))
    with pytest.raises(OutputError, match=f"{NAME}.db is there already and was not replaced"):
        mp.export(tmp_path / f"{NAME}.db", layout="strict")
    out = tmp_path / "out"
    out.mkdir()
    (out / f"{NAME}-replay.db").touch()
    with pytest.raises(OutputError, match=f"{NAME}-replay.db is there already and was not replaced"):
        mp.export(tmp_path / f"{NAME}.db", output=out, layout="strict")
    assert not (native.root / "bin/exports.jsonl").exists()


def test_a_format_that_does_not_exist_is_refused(tmp_path: Path):
    with pytest.raises(UsageError, match="'hdf' is not one of perfetto, rocpd, csv, csv-wide, json, parquet"):
        mp.export(tmp_path, ["csv", "hdf"])


def test_a_folder_without_anything_is_refused(tmp_path: Path):
    with pytest.raises(TraceError, match=r"holds no multipass-\*\.journal"):
        mp.export(tmp_path, "csv")


# ---------------------------------------------------------------------------------------------------------------------
# Where, and what is replaced


def test_outputs_beside_their_own_journal_are_replaced(tmp_path: Path):
    tools.write_run(tmp_path, RUN, files=("journal",))
    (tmp_path / f"{NAME}.csv").write_text("of the last export", encoding="utf-8")
    (made,) = mp.export(tmp_path, "csv")
    assert len(lines(made)) == 12


@pytest.mark.parametrize("source", ["journal", "db"])
def test_elsewhere_nothing_is_replaced_unless_asked(tmp_path: Path, source: str):
    tools.write_run(tmp_path / "run", RUN, files=(source,))
    file = tmp_path / "run" / f"{NAME}.{source}"
    other = tmp_path / "other"
    other.mkdir()
    (other / f"{NAME}.csv").write_text("of another run", encoding="utf-8")
    with pytest.raises(OutputError, match=r"\.csv is there already and was not replaced: give overwrite=True"):
        mp.export(file, "csv", output=other)
    assert (other / f"{NAME}.csv").read_text(encoding="utf-8") == "of another run"
    (made,) = mp.export(file, "csv", output=other, overwrite=True)
    assert (made, len(lines(made))) == (other / f"{NAME}.csv", 12)


def test_a_table_beside_a_file_that_is_no_run_of_ours_is_not_replaced(tmp_path: Path):
    tools.write_database(tmp_path / "results.db", RUN, side=False)
    (tmp_path / "results.csv").write_text("mine", encoding="utf-8")
    with pytest.raises(OutputError, match="was not replaced"):
        mp.export(tmp_path / "results.db", "csv")


def test_the_exporter_is_told_the_folder_and_refused_what_is_there(tmp_path: Path, native: FakeNative):
    journal = tmp_path / "multipass-1.journal"
    journal.write_text("{}", encoding="utf-8")
    mp.export(journal, "rocpd", output=tmp_path / "new")
    assert native.exports == [[str(journal), "--format", "rocpd", "--output", str(tmp_path / "new")]]
    (tmp_path / "new" / "multipass-1.json").write_text("{}", encoding="utf-8")
    with pytest.raises(OutputError, match=r"multipass-1\.json is there already"):
        mp.export(journal, "rocpd", output=tmp_path / "new")
    assert len(native.exports) == 1


@pytest.mark.parametrize("ending", ["db", "pftrace", "json", "csv"])
def test_a_journal_with_the_name_of_an_output_is_not_replaced_by_it(tmp_path: Path, native: FakeNative, ending: str):
    tools.write_run(tmp_path, RUN, files=("journal",))
    journal = (tmp_path / f"{NAME}.journal").rename(tmp_path / f"{NAME}.{ending}")
    before = journal.read_bytes()
    with pytest.raises(OutputError, match=rf"{NAME}\.{ending} is the source itself .* ends in \.journal"):
        mp.export(journal, "perfetto,rocpd,csv", overwrite=True)
    assert (journal.read_bytes(), native.exports) == (before, [])


def test_a_link_that_leads_to_the_source_is_not_written_through(tmp_path: Path):
    tools.write_run(tmp_path, RUN, files=("journal",))
    journal = tmp_path / f"{NAME}.journal"
    before = journal.read_bytes()
    (tmp_path / f"{NAME}.csv").symlink_to(journal)
    with pytest.raises(OutputError, match="is the source itself"):
        mp.export(journal, "csv", overwrite=True)
    assert journal.read_bytes() == before


def test_a_full_disk_leaves_the_old_file_and_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    tools.write_run(tmp_path, RUN, files=("journal",))
    (tmp_path / f"{NAME}.csv").write_text("old", encoding="utf-8")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("rocprofsys_multipass.writing.os.fsync", full)
    with pytest.raises(OutputError, match=rf"{NAME}\.csv could not be written: No space left .*ENOSPC, errno 28"):
        mp.export(tmp_path, "csv")
    assert (tmp_path / f"{NAME}.csv").read_text(encoding="utf-8") == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"{NAME}.csv", f"{NAME}.journal"]


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path):
    tools.write_run(tmp_path, RUN, files=("journal",))
    with pytest.raises(OutputError, match=r"\.journal/x could not be written: Not a directory \(ENOTDIR"):
        mp.export(tmp_path, "csv", output=tmp_path / f"{NAME}.journal" / "x")


def test_a_journal_that_cannot_be_read_leaves_no_table(tmp_path: Path):
    (tmp_path / f"{NAME}.journal").write_bytes(b"RSMPJRNL" + bytes(24))
    with pytest.raises(TraceError, match="journal version 0"):
        mp.export(tmp_path, "csv")
    assert [path.name for path in tmp_path.iterdir()] == [f"{NAME}.journal"]


def test_a_table_of_what_is_no_file_of_ours_is_refused(tmp_path: Path):
    (tmp_path / "x.journal").write_bytes(b"#!/bin/sh\n")
    with pytest.raises(TraceError, match="neither a journal nor a Perfetto trace nor a database"):
        mp.export(tmp_path / "x.journal", "csv")
    with pytest.raises(TraceError):
        mp.open_trace(tmp_path / "x.journal")


# ---------------------------------------------------------------------------------------------------------------------
# During a run


def test_the_plugin_is_handed_formats_that_it_knows(native: FakeNative, applications: Applications, tmp_path: Path):
    run = mp.run([applications.profiled()], events="A", output=tmp_path / "a", formats="csv", capture=True)
    config = json.loads(run.stdout)["config"]
    assert (config["formats"], config["outputs"]) == (["perfetto", "rocpd"], ["csv"])
    # The journal of the stand-in holds no frame that says what it is: the table fails, the run is saved.
    assert run.summary is not None


def test_tables_of_an_earlier_run_are_an_earlier_run(tmp_path: Path):
    for name in (f"{NAME}.csv", "readings-rank3.json", "readings-12-1.json"):
        (tmp_path / name).touch()
        with pytest.raises(OutputError, match=f"holds an earlier run \\({name}\\)"):
            prepare(tmp_path, overwrite=False, rank=None)
        prepare(tmp_path, overwrite=True, rank=None)
        assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["multipass-12-replay.db", "multipass-rank3-replay.db.tmp-9"])
def test_a_sidecar_of_an_earlier_run_is_of_that_run(tmp_path: Path, name: str):
    (tmp_path / name).touch()
    with pytest.raises(OutputError, match=f"holds an earlier run \\({name}\\)"):
        prepare(tmp_path, overwrite=False, rank=None)
    prepare(tmp_path, overwrite=True, rank=None)
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize(
    "name",
    ["readings.json", "readings-12.csv", "readings-mine.json", "multipass-12.csv.bak.gz/", "multipass-12-replay.csv"],
)
def test_files_that_only_look_alike_are_left_alone(tmp_path: Path, name: str):
    path = tmp_path / name
    path.mkdir() if name.endswith("/") else path.touch()
    prepare(tmp_path, overwrite=True, rank=None)
    assert path.exists()


def test_a_link_to_a_file_stays_a_link(tmp_path: Path):
    tools.write_run(tmp_path, RUN, files=("journal",))
    (tmp_path / "real.csv").touch()
    (tmp_path / f"{NAME}.csv").symlink_to("real.csv")
    mp.export(tmp_path, "csv")
    assert (tmp_path / f"{NAME}.csv").readlink() == Path("real.csv")
    assert len(lines(tmp_path / "real.csv")) == 12


def test_an_exporter_that_is_killed_leaves_nothing_in_the_folder_that_it_wrote_to(native: FakeNative, tmp_path: Path):
    half = "open(sys.argv[sys.argv.index('--output') + 1] + f'/multipass-4711.db.tmp-{os.getpid()}', 'w').close()"
    write_script(native.root / "bin/rocprofsys-multipass-export", f"import os, sys; {half}; os.kill(os.getpid(), 9)")
    tools.write_run(tmp_path, RUN, files=("journal",))
    with pytest.raises(OutputError, match="killed by SIGKILL"):
        mp.export(tmp_path / f"{NAME}.journal", output=tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []
