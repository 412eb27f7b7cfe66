# SPDX-License-Identifier: MIT
"""The readings of real runs as tables: the same from every file, and what a run was asked for."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from e2e_tools import DEMO_SENTINELS, TWO_PASSES, Cli, Outputs, alone, by_hand, outcomes, probe_counters

import rocprofsys_multipass as mp
from rocprofsys_multipass import Run
from rocprofsys_multipass.native import Native

pd = pytest.importorskip("pandas")


def test_the_data_frame_is_the_same_from_journal_trace_and_database(demo_run: Run) -> None:
    files = Outputs.of(demo_run.output_dir)
    journal, trace, database = (
        mp.open_trace(path).to_pandas() for path in (files.journal, files.trace, files.database)
    )
    assert len(journal) == 12 * (45 + DEMO_SENTINELS)
    assert journal.canonical.sum() == 12 * 45
    pd.testing.assert_frame_equal(journal, trace)
    pd.testing.assert_frame_equal(journal, database)


def test_the_data_frame_is_the_same_where_nothing_was_replayed_and_on_two_devices(
    environment: dict[str, str], probe: Path, tmp_path: Path
) -> None:
    run = mp.run(
        [probe, "devices"],
        events=("SQ_WAVES", "SQ_INSTS_VALU", "SQ_INSTS_VMEM_RD"),
        simulate="gfx942,tiny",
        output=tmp_path / "out",
        env=environment,
        capture=True,
    )
    files = Outputs.of(run.output_dir)
    journal, trace, database = (
        mp.open_trace(path).to_pandas() for path in (files.journal, files.trace, files.database)
    )
    assert list(journal["agent"].unique()) == [0, 1]
    assert journal[journal.agent == 0]["pass"].isna().all()
    pd.testing.assert_frame_equal(journal, trace)
    pd.testing.assert_frame_equal(journal, database)


@pytest.mark.parametrize("kind", ["journal", "database"])
def test_a_line_per_dispatch_is_the_same_from_journal_and_database(demo_run: Run, tmp_path: Path, kind: str) -> None:
    files = Outputs.of(demo_run.output_dir)
    (made,) = mp.export(getattr(files, kind), "csv-wide", output=tmp_path)
    with made.open(newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    (process,) = mp.open_trace(files.journal).processes
    dispatches = process.dispatches
    assert [(int(one["Correlation_Id"]), int(one["Dispatch_Id"])) for one in lines] == [
        (d.correlation_id, d.dispatch_id) for d in dispatches
    ]
    assert {one["Agent_Id"] for one in lines} == {f"Agent {d.agent.logical_node_id}" for d in dispatches}
    sizes = ("LDS_Block_Size", "Scratch_Size", "VGPR_Count", "Accum_VGPR_Count", "SGPR_Count")
    assert all(one[name].isdigit() for one in lines for name in sizes)
    counters = list(lines[0])[20:]
    assert [{name: float(one[name]) for name in counters if one[name]} for one in lines] == [
        dict(d.counters) for d in dispatches
    ]


def test_a_run_writes_the_tables_that_it_was_asked_for(cli: Cli, probe: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    events = ("--simulate", "gfx942", "--events", ",".join(TWO_PASSES))
    run = cli("run", *events, "--format", "csv,json", "-o", out, "--", probe, "exit", "0")
    assert run.returncode == 0, run.stderr
    (journal,) = out.glob("*.journal")
    number = journal.stem.removeprefix("multipass-")
    assert sorted(path.name for path in out.iterdir() if not path.name.startswith("run-")) == [
        f"multipass-{number}.csv",
        f"multipass-{number}.journal",
        f"multipass-{number}.json",
        f"readings-{number}.json",
    ]
    with (out / f"multipass-{number}.csv").open(newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    values = {line["counter"]: float(line["value"]) for line in lines if line["canonical"] == "true"}
    assert values == probe_counters(1000)
    (process,) = json.loads((out / f"readings-{number}.json").read_text(encoding="utf-8"))["processes"]
    assert process["dispatches"][0]["counters"] == probe_counters(1000)
    summary = json.loads((out / f"multipass-{number}.json").read_text(encoding="utf-8"))
    assert (summary["files"]["perfetto"], summary["files"]["rocpd"]) == (None, None)
    assert [finding for finding in mp.verify(out) if finding.severity == "error"] == []


def test_the_plugin_alone_says_who_writes_tables_and_writes_its_own_outputs(
    native: Native, environment: dict[str, str], probe: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    variables = {"ROCPROFSYS_MULTIPASS_EVENTS": ",".join(TWO_PASSES), "ROCPROFSYS_MULTIPASS_FORMAT": "csv"}
    done = alone(probe, "exit", "0", env=by_hand(native, environment, out, **variables))
    assert done.returncode == 0
    assert "csv, csv-wide, json, parquet and compute are written by `rocprof-sys-multipass export`" in done.stderr
    assert [outcome for *_, outcome in outcomes(mp.open_trace(Outputs.of(out).database))] == ["replayed"]


def test_the_report_has_a_form_for_every_reader(cli: Cli, demo_run: Run, tmp_path: Path) -> None:
    folder = demo_run.output_dir
    files = (tmp_path / "run.md", tmp_path / "run.csv")
    done = cli("report", folder, "--markdown", files[0], "--csv", files[1], "--json")
    assert done.returncode == 0, done.stderr
    (process,) = json.loads(done.stdout)["processes"]
    assert [len(k["counters"]) for k in process["kernels"]] == [45, 45, 45]
    assert files[0].read_text(encoding="utf-8") == mp.report(folder, "markdown")
    assert len(files[1].read_text(encoding="utf-8").splitlines()) == 1 + 12 * (45 + DEMO_SENTINELS)
    text = cli("report", folder, "--kernel", "axpy")
    assert "axpy(" in text.stdout
    assert "transpose(" not in text.stdout
