# SPDX-License-Identifier: MIT
"""What is not replayed by choice, through the wrapper: options, variables, a YAML file, and Python."""

from __future__ import annotations

from pathlib import Path

import pytest
from e2e_tools import PROBE, TWO_PASSES, Cli, probe_counters

import rocprofsys_multipass as mp

EVENTS = ",".join(TWO_PASSES)


def outcomes(folder: Path) -> list[tuple[str, str]]:
    return [(d.outcome, d.reason) for d in mp.open_trace(folder).dispatches()]


def test_a_limit_leaves_the_later_launches_of_a_shape_to_take_turns(
    environment: dict[str, str], axpy: Path, tmp_path: Path
) -> None:
    run = mp.run(
        [axpy], events=TWO_PASSES, max_replays=2, simulate="gfx942", output=tmp_path / "out", env=environment,
        capture=True,
    )  # fmt: skip
    assert (run.exit_code, run.stdout) == (0, "axpy c7dd443c6490ff50\n")
    assert outcomes(run.output_dir) == [("replayed", "")] * 2 + [("declined", "max_replays")] * 3
    assert run.summary is not None
    assert run.summary["dispatches"]["declined_reasons"] == {"max_replays": 3}
    assert [f for f in mp.verify(run.output_dir) if f.severity != "info"] == []


@pytest.mark.parametrize("place", ["option", "variable", "file"])
def test_a_pattern_keeps_a_kernel_from_being_replayed(cli: Cli, probe: Path, tmp_path: Path, place: str) -> None:
    out = tmp_path / "out"
    file = tmp_path / "m.yaml"
    file.write_text(f"events: {EVENTS}\nsimulate: gfx942\n" + ("no_replay: ^probe\n" if place == "file" else ""))
    words = ["--no-replay", "^probe"] if place == "option" else []
    env = {"ROCPROFSYS_MULTIPASS_NO_REPLAY": "^probe"} if place == "variable" else {}
    done = cli("run", "--config", file, *words, "-o", out, "--", probe, "exit", "0", env=env)
    assert (done.returncode, done.stdout) == (0, "launch 0 correct\n"), done.stderr
    assert outcomes(out) == [("declined", "no_replay_list")]
    (dispatch,) = mp.open_trace(out).dispatches()
    assert dict(dispatch.counters) == probe_counters(1000, tuple(dispatch.counters))
    assert f"{PROBE}: group 1 of 2 was never read (1 launch)" in done.stderr


def test_a_gpu_that_is_left_out_has_no_readings(cli: Cli, probe: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = cli(
        "run", "--simulate", "gfx942,gfx942", "--gpus", "1", "--events", f"{EVENTS},SQ_INSTS_VALU:device=0", "-o", out,
        "--", probe, "devices",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert outcomes(out) == [("filtered", "gpus"), ("replayed", "")]
    assert "SQ_INSTS_VALU:device=0 is not collected: 'gpus 1' leaves that GPU out" in done.stderr
    assert [f for f in mp.verify(out) if f.severity == "error"] == []


def test_a_run_of_which_no_gpu_is_wanted_is_told(cli: Cli, probe: Path, tmp_path: Path) -> None:
    done = cli(
        "run", "--simulate", "gfx942", "--gpus", "4", "--events", EVENTS, "-o", tmp_path / "o", "--", probe, "exit", "0"
    )
    assert done.returncode == 4
    assert "gpus 4: there is no GPU 4; there is only GPU 0" in done.stderr


def test_a_pattern_that_only_python_reads_is_refused_before_the_start(cli: Cli, probe: Path, tmp_path: Path) -> None:
    done = cli(
        "run", "--simulate", "gfx942", "--no-replay", "(?a:x)", "--events", EVENTS, "-o", tmp_path / "o", "--", probe,
        "exit", "0",
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert "--no-replay: '(?a:x)' is not a regular expression" in done.stderr
