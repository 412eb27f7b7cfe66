# SPDX-License-Identifier: MIT
"""Launches inside and outside of the regions that a program marks with roctx: which are collected, and what is said."""

from __future__ import annotations

import json
import shlex
import sqlite3
import subprocess
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, Protocol

import pytest
from e2e_tools import Cli, by_hand

import rocprofsys_multipass as mp
from rocprofsys_multipass.native import Native

EVENTS = ("SQ_INSTS_VALU", "SQ_INSTS_VMEM_RD", "SQ_INSTS_VMEM_WR", "TCC_HIT")
"""Two passes on the device `tiny`."""

SOURCE = Path(__file__).with_name("regions.cpp")


@pytest.fixture(scope="module")
def regions(build: Callable[[Path], Path]) -> Path:
    """An application that does what the words of its command line say."""
    return build(SOURCE)


class Collect(Protocol):
    """Runs the application with these steps, checks what must hold for each run, and gives its output folder."""

    def __call__(self, steps: str, *, env: dict[str, str] | None = None, **options: Any) -> mp.Run: ...


@pytest.fixture
def collect(regions: Path, environment: dict[str, str], tmp_path: Path) -> Collect:
    """See `Collect`."""

    def run(steps: str, *, env: dict[str, str] | None = None, **options: Any) -> mp.Run:
        words = [str(regions), *shlex.split(steps)]
        variables = environment | (env or {})
        alone = subprocess.run(
            words,
            env=variables | {"ROCPROFSYS_MULTIPASS_SIMULATE": "tiny"},
            capture_output=True,
            text=True,
            check=False,
        )
        made = mp.run(
            words, events=EVENTS, simulate="tiny", output=tmp_path / "out", env=variables, capture=True,
            **({"replay": "kernel"} | options),
        )  # fmt: skip
        assert (made.exit_code, made.stdout) == (0, alone.stdout), made.stderr
        assert [f for f in mp.verify(made.output_dir) if f.severity == "error"] == []
        return made

    return run


def fates(run: mp.Run) -> str:
    """A letter for each dispatch, by its id: counted, outside of the regions, paused, or out of the range."""
    letters = {
        ("replayed", ""): "c",
        ("filtered", "roctx"): "o",
        ("filtered", "paused"): "p",
        ("filtered", "range"): "r",
    }
    dispatches = sorted(mp.open_trace(run.output_dir).dispatches(), key=lambda one: one.dispatch_id)
    assert [one.dispatch_id for one in dispatches] == list(range(1, len(dispatches) + 1))
    for one in dispatches:
        assert [part.index for part in one.passes if part.readings] == ([0, 1] if one.outcome == "replayed" else [])
    return "".join(letters[one.outcome, one.reason] for one in dispatches)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        pytest.param({}, "ccccccccc", id="none"),
        pytest.param({"roctx": True}, "oocccccoo", id="roctx"),
        pytest.param({"roctx_include": "solve"}, "oocccccoo", id="include"),
        pytest.param({"roctx_include": "^(?!solve)"}, "ooooccooo", id="include-inner"),
        pytest.param({"roctx_exclude": "^write$"}, "ccccooccc", id="exclude"),
        pytest.param({"roctx_include": "solve", "roctx_exclude": "write"}, "ooccoocoo", id="both"),
        pytest.param({"selected_regions": True}, "ppppppppp", id="selected"),
    ],
)
def test_push_ranges_decide_by_their_messages(collect: Collect, options: dict[str, Any], expected: str) -> None:
    assert fates(collect("2 '+solve 1' 2 +write 2 - 1 - 2", **options)) == expected


def test_start_ranges_hold_for_every_thread_and_push_ranges_for_their_own(collect: Collect) -> None:
    steps = "+a thread[ 1 @a 1 ] 1 - 1 thread[ / 1 +a 1 ] 1"
    assert fates(collect(steps, roctx_include="a")) == "occcoco"


def test_a_range_of_launches_counts_from_the_first_in_the_region(collect: Collect) -> None:
    run = collect("1000 resume 100 pause 10", selected_regions=True, range="1")
    assert fates(run) == "p" * 1000 + "c" + "r" * 99 + "p" * 10


def test_a_range_of_launches_counts_only_what_is_inside_of_roctx_ranges(collect: Collect) -> None:
    assert fates(collect("3 +a 3 - 3 +a 2 -", roctx_include="a", range="2,4")) == "ooorcrooocr"


def test_pauses_are_heeded_without_any_option(collect: Collect) -> None:
    assert fates(collect("1 pause 2 pause 1 resume 2 pause-own 1 thread[ 1 ] resume-own 1")) == "cpppccpcc"


def test_a_pause_among_launches_that_are_queued_holds_from_the_next_launch_on(collect: Collect) -> None:
    run = collect("8 pause 8 resume 8 sync 1")
    assert fates(run) == "c" * 8 + "p" * 8 + "c" * 9
    assert "launches 25, sum 25" in run.stdout


def test_a_pause_inside_of_a_replay_window_lets_that_launch_be_whole(collect: Collect) -> None:
    assert fates(collect("1 window[ pause ] 2 resume 1")) == "ccppc"


def test_a_range_that_ends_inside_of_a_replay_window_lets_that_launch_be_whole(collect: Collect) -> None:
    assert fates(collect("1 @a window[ / ] 1", roctx_include="a")) == "oco"


def test_four_threads_with_regions_of_their_own(collect: Collect) -> None:
    run = collect("all[ 3 +solve 5 +x 2 - - 4 pause-own 6 resume-own ]", roctx_include="solve", roctx_exclude="x")
    by_thread: dict[int, list[Any]] = {}
    for one in sorted(mp.open_trace(run.output_dir).dispatches(), key=lambda one: one.dispatch_id):
        by_thread.setdefault(one.thread_id or 0, []).append(one)
    assert len(by_thread) == 4
    for launches in by_thread.values():
        reasons = [one.reason or one.outcome for one in launches]
        assert reasons == ["roctx"] * 3 + ["replayed"] * 5 + ["roctx"] * 6 + ["paused"] * 6
    assert Counter(fates(run)) == {"o": 36, "c": 20, "p": 24}


def test_calls_that_make_no_sense_are_harmless(collect: Collect) -> None:
    long = "x" * 100_000
    steps = f"- // + 1 - - - +{long} 1 - '+\N{GREEK SMALL LETTER ALPHA}\x7f\n' 1 - 1"
    assert fates(collect(steps, roctx_include="x{100}")) == "ocoo"


def test_ranges_and_pauses_before_the_first_call_of_hip_count(collect: Collect) -> None:
    assert fates(collect("+a @a 1 - 1 / 1", roctx_include="a")) == "cco"


def test_an_older_sdk_has_regions_too(collect: Collect) -> None:
    env = {"ROCPROFSYS_MULTIPASS_SIM_FAULTS": "sdk_1_0_0"}
    run = collect("1 +a 2 - pause 1", roctx_include="a", env=env)
    found = [(one.outcome, one.reason) for one in mp.open_trace(run.output_dir).dispatches()]
    assert found == [
        ("filtered", "roctx"),
        *[("declined", "no_kernel_replay")] * 2,
        ("filtered", "paused"),
    ]


def test_all_outputs_name_the_reasons(collect: Collect) -> None:
    run = collect("1 +a 2 - pause 1", roctx_include="a")
    assert run.summary is not None
    counts = run.summary["dispatches"]
    assert (counts["seen"], counts["replayed"], counts["filtered"]) == (4, 2, 2)
    assert counts["filtered_reasons"] == {"paused": 1, "roctx": 1}
    (database,) = Path(run.output_dir).glob("*.db")
    with closing(sqlite3.connect(database)) as connection:
        texts = [
            json.loads(text) for (text,) in connection.execute("SELECT extdata FROM rocpd_kernel_dispatch ORDER BY id")
        ]
    assert "roctx" in json.dumps(texts[0])
    assert "paused" in json.dumps(texts[3])
    (trace,) = Path(run.output_dir).glob("*.pftrace")
    from_trace = [(one.outcome, one.reason) for one in mp.open_trace(trace).dispatches()]
    from_database = [(one.outcome, one.reason) for one in mp.open_trace(database).dispatches()]
    expected = [("filtered", "roctx"), ("replayed", ""), ("replayed", ""), ("filtered", "paused")]
    assert sorted(from_trace) == sorted(from_database) == sorted(expected)


@pytest.mark.parametrize(
    ("steps", "options", "warning"),
    [
        (
            "2 +a 1 -",
            {"roctx_include": "b"},
            "roctx-include 'b' is found in no message of the program's roctx ranges (1, the first is 'a')",
        ),
        ("2", {"roctx_include": "b"}, "the program opened no roctx range"),
        ("2", {"roctx": True}, "the program opened no roctx range"),
        ("2 pause", {"selected_regions": True}, "the program never called roctxProfilerResume"),
    ],
)
def test_a_region_that_never_comes_is_told(collect: Collect, steps: str, options: dict[str, Any], warning: str) -> None:
    run = collect(steps, **options)
    assert run.summary is not None
    assert any(warning in text for text in run.summary["warnings"]), run.summary["warnings"]
    assert warning in run.stderr


@pytest.mark.parametrize("place", ["option", "variable", "file"])
def test_the_options_are_taken_from_every_place(cli: Cli, regions: Path, tmp_path: Path, place: str) -> None:
    out = tmp_path / "out"
    file = tmp_path / "m.yaml"
    lines = f"events: [{', '.join(EVENTS)}]\nsimulate: tiny\n"
    given = {"roctx_include": "a", "roctx_exclude": "b", "selected_regions": "on", "roctx": "on"}
    if place == "file":
        lines += "".join(f"{key}: {value}\n" for key, value in given.items())
    file.write_text(lines)
    words = []
    if place == "option":
        words = ["--roctx", "--selected-regions", "--roctx-include", "a", "--roctx-exclude", "b"]
    env = {f"ROCPROFSYS_MULTIPASS_{key.upper()}": value for key, value in given.items()} if place == "variable" else {}
    steps = ["+a", "1", "resume", "1", "+b", "1", "-", "1", "-", "1"]
    done = cli("run", "--config", file, *words, "-o", out, "--", regions, *steps, env=env)
    assert done.returncode == 0, done.stderr
    found = [one.reason or one.outcome for one in mp.open_trace(out).dispatches()]
    assert found == ["paused", "replayed", "roctx", "replayed", "roctx"]


def test_the_plugin_reads_the_variables_without_the_wrapper(
    native: Native, environment: dict[str, str], regions: Path, tmp_path: Path
) -> None:
    variables = {
        "ROCPROFSYS_MULTIPASS_SIMULATE": "tiny",
        "ROCPROFSYS_MULTIPASS_EVENTS": ",".join(EVENTS),
        "ROCPROFSYS_MULTIPASS_ROCTX_INCLUDE": "a",
    }
    done = subprocess.run(
        [regions, *["1", "+a", "1", "-"]],
        env=by_hand(native, environment, tmp_path / "out", **variables),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert [one.reason or one.outcome for one in mp.open_trace(tmp_path / "out").dispatches()] == ["roctx", "replayed"]


def test_a_wrong_pattern_is_refused_before_the_start(cli: Cli, regions: Path, tmp_path: Path) -> None:
    done = cli(
        "run", "--simulate", "tiny", "--events", "SQ_WAVES", "--roctx-include", "a(", "-o", tmp_path / "o", "--",
        regions,
    )  # fmt: skip
    assert done.returncode == 2
    assert "--roctx-include: 'a(' is not a regular expression" in done.stderr
