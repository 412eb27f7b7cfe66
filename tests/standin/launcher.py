#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Stands for: the launchers rocprof-sys-run and rocprof-sys-sample, by the name that this file is started under.

Sources, all ROCm/rocm-systems projects/rocprofiler-systems: of 2025 source/lib/core/argparse.cpp,
source/bin/rocprof-sys-run/impl.cpp and source/bin/rocprof-sys-sample/impl.cpp @1b1610fc; of 2026
source/lib/common/environment.hpp and the tables of options and the runner that replaced both programs.

STANDIN_AGE chooses: 2026 (default) or 2025. The library is ``../lib/librocprof-sys-dl.so`` beside the folder of the
program, as there.

What it does: checks its options, sets the variables that they stand for, appends its library to LD_PRELOAD (after
what the user has) and the library's folder to LD_LIBRARY_PATH, and executes the command in place. Of 2026 it rewrites
every variable before. It never sets ROCP_TOOL_LIBRARIES.

| | 2025 | 2026 |
|---|---|---|
| no ``--``, first word no option | all words are the command | no command: usage, exit 1 |
| no ``--``, first word an option | ``run``: usage, exit 1. ``sample``: the words are the command | usage, exit 1 |
| ``-G``, ``--preset``, ``-L``, domains | unknown | known |

Does not: help pages, presets (accepted and passed as STANDIN_PRESET, for tests to see), --explain, --list-presets,
--export-config, the settings' own long options other than those in launcher_options.py, causal profiling.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from launcher_options import OPTIONS, Option

COMMA_JOINED = ("ROCPROFSYS_PAPI_EVENTS", "ROCPROFSYS_SAMPLING_OVERFLOW_EVENT", "ROCPROFSYS_ROCM_EVENTS")

# Words of --rocm and the names of domains that they stand for.
ROCM_WORDS = {
    "hip": "hip_runtime_api",
    "hsa": "hsa_api",
    "kernel": "kernel_dispatch",
    "memory": "memory_copy",
    "marker": "marker_api",
    "scratch": "scratch_memory",
}


class UsageError(Exception):
    """The words are wrong; printed, exit code 1."""


def rewritten(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment as the launchers of 2026 hand it on (consolidate_env_entries)."""
    result = {}
    for name, value in environ.items():
        delimiter = "," if name in COMMA_JOINED else ":"
        result[name] = delimiter.join(dict.fromkeys(part for part in value.split(delimiter) if part))
    return result


def appended(environ: Mapping[str, str], name: str, value: str) -> str:
    """The variable with `value` at its end, unless its text is in it anywhere."""
    before = environ.get(name)
    if before is None:
        return value
    return before if value in before else f"{before}:{value}"


def parse(words: list[str], age: int) -> list[tuple[Option, list[str]]]:
    """The options among `words` with their values; `UsageError` for whatever is none."""
    table = {name: option for option in OPTIONS if option.since <= age for name in option.names}
    found: list[tuple[Option, list[str]]] = []
    at = 0
    while at < len(words):
        name, equals, given = words[at].partition("=")
        at += 1
        option = table.get(name)
        if option is None or not name.startswith("-"):
            raise UsageError(f"[standin] unrecognized argument: {words[at - 1]}")
        values = [given] if equals else []
        while not equals and at < len(words) and len(values) < option.most and not _is_option(words[at]):
            values.append(words[at])
            at += 1
        if len(values) < option.least:
            raise UsageError(f"[standin] {name} needs {option.least} value(s)")
        found.append((option, values))
    if {"--profile", "--flat-profile"} <= {name for option, _ in found for name in option.names}:
        raise UsageError("[standin] '--profile' argument conflicts with '--flat-profile' argument")
    return found


def _is_option(word: str) -> bool:
    return word.startswith("-") and re.fullmatch(r"-\d+(\.\d+)?", word) is None


def _apply(environ: dict[str, str], option: Option, values: list[str], initial: Mapping[str, str]) -> None:
    match option.names[-1]:
        case "--output" | "--profile-diff":
            environ.update(zip(option.variables, values, strict=False))  # the prefix may be missing
        case "--profile-format":
            _profile_format(environ, values)
        case "--include" | "--exclude" as name:
            _backends(environ, values, enabled=name == "--include")
        case "--rocm":
            _rocm(environ, values)
        case "--gpu" | "--cpu":
            _set(environ, option, "true", initial)
        case "--output-format":
            _output_format(environ, values)
        case "--launcher" | "--fork" | "--parallel":
            pass
        case _:
            _set(environ, option, option.join.join(values) if values else "true", initial)


def _set(environ: dict[str, str], option: Option, value: str, initial: Mapping[str, str]) -> None:
    for name in option.variables:
        if option.weak and environ.get(name) != initial.get(name):
            continue  # changed on this command line already
        environ[name] = value


def _profile_format(environ: dict[str, str], values: list[str]) -> None:
    environ["ROCPROFSYS_PROFILE"] = "true"
    for word, name in (("text", "TEXT"), ("json", "JSON"), ("console", "COUT")):
        environ[f"ROCPROFSYS_{name}_OUTPUT"] = "true" if word in values else "false"


def _output_format(environ: dict[str, str], values: list[str]) -> None:
    formats = {word for value in values for word in value.split(",")}
    environ["ROCPROFSYS_TRACE"] = "true" if {"perfetto", "proto"} & formats else "false"
    environ["ROCPROFSYS_USE_ROCPD"] = "true" if "rocpd" in formats else "false"


def _backends(environ: dict[str, str], values: list[str], *, enabled: bool) -> None:
    for word, name in (
        ("kokkosp", "USE_KOKKOSP"),
        ("mpip", "USE_MPIP"),
        ("ompt", "USE_OMPT"),
        ("rocm", "USE_ROCM"),
        ("rcclp", "USE_RCCLP"),
        ("amd-smi", "USE_AMD_SMI"),
        ("mutex-locks", "TRACE_THREAD_LOCKS"),
        ("rw-locks", "TRACE_THREAD_RW_LOCKS"),
        ("spin-locks", "TRACE_THREAD_SPIN_LOCKS"),
    ):
        if word in values or "all" in values:
            environ[f"ROCPROFSYS_{name}"] = "true" if enabled else "false"


def _rocm(environ: dict[str, str], values: list[str]) -> None:
    environ["ROCPROFSYS_USE_ROCM"] = "true"
    words = [word for value in values for word in value.split(",")]
    if words:
        environ["ROCPROFSYS_ROCM_DOMAINS"] = ",".join(ROCM_WORDS.get(word, word) for word in words)


def split_command(words: list[str], tool: str, age: int) -> tuple[list[str], list[str]]:
    """The launcher's own words and the command."""
    if "--" in words:
        at = words.index("--")
        return words[:at], words[at + 1 :]
    option_first = bool(words) and words[0].startswith("-")
    if age >= 2026 or (option_first and tool == "run"):
        return (words if option_first else []), []
    return [], words


def inserted(command: list[str], launcher: str, program: str, age: int) -> list[str]:
    """The command with this program once more before the word that `launcher` means."""
    for at, word in enumerate(command):
        if launcher in Path(word).name if age >= 2026 else re.search(launcher, word):
            return [*command[:at], program, "--", *command[at:]]
    raise UsageError(f'[standin] Unable to match launcher "{launcher}" to any arguments on the command line')


def environment(words: list[str], tool: str, age: int, initial: Mapping[str, str], library: Path) -> dict[str, str]:
    """What the command gets. `words`: the launcher's own."""
    environ = dict(initial)
    environ["ROCPROFSYS_SCRIPT_PATH"] = str(library.parents[1] / "libexec" / "rocprofiler-systems")
    if tool == "sample":
        environ["ROCPROFSYS_USE_SAMPLING"] = "false" if environ.get("ROCPROFSYS_MODE") == "causal" else "true"
    options = parse(words, age)
    for option, values in options:
        _apply(environ, option, values, initial)
    if not any("--launcher" in option.names for option, _ in options):
        environ.setdefault("OMP_TOOL_LIBRARIES", str(library))
        environ["LD_PRELOAD"] = appended(environ, "LD_PRELOAD", str(library))
        environ["LD_LIBRARY_PATH"] = appended(environ, "LD_LIBRARY_PATH", str(library.parent))
    return rewritten(environ) if age >= 2026 else environ


def main(program: str, words: list[str]) -> int:
    tool = Path(program).name.rsplit("-", 1)[-1]
    age = int(os.environ.get("STANDIN_AGE", "2026"))
    library = Path(program).absolute().parents[1] / "lib" / "librocprof-sys-dl.so"
    try:
        own, command = split_command(words, tool, age)
        if own and {"-h", "-?", "--help", "--version"} & set(own):
            print(f"{Path(program).name} (a stand-in for tests)")  # noqa: T201
            return 0
        environ = environment(own, tool, age, os.environ, library)
        options = parse(own, age)
        for option, values in options:
            if "--launcher" in option.names:
                command = inserted(command, values[0], program, age)
    except UsageError as error:
        print(error, file=sys.stderr)  # noqa: T201
        return 1
    if not command:
        print(f"Usage: {program} <OPTIONS> -- <COMMAND> <ARGS>", file=sys.stderr)  # noqa: T201
        return 1
    sys.stdout.flush()
    if any("--fork" in option.names for option, _ in options):
        code = subprocess.run(command, env=environ, check=False).returncode
        return code if code >= 0 else 128 - code
    try:
        os.execvpe(command[0], command, environ)
    except OSError as error:
        print(f"{command[0]}: {error.strerror}", file=sys.stderr)  # noqa: T201
        return 255


if __name__ == "__main__":
    sys.exit(main(sys.argv[0], sys.argv[1:]))
