# SPDX-License-Identifier: MIT
"""The merge of one process: its trace, its database, and the report of both."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, NoReturn

from rocprofsys_multipass.errors import MultipassError, OutputError, TraceError
from rocprofsys_multipass.merge.database.merge import merge_database
from rocprofsys_multipass.merge.join.match import match_runs
from rocprofsys_multipass.merge.merged import Merged
from rocprofsys_multipass.merge.pairing import OwnProcess
from rocprofsys_multipass.merge.result import SCHEMA, MergedProcess
from rocprofsys_multipass.merge.texts import text_note
from rocprofsys_multipass.merge.trace.merge import merge_trace
from rocprofsys_multipass.rocprof_sys.files import HostProcess
from rocprofsys_multipass.writing import unwritable, writing

_FORMATS: Final = {"trace": "perfetto", "database": "rocpd"}
Pairs = Mapping[int, int]


@dataclass(frozen=True)
class Task:
    """One process, and where its files go. A target is None where rocprof-sys has no such file."""

    own: OwnProcess
    host: HostProcess
    trace: Path | None
    database: Path | None
    report: Path

    @property
    def targets(self) -> tuple[Path, ...]:
        """The files that are to be made."""
        return tuple(path for path in (self.trace, self.database, self.report) if path is not None)


def merge_process(task: Task, *, join: bool) -> MergedProcess:
    """Merge its files. What fails is told, and the rest goes on; nothing is raised."""
    merged = MergedProcess(pid=task.own.pid, rank=task.own.rank, inputs=_inputs(task))
    pairs: Pairs | None = None
    try:
        if join:
            merged, pairs = _matched(task, merged)
    except Exception as error:  # noqa: BLE001 - as below
        return _failed(merged, error, task.report)
    own, host = task.own, task.host
    for kind, theirs, ours, target in (
        ("trace", host.trace, own.trace, task.trace),
        ("database", host.database, own.database, task.database),
    ):
        if theirs is None or target is None:
            continue
        try:
            made = _merger(kind)(theirs, ours or _missing(own, kind, theirs), target, join=pairs)
            merged = replace(merged, trace=made) if kind == "trace" else replace(merged, database=made)
        except Exception as error:  # noqa: BLE001 - a fault of the merge of one file keeps no other from being merged
            merged = _failed(merged, error, target)
    if note := text_note(task.host.texts, merged.trace, merged.database):
        merged = replace(merged, notes=(*merged.notes, note))
    return _with_report(merged, task.report)


def _failed(merged: MergedProcess, error: Exception, target: Path) -> MergedProcess:
    """The same with an error more."""
    failure = error if isinstance(error, MultipassError) else told(error, target)
    code = merged.exit_code or failure.exit_code
    return replace(merged, errors=(*merged.errors, *failure.messages), exit_code=code)


def told(error: Exception, target: Path) -> MultipassError:
    """What is said of an error of the system, or of a fault of this tool."""
    if not isinstance(error, OSError):
        fault = f"{type(error).__name__}: {error}"
        return OutputError(
            f"{target}: not made by a fault of this tool ({fault}): leave its inputs there and report it"
        )
    if error.filename is None or Path(os.fsdecode(error.filename)).parent == target.parent:
        return unwritable(target, error)
    return TraceError(f"{os.fsdecode(error.filename)}: {error.strerror}; check the path and its permissions")


def _merger(kind: str) -> Callable[..., Merged]:
    """The function for a kind of file."""
    return merge_trace if kind == "trace" else merge_database


def _missing(own: OwnProcess, kind: str, host: Path) -> NoReturn:
    """Say how a file of this tool is made that was not exported."""
    raise OutputError(
        f"{host}: nothing to merge into it, since {own.summary.stem} has no such file: make it with "
        f"`rocprof-sys-multipass export {own.summary.parent} --format {_FORMATS[kind]}`"
    )


def _matched(task: Task, merged: MergedProcess) -> tuple[MergedProcess, Pairs]:
    """Which dispatch of rocprof-sys's run is which of this tool's; both kinds of files are merged by this."""
    host = task.host.database or task.host.trace
    own = task.own.journal or task.own.database
    if host is None or own is None:
        _missing(task.own, "database", host or task.report)
    found = match_runs(host, own)
    if not found.pairs:
        raise TraceError(f"{host}: none of its dispatches is in {own}: {found.obstacle}; give two runs of one program")
    return replace(merged, joined=found, joined_with=str(task.host)), found.pairs


def _inputs(task: Task) -> dict[str, dict[str, Any]]:
    own, host = task.own, task.host
    return {
        "own": {"summary": _text(own.summary), "perfetto": _text(own.trace), "rocpd": _text(own.database)},
        "rocprof_sys": {
            "perfetto": _text(host.trace),
            "rocpd": _text(host.database),
            "metadata": _text(host.metadata),
            "texts": [str(path.absolute()) for path in host.texts],
        },
    }


def _text(path: Path | None) -> str | None:
    return None if path is None else str(path.absolute())


def _with_report(merged: MergedProcess, path: Path) -> MergedProcess:
    """The same with its report, which is written where something was merged."""
    if not merged.merged:
        return merged
    try:
        with writing(path) as stream:
            json.dump({"schema": SCHEMA, **merged.to_json()}, stream, indent=1)
            stream.write("\n")
    except OutputError as error:
        return _failed(merged, error, path)
    return replace(merged, report=path)
