# SPDX-License-Identifier: MIT
"""Checks of the files of a run: what `verify` finds, all of it or what is counted twice."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Final

from rocprofsys_multipass.errors import UsageError
from rocprofsys_multipass.spelling import did_you_mean, plural
from rocprofsys_multipass.testing.failure import (
    MOST_SHOWN,
    Failed,
    Failure,
    Source,
    outputs_of,
    raise_if,
    where_to_look,
)
from rocprofsys_multipass.trace import Trace

if TYPE_CHECKING:
    from rocprofsys_multipass.verify import Finding

DOUBLE_COUNT_CHECKS: Final = frozenset(
    {
        "canonical",  # a counter has one reading that stands for the dispatch
        "duplicates",
        "foreign-sums",  # a file of another tool adds counters up over passes; a warning where that is inferred
        "foreign-times",
        "perfetto-annotations",  # a slice has the canonical value
        "perfetto-lanes",  # slices that overlap are shown with each other's ends
        "perfetto-siblings",  # tracks of one name are merged
        "readable",
        "rocpd-counter-names",
        "rocpd-events",
        "rocpd-no-double-count",  # what readers without knowledge of passes see
        "rocpd-statistics",
    }
)
"""The checks of `verify` by which something would be counted more than once."""


def assert_no_double_count(source: Source) -> None:
    """Assert that nobody counts twice: each dispatch, and of each its counters, is there once for every reader.

    Looked at are all outputs of a run: the views that readers of a database query, the slices and tracks of a Perfetto
    trace, and the readings themselves.

    Args:
        source: a run directory, a file, or a trace: of one that was read from a run, its files.

    Raises:
        CheckError: an AssertionError; it tells file, dispatch and counter.
        TraceError: there is nothing to look at.
    """
    __tracebackhide__ = True
    raise_if(check_no_double_count(source))


def check_no_double_count(source: Source) -> Failed | None:
    """As `assert_no_double_count`, but what is wrong is returned."""
    found = [f for f in _findings(source) if f.severity != "info" and f.check in DOUBLE_COUNT_CHECKS]
    return _failed("counted twice, or not readable", found, source) if found else None


def assert_verified(source: Source, *, strict: bool = False, ignore: Collection[str] = ()) -> None:
    """Assert that `verify` finds no error in the outputs of a run.

    Args:
        source: a run directory, a file, or a trace: of one that was read from a run, its files.
        strict: whether warnings are errors.
        ignore: ids of checks whose findings do not matter here, such as ("outliers",).

    Raises:
        CheckError: an AssertionError; it has the findings, with what to do about each.
        UsageError: there is no check with an id of `ignore`.
        TraceError: there is nothing to look at.
    """
    __tracebackhide__ = True
    raise_if(check_verified(source, strict=strict, ignore=ignore))


def check_verified(source: Source, *, strict: bool = False, ignore: Collection[str] = ()) -> Failed | None:
    """As `assert_verified`, but what is wrong is returned."""
    from rocprofsys_multipass.verify import CHECKS

    if isinstance(ignore, str):
        message = f"ignore is {ignore!r}: give a collection of ids, such as ({ignore!r},)"
        raise UsageError(message)
    for name in ignore:
        if name not in CHECKS:
            hint = did_you_mean(name, CHECKS)
            message = f"ignore: {name!r} is no check of verify: {hint}`rocprofsys_multipass.verify.CHECKS` lists them"
            raise UsageError(message)
    bad = ("error", "warning") if strict else ("error",)
    found = [f for f in _findings(source) if f.severity in bad and f.check not in ignore]
    return _failed("not verified", found, source, "verify {}" + (" --strict" if strict else "")) if found else None


def _findings(source: Source) -> list[Finding]:
    from rocprofsys_multipass.verify.run import verify, verify_processes  # takes 0.3 s to load, with readers of traces

    if not isinstance(source, Trace):
        return verify(os.fspath(source))
    files = outputs_of(source)
    return verify(files) if files else verify_processes(source.processes)


def _failed(what: str, found: Sequence[Finding], source: Source, *commands: str) -> Failed:
    from rocprofsys_multipass.verify import SEVERITIES

    counts = [
        plural(number, severity)
        for severity in SEVERITIES
        if (number := sum(finding.severity == severity for finding in found))
    ]
    body = []
    for finding in found[:MOST_SHOWN]:
        body.append(f"{finding.severity} [{finding.check}] {finding.where}")
        body.append(f"  {finding.message}")
        body += [f"  {finding.hint}"] if finding.hint else []
    if len(found) > MOST_SHOWN:
        body.append(f"and {len(found) - MOST_SHOWN} more")
    hints = where_to_look(source, *commands) if isinstance(source, Trace) else [f"run: {os.fspath(source)}"]
    title = f"{what}: {', '.join(counts)}"
    return Failed(title, tuple(Failure(message=str(finding)) for finding in found), tuple(body), tuple(hints))
