# SPDX-License-Identifier: MIT
"""NaN and infinity in a journal: left out of every table, and told of once per counter."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import trace_tools as tools

import rocprofsys_multipass as mp
from rocprofsys_multipass.cli import main
from rocprofsys_multipass.trace import open_trace

NAN, INF = float("nan"), float("inf")
RUN = tools.sample_run()
NAME = f"multipass-{tools.PID}"


def run_with(*values: tuple[int, int, dict[str, float]]) -> tools.Run:
    run = RUN
    for launch, execution, of in values:
        run = tools.with_execution(run, launch, execution, values=of)
    return run


def left_out(folder: Path, run: tools.Run) -> tuple[str, ...]:
    tools.write_run(folder, run, files=("journal",))
    return open_trace(folder / f"{NAME}.journal").processes[0].left_out


def test_what_is_left_out_is_counted_by_counter_with_the_first_place(tmp_path: Path):
    first = (0, 1, {"SQ_WAVES": NAN, "TCC_HIT": 300.0})
    second = (1, 0, {"SQ_WAVES": -INF, "GRBM_COUNT": INF})
    grbm, waves = left_out(tmp_path, run_with(first, second))
    assert grbm == "GRBM_COUNT of GPU 0 (gfx942): 1 reading is infinite; it is left out (dispatch 2, pass 0)"
    assert waves == (
        "SQ_WAVES of GPU 0 (gfx942): 1 reading is no number (NaN) and 1 is infinite; "
        "they are left out (first: dispatch 1, pass 1)"
    )


def test_outside_a_replay_loop_the_place_has_no_pass(tmp_path: Path):
    assert RUN.launches[2].executions[0].index is None
    values = dict.fromkeys(RUN.launches[2].executions[0].values, NAN)
    said = left_out(tmp_path, run_with((2, 0, values)))
    assert [text.partition("(dispatch")[2] for text in said] == [f" {RUN.launches[2].id})"] * len(values)


def test_beyond_32_counters_the_others_are_counted_together(tmp_path: Path):
    names = tuple(f"SQ_{n:02}" for n in range(34))
    run = tools.with_execution(replace(RUN, plan=(names, *RUN.plan[1:])), 0, 0, values=dict.fromkeys(names, NAN))
    said = left_out(tmp_path, run)
    assert len(said) == 33
    assert said[-1] == "2 further counters: 2 readings are NaN or infinite and left out"


@pytest.mark.parametrize("value", [NAN, INF, -INF])
def test_no_table_has_them_and_the_export_warns(tmp_path: Path, capsys: pytest.CaptureFixture[str], value: float):
    tools.write_run(tmp_path, run_with((0, 0, {"SQ_WAVES": 512.0, "GRBM_COUNT": value})), files=("journal",))
    assert main(["export", str(tmp_path), "--format", "csv,csv-wide,json"]) == 0
    said = capsys.readouterr().err
    assert said.count("warning: ") == 1
    assert f"{NAME}.journal: GRBM_COUNT of GPU 0 (gfx942): 1 reading is " in said
    lines = (tmp_path / f"{NAME}.csv").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line.startswith(f"{tools.PID},0,1,") and "GRBM_COUNT" in line] == []
    wide = (tmp_path / f"wide-{tools.PID}.csv").read_text(encoding="utf-8").splitlines()
    cells = dict(zip(wide[0].split(","), wide[1].replace('"axpy(float*, int)"', "k").split(","), strict=True))
    assert (cells["SQ_WAVES"], cells["GRBM_COUNT"]) == ("512.0", "")
    (process,) = json.loads((tmp_path / f"readings-{tools.PID}.json").read_text(encoding="utf-8"))["processes"]
    assert "GRBM_COUNT" not in process["dispatches"][0]["counters"]
    assert [note for note in process["notes"] if "GRBM_COUNT" in note] != []


def test_verify_warns_and_finds_nothing_wrong(tmp_path: Path):
    tools.write_run(tmp_path, run_with((0, 0, {"SQ_WAVES": 512.0, "GRBM_COUNT": NAN})), files=("journal",))
    every = mp.verify(tmp_path)
    assert [f for f in every if f.severity == "error"] == []
    found = [f for f in every if f.check == "journal-whole"]
    assert [(f.severity, f.message.partition(":")[0]) for f in found] == [("warning", "GRBM_COUNT of GPU 0 (gfx942)")]


def test_an_earlier_database_that_holds_infinity_gives_it_as_text(tmp_path: Path):
    tools.write_run(tmp_path, run_with((0, 0, {"SQ_WAVES": 512.0, "GRBM_COUNT": INF})), files=("db",))
    (made,) = mp.export(tmp_path / f"{NAME}.db", "csv")
    assert ",GRBM_COUNT,inf,true," in made.read_text(encoding="utf-8")
