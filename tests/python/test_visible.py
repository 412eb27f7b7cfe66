# SPDX-License-Identifier: MIT
"""What a trace says cannot steer the terminal that shows it."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
import trace_tools as tools

from rocprofsys_multipass.cli.command import console
from rocprofsys_multipass.cli.findings import show_findings
from rocprofsys_multipass.cli.main import main
from rocprofsys_multipass.cli.messages import show_problems
from rocprofsys_multipass.report import render_terminal, report
from rocprofsys_multipass.trace import open_trace
from rocprofsys_multipass.verify import Finding
from rocprofsys_multipass.visible import visible

if TYPE_CHECKING:
    from pathlib import Path

EVIL = "\x1b]0;title\x07\x1b[2J"
SHOWN = "\u241b]0;title\u2407\u241b[2J"


class Terminal(io.StringIO):
    """A terminal that keeps what it is sent."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (EVIL, SHOWN),
        ("a\nb\tc", "a\nb\tc"),
        ("\x00\r\x7f", "\u2400\u240d\u2421"),
        ("\x9b2J", "\ufffd2J"),
        ("a\u202eb\u2066c\u2028d", "a\ufffdb\ufffdc\ufffdd"),
        ("\u00fcn\u00ef_\u6838(int*)", "\u00fcn\u00ef_\u6838(int*)"),
    ],
)
def test_characters_that_steer_a_terminal_are_shown(text: str, shown: str):
    assert visible(text) == shown


def test_the_report_shows_escape_sequences_of_a_kernel_name(tmp_path: Path):
    run = tools.sample_run()
    run = replace(run, launches=tuple(replace(launch, kernel=f"axpy{EVIL}(float*)") for launch in run.launches))
    stream = io.StringIO()
    render_terminal(open_trace(tools.write_run(tmp_path, run, files=("journal",))), stream, width=120)
    assert "\x1b" not in stream.getvalue()
    assert "\u241b[2J(float*)" in stream.getvalue()


def test_a_markdown_report_which_may_be_printed_shows_them_too(tmp_path: Path):
    launch = replace(tools.replayed(1, 1000), kernel=f"k{EVIL}<int>")
    trace = open_trace(tools.write_run(tmp_path, tools.Run((launch,)), files=("journal",)))
    text = report(trace, "markdown")
    assert "\x1b" not in text
    assert f"`k{SHOWN}<int>`" in text


def test_findings_show_escape_sequences():
    stream = io.StringIO()
    show_findings([Finding("error", "x", EVIL, EVIL, EVIL)], console(stream))
    assert "\x1b" not in stream.getvalue()
    assert stream.getvalue().count("\u241b[2J") == 3


def test_a_commands_console_keeps_its_colours_and_shows_the_sequences_of_a_text(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    stream = Terminal()
    console(stream).print("[red]unknown:[/red] a\x1b[2Jb")
    assert stream.getvalue() == "\x1b[31munknown:\x1b[0m a\u241b[2Jb\n"


def test_problems_and_errors_show_escape_sequences(capsys: pytest.CaptureFixture[str]):
    stream = io.StringIO()
    show_problems([EVIL], [EVIL], stream)
    assert "\x1b" not in stream.getvalue()
    assert main(["report", f"gone{EVIL}"]) != 0
    assert f"gone{SHOWN}" in capsys.readouterr().err
