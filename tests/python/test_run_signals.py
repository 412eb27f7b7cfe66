# SPDX-License-Identifier: MIT
"""Signals: they reach the application as without the wrapper, and what was captured is exported."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from fake_native import Applications, FakeNative

import rocprofsys_multipass as mp


def default_signals() -> None:
    """As in a terminal; tests that run under nohup or in the background inherit some of them ignored."""
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)


@contextmanager
def wrapper(program: str) -> Iterator[subprocess.Popen[str]]:
    """`rocprof-sys-multipass run` in its own process group, its application waiting to be signalled."""
    options = ["--events", "A", "-o", "out", "--quiet"]
    command = [sys.executable, "-m", "rocprofsys_multipass", "run", *options, "--", program]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=default_signals,  # noqa: PLW1509 - the tests start no threads before this
    ) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline()  # what the application saw
            assert process.stdout.readline() == "waiting\n"
            yield process
        finally:
            process.terminate()  # nothing where it has ended; a failed test must not wait for ever


def interrupt_group(process: subprocess.Popen[str]) -> None:
    """What a terminal does at Ctrl-C: SIGINT to the whole group, which here is the wrapper's own new session.

    Not with the program `kill`: that of procps 4.0.2 takes `-INT -<group>` for every process of the machine.
    """
    group = os.getpgid(process.pid)
    assert group == process.pid > 1
    assert group != os.getpgrp()
    os.killpg(group, signal.SIGINT)


# It holds its signals back and takes the one that comes: no handler that could run inside another print.
WAIT = """
    import os, signal
    signals = {signal.SIGTERM, signal.SIGHUP, signal.SIGINT}
    signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    os.write(1, b"waiting\\n")
    number = signal.sigwait(signals)
    os.write(1, f"got {signal.Signals(number).name}\\n".encode())
    sys.exit(CODE)
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_the_wrapper_is_sent_on(
    native: FakeNative, applications: Applications, tmp_path: Path, number: signal.Signals
) -> None:
    with wrapper(applications.profiled(WAIT.replace("CODE", "0"), warnings=())) as process:
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    assert out == f"got {number.name}\n"
    assert (process.returncode, err) == (0, "")
    assert len(list((tmp_path / "out").glob("multipass-*.db"))) == 1


def test_ctrl_c_reaches_the_application_and_the_wrapper_waits_for_it(
    native: FakeNative, applications: Applications, tmp_path: Path
) -> None:
    with wrapper(applications.profiled(WAIT.replace("CODE", "42"))) as process:
        interrupt_group(process)
        out, _ = process.communicate(timeout=60)
    assert out == "got SIGINT\n"
    assert process.returncode == 42
    assert len(list((tmp_path / "out").glob("multipass-*.db"))) == 1


def test_an_application_that_ctrl_c_ends_makes_130(native: FakeNative, applications: Applications) -> None:
    ending = "import signal; signal.signal(2, signal.SIG_DFL); print('waiting', flush=True); signal.pause()"
    with wrapper(applications.profiled(ending)) as process:
        interrupt_group(process)
        process.communicate(timeout=60)
    assert process.returncode == 130


def test_the_application_starts_with_default_handling(native: FakeNative, applications: Applications) -> None:
    source = "print(next(line for line in open('/proc/self/status') if line.startswith('SigIgn')).split()[1])"
    plain = subprocess.run([applications.make(source)], check=True, capture_output=True, text=True)
    run = mp.run([applications.make(source)], events="A", output="out", capture=True)
    assert run.stdout == plain.stdout


def test_handlers_of_the_caller_are_put_back(native: FakeNative) -> None:
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]
    mp.run(["/bin/true"], events="A", output="out")
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)] == before


def test_a_run_can_be_made_from_any_thread(native: FakeNative) -> None:
    runs: list[mp.Run] = []
    thread = threading.Thread(target=lambda: runs.append(mp.run(["/bin/false"], events="A", output="out")))
    thread.start()
    thread.join()
    assert [run.exit_code for run in runs] == [1]
