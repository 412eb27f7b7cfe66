# SPDX-License-Identifier: MIT
"""Signals: they reach the application as without the wrapper, and what was captured is exported."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from fake_native import Applications, FakeNative

import rocprofsys_multipass as mp

SIGNALS = (
    signal.SIGTERM,
    signal.SIGHUP,
    signal.SIGINT,
    signal.SIGQUIT,
    signal.SIGUSR1,
    signal.SIGUSR2,
)


def default_signals() -> None:
    """As in a terminal; tests that run under nohup or in the background inherit some of them ignored."""
    for number in SIGNALS:
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
    signals = {1, 2, 3, 10, 12, 15}
    signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    os.write(1, b"waiting\\n")
    number = signal.sigwait(signals)
    os.write(1, f"got {signal.Signals(number).name}\\n".encode())
    sys.exit(CODE)
"""


@pytest.mark.parametrize("number", SIGNALS)
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


# How many SIGINT it gets: the first, and those that come with it.
COUNT = """
    import os, signal
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    os.write(1, b"waiting\\n")
    signal.sigwait({signal.SIGINT})
    count = 1
    while signal.sigtimedwait({signal.SIGINT}, 0.5) is not None:
        count += 1
    os.write(1, f"got {count}\\n".encode())
"""


def test_ctrl_c_of_a_terminal_reaches_the_application_once(
    native: FakeNative, applications: Applications, tmp_path: Path
) -> None:
    program = applications.profiled(COUNT)
    child, terminal = os.forkpty()
    if child == 0:
        default_signals()
        words = ["run", "--events", "A", "-o", "out", "--quiet", "--", program]
        os.execv(sys.executable, [sys.executable, "-m", "rocprofsys_multipass", *words])
    said = b""
    while b"waiting" not in said:
        said += os.read(terminal, 1000)
    os.write(terminal, b"\x03")
    with suppress(OSError):  # EIO: the terminal has no users any more
        while part := os.read(terminal, 1000):
            said += part
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    os.close(terminal)
    assert b"got 1\r\n" in said
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
    before = [signal.getsignal(number) for number in SIGNALS]
    mp.run(["/bin/true"], events="A", output="out")
    assert [signal.getsignal(number) for number in SIGNALS] == before


def test_a_handler_of_the_caller_for_a_signal_that_is_its_own_stays(
    native: FakeNative, applications: Applications
) -> None:
    got: list[int] = []
    before = signal.signal(signal.SIGUSR1, lambda number, _frame: got.append(number))
    try:
        run = mp.run(
            [applications.make("import os, signal; os.kill(os.getppid(), signal.SIGUSR1)")], events="A", output="out"
        )
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert (run.child_exit_code, got) == (0, [signal.SIGUSR1])


def test_a_run_can_be_made_from_any_thread(native: FakeNative) -> None:
    runs: list[mp.Run] = []
    thread = threading.Thread(target=lambda: runs.append(mp.run(["/bin/false"], events="A", output="out")))
    thread.start()
    thread.join()
    assert [run.exit_code for run in runs] == [1]
