# SPDX-License-Identifier: MIT
"""What a run gives back: exit codes, files, problems."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from fake_native import Applications, FakeNative

import rocprofsys_multipass as mp


def test_a_run_exports_each_journal_and_lists_its_files(
    native: FakeNative, applications: Applications, tmp_path: Path
) -> None:
    run = mp.run([applications.profiled()], events="A", output="out", capture=True)
    pid = run.summaries[0]["pid"]
    assert (run.exit_code, run.child_exit_code, run.errors, run.warnings) == (0, 0, (), ())
    assert native.exports == [[str(tmp_path / f"out/multipass-{pid}.journal"), "--format", "perfetto,rocpd"]]
    assert [path.name for path in run.files] == [
        f"multipass-{pid}.{suffix}" for suffix in ("journal", "pftrace", "db", "json")
    ]
    assert run.output_dir == tmp_path / "out"
    assert run.summary == run.summaries[0]


def test_every_process_of_the_application_is_exported(native: FakeNative, applications: Applications) -> None:
    worker = applications.profiled(name="worker")
    program = applications.make(f"import subprocess\nfor _ in range(3): subprocess.run([{worker!r}], check=True)")
    run = mp.run([program], events="A", output="out", capture=True)
    assert len({summary["pid"] for summary in run.summaries}) == 3
    assert len(run.files) == 12


def test_the_exit_code_of_a_failed_application_is_kept_and_its_data_too(
    native: FakeNative, applications: Applications
) -> None:
    run = mp.run([applications.profiled("sys.exit(7)")], events="A", output="out", capture=True)
    assert (run.exit_code, run.child_exit_code) == (7, 7)
    assert [path.suffix for path in run.files] == [".journal", ".pftrace", ".db", ".json"]


def test_a_death_by_signal_is_128_and_its_number(native: FakeNative, applications: Applications) -> None:
    program = applications.profiled("os.kill(os.getpid(), 9)")
    run = mp.run([program], events="A", output="out", capture=True)
    assert run.exit_code == 128 + signal.SIGKILL
    assert len(run.summaries) == 1


def test_a_journal_that_cannot_be_exported_is_an_output_failure(native: FakeNative, applications: Applications) -> None:
    run = mp.run([applications.profiled(text="broken")], events="A", output="out", capture=True)
    assert run.exit_code == 7
    assert len(run.errors) == 1
    assert "could not be exported: no frame can be read" in run.errors[0]
    assert [path.suffix for path in run.files] == [".journal"]


def test_an_application_that_failed_keeps_its_code_when_the_export_fails_too(
    native: FakeNative, applications: Applications
) -> None:
    program = applications.profiled("sys.exit(3)", text="broken")
    run = mp.run([program], events="A", output="out", capture=True)
    assert run.exit_code == 3
    assert len(run.errors) == 1


def test_one_broken_journal_does_not_hide_the_others(native: FakeNative, applications: Applications) -> None:
    good, bad = applications.profiled(name="good"), applications.profiled(name="bad", text="broken")
    program = applications.make(f"import subprocess\nfor p in ({bad!r}, {good!r}): subprocess.run([p], check=True)")
    run = mp.run([program], events="A", output="out", capture=True)
    assert run.exit_code == 7
    assert len(run.summaries) == 1


def test_a_run_in_which_nothing_could_be_planned_says_so(native: FakeNative, applications: Applications) -> None:
    run = mp.run([applications.profiled(passes=0)], events="A", output="out", capture=True)
    assert run.exit_code == 4
    assert "none of the counters asked for could be read" in run.errors[0]


@pytest.mark.parametrize(("simulate", "cause"), [("gfx942", "sim-flags"), (None, "no rocprofiler-sdk 1.0 or newer")])
def test_an_application_without_a_gpu_is_explained_and_keeps_its_exit_code(
    native: FakeNative, simulate: str | None, cause: str
) -> None:
    run = mp.run(["/bin/true"], events="A", simulate=simulate, output="out")
    assert (run.exit_code, run.files, run.summary) == (0, (), None)
    assert run.warnings[0].startswith("nothing was captured")
    assert cause in run.warnings[0]


def test_a_malformed_token_beside_good_ones_is_left_to_the_plugin(
    native: FakeNative, applications: Applications
) -> None:
    run = mp.run(
        [applications.profiled("print(config['events'])")], events="A B:device=0test", output="out", capture=True
    )
    assert (run.exit_code, run.warnings) == (0, ())
    assert run.stdout.endswith("\nA B:device=0test\n")


def test_only_the_formats_asked_for_are_written(native: FakeNative, applications: Applications) -> None:
    run = mp.run([applications.profiled()], events="A", formats=["rocpd"], output="out", capture=True)
    assert [path.suffix for path in run.files] == [".journal", ".db", ".json"]
