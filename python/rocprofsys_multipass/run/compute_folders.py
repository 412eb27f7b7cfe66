# SPDX-License-Identifier: MIT
"""Folders for rocprofiler-compute of a run: their names, and the removal of those of an earlier run.

``compute`` is made of all journals of a run directory, ``compute-<id>`` of one. Only files that this tool or
``rocprof-compute analyze`` writes are ever removed: where there is another one, nothing is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from rocprofsys_multipass.config.values import COMPUTE

_JOURNAL: Final = "multipass-"
_NAME: Final = re.compile(rf"{COMPUTE}(?:-(?:rank(?P<rank>\d+)|\d+)(?:-\d+)*)?")
_SIDE_TABLE: Final = "dispatches.csv"  # no other tool's folder has it: what tells that a folder is ours


@dataclass(frozen=True)
class ComputeFolder:
    """What has the name of a folder for rocprofiler-compute in a run directory.

    `rank`: of the process that it is of; None: of several, or of one without. `is_ours`: whether this tool made it.
    """

    path: Path
    rank: int | None
    is_ours: bool

    def check(self) -> None:
        """OutputError where something in it is neither this tool's nor of ``rocprof-compute analyze``."""
        from rocprofsys_multipass.compute.folder import check_replaceable  # loads the readers

        check_replaceable(self.path)

    def remove(self) -> None:
        """Remove it, which was checked. What tells that it is ours goes last: what a killed removal leaves is known.

        OSError: something cannot be removed.
        """
        if self.path.is_symlink():
            self.path.unlink(missing_ok=True)
            return
        for file in sorted(self.path.glob("*/*"), key=lambda one: (one.name == _SIDE_TABLE, one)):
            file.unlink(missing_ok=True)
        for folder in (*self.path.glob("*"), self.path):
            with suppress(FileNotFoundError):  # another rank's wrapper was faster
                folder.rmdir()


def compute_name(journal: Path | None = None) -> str:
    """The name of the folder of all journals of a run, or of one."""
    return COMPUTE if journal is None else f"{COMPUTE}-{journal.stem.removeprefix(_JOURNAL)}"


def compute_name_of_run(journals: Sequence[Path], *, alone: bool) -> str:
    """The name of the folder that a wrapper makes of its journals.

    Where it is not `alone`, those of other ranks write beside it: what is of one rank has its name, then. One wrapper
    around a whole job, as in a batch script, may seem to have a rank too, and its journals are of several.
    """
    ranks = {named["rank"] for path in journals if (named := _NAME.fullmatch(compute_name(path)))}
    if alone or len(ranks) > 1:
        return compute_name()
    return compute_name(min(journals, key=lambda path: (len(path.name), path.name)))


def is_computed(folder: Path) -> bool:
    """Whether this tool made a folder."""
    return any(folder.glob(f"*/{_SIDE_TABLE}"))


def compute_folders(run_dir: Path) -> list[ComputeFolder]:
    """What has such a name in a run directory, sorted. OSError: the directory cannot be read."""
    found = ((path, _NAME.fullmatch(path.name)) for path in sorted(run_dir.iterdir()))
    return [
        ComputeFolder(path, int(named["rank"]) if named["rank"] else None, is_computed(path))
        for path, named in found
        if named
    ]
