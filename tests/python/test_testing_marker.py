# SPDX-License-Identifier: MIT
"""Options of a test that can be judged without compiled parts."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest

import rocprofsys_multipass as mp
from rocprofsys_multipass.testing import collect
from rocprofsys_multipass.testing.marker import KEYWORDS, beside, examine


@pytest.fixture(autouse=True)
def no_compiled_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROCPROFSYS_MULTIPASS_NATIVE", str(tmp_path / "none"))


def test_the_marker_takes_what_a_run_takes_and_what_is_not_the_fixtures_own():
    of_run = set(inspect.signature(mp.run).parameters) - {"command", "output", "overwrite", "capture"}
    of_collect = {"exit_code", "empty_ok"}
    assert of_collect <= set(inspect.signature(collect).parameters)
    assert set(KEYWORDS) == of_run | of_collect


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"simulate": "gfx942"},
        {"events": ["SQ_WAVES"]},
        {"sets": "memory"},
        {"groups": [["A", "B"]], "events": "A;B", "roctx": True, "range": 1, "gpus": [0, 1]},
        {"events": "A", "env": {"PATH": "/bin"}, "cwd": "/", "exit_code": 3, "empty_ok": True},
    ],
)
def test_options_that_a_run_would_take_are_fine(options: dict[str, Any], tmp_path: Path):
    assert examine(options, tmp_path).problems == ()


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"event": ["A"]}, "'event' is no option: did you mean events?"),
        ({"zzz": 1}, f"'zzz' is no option: known are {', '.join(KEYWORDS)}"),
        ({"command": ["a"]}, "command cannot be given: it is given where the fixture multipass_run is called"),
        ({"overwrite": True}, "overwrite cannot be given: each run has a folder of its own"),
        ({"events": 5}, "events: 5 is of the wrong type: pass a text or a list"),
        ({"events": []}, "events: no counter is in it: name one, such as events=['SQ_WAVES'], or leave it to the call"),
        (
            {"events": " , "},
            "events: no counter is in it: name one, such as events=['SQ_WAVES'], or leave it to the call",
        ),
        ({"replay": "kernal"}, "replay: 'kernal' is not one of auto, kernel, rotate, off; did you mean kernel?"),
        ({"events": "A\0"}, "events: 'A\\x00' has a NUL in it: leave that out"),
        ({"env": {"A": 1}}, "env: 'A': 1 is of the wrong type: pass a mapping of texts, the whole environment"),
        ({"exit_code": "1"}, "exit_code: '1' is of the wrong type: pass a whole number"),
        ({"exit_code": True}, "exit_code: True is of the wrong type: pass a whole number"),
        ({"empty_ok": 1}, "empty_ok: 1 is of the wrong type: pass True or False"),
        ({"env": "A=1"}, "env: 'A=1' is of the wrong type: pass a mapping of texts, the whole environment"),
        ({"cwd": 3}, "cwd: 3 is of the wrong type: pass a path"),
    ],
)
def test_what_is_wrong_is_told_with_what_was_meant(options: dict[str, Any], problem: str, tmp_path: Path):
    assert examine(options, tmp_path).problems == (problem,)


def test_a_value_that_is_no_list_of_counters_is_told_with_what_is(tmp_path: Path):
    (problem,) = examine({"events": True}, tmp_path).problems
    assert problem.startswith("events: True is of the wrong type: pass NAME")


def test_every_unknown_option_is_told(tmp_path: Path):
    assert len(examine({"event": 1, "simulated": 1}, tmp_path).problems) == 2


def test_files_are_looked_for_beside_the_test_first(tmp_path: Path):
    for name in ("run.yaml", "own.json"):
        (tmp_path / name).write_text("events: [A]\n", encoding="utf-8")
    found = beside({"config": "run.yaml", "simulate": "gfx942,own.json", "events": "run.yaml"}, tmp_path)
    assert found == {
        "config": str(tmp_path / "run.yaml"),
        "simulate": f"gfx942,{tmp_path / 'own.json'}",
        "events": "run.yaml",
    }
    assert beside({"config": Path("run.yaml"), "simulate": ["own.json"]}, tmp_path) == {
        "config": str(tmp_path / "run.yaml"),
        "simulate": [str(tmp_path / "own.json")],
    }


def test_a_name_that_no_file_can_have_stays_as_it_is(tmp_path: Path):
    for name in ("x" * 300, "\0"):
        assert beside({"config": name}, tmp_path) == {"config": name}


def test_what_is_wrong_in_a_settings_file_is_told_with_its_place(tmp_path: Path):
    (tmp_path / "run.yaml").write_text("event: [A]\n", encoding="utf-8")
    (problem,) = examine({"config": "run.yaml"}, tmp_path).problems
    assert problem.startswith(f"{tmp_path / 'run.yaml'}:1")


def test_gpus_may_be_asked_for_by_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ROCPROFSYS_MULTIPASS_SIMULATE", "gfx90a")
    assert examine({"events": "A"}, tmp_path).simulate == "gfx90a"
    assert examine({"events": "A", "env": {}}, tmp_path).simulate == ""
