# SPDX-License-Identifier: MIT
"""What a run says of its filters when the application has ended, by the numbers in its summaries."""

from __future__ import annotations

from typing import Any

import pytest

from rocprofsys_multipass.config import COMMAND_LINE, PYTHON, RunConfig, resolve_run
from rocprofsys_multipass.run.afterwards import idle_filters, unasked_simulation

NAMES = "; rocprof-sys-multipass report shows the names of kernels that patterns are searched in"
NONE = "none of 2 launches was to be counted"


def config(**given: Any) -> RunConfig:
    return resolve_run(["app"], {"events": "A", **{name.replace("_", "-"): value for name, value in given.items()}}, {})


def summary(replayed: int, filtered: dict[str, int] | None = None, declined: dict[str, int] | None = None) -> Any:
    filtered, declined = filtered or {}, declined or {}
    return {
        "dispatches": {
            "seen": replayed + sum(filtered.values()) + sum(declined.values()),
            "replayed": replayed,
            "filtered": sum(filtered.values()),
            "filtered_reasons": filtered,
            "declined_reasons": declined,
        }
    }


@pytest.mark.parametrize(
    ("given", "summaries", "warnings"),
    [
        ({}, [summary(3)], []),
        ({"kernel_exclude": "x"}, [summary(3)], [f"--kernel-exclude 'x' left out none of 3 launches{NAMES}"]),
        ({"kernel_exclude": "x"}, [summary(3), summary(1, {"kernel_exclude": 1})], []),
        ({"kernel_exclude": "x"}, [], []),
        ({"kernel_exclude": "x"}, [summary(0)], []),
        ({"roctx_exclude": "x"}, [summary(2)], ["--roctx-exclude 'x' left out none of 2 launches"]),
        ({"roctx_exclude": "x"}, [summary(2, {"roctx": 1})], []),
        (
            {"no_replay": "x"},
            [summary(2, declined={"max_replays": 1})],
            [f"--no-replay 'x' kept none of 3 launches from being replayed{NAMES}"],
        ),
        ({"no_replay": "x"}, [summary(2, declined={"no_replay_list": 1})], []),
        ({"no_replay": "x"}, [summary(0, declined={"rotate_mode": 3})], []),
        ({"kernel_include": "x"}, [summary(2, {"kernel_include": 1})], []),
        (
            {"kernel_include": "x", "range": "9"},
            [summary(0, {"kernel_include": 1, "range": 1})],
            [f"no counter was read: with --kernel-include 'x' and --range '9' {NONE}{NAMES}"],
        ),
        (
            {"gpus": "1"},
            [summary(0, {"gpus": 2})],
            ["no counter was read: with --gpus '1' none of 2 launches was to be counted"],
        ),
        ({"gpus": "1"}, [summary(0, {"no_counters": 2})], []),
    ],
)
def test_filters_that_count_nothing_or_leave_nothing_out_are_told(
    given: dict[str, Any], summaries: list[Any], warnings: list[str]
) -> None:
    assert idle_filters(config(**given), COMMAND_LINE, summaries, ()) == warnings


def test_the_words_are_those_of_the_caller_and_the_plugin_is_not_repeated() -> None:
    chosen = config(selected_regions=True)
    nothing = [summary(0, {"paused": 4})]
    said = "no counter was read: with selected_regions none of 4 launches was to be counted"
    assert idle_filters(chosen, PYTHON, nothing, ()) == [said]
    assert idle_filters(chosen, PYTHON, nothing, ["no launch was collected: paused"]) == []


def ran_on(*gpus: str, simulated: bool) -> Any:
    return {"sdk": {"simulated": simulated}, "agents": [{"name": name} for name in gpus]}


def test_simulated_gpus_that_nobody_asked_for_are_named_with_how_to_ask_for_them() -> None:
    summaries = [ran_on("gfx942", simulated=True), ran_on("gfx942", "gfx1100", simulated=True)]
    (warning,) = unasked_simulation(config(), COMMAND_LINE, summaries)
    assert warning == (
        "nothing asked for simulated GPUs, and the application ran on a simulated gfx942 and gfx1100, because it was "
        "built with what sim-flags prints: these are not the numbers of a GPU. Give --simulate gfx942,gfx1100 where "
        "that is meant, or build it with hipcc"
    )
    assert "Give simulate gfx942 where" in unasked_simulation(config(), PYTHON, summaries[:1])[0]


def test_nothing_is_said_of_simulation_that_was_asked_for() -> None:
    summaries = [ran_on("gfx942", simulated=True)]
    assert unasked_simulation(config(simulate="gfx942"), COMMAND_LINE, summaries) == []


def test_nothing_is_said_of_real_gpus() -> None:
    assert unasked_simulation(config(), COMMAND_LINE, [ran_on("gfx942", simulated=False)]) == []
