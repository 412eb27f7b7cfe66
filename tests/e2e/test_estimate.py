# SPDX-License-Identifier: MIT
"""What ``plan --estimate`` says of a run is what a run does, whose kernels and copies take what was told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from e2e_tools import TWO_PASSES

import rocprofsys_multipass as mp

SECOND = 10**9
LAUNCHES = 5  # of axpy, of one shape
COST = "kernel=1s,copy=4GB/s"


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        ({}, (3, "max_replays")),
        ({"replay_budget": "5s", "max_replays": "none"}, (2, "budget")),
        ({"host_memory": "1KB"}, (0, "host_memory")),
    ],
)
def test_a_run_replays_as_many_launches_and_takes_as_long_as_was_estimated(
    environment: dict[str, str],
    axpy: Path,
    tmp_path: Path,
    limits: dict[str, Any],
    expected: tuple[int, str],
) -> None:
    """Of two passes of a second each; a third replay would be more than 5 s. The little memory takes no time."""
    replays, reason = expected
    plan = mp.plan("gfx942", TWO_PASSES)
    (estimate,) = plan.estimate(footprint="12KB", dispatches=LAUNCHES, kernel_time="1s", **limits).agents
    auto = next(way for way in estimate.ways if way.name == "auto")

    run = mp.run(
        [axpy],
        events=TWO_PASSES,
        simulate="gfx942",
        output=tmp_path / "out",
        env=environment | {"ROCPROFSYS_MULTIPASS_SIM_COST": COST},
        capture=True,
        **limits,
    )

    dispatches = mp.open_trace(run.output_dir).dispatches()
    assert {dispatch.reason for dispatch in dispatches if dispatch.outcome == "declined"} == {reason}
    executions = [one for dispatch in dispatches for one in dispatch.passes]
    took = max(one.end_ns or 0 for one in executions) - min(one.start_ns or 0 for one in executions)
    assert auto.replays == replays == sum(dispatch.outcome == "replayed" for dispatch in dispatches)
    assert auto.time_ns == pytest.approx((LAUNCHES + replays) * SECOND, abs=0.001 * SECOND)
    assert took >= auto.time_ns * 0.999  # what this machine takes in between comes on top
    assert len(executions) == LAUNCHES + replays, "each of a second, and nothing else is told to take time"
