# SPDX-License-Identifier: MIT
"""Runs the checks and puts their findings in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from rocprofsys_multipass.errors import TraceError
from rocprofsys_multipass.trace.late import collector_paused

# Importing a module of checks registers them.
from rocprofsys_multipass.verify import (
    agreement,
    databases,
    foreign,
    gpus,
    journals,
    parity,
    stats,
    structure,
    summaries,
    tables,
    traces,
    values,
    verdicts,
)
from rocprofsys_multipass.verify.evidence import Evidence, collect
from rocprofsys_multipass.verify.finding import SEVERITIES, Finding
from rocprofsys_multipass.verify.registry import CHECKS, Check

CHECK_MODULES: Final = (
    structure,
    journals,
    summaries,
    databases,
    traces,
    stats,
    parity,
    gpus,
    tables,
    agreement,
    verdicts,
    values,
    foreign,
)
MOST_PER_CHECK: Final = 20  # findings of one check about one file that are listed
SAID_ONCE: Final = frozenset({"perfetto-stats"})  # checks whose notes are about this machine, not about a file


def verify(path: str | Path | Sequence[str | Path], *, strict: bool = False) -> list[Finding]:
    """Checks the outputs of a run, each by itself and against each other, worst finding first.

    `path`: a run directory, a journal, a `.pftrace`, a `.db`, or several of them; files with the same name and
    different endings are compared. `strict`: every warning counts as an error.
    An empty list, or one without errors, means: nothing wrong was found. TraceError: there is nothing to verify.
    """
    paths = [path] if isinstance(path, (str, Path)) else list(path)
    with collector_paused(), collect(Path(p) for p in paths) as runs:
        found = [finding for evidence in runs for one in CHECKS.values() for finding in _limited(_run(one, evidence))]
    found = list(_once(found))
    if strict:
        found = [replace(f, severity="error") if f.severity == "warning" else f for f in found]
    return sorted(found, key=lambda f: SEVERITIES.index(f.severity))


def _run(one: Check, evidence: Evidence) -> Iterator[Finding]:
    """Findings of a check; a file that it cannot read is a finding too, and keeps no other check from running."""
    if not foreign.applies(one.id, evidence):
        return
    try:
        yield from one.function(evidence)
    except TraceError as error:
        message, _, hint = str(error).partition("; ")
        yield Finding("error", one.id, evidence.name, message, hint)
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


def _limited(findings: Iterable[Finding]) -> Iterator[Finding]:
    count: Counter[tuple[str, str]] = Counter()
    last: dict[tuple[str, str], Finding] = {}
    for finding in findings:
        key = (str(finding.severity), finding.where.split(":", 1)[0])
        count[key] += 1
        last[key] = finding
        if count[key] <= MOST_PER_CHECK:
            yield finding
    for kind, one in last.items():
        if count[kind] > MOST_PER_CHECK:
            yield replace(one, where=kind[1], message=f"{count[kind] - MOST_PER_CHECK} more like those above", hint="")
