# SPDX-License-Identifier: MIT
"""What a command line starts: where a launcher of rocprof-sys is in it, where its options end, what the application is.

``[mpirun ...] [env A=b] rocprof-sys-run [options] -- [mpirun ...] [numactl ...] app [arguments]``
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from rocprofsys_multipass.rocprof_sys.starters import OPAQUE, Assignment, Starter, starter_at

LAUNCHERS = ("rocprof-sys-run", "rocprof-sys-sample")

_PARSED = ("--", "-?", "-h", "--help", "--version")


@dataclass(frozen=True)
class Launcher:
    """A launcher of rocprof-sys: the index of its word, and those of its options, without a ``--``."""

    index: int
    options: range


@dataclass(frozen=True)
class CommandLine:
    """A command line and its parts, as indices of its words.

    `application`: None where it cannot be told. `assignments`: variables that words set, in order. `launchers`: with
    programs that ``:`` divides, as MPI launchers have them, there may be several.
    """

    words: tuple[str, ...]
    launchers: tuple[Launcher, ...]
    application: int | None
    assignments: tuple[Assignment, ...]

    @property
    def application_name(self) -> str:
        """Name of the application; of the first program where the application cannot be told."""
        return PurePath(self.words[self.application or 0]).name


def parse_command(words: Sequence[str]) -> CommandLine:
    """The parts of a command line of at least one word."""
    parser = _Parser(words)
    application = parser.program(0)
    return CommandLine(tuple(words), tuple(parser.launchers), application, tuple(parser.assignments))


class _Parser:
    def __init__(self, words: Sequence[str]) -> None:
        self._words = words
        self.launchers: list[Launcher] = []
        self.assignments: list[Assignment] = []

    def program(self, at: int | None) -> int | None:
        """The application of what starts at this word."""
        while at is not None and at < len(self._words):
            name = PurePath(self._words[at]).name
            if name in LAUNCHERS:
                launcher, at = _launcher(self._words, at)
                self.launchers.append(launcher)
                continue
            starter, begin = starter_at(self._words, at)
            if starter is None and name not in OPAQUE:
                return at
            behind = starter.program(self._words, begin, self.assignments) if starter else None
            if behind is None:
                at = next((i for i in range(begin, len(self._words)) if _is_launcher(self._words[i])), None)
            elif starter is not None and starter.parallel:
                return self._parallel(starter, behind)
            else:
                at = behind
        return None

    def _parallel(self, starter: Starter, at: int) -> int | None:
        """The first of the programs that a parallel launcher starts; ``:`` stands between them."""
        application = self.program(at)
        for colon in (i for i in range(at, len(self._words) - 1) if self._words[i] == ":"):
            self.program(starter.program(self._words, colon + 1, self.assignments))
        return application


def _is_launcher(word: str) -> bool:
    return PurePath(word).name in LAUNCHERS


def _launcher(words: Sequence[str], index: int) -> tuple[Launcher, int | None]:
    """The launcher at a word, and where its program is.

    With a ``--`` anywhere, options are what stands before the first one; without one, rocprof-sys-run reads options
    where its first word is one, and starts nothing then; else all is the program (ROCm/rocm-systems,
    projects/rocprofiler-systems/source/bin/rocprof-sys-{run,sample}/*.cpp @1b1610fc).
    """
    begin = index + 1
    if "--" in words[begin:]:
        end = words.index("--", begin)
        return Launcher(index, range(begin, end)), end + 1
    if any(word in _PARSED for word in words[begin:]) or (words[begin : begin + 1] and words[begin].startswith("-")):
        return Launcher(index, range(begin, len(words))), None
    return Launcher(index, range(begin, begin)), begin
