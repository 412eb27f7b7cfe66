# SPDX-License-Identifier: MIT
"""Calls of the compiled programs that answer on stdout: what they print, or their refusal as an exception."""

from __future__ import annotations

import errno
import json
import os
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from rocprofsys_multipass.errors import ConfigError, ExitCode, LaunchError, NativeError, OutputError, UsageError
from rocprofsys_multipass.native import Messages, read_messages

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

_Parsed = TypeVar("_Parsed")

_PATIENCE_S = 300.0  # the longest answer known takes 0.2 s; this is for a program that hangs
_REFUSALS: dict[int, type[UsageError | ConfigError | LaunchError | OutputError]] = {
    ExitCode.USAGE: UsageError,
    ExitCode.CONFIG: ConfigError,
    ExitCode.LAUNCH_FAILED: LaunchError,
    ExitCode.OUTPUT_FAILED: OutputError,
}


@dataclass(frozen=True)
class Answer:
    """What a program printed. `code` is OK or PLAN_IMPOSSIBLE; `messages` is what it wrote to stderr."""

    text: str
    code: ExitCode
    messages: Messages


def ask(program: Path, what: str, arguments: Sequence[str], environ: Mapping[str, str] | None = None) -> Answer:
    """Run `program`, which messages call `what`.

    Raises:
        UsageError, ConfigError, LaunchError, OutputError: the program's own refusal, in its words.
        NativeError: it failed in another way, or did not end.
    """
    try:
        done = subprocess.run(
            [str(program), *arguments],
            env=environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            check=False,
            timeout=_PATIENCE_S,
        )
    except OSError as error:
        if error.errno == errno.E2BIG:
            longest = max(len(argument.encode()) for argument in arguments)
            message = f"the longest argument for {what} has {longest} bytes, which this system does not pass on: "
            raise UsageError(message + "ask for fewer counters") from error
        fix = "see that you may execute it, or install the package again"
        message = f"{what} cannot be started ({program}): {error.strerror}: {fix}"
        raise NativeError(message) from error
    except subprocess.TimeoutExpired as error:
        message = f"{what} did not end within {_PATIENCE_S:.0f} s ({program}) and was killed: ask for less at once"
        raise NativeError(message) from error
    messages = read_messages(done.stderr)
    if done.returncode in (ExitCode.OK, ExitCode.PLAN_IMPOSSIBLE):
        return Answer(done.stdout, ExitCode(done.returncode), messages)
    reason = "; ".join((*messages.errors, *messages.warnings)) or f"{what} gave no reason"
    if refusal := _REFUSALS.get(done.returncode):
        raise refusal(reason)
    message = f"{what} failed ({program}, exit code {done.returncode}): {reason}"
    raise NativeError(message)


def parsed(text: str, schema: int, what: str, build: Callable[[dict[str, Any]], _Parsed]) -> _Parsed:
    """What `build` makes of the JSON that the program `what` answered with.

    Raises:
        NativeError: it is no JSON, or of another schema, or lacks a member, or `build` found one of another type:
            program and package are of different versions.
    """
    try:
        data = json.loads(text)
        if data["schema"] != schema:
            message = (
                f"{what} answered with schema {data['schema']}, this package reads {schema}: install the package again"
            )
            raise NativeError(message)
        return build(data)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        message = f"the answer of {what} is not understood ({error!r}): install the package again"
        raise NativeError(message) from error


def device_arguments(devices: Sequence[str | os.PathLike[str]]) -> list[str]:
    """``--device`` and its value for each device. A text may name several, with commas, as ``--simulate`` does."""
    return [word for device in devices for name in _names(device) for word in ("--device", name)]


def _names(device: str | os.PathLike[str]) -> list[str]:
    if not isinstance(device, str) or "," not in device or os.path.lexists(device):
        return [os.fspath(device)]
    return [name.strip() for name in device.split(",")]
