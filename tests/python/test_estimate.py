# SPDX-License-Identifier: MIT
"""What a plan will cost: numbers worked out by hand, laws, and the numbers of the plugin."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rocprofsys_multipass as mp
from rocprofsys_multipass.errors import UsageError
from rocprofsys_multipass.estimate import AgentEstimate, Estimate, Way, Workload, constants
from rocprofsys_multipass.estimate.constants import DEFAULT_BUDGET
from rocprofsys_multipass.estimate.window import affordable, allowed, window_of
from rocprofsys_multipass.host_memory import Room

ROOT = Path(__file__).parents[2]
S, MS, GB = 10**9, 10**6, 10**9
ROOMY = "900TB"


def plan_of(*passes: int) -> mp.Plan:
    """A plan of so many passes for each GPU."""
    agents = (mp.AgentPlan("gfx942", at, n, n, True, "bound", (), (), ()) for at, n in enumerate(passes))  # noqa: FBT003
    return mp.Plan(tuple(agents), (), (), ())


def estimate(passes: int, **told: Any) -> AgentEstimate:
    """Of one GPU, of a machine with any memory."""
    return whole_estimate(passes, **told).agents[0]


def whole_estimate(*passes: int, **told: Any) -> Estimate:
    told = {"footprint": "10GB", "dispatches": 1000, "kernel_time": "1ms", "host_memory": ROOMY} | told
    return plan_of(*passes).estimate(**told)


def way(agent: AgentEstimate, name: str) -> Way:
    return next(one for one in agent.ways if one.name == name)


def test_a_replay_of_173_gb_in_8_passes_takes_346_seconds_and_is_declined() -> None:
    agent = estimate(8, footprint="173GB", kernel_time="1us")
    assert (agent.window.executions, agent.window.copied_bytes) == (8, 8 * 173 * GB)
    assert agent.window.time_ns == 346 * S + 8000
    assert way(agent, "kernel").declined == ("window_time",)
    assert (way(agent, "auto").replays, way(agent, "auto").time_ns) == (0, MS)
    assert agent.choice == "rotate"
    assert agent.warnings == (
        (
            "a replay takes 5 min 46 s, and more than 30 s is declined (window_time), since revisions of the SDK end a "
            "process that waits for 60 s; with 14.9 GB allocated it would be in time"
        ),
    )


def test_replay_of_every_launch_that_is_declined_is_rotation() -> None:
    """It copies nothing, and takes no more than the application."""
    agent = estimate(8, footprint="173GB")
    kernel, rotate = way(agent, "kernel"), way(agent, "rotate")
    assert (kernel.time_ns, kernel.replays, kernel.copied_bytes) == (S, 0, 0)
    assert kernel == replace(rotate, name="kernel", declined=("window_time",))
    assert way(estimate(8, footprint="173GB", unsafe="window_time"), "kernel").copied_bytes == 8 * 173_000 * GB


def test_a_thousand_replays_of_10_gb_in_8_passes_copy_80_terabytes_in_5_and_a_half_hours() -> None:
    every = way(estimate(8), "kernel")
    assert (every.replays, every.copied_bytes) == (1000, 80_000 * GB)
    assert every.time_ns == 20_000 * S + 1000 * 8 * MS


def test_the_default_replays_as_often_as_60_seconds_admit() -> None:
    """Each takes 20.008 s: three would be 60.024 s."""
    auto = way(estimate(8), "auto")
    assert (auto.replays, auto.time_ns) == (2, S + 2 * (20_008 - 1) * MS)


def test_the_default_replays_each_kernel_three_times_when_that_is_paid_for() -> None:
    """Each takes 5.002 s, and 4 kernels 12 times 60.024 s; of 3 they are 9."""
    assert way(estimate(2, kernels=4), "auto").replays == 11
    assert way(estimate(2, kernels=3), "auto").replays == 9


def test_the_default_spends_a_tenth_of_a_long_run() -> None:
    """m replays of 20.008 s, when 3600 s - m ms and m - 1 replays have passed: 18.0073 m <= 357.9992."""
    auto = way(estimate(8, dispatches=3_600_000, kernels=20), "auto")
    assert auto.replays == 19


def test_the_plugin_reads_a_limit_as_the_estimate_does() -> None:
    none = {"replay_budget": "none", "max_replays": "none"}
    assert way(estimate(8, **none), "auto").replays == 1000
    assert way(estimate(8, replay_budget="90s"), "kernel").replays == 4
    assert way(estimate(8, replay_budget="1h", max_replays=5), "kernel").replays == 5
    assert way(estimate(8, unsafe=["budget"]), "auto").replays == 3


def test_rotation_costs_nothing_and_reads_each_counter_in_every_nth_launch() -> None:
    rotate = way(estimate(6, dispatches=60), "rotate")
    assert (rotate.time_ns, rotate.copied_bytes, rotate.replays) == (60 * MS, 0, 0)
    assert (rotate.readings, rotate.most_readings) == (10, 10)


def test_a_kernel_that_is_launched_twice_is_read_by_rotation_in_2_of_6_passes() -> None:
    agent = estimate(6, dispatches=20, kernels=10, footprint="200GB")
    rotate = way(agent, "rotate")
    assert (rotate.readings, rotate.most_readings, rotate.whole_kernels) == (0, 1, 0)
    assert agent.choice == "runs"
    assert "rotation needs 6 launches of each kernel: with 2 it reads 2 of the 6 passes" in agent.warnings


def test_a_run_for_each_pass_takes_the_application_so_often() -> None:
    agent = estimate(8, startup="5s")
    assert way(agent, "runs").time_ns == 8 * 6 * S
    assert way(agent, "runs").readings == 1000


def test_further_executions_of_a_replay_copy_and_run_too() -> None:
    agent = estimate(8, warm_up_pass=True, timing_pass=True)
    assert agent.window.executions == 10
    assert agent.window.time_ns == 25 * S + 10 * MS
    assert way(agent, "rotate").readings == 1000 // 8


def test_what_fits_the_limit_is_told_with_less_than_what_does_not() -> None:
    """30.003 s."""
    agent = estimate(3, footprint="40GB")
    assert agent.warnings[0].startswith("a replay takes just over 30 s, and more than 30 s is declined (window_time)")
    assert agent.warnings[0].endswith(
        "; one may be begun to measure how fast memory is copied, and ended early; with 39.9 GB allocated it would be "
        "in time"
    )
    assert way(estimate(3, footprint="39.9GB"), "kernel").declined == ()


def test_one_pass_needs_no_replay() -> None:
    agent = estimate(1, footprint="900GB", host_memory="1GB")
    assert {(one.time_ns, one.replays, one.copied_bytes, one.readings) for one in agent.ways} == {(S, 0, 0, 1000)}
    assert (agent.choice, agent.window.copied_bytes, agent.warnings) == ("auto", 0, ())


def test_no_pass_is_no_way() -> None:
    agent = estimate(0)
    assert (agent.ways, agent.choice) == ((), None)
    assert agent.reason == "no counter has a pass: nothing is collected"


def test_a_copy_without_room_is_declined_with_what_helps() -> None:
    agent = estimate(2, host_memory="8GB")
    assert way(agent, "kernel").declined == ("host_memory",)
    assert agent.choice == "rotate"
    assert agent.warnings == (
        (
            "a copy of 10 GB has no room in host memory, so replays are declined (host_memory): 8 GB (host_memory); "
            "free memory, run fewer ranks on a node, or allocate less on the GPU"
        ),
    )


def test_ranks_share_what_the_machine_has_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rocprofsys_multipass.estimate.room.host_room", lambda: Room(64 * GB, "MemAvailable"))
    assert str(whole_estimate(2, host_memory=None).host_memory) == "64 GB (MemAvailable)"
    shared = whole_estimate(2, host_memory=None, ranks_per_node=8)
    assert str(shared.host_memory) == "8 GB for each of 8 ranks (MemAvailable)"
    assert way(shared.agents[0], "kernel").declined == ("host_memory",)


def test_memory_that_nobody_tells_limits_nothing_and_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rocprofsys_multipass.estimate.room.host_room", lambda: Room(None, "MemAvailable"))
    agent = estimate(2, host_memory=None)
    assert way(agent, "auto").replays == 3
    assert agent.warnings == (
        "how much host memory is left is not known (MemAvailable): see that a copy of 10 GB has room there",
    )


def test_gpus_that_do_not_fit_at_once_are_told_and_replay_one_after_the_other() -> None:
    agents = whole_estimate(2, 2, 1, host_memory="15GB").agents
    assert [agent.choice for agent in agents] == ["auto", "auto", "auto"]
    assert agents[0].warnings == (
        (
            "copies of 2 GPUs at a time are 20 GB: 15 GB (host_memory); replays on more than 1 at a time are declined "
            "(host_memory)"
        ),
    )


def test_copies_that_are_faster_than_a_run_assumes_are_measured_by_the_first_replay() -> None:
    """At 20 GB/s it takes 9 s; the plugin takes it for 45 s, and begins one, which asks for 30 s of the budget."""
    told = {"footprint": "60GB", "copy_rate": "20GB/s"}
    agent = estimate(3, **told)
    assert agent.window.time_ns == 9003 * MS
    assert (way(agent, "kernel").declined, way(agent, "auto").replays, agent.warnings) == ((), 3, ())
    assert way(estimate(3, **told, replay_budget="29s"), "auto").replays == 0
    assert way(estimate(3, **told, replay_budget="30s"), "auto").replays == 3
    lifted = {"unsafe": "window_time"}
    assert way(estimate(3, **told, **lifted, replay_budget="44s"), "auto").replays == 0
    assert way(estimate(3, **told, **lifted, replay_budget="46s"), "auto").replays == 3


def test_where_one_copy_seems_to_be_too_long_none_is_begun() -> None:
    """At 20 GB/s it takes 18 s; the plugin takes one copy for 30.25 s, and never measures."""
    told = {"footprint": "121GB", "copy_rate": "20GB/s"}
    agent = estimate(3, **told)
    assert agent.window.time_ns == 18153 * MS
    assert (way(agent, "kernel").declined, way(agent, "auto").replays) == (("window_time",), 0)
    assert agent.warnings == (
        (
            "a replay takes 18.2 s, but one copy alone takes 30.2 s at the 4 GB/s that a run assumes before it has "
            "measured, and more than 30 s is declined (window_time); --replay kernel --unsafe window_time lifts that"
        ),
    )
    assert way(estimate(3, footprint="120GB", copy_rate="20GB/s"), "kernel").declined == ()
    lifted = estimate(3, **told, unsafe="window_time")
    assert (way(lifted, "auto").replays, way(lifted, "kernel").replays) == (0, 1000)  # the budget takes it for 91 s


def test_a_budget_that_the_first_replay_seems_to_exceed_admits_none() -> None:
    """It takes 2 s, and the plugin takes it for 10 s."""
    told = {"footprint": "20GB", "copy_rate": "20GB/s", "kernel_time": "1us"}
    assert way(estimate(2, **told, replay_budget="9s"), "auto").replays == 0
    assert way(estimate(2, **told, replay_budget="11s", max_replays="none"), "auto").replays == 5


def test_what_is_lifted_is_replayed_and_not_advised() -> None:
    agent = estimate(8, footprint="173GB", unsafe="window_time")
    assert (way(agent, "kernel").declined, way(agent, "auto").replays) == ((), 0)  # one is more than the budget
    assert way(estimate(8, footprint="173GB", unsafe="window_time,budget"), "auto").replays == 3
    assert agent.choice == "rotate"
    assert agent.reason.startswith("replays are not safe here (window_time): each launch reads")


def test_all_launches_are_replayed_where_that_is_within_the_budget_of_the_default() -> None:
    agent = estimate(2, footprint="1MB", dispatches=100)
    assert agent.choice == "kernel"
    assert agent.warnings[0].startswith("overheads are left out: 100 replays at the 90 ms")


def test_overheads_keep_it_from_being_chosen() -> None:
    """A thousand times 90 ms is more than 60 s."""
    assert estimate(2, footprint="1MB").choice == "auto"


@pytest.mark.parametrize(("startup", "choice"), [("20s", "runs"), ("120s", "kernel")])
def test_where_the_budget_leaves_kernels_out_the_quicker_way_is_chosen(startup: str, choice: str) -> None:
    """200 kernels, each launched once: of 0.75 s each, 60 s are 79 replays, and all take 150 s."""
    agent = estimate(3, footprint="1GB", dispatches=200, kernels=200, kernel_time="1us", startup=startup)
    assert way(agent, "auto").whole_kernels == 79
    assert agent.choice == choice
    assert "the budget lets the default read 79 of 200 kernels whole" in agent.reason


def test_an_estimate_is_shown_in_one_short_line() -> None:
    found = whole_estimate(2, 0)
    assert repr(found.agents[0]) == "<AgentEstimate gfx942 (GPU 0): auto, 16 s>"
    assert repr(found) == "<Estimate: gfx942 (GPU 0): auto, 16 s, gfx942 (GPU 1): nothing to collect>"


def test_numbers_and_texts_are_the_same() -> None:
    texts = whole_estimate(3, footprint="1.5GiB", kernel_time="2ms", startup="5s", copy_rate="8GB/s", kernels="2")
    assert texts == whole_estimate(
        3, footprint=3 * 2**29, kernel_time=0.002, startup=5, copy_rate=8e9, kernels=2, host_memory="900TB"
    )
    assert texts.workload == Workload(3 * 2**29, 1000, 2 * MS, 2, 5 * S, 8 * GB)


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({"footprint": "10"}, "footprint: '10' has no unit: write a size such as 512MB, 64GB or 64GiB"),
        (
            {"footprint": 0},
            "footprint: 0 is nothing that can be used here: give bytes, or a text such as '10GB', above 0",
        ),
        ({"footprint": True}, "footprint: True is nothing that can be used here: give bytes"),
        ({"dispatches": 1.5}, "dispatches: 1.5 is no whole number from 1 to 1000000000000000"),
        ({"dispatches": "1e3"}, "dispatches: '1e3' is no whole number from 1"),
        ({"kernel_time": float("nan")}, "kernel_time: nan is nothing that can be used here: give seconds"),
        ({"kernel_time": "5 ms"}, "kernel_time: '5 ms' has the unit ' ms', not one of ns, us, µs, ms, s, m, h"),
        ({"startup": -1}, "startup: -1 is nothing that can be used here"),
        ({"kernels": 1001}, "kernels: 1001 kernels are more than the 1000 launches of dispatches: give the launches"),
        ({"copy_rate": "4GB"}, "copy_rate: '4GB' has the unit 'GB', not one of B/s, KB/s"),
        ({"ranks_per_node": 0}, "ranks_per_node: 0 is no whole number from 1"),
        ({"host_memory": "64G"}, "host_memory: '64G' has the unit 'G'"),
        ({"replay_budget": 60}, "replay_budget: 60 is of the wrong type"),
    ],
)
def test_what_cannot_be_read_is_named_with_what_can(told: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        whole_estimate(2, **told)
    assert str(caught.value).startswith(message)


def test_variables_are_not_looked_at_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROCPROFSYS_MULTIPASS_MAX_REPLAYS", "1")
    assert way(estimate(2), "auto").replays == 3


def in_cpp(pattern: str, *paths: str) -> set[int]:
    """What the constants of the plugin are, by a pattern with digits and ' between them."""
    texts = (path.read_text(encoding="utf-8") for name in paths for path in ROOT.glob(name))
    return {int(number.replace("'", "")) for text in texts for number in re.findall(pattern, text)}


def test_the_numbers_are_those_of_the_plugin() -> None:
    run = "library/model/run.hpp"
    assert in_cpp(r"kDefaultReplayBudget\{([\d']+), 0\.1\}", run) == {round(DEFAULT_BUDGET.seconds * S)}
    assert DEFAULT_BUDGET.share == 0.1
    assert in_cpp(r"kDefaultMaxReplays = (\d+);", run) == {constants.DEFAULT_MAX_REPLAYS}
    assert in_cpp(r"kBytesPerNs = (\d+);", "library/replay/*.hpp") == {constants.ASSUMED_COPY_RATE // S}
    assert in_cpp(r"kLongestWindow = ([\d']+);", "library/replay/*.hpp") == {constants.WINDOW_LIMIT_NS}


WORK = st.builds(
    Workload,
    footprint=st.integers(1, 10**12),
    dispatches=st.integers(1, 10**6),
    kernel_time_ns=st.integers(1, 10**10),
    kernels=st.just(1),
    startup_ns=st.integers(0, 10**13),
    copy_rate=st.integers(10**6, 10**12),
)
PASSES = st.integers(2, 20)
MORE = ("footprint", "dispatches", "kernel_time_ns", "startup_ns")


def of_work(work: Workload, passes: int, **told: Any) -> AgentEstimate:
    return estimate(
        passes,
        footprint=work.footprint,
        dispatches=work.dispatches,
        kernel_time=work.kernel_time_ns / S,
        kernels=work.kernels,
        startup=work.startup_ns / S,
        copy_rate=work.copy_rate,
        **told,
    )


@given(work=WORK, passes=PASSES, which=st.sampled_from(MORE), more=st.integers(1, 10**6))
def test_more_of_anything_takes_no_less_time_and_a_faster_copy_no_more(
    work: Workload, passes: int, which: str, more: int
) -> None:
    """Where no limit of a replay's time makes more of something mean that nothing is replayed."""
    less, further = of_work(work, passes, unsafe="window_time"), of_work(work, passes + 1, unsafe="window_time")
    grown = of_work(replace(work, **{which: getattr(work, which) + more}), passes, unsafe="window_time")
    faster = of_work(replace(work, copy_rate=work.copy_rate + more), passes, unsafe="window_time")
    for name in ("kernel", "rotate", "runs"):
        assert way(less, name).time_ns <= way(grown, name).time_ns
        assert way(less, name).time_ns <= way(further, name).time_ns
        assert way(less, name).time_ns >= way(faster, name).time_ns
        assert way(less, name).copied_bytes <= way(grown, name).copied_bytes
    assert faster.window.time_ns <= less.window.time_ns <= grown.window.time_ns
    assert less.window.time_ns < further.window.time_ns


@given(work=WORK, passes=PASSES, kernels=st.integers(1, 1000))
def test_the_default_never_spends_more_than_its_budget(work: Workload, passes: int, kernels: int) -> None:
    work = replace(work, kernels=min(kernels, work.dispatches))
    auto = way(of_work(work, passes), "auto")
    window = window_of(work, passes)
    assert auto.replays * window.time_ns <= allowed(DEFAULT_BUDGET, auto.time_ns)
    assert auto.time_ns <= work.application_ns + 1.1 * allowed(DEFAULT_BUDGET, auto.time_ns)
    assert auto.replays <= min(work.dispatches, 3 * work.kernels)


@given(work=WORK, passes=PASSES, kernels=st.integers(1, 1000))
def test_rotation_takes_the_time_of_the_application_and_what_is_chosen_reads_every_counter(
    work: Workload, passes: int, kernels: int
) -> None:
    work = replace(work, kernels=min(kernels, work.dispatches))
    agent = of_work(work, passes)
    assert way(agent, "rotate").time_ns == work.application_ns
    assert way(agent, "runs").time_ns == passes * work.application_ns
    assert agent.choice is not None
    assert way(agent, agent.choice).whole_kernels == work.kernels
    assert not way(agent, agent.choice).declined
    for one in agent.ways:
        assert 0 <= one.readings <= one.most_readings <= work.dispatches
        assert one.whole_kernels <= work.kernels
        assert (one.readings > 0) <= (one.whole_kernels == work.kernels)


@given(
    work=st.builds(
        Workload,
        footprint=st.integers(1, 10**11),
        dispatches=st.integers(1, 300),
        kernel_time_ns=st.integers(1, 10**10),
        kernels=st.just(1),
        startup_ns=st.integers(0, 10**12),
        copy_rate=st.just(4 * GB),
    ),
    passes=PASSES,
)
def test_what_the_budget_affords_is_what_launches_that_ask_one_after_the_other_get(work: Workload, passes: int) -> None:
    window = window_of(work, passes)
    replays, now = 0, work.startup_ns
    for _ in range(work.dispatches):
        admitted = (replays + 1) * window.time_ns <= allowed(DEFAULT_BUDGET, now)
        replays += admitted
        now += window.time_ns if admitted else work.kernel_time_ns
    assert affordable(work, window, DEFAULT_BUDGET, work.dispatches) == replays
