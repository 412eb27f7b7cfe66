# SPDX-License-Identifier: MIT
"""An MPI program with four ranks, started by Open MPI's mpirun, on simulated GPUs: docs/mpi.md."""

from __future__ import annotations

import shlex
import sqlite3
import subprocess
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path

import pytest
from e2e_tools import TWO_PASSES, Cli, Finished, counters, probe_counters
from rocprof_sys_tools import RocprofSys

import rocprofsys_multipass as mp

RANKS = 4
SUM = "4 ranks: 15005000\n"  # what rank 0 prints: all ranks together have added 1 to n for n of 1000, 2000, 3000, 4000
# Containers are often root, and have fewer cores than ranks.
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
MPIRUN = ("mpirun", "--oversubscribe", "-n", str(RANKS))
# Kernels of a job whose ranks may wait for each other are not replayed unless that is lifted: docs/safety.md.
OPTIONS = ("run", "--simulate", "gfx942", "--events", ",".join(TWO_PASSES), "--unsafe", "collectives", "-o")


@pytest.fixture(scope="module")
def program(cli: Cli, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """mpi_ranks.cpp, compiled and linked by mpicxx."""
    made = tmp_path_factory.mktemp("mpi") / "mpi_ranks"
    source = Path(__file__).with_name("mpi_ranks.cpp")
    words = ["mpicxx", "-std=c++17", "-O2", "-x", "c++", source, "-x", "none", *shlex.split(cli("sim-flags").stdout)]
    built = subprocess.run([*words, "-o", made], capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return made


def start(words: Iterable[str | Path], environment: Mapping[str, str]) -> Finished:
    return subprocess.run(
        [str(word) for word in words],
        env={**environment, **AS_ROOT},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def inside(
    command: list[str], program: Path, environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Finished, Path]:
    """``mpirun rocprof-sys-multipass run -- app``: a wrapper for each rank, one folder for all."""
    output = tmp_path_factory.mktemp("inside") / "out"
    return start([*MPIRUN, *command, *OPTIONS, output, "--", program], environment), output


@pytest.fixture(scope="module")
def outside(
    command: list[str], program: Path, environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Finished, Path]:
    """``rocprof-sys-multipass run -- mpirun app``: one wrapper."""
    output = tmp_path_factory.mktemp("outside") / "out"
    return start([*command, *OPTIONS, output, "--", *MPIRUN, program], environment), output


@pytest.fixture(scope="module", params=["inside", "outside"])
def either(request: pytest.FixtureRequest) -> tuple[Finished, Path]:
    """Both ways, one after the other."""
    found: tuple[Finished, Path] = request.getfixturevalue(request.param)
    return found


def found_by_verify(path: Path) -> set[str]:
    """The checks that found more than a note."""
    return {finding.check for finding in mp.verify(path) if finding.severity != "info"}


def of_rank(rank: int) -> list[dict[str, float]]:
    """The counters of its two launches."""
    return 2 * [probe_counters(1000 * (rank + 1))]


def test_the_program_is_unharmed_and_each_rank_has_its_files(either: tuple[Finished, Path]) -> None:
    done, output = either
    assert (done.returncode, done.stdout) == (0, SUM), done.stderr
    names = {
        f"multipass-rank{rank}{suffix}" for rank in range(RANKS) for suffix in (".journal", ".pftrace", ".db", ".json")
    }
    assert {path.name for path in output.glob("multipass-*")} == names


def test_the_wrappers_of_a_job_say_little(inside: tuple[Finished, Path]) -> None:
    done, output = inside
    lines = done.stderr.splitlines()
    for rank in range(1, RANKS):
        files = f"{output}/multipass-rank{rank}.*"
        assert lines.count(f"rank {rank}: 2 dispatches: 2 replayed (2 collectives): {files}") == 1
    assert [line for line in lines if line.startswith("process ")] == [f"process {_pid(output, 0)} (rank 0):"]


def test_one_wrapper_says_once_what_is_alike(outside: tuple[Finished, Path]) -> None:
    done, _ = outside
    lines = done.stderr.splitlines()
    assert lines.count("4 processes (ranks 0-3), each:") == 1
    assert lines.count("2 dispatches: 2 replayed (2 collectives)") == 1


def _pid(output: Path, rank: int) -> int:
    return mp.open_trace(output / f"multipass-rank{rank}.journal").processes[0].pid


def test_each_rank_has_the_counters_of_its_own_launches(either: tuple[Finished, Path]) -> None:
    _, output = either
    trace = mp.open_trace(output)
    assert [process.rank for process in trace.processes] == list(range(RANKS))
    assert counters(trace) == [one for rank in range(RANKS) for one in of_rank(rank)]
    assert found_by_verify(output) == {"replayed-unsafe"}


def test_all_ranks_come_into_one_trace_and_one_database(
    inside: tuple[Finished, Path], cli: Cli, tmp_path: Path
) -> None:
    _, output = inside
    combined = cli("merge", output, "--combine", "-o", tmp_path)
    assert combined.returncode == 0, combined.stderr
    assert combined.stdout.splitlines()[0] == "perfetto-trace.pftrace: 4 processes in one"
    for name in ("perfetto-trace.pftrace", "rocpd.db"):
        trace = mp.open_trace(tmp_path / name)
        assert [process.rank for process in trace.processes] == list(range(RANKS))
        assert counters(trace) == [one for rank in range(RANKS) for one in of_rank(rank)]
        assert found_by_verify(tmp_path / name) == {"replayed-unsafe"}
    with closing(sqlite3.connect(tmp_path / "rocpd.db")) as database:
        assert database.execute("SELECT total_calls FROM top_kernels").fetchall() == [(2 * RANKS,)]
        assert database.execute("SELECT COUNT(*) FROM counters_collection").fetchall() == [(2 * RANKS * 3,)]
        assert database.execute("SELECT COUNT(*) FROM replay_kernels").fetchall() == [(2 * RANKS * 2,)]
        assert database.execute("SELECT COUNT(*) FROM threads").fetchall() == [(RANKS,)]
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []


@pytest.mark.parametrize("wrapper", ["inside", "outside"])
def test_with_rocprof_sys_between_each_rank_is_merged_with_its_own(
    wrapper: str, command: list[str], program: Path, rocprof_sys: RocprofSys, tmp_path: Path
) -> None:
    """The stand-in of rocprof-sys names its files by rank, since MPI is up when it writes."""
    ours = [*command, *OPTIONS[:3], *OPTIONS[5:], tmp_path / "out", "--"]
    mpirun = [*MPIRUN[:-1], "2"]
    first = [*mpirun, *ours] if wrapper == "inside" else [*ours, *mpirun]
    launcher = [rocprof_sys.launcher, "-T", "--use-rocpd", "-o", tmp_path / "host", "-G", *TWO_PASSES, "--"]
    done = start([*first, *launcher, program], rocprof_sys.environment | {"ROCPROFSYS_TIME_OUTPUT": "OFF"})
    assert (done.returncode, done.stdout) == (0, "2 ranks: 2501500\n"), done.stderr
    merged = tmp_path / "out" / "merged"
    made = {
        f"{kind}-{rank}{end}" for rank in range(2) for kind, end in (("perfetto-trace", ".pftrace"), ("rocpd", ".db"))
    }
    assert {path.name for path in merged.iterdir()} == made | {"merge-rank0.json", "merge-rank1.json"}
    for path in mp.combine(merged).files:
        trace = mp.open_trace(path)
        assert [process.rank for process in trace.processes] == [0, 1]
        assert counters(trace) == [*of_rank(0), *of_rank(1)]
    assert found_by_verify(merged / "combined") == {"replayed-unsafe"}
