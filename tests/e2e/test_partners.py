# SPDX-License-Identifier: MIT
"""Counters that are divided by one another, where a group leaves no room for all of them in one pass."""

from __future__ import annotations

from pathlib import Path

import pytest
from e2e_tools import Cli

import rocprofsys_multipass as mp

# The group fills the four TCC slots of its pass, so the misses are in another one than the hits.
GROUP = "TCC_HIT,TCC_REQ,TCC_READ,TCC_TAG_STALL"
SPLIT = "L2 hits and misses are in different passes: TCC_HIT, TCC_MISS"


def test_a_plan_names_partners_that_are_apart_and_the_group_that_helps(cli: Cli) -> None:
    plan = cli("plan", "--device", "gfx942", "--events", "TCC_MISS", "--group", GROUP)
    assert f"  {SPLIT}; --group TCC_HIT,TCC_MISS keeps them together\n" in plan.stdout
    assert "L2 requests by kind" not in plan.stdout


@pytest.mark.parametrize("verbose", [False, True])
def test_a_run_names_them_when_it_is_verbose(
    environment: dict[str, str], probe: Path, tmp_path: Path, *, verbose: bool
) -> None:
    run = mp.run(
        [probe, "exit", "0"],
        events="TCC_MISS",
        groups=[GROUP],
        simulate="gfx942",
        output=tmp_path / "out",
        verbose=verbose,
        env=environment,
        capture=True,
    )
    said = f"rocprof-sys-multipass: GPU 0 (gfx942): {SPLIT}; a group keeps them together\n"
    assert (said in run.stderr) == verbose
