# SPDX-License-Identifier: MIT
"""Where the options of a run come from, and what is found wrong before anything starts."""

from __future__ import annotations

import os
import re
import socket
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocprofsys_multipass.config import (
    PYTHON,
    RUN_OPTIONS,
    RunConfig,
    application_name,
    check_events,
    expand_output,
    launcher_rank,
    launcher_size,
    left_out_rank,
    resolve_run,
    unknown_variables,
    unused_settings,
)
from rocprofsys_multipass.config.launcher import RANK_VARIABLES
from rocprofsys_multipass.config.values import FORMATS, REPLAY_MODES
from rocprofsys_multipass.errors import ConfigError, OutputError, UsageError

ENVIRONMENT = {"ROCPROFSYS_MULTIPASS_EVENTS": "FROM_ENVIRONMENT"}


def resolve(environ: dict[str, str] | None = None, **given: Any) -> RunConfig:
    return resolve_run(["./app"], given, ENVIRONMENT if environ is None else environ)


def test_without_anything_given_the_defaults_hold() -> None:
    assert resolve() == RunConfig(
        events="FROM_ENVIRONMENT",
        groups=(),
        output="rocprof-sys-multipass-output/app",
        overwrite=False,
        replay="auto",
        simulate="",
        formats=("perfetto", "rocpd"),
        quiet=False,
        verbose=False,
    )


@pytest.mark.parametrize(
    ("option", "field", "text", "value"),
    [
        ("output", "output", "out/%pid%", "out/%pid%"),
        ("overwrite", "overwrite", "on", True),
        ("replay", "replay", "kernel", "kernel"),
        ("sentinel", "sentinel", " none ", "none"),
        ("sentinel", "sentinel", "A;B:device=1", "A;B:device=1"),
        ("simulate", "simulate", "gfx942,gfx90a", "gfx942,gfx90a"),
        ("format", "formats", "rocpd", ("rocpd",)),
        ("group", "groups", "A,B;C D", (("A", "B"), ("C", "D"))),
        ("quiet", "quiet", "1", True),
        ("verbose", "verbose", "TRUE", True),
    ],
)
def test_each_option_is_also_a_variable(option: str, field: str, text: str, value: object) -> None:
    environ = {**ENVIRONMENT, f"ROCPROFSYS_MULTIPASS_{option.upper()}": text}
    assert getattr(resolve(environ), field) == value


@pytest.mark.parametrize(
    ("option", "given_value", "field", "expected"),
    [
        ("events", "GIVEN", "events", "GIVEN"),
        ("replay", "off", "replay", "off"),
        ("format", "perfetto", "formats", ("perfetto",)),
        ("overwrite", False, "overwrite", False),
    ],
)
def test_what_is_given_beats_the_environment(option: str, given_value: Any, field: str, expected: object) -> None:
    environ = {
        "ROCPROFSYS_MULTIPASS_EVENTS": "X",
        "ROCPROFSYS_MULTIPASS_REPLAY": "kernel",
        "ROCPROFSYS_MULTIPASS_FORMAT": "rocpd",
        "ROCPROFSYS_MULTIPASS_OVERWRITE": "yes",
    }
    assert getattr(resolve({**ENVIRONMENT, **environ}, **{option: given_value}), field) == expected


def test_the_list_of_rocprof_sys_is_the_last_resort() -> None:
    assert resolve({"ROCPROFSYS_ROCM_EVENTS": "THEIRS"}).events == "THEIRS"
    assert resolve({"ROCPROFSYS_ROCM_EVENTS": "THEIRS", **ENVIRONMENT}).events == "FROM_ENVIRONMENT"
    assert resolve({"ROCPROFSYS_ROCM_EVENTS": "THEIRS", "ROCPROFSYS_MULTIPASS_EVENTS": ""}).events == "THEIRS"


def test_the_output_path_of_rocprof_sys_is_the_last_resort() -> None:
    environ = {**ENVIRONMENT, "ROCPROFSYS_OUTPUT_PATH": "theirs"}
    assert resolve(environ).output == "theirs"
    assert resolve({**environ, "ROCPROFSYS_MULTIPASS_OUTPUT": "ours"}).output == "ours"


@pytest.mark.parametrize(
    ("given_values", "message"),
    [
        ({"replay": "spin"}, "--replay: 'spin' is not one of auto, kernel, rotate, off"),
        ({"sentinel": " , "}, "--sentinel: it is empty: give auto, none or counters"),
        ({"sentinel": "NONE"}, "--sentinel: 'NONE' stands alone, in small letters"),
        ({"sentinel": "A,none"}, "--sentinel: 'none' stands alone, in small letters"),
        ({"format": "perfetto,pdf"}, "--format: 'pdf' is not one of perfetto, rocpd"),
        ({"format": ","}, "--format: ',' is not one of"),
    ],
)
def test_a_wrong_value_on_the_command_line_is_misuse(given_values: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=re.escape(message)):
        resolve(**given_values)


@pytest.mark.parametrize(
    ("variable", "text"), [("REPLAY", "always"), ("FORMAT", "pdf"), ("OVERWRITE", "maybe"), ("QUIET", "2")]
)
def test_a_wrong_value_in_the_environment_names_the_variable(variable: str, text: str) -> None:
    with pytest.raises(ConfigError, match=f"ROCPROFSYS_MULTIPASS_{variable}: '{text}' is n"):
        resolve({**ENVIRONMENT, f"ROCPROFSYS_MULTIPASS_{variable}": text})


NO_COUNTERS = (
    "no counters were asked for: use --events LIST, --set NAME or --compute-panels N, "
    "or set ROCPROFSYS_MULTIPASS_EVENTS, ROCPROFSYS_MULTIPASS_SET or ROCPROFSYS_MULTIPASS_COMPUTE_PANELS"
)


@pytest.mark.parametrize("environ", [{}, {"ROCPROFSYS_ROCM_EVENTS": " ,;"}])
def test_no_counters_at_all_is_misuse(environ: dict[str, str]) -> None:
    with pytest.raises(UsageError, match=re.escape(NO_COUNTERS)):
        resolve(environ)


@pytest.mark.parametrize(
    ("formats", "replay", "said"),
    [
        (
            "csv,compute",
            "rotate",
            ["--format: compute takes launches with all their counters, and with --replay rotate "],
        ),
        ("compute", "off", ["--format: compute takes launches with all their counters, and with --replay off each "]),
        ("compute", "kernel", []),
        ("csv", "rotate", []),
    ],
)
def test_a_run_that_may_leave_nothing_for_rocprofiler_compute_is_told_before(
    formats: str, replay: str, said: list[str]
) -> None:
    config = resolve(format=formats, replay=replay)
    warnings = unused_settings(config, {}, "--set", behind_launcher=False)
    assert [text[: len(begin)] for text, begin in zip(warnings, said, strict=True)] == said


def test_a_mistyped_variable_of_rocprof_sys_is_pointed_out() -> None:
    with pytest.raises(UsageError, match="has ROCPROFSYS_ROCM_EVENT: did you mean ROCPROFSYS_ROCM_EVENTS"):
        resolve({"ROCPROFSYS_ROCM_EVENT": "SQ_WAVES"})


@pytest.mark.parametrize(
    ("name", "meant"), [("EVNTS", "EVENTS"), ("EVENT", "EVENTS"), ("SETS", "SET"), ("COMPUTE_PANEL", "COMPUTE_PANELS")]
)
def test_a_mistyped_variable_of_ours_is_taken_for_one_of_ours(name: str, meant: str) -> None:
    name, meant = f"ROCPROFSYS_MULTIPASS_{name}", f"ROCPROFSYS_MULTIPASS_{meant}"
    with pytest.raises(UsageError, match=rf"has {name}: did you mean {meant}\?"):
        resolve({name: "SQ_WAVES"})


@pytest.mark.parametrize(
    "name", ["ROCPROFSYS_OUTPUT_PATH", "ROCPROFSYS_MULTIPASS_REPLAY", "ROCPROFSYS_MULTIPASS_EVENTS"]
)
def test_no_variable_is_taken_for_a_mistyped_one_without_likeness(name: str) -> None:
    with pytest.raises(UsageError, match="no counters were asked for") as raised:
        resolve({name: ""})
    assert "did you mean" not in str(raised.value)


@pytest.mark.parametrize(
    ("given_values", "message"),
    [
        ({"events": "A", "format": "pdf"}, "formats: 'pdf' is not one of"),
        ({"events": "A", "replay": "spin"}, "replay: 'spin' is not one of"),
        ({"events": ":device=0"}, "events holds no counter"),
        (
            {},
            "no counters were asked for: pass events=[...], sets=[...] or compute_panels=[...], or set ",
        ),
    ],
)
def test_a_caller_in_python_is_told_in_words_of_python(given_values: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=re.escape(message)) as raised:
        resolve_run(["./app"], given_values, {}, PYTHON)
    assert "--" not in str(raised.value)


@pytest.mark.parametrize("option", ["events", "group"])
def test_a_byte_that_is_no_text_is_misuse_with_its_place(option: str) -> None:
    with pytest.raises(UsageError, match=re.escape(f"--{option}: 'A,B\\xff\\xfe' is not UTF-8 from column 4")):
        resolve(**{option: "A,B\udcff\udcfe"})


@pytest.mark.parametrize(
    "variable", ["ROCPROFSYS_MULTIPASS_EVENTS", "ROCPROFSYS_ROCM_EVENTS", "ROCPROFSYS_MULTIPASS_GROUP"]
)
def test_a_byte_that_is_no_text_in_a_variable_is_a_configuration_error(variable: str) -> None:
    environ = {"ROCPROFSYS_ROCM_EVENTS": "A"} | {variable: "\udcc3,A"}
    with pytest.raises(ConfigError, match=re.escape(f"{variable}: '\\xc3,A' is not UTF-8 from column 1")):
        resolve(environ)


def test_a_list_of_malformed_tokens_only_names_each_with_its_column() -> None:
    with pytest.raises(
        UsageError, match=r"'X:device=' \(column 1\): the number .* missing; 'Y:device=0test'"
    ) as raised:
        resolve(events="X:device=,Y:device=0test")
    assert "(column 11): '0test' after ':device=' is not a number" in str(raised.value)


def test_a_malformed_list_in_the_environment_is_a_configuration_error() -> None:
    with pytest.raises(ConfigError, match=r"ROCPROFSYS_ROCM_EVENTS holds no counter that can be used: 'X:device=-1'"):
        resolve({"ROCPROFSYS_ROCM_EVENTS": "X:device=-1"})


@pytest.mark.parametrize(
    ("text", "usable", "malformed"),
    [
        ("SQ_WAVES", 1, []),
        (",,X;;Y\t\n", 2, []),
        ("A[0] A[1]", 2, []),
        ("X:device=99999999999999999999", 1, []),
        ("X:DEVICE=0", 1, []),  # not a qualifier: part of an unknown name
        ("X :device=0", 1, [":device=0"]),
        ("X:device=0:device=0", 0, ["X:device=0:device=0"]),
        ("X:device=1[0]", 0, ["X:device=1[0]"]),
        ("X:device=٣", 0, ["X:device=٣"]),
        ("", 0, []),
    ],
)
def test_the_grammar_is_that_of_rocprof_sys(text: str, usable: int, malformed: list[str]) -> None:
    count, faults = check_events(text)
    assert count == usable
    assert [fault.token for fault in faults] == malformed


@given(st.text(alphabet="AB_[]01:device= ,;\t\n", max_size=40))
def test_every_malformed_token_is_found_at_its_column(text: str) -> None:
    usable, faults = check_events(text)
    for fault in faults:
        assert text[fault.column - 1 :].startswith(fault.token)
    assert usable + len(faults) == len([token for token in re.split("[ ,;\t\n]", text) if token])


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (["./build/app", "x"], "app"),
        (["/opt/solver"], "solver"),
    ],
)
def test_the_program_of_a_command_line_is_named(command: list[str], name: str) -> None:
    assert application_name(command) == name


def test_keys_of_an_output_folder_are_expanded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    environ = {"JOB": "a/b", "OMPI_COMM_WORLD_RANK": "3"}
    path, warnings = expand_output("o/%pid%-%ppid%-%rank%-%hostname%-%env{JOB}%-%env{UNSET}%.", environ)
    assert path == tmp_path / f"o/{os.getpid()}-{os.getppid()}-3-{socket.gethostname()}-a_b-."
    assert warnings == []


@pytest.mark.parametrize("template", ["%size%", "%env%", "%env{}%", "%pid{X}%", "%PID%"])
def test_an_unknown_key_stays_with_a_warning(template: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path, warnings = expand_output(f"out-{template}", {})
    assert path == tmp_path / f"out-{template}"
    assert len(warnings) == 1
    assert f"{template} is not known and stays as it is" in warnings[0]


def test_percent_signs_that_are_no_keys_stay_silently(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert expand_output("100% of 50%", {}) == (tmp_path / "100% of 50%", [])


def test_a_relative_folder_in_a_deleted_working_directory_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert expand_output(str(tmp_path / "out"), {}) == (tmp_path / "out", [])
    with pytest.raises(OutputError, match="output folder out: the working directory does not exist any more"):
        expand_output("out", {})


@pytest.mark.parametrize(
    ("environ", "rank"),
    [
        ({}, None),
        ({"SLURM_PROCID": "7"}, 7),
        ({"SLURM_PROCID": "0", "OMPI_COMM_WORLD_RANK": "5"}, 5),
        ({"PMI_RANK": "", "SLURM_PROCID": "2"}, 2),
        ({"PMI_RANK": "-1"}, None),
        ({"PMI_RANK": "0004294967295"}, 2**32 - 1),
        ({"PMI_RANK": "4294967296"}, None),
        ({"OMPI_COMM_WORLD_RANK": "99999999999"}, None),
        ({"PMI_RANK": "9" * 5000}, None),
    ],
)
def test_the_rank_is_that_of_the_innermost_launcher(environ: dict[str, str], rank: int | None) -> None:
    assert launcher_rank(environ) == rank


@pytest.mark.parametrize(
    ("ranks", "starts_ranks", "environ", "rank"),
    [
        ("", False, {"PMI_RANK": "5"}, None),
        ("0,8-9", False, {}, None),
        ("0,8-9", False, {"PMI_RANK": "9"}, None),
        ("0,8-9", False, {"PMI_RANK": "7"}, 7),
        ("1", False, {"PMI_RANK": "0"}, 0),
        ("1", True, {"PMI_RANK": "0"}, None),
        ("1", True, {"SLURM_PROCID": "0", "SLURM_STEP_ID": "0"}, None),
        ("1", False, {"SLURM_PROCID": "0"}, None),
        ("1", False, {"SLURM_PROCID": "0", "SLURM_STEP_ID": "0"}, 0),
        ("1", False, {"PMIX_RANK": "0", "SLURM_PROCID": "1"}, 0),
    ],
)
def test_a_process_is_left_out_by_the_rank_that_is_surely_its_own(
    ranks: str,
    starts_ranks: bool,  # noqa: FBT001
    environ: dict[str, str],
    rank: int | None,
) -> None:
    assert left_out_rank(ranks, environ, starts_ranks=starts_ranks) == rank


@pytest.mark.parametrize(
    ("environ", "size"),
    [
        ({"OMPI_COMM_WORLD_SIZE": "4"}, None),
        ({"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "4"}, 4),
        ({"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "4", "SLURM_PROCID": "0", "SLURM_NTASKS": "1"}, 4),
        ({"PMIX_RANK": "1", "SLURM_PROCID": "0", "SLURM_NTASKS": "8"}, None),
        ({"SLURM_PROCID": "7", "SLURM_NTASKS": "x"}, None),
    ],
)
def test_the_number_of_ranks_is_that_of_the_same_launcher(environ: dict[str, str], size: int | None) -> None:
    assert launcher_size(environ) == size


def test_wrapper_and_plugin_read_the_same_rank_variables() -> None:
    source = (Path(__file__).parents[2] / "library/tool/process_info.cpp").read_text(encoding="utf-8")
    body = source.partition("launcher_rank() {")[2].partition("})")[0]
    assert tuple(re.findall(r'"(\w+)"', body)) == RANK_VARIABLES


def test_a_mistyped_variable_of_ours_is_reported_with_the_nearest() -> None:
    environ = {
        "ROCPROFSYS_MULTIPASS_EVENT": "X",
        "ROCPROFSYS_MULTIPASS_REPLAY": "auto",
        "ROCPROFSYS_MULTIPASS_NATIVE": "/x",
        "ROCPROFSYS_MULTIPASS_RESOLVED": "/x",
        "ROCPROFSYS_TRACE": "on",
    }
    assert unknown_variables(environ) == [
        "ROCPROFSYS_MULTIPASS_EVENT is not a known variable; did you mean ROCPROFSYS_MULTIPASS_EVENTS?"
    ]


def test_the_prefix_alone_is_no_likeness() -> None:
    assert unknown_variables({"ROCPROFSYS_MULTIPASS_XYZ": "1"}) == ["ROCPROFSYS_MULTIPASS_XYZ is not a known variable"]


def test_an_option_is_told_with_its_values_and_its_default() -> None:
    for name in ("output", "overwrite", "replay", "simulate", "format", "group", "quiet", "verbose", "events"):
        assert "default: " in RUN_OPTIONS[name].help
    for mode in REPLAY_MODES:
        assert re.search(rf"\b{mode}\b", RUN_OPTIONS["replay"].help)
    for form in FORMATS:
        assert form in RUN_OPTIONS["format"].help
