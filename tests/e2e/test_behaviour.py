# SPDX-License-Identifier: MIT
"""What a run does to the application and to the folder: as little as possible, and as promised."""

from __future__ import annotations

import contextlib
import os
import signal
import struct
import subprocess
import time
from pathlib import Path

import expected
import pytest
from e2e_tools import (
    PROBE,
    TWO_PASSES,
    Cli,
    Finished,
    Outputs,
    alone,
    assert_complete,
    by_hand,
    counters,
    outcomes,
    probe_counters,
)

import rocprofsys_multipass as mp
from rocprofsys_multipass import Run
from rocprofsys_multipass.errors import OutputError
from rocprofsys_multipass.native import Native

# ---------------------------------------------------------------------------------------------------------------------
# The application


def test_the_output_and_the_exit_code_of_the_application_are_its_own(demo_run: Run, demo_alone: Finished) -> None:
    assert demo_alone.stdout.count("\n") == 3
    assert demo_run.stdout == demo_alone.stdout
    assert (demo_run.exit_code, demo_run.child_exit_code, demo_alone.returncode) == (0, 0, 0)


def test_a_run_that_works_adds_nothing_to_stderr(demo_run: Run) -> None:
    # On a slow machine a replay may take so long that a note says how long.
    said = [line for line in demo_run.stderr.splitlines() if ": the first replay of " not in line]
    assert said == []
    assert (demo_run.warnings, demo_run.errors) == ((), ())


def test_a_kernel_that_works_in_place_leaves_the_same_bits(
    axpy: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    _, vector = expected.axpy_example()
    checksum = f"axpy {expected.fnv1a(struct.pack(f'<{len(vector)}f', *vector), 64):016x}\n"
    run = mp.run(
        [axpy], events=TWO_PASSES, replay="kernel", simulate="gfx942", output=tmp_path / "out", env=environment,
        capture=True,
    )  # fmt: skip
    assert alone(axpy, env=environment).stdout == checksum
    assert run.stdout == checksum
    assert run.summary is not None
    assert run.summary["dispatches"]["replayed"] == 5


def test_an_application_that_fails_keeps_its_exit_code_and_its_outputs(cli: Cli, probe: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run = cli("run", "--simulate", "gfx942", "--events", ",".join(TWO_PASSES), "-o", out, "--", probe, "exit", "3")
    assert (run.returncode, run.stdout) == (3, "launch 0 correct\n")
    assert_complete(out, (1000,))


def test_an_application_that_a_signal_ends_leaves_what_was_recorded(
    command: list[str], environment: dict[str, str], probe: Path, tmp_path: Path
) -> None:
    """The probe aborts when its stdin ends: here, when both dispatches are in the journal."""
    out = tmp_path / "out"
    options = ["--simulate", "gfx942", "--events", ",".join(TWO_PASSES), "-o", str(out)]
    with subprocess.Popen(
        [*command, "run", *options, "--", str(probe), "abort"],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as run:
        deadline = time.monotonic() + 60
        while recorded(out) < 2:
            assert run.poll() is None, run.communicate()
            assert time.monotonic() < deadline, "the dispatches do not come into the journal"
            time.sleep(0.02)
        stdout, _ = run.communicate()
    assert stdout == "launch 0 correct\nlaunch 1 correct\n"
    assert run.returncode == 134
    assert_complete(out, (1000, 2000))


def recorded(folder: Path) -> int:
    """Dispatches in the journal of a process that may still run."""
    journals = list(folder.glob("*.journal"))
    if not journals or journals[0].stat().st_size < 32:  # the header
        return 0
    return len(mp.open_trace(journals[0]).dispatches())


def test_verify_says_of_a_process_that_died_that_it_did(
    environment: dict[str, str], probe: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    run = mp.run(
        ["sh", "-c", f"{probe} abort < /dev/null"],
        events=TWO_PASSES,
        simulate="gfx942",
        output=out,
        env=environment,
        capture=True,
    )
    assert run.exit_code == 134
    findings = mp.verify(out)
    assert [finding for finding in findings if finding.severity == "error"] == []
    assert ("info", "the journal has no last frame") in [(finding.severity, finding.message) for finding in findings]


def test_a_journal_is_readable_however_early_its_process_died(
    native: Native, environment: dict[str, str], probe: Path, tmp_path: Path
) -> None:
    """Aborts right after its launches, often enough to meet a writer thread that has not run yet."""
    sizes = []
    for attempt in range(25):
        out = tmp_path / str(attempt)
        env = by_hand(native, environment, out, ROCPROFSYS_MULTIPASS_EVENTS=",".join(TWO_PASSES))
        assert alone(probe, "abort", env=env).returncode == -signal.SIGABRT
        (journal,) = out.glob("multipass-*.journal")
        sizes.append(journal.stat().st_size)
    assert min(sizes) > 32, f"sizes of the journals: {sizes}"  # the header alone has 32


def test_an_application_whose_stderr_nobody_reads_ends_with_all_its_outputs(
    native: Native, environment: dict[str, str], probe: Path, tmp_path: Path
) -> None:
    """Neither the plugin nor the exporter that it waits for waits for a reader."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(writer, bytes(4096))
    os.set_blocking(writer, True)
    out = tmp_path / "out"
    env = by_hand(native, environment, out, ROCPROFSYS_MULTIPASS_EVENTS=",".join(TWO_PASSES))
    try:
        ended = subprocess.run(
            [probe, "exit", "3"], env=env, stderr=writer, stdout=subprocess.PIPE, timeout=30, check=False
        )
    finally:
        os.close(reader)
        os.close(writer)
    assert (ended.returncode, ended.stdout) == (3, b"launch 0 correct\n")
    assert {path.suffix for path in out.iterdir()} == {".journal", ".pftrace", ".db", ".json"}


def test_a_forked_child_that_ends_leaves_the_outputs_to_its_parent(
    environment: dict[str, str], probe: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    run = mp.run([probe, "fork"], events=TWO_PASSES, simulate="gfx942", output=out, env=environment, capture=True)
    assert (run.exit_code, run.stdout) == (0, "launch 0 correct\nchild ended with 7\nlaunch 1 correct\n")
    assert len(run.summaries) == 1
    assert_complete(out, (1000, 2000))


def test_each_process_of_an_application_has_files_of_its_own(
    environment: dict[str, str], probe: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    run = mp.run(
        ["sh", "-c", f"{probe} exit 0 && {probe} exit 0"],
        events=TWO_PASSES,
        simulate="gfx942",
        output=out,
        env=environment,
        capture=True,
    )
    assert (run.exit_code, run.stdout) == (0, 2 * "launch 0 correct\n")
    pids = sorted(summary["pid"] for summary in run.summaries)
    assert len(set(pids)) == 2
    suffixes = ("db", "journal", "json", "pftrace")
    assert sorted(path.name for path in out.glob("multipass-*")) == sorted(
        f"multipass-{pid}.{suffix}" for pid in pids for suffix in suffixes
    )
    trace = mp.open_trace(out)
    assert sorted(process.pid for process in trace.processes) == pids
    assert counters(trace) == 2 * [probe_counters(1000)]
    assert len({process.guid for process in trace.processes}) == 2
    assert [finding for finding in mp.verify(out) if finding.severity != "info"] == []


def test_a_process_of_a_parallel_job_is_named_by_its_rank(
    environment: dict[str, str], probe: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    for rank in ("0", "3"):
        run = mp.run(
            [probe, "exit", "0"],
            events=TWO_PASSES,
            simulate="gfx942",
            output=out,
            env=environment | {"OMPI_COMM_WORLD_RANK": rank},
            capture=True,
        )
        assert run.exit_code == 0
        assert [summary["rank"] for summary in run.summaries] == [int(rank)]
    assert sorted(path.stem for path in out.glob("*.db")) == ["multipass-rank0", "multipass-rank3"]
    assert [process.rank for process in mp.open_trace(out).processes] == [0, 3]
    assert [finding for finding in mp.verify(out) if finding.severity != "info"] == []


# ---------------------------------------------------------------------------------------------------------------------
# Plans of every size


def test_each_of_two_devices_has_its_own_passes(environment: dict[str, str], probe: Path, tmp_path: Path) -> None:
    """Three counters of a block with 8 registers on one device and 2 on the other."""
    names = ("SQ_WAVES", "SQ_INSTS_VALU", "SQ_INSTS_VMEM_RD")
    run = mp.run(
        [probe, "devices"],
        events=names,
        simulate="gfx942,tiny",
        output=tmp_path / "out",
        env=environment,
        capture=True,
    )
    assert (run.exit_code, run.stdout) == (0, "launch 0 correct\nlaunch 1 correct\n")
    assert run.summary is not None
    agents = {agent["name"]: (agent["device"], agent["pass_count"]) for agent in run.summary["agents"]}
    assert agents == {"gfx942": (0, 1), "tiny": (1, 2)}
    outputs = Outputs.of(run.output_dir)
    for path in (outputs.journal, outputs.trace, outputs.database):
        found = [
            (d.agent.name, d.outcome, [p.index for p in d.passes], dict(d.counters))
            for d in mp.open_trace(path).dispatches()
        ]
        assert found == [
            ("gfx942", "single_pass", [None], probe_counters(1000, names)),
            ("tiny", "replayed", [0, 1], probe_counters(2000, names, "tiny")),
        ]
    assert [finding for finding in mp.verify(run.output_dir) if finding.severity == "error"] == []


def test_counters_that_fit_one_pass_are_read_without_replay(
    environment: dict[str, str], probe: Path, tmp_path: Path
) -> None:
    names = ("SQ_WAVES", "FETCH_SIZE")
    run = mp.run(
        [probe, "exit", "0"],
        events=names,
        simulate="gfx942",
        output=tmp_path / "out",
        env=environment,
        capture=True,
    )
    trace = mp.open_trace(run.output_dir)
    assert outcomes(trace) == [(1, PROBE, "single_pass")]
    assert [(one.index, one.group) for one in trace.dispatches()[0].passes] == [(None, 0)]
    assert counters(trace) == [probe_counters(1000, names)]
    assert run.summary is not None
    assert [agent["pass_count"] for agent in run.summary["agents"]] == [1]


def test_replay_off_reads_the_first_group_only(environment: dict[str, str], probe: Path, tmp_path: Path) -> None:
    run = mp.run(
        [probe, "exit", "0"],
        events=TWO_PASSES,
        replay="off",
        simulate="gfx942",
        output=tmp_path / "out",
        env=environment,
        capture=True,
    )
    assert run.exit_code == 0
    assert run.summary is not None
    assert run.summary["replay_mode"] == "off"
    first = tuple(run.summary["agents"][0]["passes"][0])
    assert 0 < len(first) < len(TWO_PASSES)
    trace = mp.open_trace(run.output_dir)
    assert outcomes(trace) == [(1, PROBE, "single_pass")]
    assert [(one.index, one.group) for one in trace.dispatches()[0].passes] == [(None, 0)]
    assert counters(trace) == [probe_counters(1000, first)]


def test_a_counter_that_exists_is_collected_beside_one_that_does_not(
    environment: dict[str, str], probe: Path, tmp_path: Path
) -> None:
    run = mp.run(
        [probe, "exit", "0"],
        events="SQ_WAVES NO_SUCH_COUNTER",
        simulate="gfx942",
        output=tmp_path / "out",
        env=environment,
        capture=True,
    )
    assert (run.exit_code, run.stdout) == (0, "launch 0 correct\n")
    assert counters(mp.open_trace(run.output_dir)) == [probe_counters(1000, ("SQ_WAVES",))]
    assert run.summary is not None
    assert any("NO_SUCH_COUNTER" in text for text in run.summary["warnings"])


# ---------------------------------------------------------------------------------------------------------------------
# What goes wrong


def test_only_unknown_counters_make_exit_code_4_and_no_harm(cli: Cli, probe: Path, tmp_path: Path) -> None:
    run = cli("run", "--simulate", "gfx942", "--events", "SQ_WAVEZ", "-o", tmp_path / "out", "--", probe, "exit", "0")
    assert (run.returncode, run.stdout) == (4, "launch 0 correct\n")
    assert "SQ_WAVEZ" in run.stderr
    assert "did you mean SQ_WAVES?" in run.stderr


def test_the_exit_code_of_the_application_comes_before_that_of_the_plan(cli: Cli, probe: Path, tmp_path: Path) -> None:
    run = cli("run", "--simulate", "gfx942", "--events", "SQ_WAVEZ", "-o", tmp_path / "out", "--", probe, "exit", "9")
    assert run.returncode == 9


def test_a_folder_with_an_earlier_run_is_refused_before_anything_starts(cli: Cli, tmp_path: Path) -> None:
    out, started = tmp_path / "out", tmp_path / "started"
    out.mkdir()
    (out / "multipass-1.journal").write_bytes(b"of an earlier run")
    run = cli("run", "--simulate", "gfx942", "--events", "SQ_WAVES", "-o", out, "--", "touch", started)
    assert run.returncode == 7
    assert "--overwrite" in run.stderr
    assert not started.exists()
    assert [path.name for path in out.iterdir()] == ["multipass-1.journal"]


def test_overwrite_replaces_the_earlier_run_and_nothing_else(
    environment: dict[str, str], probe: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "notes.txt").write_text("mine")
    arguments = {"events": TWO_PASSES, "simulate": "gfx942", "output": out, "env": environment, "capture": True}
    first = mp.run([probe, "exit", "0"], **arguments)
    with pytest.raises(OutputError, match="holds an earlier run"):
        mp.run([probe, "exit", "0"], **arguments)
    second = mp.run([probe, "exit", "0"], overwrite=True, **arguments)
    assert set(first.files).isdisjoint(second.files)
    assert_complete(out, (1000,))
    assert (out / "notes.txt").read_text() == "mine"


def test_a_command_that_does_not_exist_is_exit_code_5_and_leaves_no_folder(cli: Cli, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run = cli("run", "--simulate", "gfx942", "--events", "SQ_WAVES", "-o", out, "--", tmp_path / "no-such-program")
    assert run.returncode == 5
    assert "no-such-program does not exist" in run.stderr
    assert not out.exists()


def test_a_program_that_uses_no_gpu_is_told_so(cli: Cli, tmp_path: Path) -> None:
    run = cli("run", "--simulate", "gfx942", "--events", "SQ_WAVES", "-o", tmp_path / "out", "--", "echo", "hello")
    assert (run.returncode, run.stdout) == (0, "hello\n")
    assert "nothing was captured" in run.stderr
    assert "made no call to HIP" in run.stderr
