# SPDX-License-Identifier: MIT
"""`ranks`: which processes of a parallel job are collected, by the variable of their launcher."""

from __future__ import annotations

from pathlib import Path

import pytest
from e2e_tools import TWO_PASSES, alone, assert_complete, by_hand

import rocprofsys_multipass as mp
from rocprofsys_multipass.native import Native

RAN = "launch 0 correct\n"


@pytest.mark.parametrize("rank", ["8", "1"])
def test_the_plugin_alone_collects_the_ranks_that_are_asked_for(
    rank: str, native: Native, environment: dict[str, str], probe: Path, tmp_path: Path
) -> None:
    env = by_hand(
        native,
        environment,
        tmp_path / "out",
        ROCPROFSYS_MULTIPASS_EVENTS=",".join(TWO_PASSES),
        ROCPROFSYS_MULTIPASS_RANKS="0,8-9",
        OMPI_COMM_WORLD_RANK=rank,
    )
    application = alone(probe, "exit", "3", env=env)
    assert (application.returncode, application.stdout) == (3, RAN)
    if rank == "8":
        assert_complete(tmp_path / "out", (1000,))
    else:
        assert application.stderr == ""
        assert not (tmp_path / "out").exists()


def test_with_verbose_a_line_says_why_a_process_is_not_collected(
    native: Native, environment: dict[str, str], probe: Path, tmp_path: Path
) -> None:
    env = by_hand(
        native,
        environment,
        tmp_path / "out",
        ROCPROFSYS_MULTIPASS_EVENTS="SQ_WAVES",
        ROCPROFSYS_MULTIPASS_RANKS="0",
        ROCPROFSYS_MULTIPASS_VERBOSE="on",
        PMI_RANK="1",
    )
    application = alone(probe, "exit", "0", env=env)
    assert application.stderr == "rocprof-sys-multipass: rank 1 is none of ranks 0: this process runs unprofiled\n"


def test_a_process_without_a_rank_is_collected_with_a_warning(
    environment: dict[str, str], probe: Path, tmp_path: Path
) -> None:
    run = mp.run(
        [probe, "exit", "0"],
        events=TWO_PASSES,
        ranks=[3],
        simulate="gfx942",
        output=tmp_path / "out",
        env=environment,
        capture=True,
    )
    assert [text.partition(", since ")[0] for text in run.warnings] == ["ranks 3: this process is profiled"]
    assert_complete(tmp_path / "out", (1000,))


def test_a_list_of_ranks_that_is_none_leaves_the_program_unprofiled(
    native: Native, environment: dict[str, str], probe: Path, tmp_path: Path
) -> None:
    env = by_hand(
        native,
        environment,
        tmp_path / "out",
        ROCPROFSYS_MULTIPASS_EVENTS="SQ_WAVES",
        ROCPROFSYS_MULTIPASS_RANKS="0;1",
    )
    application = alone(probe, "exit", "3", env=env)
    assert (application.returncode, application.stdout) == (3, RAN)
    assert "error: the program runs unprofiled: ranks '0;1': " in application.stderr


def run_as(probe: Path, environment: dict[str, str], output: Path, **rank: str) -> mp.Run:
    return mp.run(
        [probe, "exit", "3"],
        events=TWO_PASSES,
        ranks="0",
        strict=True,
        simulate="gfx942",
        output=output,
        env=environment | rank,
        capture=True,
    )


def test_a_wrapper_of_another_rank_starts_the_application_as_it_is(
    environment: dict[str, str], probe: Path, tmp_path: Path
) -> None:
    run = run_as(probe, environment, tmp_path / "out", OMPI_COMM_WORLD_RANK="1")
    assert (run.exit_code, run.stdout, run.stderr) == (3, RAN, "")
    assert (run.files, run.warnings, run.errors) == ((), (), ())
    assert not (tmp_path / "out").exists()


def test_a_batch_script_is_not_taken_for_the_rank_that_it_seems_to_have(
    environment: dict[str, str], probe: Path, tmp_path: Path
) -> None:
    script = environment | {"SLURM_PROCID": "1"}
    assert run_as(probe, script, tmp_path / "step", SLURM_STEP_ID="0").warnings == ()
    run = run_as(probe, script, tmp_path / "out")
    (warning,) = run.warnings
    assert "Possible causes: no process had a rank of ranks 0; " in warning
