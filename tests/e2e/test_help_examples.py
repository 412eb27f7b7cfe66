# SPDX-License-Identifier: MIT
"""The examples of every ``--help`` run as they are shown: in one folder, with an application, on a simulated GPU."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from e2e_tools import TWO_PASSES, Finished
from rocprof_sys_tools import RocprofSys

from rocprofsys_multipass.cli.help import GUIDES

BEFORE = ["run", "config init"]
"""Whose examples make what those of others need."""

ELSEWHERE = ["demo", "open", "merge"]
"""Run by test_cli_demo.py, and takes its time; waits for a browser, test_open_ui.py has one; needs files of
rocprof-sys, which test_merge_command.py has."""

ORDER = [*BEFORE, *(name for name in GUIDES if name not in (*BEFORE, *ELSEWHERE))]
EXAMPLES = [words for name in ORDER for words in GUIDES[name].commands()]


@pytest.fixture(scope="module")
def answers(
    command: list[str], rocprof_sys: RocprofSys, axpy: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, dict[str, Finished]]:
    """What each example answers; where none names a GPU, it is a simulated one. rocprof-sys is its stand-in."""
    folder = tmp_path_factory.mktemp("examples")
    (folder / "app").symlink_to(axpy)
    (folder / "my.cfg").write_text(f"ROCPROFSYS_TRACE = ON\nROCPROFSYS_ROCM_EVENTS = {','.join(TWO_PASSES)}\n")
    environ = rocprof_sys.environment | {"ROCPROFSYS_MULTIPASS_SIMULATE": "gfx942"}
    done = {
        " ".join(words): subprocess.run(
            [*command, *words],
            env=environ,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        for words in EXAMPLES
    }
    return folder, done


@pytest.mark.parametrize("example", [" ".join(words) for words in EXAMPLES])
def test_an_example_works(answers: tuple[Path, dict[str, Finished]], example: str) -> None:
    done = answers[1][example]
    assert done.returncode == 0, done.stderr
    assert "error: " not in done.stderr
    assert "warning: " not in done.stderr


def test_they_leave_what_they_say(answers: tuple[Path, dict[str, Finished]]) -> None:
    folder, done = answers
    made = {
        "multipass.yaml",
        "out",
        "panels",
        "report.html",
        "rocprof-sys-app-output",
        "rocprof-sys-multipass-output",
        "tables",
    }
    assert {path.name for path in folder.iterdir()} == {"app", "my.cfg", "with", *made}
    assert {path.suffix for path in (folder / "with/merged").iterdir()} == {".pftrace", ".json"}
    assert {path.name.partition("-")[0] for path in (folder / "tables").glob("*.csv")} == {"multipass", "wide"}
    assert {one["severity"] for one in json.loads(done["verify --strict --json out"].stdout)} <= {"info"}
