# SPDX-License-Identifier: MIT
"""Forks, other programs and children that live on: the parent's capture stays whole, every process that uses a GPU has
files of its own, and nobody waits for anybody."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from e2e_tools import Cli, Outputs, by_hand, probe_counters
from fault_tools import FAULTS_VARIABLE

import rocprofsys_multipass as mp
from rocprofsys_multipass import Run, Trace
from rocprofsys_multipass.native import Native
from rocprofsys_multipass.trace.model import Dispatch

EVENTS = ("SQ_WAVES", "FETCH_SIZE", "WRITE_SIZE")
"""Two passes on gfx942."""

PERSONALITIES = ("", "sdk_1_0_0")
HANGS = 120
"""Seconds after which a run is taken to hang."""

CHILDREN = {
    "exit": "exit 7",
    "_exit": "exit 7",
    "quick_exit": "exit 7",
    "threads": "exit 7",
    "gpu": "exit 7",
    "nested": "exit 7",
    "raw": "exit 7",
    "abort": "signal 6",
    "segv": "signal 11",
    "term": "signal 15",
    "kill": "signal 9",
    "handler": "exit 7",
}
"""What a forked child does, and how it ends."""

PROGRAMS = ("exec", "vfork", "spawn", "system", "popen")
"""How another program is started that launches a kernel and ends with 5."""


Start = Callable[..., Run]
"""Runs forks.cpp with these words, into the folder ``out``; a run that hangs is a failure."""


@pytest.fixture
def start(forks: Path, environment: dict[str, str], tmp_path: Path) -> Start:
    def run(*words: object, faults: str = "", output: str = "out", **variables: str) -> Run:
        before = signal.signal(signal.SIGALRM, _hung)
        signal.alarm(HANGS)
        try:
            return mp.run(
                [forks, *map(str, words)],
                events=EVENTS,
                replay="auto" if "sdk_1_0_0" in faults else "kernel",
                simulate="gfx942",
                output=tmp_path / output,
                env=environment | {FAULTS_VARIABLE: faults} | variables,
                capture=True,
            )
        finally:
            signal.alarm(0)
            signal.signal(signal.SIGALRM, before)

    return run


def _hung(_number: int, _frame: object) -> None:
    message = f"not at its end after {HANGS} s"
    raise AssertionError(message)


def launched(stdout: str) -> Counter[int]:
    """Launches by number of work-items; every result was right."""
    lines = re.findall(r"^(\d+) launched (\d+) wrong (\d+)$", stdout, re.MULTILINE)
    assert lines
    assert {wrong for *_, wrong in lines} == {"0"}
    return Counter({int(size): int(times) for size, times, _ in lines})


def children(stdout: str) -> dict[str, int]:
    return {how: int(times) for how, times in re.findall(r"^children (.*): (\d+)$", stdout, re.MULTILINE)}


def size_of(dispatch: Dispatch) -> int:
    """The number of elements, which are a multiple of 1000, from the work-items, which are one of 64."""
    assert dispatch.grid is not None
    return dispatch.grid[0] // 1000 * 1000


def assert_right(dispatches: list[Dispatch], *, replay: bool) -> None:
    """Each reading is what the kernel did; with replay none is missing, else one group, or none during a fork."""
    for one in dispatches:
        wanted = probe_counters(size_of(one), EVENTS)
        found = {name: value for name, value in one.counters.items() if name in EVENTS}
        assert found == {name: value for name, value in wanted.items() if name in found}
        if replay:
            assert (one.outcome, len(found)) == ("replayed", len(EVENTS))
        elif found:
            assert (one.outcome, one.reason) == ("declined", "no_kernel_replay")
        else:
            assert (one.outcome, one.reason) == ("incomplete", "no counters were collected")


def assert_parent_whole(run: Run, journal: Path, *, replay: bool) -> None:
    """Everything that the parent launched is there."""
    found = mp.open_trace(journal).dispatches()
    assert Counter(map(size_of, found)) == launched(run.stdout)
    assert_right(found, replay=replay)
    ends = [found[0], found[-1]]  # before the first fork and after the last
    assert [size_of(one) for one in ends] == [1000, 1000]
    assert all(one.counters for one in ends)


def assert_verified(folder: Path) -> None:
    assert [finding for finding in mp.verify(folder) if finding.severity != "info"] == []


def journals(run: Run) -> list[Path]:
    return [path for path in run.files if path.suffix == ".journal"]


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("faults", PERSONALITIES)
@pytest.mark.parametrize("how", CHILDREN)
def test_a_forked_child_takes_no_part_and_no_harm(
    how: str, faults: str, threads: int, start: Start, tmp_path: Path
) -> None:
    run = start(how, threads, 3, faults=faults)
    assert (run.exit_code, run.errors) == (3, ())
    assert children(run.stdout) == {CHILDREN[how]: 3}
    assert_parent_whole(run, Outputs.of(tmp_path / "out").journal, replay=not faults)
    assert_verified(tmp_path / "out")


@pytest.mark.parametrize("faults", PERSONALITIES)
@pytest.mark.parametrize("how", ["exit", "nested"])
def test_several_threads_fork_at_the_same_time(how: str, faults: str, start: Start, tmp_path: Path) -> None:
    """On SDK 1.0.0 counting must be off for each of them, and on when the last has forked."""
    run = start(how, 2, 15, 4, faults=faults)
    assert (run.exit_code, run.errors) == (3, ())
    assert children(run.stdout) == {"exit 7": 60}
    assert_parent_whole(run, Outputs.of(tmp_path / "out").journal, replay=not faults)
    assert_verified(tmp_path / "out")


def test_launches_that_were_not_counted_because_of_a_fork_are_told(start: Start, tmp_path: Path) -> None:
    run = start("exit", 4, 20, 4, faults="sdk_1_0_0")
    uncounted = sum(not one.counters for one in mp.open_trace(tmp_path / "out").dispatches())
    assert run.summary is not None
    told = [text for text in run.summary["warnings"] if "no counters" in text]
    assert len(told) == (1 if uncounted else 0)
    assert all(re.match(rf"{uncounted} launch(es)? ha(s|ve) no counters: .*the program forks", text) for text in told)


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("faults", PERSONALITIES)
@pytest.mark.parametrize("how", PROGRAMS)
def test_a_program_that_is_started_has_files_of_its_own(
    how: str, faults: str, threads: int, start: Start, tmp_path: Path
) -> None:
    run = start(how, threads, 2, faults=faults)
    assert (run.exit_code, run.errors) == (3, ())
    assert children(run.stdout) == {"exit 5": 2}
    own, *others = sorted(journals(run), key=lambda path: -len(mp.open_trace(path).dispatches()))
    assert_parent_whole(run, own, replay=not faults)
    for journal in others:
        found = mp.open_trace(journal).dispatches()
        assert [size_of(one) for one in found] == [1000]
        assert_right(found, replay=not faults)
    assert len(others) == 2
    assert_separate(mp.open_trace(tmp_path / "out"), 3)
    assert_verified(tmp_path / "out")


def assert_separate(trace: Trace, processes: int) -> None:
    assert len(trace.processes) == processes
    assert len({process.guid for process in trace.processes}) == processes


def test_a_program_that_replaces_the_process_has_the_next_name(start: Start, tmp_path: Path) -> None:
    """It has the number of the process that it replaces; what that had in the making is lost."""
    run = start("replace")
    assert run.exit_code == 5
    first, second = sorted(journals(run), key=lambda path: len(path.stem))
    assert second.stem == f"{first.stem}-1"
    trace = mp.open_trace(tmp_path / "out")
    assert_separate(trace, 2)
    assert len({process.pid for process in trace.processes}) == 1
    assert len(mp.open_trace(second).dispatches()) == 1
    assert len(mp.open_trace(first).dispatches()) <= 2
    assert_right(trace.dispatches(), replay=True)
    assert_verified(tmp_path / "out")


@pytest.mark.parametrize("faults", PERSONALITIES)
@pytest.mark.parametrize("how", ["leaving", "left"])
def test_the_process_ends_while_a_thread_or_a_child_forks(how: str, faults: str, start: Start, tmp_path: Path) -> None:
    for attempt in range(3):
        out = tmp_path / str(attempt)
        run = start(how, faults=faults, output=str(attempt))
        assert (run.exit_code, run.errors) == (3, ())
        found = mp.open_trace(Outputs.of(out).journal).dispatches()
        assert [size_of(one) for one in found] == [1000]
        assert_right(found, replay=not faults)
        assert_verified(out)


@pytest.mark.parametrize("faults", PERSONALITIES)
def test_a_fork_on_a_thread_of_the_runtime(faults: str, start: Start, tmp_path: Path) -> None:
    run = start("host", faults=faults)
    assert (run.exit_code, run.errors, children(run.stdout)) == (3, (), {"exit 7": 1})
    assert_parent_whole(run, Outputs.of(tmp_path / "out").journal, replay=not faults)
    assert_verified(tmp_path / "out")


# ---------------------------------------------------------------------------------------------------------------------
# Children that live on


@contextlib.contextmanager
def left_over(stdout: str) -> Iterator[int]:
    """The process that the application left behind; it is ended."""
    found = re.search(r"^left (\d+)$", stdout, re.MULTILINE)
    assert found is not None, stdout
    process = int(found[1])
    os.kill(process, 0)  # it is there
    try:
        yield process
    finally:
        os.kill(process, signal.SIGKILL)


@pytest.mark.parametrize("faults", PERSONALITIES)
@pytest.mark.parametrize("how", ["linger", "daemon"])
def test_nothing_waits_for_a_child_that_lives_on(how: str, faults: str, start: Start, tmp_path: Path, cli: Cli) -> None:
    """It holds the pipes of the application's output; of the capture it holds nothing."""
    out = tmp_path / "out"
    run = start(how, faults=faults)
    with left_over(run.stdout) as process:
        assert (run.exit_code, run.errors) == (3, ())
        journal = Outputs.of(out).journal
        assert_parent_whole(run, journal, replay=not faults)
        links = [str(entry.readlink()) for entry in Path(f"/proc/{process}/fd").iterdir()]
        assert [link for link in links if link.startswith(str(out))] == []
        assert cli("recover", out).returncode == 0
    assert_verified(out)


def test_without_the_wrapper_nothing_waits_for_a_child_either(
    forks: Path, native: Native, environment: dict[str, str], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    env = by_hand(native, environment, out, ROCPROFSYS_MULTIPASS_EVENTS=",".join(EVENTS))
    said = tmp_path / "said"
    with said.open("wb") as file:
        ended = subprocess.run([forks, "daemon"], env=env, stdout=file, stderr=file, check=False, timeout=HANGS)
    with left_over(said.read_text()):
        assert ended.returncode == 3
        assert [one.outcome for one in mp.open_trace(Outputs.of(out).database).dispatches()] == ["replayed", "replayed"]
    assert_verified(out)


# ---------------------------------------------------------------------------------------------------------------------
# Names


def test_processes_of_one_rank_share_no_name_and_no_id(start: Start, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run = start("spawn", 1, 2, 3, OMPI_COMM_WORLD_RANK="0")
    assert (run.exit_code, children(run.stdout)) == (3, {"exit 5": 6})
    names = [path.stem for path in journals(run)]
    pids = {json.loads(path.with_suffix(".json").read_text())["pid"] for path in journals(run)}
    assert len(pids) == 7
    assert set(names) < {"multipass-rank0", *(f"multipass-rank0-{pid}" for pid in pids)}
    assert len(names) == 7
    assert_separate(mp.open_trace(out), 7)
    assert_verified(out)
