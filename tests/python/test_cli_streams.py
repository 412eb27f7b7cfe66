# SPDX-License-Identifier: MIT
"""Streams of the command that are closed, full, or that nobody reads: the application's exit code comes first."""

from __future__ import annotations

import io
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import trace_tools
from fake_native import Applications, FakeNative
from rich.table import Table

from rocprofsys_multipass.cli.command import console
from rocprofsys_multipass.cli.streams import StreamError, messages, results

COMMAND = f"{shlex.quote(sys.executable)} -m rocprofsys_multipass"
BROKEN = ["2>&-", "2>/dev/full", ">&-", ">/dev/full", ">&- 2>&-", "<&- >&- 2>&-", ">/dev/full 2>/dev/full"]


def shell(line: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["/bin/bash", "-c", line], check=False, capture_output=True, text=True)


@pytest.mark.parametrize("redirection", BROKEN)
def test_the_code_of_the_application_survives_broken_streams(
    native: FakeNative, applications: Applications, tmp_path: Path, redirection: str
) -> None:
    program = applications.profiled("os._exit(77)", warnings=())
    done = shell(f"{COMMAND} run --events A -o out -- {program} {redirection}")
    assert done.returncode == 77
    assert "Traceback" not in done.stderr
    assert len(list((tmp_path / "out").glob("*.db"))) == 1


def test_the_code_of_the_application_survives_a_reader_that_goes_away(
    native: FakeNative, applications: Applications
) -> None:
    program = applications.make("import sys; sys.exit(77)")
    done = shell(f"set -o pipefail; {{ {COMMAND} run --events A -o out -- {program} 2>&1 >&3 | true; }} 3>&1")
    assert done.returncode == 77


def test_an_application_finds_the_streams_as_they_were(native: FakeNative, applications: Applications) -> None:
    """One that was closed is closed, whatever the wrapper opens."""
    program = applications.make(
        """
        import os, pathlib
        found = []
        for number in range(10):
            try:
                found.append(f"{number}: {os.readlink(f'/proc/self/fd/{number}')}")
            except OSError:
                found.append(f"{number}: closed")
        pathlib.Path("found").write_text("; ".join(found))
        """
    )
    assert shell(f"{program} >&- 2>&-").returncode == 0
    expected = Path("found").read_text(encoding="utf-8")
    assert "1: closed; 2: closed; 3: closed" in expected
    assert shell(f"{COMMAND} run --events A -o out -- {program} >&- 2>&-").returncode == 0
    assert Path("found").read_text(encoding="utf-8") == expected


@pytest.mark.parametrize("command", ["verify", "verify --json", "report", "plan --device gfx942 --events A", "--help"])
@pytest.mark.parametrize(
    ("redirection", "reason"), [(">&-", "it is closed"), (">/dev/full", "No space left on device")]
)
def test_a_result_that_cannot_be_written_is_an_output_failure(
    native: FakeNative, tmp_path: Path, command: str, redirection: str, reason: str
) -> None:
    trace_tools.write_run(tmp_path / "run", trace_tools.sample_run())
    words = f"{command} run" if command.startswith(("verify", "report")) else command
    done = shell(f"{COMMAND} {words} {redirection}")
    assert done.returncode == 7
    (line,) = done.stderr.splitlines()
    assert line == (
        f"rocprof-sys-multipass: error: the result cannot be written to stdout: {reason}; send it to a file or a pipe "
        "that takes it"
    )


@pytest.mark.parametrize("command", ["verify", "report"])
def test_a_report_that_nobody_reads_ends_in_silence(native: FakeNative, tmp_path: Path, command: str) -> None:
    trace_tools.write_run(tmp_path / "run", trace_tools.sample_run())
    done = shell(f"set -o pipefail; {COMMAND} {command} run | true")
    assert done.returncode in (0, 141)
    assert done.stderr == ""


@pytest.mark.parametrize("redirection", ["2>&-", "2>/dev/full"])
def test_an_error_keeps_its_code_where_it_cannot_be_told(native: FakeNative, redirection: str) -> None:
    assert shell(f"{COMMAND} run --events A -o out -- ./missing {redirection}").returncode == 5


@pytest.mark.parametrize(
    ("encoding", "written"), [("ascii", rb"caf\xe9 \u2014 \udcff"), ("utf-8", "café — ".encode() + rb"\udcff")]
)
def test_text_that_the_encoding_of_a_stream_lacks_is_escaped(encoding: str, written: bytes) -> None:
    for make in (results, messages):
        below = io.BytesIO()
        stream = make(io.TextIOWrapper(below, encoding=encoding))
        stream.write("café — \udcff")
        stream.flush()
        assert below.getvalue() == written


def test_a_stream_that_python_closed_is_as_one_that_was_never_open() -> None:
    below = io.StringIO()
    below.close()
    for stream in (below, None):
        messages(stream).writelines(["lost"])
        with pytest.raises(StreamError, match="stdout: it is closed"):
            results(stream).write("lost")
        assert not results(stream).isatty()


def test_no_line_of_a_table_in_a_pipe_ends_with_blanks() -> None:
    table = Table("name", "what it is")
    table.add_row("a", "of two words")
    table.add_row("b", "")
    stream = io.StringIO()
    terminal = console(stream)
    terminal.print(table)
    terminal.print("one  ", "two  ")
    lines = stream.getvalue().splitlines()
    assert [line for line in lines if line != line.rstrip()] == []
    assert lines[-1].split() == ["one", "two"]
