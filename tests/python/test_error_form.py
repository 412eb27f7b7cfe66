# SPDX-License-Identifier: MIT
"""Errors have one form and one rule of exit codes, in every command (docs/errors.md)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from fake_native import Applications, Cli

PREFIX = "rocprof-sys-multipass: error: "
SEE = re.compile(r" \(see: rocprof-sys-multipass( [a-z-]+)* --help\)$")
FIX = re.compile(
    r"did you mean |known are |is not one of |is no whole number from |- is stdout|such as |recognized |required: |"
    r"expected |(?:[:;,.]|\bor) (?:check|choose|give|leave|name|put|remove|set|use|write)\b"
)
"""The allowed values, the nearest name, or an imperative."""


@pytest.fixture
def folder(cli: Cli, tmp_path: Path) -> Path:
    """The working directory, with what the cases name."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("hello\n", encoding="utf-8")
    (tmp_path / "fault.yaml").write_text("events: A\nreplay: of\n", encoding="utf-8")
    (tmp_path / "tab.yaml").write_text("events:\n\t- A\n", encoding="utf-8")
    (tmp_path / "keys.yaml").write_text("evnts: A\n", encoding="utf-8")
    (tmp_path / "bare.yaml").write_text("events: A\n", encoding="utf-8")
    return tmp_path


def assert_form(err: str, where: str) -> None:
    """One line that begins with the place, and says what to do."""
    line, end, rest = err.partition("\n")
    assert (end, rest) == ("\n", ""), "one line"
    assert line.startswith(PREFIX)
    text = SEE.sub("", line.removeprefix(PREFIX))
    assert where in text[: len(where) + 24], "the place comes first"
    assert not text.endswith(".")
    assert FIX.search(text.lower()), "what to do"


CASES: list[tuple[str, int, str]] = [
    # command line, exit code, the place
    ("frobnicate", 2, "'frobnicate'"),
    ("run --evnts A -- x", 2, "--evnts"),
    ("run --events", 2, "--events"),
    ("run -- x", 2, "no counters"),
    ("run --events A", 2, "no application"),
    ("run --events A:device= -- x", 2, "--events"),
    ("run --events A --replay of -- x", 2, "--replay"),
    ("run --events A --range 0 -- x", 2, "--range"),
    ("run --events A --gpus a -- x", 2, "--gpus"),
    ("run --events A --max-replays 0 -- x", 2, "--max-replays"),
    ("run --events A --sentinel auto,B -- x", 2, "--sentinel"),
    ("run --events A --format pdf -- x", 2, "--format"),
    ("run --set memry -- x", 2, "--set"),
    ("run --set read_bandwidth -- x", 2, "--set"),
    ("run --set read_bandwith -- x", 2, "--set"),
    ("run --events A --kernel-include= -- x", 2, "--kernel-include"),
    ("run --events A --kernel-include a(b -- x", 2, "--kernel-include"),
    ("run --events A --simulate gfx943 -- x", 2, "--simulate"),
    ("run --config nowhere.yaml -- x", 3, "nowhere.yaml"),
    ("run --config empty -- x", 3, "empty"),
    ("run --config fault.yaml -- x", 3, "fault.yaml:2:9: replay"),
    ("config check tab.yaml", 3, "tab.yaml:2:1"),
    ("config check keys.yaml", 3, "keys.yaml:1:1"),
    ("config check bare.yaml --resolved out.json", 3, "--resolved"),
    ("config explain replays", 2, "'replays'"),
    ("config init -o file", 7, "file"),
    ("config init -o nowhere/m.yaml", 7, "nowhere/m.yaml"),
    ("config", 2, "no action"),
    ("run --events A -- ./nowhere", 5, "./nowhere"),
    ("run --events A -- no-such-program", 5, "no-such-program"),
    ("run --events A -- ./file", 5, "./file"),
    ("run --events A -o file -- /bin/true", 7, "the output folder"),
    ("plan --events A", 2, "no device"),
    ("plan --device gfx942", 2, "no counters"),
    ("plan --device gfx942 --live --events A", 2, "--device and --live"),
    ("plan --device gfx942 --simulate gfx942 --events A", 2, "--simulate"),
    ("plan --device gfx942 --events A --effort -1", 2, "effort"),
    ("plan --device gfx942 --events A --estimate", 2, "--estimate"),
    ("plan --device gfx942 --events A --footprint 1GB", 2, "--footprint"),
    ("plan --device gfx942 --events A --estimate --footprint 1 --dispatches 1 --kernel-time 1s", 2, "--footprint"),
    ("plan --device gfx942 --events A --estimate --footprint 1GB --dispatches x --kernel-time 1s", 2, "--dispatches"),
    ("counters --save x.json", 2, "--save"),
    ("counters --live --save x.json --json", 2, "--save"),
    ("report file --csv= ", 2, "--csv"),
    ("report file --csv - --json", 2, "--csv and --json"),
    ("report file --html x --csv x", 2, "--html and --csv"),
    ("export empty --format pdf", 2, "--format"),
    ("merge empty file", 6, "empty"),
    ("merge nowhere empty", 2, "nowhere"),
    ("merge empty nowhere", 2, "nowhere"),
    ("verify", 2, "no PATH"),
    ("verify empty --check readable --skip readable", 2, "no check is left"),
]


@pytest.mark.parametrize(("line", "code", "where"), CASES, ids=[case[0] for case in CASES])
def test_an_error_is_one_line_with_its_place_and_what_to_do(
    cli: Cli, folder: Path, line: str, code: int, where: str
) -> None:
    found, out, err = cli(*line.split())
    assert (found, out) == (code, "")
    assert_form(err, where)


@pytest.mark.parametrize(
    "words", [("export", "empty", "--format=\n"), ("report", "no\nwhere"), ("verify", "no\nwhere")]
)
def test_the_end_of_a_line_in_a_value_does_not_end_the_line(cli: Cli, folder: Path, words: tuple[str, ...]) -> None:
    _, out, err = cli(*words)
    assert out == ""
    assert err.count("\n") == 1
    assert "\N{SYMBOL FOR LINE FEED}" in err


def test_of_several_wrong_names_the_first_is_told(cli: Cli, folder: Path) -> None:
    for option in ("--check", "--skip"):
        assert "there is no check 'a'" in cli("verify", "empty", option, "a,b,c,d,e,f")[2]


COMMANDS = ("report", "report --json", "verify", "verify --json", "export", "export --format csv", "recover")


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(("path", "code"), [("nowhere", 2), ("file/x", 2), ("empty", 6), ("file", 6), ("/dev/null", 6)])
def test_a_path_ends_every_command_alike(cli: Cli, folder: Path, command: str, path: str, code: int) -> None:
    """What is there and is none of ours is a finding of `verify`, and a fate that `recover` tells."""
    found, out, err = cli(*command.split(), path)
    assert found == code
    if command.startswith("verify") and path in ("file", "/dev/null"):
        assert (err, "readable" in out) == ("", True)
        return
    assert out == (f"{path}: not recovered\n" if (command, path) == ("recover", "file") else "")
    assert_form(err, path)


@pytest.mark.parametrize("words", ["plan --json --device gfx942", "counters --json --live --simulate gfx943"])
def test_with_json_an_error_is_on_stderr_and_stdout_is_empty(cli: Cli, folder: Path, words: str) -> None:
    found, out, err = cli(*words.split())
    assert (found, out) == (2, "")
    assert err.startswith(PREFIX)
    assert err.count("\n") == 1


def test_a_wrong_variable_is_named(cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROCPROFSYS_MULTIPASS_RANGE", "3-1")
    code, out, err = cli("run", "--events", "A", "--", "/bin/true")
    assert (code, out) == (3, "")
    assert_form(err, "ROCPROFSYS_MULTIPASS_RANGE")


def test_a_folder_with_an_earlier_run_is_named(cli: Cli, applications: Applications) -> None:
    words = ("run", "--quiet", "--events", "A", "-o", "out", "--", applications.profiled())
    assert cli(*words)[0] == 0
    code, _, err = cli(*words)
    assert code == 7
    assert_form(err, str(Path.cwd() / "out"))
