# SPDX-License-Identifier: MIT
"""The files of an earlier merge in a folder, by the reports that name them."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final

from rocprofsys_multipass.writing import unwritable

FOLDER: Final = "merged"  # in a run directory
COMBINED: Final = "combined"  # below it: all in FOLDER itself are files of one process
NAMES: Final = ("perfetto-trace.pftrace", "rocpd.db")  # there


def remove_earlier(folder: Path, *, rank: int | None = None, keep: Collection[Path] = ()) -> None:
    """Remove them but for `keep`, which is written anew; with a rank, its own and those of processes without one.

    Raises:
        OutputError: one of them cannot be removed.
    """
    try:
        reports = sorted(folder.glob("merge-*.json"))
        for path in (folder / COMBINED / name for name in NAMES if reports and rank is None):
            if path not in keep:
                path.unlink(missing_ok=True)
        for report in reports:
            told = _told(report)
            if told is None or (rank is not None and told.get("rank") not in (None, rank)):
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
