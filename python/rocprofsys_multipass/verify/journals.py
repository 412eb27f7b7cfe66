# SPDX-License-Identifier: MIT
"""Checks of the journal and of the summary made from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from rocprofsys_multipass.trace.model import OUTCOMES
from rocprofsys_multipass.verify.evidence import Evidence
from rocprofsys_multipass.verify.finding import Finding
from rocprofsys_multipass.verify.registry import check


@check("journal-there")
def journal_there(evidence: Evidence) -> Iterator[Finding]:
    """The journal is beside the outputs, so that they can be compared with what was captured."""
    if evidence.journal is None and not any(p.suffix == ".journal" for p, _ in evidence.unreadable):
        hint = "plan, readings and times can only be compared between the files that are here"
        yield Finding("info", "journal-there", evidence.name, "there is no journal beside the outputs", hint)


@check("journal-whole")
def journal_whole(evidence: Evidence) -> Iterator[Finding]:
    """The journal was closed in order, and all of it can be read."""
    journal = evidence.journal
    if journal is None:
        return
    where = journal.path.name
    for note in journal.notes:
        # A torn tail is what a killed process leaves, and expected; other damage is not.
        torn = note.startswith("the file ends inside")
        hint = "the process was killed while it wrote" if torn else "the file was changed after it was written"
        yield Finding("warning" if torn else "error", "journal-whole", where, note, hint)
    if not journal.closed:
        hint = "the process died or still runs; what it had recorded is there: `rocprof-sys-multipass export`"
        yield Finding("info", "journal-whole", where, "the journal has no last frame", hint)


@check("trace-notes")
def trace_notes(evidence: Evidence) -> Iterator[Finding]:
    """Everything in the Perfetto trace belongs to a dispatch that is in it."""
    for process in evidence.from_trace:
        for note in process.notes:
            yield Finding("error", "trace-notes", process.path.name, note, "write the trace again from the journal")


@check("warnings")
def warnings(evidence: Evidence) -> Iterator[Finding]:
    """Repeats what the tool itself warned of during the run."""
    for process in evidence.best:
        for text in process.warnings:
            yield Finding("info", "warnings", process.path.name, f"during the run: {text}")


@check("summary")
def summary(evidence: Evidence) -> Iterator[Finding]:
    """The counts of the summary add up and are those of the journal."""
    if evidence.summary is None or evidence.summary_path is None:
        return
    counts: dict[str, Any] = evidence.summary.get("dispatches", {})
    where = f"{evidence.summary_path.name}: dispatches"
    total = sum(int(counts.get(outcome, 0)) for outcome in OUTCOMES)
    if counts.get("seen") != total:
        yield Finding("error", "summary", where, f"seen is {counts.get('seen')}, the outcomes add up to {total}")
    recorded = Counter(d.outcome for process in evidence.best for d in process.dispatches)
    for outcome in OUTCOMES:
        if counts.get(outcome, 0) != recorded[outcome]:
            message = f"{counts.get(outcome, 0)} {outcome}, {recorded[outcome]} are recorded"
            yield Finding("error", "summary", where, message, "write the summary again with `export`")
