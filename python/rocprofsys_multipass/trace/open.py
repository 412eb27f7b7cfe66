# SPDX-License-Identifier: MIT
"""Finds what a path holds, and reads it."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path
from typing import Final

from rocprofsys_multipass.errors import TraceError
from rocprofsys_multipass.journal_layout import FILE_MAGIC
from rocprofsys_multipass.trace import journal, perfetto, rocpd, wire
from rocprofsys_multipass.trace.database import MAGIC as SQLITE_MAGIC
from rocprofsys_multipass.trace.guard import naming
from rocprofsys_multipass.trace.late import collector_paused
from rocprofsys_multipass.trace.model import Kind, Process, Trace
from rocprofsys_multipass.trace.sidecar import is_sidecar_name, main_name

SUFFIXES: Final[dict[Kind, str]] = {"journal": ".journal", "rocpd": ".db", "perfetto": ".pftrace"}


def kind_of(path: Path) -> Kind:
    """What a file is, by its first bytes.

    TraceError: it cannot be opened, is empty, is none of the three, or is a pipe or a device: readers go through a file
    several times, and opening a pipe waits for its writer.
    """
    try:
        mode = path.stat().st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            raise TraceError(f"{path}: is no regular file; write what comes from it to a file first, and give that")
        with path.open("rb") as file:
            start = file.read(16)
    except OSError as error:
        raise TraceError(f"{path}: {error.strerror}; check the path and its permissions") from error
    if start.startswith(FILE_MAGIC):
        return "journal"
    if start == SQLITE_MAGIC:
        return "rocpd"
    if start[:1] == bytes([wire.PACKET_TAG]):
        return "perfetto"
    what = "is empty" if not start else f"starts with {start[:8]!r}"
    raise TraceError(
        f"{path}: {what}: neither a journal nor a Perfetto trace nor a database; "
        "give a run directory or one of the files in it"
    )


def files_of_run(directory: Path) -> dict[Kind, list[Path]]:
    """The outputs in a run directory by kind, sorted by name; side files of the strict layout are left out."""
    found: dict[Kind, list[Path]] = {}
    for kind, suffix in SUFFIXES.items():
        ours = sorted(p for p in directory.glob(f"multipass-*{suffix}") if p.is_file())
        patterns = [f"*{suffix}", *(("perfetto-trace*.proto",) if kind == "perfetto" else ())]  # that of rocprof-sys
        others = sorted(p for pattern in patterns for p in directory.glob(pattern) if p.is_file())
        found[kind] = [p for p in ours or others if not is_sidecar_name(p)]
    return found


def read_file(path: Path, kind: Kind | None = None) -> list[Process]:
    """The processes in one file."""
    readers: dict[Kind, Callable[[Path], list[Process]]] = {
        "journal": lambda p: [journal.open_journal(p)],
        "rocpd": rocpd.read_rocpd,
        "perfetto": perfetto.read_perfetto,
    }
    with naming(path):
        return readers[kind or kind_of(path)](path)


def folder_to_give(directory: Path) -> str:
    """Which folder to give in place of one without outputs: one in it that has some, the newest by name or date."""
    if alone := next((path for path in sorted(directory.glob("*.db")) if is_sidecar_name(path)), None):
        return f"{alone.name} has the passes of {main_name(alone)}: copy that beside it"
    inside = [path for path in sorted(directory.glob("*")) if path.is_dir() and any(files_of_run(path).values())]
    if not inside:
        return "give the directory that `run --output` named"
    others = f" (or another of the {len(inside)} in it that have some)" if len(inside) > 1 else ""
    return f"give {inside[-1]}{others}"


def open_trace(path: str | Path) -> Trace:
    """Reads a run directory, or one `.journal`, `.pftrace` or `.db` file (recognised by content, not by name).

    Of a directory the journals are read; where there are none the databases, else the Perfetto traces. Several
    processes become one trace. TraceError: nothing there can be read, or two files have the same process, which would
    count double; it names file, place and what to do.
    """
    with collector_paused():
        return _read(Path(path))


def _read(path: Path) -> Trace:
    if not path.is_dir():
        return _trace(read_file(path))
    files = files_of_run(path)
    for kind in ("journal", "rocpd", "perfetto"):
        if files[kind]:
            return _trace(_once([process for file in files[kind] for process in read_file(file, kind)]))
    raise TraceError(
        f"{path}: no .journal, .db or .pftrace in it; {folder_to_give(path)}, or run the application again"
    )


def _once(processes: list[Process]) -> list[Process]:
    """The same. TraceError: one of them is there twice, as in a copy of a file that is beside it."""
    known: dict[tuple[str, int, int | None], Process] = {}
    for process in processes:
        first = known.setdefault(process.identity, process)
        if first is not process and process.identity[0]:
            raise TraceError(
                f"{process.path}: process {process.pid} is in {first.path.name} too, and would count double; "
                "keep one of the two, move the other away"
            )
    return processes


def _trace(processes: list[Process]) -> Trace:
    return Trace(tuple(sorted(processes, key=lambda p: (p.rank is None, p.rank or 0, p.pid))))
