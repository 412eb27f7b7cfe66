# SPDX-License-Identifier: MIT
"""Output files of a journal, made by the program ``rocprofsys-multipass-export``."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

from rocprofsys_multipass.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SUMMARY_SCHEMA = 1
_SUFFIXES = {"perfetto": ".pftrace", "rocpd": ".db"}


def export_journal(exporter: Path, journal: Path, formats: Sequence[str]) -> None:
    """Write the outputs of one journal beside it.

    Raises:
        OutputError: the exporter did not succeed; the message is its own. The journal is still there.
    """
    command = [str(exporter), str(journal), "--format", ",".join(formats)]
    answer = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if answer.returncode != 0:
        reason = answer.stderr.strip() or f"exit code {answer.returncode}, no reason given"
        message = f"{journal} could not be exported: {reason}"
        raise OutputError(message)


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


def output_files(journal: Path, formats: Sequence[str]) -> list[Path]:
    """The files that exist for a journal: itself first, then those of `formats` and the summary."""
    suffixes = [_SUFFIXES[name] for name in _SUFFIXES if name in formats]
    candidates = [journal, *(journal.with_suffix(suffix) for suffix in (*suffixes, ".json"))]
    return [path for path in candidates if path.is_file()]
