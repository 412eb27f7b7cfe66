# SPDX-License-Identifier: MIT
"""The processes on both sides of a merge, and which are the same."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from rocprofsys_multipass.errors import TraceError, missing
from rocprofsys_multipass.rocprof_sys.files import HostProcess
from rocprofsys_multipass.spelling import process_name

_SCHEMA: Final = 1  # of summaries
_NAMED: Final = 8  # processes in one message


@dataclass(frozen=True)
class OwnProcess:
    """A process that this tool recorded. `trace` and `database` are None where they were not made."""

    name: str  # what its files have after ``multipass-``
    pid: int
    rank: int | None
    summary: Path
    journal: Path | None
    trace: Path | None
    database: Path | None

    def __str__(self) -> str:
        return process_name(self.pid, self.rank)


@dataclass(frozen=True)
class Pairing:
    """Which process of one side is which of the other. `ambiguous`: why some were not brought together."""

    pairs: tuple[tuple[OwnProcess, HostProcess], ...]
    only_own: tuple[OwnProcess, ...]
    only_host: tuple[HostProcess, ...]
    ambiguous: tuple[str, ...] = ()


def own_processes(run_dir: Path, only: Collection[Path] | None = None) -> tuple[OwnProcess, ...]:
    """The processes in a run directory, by rank and pid. `only`: those with these summaries.

    Raises:
        UsageError: there is nothing at `run_dir`.
        TraceError: it holds no run, or a summary cannot be read.
    """
    if not run_dir.exists():
        raise missing(run_dir)
    summaries = sorted(run_dir.glob("multipass-*.json")) if run_dir.is_dir() else []
    if not summaries:
        raise TraceError(
            f"{run_dir} holds no multipass-*.json: give the directory that `run --output` named first, then that of "
            "rocprof-sys; of a run that died, make it with `rocprof-sys-multipass recover`"
        )
    found = [_own(path) for path in summaries if only is None or path in only]
    return tuple(sorted(found, key=lambda one: (one.rank is None, one.rank or 0, one.pid)))


def _own(summary: Path) -> OwnProcess:
    try:
        told = json.loads(summary.read_bytes())
    except (OSError, ValueError) as error:
        raise TraceError(f"{summary}: {error}; write it again with `rocprof-sys-multipass export`") from error
    if not isinstance(told, dict) or told.get("schema") != _SCHEMA or not isinstance(told.get("pid"), int):
        raise TraceError(
            f"{summary} is no summary of schema {_SCHEMA}: write it again with `rocprof-sys-multipass export`"
        )
    rank = told.get("rank")
    journal, trace, database = (
        path if (path := summary.with_suffix(suffix)).is_file() else None for suffix in (".journal", ".pftrace", ".db")
    )
    return OwnProcess(
        name=summary.stem.removeprefix("multipass-"),
        pid=told["pid"],
        rank=rank if isinstance(rank, int) else None,
        summary=summary,
        journal=journal,
        trace=trace,
        database=database,
    )


def pair(own: Sequence[OwnProcess], host: Sequence[HostProcess], *, join: bool) -> Pairing:
    """Bring the two sides together: by pid, where that is in doubt by rank too, and where no pid is known by rank.

    With `join` the sides are of two runs, whose pids say nothing: by rank, or the only process of each.
    """
    pairs: list[tuple[OwnProcess, HostProcess]] = []
    ambiguous: list[str] = []
    for one in own:
        candidates = _joined(one, own, host) if join else _same(one, host)
        if len(candidates) > 1:
            ambiguous.append(f"{one} may be any of {len(candidates)} of rocprof-sys: name the folder of one run")
        elif candidates:
            pairs.append((one, candidates[0]))
    taken = [theirs for _, theirs in pairs]
    doubled = [theirs for theirs in taken if taken.count(theirs) > 1]
    ambiguous += [
        f"{theirs} of rocprof-sys may be any of {taken.count(theirs)} of this tool" for theirs in dict.fromkeys(doubled)
    ]
    pairs = [(one, theirs) for one, theirs in pairs if theirs not in doubled]
    mine = [one for one, _ in pairs]
    taken = [theirs for _, theirs in pairs]
    return Pairing(
        tuple(pairs),
        tuple(one for one in own if one not in mine),
        tuple(theirs for theirs in host if theirs not in taken),
        tuple(ambiguous),
    )


def _same(one: OwnProcess, host: Sequence[HostProcess]) -> list[HostProcess]:
    rules: tuple[Callable[[HostProcess], bool], ...] = (
        lambda theirs: theirs.pid == one.pid,
        lambda theirs: theirs.pid is None and theirs.suffix == str(one.pid),
        lambda theirs: theirs.pid is None and one.rank is not None and _rank(theirs) == one.rank,
    )
    for rule in rules:
        found = [theirs for theirs in host if rule(theirs)]
        if len(found) > 1 and one.rank is not None:
            found = [theirs for theirs in found if theirs.rank == one.rank] or found
        if found:
            return found
    return []


def _joined(one: OwnProcess, own: Sequence[OwnProcess], host: Sequence[HostProcess]) -> list[HostProcess]:
    if len(own) == len(host) == 1 and None in (one.rank, host[0].rank):
        return list(host)
    return [theirs for theirs in host if one.rank is not None and theirs.rank == one.rank]


def _rank(theirs: HostProcess) -> int | None:
    """Its rank; where nothing tells it, and no pid is known either, the number that its files end with."""
    return int(theirs.suffix) if theirs.rank is None and theirs.suffix else theirs.rank


def named(processes: Sequence[OwnProcess] | Sequence[HostProcess]) -> str:
    """``process 7, process 9 and 3 more``."""
    shown = ", ".join(map(str, processes[:_NAMED])) or "nothing"
    return shown + (f" and {len(processes) - _NAMED} more" if len(processes) > _NAMED else "")


def none_in_common(
    own: Sequence[OwnProcess], host: Sequence[HostProcess], folder: Path, *, join: bool = False
) -> TraceError:
    """The error where the two sides are of different runs, or with `join` of different processes."""
    fix = "name the folder of the same run, or give --join where another run is meant"
    if join:
        fix = (
            "processes of two runs are the same by their ranks, which the launcher of both has to tell; else name "
            "folders with one process each"
        )
    return TraceError(
        f"{folder}: nothing to merge: of this tool there is {named(own)}, of rocprof-sys {named(host)}, and none is in "
        f"both: {fix}"
    )
