# SPDX-License-Identifier: MIT
"""Folders for rocprofiler-compute, made of the journals of a run (docs/formats/compute.md)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rocprofsys_multipass.config import Wording
from rocprofsys_multipass.config.values import COMPUTE, KEEP
from rocprofsys_multipass.errors import ExitCode, MultipassError, TraceError, UsageError
from rocprofsys_multipass.run.asked import asked_release
from rocprofsys_multipass.run.leftovers import remove_compute_leftovers
from rocprofsys_multipass.writing import unwritable

if TYPE_CHECKING:
    from rocprofsys_multipass.compute import ComputeOptions, ModelExport

ADVICE: Final = "give --"
"""Begins what the writer advises where it is options of ``export`` (met by a test)."""


@dataclass(frozen=True)
class ComputeGiven:
    """What a caller says of these folders. `release` and `instances` None: as the run was asked, as it recorded."""

    release: str | None = None
    instances: str | None = None
    include_partial: bool = False
    kernel_medians: bool = False

    def refuse_unused(self, formats: Sequence[str], path: Path, wording: Wording) -> None:
        """UsageError where something is given and no such folder is to be made of `path`."""
        given = {
            "compute-release": self.release,
            "instances": self.instances,
            "include-partial": self.include_partial,
            "kernel-medians": self.kernel_medians,
        }
        for option, value in given.items():
            if value and COMPUTE not in formats:
                raise UsageError(
                    f"{wording.option(option)}: it is of the folders for rocprofiler-compute, and none is made of "
                    f"{path}: ask for the format {COMPUTE}, or leave it out"
                )

    def options(self, journals: Sequence[Path]) -> ComputeOptions:
        """For the writer."""
        from rocprofsys_multipass.compute import ComputeOptions

        return ComputeOptions(
            release=self.release or asked_release(journals),
            channels=None if self.instances is None else self.instances == KEEP,
            include_partial=self.include_partial,
            kernel_medians=self.kernel_medians,
        )


@dataclass(frozen=True)
class Computed:
    """What became of one folder. `unreadable`: journals that it was made without, and why.

    `exit_code` is 7 where it is not written; `error` says why.
    """

    folder: Path
    models: tuple[ModelExport, ...] = ()
    files: tuple[Path, ...] = ()
    warnings: tuple[str, ...] = ()
    unreadable: Mapping[Path, str] = field(default_factory=dict)
    error: str = ""
    exit_code: ExitCode = ExitCode.OK

    def warnings_beside(self, told: Iterable[Path]) -> tuple[str, ...]:
        """The warnings without those of journals in `told`, whose faults are told by what else is made of them."""
        begins = tuple(f"{journal}: " for journal in told)
        return tuple(text for text in self.warnings if not text.startswith(begins))


def compute_of(journals: Sequence[Path], folder: Path, given: ComputeGiven) -> Computed:
    """Make `folder` of the journals; one of this tool is replaced. A journal that cannot be read keeps no other out.

    Nothing is raised that `Computed` can tell.
    """
    from rocprofsys_multipass.compute import write_compute  # loads the readers

    unreadable: dict[Path, str] = {}
    try:
        remove_compute_leftovers(folder.parent)
        options = given.options(journals)
        try:
            made = write_compute(journals, folder, options)
        except TraceError:
            unreadable = _unreadable(journals)
            if not unreadable:
                raise
            readable = [journal for journal in journals if journal not in unreadable]
            if not readable:
                return Computed(folder, unreadable=unreadable)
            made = write_compute(readable, folder, options)
    except MultipassError as error:
        return Computed(folder, unreadable=unreadable, error=str(error), exit_code=error.exit_code)
    except OSError as error:
        failed = unwritable(Path(error.filename or folder), error)
        return Computed(folder, unreadable=unreadable, error=str(failed), exit_code=failed.exit_code)
    return Computed(
        folder,
        made.models,
        made.files,
        (*_lost(folder, unreadable), *made.warnings),
        unreadable,
    )


def with_command(text: str, run_dir: Path) -> str:
    """A message of a folder that was made without options of its own: with the command that its advice is for."""
    return f"{text} (to rocprof-sys-multipass export {run_dir} --format compute)" if ADVICE in text else text


def _unreadable(journals: Sequence[Path]) -> dict[Path, str]:
    """Those whose dispatches cannot be read, each with the reason. All of them are looked through."""
    from rocprofsys_multipass.trace.stream import open_streams

    def fault(journal: Path) -> str:
        try:
            with open_streams(journal) as streams:
                for stream in streams:
                    for _ in stream.dispatches():
                        pass
        except TraceError as error:
            return str(error)
        return ""

    return {journal: text for journal in journals if (text := fault(journal))}


def _lost(folder: Path, unreadable: Mapping[Path, str]) -> list[str]:
    if not unreadable:
        return []
    names = ", ".join(journal.name for journal in unreadable)
    which = "that process" if len(unreadable) == 1 else "these processes"
    return [f"{folder}: made without {names}, which cannot be read: it has no dispatch of {which}, so sums are too low"]
