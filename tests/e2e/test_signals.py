# SPDX-License-Identifier: MIT
"""Applications that signals end while they launch: nobody waits for long, and what was recorded is exported."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from e2e_tools import Cli, probe_counters
from fault_tools import FAULTS_VARIABLE

import rocprofsys_multipass as mp

EVENTS = ("SQ_WAVES", "FETCH_SIZE", "WRITE_SIZE")
LONG_S = 120
"""An end that takes so long is a hang."""

AT_STOP = "record_at_stop"
"""All records are queued in the SDK until counting stops."""

ENOUGH = 10
"""So many dispatches are in each capture before anything happens."""

QUEUED = 129
"""So many readings the SDK holds on a busy machine, one in its thread's hands among them. They die with the process;
later ones, which launching threads have handed over themselves while the queue was full, do not."""

Started = tuple[subprocess.Popen[str], list[int]]

Start = Callable[..., contextlib.AbstractContextManager[Started]]


@pytest.fixture
def started(command: list[str], forks: Path, environment: dict[str, str], tmp_path: Path) -> Start:
    """The wrapper, and the numbers of `processes` applications that launch since some time."""

    @contextlib.contextmanager
    def run(*words: str, shell: str = "", processes: int = 1, faults: str = "") -> Iterator[Started]:
        options = ["--quiet", "--simulate", "gfx942", "--events", ",".join(EVENTS), "-o", str(tmp_path / "out")]
        if "sdk_1_0_0" not in faults:  # which has none
            options += ["--replay", "kernel"]
        application = ["sh", "-c", shell.replace("APP", f"{forks} steady")] if shell else [str(forks), "steady", *words]
        with subprocess.Popen(
            [*command, "run", *options, "--", *application],
            env=environment | {FAULTS_VARIABLE: faults},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as wrapper:
            pids: list[int] = []
            try:
                assert wrapper.stdout is not None
                for _ in range(processes):
                    said = re.fullmatch(r"launching (\d+)\n", wrapper.stdout.readline())
                    assert said is not None, wrapper.communicate()
                    pids.append(int(said[1]))
                if faults != AT_STOP:
                    wait_until_recorded(tmp_path / "out", processes)
                yield wrapper, pids
            finally:
                for pid in pids:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                wrapper.kill()

    return run


def wait_until_recorded(folder: Path, processes: int) -> None:
    deadline = time.monotonic() + LONG_S
    while True:
        journals = [path for path in folder.glob("multipass-*.journal") if path.stat().st_size > 32]  # the header
        counts = [len(mp.open_trace(path).dispatches()) for path in journals]
        if len(counts) == processes and min(counts) >= ENOUGH:
            return
        assert time.monotonic() < deadline, counts
        time.sleep(0.02)


def assert_recorded(folder: Path, processes: int = 1, *, replay: bool = True, lost: int = QUEUED) -> None:
    """Some launches, each right, and all up to the last but those that may be lost."""
    journals = sorted(folder.glob("multipass-*.journal"))
    assert len(journals) == processes
    wanted = probe_counters(1000, EVENTS)
    for journal in journals:
        found = mp.open_trace(journal).dispatches()
        ids = [one.dispatch_id for one in found]
        assert ids == sorted(set(ids))
        assert ids[-1] - len(ids) <= lost
        whole = [one for one in found if one.outcome != "incomplete"]
        assert len(found) - len(whole) <= 1  # the one that was being launched
        assert len(whole) >= ENOUGH
        for one in whole:
            counters = {name: value for name, value in one.counters.items() if name in EVENTS}
            assert counters == ({name: wanted[name] for name in counters} if not replay else wanted)
        for suffix in (".db", ".pftrace"):
            assert [one.dispatch_id for one in mp.open_trace(journal.with_suffix(suffix)).dispatches()] == ids
    assert [finding for finding in mp.verify(folder) if finding.severity != "info"] == []


@pytest.mark.parametrize("faults", ["", "sdk_1_0_0", AT_STOP])
@pytest.mark.parametrize(("handler", "code"), [("", 143), ("exit", 7), ("_exit", 7)])
def test_sigterm_ends_the_application_as_it_wishes_and_soon(
    handler: str,
    code: int,
    faults: str,
    started: Start,
    tmp_path: Path,
) -> None:
    """An application without a handler takes with it what is queued in the SDK.

    One that calls exit() in the middle of a launch never ends that launch: the stand-in waits 30 s for it.
    """
    with started(*([handler] if handler else []), faults=faults) as (wrapper, _):
        wrapper.send_signal(signal.SIGTERM)
        _, stderr = wrapper.communicate(timeout=LONG_S)
    assert wrapper.returncode == code, stderr
    if faults != AT_STOP or handler == "exit":
        assert_recorded(tmp_path / "out", replay=faults != "sdk_1_0_0", lost=0 if handler == "exit" else QUEUED)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGUSR1])
def test_a_signal_death_of_the_application_is_128_and_its_number(
    number: signal.Signals, started: Start, tmp_path: Path
) -> None:
    with started() as (wrapper, (pid,)):
        os.kill(pid, number)
        wrapper.communicate(timeout=LONG_S)
    assert wrapper.returncode == 128 + number
    assert_recorded(tmp_path / "out")


def test_workers_that_are_killed_leave_what_they_recorded(started: Start, tmp_path: Path) -> None:
    with started(shell="APP & APP & APP & wait; exit 4", processes=3) as (wrapper, pids):
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        wrapper.communicate(timeout=LONG_S)
    assert wrapper.returncode == 4
    assert_recorded(tmp_path / "out", 3)


def test_a_process_that_goes_on_is_told_and_can_be_completed(started: Start, tmp_path: Path, cli: Cli) -> None:
    """The application has ended, a process of it launches on: its outputs are as far as it had come."""
    out, go = tmp_path / "out", tmp_path / "go"
    os.mkfifo(go)
    with started(shell=f"APP & read line < {go}; exit 4") as (wrapper, (pid,)):
        go.write_text("on\n", encoding="ascii")
        assert wrapper.wait(timeout=LONG_S) == 4
        (journal,) = out.glob("multipass-*.journal")
        before = len(mp.open_trace(journal.with_suffix(".db")).dispatches())
        assert before >= ENOUGH
        refused = cli("recover", out)
        assert refused.returncode != 0
        assert f"process {pid} has it open for writing" in refused.stderr
        os.kill(pid, signal.SIGKILL)
        _, stderr = wrapper.communicate(timeout=LONG_S)
    assert f"{journal}: process {pid} still runs and is recorded" in stderr
    assert "was killed" not in stderr
    assert cli("recover", out).returncode == 0
    assert len(mp.open_trace(journal.with_suffix(".db")).dispatches()) > before
    assert_recorded(out)


def test_an_application_without_a_launch_leaves_valid_empty_files(
    forks: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    run = mp.run(
        [forks, "idle"],
        events=EVENTS,
        replay="kernel",
        simulate="gfx942",
        output=tmp_path / "out",
        env=environment,
        capture=True,
    )
    assert run.exit_code == 0
    assert run.summary is not None
    told = [text for text in run.summary["warnings"] if "no kernel was launched in process" in text]
    assert told == [f"no kernel was launched in process {run.summary['pid']}: nothing was collected"]
    for suffix in (".journal", ".db", ".pftrace"):
        (path,) = (tmp_path / "out").glob(f"multipass-*{suffix}")
        assert mp.open_trace(path).dispatches() == []
    found = [finding.message for finding in mp.verify(tmp_path / "out") if finding.severity != "info"]
    assert found == [f"during the run: {told[0]}"]
