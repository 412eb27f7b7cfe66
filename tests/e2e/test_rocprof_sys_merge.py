# SPDX-License-Identifier: MIT
"""One command line, one trace, one database: a run under rocprof-sys, and a merge by hand. With the stand-in for it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from e2e_tools import PROBE, TWO_PASSES, Cli, Finished, by_hand, counters, outcomes, probe_counters
from rocprof_sys_tools import Launched, RocprofSys

import rocprofsys_multipass as mp
from rocprofsys_multipass import Run
from rocprofsys_multipass.native import Native

SIZES = (1000, 2000)  # of the launches that the probe makes on two GPUs
PASSES = 2
ALL = ("-T", "-P", "--use-rocpd")

Start = Callable[..., Run]


def rows(path: Path, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as database:
        return database.execute(query).fetchall()


def assert_merged(folder: Path) -> None:
    """Its trace and database have each dispatch once, with its counters, and nothing is wrong with either."""
    for pattern in ("perfetto-trace-*.pftrace", "rocpd-*.db"):
        (path,) = folder.glob(pattern)
        trace = mp.open_trace(path)
        assert outcomes(trace) == [(i, PROBE, "replayed") for i in range(1, len(SIZES) + 1)]
        assert counters(trace) == [probe_counters(size) for size in SIZES]
    assert {found.check for found in mp.verify(folder)} <= {"perfetto-stats"}  # where Perfetto's importer is not there
    assert rows(path, "SELECT name, total_calls FROM top_kernels") == [(PROBE, len(SIZES))]


@pytest.fixture(scope="module")
def in_one_command(
    cli: Cli, rocprof_sys: RocprofSys, probe: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Finished, Path]:
    """rocprof-sys's command line behind ``run``, with its own option for counters; the folder of both outputs."""
    folder = tmp_path_factory.mktemp("one")
    words = [rocprof_sys.launcher, *ALL, "-o", str(folder / "host"), "-G", *TWO_PASSES, "--", probe, "devices"]
    done = cli(
        "run", "--simulate", "gfx942,gfx942", "-o", folder / "out", "--", *words, env=dict(rocprof_sys.environment)
    )
    return done, folder


def test_one_command_ends_with_rocprof_sys_s_own_files_with_the_counters_in_them(
    in_one_command: tuple[Finished, Path],
) -> None:
    done, folder = in_one_command
    assert done.returncode == 0, done.stderr
    assert_merged(folder / "out" / "merged")


def test_a_run_in_the_strict_layout_is_merged_too(
    cli: Cli, rocprof_sys: RocprofSys, probe: Path, tmp_path: Path
) -> None:
    words = [rocprof_sys.launcher, *ALL, "-o", str(tmp_path / "host"), "-G", *TWO_PASSES, "--", probe, "devices"]
    options = ("--simulate", "gfx942,gfx942", "--layout", "strict", "-o", tmp_path / "out")
    done = cli("run", *options, "--", *words, env=dict(rocprof_sys.environment))
    assert done.returncode == 0, done.stderr
    assert len([*(tmp_path / "out").glob("multipass-*-replay.db")]) == 1
    assert_merged(tmp_path / "out" / "merged")
    assert not [path for path in (tmp_path / "out" / "merged").iterdir() if path.name.startswith(".")]


def test_its_summary_tells_what_was_merged(in_one_command: tuple[Finished, Path]) -> None:
    done, folder = in_one_command
    (report,) = (folder / "out" / "merged").glob("merge-*.json")
    pid = report.stem.removeprefix("merge-")
    lines = done.stderr.splitlines()
    at = lines.index(f"process {pid}: merged with rocprof-sys's trace and database")
    assert lines[at + 1] == "  2 dispatches added, which rocprof-sys did not record"
    named = [line.split()[0] for line in lines[at + 2 : at + 5]]
    merged = folder / "out" / "merged"
    assert named == [str(merged / f"perfetto-trace-{pid}.pftrace"), str(merged / f"rocpd-{pid}.db"), str(report)]


def test_what_rocprof_sys_wrote_keeps_its_own_and_counts_no_passes(in_one_command: tuple[Finished, Path]) -> None:
    _, folder = in_one_command
    (merged,) = (folder / "out" / "merged").glob("rocpd-*.db")
    (host,) = folder.glob(f"host/*/{merged.name}")
    regions = "SELECT COUNT(*), SUM(start), SUM(end) FROM rocpd_region"
    assert rows(merged, regions) == rows(host, regions) != [(0, None, None)]
    assert rows(host, "SELECT COUNT(*) FROM rocpd_kernel_dispatch") == [(0,)]
    (text,) = folder.glob("host/*/wall_clock-*.txt")
    assert "probe(" not in text.read_text(encoding="utf-8")


@pytest.fixture
def start(rocprof_sys: RocprofSys, probe: Path, tmp_path: Path) -> Start:
    """The same from Python."""

    def run(**options: Any) -> Run:
        words = [
            rocprof_sys.launcher,
            "--use-rocpd",
            "-o",
            tmp_path / "host",
            "-G",
            *TWO_PASSES,
            "--",
            probe,
            "exit",
            "0",
        ]
        environment = dict(rocprof_sys.environment)
        output = tmp_path / "out"
        return mp.run(words, simulate="gfx942", output=output, env=environment, capture=True, **options)

    return run


def test_a_merge_that_fails_leaves_what_was_collected_and_ends_with_7(start: Start, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "merged").write_text("mine", encoding="utf-8")
    run = start()
    assert (run.exit_code, run.child_exit_code, run.merged) == (7, 0, None)
    (error,) = run.errors
    assert error.startswith(f"nothing was merged: {tmp_path / 'out' / 'merged'} could not be written: File exists")
    assert len(run.files) == 4


def test_a_second_run_in_the_folder_removes_what_the_first_merged(start: Start, tmp_path: Path) -> None:
    first = start()
    assert sorted((tmp_path / "out" / "merged").iterdir()) == sorted(first.merged.files)
    again = start(overwrite=True, no_merge=True)
    assert (again.merged, list((tmp_path / "out" / "merged").iterdir())) == (None, [])


@pytest.fixture(scope="module")
def without_the_wrapper(
    native: Native, rocprof_sys: RocprofSys, probe: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Launched, Path]:
    """As a batch script has it: both tools in one process, rocprof-sys with all its kernels; and this tool's folder."""
    folder = tmp_path_factory.mktemp("beside")
    environment = by_hand(native, dict(rocprof_sys.environment), folder / "out")
    events = {"ROCPROFSYS_MULTIPASS_EVENTS": ",".join(TWO_PASSES), "ROCPROFSYS_MULTIPASS_SIMULATE": "gfx942,gfx942"}
    done = rocprof_sys.run([*ALL, "--", probe, "devices"], folder / "host", env=environment | events)
    return done, folder / "out"


def test_a_merge_takes_the_passes_out_of_files_that_were_made_without_the_wrapper(
    without_the_wrapper: tuple[Launched, Path], tmp_path: Path
) -> None:
    host, own = without_the_wrapper
    before = {path: path.read_bytes() for path in host.files("*")}
    assert rows(host.database, "SELECT SUM(total_calls) FROM top_kernels") == [(len(SIZES) * PASSES,)]
    result = mp.merge(own, host.folder, tmp_path)
    assert_merged(tmp_path)
    (process,) = result.processes
    removed = len(SIZES) * (PASSES - 1)
    assert [(one.matched, one.added, one.removed, one.unmatched_count) for one in process.merged] == [
        (len(SIZES), 0, removed, 0)
    ] * 2
    assert before == {path: path.read_bytes() for path in host.files("*")}


def test_it_names_the_texts_that_count_passes(without_the_wrapper: tuple[Launched, Path], tmp_path: Path) -> None:
    host, own = without_the_wrapper
    (note,) = mp.merge(own, host.folder, tmp_path).processes[0].notes
    text = host.wall_clock
    assert note.startswith(f"{text.with_suffix('.json').name}, {text.name} count a kernel once for each pass")
    (row,) = [line for line in text.read_text(encoding="utf-8").splitlines() if "probe(" in line]
    assert row.split("|")[3].strip() == str(len(SIZES) * PASSES)


@pytest.fixture(scope="module")
def job(
    native: Native, rocprof_sys: RocprofSys, probe: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Path]:
    """Two ranks of a job with both tools, and a third with rocprof-sys alone: this tool's folder, and the other."""
    folder = tmp_path_factory.mktemp("job")
    events = {"ROCPROFSYS_MULTIPASS_EVENTS": ",".join(TWO_PASSES), "ROCPROFSYS_TRACE": "ON"}
    for rank in range(3):
        variables = events | {"OMPI_COMM_WORLD_RANK": str(rank)}
        environment = by_hand(native, dict(rocprof_sys.environment), folder / "out", **variables)
        if rank == 2:
            environment.pop("ROCP_TOOL_LIBRARIES")
        rocprof_sys.run(["--use-rocpd", "--", probe, "exit", "0"], folder / "host", env=environment)
    return folder / "out", folder / "host"


def test_the_ranks_of_a_job_are_merged_each_with_its_own_and_can_be_put_together(
    job: tuple[Path, Path], tmp_path: Path
) -> None:
    own, host = job
    result = mp.merge(own, host, tmp_path, combine=True)
    assert [(one.rank, one.errors, one.trace.matched) for one in result.processes if one.trace] == [
        (0, (), 1),
        (1, (), 1),
    ]
    (other,) = result.only_host
    assert other.endswith("(rank 2)")
    assert result.together is not None
    for one in result.together.combined:
        assert one.processes == 3
        collected = [
            dict(dispatch.counters) for dispatch in mp.open_trace(one.target).dispatches() if dispatch.counters
        ]
        assert collected == [probe_counters(1000)] * 2
    assert [path.relative_to(tmp_path).as_posix() for path in result.files[:2]] == [
        "combined/perfetto-trace.pftrace",
        "combined/rocpd.db",
    ]


def test_a_damaged_file_of_one_rank_is_told_and_the_others_are_merged(
    cli: Cli, job: tuple[Path, Path], tmp_path: Path
) -> None:
    own, host = job
    copy = tmp_path / "host"
    copy.mkdir()
    for path in host.iterdir():
        (copy / path.name).write_bytes(b"" if path.name == "rocpd-1.db" else path.read_bytes())  # as after kill -9
    done = cli("merge", own, copy, "-o", tmp_path / "out", "--json")
    assert done.returncode == 7
    first, second = json.loads(done.stdout)["processes"]
    assert (first["rank"], first["errors"], first["rocpd"]["matched"]) == (0, [], 1)
    assert (second["rank"], second["rocpd"], second["perfetto"]["matched"]) == (1, None, 1)
    assert "rocpd-1.db" in second["errors"][0]
    assert done.stderr == f"rocprof-sys-multipass: error: {second['errors'][0]}\n"
