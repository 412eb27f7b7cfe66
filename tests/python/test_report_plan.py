# SPDX-License-Identifier: MIT
"""Plans as grids, reasons with what to do, and the lines per dispatch that can be asked for."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import large_run
import pytest
import trace_tools as tools
from fake_native import Cli

import rocprofsys_multipass as mp
from rocprofsys_multipass.errors import UsageError
from rocprofsys_multipass.report.advice import losses
from rocprofsys_multipass.report.files import files_of
from rocprofsys_multipass.report.occupancy import DERIVED, grids
from rocprofsys_multipass.trace import open_trace
from rocprofsys_multipass.trace.agent import Agent, BlockUse, CounterInfo, PlannedPass

RUN = tools.sample_run()
LIFE = Path(__file__).parents[2] / "docs" / "life-of-a-dispatch.md"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A run directory."""
    return tools.write_run(tmp_path / "out", RUN)


def agent_of(*passes: PlannedPass, device: int = 0) -> Agent:
    counters = (CounterInfo("SQ_WAVES", "SQ"), CounterInfo("TCC_HIT", "TCC"), CounterInfo("FETCH_SIZE"))
    return Agent(index=device, device=device, name="gfx942", counters=counters, passes=passes)


# ---------------------------------------------------------------------------------------------------------------------
# The grid


def test_a_cell_has_registers_slots_and_the_counters_behind_them():
    first = PlannedPass(("FETCH_SIZE", "SQ_WAVES"), (), (BlockUse("SQ", 1, 8), BlockUse("TCC", 3, 4)))
    second = PlannedPass(("SQ_WAVES", "TCC_HIT"), ("SQ_WAVES",), (BlockUse("SQ", 1, 8), BlockUse("TCC", 4, 4)))
    (grid,) = grids([agent_of(first, second)])
    rows = {row.block: row.cells for row in grid.counted}
    assert {block: [cell.text for cell in cells] for block, cells in rows.items()} == {
        "SQ": ["1/8", "1/8"],
        "TCC": ["3/4", "4/4"],
    }
    assert [cell.full for cell in rows["TCC"]] == [False, True]
    assert rows["SQ"][1].sentinels == ("SQ_WAVES",)
    assert grid.rows[-1].block == DERIVED
    assert grid.rows[-1].cells[0].counters == ("FETCH_SIZE",)


def test_blocks_that_share_registers_are_one_row():
    planned = PlannedPass(("SQ_WAVES",), (), (BlockUse("SP+SQ", 1, 8),))
    (grid,) = grids([agent_of(planned)])
    assert [(row.block, row.cells[0].counters) for row in grid.rows] == [("SP+SQ", ("SQ_WAVES",))]


def test_gpus_with_the_same_plan_share_a_grid():
    one, other = PlannedPass(("SQ_WAVES",)), PlannedPass(("TCC_HIT",))
    found = grids([agent_of(one), agent_of(one, device=1), agent_of(other, device=2), agent_of(device=3)])
    assert [grid.label for grid in found] == ["GPU 0, 1 [gfx942]", "GPU 2 [gfx942]"]


def test_the_terminal_and_markdown_have_the_grid():
    trace = large_run.trace_of(3)
    line = next(x for x in mp.report(trace).splitlines() if x.startswith("SQ  "))
    assert line.split() == ["SQ", "8/8", "5/8", "1/8", "1/8", "1/8"]
    assert "| SQ | 8/8 | 5/8 | 1/8 | 1/8 | 1/8 |" in mp.report(trace, "markdown").splitlines()


# ---------------------------------------------------------------------------------------------------------------------
# What was lost


def documented_reasons() -> list[tuple[str, str]]:
    table = LIFE.read_text(encoding="utf-8").partition("## When replay is declined")[2].partition("\n## ")[0]
    rows = re.findall(r"\| (declined|filtered), ((?:`\w+`(?: or )?|, )+)", table)
    return [(outcome, name) for outcome, names in rows for name in re.findall(r"`(\w+)`", names)]


def test_every_documented_reason_has_words_and_advice_of_its_own(tmp_path: Path):
    reasons = documented_reasons()
    assert len(reasons) > 12
    told = set()
    for outcome, reason in reasons:
        launches = (replace(RUN.launches[2], outcome=outcome, reason=reason),)
        (one,) = losses(_dispatches(replace(RUN, launches=launches), tmp_path))
        told.add((one.why, one.advice))
    assert len(told) == len(reasons)


@pytest.mark.parametrize(
    ("reason", "advice"),
    [
        ("its launch had not ended when the program ended", "hipDeviceSynchronize"),
        ("pass 1 had not begun when the program ended", "hipDeviceSynchronize"),
        ("no counters were collected", "without other profilers"),
        ("pass 1: 2 of 3 counters were not delivered", "run again"),
        ("", "verify"),
    ],
)
def test_incomplete_dispatches_have_advice_by_what_their_sentence_says(reason: str, advice: str, tmp_path: Path):
    (one,) = losses(_dispatches(replace(RUN, launches=(replace(RUN.launches[4], reason=reason),)), tmp_path))
    assert advice in one.advice


def test_losses_are_counted_by_reason_with_their_kernels(tmp_path: Path):
    found = losses(_dispatches(RUN, tmp_path))
    assert [(one.outcome, one.reason, one.count, one.kernels) for one in found] == [
        ("declined", "graph", 1, ("init(int)",)),
        ("filtered", "", 1, ("init(int)",)),
        ("incomplete", "process_end", 1, ("axpy(float*, int)",)),
    ]


def test_the_terminal_says_what_to_do(tmp_path: Path):
    run = tools.with_launch(RUN, 2, reason="not_offered")
    text = mp.report(open_trace(tools.write_run(tmp_path, run)))
    section = text.partition("Not read, and what to do\n")[2].partition("\n\n")[0].splitlines()
    assert section[0].startswith("1 declined (not_offered): the SDK did not ask about this launch")
    assert section[1].startswith("    launch it outside of a graph")
    assert not any(line.startswith("1 filtered") for line in section)


def test_the_json_has_registers_losses_and_files(tmp_path: Path):
    run = replace(RUN, blocks=((("SQ", 1, 8), ("GRBM", 1, 2)), (("SQ", 1, 8), ("TCC", 4, 4))))
    (process,) = json.loads(mp.report(tools.write_run(tmp_path / "new", run), "json"))["processes"]
    assert process["registers"]["0"][1] == {"SQ": {"used": 1, "capacity": 8}, "TCC": {"used": 4, "capacity": 4}}
    assert [(one["outcome"], one["dispatches"]) for one in process["losses"]] == [
        ("declined", 1),
        ("filtered", 1),
        ("incomplete", 1),
    ]
    assert {Path(one["path"]).suffix for one in process["files"]} == {".journal", ".pftrace", ".db", ".json"}
    database = json.loads(mp.report(next((tmp_path / "new").glob("*.db")), "json"))["processes"][0]
    assert database["registers"] == {"0": []}


# ---------------------------------------------------------------------------------------------------------------------
# Files, lines per dispatch


def test_the_files_beside_the_one_that_was_read_are_there(folder: Path):
    (process,) = open_trace(folder).processes
    assert [one.path.suffix for one in files_of(process)] == [".journal", ".pftrace", ".db", ".json"]
    process.path.unlink()
    assert ".journal" not in [one.path.suffix for one in files_of(process)]


def test_each_dispatch_has_a_line_where_they_are_asked_for(cli: Cli, folder: Path):
    _, plain, _ = cli("report", folder)
    _, out, _ = cli("report", folder, "--dispatches")
    assert "\nDispatches\n" not in plain
    lines = out.partition("\nDispatches\n")[2].partition("\n\n")[0].splitlines()
    assert [line.split()[0] for line in lines[2:]] == ["1", "2", "3", "4", "5"]
    assert lines[4].split()[2:5] == ["init(int)", "declined", "(graph)"]


def test_a_limit_cuts_the_lines_and_says_so(cli: Cli, folder: Path):
    _, out, _ = cli("report", folder, "--limit", "2")
    assert out.partition("\nDispatches\n")[2].partition("\n\n")[0].splitlines()[-1].startswith("3 more dispatches:")
    _, out, _ = cli("report", folder, "--limit", "2", "--markdown", "-")
    assert "3 more dispatches: in the CSV." in out.splitlines()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--limit", "0"), "'0' is no number from 1"),
        (("--limit", "some"), "'some' is no number from 1"),
        (("--limit", "2", "--json"), "--limit is for the terminal and --markdown"),
        (("--dispatches", "--html", "x"), "--dispatches is for the terminal and --markdown"),
    ],
)
def test_a_limit_that_makes_no_sense_is_misuse(cli: Cli, folder: Path, options: tuple[str, ...], message: str):
    code, _, err = cli("report", folder, *options)
    assert code == 2
    assert message in err


def test_in_python_the_number_of_dispatches_is_chosen_too(folder: Path):
    assert mp.report(folder, "markdown", dispatches=0).count("5 more dispatches") == 1
    with pytest.raises(UsageError, match="csv has all of them"):
        mp.report(folder, "csv", dispatches=3)
    with pytest.raises(UsageError, match="give 0 or more"):
        mp.report(folder, dispatches=-1)


def _dispatches(run: tools.Run, folder: Path) -> list[mp.Dispatch]:
    return mp.open_trace(tools.write_run(folder, run, files=("journal",))).dispatches()
