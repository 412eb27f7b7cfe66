# SPDX-License-Identifier: MIT
"""The clocks of the processes of one job, and the order of dispatches in their queues."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import trace_tools as tools
from verify_tools import GOOD, frames_changed, journal

from rocprofsys_multipass.trace import journal_pb2 as pb
from rocprofsys_multipass.verify import Finding, verify

HOUR = 3_600_000_000_000


def process(folder: Path, rank: int, *, token: str = "job", later: int = 0, host: str = "host") -> None:
    """A journal whose boot time is related to the time of day by `later` ns less than usual."""

    def change(frames: list[pb.Frame]) -> list[pb.Frame]:
        run = frames[0].run
        run.rank, run.run_token, run.hostname = rank, token, host
        run.boottime_ns, run.monotonic_ns, run.realtime_ns = 600, 500, 1_700_000_000_000_000_000 + later
        return frames

    (folder / str(rank)).mkdir()
    frames_changed(change)(folder / str(rank))


def of_clocks(*folders: Path) -> list[Finding]:
    return [f for f in verify(folders) if f.check == "clocks"]


def test_processes_of_one_job_and_host_have_one_relation_to_the_time_of_day(tmp_path: Path) -> None:
    process(tmp_path, 0)
    process(tmp_path, 1, later=HOUR)
    process(tmp_path, 2, later=1000)
    (found,) = of_clocks(*(tmp_path / str(rank) for rank in range(3)))
    assert found.path == str(tmp_path / "1" / f"multipass-{tools.PID}.journal")
    assert found.message == (
        f"its clocks are 3600 s apart from those of multipass-{tools.PID}.journal, of the same job and host"
    )


@pytest.mark.parametrize("other", [{"host": "elsewhere"}, {"token": "another"}, {"token": ""}])
def test_of_other_jobs_and_hosts_clocks_may_differ(tmp_path: Path, other: dict[str, str]) -> None:
    process(tmp_path, 0, token=other.get("token", "job") and "job")
    process(tmp_path, 1, later=HOUR, **other)
    assert of_clocks(tmp_path / "0", tmp_path / "1") == []


def test_the_clocks_of_a_run_with_a_long_command_are_found(tmp_path: Path) -> None:
    def change(frames: list[pb.Frame]) -> list[pb.Frame]:
        frames[0].run.command.append("x" * 200_000)
        frames[0].run.boottime_ns, frames[0].run.monotonic_ns = 600, 700_000_000
        frames[0].run.realtime_ns = 1_700_000_000_000_000_000
        return frames

    frames_changed(change)(tmp_path)
    assert [f.message for f in of_clocks(tmp_path)] == ["BOOTTIME is 600, less than MONOTONIC, 700000000"]


def test_dispatches_of_two_queues_or_threads_may_run_in_any_order(tmp_path: Path) -> None:
    one, two = GOOD.launches
    swapped = replace(two, executions=one.executions), replace(one, executions=two.executions)
    first, second = (replace(d, id=n, queue=n) for n, d in enumerate(swapped, 1))
    journal(tmp_path, replace(GOOD, launches=(replace(first, executions=two.executions), second)))
    assert [f for f in verify(tmp_path) if f.check == "queue-order"] == []


def test_dispatches_that_are_not_replayed_may_overlap(tmp_path: Path) -> None:
    values = {"SQ_WAVES": 512.0, "GRBM_COUNT": 7.0}
    launches = tuple(
        tools.Launch(n, (tools.Execution(None, 1000 + n, 2000 + n, values),), outcome="declined", reason="graph")
        for n in (1, 2, 3)
    )
    journal(tmp_path, replace(GOOD, launches=launches))
    assert [f for f in verify(tmp_path) if f.check == "queue-order"] == []
