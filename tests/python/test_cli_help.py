# SPDX-License-Identifier: MIT
"""Every ``--help`` has one layout, fits a terminal of 80 columns, and shows examples that are right."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator

import pytest

from rocprofsys_multipass.cli.help import GUIDES
from rocprofsys_multipass.cli.main import COMMANDS, make_parser, parse
from rocprofsys_multipass.config import RUN_OPTIONS, SECTIONS
from rocprofsys_multipass.errors import ExitCode


def parsers(parser: argparse.ArgumentParser, name: str = "") -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Those of all commands and actions, by name; that of the program has none."""
    yield name, parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for child, sub in action.choices.items():
                yield from parsers(sub, f"{name} {child}".strip())


PARSERS = dict(parsers(make_parser()))
LEAVES = [name for name in PARSERS if name not in ("", "config")]


@pytest.mark.parametrize("name", PARSERS)
def test_a_help_fits_a_terminal(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert [line for line in PARSERS[name].format_help().splitlines() if len(line) > 80] == []


@pytest.mark.parametrize("name", LEAVES)
def test_a_help_shows_what_it_is_for_then_examples_then_exit_codes(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert name in GUIDES, f"give {name} an example in cli/help.py"
    text = PARSERS[name].format_help()
    places = [text.find(part) for part in ("usage: ", "\n\noptions:", "\n\nexample", "\n\nexit code: ")]
    assert -1 not in places
    assert places == sorted(places)
    assert PARSERS[name].description


@pytest.mark.parametrize("name", [*GUIDES])
def test_examples_are_of_their_command_and_parse(name: str) -> None:
    lines = GUIDES[name].examples.replace("\\\n", " ").strip().splitlines()
    assert [line.startswith("# ") for line in lines] == [True, False] * (len(lines) // 2), "a purpose and its words"
    for words in GUIDES[name].commands():
        assert words[: len(name.split())] == name.split()
        assert parse(words).command_object.name == name.partition(" ")[0]


def test_every_exit_code_of_a_help_is_one_of_the_table() -> None:
    for guide in GUIDES.values():
        assert guide.codes[:1] == (ExitCode.OK,)
        assert list(guide.codes) == sorted({*map(ExitCode, guide.codes)})


def test_the_program_lists_each_command_on_a_line_in_the_order_of_its_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = PARSERS[""].format_help().partition("commands:\n")[2].partition("\n\n")[0]
    assert [line.split(maxsplit=1) for line in text.splitlines()] == [[one.name, one.help] for one in COMMANDS]
    names = [one.name for one in COMMANDS]
    wanted = ["demo", "doctor", "counters", "plan", "run", "report", "verify", "export", "recover"]
    assert [name for name in names if name in wanted] == wanted


def test_every_option_of_run_is_in_one_section_of_its_help(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = PARSERS["run"].format_help()
    lines = [
        line
        for title, names in SECTIONS.items()
        for line in (f"{title}:", *(rf"  (-\w \w+, )?--{one}" for one in names))
    ]
    places = [re.search(rf"^{line}(?= |$)", text, re.MULTILINE) for line in lines]
    assert None not in places
    assert [found.start() for found in places if found] == sorted(found.start() for found in places if found)
    assert len(re.findall(r"^  (?:-\w \w+, )?--", text, re.MULTILINE)) == len(RUN_OPTIONS)
