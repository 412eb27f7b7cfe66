# SPDX-License-Identifier: MIT
"""Outputs written again from what a run left: the work of ``export``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rocprofsys_multipass.capture_loss import loss_text, read_loss
from rocprofsys_multipass.config import COMMAND_LINE, PYTHON, Wording, value_of
from rocprofsys_multipass.config.values import COMPUTE, DEFAULT_FORMATS, DEFAULT_LAYOUT, DEFAULT_TABLES, TABLES
from rocprofsys_multipass.converting import convert_database
from rocprofsys_multipass.errors import ExitCode, MultipassError, OutputError, TraceError, UsageError, missing
from rocprofsys_multipass.native import find_native
from rocprofsys_multipass.run.asked import asked_form
from rocprofsys_multipass.run.compute_folders import compute_name
from rocprofsys_multipass.run.computing import ComputeGiven, compute_of
from rocprofsys_multipass.run.export import (
    Form,
    export_journal,
    name_sidecar,
    other_warnings,
    output_file,
    output_files,
    refuse_source,
    sidecar_file,
)
from rocprofsys_multipass.run.leftovers import remove_leftovers
from rocprofsys_multipass.run.tables import write_tables
from rocprofsys_multipass.writing import make_folder, refuse_existing

if TYPE_CHECKING:
    from rocprofsys_multipass.compute import ModelExport

_KINDS: Final = {ExitCode.VERIFICATION_FAILED: TraceError, ExitCode.USAGE: UsageError}  # of errors, else OutputError


@dataclass(frozen=True)
class Written:
    """What became of one source. `files`: those that are there now, a journal itself first.

    Of folders for rocprofiler-compute the source is what was given, a run directory or a journal, and `models` has
    them. `exit_code` is 6 for a source that cannot be read, 7 where an output of it is not written.
    """

    source: Path
    files: tuple[Path, ...]
    warnings: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    exit_code: ExitCode = ExitCode.OK
    models: tuple[ModelExport, ...] = ()


def export(  # noqa: PLR0913 - the options of a command
    path: str | os.PathLike[str],
    formats: str | Sequence[str] | None = None,
    *,
    trace_counters: str | None = None,
    output: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    layout: str | None = None,
    compute_release: str | None = None,
    instances: str | None = None,
    include_partial: bool = False,
    kernel_medians: bool = False,
) -> list[Path]:
    """Write outputs of a run directory, or of one file of it.

    Args:
        path: a run directory (all journals in it), a ``.journal``, or, for tables, a ``.pftrace`` or ``.db``; with
            `layout`, a ``.db`` to convert.
        formats: of "perfetto", "rocpd", "csv", "csv-wide", "json", "parquet" and "compute"; default: the first two, of
            other files than journals "csv" and "json". "compute" is made of all journals together: in the folder
            ``compute`` one for each GPU model, for ``rocprof-compute analyze``; of one journal in ``compute-<id>``.
        trace_counters: of the Perfetto trace: "all", or "none": times only; default: what the run was asked for.
        output: folder for the files, made where it is missing; default: beside the source.
        overwrite: replace files that are there. Outputs beside their own journal are always replaced.
        layout: of the database: "canonical", or "strict": the readings of passes in a file beside it; default: what
            the run was asked for. Of a ``.db`` of this tool, and no `formats`: the file in the other layout, with all
            that is in it.
        compute_release: of rocprofiler-compute, for which "compute" is written: "3.3", "3.6" or "3.9"; default: what
            the run was asked for.
        instances: of "compute": "keep" writes the values of single L2 channels too, which the run must have recorded;
            "sum" does not; default: what was recorded.
        include_partial: of "compute": dispatches that lack counters, too. Averages then are over other dispatches for
            each counter.
        kernel_medians: of "compute": one dispatch for each launch shape, with medians over its launches.

    Returns:
        The files written.

    Raises:
        UsageError: there is nothing at `path`, or a format cannot be made of what is there.
        TraceError: a file cannot be read, or a folder holds no run.
        OutputError: a file cannot be written, or is there already. What could be written was.
    """
    folder = None if output is None else Path(output)
    given = ComputeGiven(
        value_of("compute-release", compute_release), value_of("instances", instances), include_partial, kernel_medians
    )
    made = export_all(
        Path(path),
        value_of("format", formats),
        folder,
        overwrite=overwrite,
        layout=value_of("layout", layout),
        trace_counters=value_of("trace-counters", trace_counters),
        compute=given,
        wording=PYTHON,
    )
    failed = [one for one in made if one.errors]
    if failed:
        raise _KINDS.get(failed[0].exit_code, OutputError)("; ".join(text for one in failed for text in one.errors))
    return [file for one in made for file in one.files if file != one.source]


def export_all(  # noqa: PLR0913 - what is asked for
    path: Path,
    formats: Sequence[str] | None,
    folder: Path | None,
    *,
    overwrite: bool,
    layout: str | None = None,
    trace_counters: str | None = None,
    compute: ComputeGiven | None = None,
    wording: Wording = COMMAND_LINE,
) -> list[Written]:
    """As `export`, with what is to be said of each source. A source that fails does not keep the next from it."""
    compute = compute or ComputeGiven()
    to_convert = layout if path.is_file() and set(formats or ("rocpd",)) == {"rocpd"} and _is_database(path) else None
    sources, names = _sources(path, formats) if to_convert is None else ([path], ("rocpd",))
    for option, given, of, kind in (
        ("layout", layout, "the database", "rocpd"),
        ("trace-counters", trace_counters, "the trace", "perfetto"),
    ):
        if given is not None and kind not in names:
            raise UsageError(f"{wording.option(option)}: it is of {of}, and no {kind} is written of {path}")
    compute.refuse_unused(names, path, wording)
    if to_convert is not None:
        return [_convert(path, to_convert, folder, overwrite=overwrite, wording=wording)]
    if folder is not None:
        make_folder(folder)
    files = tuple(name for name in names if name != COMPUTE)
    exporter = find_native().exporter if any(name not in TABLES for name in files) else None
    fix = None if overwrite else f"give {wording.give_overwrite}, or {wording.give_output}"
    done = [
        _export(
            source,
            files,
            folder,
            exporter,
            fix,
            wording,
            form=asked_form(source, layout=layout, trace_counters=trace_counters),
        )
        for source in sources
    ]
    return _with_compute(done, path, folder, compute, fix) if COMPUTE in names else done


def _with_compute(
    done: Sequence[Written], path: Path, folder: Path | None, given: ComputeGiven, fix: str | None
) -> list[Written]:
    """What was done, and the folders for rocprofiler-compute. They have their own result, behind those of sources."""
    journals = [one.source for one in done]
    place = journals[0].parent if folder is None else folder
    target = place / compute_name(None if path.is_dir() else path)
    try:
        if fix is not None and not _is_own(journals[0], folder):
            refuse_existing(target, fix)
    except MultipassError as error:
        return [*done, Written(path, (), errors=(str(error),), exit_code=error.exit_code)]
    made = compute_of(journals, target, given)
    read = [
        replace(one, errors=(*one.errors, text), exit_code=ExitCode.VERIFICATION_FAILED)
        if (text := made.unreadable.get(one.source)) and one.exit_code != ExitCode.VERIFICATION_FAILED
        else one
        for one in done
    ]
    errors = (made.error,) if made.error else ()
    warnings = made.warnings_beside(one.source for one in done if one.warnings)
    return [*read, Written(path, made.files, warnings, errors, made.exit_code, made.models)]


def with_loss(journal: Path, warnings: Sequence[str], wording: Wording) -> tuple[str, ...]:
    """The warnings of an export, with what the capture itself lost said once and with what to do."""
    loss = read_loss(journal)
    if loss is None:
        return tuple(warnings)
    return (*other_warnings(warnings, loss), loss_text(journal, loss, wording.give_output))


def _convert(path: Path, layout: str, folder: Path | None, *, overwrite: bool, wording: Wording) -> Written:
    """A database of this tool in the other layout: that in its own folder takes its place."""
    if folder is not None:
        make_folder(folder)
    target = output_file(path, "rocpd", folder)
    try:
        if not overwrite:
            fix = f"give {wording.give_overwrite}, or {wording.give_output}"
            for file in (target, *([sidecar_file(target)] if layout != DEFAULT_LAYOUT else [])):
                refuse_existing(file, fix)
        convert_database(path, layout, folder)
        if target.samefile(path):
            name_sidecar(target)
    except MultipassError as error:
        return Written(path, (), errors=(str(error),), exit_code=error.exit_code)
    return Written(path, tuple(file for file in (target, sidecar_file(target)) if file.is_file()))


def _export(  # noqa: PLR0913, PLR0917 - of what, where, how, and in whose words
    source: Path,
    formats: Sequence[str],
    folder: Path | None,
    exporter: Path | None,
    fix: str | None,
    wording: Wording,
    *,
    form: Form,
) -> Written:
    warnings = [*with_loss(source, (), wording)]
    code = ExitCode.OK
    errors: list[str] = []
    try:
        refuse_source(source, formats, folder)
        if fix is not None and not _is_own(source, folder):
            kinds = [*formats, "summary"] if exporter else list(formats)
            for kind in kinds:
                refuse_existing(output_file(source, kind, folder), fix)
            if "rocpd" in formats and form.layout != DEFAULT_LAYOUT:
                refuse_existing(sidecar_file(output_file(source, "rocpd", folder)), fix)
        if exporter is not None:
            exported = export_journal(exporter, source, formats, folder, form=form)
            warnings = [*with_loss(source, exported.warnings, wording)]
            if exported.error:
                remove_leftovers(source, folder)
                refuse_unreadable(source)
                errors.append(exported.error)
                code = ExitCode.OUTPUT_FAILED
        written = write_tables(source, formats, folder, None if exporter else warnings)
    except MultipassError as error:
        return Written(source, (), tuple(warnings), (*errors, str(error)), error.exit_code)
    files = output_files(source, formats, folder) if exporter else written
    return Written(source, tuple(files), tuple(warnings), tuple(errors), code)


def refuse_unreadable(source: Path) -> None:
    """TraceError where a file is none that a journal could be: why the exporter has made nothing of it."""
    from rocprofsys_multipass.trace.open import kind_of

    kind_of(source)


def _is_own(source: Path, folder: Path | None) -> bool:
    """Whether the outputs of that place belong to the source: a journal as a run leaves it, in its own folder."""
    here = folder is None or folder.resolve() == source.parent.resolve()
    return here and source.suffix == ".journal" and source.name.startswith("multipass-")


def _sources(path: Path, formats: Sequence[str] | None) -> tuple[list[Path], tuple[str, ...]]:
    """The files to export, and what to make of them."""
    if path.is_dir():
        journals = journals_of(path)
        if journals:
            return journals, tuple(formats or DEFAULT_FORMATS)
        others = _readable(path) if set(formats or TABLES) <= set(TABLES) else []
        if others:
            return others, tuple(formats or DEFAULT_TABLES)
    if not path.is_file():
        raise nothing_at(path)
    if not _is_other(path):
        return [path], tuple(formats or DEFAULT_FORMATS)
    wrong = [name for name in formats or () if name not in TABLES]
    if wrong == ["rocpd"] and _is_database(path):
        raise UsageError(f"{path} is a database: to have it in another layout, say in which: canonical or strict")
    if wrong:
        raise UsageError(
            f"{path} is no journal, and {wrong[0]} is made of one: give the journal of the run, or ask for one of "
            f"{', '.join(TABLES)}"
        )
    return [path], tuple(formats or DEFAULT_TABLES)


def nothing_at(path: Path) -> MultipassError:
    """What is wrong with a path where outputs cannot be made of anything."""
    if path.is_dir():
        return TraceError(
            f"{path} holds no multipass-*.journal: nothing was captured, or it is no run directory; give the one that "
            "`run --output` named"
        )
    if path.exists():
        return TraceError(f"{path} is no regular file: write what comes from it to a file first, and give that")
    return missing(path)


def journals_of(folder: Path) -> list[Path]:
    """The journals in a run directory, by name."""
    return sorted(path for path in folder.glob("multipass-*.journal") if path.is_file())


def _readable(folder: Path) -> list[Path]:
    """The databases of a folder without journals, else its traces."""
    from rocprofsys_multipass.trace.open import files_of_run

    files = files_of_run(folder)
    return files["rocpd"] or files["perfetto"]


def _is_database(path: Path) -> bool:
    from rocprofsys_multipass.trace.open import kind_of

    try:
        return kind_of(path) == "rocpd"
    except TraceError:
        return False


def _is_other(path: Path) -> bool:
    """Whether a file is a trace or a database. What is none of ours is left to the exporter, and told then."""
    from rocprofsys_multipass.trace.open import kind_of

    try:
        return kind_of(path) != "journal"
    except TraceError:
        return False
