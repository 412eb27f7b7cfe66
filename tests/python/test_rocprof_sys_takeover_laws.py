# SPDX-License-Identifier: MIT
"""Of any command line, variables and files: what is taken is gone everywhere, and all else is as it was."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from takeover_home import Home, changes, with_copies

from rocprofsys_multipass.rocprof_sys.command import parse_command
from rocprofsys_multipass.rocprof_sys.found import find_settings
from rocprofsys_multipass.rocprof_sys.options import CONFIG, DOMAINS, EVENTS
from rocprofsys_multipass.rocprof_sys.takeover import take_over


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


_LINES = st.sampled_from(
    [
        f"{EVENTS} = A B",
        f"{DOMAINS}=kernel_dispatch hsa_api",
        "ROCPROFSYS_TRACE = ON",
        "# x",
        "$A = B",
        "",
        "rocm_events $A",
    ]
)
_OPTIONS = st.sampled_from(
    [
        ["-T"],
        ["-G", "A"],
        ["--gpu-events=A,B"],
        ["-o", "out", "p"],
        ["--rocm"],
        ["--rocm=kernel"],
        ["-c", "f.cfg", "g.json"],
    ]
)
_BEFORE = st.sampled_from([[], ["mpirun", "-n", "2"], ["env", f"{EVENTS}=A", "B=c"], ["mpirun", "-x", EVENTS]])
_BEHIND = st.sampled_from([[], ["mpirun", "-n", "2"], ["env", f"{EVENTS}=A", f"{DOMAINS}=kernel_dispatch"]])
_COMMANDS = st.tuples(_BEFORE, st.lists(_OPTIONS, max_size=4), _BEHIND).map(
    lambda parts: [
        *parts[0],
        "rocprof-sys-run",
        *(word for option in parts[1] for word in option),
        "--",
        *parts[2],
        "app",
        "-G",
        "x",
    ]
)
_ENVIRON = st.dictionaries(
    st.sampled_from([EVENTS, DOMAINS, CONFIG, "LD_PRELOAD", "ROCP_TOOL_LIBRARIES", "ROCPROFSYS_TRACE"]),
    st.sampled_from(["", "A", "kernel_dispatch", "f.cfg", "f.cfg;h.cfg", "a:b:"]),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(_COMMANDS, _ENVIRON, st.lists(_LINES, max_size=6))
def test_nothing_of_it_is_left_and_all_else_is(
    home: Home, words: list[str], environ: dict[str, str], lines: list[str]
) -> None:
    text = "\n".join(lines)
    home.write(f__cfg=text, h__cfg=text, g__json=json.dumps({"a": {"settings": {EVENTS: {"value": "A"}}}}))
    found = find_settings(parse_command(words), home.environ(environ), home.path)
    taken = take_over(found, home.environ(environ), lambda n, suffix: home.path / f"run/{n}{suffix}")
    again = find_settings(parse_command(taken.command), with_copies(taken), home.path)
    assert not [one for one in again.givings if one.name == EVENTS]
    assert not [one for one in again.givings if one.name == DOMAINS and "kernel_dispatch" in one.value]
    ours = (str(home.path), "--rocm=", f"{DOMAINS}=")
    assert _is_part([word for word in taken.command if not word.startswith(ours)], words)
    assert taken.command[-3:] == ("app", "-G", "x")
    assert changes(taken, home.environ(environ)).keys() <= {EVENTS, DOMAINS, CONFIG}
    for copy in taken.copies:
        assert copy.source.parent == home.path
        if copy.source.suffix == ".cfg":
            assert _of_others(copy.content.decode()) == _of_others(text)


def _is_part(some: list[str], words: list[str]) -> bool:
    """Whether `some` are among the words, in their order."""
    rest = iter(words)
    return all(word in rest for word in some)


def _of_others(text: str) -> list[str]:
    """The lines that set neither counters nor domains."""
    return [line for line in text.split("\n") if "rocm_" not in line.lower()]
