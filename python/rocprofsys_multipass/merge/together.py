# SPDX-License-Identifier: MIT
"""One trace and one database of all processes, beside those of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from rocprofsys_multipass.errors import ExitCode, MultipassError
from rocprofsys_multipass.merge.combined import Combined
from rocprofsys_multipass.merge.database.combine import combine_databases
from rocprofsys_multipass.merge.earlier import COMBINED, NAMES
from rocprofsys_multipass.merge.process import told
from rocprofsys_multipass.merge.result import CombineResult, MergedProcess
from rocprofsys_multipass.merge.trace.combine import combine_traces
from rocprofsys_multipass.rocprof_sys.files import HostProcess
from rocprofsys_multipass.writing import make_folder


def combine_all(processes: Sequence[MergedProcess], others: Sequence[HostProcess], folder: Path) -> CombineResult:
    """Combine what was merged, with what rocprof-sys wrote of `others`: processes without counters.

    The timeline of a job has all its processes, also those that were left out of the collection. Nothing is raised.
    """
    left = [path for one in others for path in (one.trace, one.database) if path and not path.stat().st_size]
    traces = [one.trace.target for one in processes if one.trace]
    traces += [one.trace for one in others if one.trace and one.trace not in left]
    databases = [one.database.target for one in processes if one.database]
    databases += [one.database for one in others if one.database and one.database not in left]
    result = combine_files(traces, databases, folder / COMBINED)
    empty = (f"{path} is empty and was left out: its program was ended before rocprof-sys wrote it" for path in left)
    return replace(result, notes=(*empty, *result.notes))


def combine_files(traces: Sequence[Path], databases: Sequence[Path], folder: Path) -> CombineResult:
    """Write one file of each kind into `folder`. One that fails does not keep the other from being made."""
    work: tuple[tuple[Callable[[Sequence[Path], Path], Combined], Sequence[Path], str], ...] = (
        (combine_traces, traces, NAMES[0]),
        (combine_databases, databases, NAMES[1]),
    )
    files: list[Combined] = []
    failed: list[MultipassError] = []
    for function, inputs, name in work:
        try:
            if inputs:
                make_folder(folder)
                files.append(function(inputs, folder / name))
        except Exception as error:  # noqa: BLE001, PERF203 - of two files; a fault with one keeps not the other
            failed.append(error if isinstance(error, MultipassError) else told(error, folder / name))
    with suppress(OSError):
        folder.rmdir()  # where nothing was made
    code = ExitCode.OK if not failed else ExitCode.OUTPUT_FAILED if files else failed[0].exit_code
    errors = tuple(text for error in failed for text in error.messages)
    return CombineResult(folder, tuple(files), _apart(files), errors, code)


def _apart(files: Sequence[Combined]) -> tuple[str, ...]:
    """Where one of the files lacks processes that the other has."""
    if len({one.processes for one in files}) < 2:  # noqa: PLR2004 - of two files
        return ()
    told = ", ".join(f"{one.target.name} {one.processes}" for one in files)
    return (f"not all processes are in both files ({told}): some left only one of the two",)
