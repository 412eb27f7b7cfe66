# SPDX-License-Identifier: MIT
"""The configuration file below examples/: what it asks for is what is done, and the command line beats it."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from e2e_tools import ROOT, Cli, Finished, Outputs
from expected_examples import APPLICATIONS

import rocprofsys_multipass as mp

FILE = ROOT / "examples" / "config" / "multipass.yaml"
EVENTS = ("SQ_WAVES", "SQ_INSTS_LDS", "TCC_ATOMIC", "TCC_HIT", "TCC_MISS", "FETCH_SIZE", "WRITE_SIZE")
KERNELS = ("histogram_global", "histogram_shared") * 2


@dataclass(frozen=True)
class Configured:
    """A run with the file, and its results."""

    answer: Finished
    folder: Path


@pytest.fixture(scope="module")
def histogram(build: Callable[[Path], Path]) -> Path:
    return build(ROOT / "examples" / APPLICATIONS["histogram"].source)


@pytest.fixture(scope="module")
def configured(cli: Cli, histogram: Path, tmp_path_factory: pytest.TempPathFactory) -> Configured:
    """Everything from the file but the folder, and without the summary on stderr."""
    folder = tmp_path_factory.mktemp("config") / "out"
    return Configured(cli("run", "--config", FILE, "--quiet", "-o", folder, "--", histogram), folder)


def outcomes(folder: Path) -> list[tuple[str, str]]:
    """Kernel, without its parameters, and outcome of each launch."""
    return [(one.kernel.partition("(")[0], one.outcome) for one in mp.open_trace(folder).dispatches()]


def test_the_application_runs_as_ever(configured: Configured) -> None:
    answer = configured.answer
    assert (answer.returncode, answer.stdout, answer.stderr) == (0, APPLICATIONS["histogram"].output, "")


def test_the_filters_of_the_file_leave_one_launch_to_count(configured: Configured) -> None:
    wanted = ("replayed", "filtered", "filtered", "filtered")
    assert outcomes(configured.folder) == list(zip(KERNELS, wanted, strict=True))


def test_the_launch_that_is_counted_has_the_counters_of_the_file(configured: Configured) -> None:
    counted, *others = mp.open_trace(configured.folder).dispatches()
    launch = APPLICATIONS["histogram"].launches("gfx942")[0]
    assert counted.counters == {name: launch.counter(name) for name in EVENTS}
    assert [dict(one.counters) for one in others] == [{}, {}, {}]


def test_the_group_of_the_file_shares_a_pass(configured: Configured) -> None:
    passes = [
        {reading.counter for reading in one.readings} for one in mp.open_trace(configured.folder).dispatches()[0].passes
    ]
    assert len(passes) == 2
    assert any({"FETCH_SIZE", "TCC_MISS"} <= counters for counters in passes)
    (alone,) = mp.plan(device="gfx942", events=EVENTS).agents
    assert not any({"FETCH_SIZE", "TCC_MISS"} <= set(one.counters) for one in alone.passes)  # by chance it would not be


def test_both_formats_of_the_file_are_written_and_verify(configured: Configured) -> None:
    assert all(path.stat().st_size > 0 for path in vars(Outputs.of(configured.folder)).values())
    assert [one for one in mp.verify(configured.folder) if one.severity == "error"] == []


def test_the_folder_of_the_file_is_used_and_its_key_expanded(
    command: list[str], environment: dict[str, str], histogram: Path, tmp_path: Path
) -> None:
    words = [*command, "run", "--config", str(FILE), "--quiet", "--", str(histogram)]
    finished = subprocess.run(words, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (finished.returncode, finished.stderr) == (0, "")
    (folder,) = tmp_path.iterdir()
    assert re.fullmatch(r"histogram-\d+", folder.name)
    assert len(outcomes(folder)) == len(KERNELS)


def test_the_command_line_beats_the_file(cli: Cli, histogram: Path, tmp_path: Path) -> None:
    """The second command of the page."""
    out = tmp_path / "out"
    assert cli("run", "--config", FILE, "--range", "1-2", "-o", out, "--", histogram).returncode == 0
    wanted = ("replayed", "filtered", "replayed", "filtered")
    assert outcomes(out) == list(zip(KERNELS, wanted, strict=True))
