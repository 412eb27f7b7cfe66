# SPDX-License-Identifier: MIT
"""HIP sources of one's own on simulated GPUs: compiled by an ordinary C++ compiler, and run with a list of counters."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rocprofsys_multipass.errors import LaunchError, UsageError
from rocprofsys_multipass.native import find_native
from rocprofsys_multipass.simulate import compiler_flags
from rocprofsys_multipass.testing.collect import RunTrace, collect

_STANDARD = ("-std=c++17", "-O2")


def build_hip(source: str | os.PathLike[str], folder: str | os.PathLike[str], *, flags: Sequence[str] = ()) -> Path:
    """Compile a HIP source against the simulator, with the compiler that CXX names, else g++.

    What such a source must say is in docs/simulator.md: launches by hipLaunchKernelGGL, and what its kernels do.

    Args:
        source: a file, or a text of several lines that is the source itself.
        folder: where the program is written to; it is made where it is not there. The program has the name of the file,
            that of a text is `application`.
        flags: further ones of the compiler, behind ``-std=c++17 -O2``.

    Returns:
        The program.

    Raises:
        UsageError: there is no such file.
        LaunchError: there is no compiler, or it refuses the source; the message has its errors.
        NativeError: the simulator is missing.
    """
    simulator = find_native().simulator.absolute()
    compiling, linking = compiler_flags(simulator)
    target = Path(folder).absolute()
    target.mkdir(parents=True, exist_ok=True)
    path = _source_file(source, target)
    program = target / path.stem
    words = [*shlex.split(os.environ.get("CXX") or "g++"), *_STANDARD, *flags, *compiling]
    words += ["-x", "c++", str(path), "-x", "none", *linking, "-o", str(program)]
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    except OSError as error:
        message = f"the compiler {words[0]} cannot be started ({error.strerror}): install g++, or name one in CXX"
        raise LaunchError(message) from error
    if done.returncode != 0:
        message = f"{path} does not compile (exit code {done.returncode}):\n{done.stderr}\n{shlex.join(words)}"
        raise LaunchError(message)
    return program


def _source_file(source: str | os.PathLike[str], folder: Path) -> Path:
    if isinstance(source, str) and "\n" in source:
        path = folder / "application.hip"
        path.write_text(source, encoding="utf-8")
        return path
    path = Path(source).absolute()
    if not path.is_file():
        message = f"{path} is no file: give a HIP source, or its text, of several lines"
        raise UsageError(message)
    return path


def simulate(
    source: str | os.PathLike[str],
    events: str | Sequence[str],
    folder: str | os.PathLike[str],
    *,
    device: str | Sequence[str] = "gfx942",
    arguments: Sequence[str] = (),
    **options: Any,  # noqa: ANN401 - those of `run`
) -> RunTrace:
    """Compile a HIP source, run it on simulated GPUs, and collect `events` of every kernel it launches.

    Args:
        source: as in `build_hip`.
        events: counters, as in `rocprofsys_multipass.run`.
        folder: for the program; the files of the run are in `run` in it, and replace those of an earlier one.
        device: a simulated GPU, or a list of them.
        arguments: of the program.
        options: further ones of `rocprofsys_multipass.run`, and of `collect`.

    Returns:
        The trace; `run` of it is the run.

    Raises:
        CheckError: the program failed, or no counter was read.
        MultipassError: as `build_hip` and `rocprofsys_multipass.run`.
    """
    program = build_hip(source, folder)
    asked: dict[str, Any] = {"output": Path(folder, "run"), "overwrite": True, "simulate": device} | options
    return collect([program, *arguments], events=events, **asked)
