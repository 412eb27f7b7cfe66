# SPDX-License-Identifier: MIT
"""A folder that is there whole or as it was: built beside its place under a hidden name, then renamed."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from rocprofsys_multipass.errors import OutputError
from rocprofsys_multipass.writing import make_folder, unwritable

TABLE: Final = "pmc_perf.csv"
PACKED: Final = "pmc_perf.csv.gz"
SYSINFO: Final = "sysinfo.csv"
PROFILING: Final = "profiling_config.yaml"
SIDE_TABLE: Final = "dispatches.csv"
NOTES: Final = "notes.txt"
_OF_ANALYZE: Final = ("pmc_dispatch_info.csv", "pmc_kernel_top.csv")  # it writes them beside what it reads
_OWN: Final = frozenset({TABLE, PACKED, SYSINFO, PROFILING, SIDE_TABLE, NOTES, *_OF_ANALYZE})


@contextmanager
def whole_folder(folder: Path) -> Iterator[Path]:
    """An empty folder for the new content, which replaces `folder` at the end of the block.

    Raises:
        OutputError: there is something that neither this tool nor ``analyze`` writes, which is looked for before the
            block too; or a file cannot be written. Then, and after any exception of the block, what was there is as it
            was, and nothing is left beside it.
    """
    target = folder.resolve()
    check_replaceable(folder)
    make_folder(target.parent)
    try:
        holder = Path(tempfile.mkdtemp(prefix=f".{target.name}.tmp-{os.getpid()}-", dir=target.parent))
        try:
            new = holder / "new"
            new.mkdir()  # with the permissions that a new folder has here, which mkdtemp does not give
            yield new
            check_replaceable(folder)
            _put(new, target, holder / "old")
        finally:
            shutil.rmtree(holder, ignore_errors=True)
    except OSError as error:
        raise unwritable(folder, error) from error


def _put(new: Path, target: Path, old: Path) -> None:
    try:
        target.rename(old)
    except FileNotFoundError:
        new.rename(target)
        return
    try:
        new.rename(target)
    except BaseException:
        with suppress(OSError):
            old.rename(target)
        raise


def check_replaceable(folder: Path) -> None:
    """OutputError where the folder holds what this tool would not write there."""
    try:
        foreign = _foreign(folder.resolve())
    except OSError as error:
        raise unwritable(folder, error) from error
    if foreign is not None:
        place = folder / foreign if foreign.parts else folder
        raise OutputError(
            f"{place}: it is in the place of an export for rocprofiler-compute and none of its files: move it"
        )


def _foreign(folder: Path) -> Path | None:
    """The first path below `folder` that is no part of such an export; empty: the folder itself."""
    if not folder.exists():
        return None
    if not folder.is_dir():
        return Path()
    for model in sorted(folder.iterdir()):
        if model.is_symlink() or not model.is_dir():
            return model.relative_to(folder)
        names = sorted(model.iterdir())
        for one in names:
            if one.name not in _OWN or one.is_symlink() or not one.is_file():
                return one.relative_to(folder)
        if names and SIDE_TABLE not in {one.name for one in names}:  # someone's own notes.txt
            return names[0].relative_to(folder)
    return None
