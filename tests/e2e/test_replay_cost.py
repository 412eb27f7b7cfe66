# SPDX-License-Identifier: MIT
"""What replays may take, on the simulator's cost model: time is simulated, nobody waits for it (docs/simulator.md)."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest
from e2e_tools import Finished
from fault_tools import TRUTH_VARIABLE, read_executions

import rocprofsys_multipass as mp
from rocprofsys_multipass.report import closing

COST = "ROCPROFSYS_MULTIPASS_SIM_COST"
KERNELS = 20
LAUNCHES = 10_000
BUDGET_MS = 60_000  # the default; a tenth of the wall time is less here
SMALL = 4_000_000  # bytes; at 8 MB/s half a second for each copy
LARGE = 173_000_000_000
MANY = [
    *(
        "TCC_HIT",
        "TCC_MISS",
        "TCC_REQ",
        "TCC_READ",
        "TCC_WRITE",
        "TCC_ATOMIC",
        "TCC_BUSY",
        "TCC_TAG_STALL",
        "TCC_CYCLE",
    ),
    *("TCC_NORMAL_EVICT", "TCC_NORMAL_WRITEBACK", "TCC_EA0_RDREQ", "TCC_EA0_WRREQ", "TCC_EA0_RDREQ_DRAM", "TCC_PROBE"),
    *("TCC_EA0_WRREQ_DRAM", "TCC_EA0_ATOMIC", "TCC_STREAMING_REQ", "TCC_NC_REQ", "TCC_UC_REQ", "TCC_CC_REQ"),
    *("TCC_RW_REQ", "TCC_BUBBLE", "TCC_EA0_RD_UNCACHED_32B", "TCC_EA0_RDREQ_32B", "TCC_EA0_WRREQ_64B"),
]
EVENTS = [
    *("TCC_HIT", "TCC_MISS", "TCC_REQ", "TCC_READ", "TCC_WRITE", "TCC_ATOMIC", "TCC_BUSY", "TCC_TAG_STALL"),
    *("TCC_NORMAL_EVICT", "TCC_NORMAL_WRITEBACK", "TCC_EA0_RDREQ", "TCC_EA0_WRREQ"),
]


@dataclass(frozen=True)
class Ended:
    """A run that ended well, and what its application printed."""

    run: mp.Run

    @cached_property
    def trace(self) -> mp.Trace:
        return mp.open_trace(self.run.output_dir)


def alone(application: Path, environment: dict[str, str], launches: int, size: int, cost: str) -> Finished:
    """The application without the plugin, on the same simulated machine."""
    environ = environment | {COST: cost, "ROCPROFSYS_MULTIPASS_SIMULATE": "gfx942"}
    words = [application, str(launches), str(size)]
    return subprocess.run(words, env=environ, capture_output=True, text=True, check=True)


def printed(text: str) -> tuple[str, int]:
    """What the application computed, and how many ms the clock got ahead."""
    match = re.fullmatch(r"sum ([0-9a-f]{8}) ahead (-?\d+)\n", text)
    assert match, text
    return match[1], int(match[2])


@pytest.fixture(scope="module")
def long_job(many_kernels: Path, environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Ended:
    """10,000 launches of 20 kernels with all defaults, each launch 1 ms, each replay seconds."""
    run = mp.run(
        [many_kernels, str(LAUNCHES), str(SMALL)],
        events=EVENTS,
        simulate="gfx942",
        formats=["rocpd"],
        output=tmp_path_factory.mktemp("long") / "out",
        env=environment | {COST: "kernel=1ms,copy=8MB/s"},
        capture=True,
    )
    assert run.exit_code == 0, run.stderr
    return Ended(run)


def test_a_long_job_takes_no_more_than_its_time_and_110_percent_of_the_budget(
    long_job: Ended, many_kernels: Path, environment: dict[str, str]
) -> None:
    value, ahead = printed(long_job.run.stdout)
    expected, ahead_alone = printed(alone(many_kernels, environment, LAUNCHES, SMALL, "kernel=1ms").stdout)
    assert value == expected
    assert ahead - ahead_alone <= 1.1 * BUDGET_MS
    assert ahead - ahead_alone >= 0.5 * BUDGET_MS  # else it was no budget that ended the replays


def test_a_budget_that_is_spent_in_the_middle_leaves_the_rest_to_rotation(long_job: Ended) -> None:
    outcomes = [(d.outcome, d.reason) for d in long_job.trace.dispatches()]
    spent = outcomes.index(("declined", "budget"))
    assert KERNELS <= spent < 3 * KERNELS  # each kernel once at least, and none three times
    assert set(outcomes[:spent]) == {("replayed", "")}
    assert set(outcomes[spent:]) == {("declined", "budget")}


def test_every_counter_of_every_kernel_is_read_all_the_same(long_job: Ended) -> None:
    read: dict[str, set[str]] = {}
    for d in long_job.trace.dispatches():
        read.setdefault(d.kernel, set()).update(d.counters)
    assert len(read) == KERNELS
    assert all(counters == set(EVENTS) for counters in read.values())


def test_the_closing_table_adds_up(long_job: Ended) -> None:
    summary = long_job.run.summary
    assert summary is not None
    found = closing.of_summary(summary)
    assert found == closing.of_dispatches(long_job.trace.dispatches())
    assert [(one.launches, sum(one.outcomes.values())) for one in found] == [(LAUNCHES // KERNELS,) * 2] * KERNELS
    total = closing.together(found, "")
    assert total.launches == summary["dispatches"]["seen"] == LAUNCHES
    assert {name: total.outcomes[name] for name in ("replayed", "declined")} == {
        name: summary["dispatches"][name] for name in ("replayed", "declined")
    }
    assert {reason: n for (_, reason), n in total.reasons.items()} == summary["dispatches"]["declined_reasons"]
    assert [f for f in mp.verify(long_job.run.output_dir) if f.severity == "error"] == []


def test_a_replay_that_would_take_346_s_is_not_begun(
    many_kernels: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    """173 GB in use, seven passes and a warm-up, 4 GB/s. The host has room for the copy, says the option."""
    run = mp.run(
        [many_kernels, "40", str(LARGE)],
        events=MANY,
        warm_up_pass=True,
        simulate="gfx942",
        host_memory="1TB",
        replay="kernel",
        output=tmp_path / "out",
        env=environment | {COST: "kernel=1ms,copy=4GB/s"},
        capture=True,
    )
    assert run.exit_code == 0, run.stderr
    assert run.summary is not None
    assert run.summary["agents"][0]["pass_count"] == 7
    value, ahead = printed(run.stdout)
    assert value == printed(alone(many_kernels, environment, 40, LARGE, "kernel=1ms").stdout)[0]
    assert ahead < 1000  # 40 launches of 1 ms each, and no copy
    assert {(d.outcome, d.reason) for d in Ended(run).trace.dispatches()} == {("declined", "window_time")}


def test_a_budget_admits_the_replays_that_it_can_pay_and_no_other(
    many_kernels: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    """A copy is half a second: a replay of N passes is N of them, the snapshot and N - 1 restores."""
    budget, rate, kernel = 10.0, 8e6, 1e-3  # s, bytes per s, s
    truth = tmp_path / "truth.csv"
    truth.touch()
    run = mp.run(
        [many_kernels, "60", str(SMALL)],
        events=EVENTS,
        replay_budget=f"{budget:g}s",
        simulate="gfx942",
        formats=["rocpd"],
        output=tmp_path / "out",
        env=environment | {COST: "kernel=1ms,copy=8MB/s", TRUTH_VARIABLE: str(truth)},
        capture=True,
    )
    executions = read_executions(truth)
    passes = max(executions.values())
    window = passes * (SMALL / rate + kernel)
    affordable = int(budget / window)
    assert 2 < affordable < KERNELS
    assert budget % window > 0.2 * window  # so that what the machine takes beside makes no difference
    assert executions == {n: passes if n <= affordable else 1 for n in range(1, 61)}
    fates = [(d.outcome, d.reason) for d in Ended(run).trace.dispatches()]
    assert fates == affordable * [("replayed", "")] + (60 - affordable) * [("declined", "budget")]
