# SPDX-License-Identifier: MIT
"""Exit codes of the command, and the exceptions that carry them.

::

    MultipassError              anything this package reports to a person
    +-- UsageError              2  the call or the command line is wrong
    |   +-- CounterError        2  a dispatch has no reading of a counter; a KeyError too
    +-- ConfigError             3  a value from the environment or a file is wrong
    |   +-- ConfigFileError     3  a settings file is wrong, with all that is
    +-- PlanError               4  nothing that was asked for can be placed
    +-- LaunchError             5  the application cannot be started
    |   +-- NativeError         5  a compiled part of this package is missing
    |       +-- ReadersOnlyError 5  all are: only the readers were installed
    +-- VerificationError       6  an output is wrong, or is no output of this tool
    |   +-- TraceError          6  a file cannot be read as journal, trace or database
    +-- OutputError             7  an output cannot be written

Every message names the place, the value and the fix; docs/errors.md has the form, and what ends with which code.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Sequence


class ExitCode(IntEnum):
    """Exit codes of ``rocprof-sys-multipass``. The code of an application that failed takes precedence."""

    OK = 0
    USAGE = 2
    CONFIG = 3
    PLAN_IMPOSSIBLE = 4
    LAUNCH_FAILED = 5
    VERIFICATION_FAILED = 6
    OUTPUT_FAILED = 7


class MultipassError(Exception):
    """Base of all errors of this package; `exit_code` is what the command ends with."""

    exit_code: ClassVar[ExitCode] = ExitCode.USAGE

    @property
    def messages(self) -> Sequence[str]:
        """What to tell, one line each."""
        return (str(self),)


class UsageError(MultipassError):
    """The call or the command line is wrong."""

    exit_code = ExitCode.USAGE


class CounterError(UsageError, KeyError):
    """A dispatch has no reading of the counter that was asked for. A KeyError, for those who look up by name."""

    def __str__(self) -> str:  # a KeyError shows its argument in quotes
        return str(self.args[0]) if self.args else ""


class ConfigError(MultipassError):
    """A value from the environment or from a file is wrong."""

    exit_code = ExitCode.CONFIG


class ConfigFileError(ConfigError):
    """A settings file cannot be used. `messages` has a line for each fault, with its place."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self._problems = tuple(problems)

    @property
    def messages(self) -> Sequence[str]:
        """One line for each fault."""
        return self._problems


class PlanError(MultipassError):
    """Nothing that was asked for can be placed in a pass."""

    exit_code = ExitCode.PLAN_IMPOSSIBLE


class LaunchError(MultipassError):
    """The application cannot be started."""

    exit_code = ExitCode.LAUNCH_FAILED


class NativeError(LaunchError):
    """A compiled part of this package is missing."""


class ReadersOnlyError(NativeError):
    """This installation has no compiled parts: only the readers were installed."""


class VerificationError(MultipassError):
    """An output is wrong, or is no output of this tool."""

    exit_code = ExitCode.VERIFICATION_FAILED


class TraceError(VerificationError):
    """A file cannot be read as a journal, a trace or a database."""


class OutputError(MultipassError):
    """An output cannot be written."""

    exit_code = ExitCode.OUTPUT_FAILED


def missing(path: object) -> UsageError:
    """The error for a path of a call that leads nowhere."""
    return UsageError(f"{path} does not exist: check the path")
