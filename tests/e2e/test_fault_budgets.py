# SPDX-License-Identifier: MIT
"""Faults of the SDK where replays are declined and ended early: how far each comes is open, what is read is true."""

from __future__ import annotations

import pytest
from fault_tools import PASSES, StartFaulty, assert_sound

COST = {"ROCPROFSYS_MULTIPASS_SIM_COST": "copy=100MB/s,kernel=1ms"}
BUDGET = {"replay": "auto", "replay_budget": "30ms", "max_replays": "none"}
LIMIT = {"replay": "kernel", "max_replays": "1", "permute_groups": True}


@pytest.mark.parametrize("options", [BUDGET, LIMIT], ids=["budget", "limit"])
@pytest.mark.parametrize("fault", ["record_late", "pass_added,record_reversed", "total_hidden,record_at_stop"])
def test_no_reading_of_a_replay_that_was_cut_short_is_of_another_pass(
    fault: str, options: dict[str, object], start_faulty: StartFaulty
) -> None:
    faulty = start_faulty(fault, 4, 6, devices=["tiny"] * 2, env=COST, **options)
    assert (faulty.run.exit_code, faulty.run.stdout.count("wrong: 0\n")) == (5, 8)
    assert_sound(faulty)
    for one in faulty.trace.dispatches():
        read = sum(1 for each in one.passes if each.readings)
        ended = one.reason.startswith("budget: ended after ")
        assert (one.outcome == "incomplete") == ended
        assert read == (PASSES if one.outcome == "replayed" else int(one.reason.split()[3]) if ended else 1)
