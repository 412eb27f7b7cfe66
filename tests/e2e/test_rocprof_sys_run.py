# SPDX-License-Identifier: MIT
"""``run -- rocprof-sys-run ... app`` with the stand-in of rocprof-sys: no rocprof-sys was here.

Whatever gives it a list of counters, the plugin collects it, rocprof-sys sees none, and the application sees all else
as it does without this tool.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fault_tools import EVENTS, PASSES
from merged_files import described_database, described_trace
from rocprof_sys_tools import RocprofSys

import rocprofsys_multipass as mp
from rocprofsys_multipass.errors import ConfigError, UsageError
from rocprofsys_multipass.native import Native
from rocprofsys_multipass.testing import CheckError
from rocprofsys_multipass.testing.collect import collect

Golden = Callable[[str, str], None]

LIST = ",".join(EVENTS)
ONE_PASS = "SQ_WAVES"
VARIABLE = "ROCPROFSYS_ROCM_EVENTS"
LAUNCHES = 2
ARGUMENTS = ("x", "-G", "y", "", "x", "--", "a  b=$c:*", f"{VARIABLE}=z")

# What it is started with: its words, and its environment.
_SHOW = """#!/bin/sh
printf 'argument %s\\n' "$@"
env
"""
_STARTER = """#!/bin/sh
shift 2
exec "$@"
"""


@dataclass(frozen=True)
class Place:
    """A folder with an application that shows what it sees, and an environment in which rocprof-sys is installed."""

    folder: Path
    environ: Mapping[str, str]
    show: Path

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def run(self, words: Iterable[str | Path], env: Mapping[str, str] | None = None, **options: Any) -> mp.Run:
        """Under the wrapper, in this folder."""
        environ = {**self.environ, **(env or {})}
        return mp.run([*words], env=environ, output=self.folder / "out", cwd=self.folder, capture=True, **options)

    def alone(self, words: Iterable[str | Path], env: Mapping[str, str] | None = None) -> str:
        """The output of the same command without the wrapper."""
        environ = {**self.environ, **(env or {})}
        done = subprocess.run([*words], env=environ, cwd=self.folder, capture_output=True, text=True, check=True)
        return done.stdout


@pytest.fixture
def place(rocprof_sys: RocprofSys, tmp_path: Path) -> Place:
    made = Place(tmp_path, {**rocprof_sys.environment, "HOME": str(tmp_path / "home")}, tmp_path / "show")
    for name, text in (("show", _SHOW), ("bin/mpirun", _STARTER), ("bin/srun", _STARTER)):
        made.write(name, text).chmod(0o755)
    path = f"{tmp_path / 'bin'}:{made.environ['PATH']}"
    environ = {name: value for name, value in made.environ.items() if name not in ("LD_LIBRARY_PATH", "LD_PRELOAD")}
    return Place(tmp_path, {**environ, "PATH": path, "ROCPROFSYS_INIT_TOOLING": "false"}, made.show)


@pytest.fixture
def instrumented(rocprof_sys: RocprofSys, place: Place) -> Path:
    """A program that needs the library, as rocprof-sys-instrument makes them, and becomes the one that APP names."""
    source = place.write(
        "inst.c",
        '#include <stdlib.h>\n#include <unistd.h>\nint main(int c, char** v) { return execv(getenv("APP"), v); }\n',
    )
    program = place.folder / "app.inst"
    library = [rocprof_sys.library, f"-Wl,-rpath,{rocprof_sys.library.parent}"]
    subprocess.run(["gcc", source, "-o", program, "-Wl,--no-as-needed", *library, "-lstdc++"], check=True)
    return program


WAYS = (
    "the option -G",
    "the option --gpu-events with =",
    "rocprof-sys-sample",
    "a variable",
    "a variable, with tools and libraries of the user",
    "a text file of an option",
    "a JSON file of a variable",
    "a preset that is a file",
    "a word of env",
    "before a parallel launcher",
    "behind a parallel launcher",
    "a program that is instrumented",
    "the file in the home folder",
)


def _ways(place: Place, instrumented: Path, app: list[str]) -> dict[str, tuple[list[str], dict[str, str]]]:
    """Each way to give a list: the command line, and the variables of it."""
    text = place.write("my.cfg", f"# mine\nROCPROFSYS_TRACE = OFF\n{VARIABLE} = {' '.join(EVENTS)}\n")
    settings = {"rocprof-sys": {"settings": {VARIABLE: {"value": LIST}, "ROCPROFSYS_USE_PID": {"value": True}}}}
    place.write("my.json", json.dumps(settings, indent=1))
    preset = {"hardware_counters": {"enabled": True, "rocm_events": {"value": LIST}}}
    place.write("preset.json", json.dumps(preset))
    place.write("other/.rocprof-sys.cfg", f"rocm_events={LIST}\n")
    launch = ["rocprof-sys-run", "-T"]
    commands: tuple[tuple[list[str], dict[str, str]], ...] = (
        ([*launch, "-G", *EVENTS, "--", *app], {}),
        ([*launch, f"--gpu-events={LIST}", "--", *app], {}),
        (["rocprof-sys-sample", "--rocm=hip,kernel", "-G", LIST, "--", *app], {}),
        ([*launch, "--", *app], {VARIABLE: LIST}),
        (
            [*launch, "--", *app],
            {VARIABLE: LIST, "ROCP_TOOL_LIBRARIES": "/a.so:/b.so:", "LD_PRELOAD": "libc.so.6"},
        ),
        ([*launch, "-c", str(text), "--", *app], {}),
        ([*launch, "--", *app], {"ROCPROFSYS_CONFIG_FILE": "my.json"}),
        ([*launch, "--preset", "./preset.json", "--", *app], {}),
        (["env", f"{VARIABLE}={LIST}", "MORE=1", *launch, "--", *app], {}),
        ([*launch, "-G", LIST, "--", "mpirun", "-n", "1", *app], {}),
        (["srun", "-n", "1", *launch, "-G", LIST, "--", *app], {}),
        ([str(instrumented), *app[1:]], {VARIABLE: LIST, "APP": app[0]}),
        ([*launch, "--", *app], {"HOME": str(place.folder / "other")}),
    )
    return dict(zip(WAYS, commands, strict=True))


def test_the_application_sees_all_but_the_list_for_each_way_to_give_one(
    place: Place, instrumented: Path, native: Native, rocprof_sys: RocprofSys, golden: Golden
) -> None:
    shown = []
    for way, (words, env) in _ways(place, instrumented, [str(place.show), *ARGUMENTS]).items():
        files = {path: path.read_bytes() for path in place.folder.rglob("*.*") if path.is_file()}
        run = place.run(words, env, force=True)  # no plan is needed then
        assert run.exit_code == 0, run.errors
        before, after = (text.splitlines() for text in (place.alone(words, env), run.stdout))
        assert {path: path.read_bytes() for path in files} == files, "files of the user are not touched"
        assert before[: len(ARGUMENTS)] == after[: len(ARGUMENTS)] == [f"argument {one}" for one in ARGUMENTS]
        differing = [f"-{line}" for line in before if line not in after] + [
            f"+{line}" for line in after if line not in before
        ]
        copies = [
            f"{path.name}:\n{path.read_text()}" for path in sorted((place.folder / "out").glob("run-*-rocprof-sys-*"))
        ]
        handed = json.loads(next((place.folder / "out").glob("run-*.config.json")).read_text())
        assert handed["events"].replace(" ", ",") == LIST
        assert not [line for line in after if line.startswith(f"{VARIABLE}=")]
        shown.append("\n".join([f"== {way}", *run.notes, *sorted(differing), *copies]))
        for path in (place.folder / "out").iterdir():
            path.unlink()
    names = {str(place.folder): "HERE", str(rocprof_sys.folder): "ROCPROF_SYS", str(native.root): "NATIVE"}
    golden("rocprof_sys/launch.txt", _named("\n\n".join(shown), names))


def _named(text: str, names: Mapping[str, str]) -> str:
    for path, name in names.items():
        text = text.replace(path, name)
    return re.sub(r"run-\d+", "run-PID", text)


# In these rocprof-sys is not in the program: its tools are not there, or it is in what starts the program.
_NOT_IN_IT = {
    "a variable, with tools and libraries of the user",
    "before a parallel launcher",
    "a program that is instrumented",
}


@pytest.mark.parametrize("way", [way for way in WAYS if way not in _NOT_IN_IT])
def test_the_merged_files_have_the_same_for_each_way_to_give_the_list(
    way: str, place: Place, instrumented: Path, faults_application: Path, golden: Golden
) -> None:
    words, env = _ways(place, instrumented, [str(faults_application), "1", str(LAUNCHES)])[way]
    more = {"ROCPROFSYS_TRACE": "ON", "ROCPROFSYS_USE_ROCPD": "ON", "ROCPROFSYS_INIT_TOOLING": "true"}
    run = place.run(words, {**env, **more}, simulate="tiny")
    assert (run.exit_code, run.errors) == (run.child_exit_code, ())
    (made,) = run.merged.processes if run.merged else ()
    assert made.trace is not None
    assert made.database is not None
    shown = described_trace(made.trace.target) + described_database(made.database.target)
    golden("rocprof_sys/merged.txt", shown.replace(str(faults_application), "faults"))


@pytest.fixture
def collected(place: Place, faults_application: Path) -> Callable[..., mp.Run]:
    """A run of the application of the fault tests under rocprof-sys, with these words in front of it."""

    def run(*words: str, env: Mapping[str, str] | None = None, **options: Any) -> mp.Run:
        variables = {"ROCPROFSYS_INIT_TOOLING": "true", "ROCPROFSYS_TIME_OUTPUT": "OFF", **(env or {})}
        command = ["rocprof-sys-run", *words, "--", faults_application, "1", str(LAUNCHES)]
        return place.run(command, variables, **options)

    return run


def _trace(run: mp.Run, folder: Path) -> mp.Trace:
    (file,) = folder.rglob("perfetto-trace-*.proto")
    return mp.open_trace(file)


def test_the_plugin_collects_the_list_and_rocprof_sys_neither_counts_nor_records_kernels(
    collected: Callable[..., mp.Run], place: Place
) -> None:
    run = collected("-T", "-o", "theirs", "-G", *EVENTS)
    assert "error code" not in run.stderr, "no two clients count"
    dispatches = mp.open_trace(run.output_dir).dispatches()
    assert [one.outcome for one in dispatches] == ["replayed"] * LAUNCHES
    assert all(len(one.passes) == PASSES and set(EVENTS) <= set(one.counters) for one in dispatches)
    (theirs,) = (place.folder / "theirs").rglob("perfetto-trace-*.proto")
    assert b"hipLaunchKernel" in theirs.read_bytes()
    assert b"dispatch_id" not in theirs.read_bytes()


def test_launches_are_recorded_for_rocprof_sys_where_no_counter_of_the_list_is_there(
    collected: Callable[..., mp.Run],
) -> None:
    run = collected("-T", "--use-rocpd", "-G", "SQ_WAVEZ")
    assert "none of the counters asked for can be collected here; launches are recorded without" in run.stderr
    (made,) = run.merged.processes if run.merged else ()
    assert {one.added for one in made.merged} == {LAUNCHES}
    dispatches = mp.open_trace(made.merged[1].target).dispatches()
    assert [(one.outcome, one.reason) for one in dispatches] == [("filtered", "no_counters")] * LAUNCHES
    assert all(0 < one.start_ns < one.end_ns for one in dispatches)


def test_a_list_of_one_pass_is_left_to_rocprof_sys(collected: Callable[..., mp.Run], place: Place) -> None:
    run = collected("-T", "-o", "theirs", "-G", ONE_PASS)
    assert [*run.notes] == [
        (
            "-G: the list (1 counter) fits one pass on each GPU, so rocprof-sys is left alone to collect it: "
            "give force to have the plugin collect it"
        )
    ]
    assert (run.exit_code, run.child_exit_code, run.errors, run.warnings) == (5, 5, (), ())
    assert (run.files, run.summaries) == ((), ())
    assert not run.output_dir.exists()
    counters = [dict(one.counters) for one in _trace(run, place.folder / "theirs").dispatches()]
    assert counters == [{ONE_PASS: 1.0}] * LAUNCHES


def test_a_list_that_one_gpu_alone_holds_in_a_pass_is_taken(place: Place) -> None:
    run = place.run(["rocprof-sys-run", "-G", *EVENTS[:3], "--", place.show], simulate="gfx942,tiny")
    assert run.notes == ("-G: the list (3 counters) is taken from rocprof-sys and collected by the plugin",)


def test_what_is_polled_is_checked_where_rocprof_sys_is_left_alone(place: Place) -> None:
    """The plugin, which checks it elsewhere, is not there."""
    polled = "SQ_INSTS_VALU,SQ_INSTS_VMEM_RD; SQ_WAVE_CYCLES,SQ_WAVE,TCC_HIT[0],TCC_MISS:device=4"
    run = place.run(["rocprof-sys-run", "-G", ONE_PASS, "--", place.show], {"ROCPROFSYS_GPU_PERF_COUNTERS": polled})
    place_of = "ROCPROFSYS_GPU_PERF_COUNTERS"
    assert not run.output_dir.exists()
    assert run.warnings == (
        f"{place_of}: 'TCC_HIT[0]' is not polled: rocprof-sys looks for a counter of this very name",
        f"{place_of}: 'SQ_WAVE' is not polled: not a counter of tiny; did you mean SQ_WAVES?",
        f"{place_of}: TCC_MISS:device=4 is polled nowhere: there is only GPU 0",
        (
            f"GPU 0 (tiny): rocprof-sys polls nothing here: {place_of} must fit one pass, but block SQ has 2 registers "
            "where 3 are needed. Leave some out, or collect them per launch with --events"
        ),
    )
    fits = place.run(["rocprof-sys-run", "-G", ONE_PASS, "--", place.show], {place_of: "SQ_INSTS_VALU,TCC_HIT"})
    assert fits.warnings == ()


def test_options_of_the_plugin_have_no_effect_where_rocprof_sys_is_left_alone(collected: Callable[..., mp.Run]) -> None:
    compute = {"instances": "keep", "formats": "compute", "compute_release": "3.9"}
    run = collected("-G", ONE_PASS, range="1", max_replays=2, quiet=True, **compute)
    assert run.warnings == tuple(
        f"{option}: it has no effect, since rocprof-sys is left alone: give force"
        for option in (*compute, "range", "max_replays")
    )


def test_a_list_of_one_pass_is_collected_with_force(collected: Callable[..., mp.Run]) -> None:
    run = collected("-G", ONE_PASS, force=True)
    assert [one.outcome for one in mp.open_trace(run.output_dir).dispatches()] == ["single_pass"] * LAUNCHES


def test_a_list_of_ours_beats_that_of_rocprof_sys(collected: Callable[..., mp.Run]) -> None:
    run = collected("-G", "TCC_HIT", events=ONE_PASS)
    assert run.warnings[0] == (
        "-G: it is not collected, since events names the counters, and taken from rocprof-sys, so that one tool counts"
        ": add there what is wanted of it"
    )
    assert [set(one.counters) for one in mp.open_trace(run.output_dir).dispatches()] == [{ONE_PASS}] * LAUNCHES


@pytest.mark.parametrize("token", ["SQ_WAVEZ", "SQ_LEVEL_WAVES:device=0x", "simd_count"])
def test_a_list_on_which_rocprof_sys_ends_the_application_is_taken(place: Place, token: str) -> None:
    run = place.run(["rocprof-sys-run", "-G", ONE_PASS, token, "--", place.show])
    assert run.notes == (
        f"'{token}': no counter for rocprof-sys, which may end the application",
        "-G: the list (2 counters) is taken from rocprof-sys and collected by the plugin",
    )


def test_where_the_run_sees_no_gpu_the_list_is_taken(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROCPROFSYS_MULTIPASS_SIMULATE", "tiny")  # of the caller, not of the run
    env = {"ROCPROFSYS_MULTIPASS_SIMULATE": "", "ROCPROFSYS_INIT_TOOLING": "false"}
    run = place.run(["rocprof-sys-run", "-G", ONE_PASS, "--", place.show], env)
    assert run.notes[0].startswith("no GPU can be seen here, so whether one pass would do is not known (")
    assert run.notes[1] == "-G: the list (1 counter) is taken from rocprof-sys and collected by the plugin"


def test_a_check_that_finds_nothing_collected_says_that_rocprof_sys_was_left_alone(place: Place) -> None:
    words = ["rocprof-sys-run", "-G", ONE_PASS, "--", place.show]
    with pytest.raises(CheckError, match=r"note: -G: the list \(1 counter\) fits one pass .* give force to have"):
        collect(words, output=place.folder / "out", env=place.environ, cwd=place.folder)


def test_a_command_line_that_starts_nothing_is_left_alone(place: Place) -> None:
    run = place.run(["rocprof-sys-run", "--help"])
    assert run.stdout.startswith("rocprof-sys-run")
    assert run.notes == ("rocprof-sys starts no application with this command line: nothing is collected",)
    assert (run.exit_code, run.errors, run.warnings, run.output_dir.exists()) == (0, (), (), False)


@pytest.mark.parametrize(
    ("words", "error", "message"),
    [
        (["-c", "my.xml"], UsageError, "my.xml is not read here, since it is XML"),
        (["-c", "gone.cfg"], UsageError, "gone.cfg is not used here: it cannot be read (No such file or directory)"),
        (["--preset", "detailed"], UsageError, "a preset (detailed) is not read here"),
        (["-c", "my.cfg"], UsageError, f"{VARIABLE} is empty, which hides the list of "),
        ([], UsageError, "no counters were asked for: pass events=[...]"),
        (["-G", "A:device="], ConfigError, "-G holds no counter that can be used"),
        (["-G", "A", "--preset", "trace-hw-counters"], ConfigError, "--preset trace-hw-counters: it has counters"),
    ],
)
def test_what_cannot_be_read_is_told_with_what_to_do(
    place: Place, words: list[str], error: type[Exception], message: str
) -> None:
    place.write("my.xml", "<?xml version='1.0'?>")
    place.write("my.cfg", f"{VARIABLE} = {LIST}\n")
    with pytest.raises(error) as caught:
        place.run(["rocprof-sys-run", *words, "--", place.show], {VARIABLE: ""})
    assert message in str(caught.value)
    assert not (place.folder / "out").exists()


def test_a_launcher_in_a_text_for_a_shell_is_not_taken_for_no_launcher(place: Place) -> None:
    with pytest.raises(UsageError, match="what rocprof-sys-run is given in 'rocprof-sys-run -G A -- app' is not read"):
        place.run(["sh", "-c", "rocprof-sys-run -G A -- app"])


def test_what_rocprof_sys_polls_is_handed_over_and_left_to_it(place: Place) -> None:
    env = {"ROCPROFSYS_GPU_PERF_COUNTERS": "TCC_HIT", "ROCPROFSYS_OUTPUT_PATH": "theirs"}
    run = place.run(["rocprof-sys-run", "-G", *EVENTS, "--", place.show], env)
    handed = json.loads(next(run.output_dir.glob("run-*.config.json")).read_text())
    assert handed["polled"] == "TCC_HIT"
    assert handed["rocprof_sys"] == {"output_path": str(place.folder / "theirs")}
    assert "ROCPROFSYS_GPU_PERF_COUNTERS=TCC_HIT" in run.stdout.splitlines()


def test_nothing_stays_of_a_run_that_was_not_started(place: Place) -> None:
    place.write("my.cfg", f"{VARIABLE} = {LIST}\n")
    launcher = place.write("broken/rocprof-sys-run", "not a program")
    launcher.chmod(0o755)
    with pytest.raises(mp.errors.LaunchError):
        place.run([launcher, "-c", "my.cfg", "--", place.show])
    assert not (place.folder / "out").exists()


def test_rocprof_sys_has_no_list_on_a_rank_that_is_left_out(place: Place) -> None:
    """It would find it too long there, and has its kernel dispatches, since nothing is replayed."""
    place.write("my.cfg", f"{VARIABLE} = {LIST}\n")
    show = ["rocprof-sys-run", "-c", "my.cfg", "--", "sh", "-c", 'cat "$ROCPROFSYS_CONFIG_FILE"; env']
    run = place.run(show, {"OMPI_COMM_WORLD_RANK": "1", VARIABLE: "A"}, ranks="0")
    seen = run.stdout.splitlines()
    assert seen[0] == f"# taken by rocprof-sys-multipass: {VARIABLE} = {LIST}"
    assert not [line for line in seen[1:] if line.startswith((VARIABLE, "ROCPROFSYS_ROCM_DOMAINS", "ROCP_TOOL"))]
    assert (run.notes, run.warnings, run.errors, run.output_dir.exists()) == ((), (), (), False)
    (copy,) = [line.partition("=")[2] for line in seen if line.startswith("ROCPROFSYS_CONFIG_FILE=")]
    assert not Path(copy).exists()


def test_a_list_of_one_pass_stays_with_rocprof_sys_on_a_rank_that_is_left_out(place: Place) -> None:
    words = ["rocprof-sys-run", "-G", ONE_PASS, "--", place.show]
    run = place.run(words, {"OMPI_COMM_WORLD_RANK": "1"}, ranks="0")
    assert f"{VARIABLE}={ONE_PASS}" in run.stdout.splitlines()


def test_that_nothing_will_be_collected_is_said_before_the_application_starts(place: Place, command: list[str]) -> None:
    words = ["env", "-i", "sh", "-c", "echo started >&2"]
    run = [*command, "run", "-o", place.folder / "out", "--events", LIST, "--", *words]
    done = subprocess.run(run, env=place.environ, capture_output=True, text=True, check=True)
    told = done.stderr.splitlines()
    assert told[0].startswith("rocprof-sys-multipass: warning: env -i: the application does not get the variables")
    assert told[1] == "started"
    assert done.stderr.count("env -i: ") == 1


@pytest.mark.parametrize(
    ("words", "rank", "said"),
    [((), "", True), (("--quiet",), "", False), ((), "0", True), ((), "1", False), (("--ranks", "1"), "1", True)],
)
def test_the_command_tells_what_it_took_unless_it_is_quiet(
    place: Place, command: list[str], words: tuple[str, ...], rank: str, *, said: bool
) -> None:
    launch = ["rocprof-sys-run", "-G", *EVENTS, "--", place.show]
    run = [*command, "run", "-o", place.folder / "out", *words, "--", *launch]
    environ = {**place.environ, "OMPI_COMM_WORLD_RANK": rank}
    done = subprocess.run(run, env=environ, capture_output=True, text=True, check=True)
    line = "rocprof-sys-multipass: -G: the list (6 counters) is taken from rocprof-sys and collected by the plugin"
    assert (line in done.stderr.splitlines()) is said
