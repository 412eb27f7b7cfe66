# SPDX-License-Identifier: MIT
"""Starting the application and waiting for it, without standing in the way of its signals.

The application stays in the wrapper's process group, so a Ctrl-C of the terminal reaches both: the wrapper lets it
pass and waits. What comes to the wrapper alone is sent on.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import shutil
import signal
import subprocess
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rocprofsys_multipass.errors import LaunchError
from rocprofsys_multipass.run.gather import gather

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import FrameType

_FORWARDED = (signal.SIGTERM, signal.SIGHUP)
_FORWARDED_UNLESS_HANDLED = (signal.SIGUSR1, signal.SIGUSR2)  # a program that uses this package may use them itself
_OF_TERMINALS = (signal.SIGINT, signal.SIGQUIT)
_TERMINAL = Path("/dev/tty")
_SIGNAL_BASE = 128  # exit code of a process that signal n ended, as shells give it: 128 + n


def find_program(name: str, environ: Mapping[str, str], cwd: str | None = None) -> str:
    """Path of the program that `name` starts.

    Raises:
        LaunchError: there is none, or it cannot be executed.
    """
    if "/" in name:
        path = Path(cwd or ".", name)
        if path.is_file() and os.access(path, os.X_OK):
            return name
        where = "" if Path(name).is_absolute() else f" in {Path(cwd or '.').absolute()}"
        reason = "is not executable" if path.exists() else f"does not exist{where}"
        message = f"{name} {reason}: name a program that can be started; nothing was started"
        raise LaunchError(message)
    found = shutil.which(name, path=environ.get("PATH"))
    if found is None:
        message = f"{name} was not found in PATH: give its path; nothing was started"
        raise LaunchError(message)
    return found


@dataclass(frozen=True)
class Ended:
    """How the application ended. `signal`: the number of the one that ended it, 0 when none did.

    `out` and `err` are empty unless they were captured.
    """

    exit_code: int
    signal: int
    out: str
    err: str


def signal_name(number: int) -> str:
    """``SIGKILL``; ``signal 40`` for one without a name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def run_child(
    command: Sequence[str], environ: Mapping[str, str], *, cwd: str | None = None, capture: bool = False
) -> Ended:
    """Run the application to its end. The exit code is 128 + n when signal n ended it.

    Unless `capture` is set, stdin, stdout and stderr are the wrapper's own. An exception ends the application.

    Raises:
        LaunchError: the system refuses to start it.
    """
    pipe = subprocess.PIPE if capture else None
    with _forwarding() as attach:
        try:
            child = subprocess.Popen(list(command), env=dict(environ), cwd=cwd, stdout=pipe, stderr=pipe)
        except OSError as error:
            raise _launch_error(command[0], error) from error
        try:
            attach(child)
            out, err = gather(child) if capture else (b"", b"")
            code = child.wait()
        except BaseException:  # from a signal handler of the caller, such as that of a test's timeout
            child.kill()
            child.wait()
            raise
    return Ended(_SIGNAL_BASE - code if code < 0 else code, max(0, -code), _text(out), _text(err))


def _text(output: bytes) -> str:
    return io.TextIOWrapper(io.BytesIO(output), errors="replace").read()


def _launch_error(program: str, error: OSError) -> LaunchError:
    reason = error.strerror or str(error)
    if error.errno == errno.ENOEXEC:
        reason += "; a script needs a first line such as #!/bin/sh"
    return LaunchError(f"{program} could not be started: {reason}")


@contextlib.contextmanager
def _forwarding() -> Iterator[Callable[[subprocess.Popen[bytes]], None]]:
    """While entered, a signal that is meant for the application does not end the wrapper: it is sent to who is named.

    SIGINT and SIGQUIT are sent on unless this is the foreground group of its terminal, which sends them to the
    application too. Signals that come before it is named are sent then. Handlers are functions, not SIG_IGN: exec
    resets them to the default, so the application starts as it would without the wrapper. A signal that was ignored
    before (nohup) stays ignored in both, and one that is handled by something else than Python is left to that. In a
    thread other than the main one, where Python sets no handlers, nothing is done.
    """
    children: list[subprocess.Popen[bytes]] = []
    pending: list[int] = []

    def forward(number: int, _frame: FrameType | None) -> None:
        if children:
            children[0].send_signal(number)
        else:
            pending.append(number)

    def from_terminal(number: int, frame: FrameType | None) -> None:
        if not in_foreground():
            forward(number, frame)

    def attach(child: subprocess.Popen[bytes]) -> None:
        children.append(child)
        for number in pending:
            child.send_signal(number)

    with contextlib.ExitStack() as stack:
        if threading.current_thread() is threading.main_thread():
            free = [number for number in _FORWARDED_UNLESS_HANDLED if signal.getsignal(number) is signal.SIG_DFL]
            for number in (*_FORWARDED, *free):
                stack.enter_context(_handler(number, forward))
            for number in _OF_TERMINALS:
                stack.enter_context(_handler(number, from_terminal))
        yield attach


@contextlib.contextmanager
def _handler(number: signal.Signals, function: Callable[[int, FrameType | None], Any]) -> Iterator[None]:
    before = signal.getsignal(number)
    if before is None or before is signal.SIG_IGN:
        yield
        return
    signal.signal(number, function)
    try:
        yield
    finally:
        signal.signal(number, before)


def in_foreground() -> bool:
    """Whether this process group is the one that gets the signals of its terminal."""
    try:
        with _TERMINAL.open("rb", buffering=0) as terminal:
            return os.tcgetpgrp(terminal.fileno()) == os.getpgrp()
    except OSError:  # there is no terminal
        return False
