# SPDX-License-Identifier: MIT
"""What a run gives back: exit codes, files, problems."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

import pytest
from fake_native import Applications, FakeNative, write_script

import rocprofsys_multipass as mp
from rocprofsys_multipass.run.afterwards import LEFT_OUT
from rocprofsys_multipass.run.export import LOSSES


def test_a_run_exports_each_journal_and_lists_its_files(
    native: FakeNative, applications: Applications, tmp_path: Path
) -> None:
    run = mp.run([applications.profiled()], events="A", output="out", capture=True)
    pid = run.summaries[0]["pid"]
    assert (run.exit_code, run.child_exit_code, run.errors) == (0, 0, ())
    assert native.exports == [[str(tmp_path / f"out/multipass-{pid}.journal"), "--format", "perfetto,rocpd"]]
    assert [path.name for path in run.files] == [
        f"multipass-{pid}.{suffix}" for suffix in ("journal", "pftrace", "db", "json")
    ]
    assert run.output_dir == tmp_path / "out"
    assert run.summary == run.summaries[0]
    assert repr(run) == f"<Run {str(tmp_path / 'out')!r}: exit code 0, 1 process, 4 files, 1 warning>"


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
    assert (run.exit_code, run.child_signal) == (128 + signal.SIGKILL, signal.SIGKILL)
    assert len(run.summaries) == 1


def test_a_journal_that_cannot_be_exported_is_an_output_failure(native: FakeNative, applications: Applications) -> None:
    run = mp.run([applications.profiled(text="broken")], events="A", output="out", capture=True)
    assert run.exit_code == 7
    assert len(run.errors) == 1
    assert ".journal could not be exported: no frame can be read; what was captured is kept" in run.errors[0]
    assert "the capture is old" in run.warnings
    assert [path.suffix for path in run.files] == [".journal"]


def test_an_exporter_that_dies_without_a_word_is_described(native: FakeNative, applications: Applications) -> None:
    write_script(native.root / "bin/rocprofsys-multipass-export", "import os; os.kill(os.getpid(), 9)")
    run = mp.run([applications.profiled()], events="A", output="out", capture=True)
    then = f"what was captured is kept: see to that, then rocprof-sys-multipass recover {run.files[0].parent}"
    assert run.errors[0].endswith(f"could not be exported: killed by SIGKILL, no reason given; {then}")


def test_an_exporter_that_is_killed_leaves_no_half_output(native: FakeNative, applications: Applications) -> None:
    half = "path = sys.argv[1].replace('.journal', f'.db.tmp-{os.getpid()}'); open(path, 'w').close()"
    write_script(native.root / "bin/rocprofsys-multipass-export", f"import os, sys; {half}; os.kill(os.getpid(), 9)")
    run = mp.run([applications.profiled()], events="A", output="out", capture=True)
    assert run.exit_code == 7
    assert [path.name for path in run.output_dir.iterdir() if ".tmp" in path.name] == []


def test_what_the_exporter_warns_of_is_in_the_result_once(native: FakeNative, applications: Applications) -> None:
    program = applications.profiled(warnings=(), exporter_warnings=("the capture ends early", "the capture ends early"))
    run = mp.run([program], events="A", output="out", capture=True)
    assert run.warnings == (f"{run.files[0]}: the capture ends early",)
    assert run.exit_code == 0


def test_warnings_of_the_plugin_are_in_the_result_where_nobody_saw_them(
    native: FakeNative, applications: Applications
) -> None:
    program = applications.profiled(warnings=("one", "two", "one"), exporter_warnings=("late",))
    run = mp.run([program], events="A", output="out", capture=True)
    assert run.warnings == (f"{run.files[0]}: late", "one", "two")
    assert run.live_warnings == ()


def test_warnings_that_the_plugin_wrote_to_the_terminal_are_not_repeated(
    native: FakeNative, applications: Applications
) -> None:
    run = mp.run([applications.profiled(exporter_warnings=("late",))], events="A", output="out")
    assert run.warnings == (f"{run.files[0]}: late",)
    assert run.live_warnings == ("from the plugin",)


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
    assert run.errors == ("nothing was collected: none of the counters asked for can be read on any GPU of this run",)


def test_filters_that_leave_no_launch_to_count_are_named(native: FakeNative, applications: Applications) -> None:
    program = applications.profiled(counts={"seen": 28, "filtered": 28})
    run = mp.run([program], events="A", kernel_include="axpi\n", range="3", output="out")
    assert run.exit_code == 0
    [warning] = run.warnings
    assert warning.startswith(
        "no counter was read: with kernel_include 'axpi\\n' and range '3' none of 28 launches was to be counted; "
    )


@pytest.mark.parametrize(
    ("include", "counts"),
    [("axpy", {"seen": 2, "filtered": 1, "replayed": 1}), ("axpy", {}), (None, {"seen": 2, "filtered": 2})],
)
def test_filters_that_are_not_why_nothing_was_counted_are_not_named(
    native: FakeNative, applications: Applications, include: str | None, counts: dict[str, int]
) -> None:
    program = applications.profiled(counts=counts)
    assert mp.run([program], events="A", kernel_include=include, output="out").warnings == ()


def test_a_failed_application_does_not_hide_that_nothing_could_be_planned(
    native: FakeNative, applications: Applications
) -> None:
    run = mp.run([applications.profiled("sys.exit(9)", passes=0)], events="A", output="out", capture=True)
    assert run.exit_code == 9
    assert run.errors[0].startswith("nothing was collected")


@pytest.mark.parametrize(("simulate", "cause"), [("gfx942", "sim-flags"), (None, "no rocprofiler-sdk 1.0 or newer")])
def test_an_application_without_a_gpu_is_explained_and_keeps_its_exit_code(
    native: FakeNative, simulate: str | None, cause: str
) -> None:
    run = mp.run(["/bin/true"], events="A", simulate=simulate, output="out")
    assert (run.exit_code, run.files, run.summary) == (0, (), None)
    assert run.warnings[0].startswith("nothing was captured")
    assert cause in run.warnings[0]


def why_nothing(*, capture: bool, program: str = "/bin/true", **environ: str) -> str:
    run = mp.run([program], events="A", output="out", capture=capture, env={**os.environ, **environ})
    (warning,) = run.warnings
    return warning


def test_what_the_plugin_said_is_pointed_to_only_where_it_may_have_spoken(
    native: FakeNative, applications: Applications
) -> None:
    assert "the plugin said" not in why_nothing(capture=True)
    shutil.rmtree("out")
    assert "Unless the plugin said above why, possible causes: the app" in why_nothing(capture=False)
    shutil.rmtree("out")
    speaks = applications.make("import sys\nsys.stderr.write('rocprof-sys-multipass: warning: no\\n')")
    found = why_nothing(capture=True, program=speaks)
    assert "Possible causes: the plugin said on stderr why it does not profile; the app" in found


def test_variables_that_keep_the_plugin_out_are_named(native: FakeNative) -> None:
    found = why_nothing(capture=True, ROCPROFILER_REGISTER_ENABLED="0", ROCP_TOOL_LIBRARIES="/opt/x.so")
    assert "ROCPROFILER_REGISTER_ENABLED=0 keeps the runtime from loading any tool" in found
    assert "ROCP_TOOL_LIBRARIES=/opt/x.so brings other tools" in found
    assert found.endswith("; see: rocprof-sys-multipass doctor")
    shutil.rmtree("out")
    assert "REGISTER_ENABLED" not in why_nothing(capture=True, ROCPROFILER_REGISTER_ENABLED="1")


def test_a_malformed_token_beside_good_ones_is_left_to_the_plugin(
    native: FakeNative, applications: Applications
) -> None:
    run = mp.run(
        [applications.profiled("print(config['events'])")], events="A B:device=0test", output="out", capture=True
    )
    assert (run.exit_code, run.warnings) == (0, ("from the plugin",))
    assert run.stdout.endswith("\nA B:device=0test\n")


def test_only_the_formats_asked_for_are_written(native: FakeNative, applications: Applications) -> None:
    run = mp.run([applications.profiled()], events="A", formats=["rocpd"], output="out", capture=True)
    assert [path.suffix for path in run.files] == [".journal", ".db", ".json"]


@pytest.mark.parametrize(
    "ending",
    [
        "import shutil; shutil.rmtree(output)",
        "output.rename(output.with_name('moved'))",
        "shutil.rmtree(output); output.touch()",
    ],
)
def test_a_folder_that_the_application_took_away_is_an_output_failure(
    native: FakeNative, applications: Applications, tmp_path: Path, ending: str
) -> None:
    run = mp.run([applications.profiled(f"import shutil\n{ending}")], events="A", output="out", capture=True)
    assert (run.exit_code, run.files) == (7, ())
    (error,) = run.errors
    assert error == (
        f"the output folder {tmp_path / 'out'} was removed or renamed while the application ran, and what was "
        "captured with it: give another folder with output=... that the application leaves alone"
    )
    assert not any("nothing was captured" in text for text in run.warnings)


def test_an_application_that_failed_keeps_its_code_when_the_folder_is_gone(
    native: FakeNative, applications: Applications
) -> None:
    program = applications.profiled("import shutil; shutil.rmtree(output); sys.exit(77)")
    run = mp.run([program], events="A", output="out", capture=True)
    assert run.exit_code == 77
    assert len(run.errors) == 1


@pytest.mark.parametrize("change", ["config.unlink()", "config.write_text('{')"])
def test_settings_that_the_plugin_could_not_use_are_an_output_failure(
    native: FakeNative, applications: Applications, change: str
) -> None:
    program = applications.make(
        f"import os, pathlib\nconfig = pathlib.Path(os.environ['ROCPROFSYS_MULTIPASS_RESOLVED'])\n{change}"
    )
    run = mp.run([program], events="A", output="out")
    assert run.exit_code == 7
    assert len(run.errors) == 1
    assert "config.json was removed or changed while the application ran" in run.errors[0]
    assert run.warnings[0].startswith("nothing was captured")


def test_a_plugin_that_said_why_it_could_not_start_is_an_output_failure(
    native: FakeNative, applications: Applications
) -> None:
    """Where its words can be read: those of a run that is not captured go to the terminal at once."""
    text = "rocprof-sys-multipass: error: the program runs unprofiled: no free file name in out"
    program = applications.make(f"import sys; sys.stderr.write('hello\\n{text}\\nbye\\n')")
    run = mp.run([program], events="A", output="out", capture=True)
    assert run.exit_code == 7
    assert run.errors == ("the program runs unprofiled: no free file name in out",)


@pytest.mark.parametrize(
    "warning",
    [
        "7 records were dropped: the capture file could not be written, or not fast enough",
        "the program ran unprofiled: the profiling could not be set up",
    ],
)
def test_lost_records_are_an_output_failure(native: FakeNative, applications: Applications, warning: str) -> None:
    run = mp.run([applications.profiled(warnings=(warning,))], events="A", output="out", capture=True)
    assert run.exit_code == 7
    assert run.errors == (f"{run.files[0]}: {warning}",)
    assert warning not in run.warnings
    assert len(run.files) == 4
    failed = mp.run([applications.profiled("sys.exit(9)", warnings=(warning,))], events="A", output="p", capture=True)
    assert failed.exit_code == 9


def test_the_words_of_a_loss_are_those_of_the_plugin() -> None:
    source = (Path(__file__).parents[2] / "library/tool/tool.cpp").read_text(encoding="utf-8")
    for words in LOSSES:
        assert f'"{words}' in source


def test_a_strict_run_ends_with_4_where_a_counter_was_left_out(native: FakeNative, applications: Applications) -> None:
    program = applications.profiled(warnings=("'B' (column 3) is left out: not a counter of gfx942",))
    run = mp.run([program], events="A,B", output="out", strict=True, capture=True)
    assert (run.exit_code, run.child_exit_code) == (4, 0)
    assert run.errors == (
        "strict: not all that was asked for was collected: 'B' (column 3) is left out: not a counter of gfx942",
    )
    assert mp.run([program], events="A,B", output="o", capture=True).exit_code == 0
    whole = mp.run([applications.profiled()], events="A", output="p", strict=True, capture=True)
    assert (whole.exit_code, whole.errors) == (0, ())


def test_a_strict_run_that_captured_nothing_ends_with_4(native: FakeNative) -> None:
    run = mp.run(["true"], events="A", output="out", strict=True, capture=True)
    assert run.exit_code == 4
    assert run.errors == ("strict: nothing was captured: see the warning for possible causes",)
    assert run.warnings[0].startswith("nothing was captured. Possible causes")


def test_a_strict_run_ends_with_the_code_of_an_application_that_failed(native: FakeNative) -> None:
    assert mp.run(["false"], events="A", output="out", strict=True, capture=True).exit_code == 1


def test_the_words_of_what_is_left_out_are_those_of_the_plugin() -> None:
    library = Path(__file__).parents[2] / "library"
    sources = [library / "tool/wanted.cpp", library / "metrics/metrics.cpp", library / "metrics/panel_texts.cpp"]
    text = "".join(path.read_text(encoding="utf-8") for path in sources)
    assert [words for words in LEFT_OUT if f'"{words}' not in text and f'{words}"' not in text] == []


def test_a_capture_without_its_end_is_a_warning(native: FakeNative, applications: Applications) -> None:
    """The application may have ended by _exit, which is its right."""
    text = "the capture has no end: the process died or left by _exit"
    run = mp.run([applications.profiled("os._exit(0)", exporter_warnings=(text,))], events="A", output="out")
    assert (run.exit_code, run.errors, run.warnings) == (0, (), (f"{run.files[0]}: {text}",))
