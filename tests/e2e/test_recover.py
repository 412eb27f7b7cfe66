# SPDX-License-Identifier: MIT
"""Runs that died, and what `recover` makes of them."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import trace_tools as tools
from e2e_tools import TWO_PASSES, Cli, Outputs, alone, assert_complete, by_hand

import rocprofsys_multipass as mp
from rocprofsys_multipass.errors import OutputError, TraceError, UsageError
from rocprofsys_multipass.native import Native
from rocprofsys_multipass.run import Recovered

NAME = f"multipass-{tools.PID}"
RUN = tools.sample_run()


def recorded(folder: Path) -> int:
    """Dispatches in the journal of a process that still runs."""
    journals = [path for path in folder.glob("*.journal") if path.stat().st_size > 32]  # the header
    return len(mp.open_trace(journals[0]).dispatches()) if journals else 0


def application_of(folder: Path) -> int:
    """The process that records."""
    (process,) = mp.open_trace(folder).processes
    return process.pid


@contextmanager
def running(words: list[str], environment: dict[str, str], out: Path) -> Iterator[subprocess.Popen[str]]:
    """A run whose two dispatches are in the journal, and whose application waits for the end of its stdin."""
    with subprocess.Popen(
        words, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        wait_for(lambda: recorded(out) == 2, run)
        try:
            yield run
        finally:
            run.kill()


def wait_for(condition: Callable[[], bool], run: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert run.poll() is None, run.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.02)


def under_the_wrapper(command: list[str], probe: Path, out: Path, *options: str) -> list[str]:
    events = ["--simulate", "gfx942", "--events", ",".join(TWO_PASSES), "-o", str(out)]
    return [*command, "run", *events, *options, "--", str(probe), "abort"]


def killed_run(words: list[str], environment: dict[str, str], out: Path) -> None:
    """A wrapper that is killed, and then its application."""
    with running(words, environment, out) as run:
        application = application_of(out)
        run.kill()
        run.wait()
        os.kill(application, signal.SIGKILL)
        wait_until_gone(application)


def wait_until_gone(process: int) -> None:
    deadline = time.monotonic() + 60
    while Path(f"/proc/{process}/fd").is_dir() and list(Path(f"/proc/{process}/fd").iterdir()):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def sample(folder: Path, *files: str, run: tools.Run = RUN) -> Path:
    """A run directory with a journal made by hand, and nothing else unless it is named."""
    return tools.write_run(folder, run, files=("journal", *files))


def only(results: list[Recovered]) -> Recovered:
    (result,) = results
    return result


# ---------------------------------------------------------------------------------------------------------------------
# Killed processes


def test_an_application_that_is_killed_under_the_wrapper_leaves_whole_outputs(
    command: list[str], environment: dict[str, str], probe: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    with running(under_the_wrapper(command, probe, out), environment, out) as run:
        os.kill(application_of(out), signal.SIGKILL)
        _, stderr = run.communicate()
    assert run.returncode == 137, stderr
    assert "the application was killed by SIGKILL" in stderr
    assert_complete(out, (1000, 2000))
    assert only(mp.recover(out)).state == "complete"


def test_a_run_that_is_killed_together_with_its_wrapper_is_recovered(
    cli: Cli, command: list[str], environment: dict[str, str], probe: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    killed_run(under_the_wrapper(command, probe, out), environment, out)
    assert [path.suffix for path in out.glob("multipass-*")] == [".journal"]
    done = cli("recover", out)
    assert done.returncode == 0, done.stderr
    # Each launch: the three counters, and three sentinels in both passes.
    assert "recovered 2 dispatches, 18 readings" in done.stdout
    assert "before it closed the journal" in done.stdout
    assert_complete(out, (1000, 2000))
    again = cli("recover", out)
    assert (again.returncode, "nothing to do" in again.stdout) == (0, True)


def test_what_the_run_was_asked_for_is_recovered(
    command: list[str], environment: dict[str, str], probe: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    killed_run(under_the_wrapper(command, probe, out, "--format", "csv,rocpd"), environment, out)
    mp.recover(out)
    assert sorted(path.suffix for path in out.glob("multipass-*")) == [".csv", ".db", ".journal", ".json"]
    assert only(mp.recover(out)).state == "complete"


def test_a_killed_application_without_a_wrapper_is_recovered(
    native: Native, environment: dict[str, str], probe: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    env = by_hand(native, environment, out, ROCPROFSYS_MULTIPASS_EVENTS=",".join(TWO_PASSES))
    assert alone(probe, "abort", env=env).returncode == -signal.SIGABRT
    assert [path.suffix for path in out.iterdir()] == [".journal"]
    assert only(mp.recover(out)).state == "recovered"
    # How much an abort right after the launches leaves is a matter of luck; what there is agrees.
    assert [finding for finding in mp.verify(out) if finding.severity == "error"] == []


# ---------------------------------------------------------------------------------------------------------------------
# Runs that go on


def test_a_run_that_goes_on_under_a_wrapper_is_left_alone(
    cli: Cli, command: list[str], environment: dict[str, str], probe: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    with running(under_the_wrapper(command, probe, out), environment, out):
        done = cli("recover", out)
        assert done.returncode == 7
        assert "is still being written: its run goes on (run-" in done.stderr
        assert [path.suffix for path in out.glob("multipass-*")] == [".journal"]


def test_a_process_without_a_wrapper_that_goes_on_is_left_alone(
    native: Native, environment: dict[str, str], probe: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    env = by_hand(native, environment, out, ROCPROFSYS_MULTIPASS_EVENTS=",".join(TWO_PASSES))
    with running([str(probe), "abort"], env, out) as run:
        with pytest.raises(OutputError, match=f"still being written: process {run.pid} has it open for writing"):
            mp.recover(out)
        assert [path.suffix for path in out.iterdir()] == [".journal"]


def test_a_journal_that_somebody_only_reads_is_recovered(native: Native, tmp_path: Path) -> None:
    folder = sample(tmp_path)
    with (folder / f"{NAME}.journal").open("rb"):
        assert only(mp.recover(folder)).state == "recovered"


# ---------------------------------------------------------------------------------------------------------------------
# What is lacking


def test_a_cut_journal_is_recovered_and_the_byte_is_told(native: Native, cli: Cli, tmp_path: Path) -> None:
    folder = sample(tmp_path)
    journal = folder / f"{NAME}.journal"
    data = journal.read_bytes()
    *_, last_dispatch, _warning, _end, _behind = tools.frame_offsets(data)
    journal.write_bytes(data[: last_dispatch + 20])
    done = cli("recover", folder)
    assert done.returncode == 0, done.stderr
    assert "recovered 4 dispatches, 10 readings" in done.stdout
    assert f"the file ends inside the frame at byte {last_dispatch}; that frame is lost" in done.stdout
    assert len(mp.open_trace(Outputs.of(folder).database).dispatches()) == 4


@pytest.mark.parametrize("verb", ["recover", "export"])
def test_records_that_a_full_disk_took_are_told_of(native: Native, cli: Cli, tmp_path: Path, verb: str) -> None:
    """They are warned of: the command itself has done all that can be done."""
    folder = sample(tmp_path, run=replace(RUN, closed=False))
    journal = folder / f"{NAME}.journal"
    header = tools.journal_header(lost=1234, error=errno.ENOSPC)
    journal.write_bytes(header + journal.read_bytes()[len(header) :])
    done = cli(verb, folder)
    assert done.returncode == 0, done.stderr
    room = "make room there, or give another folder with -o DIR, and run again"
    told = f"the disk of {folder} is full: 1,234 records are lost at least ({journal.name}); {room}"
    assert done.stderr == f"rocprof-sys-multipass: warning: {told}\n"
    assert "the process died" not in done.stdout
    assert cli("verify", folder).returncode == 6


def test_outputs_that_are_whole_are_not_touched(native: Native, tmp_path: Path) -> None:
    folder = sample(tmp_path)
    mp.recover(folder)
    files = Outputs.of(folder)
    files.database.unlink()
    before = files.trace.stat()
    result = only(mp.recover(folder))
    assert (result.state, result.dispatches, result.readings) == ("recovered", 5, 12)
    assert files.database in result.files
    assert (files.trace.stat().st_ino, files.trace.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


@pytest.mark.parametrize("suffix", [".pftrace", ".db", ".csv", ".json"])
def test_an_output_that_was_cut_is_written_again(native: Native, tmp_path: Path, suffix: str) -> None:
    folder = sample(tmp_path)
    mp.recover(folder, "perfetto,rocpd,csv")
    file = folder / f"{NAME}{suffix}"
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) * 2 // 3])
    assert only(mp.recover(folder, "perfetto,rocpd,csv")).state == "recovered"
    assert file.stat().st_size == len(whole)


def test_outputs_of_an_earlier_state_of_the_journal_are_written_again(native: Native, tmp_path: Path) -> None:
    folder = sample(tmp_path)
    journal = folder / f"{NAME}.journal"
    whole = journal.read_bytes()
    journal.write_bytes(whole[: list(tools.frame_offsets(whole))[6]])
    assert only(mp.recover(folder)).dispatches == 1
    journal.write_bytes(whole)
    assert only(mp.recover(folder)).state == "recovered"
    assert len(mp.open_trace(Outputs.of(folder).trace).dispatches()) == 5


def test_what_a_killed_exporter_left_is_removed_and_nothing_else(native: Native, cli: Cli, tmp_path: Path) -> None:
    folder = sample(tmp_path)
    left = folder / f"{NAME}.db.tmp-4194305"  # no process has so high a number
    kept = [folder / f"{NAME}.db.tmp-{os.getpid()}", folder / f"{NAME}.db.tmp-mine", folder / "other.db.tmp-4194305"]
    for path in (left, *kept):
        path.write_bytes(b"half")
    done = cli("recover", folder)
    assert f"{left.name}, which process 4194305 left unfinished, was removed" in done.stdout
    assert not left.exists()
    assert all(path.exists() for path in kept)


def test_overwrite_writes_everything_again(native: Native, tmp_path: Path) -> None:
    folder = sample(tmp_path)
    mp.recover(folder)
    before = Outputs.of(folder).trace.stat().st_ino
    assert only(mp.recover(folder, overwrite=True)).state == "recovered"
    assert Outputs.of(folder).trace.stat().st_ino != before


def test_a_journal_that_fails_does_not_keep_the_next_from_it(native: Native, cli: Cli, tmp_path: Path) -> None:
    folder = sample(tmp_path)
    (folder / "multipass-1.journal").write_bytes(b"of something else")
    shutil.copy(folder / f"{NAME}.journal", folder / "multipass-9.journal")
    (folder / "multipass-9.db").mkdir()
    done = cli("recover", folder)
    assert done.returncode == 6
    assert f"{NAME}.journal: recovered 5 dispatches" in done.stdout
    assert "multipass-1.journal: starts with b'of somet'" in done.stderr
    assert "multipass-9.journal could not be exported" in done.stderr
    assert (folder / "multipass-9.pftrace").is_file()


# ---------------------------------------------------------------------------------------------------------------------
# What is no journal


@pytest.mark.parametrize("content", [b"", b"RSMPJ", tools.journal_header()])
def test_a_journal_without_a_frame_is_nothing_to_recover(
    native: Native, cli: Cli, tmp_path: Path, content: bytes
) -> None:
    (tmp_path / f"{NAME}.journal").write_bytes(content)
    done = cli("recover", tmp_path)
    assert done.returncode == 0
    assert "nothing to recover\n  the process died before it recorded anything" in done.stdout
    assert [path.name for path in tmp_path.iterdir()] == [f"{NAME}.journal"]


@pytest.mark.parametrize("file", ["db", "pftrace"])
def test_an_output_is_no_journal(native: Native, tmp_path: Path, file: str) -> None:
    tools.write_run(tmp_path, RUN, files=(file,))
    with pytest.raises(TraceError, match=r"is no journal, but an output; give the \.journal"):
        mp.recover(tmp_path / f"{NAME}.{file}")


def test_a_file_of_something_else_and_a_folder_without_a_journal_are_exit_code_6(
    native: Native, cli: Cli, tmp_path: Path
) -> None:
    (tmp_path / "x.journal").write_bytes(b"#!/bin/sh\n")
    assert cli("recover", tmp_path / "x.journal").returncode == 6
    (tmp_path / "empty").mkdir()
    assert cli("recover", tmp_path / "empty").returncode == 6
    with pytest.raises(UsageError, match="does not exist"):
        mp.recover(tmp_path / "gone")
