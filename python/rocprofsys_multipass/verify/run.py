# SPDX-License-Identifier: MIT
"""Runs the checks and puts their findings in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import rocprofsys_multipass.verify.structure  # noqa: F401  first: what cannot be read is told before all else
from rocprofsys_multipass.errors import TraceError
from rocprofsys_multipass.trace.late import collector_paused
from rocprofsys_multipass.trace.model import Process
from rocprofsys_multipass.verify import (  # noqa: F401  importing a module of checks registers them
    agreement,
    clocks,
    databases,
    foreign,
    gpus,
    journals,
    launches,
    lifted,
    parity,
    replay_views,
    rotation,
    schema,
    stats,
    summaries,
    tables,
    times,
    traces,
    values,
    verdicts,
    versions,
)
from rocprofsys_multipass.verify.evidence import Evidence, collect
from rocprofsys_multipass.verify.finding import SEVERITIES, Finding
from rocprofsys_multipass.verify.limits import Limits
from rocprofsys_multipass.verify.registry import Check, chosen_checks

MORE: Final = " more like those above"  # ends the message of a finding that stands for those left out
MOST_PER_CHECK: Final = 20  # findings of one check about one file that are listed
SAID_ONCE: Final = frozenset({"perfetto-stats"})  # checks whose notes are about this machine, not about a file


def verify(  # noqa: PLR0913 - all but the first by name
    path: str | Path | Sequence[str | Path],
    *,
    strict: bool = False,
    checks: Iterable[str] = (),
    skip: Iterable[str] = (),
    most: int | None = MOST_PER_CHECK,
    limits: Limits | None = None,
) -> list[Finding]:
    """Checks the outputs of a run, each by itself and against each other, worst finding first.

    `path`: a run directory, a journal, a `.pftrace`, a `.db`, or several of them; files with the same name and
    different endings are compared. `strict`: every warning counts as an error. `checks`: ids of the only checks to run,
    all without; `skip`: ids of those that are not run. `most`: findings of one check and severity about one file that
    are listed before one tells how many more there are; None: all. `limits`: from where on numbers are doubted.
    An empty list, or one without errors, means: nothing wrong was found. TraceError: there is nothing to verify.
    UsageError: there is no check of that id.
    """
    paths = [path] if isinstance(path, (str, Path)) else list(path)
    chosen = chosen_checks(checks, skip)
    with collector_paused(), collect(Path(p) for p in paths) as runs:
        for evidence in runs:
            evidence.limits = limits or evidence.limits
        found = _found(runs, chosen, most)
    if strict:
        found = [replace(f, severity="error") if f.severity == "warning" else f for f in found]
    return sorted(found, key=lambda f: SEVERITIES.index(f.severity))


def verify_processes(processes: Sequence[Process]) -> list[Finding]:
    """As `verify`, of processes that are in no file: what looks at files finds nothing."""
    runs = [
        Evidence(process.path.name, journal=process, of_run=list(processes), folder=process.path.parent)
        for process in processes
    ]
    found = _found(runs, chosen_checks(), MOST_PER_CHECK)
    return sorted(found, key=lambda f: SEVERITIES.index(f.severity))


def _found(runs: Iterable[Evidence], checks: Sequence[Check], most: int | None) -> list[Finding]:
    found = [finding for evidence in runs for one in checks for finding in _limited(_run(one, evidence), most)]
    return list(_once(found))


def _run(one: Check, evidence: Evidence) -> Iterator[Finding]:
    """Findings of a check; a file that it cannot read is a finding too, and keeps no other check from running."""
    if not foreign.applies(one.id, evidence):
        return
    try:
        for finding in one.function(evidence):
            path = evidence.folder / finding.where.split(":", 1)[0]
            hint = finding.hint or (one.remedy if finding.severity != "info" else "")
            yield replace(finding, hint=hint, path=str(path) if path.is_file() else "")
    except TraceError as error:
        message, _, hint = str(error).partition("; ")
        named, _, text = message.partition(": ")
        file = Path(named)
        if not text or file.parent != evidence.folder:
            yield Finding("error", one.id, evidence.name, message, hint)
        elif all(file != known for known, _ in evidence.unreadable):  # else check readable has said it
            yield Finding("error", one.id, file.name, text, hint, str(file))
    except Exception as error:  # noqa: BLE001  the other checks still tell what they find
        hint = "a file is damaged in a way that this check does not expect; what it would have said is not known"
        yield Finding("error", one.id, evidence.name, f"internal: {type(error).__name__}: {error}", hint)


def _once(findings: Sequence[Finding]) -> Iterator[Finding]:
    """Notes that hold for several files alike become one, which says how many."""
    alike = Counter(f.message for f in findings if f.severity == "info" and f.check in SAID_ONCE)
    for finding in findings:
        if finding.severity != "info" or finding.check not in SAID_ONCE:
            yield finding
            continue
        files = alike.pop(finding.message, 0)
        if files:
            where = f"{finding.where} and {files - 1} more" if files > 1 else finding.where
            yield replace(finding, where=where)


def _limited(findings: Iterable[Finding], most: int | None) -> Iterator[Finding]:
    count: Counter[tuple[str, str]] = Counter()
    last: dict[tuple[str, str], Finding] = {}
    for finding in findings:
        key = (str(finding.severity), finding.where.split(":", 1)[0])
        count[key] += 1
        last[key] = finding
        if most is None or count[key] <= most:
            yield finding
    for kind, one in last.items():
        if most is not None and count[kind] > most:
            yield replace(one, where=kind[1], message=f"{count[kind] - most}{MORE}", hint="")
