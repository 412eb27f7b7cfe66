# SPDX-License-Identifier: MIT
"""All processes of a run in one trace and one database: of this tool's files, of merged ones, or of rocprof-sys's."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from rocprofsys_multipass.config import PYTHON, Wording
from rocprofsys_multipass.errors import TraceError, UsageError, missing
from rocprofsys_multipass.merge.earlier import COMBINED, FOLDER, NAMES
from rocprofsys_multipass.merge.result import CombineResult
from rocprofsys_multipass.merge.together import combine_files
from rocprofsys_multipass.trace.model import Kind
from rocprofsys_multipass.trace.open import files_of_run, folder_to_give, kind_of
from rocprofsys_multipass.writing import refuse_existing


def combine(
    *paths: str | os.PathLike[str], output: str | os.PathLike[str] | None = None, overwrite: bool = False
) -> CombineResult:
    """Write one trace and one database of all processes of a run, such as the ranks of an MPI program.

    Args:
        paths: run directories, folders of merged files or of files of rocprof-sys, or single files of them.
        output: folder for ``perfetto-trace.pftrace`` and ``rocpd.db``; default: ``combined`` in the first of the
            folders. Nothing is changed elsewhere.
        overwrite: replace these files where they are there.

    Returns:
        What was made. A kind of file that fails does not keep the other from being made: see `CombineResult.errors`.

    Raises:
        UsageError: a path leads nowhere.
        TraceError: there are no traces and no databases.
        OutputError: the files are there already.
    """
    folder = None if output is None else Path(output)
    return combine_paths(list(map(Path, paths)), folder, overwrite=overwrite, wording=PYTHON)


def combine_paths(paths: Sequence[Path], output: Path | None, *, overwrite: bool, wording: Wording) -> CombineResult:
    """As `combine`, in the caller's words."""
    if not paths:
        raise UsageError("nothing to combine: give the folder of a run")
    files = _files(paths)
    beside = paths[0] if paths[0].is_dir() else paths[0].parent
    folder = beside / COMBINED if output is None else output
    traces, databases = files.get("perfetto", ()), files.get("rocpd", ())
    for inputs, name in ((traces, NAMES[0]), (databases, NAMES[1])):
        if inputs and not overwrite:
            refuse_existing(folder / name, f"give {wording.give_overwrite}, or {wording.give_output}")
    result = combine_files(traces, databases, folder)
    return replace(result, notes=(*result.notes, *_merged_beside(paths)))


def _merged_beside(paths: Sequence[Path]) -> Iterator[str]:
    """That the files of a run are there a second time, with rocprof-sys's tracks and tables."""
    for folder in (path / FOLDER for path in paths if path.is_dir()):
        if any(folder.glob("merge-*.json")):
            yield f"what rocprof-sys wrote is not in it: to combine what was merged with it, give {folder}"


def _files(paths: Sequence[Path]) -> Mapping[Kind, Sequence[Path]]:
    found: dict[Kind, list[Path]] = defaultdict(list)
    for path in paths:
        if not path.exists():
            raise missing(path)
        if path.is_dir():
            here = files_of_run(path)
            if not here["perfetto"] and not here["rocpd"]:
                raise _nothing_in(path, here["journal"])
            found["perfetto"] += here["perfetto"]
            found["rocpd"] += here["rocpd"]
        else:
            kind = kind_of(path)
            if kind == "journal":
                raise TraceError(f"{path} is a journal: make its outputs with `rocprof-sys-multipass export` first")
            found[kind].append(path)
    return found


def _nothing_in(folder: Path, journals: Sequence[Path]) -> TraceError:
    fix = (
        f"it has journals only: make the outputs with `rocprof-sys-multipass export {folder}`"
        if journals
        else folder_to_give(folder)
    )
    return TraceError(f"{folder} holds no .pftrace and no .db: {fix}")
