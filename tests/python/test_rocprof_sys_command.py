# SPDX-License-Identifier: MIT
"""Where a command line has a launcher of rocprof-sys, where its options end, and which program is the application."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocprofsys_multipass.rocprof_sys.command import cut_off, parse_command
from rocprofsys_multipass.rocprof_sys.instrumented import is_instrumented
from rocprofsys_multipass.rocprof_sys.starters import OPAQUE, STARTERS


@pytest.mark.parametrize(
    ("command", "application"),
    [
        ("./app --", "./app"),
        ("rocprof-sys-run -T -- /opt/solver -n", "/opt/solver"),
        ("rocprof-sys-run ./solver x", "./solver"),
        ("rocprof-sys-run app -- x", "x"),  # what stands before the first "--" is no command
        ("/opt/rocm/bin/rocprof-sys-sample -- solver", "solver"),
        ("mpirun -n 4 --bind-to core -x A=b rocprof-sys-run -G A B -- solver", "solver"),
        ("rocprof-sys-run -- mpirun -np 2 --mca btl self ./solver -n", "./solver"),
        ("mpiexec -genv A b -ppn 2 ./solver", "./solver"),
        ("srun -n4 --mpi=pmix --gpus 2 --exclusive -c 8 solver", "solver"),
        ("flux run -n 2 --exclusive solver", "solver"),
        ("env -u X A=b nice -n 5 numactl -N 0 --membind=0 taskset -c 0-3 timeout -s KILL 5 solver", "solver"),
        ("env -i -- A=b solver", "solver"),
        ("stdbuf -oL nohup setsid -w time -v solver", "solver"),
        ("nice -5 solver", "solver"),
        ("mpirun -n 1 a : -n 2 b", "a"),
    ],
)
def test_the_application_is_found_behind_all_that_starts_it(command: str, application: str) -> None:
    words = command.split()
    found = parse_command(words).application
    assert found is not None
    assert words[found] == application


@pytest.mark.parametrize(
    "command",
    [
        "rocprof-sys-run -T app",
        "rocprof-sys-run --help",
        "env A=b",
        "mpirun -n 2",
        "mpirun --no-such 1 app",
        "jsrun app",
    ],
)
def test_an_application_that_cannot_be_told_has_the_name_of_the_first_program(command: str) -> None:
    line = parse_command(command.split())
    assert line.application is None
    assert line.application_name == command.partition(" ")[0]


@pytest.mark.parametrize(
    ("command", "environ", "said"),
    [
        ("env -i A=b rocprof-sys-run -G A -- app", {}, "env -i"),
        ("rocprof-sys-run -- nice -n 5 env - app", {}, "env -"),
        ("mpiexec -genvnone -n 2 app", {}, "mpiexec -genvnone"),
        ("mpirun -genvlist PATH,NAME app", {}, "mpirun -genvlist PATH,NAME"),
        ("mpirun -genvlist PATH,NAME,OTHER app", {}, ""),
        ("srun --export=NONE rocprof-sys-run -- app", {}, "srun --export=NONE"),
        ("srun -n 2 --export NONE app", {}, "srun --export=NONE"),
        ("srun --export=PATH,NAME=1 app", {}, "srun --export=PATH,NAME=1"),
        ("srun app", {"SLURM_EXPORT_ENV": "NONE"}, "SLURM_EXPORT_ENV=NONE"),
        ("srun --export=all app", {"SLURM_EXPORT_ENV": "NONE"}, ""),
        ("srun --export=A=b,ALL app --export=NONE", {}, ""),
        ("srun --export=NAME,OTHER,A=b app", {}, ""),
        ("app -i", {"SLURM_EXPORT_ENV": "NONE"}, ""),
        ("env A=b numactl -i all stdbuf -i 0 app", {}, ""),
        ("rocprof-sys-run -i -T -- app env -i", {}, ""),
        ("env", {}, ""),
    ],
)
def test_what_keeps_variables_from_the_application_is_found(command: str, environ: dict[str, str], said: str) -> None:
    assert cut_off(parse_command(command.split()), environ, ("NAME", "OTHER")) == said


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("rocprof-sys-run -T -G A B -- app -G C", ["-T", "-G", "A", "B"]),
        ("mpirun --no-such 1 rocprof-sys-run -G A -- app", ["-G", "A"]),
        ("jsrun -n 2 rocprof-sys-sample -P -- app", ["-P"]),
        ("rocprof-sys-run app -G A", []),
        ("rocprof-sys-run -G A --help", ["-G", "A", "--help"]),
        ("app x rocprof-sys-run -G A --", None),
        ("app -- x rocprof-sys-run -G A", None),
        ("./bind.sh rocprof-sys-run -T -- app rocprof-sys-run -G A", ["-T"]),
        ("mpirun -n 2 ./bind.sh --gpu 1 -- rocprof-sys-sample -G A -- app", ["-G", "A"]),
        ("mpirun -n 1 ./a : -n 1 ./bind.sh rocprof-sys-run -G B -- b", ["-G", "B"]),
        ("mpirun -n 1 ./a -- b : -n 1 rocprof-sys-run -G B -- b", ["-G", "B"]),
    ],
)
def test_the_options_of_a_launcher_are_told_from_all_others(command: str, options: list[str] | None) -> None:
    words = command.split()
    launchers = parse_command(words).launchers
    assert [[words[at] for at in one.options] for one in launchers] == ([] if options is None else [options])


def test_each_program_of_an_mpi_job_may_have_a_launcher() -> None:
    command = "mpirun -n 1 rocprof-sys-run -G A -- a : -n 1 rocprof-sys-run -G B -- b"
    words = command.split()
    found = [[words[at] for at in one.options] for one in parse_command(words).launchers]
    assert found == [["-G", "A"], ["-G", "B"]]


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("env A=b C= app D=e", [("A", "b", ["A=b"]), ("C", "", ["C="])]),
        ("mpirun -x A=b -x C app", [("A", "b", ["-x", "A=b"]), ("C", None, ["-x", "C"])]),
        ("mpiexec -genv A b app", [("A", "b", ["-genv", "A", "b"])]),
    ],
)
def test_variables_that_words_set_are_known_with_their_words(
    command: str, found: list[tuple[str, str | None, list[str]]]
) -> None:
    words = command.split()
    assignments = parse_command(words).assignments
    assert [(one.name, one.value, words[one.start : one.stop]) for one in assignments] == found


_WORDS = st.sampled_from(
    [
        *STARTERS,
        *OPAQUE,
        "rocprof-sys-run",
        "flux",
        "run",
        "--",
        ":",
        "-n",
        "-x",
        "-G",
        "4",
        "A=b",
        "app",
        "",
        "-",
        "--x",
    ]
)


@given(st.lists(_WORDS, min_size=1, max_size=12))
def test_any_command_line_has_parts_that_are_words_of_it(words: list[str]) -> None:
    line = parse_command(words)
    assert line.application is None or 0 <= line.application < len(words)
    assert all(words[one.index] == "rocprof-sys-run" for one in line.launchers)
    assert all(0 <= at < len(words) for one in line.launchers for at in one.options)


def needing(path: Path, library: str) -> Path:
    """A program that needs a library of this name."""
    library_path = path.parent / library
    source = path.with_suffix(".c")
    source.write_text("int main(void) { return 0; }\n")
    empty = path.parent / "empty.c"
    empty.write_text("int unused(void) { return 0; }\n")
    subprocess.run(["gcc", "-shared", "-fPIC", empty, "-o", library_path, f"-Wl,-soname,{library}"], check=True)
    subprocess.run(["gcc", source, "-o", path, "-Wl,--no-as-needed", library_path], check=True)
    return path


@pytest.mark.parametrize(
    ("library", "instrumented"),
    [
        ("librocprof-sys-dl.so.1", True),
        (
            "librocprof-sys-user.so.1",
            False,
        ),  # marks regions
        ("librocprofiler.so", False),
    ],
)
def test_a_program_is_instrumented_when_it_needs_a_library_of_rocprof_sys(
    tmp_path: Path, library: str, *, instrumented: bool
) -> None:
    assert is_instrumented(needing(tmp_path / "app", library)) is instrumented


@pytest.mark.parametrize(
    ("command", "starts"),
    [
        ("app mpirun", False),
        ("numactl -N 0 rocprof-sys-run -- app", False),
        ("/usr/bin/mpirun -n 4 app", True),
        ("env A=b mpirun -n 4 app", True),
        ("rocprof-sys-run -T -- srun -n 4 app", True),
        ("jsrun --unknown app", True),
        ("flux run -n 4 app", True),
    ],
)
def test_a_command_line_that_starts_ranks_is_known_wherever_that_stands(command: str, *, starts: bool) -> None:
    assert parse_command(command.split()).starts_ranks is starts


def test_what_is_no_program_is_not_instrumented(tmp_path: Path) -> None:
    elf = Path(sys.executable).read_bytes()[:64]
    for number, content in enumerate(
        (b"", b"#!/bin/sh\n", elf, elf[:40], elf[:32] + struct.pack("<Q", 2**63) + elf[40:])
    ):
        path = tmp_path / str(number)
        path.write_bytes(content)
        assert not is_instrumented(path)
    os.mkfifo(tmp_path / "pipe")
    assert not is_instrumented(tmp_path / "missing")
    assert not is_instrumented(tmp_path)
