# SPDX-License-Identifier: MIT
"""The output of a process: all that it wrote, without waiting for those that it left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from rocprofsys_multipass.run.gather import gather


def start(source: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", source], stdout=subprocess.PIPE, stderr=subprocess.PIPE)


@pytest.fixture(params=["pidfd", "looking"])
def _waiting(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a descriptor for the process, and as on a system that has none."""
    if request.param == "looking":

        def refuse(_pid: int) -> int:
            raise OSError

        monkeypatch.setattr(os, "pidfd_open", refuse)


@pytest.mark.usefixtures("_waiting")
def test_both_outputs_are_whole() -> None:
    child = start("import sys; sys.stdout.write('a' * 300_000); sys.stderr.write('b' * 300_000); sys.exit(3)")
    out, err = gather(child)
    assert (child.wait(), out, err) == (3, b"a" * 300_000, b"b" * 300_000)


@pytest.mark.usefixtures("_waiting")
def test_a_child_that_holds_the_pipes_is_not_waited_for() -> None:
    child = start(
        "import os, signal\nchild = os.fork()\nif child == 0: signal.pause()\nprint(child, 'x' * 60_000)",
    )
    out, err = gather(child)
    number, text = out.split()
    os.kill(int(number), signal.SIGKILL)  # fails where it has ended by itself
    assert (child.wait(), text, err) == (0, b"x" * 60_000, b"")


@pytest.mark.usefixtures("_waiting")
def test_a_child_that_goes_on_writing_is_not_read_for_ever() -> None:
    child = start(
        "import os\nthere, told = os.pipe()\nchild = os.fork()\n"
        "if child:\n  os.write(1, b'began')\n  os.read(there, 1)\n  os._exit(0)\n"  # not before the other has written
        "os.write(1, b'y' * 4096)\nos.write(told, b'.')\nwhile True: os.write(1, b'y' * 4096)",
    )
    out, _ = gather(child)  # then nobody reads any more, and the writer ends by an error
    assert child.wait() == 0
    assert b"began" in out
    assert len(out) >= 4096


def test_a_process_that_closes_its_pipes_is_waited_for_by_the_caller() -> None:
    child = start("import os, sys; os.write(1, b'a'); os.close(1); os.close(2); sys.exit(4)")
    assert gather(child) == (b"a", b"")
    assert child.wait() == 4


def test_a_process_without_pipes_is_refused() -> None:
    child = subprocess.Popen([sys.executable, "-c", ""])
    with pytest.raises(ValueError, match="not started with pipes"):
        gather(child)
    child.wait()
