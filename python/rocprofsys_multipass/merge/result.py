# SPDX-License-Identifier: MIT
"""What a merge of two folders made, and how it is written down (docs/formats/merge.md)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from rocprofsys_multipass.errors import ExitCode
from rocprofsys_multipass.merge.combined import Combined
from rocprofsys_multipass.merge.join.joined import Joined
from rocprofsys_multipass.merge.merged import Merged
from rocprofsys_multipass.spelling import process_name

SCHEMA: Final = 1


@dataclass(frozen=True)
class MergedProcess:
    """What became of one process. `inputs`: the files of both sides; `report`: the JSON file that has all of this.

    `trace` and `database` are None where rocprof-sys wrote none, or an error kept it from being made. `joined`: how
    the dispatches of two runs were brought together, with `join` only; `joined_with` is rocprof-sys's process then,
    whose number the files have.
    """

    pid: int
    rank: int | None
    inputs: dict[str, dict[str, Any]]
    trace: Merged | None = None
    database: Merged | None = None
    joined: Joined | None = None
    joined_with: str = ""
    report: Path | None = None
    notes: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    exit_code: ExitCode = ExitCode.OK  # of the first error

    @property
    def merged(self) -> tuple[Merged, ...]:
        """The files that were made."""
        return tuple(one for one in (self.trace, self.database) if one is not None)

    def __str__(self) -> str:
        return process_name(self.pid, self.rank)

    def to_json(self) -> dict[str, Any]:
        """As in ``merge-<S>.json``."""
        return {
            "pid": self.pid,
            "rank": self.rank,
            "inputs": self.inputs,
            "perfetto": _file(self.trace),
            "rocpd": _file(self.database),
            "join": self.joined.to_json() if self.joined is not None else None,
            "notes": list(self.notes),
            "errors": list(self.errors),
        }


@dataclass(frozen=True)
class CombineResult:
    """The files of all processes in `output`, a trace and a database, and why one is missing."""

    output: Path
    combined: tuple[Combined, ...] = ()
    notes: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    exit_code: ExitCode = ExitCode.OK

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that were written."""
        return tuple(one.target for one in self.combined)

    @property
    def members(self) -> list[dict[str, Any]]:
        """What JSON has of each file."""
        return [
            {"file": str(one.target.absolute()), "processes": one.processes, "notes": list(one.notes)}
            for one in self.combined
        ]

    def to_json(self) -> dict[str, Any]:
        """As ``merge --combine --json`` prints it."""
        return {
            "schema": SCHEMA,
            "output": str(self.output),
            "combined": self.members,
            "notes": list(self.notes),
        }


@dataclass(frozen=True)
class MergeResult:
    """What a merge made. Nothing is raised for a process that failed: see `errors`.

    `only_own`, `only_host`: processes that one side alone has, as ``process 4711 (rank 2)``. `together`: the files of
    all processes, where they were asked for.
    """

    output: Path
    processes: tuple[MergedProcess, ...]
    only_own: tuple[str, ...] = ()
    only_host: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    join: bool = False
    together: CombineResult | None = None

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that were written: of all processes, then traces, databases and a report of each."""
        combined = self.together.files if self.together else ()
        merged = [one.target for kind in ("trace", "database") for p in self.processes if (one := getattr(p, kind))]
        reports = [process.report for process in self.processes if process.report is not None]
        return (*combined, *merged, *reports)

    @property
    def errors(self) -> tuple[str, ...]:
        """Why files are missing."""
        combined = self.together.errors if self.together else ()
        return (*(text for process in self.processes for text in process.errors), *combined)

    @property
    def exit_code(self) -> ExitCode:
        """0; with errors that of the first, or 7 where other files were merged: the output is not complete."""
        if self.errors and any(process.merged for process in self.processes):
            return ExitCode.OUTPUT_FAILED
        return next((process.exit_code for process in self.processes if process.errors), ExitCode.OK)

    def to_json(self) -> dict[str, Any]:
        """As ``merge --json`` prints it."""
        return {
            "schema": SCHEMA,
            "output": str(self.output.absolute()),
            "join": self.join,
            "processes": [process.to_json() for process in self.processes],
            "only_own": list(self.only_own),
            "only_rocprof_sys": list(self.only_host),
            "combined": self.together.members if self.together else [],
            "notes": list(self.notes),
        }


def _file(merged: Merged | None) -> dict[str, Any] | None:
    if merged is None:
        return None
    return {
        "file": str(merged.target.absolute()),
        "matched": merged.matched,
        "added": merged.added,
        "removed": merged.removed,
        "unmatched": merged.unmatched_count,
        "unmatched_first": [{"dispatch_id": one.dispatch_id, "reason": one.reason} for one in merged.unmatched],
        "notes": list(merged.notes),
    }
