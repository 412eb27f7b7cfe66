# SPDX-License-Identifier: MIT
"""The merge of two folders: what this tool measured, into copies of what rocprof-sys wrote, process by process."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from rocprofsys_multipass.config import PYTHON, Wording
from rocprofsys_multipass.errors import TraceError, UsageError
from rocprofsys_multipass.merge.earlier import COMBINED, FOLDER, NAMES, remove_earlier
from rocprofsys_multipass.merge.pairing import OwnProcess, Pairing, none_in_common, own_processes, pair
from rocprofsys_multipass.merge.process import Task, merge_process
from rocprofsys_multipass.merge.result import MergeResult
from rocprofsys_multipass.merge.together import combine_all
from rocprofsys_multipass.rocprof_sys.files import HostFiles, find_files
from rocprofsys_multipass.writing import make_folder, refuse_existing


def merge(  # noqa: PLR0913 - what, where to, how
    run_dir: str | os.PathLike[str],
    rocprof_sys_dir: str | os.PathLike[str],
    output: str | os.PathLike[str] | None = None,
    join: bool = False,  # noqa: FBT001, FBT002 - as it is documented
    *,
    combine: bool = False,
    overwrite: bool = False,
) -> MergeResult:
    """Add the counters of a run to copies of rocprof-sys's traces and databases of the same processes.

    Args:
        run_dir: the folder of a run of this tool.
        rocprof_sys_dir: where rocprof-sys wrote to; of several folders with timestamps in it the newest counts.
        output: folder for the merged files; default: ``merged`` in `run_dir`. Nothing is changed elsewhere.
        join: the two are of different runs of the same program: counters are put at the dispatches and times of
            rocprof-sys's run, matched by rank, GPU, kernel, launch shape and order.
        combine: write one trace and one database of all processes too, into ``combined`` there.
        overwrite: replace files of an earlier merge in `output`.

    Returns:
        What was made. A process that fails does not keep the next from being merged: see `MergeResult.errors`.

    Raises:
        UsageError: a path leads nowhere, or the output would be in place of what is merged.
        TraceError: one of the folders has no files of its kind, or they have no process in common.
        OutputError: the output is there already, or cannot be written.
    """
    manner = Manner(join=join, combine=combine, overwrite=overwrite, wording=PYTHON)
    return merge_folders(Path(run_dir), Path(rocprof_sys_dir), None if output is None else Path(output), manner)


@dataclass(frozen=True)
class Manner:
    """How to merge: the keywords of `merge`, and the words of the caller."""

    wording: Wording
    join: bool = False
    combine: bool = False
    overwrite: bool = False


def merge_folders(run_dir: Path, rocprof_sys_dir: Path, output: Path | None, manner: Manner) -> MergeResult:
    """As `merge`, in the caller's words."""
    own = own_processes(run_dir)
    return merge_processes(own, find_files(rocprof_sys_dir), run_dir / FOLDER if output is None else output, manner)


def merge_processes(own: Sequence[OwnProcess], host: HostFiles, folder: Path, manner: Manner) -> MergeResult:
    """As `merge`, of processes and files that were found."""
    if not host.processes:
        raise TraceError(
            f"{', '.join(map(str, host.combined))}: of several processes, and of each there is nothing: give the "
            "folder with the files of each, such as perfetto-trace-<pid>.proto"
        )
    pairing = pair(own, host.processes, join=manner.join)
    if not pairing.pairs:
        raise none_in_common(own, host.processes, host.folders[0], join=manner.join)
    tasks = _tasks(pairing, folder)
    targets = [target for task in tasks for target in task.targets]
    targets += [folder / COMBINED / name for name in NAMES if manner.combine]
    _refuse(targets, tasks, host, manner)
    make_folder(folder)
    if manner.overwrite:
        remove_earlier(folder, keep=targets)
    notes = [*host.notes, *pairing.ambiguous]
    if host.combined:
        names = ", ".join(path.name for path in host.combined)
        notes.append(f"{names}: of several processes, left as it is; their own files are merged")
    processes = tuple(merge_process(task, join=manner.join) for task in tasks)
    with suppress(OSError):
        folder.rmdir()  # where nothing could be merged
    return MergeResult(
        output=folder,
        processes=processes,
        only_own=tuple(map(str, pairing.only_own)),
        only_host=tuple(map(str, pairing.only_host)),
        notes=tuple(notes),
        join=manner.join,
        together=combine_all(processes, pairing.only_host, folder) if manner.combine else None,
    )


def _tasks(pairing: Pairing, folder: Path) -> list[Task]:
    """What is to be made, under rocprof-sys's own names; with the pid where two would have the same."""
    stems = [path.stem for _, host in pairing.pairs for path in (host.trace, host.database) if path]
    tasks = []
    for own, host in pairing.pairs:
        names = {
            path: path.stem if stems.count(path.stem) == 1 else f"{path.stem}-{own.name}"
            for path in (host.trace, host.database)
            if path
        }
        tasks.append(
            Task(
                own,
                host,
                folder / f"{names[host.trace]}.pftrace" if host.trace else None,
                folder / f"{names[host.database]}.db" if host.database else None,
                folder / f"merge-{own.name}.json",
            )
        )
    return tasks


def _refuse(targets: Sequence[Path], tasks: Sequence[Task], host: HostFiles, manner: Manner) -> None:
    """See that nothing is written over what is merged, nor over anything else unless that is wanted."""
    sources = [path for task in tasks for path in (*task.host.files, task.own.trace, task.own.database) if path]
    kept = {path.resolve() for path in (*sources, *host.combined)}
    folders = {folder.resolve() for folder in host.folders}
    for target in targets:
        if target.resolve() in kept or target.parent.resolve() in folders:
            raise UsageError(
                f"{target} would be beside or in place of what rocprof-sys wrote, which stays as it is: "
                f"give {manner.wording.give_output}"
            )
        if not manner.overwrite:
            refuse_existing(target, f"give {manner.wording.give_overwrite}, or {manner.wording.give_output}")
