# SPDX-License-Identifier: MIT
"""Processes that are killed at random moments. MULTIPASS_KILLS: how often, MULTIPASS_KILLS_SEED: of which sequence.

With many kills the kernel kills one for its memory too, where control groups can be made.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from kill_tools import (
    LONG_S,
    assert_readable_or_empty,
    assert_recovered_once,
    assert_survived,
    child_of,
    launched,
    process,
    read_written,
    run_words,
    settled,
    victim_environment,
    wait_until_gone,
)
from memory_group import MemoryGroupError, memory_group

import rocprofsys_multipass as mp
from rocprofsys_multipass.native import Native

KILLS = int(os.environ.get("MULTIPASS_KILLS", "2"))
SEED = int(os.environ.get("MULTIPASS_KILLS_SEED", "9"))
FULL = KILLS > 20
LATEST_S = 1.0 if FULL else 0.5
"""Applications die within that time from their start, so some before their first launch."""

MEMORY = 300 << 20
"""Of the application that the kernel kills."""

MOMENTS = [random.Random(f"{SEED} {number}").random() for number in range(KILLS)]
at_moments = pytest.mark.parametrize("moment", MOMENTS, ids="{:.3f}".format)
at_some_moments = pytest.mark.parametrize("moment", MOMENTS[: max(1, KILLS // 4)], ids="{:.3f}".format)


def journals_of(folder: Path) -> list[Path]:
    return sorted(folder.glob("multipass-*.journal"))


@pytest.fixture(scope="module")
def whole_run(
    native: Native, environment: dict[str, str], victim: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, float]:
    """A journal of some size without outputs, and how long its export takes."""
    folder = tmp_path_factory.mktemp("whole")
    environ = victim_environment(native, environment, folder / "out")
    done = subprocess.run(
        [victim, folder / "truth", "return", "600"], env=environ, capture_output=True, timeout=LONG_S, check=False
    )
    assert done.returncode == 3, done.stderr
    (journal,) = journals_of(folder / "out")
    began = time.monotonic()
    copy = folder / "copy" / journal.name
    copy.parent.mkdir()
    shutil.copy(journal, copy)
    subprocess.run([native.exporter, copy, "--format", "perfetto,rocpd"], check=True, capture_output=True)
    return journal, time.monotonic() - began


def assert_outputs(journal: Path, there: set[int], truth: Path) -> None:
    """As `assert_survived`, where there is something to recover; else nothing was ever launched."""
    if assert_readable_or_empty(journal):
        assert_survived(journal, there)
        assert_recovered_once(journal)
    else:
        assert not launched(truth)


@at_moments
def test_a_process_that_is_killed_loses_nothing_that_was_written(
    moment: float, native: Native, environment: dict[str, str], victim: Path, tmp_path: Path
) -> None:
    """Without a wrapper."""
    out, truth = tmp_path / "out", tmp_path / "truth"
    with process([str(victim), str(truth), "steady"], victim_environment(native, environment, out)) as run:
        time.sleep(moment * LATEST_S)
        before = [read_written(path) for path in journals_of(out)]
        run.kill()
        died = time.monotonic_ns()
        run.communicate(timeout=LONG_S)
    assert run.returncode == -signal.SIGKILL
    assert len(journals_of(out)) <= 1
    assert journals_of(out) or not launched(truth)
    for journal in journals_of(out):
        assert_outputs(journal, settled(truth, died).union(*(written.dispatches for written in before)), truth)


@at_some_moments
def test_a_wrapper_recovers_by_itself_what_a_killed_application_left(
    moment: float, command: list[str], environment: dict[str, str], victim: Path, tmp_path: Path
) -> None:
    out, truth = tmp_path / "out", tmp_path / "truth"
    with process([*run_words(command, out), str(victim), str(truth), "steady"], environment) as run:
        application = child_of(run.pid)
        time.sleep(moment * LATEST_S)
        before = [read_written(path) for path in journals_of(out)]
        os.kill(application, signal.SIGKILL)
        died = time.monotonic_ns()
        _, told = run.communicate(timeout=LONG_S)
    assert run.returncode == 137, told
    for journal in journals_of(out):
        if journal.stat().st_size > 1000:  # more than what ran, and on what
            assert_survived(journal, settled(truth, died).union(*(written.dispatches for written in before)))
            assert_recovered_once(journal)
            assert "the application was killed by SIGKILL" in told


@at_some_moments
def test_a_wrapper_that_is_killed_leaves_a_run_that_can_be_recovered(
    moment: float, command: list[str], environment: dict[str, str], victim: Path, tmp_path: Path
) -> None:
    """At any moment: while the application runs, and while its outputs are written."""
    out, truth = tmp_path / "out", tmp_path / "truth"
    with process([*run_words(command, out), str(victim), str(truth), "return", "100"], environment) as run:
        application = child_of(run.pid)
        time.sleep(moment * LATEST_S)
        exporter = Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text(encoding="ascii").split()
        run.kill()
        run.communicate(timeout=LONG_S)  # the application has its pipes: this waits for it too
    for pid in {application, *map(int, exporter)}:
        wait_until_gone(pid)
    (journal,) = journals_of(out)
    assert_outputs(journal, set(range(1, 101)), truth)


@at_some_moments
def test_an_exporter_that_is_killed_leaves_no_half_output(
    moment: float, native: Native, whole_run: tuple[Path, float], tmp_path: Path
) -> None:
    whole, takes_s = whole_run
    journal = tmp_path / whole.name
    shutil.copy(whole, journal)
    with process([str(native.exporter), str(journal), "--format", "perfetto,rocpd"], dict(os.environ)) as exporter:
        time.sleep(moment * takes_s)
        exporter.kill()
        exporter.communicate(timeout=LONG_S)
    for output in (journal.with_suffix(".db"), journal.with_suffix(".pftrace")):
        assert not output.exists() or len(mp.open_trace(output).dispatches()) == 600
    assert not journal.with_suffix(".json").exists() or json.loads(journal.with_suffix(".json").read_text("utf-8"))
    assert_outputs(journal, set(range(1, 601)), tmp_path / "none")


@pytest.mark.parametrize(
    ("how", "code", "ends", "lost"),
    [
        ("callback", 3, True, False),
        ("abort", 134, False, True),
        ("exec", 0, False, True),
        *[("_exit", 3, False, True), ("handler", 3, True, False), ("segv", 139, False, True)] * FULL,
    ],
)
def test_an_end_in_mid_run_keeps_what_was_written(  # noqa: PLR0913, PLR0917 - fixtures
    how: str,
    code: int,
    ends: bool,  # noqa: FBT001 - a column of the table
    lost: bool,  # noqa: FBT001
    command: list[str],
    environment: dict[str, str],
    victim: Path,
    tmp_path: Path,
) -> None:
    """With exit() the capture is closed in order and holds everything; what does not call it loses its last moments."""
    out, truth = tmp_path / "out", tmp_path / "truth"
    words = [*run_words(command, out), str(victim), str(truth), how, "200"]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=LONG_S, check=False)
    assert (done.returncode, done.stdout) == (code, ""), done.stderr
    (journal,) = journals_of(out)
    assert read_written(journal).ended == ends
    assert_survived(journal, settled(truth) if lost else launched(truth))
    assert_recovered_once(journal)


def test_ranks_that_are_killed_leave_what_each_had_written(
    command: list[str], environment: dict[str, str], victim: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    script = "; ".join(f"OMPI_COMM_WORLD_RANK={rank} {victim} {tmp_path}/truth{rank} steady &" for rank in (0, 1))
    script = script.replace("&;", "&") + " echo $! ; wait"
    with process([*run_words(command, out), "sh", "-c", script], environment) as run:
        shell = child_of(run.pid)
        deadline = time.monotonic() + LONG_S
        while min((len(launched(tmp_path / f"truth{rank}")) for rank in (0, 1)), default=0) < 100:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        ranks = Path(f"/proc/{shell}/task/{shell}/children").read_text(encoding="ascii").split()
        assert len(ranks) == 2
        before = {journal: read_written(journal).dispatches for journal in journals_of(out)}
        for pid in ranks:
            os.kill(int(pid), signal.SIGKILL)
        run.communicate(timeout=LONG_S)
    assert len(before) == 2
    for journal, there in before.items():
        assert_survived(journal, there)
        assert_recovered_once(journal)


if FULL:

    def test_a_memory_kill_of_the_kernel_loses_nothing_that_was_written(
        command: list[str], environment: dict[str, str], victim: Path, tmp_path: Path
    ) -> None:
        """The application alone is in the control group, so `run` lives and writes the outputs."""
        out, truth = tmp_path / "out", tmp_path / "truth"
        try:
            with memory_group(MEMORY) as group:
                script = f"echo $$ > {group.processes} && exec {victim} {truth} memory 2000"
                words = [*run_words(command, out), "sh", "-c", script]
                done = subprocess.run(
                    words, env=environment, capture_output=True, text=True, timeout=LONG_S, check=False
                )
                assert group.kills == 1, done.stderr
        except MemoryGroupError as error:
            pytest.skip(f"no process can be killed for its memory here: {error}")
        assert done.returncode == 137, done.stderr
        assert "the application was killed by SIGKILL" in done.stderr
        (journal,) = journals_of(out)
        assert_survived(journal, settled(truth))
        assert len(read_written(journal).dispatches) > 1000
        assert_recovered_once(journal)
