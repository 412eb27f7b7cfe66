# SPDX-License-Identifier: MIT
"""One trace and one database of all processes of a merge, beside those of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from rocprofsys_multipass.errors import MultipassError
from rocprofsys_multipass.merge.combined import Combined
from rocprofsys_multipass.merge.earlier import COMBINED, NAMES
from rocprofsys_multipass.merge.result import MergedProcess, Together
from rocprofsys_multipass.rocprof_sys.files import HostProcess


def combine_all(processes: Sequence[MergedProcess], others: Sequence[HostProcess], folder: Path) -> Together:
    """Combine what was merged, with what rocprof-sys wrote of `others`: processes without counters.

    The timeline of a job has all its processes, also those that were left out of the collection. Nothing is raised.
    """
    from rocprofsys_multipass.merge.combine_database import combine_databases
    from rocprofsys_multipass.merge.combine_trace import combine_traces

    traces = [one.trace.target for one in processes if one.trace] + [one.trace for one in others if one.trace]
    databases = [one.database.target for one in processes if one.database]
    databases += [one.database for one in others if one.database]
    work: tuple[tuple[Callable[[Sequence[Path], Path], Combined], list[Path], str], ...] = (
        (combine_traces, traces, NAMES[0]),
        (combine_databases, databases, NAMES[1]),
    )
    files: list[Combined] = []
    errors: list[str] = []
    for function, inputs, name in work:
        if len(inputs) > 1:
            try:
                (folder / COMBINED).mkdir(exist_ok=True)
                files.append(function(inputs, folder / COMBINED / name))
            except MultipassError as error:
                errors += error.messages
    notes = () if max(len(traces), len(databases)) > 1 else ("there is one process, and so nothing to combine",)
    return Together(tuple(files), notes, tuple(errors))
