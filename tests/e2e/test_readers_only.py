# SPDX-License-Identifier: MIT
"""The package without its compiled parts, as `pip install . -C wheel.cmake=false` makes it: it reads files.

The wheel itself is built, installed and used by .ci/readers, for each Python that there is.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from e2e_tools import Finished, Outputs

import rocprofsys_multipass as mp
from rocprofsys_multipass import Run

LACKING = (
    "report, verify, open, config, counters --sets and export to tables (csv, csv-wide, json, parquet) work; to plan "
    "or run, or to make traces and databases, install the package without '-C wheel.cmake=false', or build it with "
    "CMake and set ROCPROFSYS_MULTIPASS_NATIVE to the folder 'native' of the build tree"
)


@pytest.fixture(scope="module")
def readers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package, which has its Python files only."""
    folder = tmp_path_factory.mktemp("readers")
    shutil.copytree(
        Path(mp.__file__).parent,
        folder / "rocprofsys_multipass",
        ignore=shutil.ignore_patterns("_native", "__pycache__"),
    )
    return folder


def python(readers: Path, *words: str | Path) -> Finished:
    """Runs Python with that package, and with a PATH that has no compiler."""
    environ = {"PYTHONPATH": str(readers), "PATH": str(readers), "PYTHONSAFEPATH": "1"}
    return subprocess.run(
        [sys.executable, *map(str, words)], env=environ, cwd=readers, capture_output=True, text=True, check=False
    )


def cli(readers: Path, *words: str | Path) -> Finished:
    return python(readers, "-m", "rocprofsys_multipass", *words)


def test_the_files_of_a_run_are_verified_and_reported(readers: Path, demo_run: Run) -> None:
    out = demo_run.output_dir
    verified = cli(readers, "verify", out)
    assert (verified.returncode, verified.stderr) == (0, "")
    assert "verified: 0 errors" in verified.stdout
    for path in (out, *vars(Outputs.of(out)).values()):
        if path.suffix == ".json":
            continue
        reported = cli(readers, "report", "--json", path)
        assert (reported.returncode, reported.stderr) == (0, "")
        (process,) = json.loads(reported.stdout)["processes"]
        assert len(process["dispatches"]) == len(mp.open_trace(out).dispatches())


def test_readings_become_tables(readers: Path, demo_run: Run, tmp_path: Path) -> None:
    done = cli(readers, "export", demo_run.output_dir, "--format", "csv", "-o", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert [path.suffix for path in tmp_path.iterdir()] == [".csv"]


@pytest.mark.parametrize("words", [["counters", "--sets"], ["config", "explain"], ["open", "--list-queries"]])
def test_what_the_message_names_works(readers: Path, words: list[str]) -> None:
    done = cli(readers, *words)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout


def test_doctor_says_which_installation_this_is(readers: Path) -> None:
    done = cli(readers, "doctor")
    assert (done.returncode, done.stderr) == (6, "")
    said = " ".join(done.stdout.split())
    assert "problem package.parts this installation has the readers only (no folder " in said
    assert "json, parquet) work -> to plan or run, or to make traces and databases, install" in said
    assert "ok package.version rocprof-sys-multipass " in said
    assert "not ready: 1 problem" in said
    document = json.loads(cli(readers, "doctor", "--json").stdout)
    assert [check["id"] for check in document["checks"]] == ["package.parts", "package.version", "package.extras"]


@pytest.mark.parametrize(
    "words",
    [
        ["plan", "--device", "gfx942", "--events", "SQ_WAVES"],
        ["counters", "--device", "gfx942"],
        ["run", "--events", "SQ_WAVES", "--", sys.executable],
        ["demo"],
        ["sim-flags"],
    ],
    ids=lambda words: words[0],
)
def test_what_needs_the_compiled_parts_says_so(readers: Path, words: list[str]) -> None:
    done = cli(readers, *words)
    assert (done.returncode, done.stdout.replace("25 counters on a simulated gfx942\n", "")) == (5, "")
    place = readers / "rocprofsys_multipass/_native"
    assert done.stderr == (
        f"rocprof-sys-multipass: error: this installation has the readers only (no folder {place}): {LACKING}\n"
    )


def test_readers_never_load_what_finds_the_compiled_parts(readers: Path, demo_run: Run) -> None:
    """Nor anything that starts programs, or a data frame's library before one is asked for."""
    code = (
        "import sys\n"
        "import rocprofsys_multipass as mp\n"
        "folder = sys.argv[1]\n"
        "assert mp.open_trace(folder).dispatches()\n"
        "assert not [f for f in mp.verify(folder) if f.severity == 'error']\n"
        "for form in ('text', 'markdown', 'html', 'csv', 'json'):\n"
        "    assert mp.report(folder, form)\n"
        "ours = {name.partition('.')[2].partition('.')[0] for name in sys.modules if name.startswith(mp.__name__)}\n"
        "unwanted = {'native', 'programs', 'plan', 'run', 'live', 'counters', 'config'}\n"
        "print(sorted(ours & unwanted), 'pandas' in sys.modules)"
    )
    done = python(readers, "-c", code, demo_run.output_dir)
    assert (done.returncode, done.stdout, done.stderr) == (0, "[] False\n", "")
