# SPDX-License-Identifier: MIT
"""Where the classes of Perfetto traces do not load, all but traces is read, and the error says what to install."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import trace_tools as tools

import rocprofsys_multipass as mp

RUN = tools.sample_run()
TOO_OLD = "from google.protobuf import no_such_name_in_this_version"


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A folder whose package perfetto fails as that of 0.56 on does with protobuf 4.21."""
    folder = tmp_path / "old"
    classes = folder / "perfetto" / "protos" / "perfetto" / "trace"
    classes.mkdir(parents=True)
    (folder / "perfetto" / "__init__.py").touch()
    (classes / "perfetto_trace_pb2.py").write_text(f"{TOO_OLD}\n", encoding="utf-8")
    return folder


def cli(old: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(old), str(Path(mp.__file__).parent.parent)])
    return subprocess.run(
        [sys.executable, "-m", "rocprofsys_multipass", *map(str, words)],
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("ending", ["journal", "db"])
def test_journals_and_databases_need_no_classes_of_perfetto(tmp_path: Path, old: Path, ending: str):
    folder = tools.write_run(tmp_path / "run", RUN, files=(ending,))
    for command in ("report", "verify"):
        done = cli(old, command, folder)
        assert (done.returncode, done.stderr) == (0, ""), done.stdout


def test_a_trace_is_refused_with_the_packages_and_the_command_to_install_them(tmp_path: Path, old: Path):
    folder = tools.write_run(tmp_path / "run", RUN, files=("pftrace",))
    done = cli(old, "report", folder)
    assert (done.returncode, done.stdout) == (6, "")
    assert "Traceback" not in done.stderr
    for part in (
        f"multipass-{tools.PID}.pftrace: cannot be read by the Python package perfetto (",
        "with protobuf (",
        "ImportError: cannot import name 'no_such_name_in_this_version'",
        "pip install --upgrade perfetto protobuf",
    ):
        assert part in done.stderr


def test_verify_says_so_of_the_trace_and_checks_the_rest(tmp_path: Path, old: Path):
    folder = tools.write_run(tmp_path / "run", RUN, files=("journal", "db", "pftrace"))
    done = cli(old, "verify", folder)
    assert (done.returncode, done.stderr) == (6, "")
    assert "cannot be read by the Python package perfetto" in done.stdout
    assert "pip install --upgrade perfetto protobuf" in done.stdout
    assert "verified: 1 error," in done.stdout


def test_a_trace_that_is_to_be_opened_beside_another_is_refused_likewise(tmp_path: Path, old: Path):
    for pid in (1, 2):
        tools.write_run(tmp_path / "run", replace(RUN, pid=pid), files=("pftrace",))
    done = cli(old, "open", tmp_path / "run", "--no-browser")
    assert done.returncode == 6
    assert "pip install --upgrade perfetto protobuf" in done.stderr
