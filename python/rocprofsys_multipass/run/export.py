# SPDX-License-Identifier: MIT
"""Output files of a journal, made by the program ``rocprofsys-multipass-export``."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rocprofsys_multipass.config.values import DEFAULT_LAYOUT, FILE_FORMATS, TRACE_COUNTERS
from rocprofsys_multipass.errors import OutputError
from rocprofsys_multipass.native import read_messages
from rocprofsys_multipass.run.process import signal_name
from rocprofsys_multipass.run.progress import progress_descriptor
from rocprofsys_multipass.writing import writing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocprofsys_multipass.capture_loss import CaptureLoss

SUMMARY_SCHEMA = 1
# In the plugin's warnings that records are missing from a journal (library/tool/tool.cpp, compared by a test).
DROPPED = " records were dropped: "
LOSSES = (DROPPED, "the program ran unprofiled: ")
# In the exporter's warning of a journal without a last frame (library/apps/export/journal_pass.cpp, met by a test).
_ENDS_EARLY = "the capture ends early: "
_LACKS = ("the capture could not be written to its end: ", "the capture is not whole: ")
_SUFFIXES = {"perfetto": ".pftrace", "rocpd": ".db"}
_TABLES = {  # first word and suffix of a name; no two outputs have the same name
    "csv": ("multipass-", ".csv"),
    "csv-wide": ("wide-", ".csv"),
    "json": ("readings-", ".json"),
    "parquet": ("multipass-", ".parquet"),
}
_SIDECAR = "-replay.db"  # behind the stem of a database in layout strict (library/output/rocpd/layout.hpp)
_SIDECAR_MEMBER = "rocpd_replay"  # of `files` in the summary
_SUMMARY_ONLY = "summary"  # how the exporter calls no format at all
_OURS = "multipass-"


@dataclass(frozen=True)
class Form:
    """How database and trace are written; the options ``layout`` and ``trace-counters`` say more."""

    layout: str = DEFAULT_LAYOUT
    trace_counters: str = TRACE_COUNTERS[0]

    def words(self) -> list[str]:
        """As the exporter takes it."""
        words = [] if self.layout == DEFAULT_LAYOUT else ["--layout", self.layout]
        return words if self.trace_counters == TRACE_COUNTERS[0] else [*words, "--trace-counters", self.trace_counters]


@dataclass(frozen=True)
class Exported:
    """What the exporter said of one journal, in its own words. `error` is empty when all outputs were written."""

    warnings: tuple[str, ...]
    error: str


def export_journal(
    exporter: Path, journal: Path, formats: Sequence[str], folder: Path | None = None, *, form: Form | None = None
) -> Exported:
    """Write the summary of a journal, and of `formats` what the exporter makes, beside it or into `folder`.

    `form`: of database and trace. Whatever comes of it, the journal is still there.
    """
    path = journal.absolute()  # the summary names the files, and is read from anywhere
    wanted = [name for name in formats if name in _SUFFIXES] or [_SUMMARY_ONLY]
    command = [str(exporter), str(path), "--format", ",".join(wanted)]
    command += (form or Form()).words()
    if folder is not None:
        command += ["--output", str(folder.absolute())]
    try:
        answer = _answer(command)
    except OSError as failure:
        return Exported((), f"{journal} could not be exported: {exporter}: {failure.strerror}")
    said = read_messages(answer.stderr)
    error = ""
    if answer.returncode != 0:
        error = f"{journal} could not be exported: {said.reason or _ending(answer.returncode) + ', no reason given'}"
    return Exported(said.warnings, error)


def _answer(command: list[str]) -> subprocess.CompletedProcess[str]:
    """What an exporter said and how it ended. Its progress goes past it, to the user."""
    with progress_descriptor() as shown:
        return subprocess.run(
            command if shown is None else [*command, "--progress", str(shown)],
            pass_fds=() if shown is None else (shown,),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )


def is_early_end(warning: str) -> bool:
    """Whether a warning of the exporter says that a journal has no last frame."""
    return _ENDS_EARLY in warning


def tells_loss(warning: str) -> bool:
    """Whether a warning of plugin or exporter says what the header of the journal says too (`capture_loss`)."""
    return DROPPED in warning or any(words in warning for words in _LACKS)


def other_warnings(warnings: Sequence[str], loss: CaptureLoss | None) -> list[str]:
    """Those of the exporter that say something else; also an early end has its reason in a write error."""
    if loss is None:
        return list(warnings)
    return [text for text in warnings if not (tells_loss(text) or (loss.error and is_early_end(text)))]


def plugin_warnings(summary: dict[str, Any], journal: Path, exported: Exported) -> list[str]:
    """Those of a summary's warnings that the plugin gave, while the application ran."""
    own = {text.removeprefix(f"{journal.absolute()}: ") for text in exported.warnings}
    return [text for text in summary["warnings"] if text not in own]


def is_loss(warning: str) -> bool:
    """Whether a warning of the plugin says that records are missing."""
    return any(words in warning for words in LOSSES)


def _ending(code: int) -> str:
    return f"killed by {signal_name(-code)}" if code < 0 else f"exit code {code}"


def read_summary(journal: Path) -> dict[str, Any]:
    """The summary that belongs to a journal (schema 1).

    Raises:
        OutputError: there is none, or it is no summary.
    """
    path = journal.with_suffix(".json")
    try:
        summary = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        message = f"the summary {path} cannot be read: {error}"
        raise OutputError(message) from error
    if not isinstance(summary, dict) or summary.get("schema") != SUMMARY_SCHEMA:
        message = (
            f"the summary {path} is not of schema {SUMMARY_SCHEMA}: exporter and package are of different versions"
        )
        raise OutputError(message)
    return summary


def output_file(journal: Path, kind: str, folder: Path | None = None) -> Path:
    """Path of an output of a journal: `kind` is one of `FILE_FORMATS`, or "summary".

    The summary has the name ``.json`` of a run to itself, and the tidy table ``.csv``: others have another first word.
    """
    place = journal.parent if folder is None else folder
    word, suffix = _TABLES.get(kind, (_OURS, ({**_SUFFIXES, "summary": ".json"}).get(kind, "")))
    return place / f"{journal.stem if word == _OURS else word + journal.stem.removeprefix(_OURS)}{suffix}"


def output_files(journal: Path, formats: Sequence[str], folder: Path | None = None) -> list[Path]:
    """The files that exist for a journal: itself first, then those of `formats` and the summary."""
    kinds = [name for name in (*_SUFFIXES, *_TABLES) if name in formats]
    candidates = [journal, *(output_file(journal, kind, folder) for kind in (*kinds, "summary"))]
    if "rocpd" in kinds:
        database = output_file(journal, "rocpd", folder)
        candidates.insert(candidates.index(database) + 1, sidecar_file(database))
    return [path for path in candidates if path.is_file()]


def sidecar_file(database: Path) -> Path:
    """Where a database in layout strict has the readings of passes."""
    return database.with_name(database.stem + _SIDECAR)


def name_sidecar(database: Path) -> None:
    """Have the summary beside a database that was converted in its place name the sidecar, or none any more.

    OutputError: the summary cannot be written. What is none, or names another database, stays as it is.
    """
    try:
        summary = read_summary(database)
    except OutputError:
        return
    files = summary.get("files")
    if not isinstance(files, dict) or not str(files.get("rocpd", "")).endswith(f"/{database.name}"):
        return
    files.pop(_SIDECAR_MEMBER, None)
    if sidecar_file(database).is_file():
        files[_SIDECAR_MEMBER] = str(sidecar_file(Path(files["rocpd"])))
    with writing(output_file(database, "summary")) as stream:
        stream.write(json.dumps(summary, indent=1, ensure_ascii=False) + "\n")


def refuse_source(source: Path, formats: Sequence[str], folder: Path | None = None) -> None:
    """OutputError where an output of `formats`, or the summary, would replace the file that it is made of.

    So a journal is not lost that has the name of an output, or to which a link of that name leads.
    """
    kinds = [name for name in formats if name in FILE_FORMATS]
    for kind in (*kinds, *(["summary"] if any(name in _SUFFIXES for name in formats) else [])):
        path = output_file(source, kind, folder)
        if path.exists() and path.samefile(source):
            raise OutputError(
                f"{path} is the source itself and was not replaced: give it another name "
                "(that of a journal ends in .journal), or take away the link"
            )
