# SPDX-License-Identifier: MIT
"""Python applications of many processes: each that uses a GPU has files of its own, whatever made it."""

from __future__ import annotations

import shlex
import subprocess
import sys
from operator import itemgetter
from pathlib import Path

import pytest
from e2e_tools import Cli, counters, probe_counters
from fault_tools import FAULTS_VARIABLE
from rocprof_sys_tools import RocprofSys

import rocprofsys_multipass as mp
from rocprofsys_multipass import Run

EVENTS = ("SQ_WAVES", "FETCH_SIZE", "WRITE_SIZE")
WORKERS = Path(__file__).with_name("workers.py")
NOT_INITIALIZED = 3  # hipErrorNotInitialized: what a forked child of a process with a runtime gets

# Those that end with os._exit, in which no tool can write what is not yet written.
ENDS_AT_ONCE = ("fork", "forkserver")


@pytest.fixture(scope="module")
def library(cli: Cli, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """worker_gpu.cpp, for ctypes."""
    made = tmp_path_factory.mktemp("library") / "libworker.so"
    flags = shlex.split(cli("sim-flags").stdout)
    words = ["g++", "-std=c++17", "-O2", "-shared", "-fPIC", "-x", "c++"]
    source = str(Path(__file__).with_name("worker_gpu.cpp"))
    built = subprocess.run(
        [*words, source, "-x", "none", *flags, "-o", made], capture_output=True, text=True, check=False
    )
    assert built.returncode == 0, built.stderr
    return made


def run_workers(*words: object, environment: dict[str, str], output: Path, faults: str = "", **variables: str) -> Run:
    return mp.run(
        [sys.executable, WORKERS, *map(str, words)],
        events=EVENTS,
        simulate="gfx942",
        output=output,
        env=environment | {FAULTS_VARIABLE: faults} | variables,
        capture=True,
    )


def captured(run: Run) -> list[Path]:
    return [path for path in run.files if path.suffix == ".journal"]


def assert_each_recorded(run: Run, sizes: list[int], *, all_of_it: bool) -> None:
    """One journal for each size, with its one launch, or without when the process was left at once."""
    trace = mp.open_trace(run.output_dir)
    assert len(captured(run)) == len(trace.processes) == len(sizes)
    assert len({process.guid for process in trace.processes}) == len(sizes)
    wanted = [probe_counters(size, EVENTS) for size in sizes]
    found = [{name: one[name] for name in EVENTS} for one in counters(trace)]
    assert all(one in wanted for one in found)
    if all_of_it:
        assert sorted(found, key=itemgetter("SQ_WAVES")) == wanted
    assert [finding for finding in mp.verify(run.output_dir) if finding.severity != "info"] == []


@pytest.mark.parametrize("method", ["spawn", "fork", "forkserver", "os.fork", "subprocess"])
def test_each_worker_that_uses_a_gpu_has_files_of_its_own(
    method: str, library: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    run = run_workers(method, 3, library, environment=environment, output=tmp_path / "out")
    assert (run.exit_code, run.stdout) == (0, "codes 0 0 0\n"), run.stderr
    assert_each_recorded(run, [1000, 2000, 3000], all_of_it=method not in ENDS_AT_ONCE)


def test_eight_spawned_workers_of_one_rank(library: Path, environment: dict[str, str], tmp_path: Path) -> None:
    run = run_workers("spawn", 8, library, "first", environment=environment, output=tmp_path / "out", SLURM_PROCID="5")
    assert (run.exit_code, run.stdout) == (0, "first 0\ncodes" + 8 * " 0" + "\n"), run.stderr
    names = {path.stem for path in captured(run)}
    assert "multipass-rank5" in names
    assert all(name.startswith("multipass-rank5") for name in names)
    combined = mp.combine(run.output_dir)
    assert [one.processes for one in combined.combined] == [9, 9]
    wanted = [probe_counters(size, EVENTS) for size in range(1000, 10000, 1000)]
    for path in combined.files:
        found = [{name: one[name] for name in EVENTS} for one in counters(mp.open_trace(path))]
        assert sorted(found, key=itemgetter("SQ_WAVES")) == wanted
    assert_each_recorded(run, list(range(1000, 10000, 1000)), all_of_it=True)


@pytest.mark.parametrize("faults", ["", "sdk_1_0_0"])
@pytest.mark.parametrize("method", ["fork", "os.fork"])
def test_workers_forked_from_a_process_with_a_gpu_are_refused_by_the_runtime_and_write_nothing(
    method: str, faults: str, library: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    run = run_workers(method, 3, library, "first", environment=environment, output=tmp_path / "out", faults=faults)
    assert (run.exit_code, run.stdout) == (0, "first 0\ncodes" + 3 * f" {NOT_INITIALIZED}" + "\n"), run.stderr
    assert len(captured(run)) == 1
    (found,) = counters(mp.open_trace(run.output_dir))
    wanted = probe_counters(9000, EVENTS)
    assert found
    assert {name: value for name, value in found.items() if name in wanted}.items() <= wanted.items()
    assert [finding for finding in mp.verify(run.output_dir) if finding.severity != "info"] == []


def test_forked_workers_under_rocprof_sys_are_merged_each_and_put_together(
    library: Path, rocprof_sys: RocprofSys, tmp_path: Path
) -> None:
    """They have one guid there, that of their parent."""
    launcher = [rocprof_sys.launcher, "-T", "--use-rocpd", "-o", tmp_path / "host", "-G", *EVENTS, "--"]
    words = [*launcher, sys.executable, WORKERS, "os.fork", "2", library]
    run = mp.run(words, env=rocprof_sys.environment, simulate="gfx942", output=tmp_path / "out", capture=True)
    assert (run.exit_code, run.stdout, run.errors) == (0, "codes 0 0\n", ())
    assert run.merged is not None
    assert (len(run.merged.processes), len(run.merged.only_host)) == (2, 1), "the parent used no GPU"
    wanted = [probe_counters(size, EVENTS) for size in (1000, 2000)]
    combined = mp.combine(run.output_dir / "merged")
    assert [(one.processes, len(one.notes)) for one in combined.combined] == [(2, 0), (2, 1)]
    for path in combined.files:
        found = [{name: one[name] for name in EVENTS} for one in counters(mp.open_trace(path))]
        assert sorted(found, key=itemgetter("SQ_WAVES")) == wanted
    assert [finding for finding in mp.verify(combined.output) if finding.severity != "info"] == []
