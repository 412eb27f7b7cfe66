# SPDX-License-Identifier: MIT
"""A folder that is there whole or as it was: built beside its place under a hidden name, then renamed."""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from rocprofsys_multipass.errors import OutputError
from rocprofsys_multipass.writing import make_folder, scratch_prefix, unwritable

TABLE: Final = "pmc_perf.csv"
PACKED: Final = "pmc_perf.csv.gz"
SYSINFO: Final = "sysinfo.csv"
PROFILING: Final = "profiling_config.yaml"
SIDE_TABLE: Final = "dispatches.csv"
NOTES: Final = "notes.txt"
_OF_ANALYZE: Final = ("pmc_dispatch_info.csv", "pmc_kernel_top.csv")  # it writes them beside what it reads
_OWN: Final = frozenset({TABLE, PACKED, SYSINFO, PROFILING, SIDE_TABLE, NOTES, *_OF_ANALYZE})


_ATTEMPTS: Final = 100
_HERE: Final = -100  # AT_FDCWD, RENAME_EXCHANGE: linux/fcntl.h, linux/fs.h
_EXCHANGE: Final = 2


@contextmanager
def whole_folder(folder: Path) -> Iterator[Path]:
    """An empty folder for the new content, which replaces `folder` at the end of the block.

    Raises:
        OutputError: there is something that neither this tool nor ``analyze`` writes, which is looked for before the
            block too; or a file cannot be written. Then, and after any exception of the block, what was there is as it
            was, and nothing is left beside it.
    """
    check_replaceable(folder)
    target = _resolved(folder)
    make_folder(target.parent)
    try:
        holder = Path(tempfile.mkdtemp(prefix=scratch_prefix(target.name), dir=target.parent))
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
    """Gives `new` its name. An earlier folder is in its place until then, where the file system can exchange names.

    Several may do so at once: the last one stays.
    """
    for attempt in range(_ATTEMPTS):
        if exchanged(new, target) or _replaced(new, target, old.with_name(f"{old.name}{attempt}")):
            return
    raise OSError(errno.EBUSY, os.strerror(errno.EBUSY), str(target))


def _replaced(new: Path, target: Path, old: Path) -> bool:
    """Whether `new` has its name, in two steps; not where another export was faster."""
    with suppress(FileNotFoundError):
        target.rename(old)
    try:
        new.rename(target)
    except BaseException as error:
        with suppress(OSError):
            old.rename(target)
        if isinstance(error, OSError) and error.errno in (errno.ENOTEMPTY, errno.EEXIST):
            return False
        raise
    return True


def exchanged(one: Path, other: Path) -> bool:
    """Whether two paths have got each other's name, in one step; else nothing is changed."""
    rename = getattr(ctypes.CDLL(None), "renameat2", None)  # not in every C library
    return (
        rename is not None and rename(_HERE, os.fsencode(one), _HERE, os.fsencode(other), ctypes.c_uint(_EXCHANGE)) == 0
    )


def check_replaceable(folder: Path) -> None:
    """OutputError where the folder holds what this tool would not write there."""
    try:
        foreign = _foreign_at_last(_resolved(folder))
    except OSError as error:
        raise unwritable(folder, error) from error
    if foreign is not None:
        place = folder / foreign if foreign.parts else folder
        raise OutputError(
            f"{place}: it is in the place of an export for rocprofiler-compute and none of its files: move it"
        )


def _resolved(folder: Path) -> Path:
    """The place that the path leads to. OSError: it leads to itself."""
    place = Path(os.path.realpath(folder))
    if place.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(folder))
    return place


def _foreign_at_last(folder: Path) -> Path | None:
    for _ in range(_ATTEMPTS):
        with suppress(FileNotFoundError):  # another export put its folder there in between
            return _foreign(folder)
    return _foreign(folder)


def _foreign(folder: Path) -> Path | None:
    """The first path below `folder` that is no part of such an export; empty: the folder itself."""
    if not folder.exists():
        return None
    if not folder.is_dir():
        return Path()
    for model in sorted(folder.iterdir()):
        if not stat.S_ISDIR(model.lstat().st_mode):  # FileNotFoundError: it went while we looked
            return model.relative_to(folder)
        names = sorted(model.iterdir())
        for one in names:
            if one.name not in _OWN or not stat.S_ISREG(one.lstat().st_mode):
                return one.relative_to(folder)
        if names and SIDE_TABLE not in {one.name for one in names}:  # someone's own notes.txt
            return names[0].relative_to(folder)
    return None
