# SPDX-License-Identifier: MIT
"""Mistakes that people make: each gets one clear message and its exit code, and the application is not harmed."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from e2e_tools import TWO_PASSES, Cli, Finished, alone, assert_complete, by_hand, counters, probe_counters

import rocprofsys_multipass as mp
from rocprofsys_multipass.config import RUN_OPTIONS
from rocprofsys_multipass.config.values import FORMATS
from rocprofsys_multipass.native import Native

PROGRAM = "rocprof-sys-multipass: "
HELP = " (see: rocprof-sys-multipass run --help)"
KEYS = ", ".join(option.key for option in RUN_OPTIONS.values() if option.in_file)
LITERALLY = "; put \\ before what is meant literally, as in axpy\\("
RANGE = "launches of a kernel are counted from 1: write 1, 1-3 or 1,4-6, with or without square brackets"

Run = Callable[..., Finished]


@pytest.fixture
def run(cli: Cli, probe: Path, tmp_path: Path) -> Run:
    """The probe under the plugin, with `options` before it; it ends with 3, so that its code is seen to be its own."""

    def start(*options: str | Path, output: str | Path | None = None, env: dict[str, str] | None = None) -> Finished:
        folder = tmp_path / "out" if output is None else output
        return cli("run", "--quiet", "--simulate", "gfx942", "-o", folder, *options, "--", probe, "exit", "3", env=env)

    return start


def assert_unharmed(done: Finished, *messages: str) -> None:
    """The application ran and kept its output and its code; on stderr there is this and nothing else."""
    assert (done.returncode, done.stdout) == (3, "launch 0 correct\n")
    assert done.stderr == "".join(f"{PROGRAM}{text}\n" for text in messages)


def assert_refused(done: Finished, code: int, *messages: str) -> None:
    """Nothing was started; on stderr there is this and nothing else."""
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr == "".join(f"{PROGRAM}error: {text}\n" for text in messages)


# ---------------------------------------------------------------------------------------------------------------------
# The list


def test_a_typo_in_a_counter(run: Run, tmp_path: Path) -> None:
    assert_unharmed(
        run("--events", "SQ_INSTS,SQ_WAVEZ"),
        "warning: 'SQ_WAVEZ' (column 10) is left out: not a counter of gfx942; did you mean SQ_WAVES?",
    )
    assert counters(mp.open_trace(tmp_path / "out")) == [probe_counters(1000, ("SQ_INSTS",))]


def test_a_typo_in_the_only_counter_of_an_application_that_works(cli: Cli, probe: Path, tmp_path: Path) -> None:
    options = ("--quiet", "--simulate", "gfx942", "--events", "SQ_WAVEZ", "-o", tmp_path / "o")
    done = cli("run", *options, "--", probe, "exit", "0")
    assert (done.returncode, done.stdout) == (4, "launch 0 correct\n")
    assert done.stderr.splitlines() == [
        f"{PROGRAM}warning: 'SQ_WAVEZ' (column 1) is left out: not a counter of gfx942; did you mean SQ_WAVES?",
        f"{PROGRAM}warning: none of the counters asked for can be collected here; the program runs unprofiled",
        f"{PROGRAM}error: nothing was collected: none of the counters asked for can be read on any GPU of this run",
    ]


def test_a_typo_in_a_group(run: Run, tmp_path: Path) -> None:
    """Told once, not again as a counter and as a group that cannot be placed."""
    done = run("--events", "SQ_INSTS", "--group", "SQ_WAVEZ,SQ_BUSY_CYCLES")
    assert_unharmed(
        done,
        "warning: 'SQ_WAVEZ' (in a group) is left out: not a counter of gfx942; did you mean SQ_WAVES?; the others of "
        "its group are planned singly",
    )
    (dispatch,) = mp.open_trace(tmp_path / "out").dispatches()
    assert set(dispatch.counters) == {"SQ_INSTS", "SQ_BUSY_CYCLES"}


def test_a_typo_in_a_group_of_a_plan_is_told_once_too(cli: Cli) -> None:
    done = cli("plan", "--device", "gfx942", "--events", "SQ_INSTS", "--group", "SQ_WAVEZ,SQ_BUSY_CYCLES")
    assert done.returncode == 0
    (told,) = [line for line in done.stdout.splitlines() if "SQ_WAVEZ" in line]
    assert told == (
        "unknown: SQ_WAVEZ (in a group): not a counter of gfx942; did you mean SQ_WAVES?; the others of its group are "
        "planned singly"
    )


def test_a_malformed_device(run: Run, tmp_path: Path) -> None:
    assert_unharmed(
        run("--events", "SQ_WAVES:device=0x,SQ_INSTS"),
        "warning: 'SQ_WAVES:device=0x' (column 1) is left out: after ':device=' there must be a number and nothing "
        "else; did you mean SQ_WAVES:device=0?",
    )
    assert counters(mp.open_trace(tmp_path / "out")) == [probe_counters(1000, ("SQ_INSTS",))]


def test_a_malformed_device_on_the_only_counter(run: Run) -> None:
    assert_refused(
        run("--events", "SQ_WAVES:device="),
        2,
        "--events holds no counter that can be used: 'SQ_WAVES:device=' (column 1): the number after ':device=' is "
        f"missing; write NAME or NAME:device=N{HELP}",
    )


def test_no_list_but_a_variable_with_a_letter_missing(run: Run) -> None:
    assert_refused(
        run(env={"ROCPROFSYS_ROCM_EVENT": "SQ_WAVES"}),
        2,
        "no counters were asked for: use --events LIST, --set NAME or --compute-panels N, or set "
        "ROCPROFSYS_MULTIPASS_EVENTS, ROCPROFSYS_MULTIPASS_SET or ROCPROFSYS_MULTIPASS_COMPUTE_PANELS "
        f"(the environment has ROCPROFSYS_ROCM_EVENT: did you mean ROCPROFSYS_ROCM_EVENTS?){HELP}",
    )


# ---------------------------------------------------------------------------------------------------------------------
# Options, variables, files


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--replay", "kernal"], "--replay: 'kernal' is not one of auto, kernel, rotate, off; did you mean kernel?"),
        (["--format", "rocpd,pdf"], f"--format: 'pdf' is not one of {', '.join(FORMATS)}"),
        (["--range", "3-1"], f"--range: '3-1' is not a range: 3-1 ends before it begins; {RANGE}"),
        (
            ["--kernel-include", "a(b"],
            "--kernel-include: 'a(b' is not a regular expression: missing ), unterminated subpattern at column 2"
            + LITERALLY,
        ),
        (
            ["--sentinel", "auto,SQ_WAVES"],
            "--sentinel: 'auto' stands alone, in small letters: leave it out beside counters",
        ),
        (["--zzz", "auto"], "unrecognized arguments: --zzz"),
        (["--kernel-includes", "a"], "unrecognized arguments: --kernel-includes; did you mean --kernel-include?"),
    ],
)
def test_a_wrong_option(run: Run, options: list[str], message: str) -> None:
    assert_refused(run("--events", "SQ_WAVES", *options), 2, message + HELP)


def test_a_device_file_that_the_simulator_cannot_read(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "bad.json"
    file.write_text("{}")
    reason = f'rocprofiler-sdk (simulated): {file}: member "schema" is missing'
    assert_refused(run("--events", "SQ_WAVES", "--simulate", file), 2, f"--simulate: {reason}{HELP}")


PYTHON_ONLY = "'(?a:axpy)' is not a regular expression: column 3: unrecognized character after (? or (?-" + LITERALLY


def test_a_pattern_that_python_reads_and_the_plugin_does_not(run: Run, cli: Cli, tmp_path: Path) -> None:
    """Python reads (?a:), and the plugin decides."""
    assert_refused(
        run("--events", "SQ_WAVES", "--kernel-include", "(?a:axpy)"), 2, f"--kernel-include: {PYTHON_ONLY}{HELP}"
    )
    file = tmp_path / "m.yaml"
    file.write_text("events: SQ_WAVES\nkernel_exclude: (?a:axpy)\n")
    assert_refused(run("--config", file), 3, f"{file}:2:1: kernel_exclude: {PYTHON_ONLY}")
    assert_refused(cli("config", "check", file), 3, f"{file}:2:1: kernel_exclude: {PYTHON_ONLY}")


@pytest.mark.parametrize(
    ("variable", "value", "reason"),
    [
        ("REPLAY", "kernal", "'kernal' is not one of auto, kernel, rotate, off; did you mean kernel?"),
        ("OVERWRITE", "perhaps", "'perhaps' is neither on nor off"),
        ("RANGE", "0", f"'0' is not a range: there is no launch 0; {RANGE}"),
    ],
)
def test_a_wrong_variable(run: Run, variable: str, value: str, reason: str) -> None:
    name = f"ROCPROFSYS_MULTIPASS_{variable}"
    assert_refused(run("--events", "SQ_WAVES", env={name: value}), 3, f"{name}: {reason}")


def test_a_variable_that_nobody_reads(run: Run) -> None:
    done = run("--events", "SQ_WAVES", env={"ROCPROFSYS_MULTIPASS_REPLY": "off"})
    assert_unharmed(
        done,
        "warning: ROCPROFSYS_MULTIPASS_REPLY is not a known variable; did you mean ROCPROFSYS_MULTIPASS_REPLAY?",
    )


def test_a_device_that_is_none(cli: Cli, probe: Path, native: Native) -> None:
    done = cli("run", "--events", "SQ_WAVES", "--simulate", "gfx943", "--", probe, "exit", "3")
    known = ", ".join(native.simulated_devices)
    assert_refused(
        done,
        2,
        f"--simulate: 'gfx943' is no device that can be simulated: did you mean gfx942? known are {known}{HELP}",
    )


def test_a_file_of_options_that_is_not_there(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "m.yaml"
    message = f"{file}: there is no such file: name one, or make it with 'config init -o {file}'"
    assert_refused(run("--config", file), 3, message)
    assert_refused(
        run(env={"ROCPROFSYS_MULTIPASS_CONFIG": str(file)}),
        3,
        f"{message} (the file that ROCPROFSYS_MULTIPASS_CONFIG names)",
    )


def test_a_folder_in_place_of_a_file_of_options(run: Run, tmp_path: Path) -> None:
    assert_refused(run("--config", tmp_path), 3, f"{tmp_path}: it is a folder: name a YAML file in it")


def test_a_file_of_options_with_several_mistakes(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "m.yaml"
    file.write_text("events: SQ_WAVES\nreplays: off\nformat: [perfetto, pdf]\noverwrite: perhaps\n")
    assert_refused(
        run("--config", file),
        3,
        f"{file}:2:1: replays: no such option: did you mean replay? known are {KEYS}",
        f"{file}:3:20: format: 'pdf' is not one of {', '.join(FORMATS)}",
        f"{file}:4:12: overwrite: 'perhaps' is neither on nor off",
    )


def test_a_file_of_options_that_is_no_yaml(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "m.yaml"
    file.write_text("events:\n\t- SQ_WAVES\n")
    assert_refused(
        run("--config", file), 3, f"{file}:2:1: a tab, which YAML does not allow here: put blanks in its place"
    )


def test_a_file_of_options_is_run_as_it_is_checked(run: Run, cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "m.yaml"
    file.write_text("events: [SQ_WAVES, FETCH_SIZE, WRITE_SIZE]\n")
    assert cli("config", "check", file).returncode == 0
    assert_unharmed(run("--config", file))
    assert_complete(tmp_path / "out", (1000,))


CHECKED = """\
events: [SQ_WAVES, "SQ_WAVEZ:device=0", FETCH_SIZ]
group: [[SQ_WAVES, TCC_HITT]]
sentinel: BAR,SQ_INSTS_VALU
"""


@pytest.mark.parametrize("simulated", [True, False])
def test_a_file_of_options_is_checked_for_counters_that_its_gpu_does_not_have(
    cli: Cli, tmp_path: Path, *, simulated: bool
) -> None:
    file = tmp_path / "m.yaml"
    file.write_text(CHECKED + ("simulate: gfx942\n" if simulated else ""))
    done = cli("config", "check", file, *([] if simulated else ["--device", "gfx942"]))
    left_out = "is left out: not a counter of gfx942"
    assert done.returncode == 0
    assert done.stderr == (
        f"{PROGRAM}warning: {file}:1:21: events: 'SQ_WAVEZ:device=0' {left_out}; did you mean SQ_WAVES:device=0?\n"
        f"{PROGRAM}warning: {file}:1:41: events: 'FETCH_SIZ' {left_out}; did you mean FETCH_SIZE?\n"
        f"{PROGRAM}warning: {file}:2:20: group: 'TCC_HITT' {left_out}; did you mean TCC_HIT?\n"
        f"{PROGRAM}warning: {file}:3:11: sentinel: 'BAR' {left_out}\n"
    )


# ---------------------------------------------------------------------------------------------------------------------
# Options that change nothing

IDLE = "it has no effect with --replay rotate, which runs each launch once: leave one of them out"


def test_options_of_replay_where_nothing_is_replayed(run: Run) -> None:
    """The plugin tells of its extra passes, the wrapper of the others."""
    done = run("--events", "SQ_WAVES", "--replay", "rotate", "--max-replays", "3", "--no-replay", "x", "--warm-up-pass")
    assert_unharmed(
        done,
        "warning: warm-up-pass has no effect: kernels are not replayed with replay rotate",
        f"warning: --no-replay: {IDLE}",
        f"warning: --max-replays: {IDLE}",
    )


def test_a_list_beside_that_of_rocprof_sys(run: Run) -> None:
    others = {"ROCPROFSYS_ROCM_EVENTS": "SQ_WAVES,SQ_INSTS"}
    reason = "it is not read, since --events names the counters: add there what is wanted of it"
    assert_unharmed(run("--events", "SQ_WAVES", env=others), f"warning: ROCPROFSYS_ROCM_EVENTS: {reason}")


def test_a_metric_in_the_list_of_counters(run: Run) -> None:
    assert_unharmed(
        run("--events", "SQ_WAVES,l2_hit_rate"),
        "warning: 'l2_hit_rate' (column 10) is left out: not a counter of gfx942",
        "warning: --events: 'l2_hit_rate' is no counter, but a metric of a set: add --set cache",
    )


def test_patterns_that_are_found_in_no_kernel(run: Run) -> None:
    names = "rocprof-sys-multipass report shows the names of kernels that patterns are searched in"
    options = ("--events", ",".join(TWO_PASSES), "--kernel-exclude", "prope", "--no-replay", "^spin")
    assert_unharmed(
        run(*options),
        f"warning: --kernel-exclude 'prope' left out none of 1 launches; {names}",
        f"warning: --no-replay '^spin' kept none of 1 launches from being replayed; {names}",
    )


# ---------------------------------------------------------------------------------------------------------------------
# Folders and programs


def test_an_output_folder_that_cannot_be_made(run: Run) -> None:
    """As root every folder can be written to, but not one in /proc."""
    assert_refused(
        run("--events", "SQ_WAVES", output="/proc/out"),
        7,
        "the output folder /proc/out cannot be written (No such file or directory): give another folder with -o DIR; "
        "nothing was started",
    )


def test_an_output_folder_that_is_a_file(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    assert_refused(
        run("--events", "SQ_WAVES", output=file),
        7,
        f"the output folder {file} cannot be written ({file} is a file; name a folder): give another folder with "
        "-o DIR; nothing was started",
    )


@pytest.mark.parametrize(
    ("output", "reason"), [("/proc/out", "No such file or directory"), ("/dev/full/out", "Not a directory")]
)
def test_the_plugin_alone_with_an_output_folder_that_cannot_be_made(
    native: Native, environment: dict[str, str], probe: Path, output: str, reason: str
) -> None:
    env = by_hand(native, environment, Path(output), ROCPROFSYS_MULTIPASS_EVENTS="SQ_WAVES")
    assert_unharmed(
        alone(probe, "exit", "3", env=env),
        f"error: the program runs unprofiled: cannot create the output folder {output}: {reason}",
    )


def test_no_application(cli: Cli) -> None:
    for words in (["run", "--events", "SQ_WAVES"], ["run", "--events", "SQ_WAVES", "--"]):
        assert_refused(cli(*words), 2, f"no application was given: put its command line after '--'{HELP}")


def test_an_application_that_is_not_there(cli: Cli, tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = ("run", "--events", "SQ_WAVES", "--simulate", "gfx942", "-o", out, "--")
    there = tmp_path / "no-such"
    assert_refused(
        cli(*words, there), 5, f"{there} does not exist: name a program that can be started; nothing was started"
    )
    assert_refused(
        cli(*words, "no-such-program"), 5, "no-such-program was not found in PATH: give its path; nothing was started"
    )
    assert not out.exists()


@pytest.fixture
def crippled(native: Native, tmp_path: Path) -> Path:
    """A copy of the compiled parts, to take one away from."""
    root = tmp_path / "native"
    shutil.copytree(native.root, root, symlinks=True)
    return root


@pytest.mark.parametrize(
    "part",
    ["lib/librocprofsys-multipass.so", "bin/rocprofsys-multipass-export", "sim/librocprofiler-sdk.so.1"],
)
def test_a_compiled_part_that_is_missing(run: Run, crippled: Path, part: str) -> None:
    (crippled / part).unlink()
    assert_refused(
        run("--events", "SQ_WAVES", env={"ROCPROFSYS_MULTIPASS_NATIVE": str(crippled)}),
        5,
        f"{crippled / part} is missing: a compiled part of rocprofsys-multipass. Install the package again (pip "
        "install --force-reinstall .), or set ROCPROFSYS_MULTIPASS_NATIVE to the folder 'native' of a build tree",
    )


def test_a_folder_of_compiled_parts_that_is_none(run: Run) -> None:
    assert_refused(
        run("--events", "SQ_WAVES", env={"ROCPROFSYS_MULTIPASS_NATIVE": "/nowhere"}),
        5,
        "ROCPROFSYS_MULTIPASS_NATIVE=/nowhere is not a folder: name the folder 'native' of a build tree, or unset it",
    )


# ---------------------------------------------------------------------------------------------------------------------
# Without the wrapper


def test_the_plugin_alone_tells_who_reads_a_yaml_file(
    native: Native, environment: dict[str, str], probe: Path, tmp_path: Path
) -> None:
    env = by_hand(native, environment, tmp_path / "out", ROCPROFSYS_MULTIPASS_CONFIG="m.yaml")
    assert_unharmed(
        alone(probe, "exit", "3", env=env),
        "error: the program runs unprofiled: ROCPROFSYS_MULTIPASS_CONFIG=m.yaml is read by 'rocprof-sys-multipass run' "
        "only; without it, set ROCPROFSYS_MULTIPASS_RESOLVED=OUT.json, made by 'rocprof-sys-multipass config check "
        "m.yaml --resolved OUT.json'",
    )


def test_the_plugin_alone_runs_as_the_resolved_file_of_a_yaml_file_says(
    environment: dict[str, str], cli: Cli, probe: Path, tmp_path: Path
) -> None:
    """By the very lines that `config check` prints."""
    file, resolved = tmp_path / "m.yaml", tmp_path / "resolved.json"
    file.write_text(f"events: SQ_WAVES,FETCH_SIZE,WRITE_SIZE\nsimulate: gfx942\nquiet: on\noutput: {tmp_path}/out\n")
    checked = cli("config", "check", file, "--resolved", resolved)
    assert (checked.returncode, checked.stderr) == (0, "")
    exports = [line for line in checked.stdout.splitlines() if line.startswith("export ")]
    script = "\n".join([*exports, f"exec {probe} exit 3"])
    done = subprocess.run(["sh", "-c", script], env=environment, capture_output=True, text=True, check=False)
    assert_unharmed(done)
    assert_complete(tmp_path / "out", (1000,))
