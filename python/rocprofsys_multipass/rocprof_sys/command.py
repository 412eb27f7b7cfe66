# SPDX-License-Identifier: MIT
"""What a command line starts: where a launcher of rocprof-sys is in it, where its options end, what the application is.

``[mpirun ...] [env A=b] rocprof-sys-run [options] -- [mpirun ...] [numactl ...] app [arguments]``
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from rocprofsys_multipass.rocprof_sys.starters import OPAQUE, STARTERS, Assignment, Starter, starter_at

LAUNCHERS = ("rocprof-sys-run", "rocprof-sys-sample")

_CLEARING = {  # options by which a program hands no variable on that it is not told of
    "env": ("-i", "-", "--ignore-environment"),
    "mpirun": ("-genvnone", "-envnone"),
    "mpiexec": ("-genvnone", "-envnone"),
    "mpiexec.hydra": ("-genvnone", "-envnone"),
}
_LISTING = ("-genvlist", "-envlist")  # of MPICH and Intel MPI: these variables and no others
_SRUN_EXPORT = "SLURM_EXPORT_ENV"  # which a batch script that was submitted with --export=NONE has

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
    programs that ``:`` divides, as MPI launchers have them, there may be several. `starts_ranks`: one of its words
    starts the processes of a parallel job.
    """

    words: tuple[str, ...]
    launchers: tuple[Launcher, ...]
    application: int | None
    assignments: tuple[Assignment, ...]
    starts_ranks: bool

    @property
    def application_name(self) -> str:
        """Name of the application; of the first program where the application cannot be told."""
        return PurePath(self.words[self.application or 0]).name


def parse_command(words: Sequence[str]) -> CommandLine:
    """The parts of a command line of at least one word."""
    parser = _Parser(words)
    application = parser.program(0)
    return CommandLine(
        tuple(words), tuple(parser.launchers), application, tuple(parser.assignments), parser.starts_ranks
    )


def cut_off(line: CommandLine, environ: Mapping[str, str], names: Sequence[str]) -> str:
    """The words or the variable by which the application does not get the variables `names` of this process.

    Empty where it does, as far as the tables of programs tell.
    """
    first = line.launchers[0].index if line.launchers else 0
    own = {at for one in line.launchers for at in one.options}
    programs, exports = [""], []
    for at in range(first if line.application is None else line.application):
        word = line.words[at]
        option, equals, value = word.partition("=")
        if at in own:
            continue
        if PurePath(word).name in STARTERS:
            programs.append(PurePath(word).name)
        elif word in _CLEARING.get(programs[-1], ()):
            return f"{programs[-1]} {word}"
        elif programs[-1] == "srun" and option == "--export":
            exports.append(value if equals else line.words[at + 1])
        elif programs[-1] in _CLEARING and option in _LISTING and not _hands_on(line.words[at + 1], names):
            return f"{programs[-1]} {option} {line.words[at + 1]}"
    if "srun" not in programs:
        return ""
    said = [(f"srun --export={value}", value) for value in exports]
    said = said or [(f"{_SRUN_EXPORT}={value}", value) for value in [environ.get(_SRUN_EXPORT, "ALL")]]
    return next((text for text, value in said if not _hands_on(value, names)), "")


def _hands_on(exported: str, names: Sequence[str]) -> bool:
    """Whether these variables are among those that a list names, as that of srun's ``--export``."""
    parts = [part.partition("=")[0] for part in exported.split(",")]
    return "ALL" in (part.upper() for part in parts) or all(name in parts for name in names)


class _Parser:
    def __init__(self, words: Sequence[str]) -> None:
        self._words = words
        self.launchers: list[Launcher] = []
        self.assignments: list[Assignment] = []
        self.starts_ranks = False

    def program(self, at: int | None) -> int | None:
        """The application of what starts at this word."""
        launched = False
        while at is not None and at < len(self._words):
            name = PurePath(self._words[at]).name
            if name in LAUNCHERS:
                launcher, at = _launcher(self._words, at)
                self.launchers.append(launcher)
                launched = True
                continue
            starter, begin = starter_at(self._words, at)
            if starter is None and name not in OPAQUE:
                behind = None if launched else _behind_script(self._words, begin)
                if behind is None:
                    return at
                at = behind
                continue
            self.starts_ranks |= starter is None or starter.parallel
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


def _behind_script(words: Sequence[str], begin: int) -> int | None:
    """A launcher behind a program that is not known: its first word, or the first after a ``--`` of its own.

    So are scripts used that bind a process to a GPU (``srun ./select_gpu rocprof-sys-run ...``). A launcher's name
    anywhere else is an argument of an application.
    """
    places = [begin, *(at + 1 for at in range(begin, len(words)) if words[at] == "--")][:2]
    return next((at for at in places if at < len(words) and _is_launcher(words[at])), None)


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
