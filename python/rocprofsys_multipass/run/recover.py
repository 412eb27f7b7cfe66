# SPDX-License-Identifier: MIT
"""Outputs of a run that died, made from its journals: the work of ``recover``.

What is whole stays as it is. A journal that is still being written is left alone.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from rocprofsys_multipass.capture_loss import read_loss
from rocprofsys_multipass.config import COMMAND_LINE, PYTHON, Wording, value_of
from rocprofsys_multipass.config.values import COMPUTE, DEFAULT_FORMATS, FILE_FORMATS
from rocprofsys_multipass.errors import ExitCode, MultipassError, OutputError, TraceError
from rocprofsys_multipass.journal_layout import FILE_MAGIC, HEADER
from rocprofsys_multipass.native import find_native
from rocprofsys_multipass.run.asked import asked_form, asked_formats
from rocprofsys_multipass.run.compute_folders import compute_name, is_computed
from rocprofsys_multipass.run.computing import ComputeGiven, compute_of, with_command
from rocprofsys_multipass.run.export import (
    export_journal,
    output_file,
    output_files,
    read_summary,
    refuse_source,
)
from rocprofsys_multipass.run.leftovers import remove_leftovers
from rocprofsys_multipass.run.outputs import journals_of, nothing_at, with_loss
from rocprofsys_multipass.run.tables import write_tables
from rocprofsys_multipass.run.writers import in_use
from rocprofsys_multipass.spelling import were

if TYPE_CHECKING:
    from rocprofsys_multipass.compute import ModelExport

State = Literal["recovered", "complete", "empty", "failed"]

_SQLITE_PAGES: Final = slice(28, 32)  # number of pages, in the header of a database
_SQLITE_PAGE_SIZE: Final = slice(16, 18)
_SQLITE_LARGEST: Final = 65536  # bytes of a page, written as 1
_LAST: Final = {"json": b"}\n", "parquet": b"PAR1"}  # bytes of a table that is whole
_MISSING: Final = "the process died, or left by _exit, before it closed the journal"


@dataclass(frozen=True)
class Recovered:
    """What became of one journal.

    `state`: "recovered" (`files` were written), "complete" (nothing was to be done), "empty" (the process died before
    it recorded anything), "failed" (see `error`). `dispatches` and `readings` are those in the journal. `notes` say
    what is lost, with the byte at which the file ends. Of the folder for rocprofiler-compute, which is made of all of
    them, `journal` is that folder, and `models` has those in it.
    """

    journal: Path
    state: State
    dispatches: int = 0
    readings: int = 0
    notes: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()
    warnings: tuple[str, ...] = ()
    error: str = ""
    exit_code: ExitCode = ExitCode.OK
    models: tuple[ModelExport, ...] = ()


def recover(
    path: str | os.PathLike[str], formats: str | Sequence[str] | None = None, *, overwrite: bool = False
) -> list[Recovered]:
    """Make the outputs that the journals of a run directory, or one journal, lack.

    Args:
        path: a run directory, or a journal.
        formats: what to make; default: what the run was asked for, else "perfetto" and "rocpd".
        overwrite: write outputs that are whole, too.

    Returns:
        One result per journal, by name; then one of the folder for rocprofiler-compute, where that was to be made.

    Raises:
        UsageError: there is no journal, or a format that is none.
        TraceError: `path` is a file that is no journal.
        OutputError: a journal is still being written, or an output cannot be written. What could be written was.
    """
    done = recover_all(Path(path), value_of("format", formats), overwrite=overwrite, wording=PYTHON)
    failed = [one for one in done if one.error]
    if failed:
        kind = TraceError if failed[0].exit_code == ExitCode.VERIFICATION_FAILED else OutputError
        raise kind("; ".join(one.error for one in failed))
    return done


def recover_all(
    path: Path, formats: Sequence[str] | None, *, overwrite: bool, wording: Wording = COMMAND_LINE
) -> list[Recovered]:
    """As `recover`; a journal that fails is in the result."""
    journals = [path] if path.is_file() else journals_of(path) if path.is_dir() else []
    if not journals:
        raise nothing_at(path)
    done = [_recover(journal, formats, overwrite=overwrite) for journal in journals]
    told = [
        replace(one, notes=one.notes + _in_flight(one), warnings=with_loss(one.journal, one.warnings, wording))
        for one in done
    ]
    return [*told, *_recover_compute(path, told, formats, overwrite=overwrite)]


def _recover_compute(
    path: Path, done: Sequence[Recovered], formats: Sequence[str] | None, *, overwrite: bool
) -> list[Recovered]:
    """The folder for rocprofiler-compute, where one was to be made and is not whole.

    A folder is whole where it is there, for then it gets its name, and no journal was recovered since. Wrappers of
    ranks make one of each journal in place of one of all.
    """
    asked = [one for one in done if COMPUTE in (formats or asked_formats(one.journal))]
    there = [one for one in asked if one.state in {"recovered", "complete"}]
    if not any(one.dispatches for one in there):
        return []
    place = asked[0].journal.parent
    of_all, own = place / compute_name(), [place / compute_name(one.journal) for one in there]
    is_whole = is_computed(of_all) or all(map(is_computed, own))
    if is_whole and not overwrite and all(one.state == "complete" for one in there):
        return []
    lost = [one.journal.name for one in done if one.state == "failed"]  # what one was asked for may not be known
    return [_compute([one.journal for one in there], of_all if path.is_dir() else own[0], lost)]


def _compute(journals: Sequence[Path], target: Path, lost: Sequence[str]) -> Recovered:
    """That folder made. `lost`: names of journals that are not in it."""
    made = compute_of(journals, target, ComputeGiven())
    warnings = [with_command(text, target.parent) for text in made.warnings_beside(journals)]
    if lost:
        warnings.insert(0, f"{target}: made without {', '.join(lost)}, see the error above: no dispatch of it is there")
    errors = [*made.unreadable.values(), *([with_command(made.error, target.parent)] if made.error else [])]
    return Recovered(
        target,
        "failed" if errors else "recovered",
        dispatches=sum(model.dispatches for model in made.models),
        files=made.files,
        warnings=tuple(warnings),
        error="; ".join(errors),
        exit_code=made.exit_code or (ExitCode.VERIFICATION_FAILED if errors else ExitCode.OK),
        models=made.models,
    )


def _recover(journal: Path, formats: Sequence[str] | None, *, overwrite: bool) -> Recovered:
    try:
        if _is_empty(journal):
            return Recovered(journal, "empty", notes=("the process died before it recorded anything",))
        return _recover_readable(journal, formats, overwrite=overwrite)
    except MultipassError as error:
        return Recovered(journal, "failed", error=str(error), exit_code=error.exit_code)
    except OSError as error:
        text = f"{journal}: {error.strerror}; check the path and its permissions"
        return Recovered(journal, "failed", error=text, exit_code=ExitCode.VERIFICATION_FAILED)


def _in_flight(done: Recovered) -> tuple[str, ...]:
    """What its last checkpoint says of a process that died."""
    if done.state not in {"recovered", "complete"}:
        return ()
    try:
        capture = read_summary(done.journal).get("capture")
    except OutputError:  # somebody has removed it
        return ()
    count = capture.get("in_flight") if isinstance(capture, dict) else None
    return (f"{were(count, 'dispatch')} in flight at its last checkpoint",) if count else ()


def _is_empty(journal: Path) -> bool:
    """Whether the file ends in or right behind its header."""
    with journal.open("rb") as file:
        start = file.read(HEADER.size + 1)
    return len(start) <= HEADER.size and start[: len(FILE_MAGIC)] == FILE_MAGIC[: len(start)]


def _recover_readable(journal: Path, formats: Sequence[str] | None, *, overwrite: bool) -> Recovered:
    from rocprofsys_multipass.trace.open import kind_of
    from rocprofsys_multipass.trace.stream import open_streams

    if kind_of(journal) != "journal":
        raise TraceError(f"{journal} is no journal, but an output; give the .journal, or the run directory")
    before = journal.stat().st_size
    with open_streams(journal) as (stream,):
        process = stream.process
    if why := in_use(journal, process.pid):
        raise OutputError(f"{journal} is still being written: {why}; recover it when that has ended")
    found = Recovered(
        journal,
        "complete",
        dispatches=stream.count,
        readings=process.values_recorded or 0,
        notes=(*process.notes, *(() if process.closed or _could_not_be_written(journal) else (_MISSING,))),
    )
    wanted = [name for name in (formats or asked_formats(journal)) if name != COMPUTE]
    refuse_source(journal, [*DEFAULT_FORMATS, *wanted])
    found = replace(found, notes=(*found.notes, *remove_leftovers(journal)))
    lacking = wanted if overwrite else _lacking(found, wanted)
    if not lacking:
        return replace(found, files=tuple(output_files(journal, wanted)))
    done = _write(found, [kind for kind in lacking if kind in FILE_FORMATS], wanted)
    if journal.stat().st_size != before and not done.error:
        text = f"{journal} grew while it was read: a process writes it; recover it again when that has ended"
        return replace(done, state="failed", error=text, exit_code=ExitCode.OUTPUT_FAILED)
    return done


def _could_not_be_written(journal: Path) -> bool:
    """Whether a write error ended it, of which a warning tells."""
    loss = read_loss(journal)
    return loss is not None and loss.error != 0


def _write(found: Recovered, kinds: Sequence[str], wanted: Sequence[str]) -> Recovered:
    exported = export_journal(find_native().exporter, found.journal, kinds, form=asked_form(found.journal))
    errors = [exported.error] if exported.error else []
    try:
        write_tables(found.journal, kinds)
    except MultipassError as error:
        errors.append(str(error))
    return replace(
        found,
        state="failed" if errors else "recovered",
        files=tuple(output_files(found.journal, wanted)),
        warnings=exported.warnings,
        error="; ".join(errors),
        exit_code=ExitCode.OUTPUT_FAILED if errors else ExitCode.OK,
    )


def _lacking(found: Recovered, wanted: Sequence[str]) -> list[str]:
    """What of `wanted`, or "summary", is not there, is cut, or was made of less than the journal holds now."""
    try:
        summary = read_summary(found.journal)
    except OutputError:
        return ["summary", *(kind for kind in wanted if not _is_whole(output_file(found.journal, kind), kind))]
    if _counts(summary) != (found.dispatches, found.readings):
        return ["summary", *wanted]
    return [kind for kind in wanted if not _is_whole(output_file(found.journal, kind), kind)]


def _counts(summary: dict[str, Any]) -> tuple[object, object]:
    dispatches = summary.get("dispatches")
    seen = dispatches.get("seen") if isinstance(dispatches, dict) else None
    return seen, summary.get("readings")


def _is_whole(path: Path, kind: str) -> bool:
    """Whether a file is there and not cut. Files get their names when they are whole; a copy may be cut."""
    try:
        size = path.stat().st_size
        if kind == "rocpd":
            return _is_whole_database(path, size)
        if kind == "perfetto":
            return _is_whole_trace(path)
        with path.open("rb") as file:
            file.seek(max(0, size - 4))
            return file.read().endswith(_LAST.get(kind, b"\n"))
    except (OSError, ValueError):
        return False


def _is_whole_database(path: Path, size: int) -> bool:
    with path.open("rb") as file:
        header = file.read(100)
    page = int.from_bytes(header[_SQLITE_PAGE_SIZE], "big")
    pages = int.from_bytes(header[_SQLITE_PAGES], "big")
    return size > 0 and size == pages * (_SQLITE_LARGEST if page == 1 else page) and _has_sidecar(path)


def _has_sidecar(path: Path) -> bool:
    """Whether what a database in layout strict has beside it is there, not cut, and of the same run."""
    from rocprofsys_multipass.trace.database import open_database
    from rocprofsys_multipass.trace.sidecar import is_strict, sidecar_of, sidecar_problem

    try:
        with open_database(path) as db:
            if not is_strict(db):
                return True
            sidecar = sidecar_of(db)
            return not sidecar_problem(db) and sidecar is not None and _is_whole(sidecar, "rocpd")
    except TraceError:
        return False


def _is_whole_trace(path: Path) -> bool:
    from rocprofsys_multipass.trace.wire import packets

    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return sum(1 for _ in packets(data)) > 0
