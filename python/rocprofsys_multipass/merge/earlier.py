# SPDX-License-Identifier: MIT
"""The files of an earlier merge in a folder, by the reports that name them."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Final

from rocprofsys_multipass.writing import unwritable

FOLDER: Final = "merged"  # in a run directory
COMBINED: Final = "combined"  # below it: all in FOLDER itself are files of one process
NAMES: Final = ("perfetto-trace.pftrace", "rocpd.db")  # there


def remove_combined(folder: Path, keep: Collection[Path] = ()) -> None:
    """Remove what was made of all processes in `folder`, but for `keep`. OSError: it cannot be removed."""
    for path in (folder / COMBINED / name for name in NAMES):
        if path not in keep:
            path.unlink(missing_ok=True)


def remove_earlier(folder: Path, *, of: Callable[[object], bool] = lambda _: True, keep: Collection[Path] = ()) -> None:
    """Remove them but for `keep`, which is written anew. `of` chooses processes by their rank, or None.

    Raises:
        OutputError: one of them cannot be removed.
    """
    try:
        reports = sorted(folder.glob("merge-*.json"))
        if reports:
            remove_combined(folder, keep)
        for report in reports:
            told = _told(report)
            if told is None or not of(told.get("rank")):
                continue
            for path in (*_files(told, folder), report):
                if path not in keep:
                    path.unlink(missing_ok=True)
    except OSError as error:
        raise unwritable(Path(error.filename or folder), error) from error


def _told(report: Path) -> dict[str, object] | None:
    """What a report says; None: it is none."""
    try:
        told = json.loads(report.read_bytes())
    except ValueError:
        return None
    return told if isinstance(told, dict) and "inputs" in told else None


def _files(told: dict[str, object], folder: Path) -> Iterator[Path]:
    """The files that a report names, of its own folder: that may have been moved, and others are none of its."""
    for kind in ("perfetto", "rocpd"):
        one = told.get(kind)
        name = one.get("file") if isinstance(one, dict) else None
        if isinstance(name, str):
            yield folder / Path(name).name
