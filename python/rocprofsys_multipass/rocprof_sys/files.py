# SPDX-License-Identifier: MIT
"""Finds what rocprof-sys wrote in a folder, process by process.

The metadata files say which outputs there are; where they do not, names do (`names`). Which process a file is of is
read in the file: its name has the pid, or the rank, or neither.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from rocprofsys_multipass.errors import TraceError, missing
from rocprofsys_multipass.rocprof_sys.identity import identities
from rocprofsys_multipass.rocprof_sys.metadata import Metadata, read_metadata
from rocprofsys_multipass.rocprof_sys.names import (
    Role,
    is_combined,
    is_timestamp,
    lists_kernels,
    matching,
    role_of,
    split,
)
from rocprofsys_multipass.spelling import process_name
from rocprofsys_multipass.trace.database import open_database
from rocprofsys_multipass.trace.open import kind_of

_DEEPEST: Final = 3  # folders below the one that was named


@dataclass(frozen=True)
class HostProcess:
    """The files of one process. `suffix` is what ends their names; `pid` and `rank` are None where nothing tells."""

    suffix: str = ""
    pid: int | None = None
    rank: int | None = None
    trace: Path | None = None
    database: Path | None = None
    metadata: Path | None = None
    texts: tuple[Path, ...] = ()

    @property
    def files(self) -> tuple[Path, ...]:
        """All of them."""
        return tuple(filter(None, (self.trace, self.database, self.metadata, *self.texts)))

    def __str__(self) -> str:
        """``process 4711 (rank 2)``, as far as it is known."""
        if self.pid is not None:
            return process_name(self.pid, self.rank)
        if self.rank is not None:
            return f"rank {self.rank}"
        return f"process of {next(iter(self.files)).name}" if self.files else "a process"


@dataclass(frozen=True)
class HostFiles:
    """What rocprof-sys wrote. `folders`: where it is; `combined`: files of several processes; `notes`: choices.

    `texts`: text outputs of processes without a trace or a database.
    """

    folders: tuple[Path, ...]
    processes: tuple[HostProcess, ...]
    combined: tuple[Path, ...] = ()
    notes: tuple[str, ...] = ()
    texts: tuple[Path, ...] = ()


def find_files(path: Path) -> HostFiles:
    """What rocprof-sys wrote to its output folder, or to one of the folders with a timestamp in it.

    Of several with timestamps the newest counts, and a note says so.

    Raises:
        UsageError: there is nothing at `path`.
        TraceError: it is no folder, cannot be read, or has nothing of rocprof-sys.
    """
    if not path.exists():
        raise missing(path)
    if not path.is_dir():
        raise TraceError(f"{path} is no folder: give the one that rocprof-sys wrote to")
    found = _files_of([path], None)
    if not (found.processes or found.combined):
        texts = ", ".join(text.name for text in found.texts if lists_kernels(text))
        counting = f" ({texts}: each pass of a kernel that was replayed is counted, and stays)" if texts else ""
        raise TraceError(
            f"{path} has no trace and no database of rocprof-sys (perfetto-trace-*.proto, rocpd-*.db){counting}: give "
            "the folder that it wrote to, which ROCPROFSYS_OUTPUT_PATH or its option -o names"
        )
    return found


def find_written(output_path: Path, since_ns: int) -> HostFiles:
    """What one run wrote: the files that are not older than its beginning (a time as in ``st_mtime_ns``).

    Its processes may have started in different minutes. `output_path` may have keys such as ``%pid%``, which each
    process has put something else for.

    Raises:
        TraceError: a folder cannot be read.
    """
    return _files_of(matching(output_path), since_ns)


def _files_of(paths: Iterable[Path], since_ns: int | None) -> HostFiles:
    notes: list[str] = []
    folders: list[Path] = []
    files = _Files()
    try:
        for path in paths:
            folders += _gather(path, since_ns, notes, _DEEPEST)
        for folder in folders:
            files.add(folder, since_ns)
    except OSError as error:
        raise TraceError(f"{error.filename}: {error.strerror}; check the path and its permissions") from error
    texts = [text for one in files.found.values() if not (one.trace or one.database) for text in one.texts]
    return HostFiles(
        tuple(folders), files.processes(), tuple(files.combined), (*notes, *files.notes), tuple(sorted(texts))
    )


def _gather(folder: Path, since_ns: int | None, notes: list[str], deepest: int) -> Iterator[Path]:
    """The folders with files that count."""
    entries = sorted(folder.iterdir())
    if any(_counts(one, since_ns) for one in entries):
        yield folder
        if since_ns is None:
            return
    inner = [one for one in entries if one.is_dir() and not any(one.glob("merge-*.json"))] if deepest else []
    dated = [one for one in inner if is_timestamp(one)]
    if since_ns is None and len(dated) > 1:
        filled = [one for one in dated if any(_gather(one, None, [], deepest - 1))]
        dated = sorted(filled, key=lambda one: (one.stat().st_mtime_ns, one.name))[-1:]
        if len(filled) > 1:
            notes.append(
                f"of {len(filled)} runs in {folder} the newest was taken ({dated[0].name}): name the folder of another "
                "where that is meant"
            )
    for one in (*dated, *(one for one in inner if not is_timestamp(one))):
        with suppress(PermissionError):  # of somebody else
            yield from _gather(one, since_ns, notes, deepest - 1)


def _counts(path: Path, since_ns: int | None) -> bool:
    """Whether a file is a trace, a database or metadata, and new enough."""
    role = role_of(path)
    if role is None or role == "text" or not path.is_file():
        return False
    return (since_ns is None or path.stat().st_mtime_ns >= since_ns) and _is_theirs(path, role)


def _is_theirs(path: Path, role: Role) -> bool:
    """Whether a file with a common extension can be theirs. A damaged one can: it is told of when it is read."""
    name = split(path)[0]
    if role == "metadata":
        return read_metadata(path) is not None
    if "perfetto" in name or "rocpd" in name or is_combined(path):
        return True
    try:
        if role == "trace":
            return kind_of(path) == "perfetto"
        with open_database(path) as database:
            return database.has("rocpd_metadata")
    except TraceError:
        return False


@dataclass
class _Files:
    """Files by the process that they are of, while they are found."""

    found: dict[str, HostProcess] = field(default_factory=dict)
    combined: list[Path] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    _seen: set[Path] = field(default_factory=set)

    def add(self, folder: Path, since_ns: int | None) -> None:
        """The files of a folder, and those elsewhere that its metadata lists."""
        paths = [one for one in sorted(folder.iterdir()) if one.is_file()]
        if since_ns is not None:
            paths = [one for one in paths if one.stat().st_mtime_ns >= since_ns]
        described = [one for path in paths if role_of(path) == "metadata" and (one := read_metadata(path)) is not None]
        for one in described:
            self._add_described(one)
        for path in paths:
            role = role_of(path)
            if role in ("trace", "database") and _is_theirs(path, role):
                self._add(path, role, self._key(folder, path))
        for path in paths:
            key = self._key(folder, path)
            if role_of(path) == "text" and key in self.found:
                self._add(path, "text", key)

    def _add_described(self, one: Metadata) -> None:
        key = self._key(one.path.parent, one.path)
        self.found[key] = replace(
            self.found.get(key, HostProcess(split(one.path)[1])), metadata=one.path, rank=one.rank
        )
        for path in one.outputs:
            role = role_of(path)
            if role in ("trace", "database", "text"):
                self._add(path, role, key)

    @staticmethod
    def _key(folder: Path, path: Path) -> str:
        return f"{folder}-{split(path)[1]}"

    def _add(self, path: Path, role: Role, key: str) -> None:
        if path.resolve() in self._seen:
            return
        self._seen.add(path.resolve())
        process = self.found.get(key, HostProcess(split(path)[1]))
        if role == "text":
            self.found[key] = replace(process, texts=(*process.texts, path))
            return
        pids, rank = identities(path, role)
        if len(pids) > 1 or is_combined(path):
            self.combined.append(path)
            return
        pid = next(iter(pids), None)
        first = process.trace if role == "trace" else process.database
        if first is not None:
            self.notes.append(f"{path} is left out: it belongs to {process}, of which {first.name} was taken")
            return
        self.found[key] = replace(
            process,
            suffix=process.suffix or split(path)[1],
            pid=process.pid if pid is None else pid,
            rank=process.rank if rank is None else rank,
            trace=path if role == "trace" else process.trace,
            database=path if role == "database" else process.database,
        )

    def processes(self) -> tuple[HostProcess, ...]:
        """Those that have a trace or a database; files with different suffixes and one pid are of one process."""
        by_pid: dict[object, list[HostProcess]] = defaultdict(list)
        for key, one in self.found.items():
            if one.trace or one.database:
                by_pid[key if one.pid is None else one.pid].append(_with_rank(one))
        joined = [two for of_pid in by_pid.values() for two in _joined(of_pid)]
        return tuple(sorted(joined, key=lambda one: (one.rank is None, one.rank or 0, one.pid or 0, one.suffix)))


def _with_rank(one: HostProcess) -> HostProcess:
    """The same, where the suffix is no pid of what is in the files with the rank that it then is."""
    if one.rank is None and one.pid is not None and one.suffix and int(one.suffix) != one.pid:
        return replace(one, rank=int(one.suffix))
    return one


def _joined(of_pid: list[HostProcess]) -> Iterable[HostProcess]:
    """One process where each part has what the other lacks: the trace by pid, the database by rank."""
    if len(of_pid) == 1:
        return of_pid
    one = next((part for part in of_pid if part.trace), of_pid[0])
    others = [part for part in of_pid if part is not one]
    if len(others) > 1 or others[0].trace or (one.database and others[0].database):
        return of_pid  # one pid on several nodes; pairing asks for the rank, too
    other = others[0]
    rank = other.rank if one.rank is None else one.rank
    metadata = one.metadata or other.metadata
    texts = (*one.texts, *other.texts)
    return [replace(one, rank=rank, database=one.database or other.database, metadata=metadata, texts=texts)]
