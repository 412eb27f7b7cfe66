# SPDX-License-Identifier: MIT
"""The files that belong to a process of a run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from rocprofsys_multipass.opening import how_to_open, readable_size
from rocprofsys_multipass.trace import Process

_SUFFIXES: Final = (".journal", ".pftrace", ".db", "-replay.db", ".json", ".csv", ".parquet")
_OTHER_KIND: Final = (("rocpd", "perfetto-trace", (".pftrace", ".proto")), ("perfetto-trace", "rocpd", (".db",)))
"""Names of rocprof-sys, which merged files have too: that of one kind, and of the other beside it."""


@dataclass(frozen=True, slots=True)
class RunFile:
    """A file and its length in bytes."""

    path: Path
    size: int

    @property
    def length(self) -> str:
        """``1.4 KiB``."""
        return readable_size(self.size)

    @property
    def opened_by(self) -> str:
        """What to do with it."""
        return how_to_open(self.path)


def files_of(process: Process) -> list[RunFile]:
    """The file that was read, and those beside it that have its name; none where it is there no more.

    Of rocprof-sys's files, and merged ones, the trace and the database have names of their own and a suffix in common.
    """
    stem = process.path.parent / process.path.stem
    named = [stem.with_name(stem.name + suffix) for suffix in _SUFFIXES]
    for word, other, suffixes in _OTHER_KIND:
        if word in stem.name:
            named += [stem.with_name(stem.name.replace(word, other) + suffix) for suffix in suffixes]
    own = stem.name.removeprefix("multipass-")
    named += [stem.with_name(f"readings-{own}.json"), stem.with_name(f"wide-{own}.csv")]
    return [one for path in dict.fromkeys([process.path, *named]) if (one := _there(path)) is not None]


def _there(path: Path) -> RunFile | None:
    try:
        return RunFile(path, path.stat().st_size)
    except OSError:  # it was not made, or somebody has removed it
        return None
