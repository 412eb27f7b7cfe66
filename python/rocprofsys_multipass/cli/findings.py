# SPDX-License-Identifier: MIT
"""Findings of ``verify`` on a terminal: file by file, the worst first, what to do once for those that are alike."""

from __future__ import annotations

from collections import Counter, defaultdict
from textwrap import wrap
from typing import TYPE_CHECKING

from rich.markup import escape

from rocprofsys_multipass.spelling import plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import Console

    from rocprofsys_multipass.verify import Finding

SHOWN_OF_EACH = 6  # findings of one check about one file
SHOWN_FILES = 10
_NARROWEST = 40  # characters of a line
_COLOURS = {"error": "red", "warning": "yellow", "info": "default"}
_WORDS = {"error": "error", "warning": "warning", "info": "note"}


def show_findings(findings: Sequence[Finding], terminal: Console, *, every: bool = False) -> None:
    """What was found, and how much of each severity in the last line.

    Without `every` the first of each check and the worst files; how many are left out is said.
    """
    files: dict[str, list[Finding]] = defaultdict(list)
    of_machine = [] if every else [finding for finding in findings if _is_of_machine(finding)]
    for finding in findings:  # worst first, and so are the files
        if finding in of_machine:
            continue
        files[finding.path or finding.where.partition(":")[0]].append(finding)
    for number, (path, found) in enumerate(files.items()):
        if number == SHOWN_FILES and not every:
            terminal.print(f"{len(files) - number} more files with findings; --all shows them")
            break
        terminal.print(f"[bold]{escape(path)}[/bold]: {_counts(found, absent=False)}", soft_wrap=True)
        _of_file(found, terminal, every=every)
    for finding in of_machine:
        terminal.print(f"note: {escape(finding.message)} (verify --explain {finding.check})", soft_wrap=True)
    terminal.print(f"verified: {_counts(findings, absent=True)}")


def _of_file(found: Sequence[Finding], terminal: Console, *, every: bool) -> None:
    checks: dict[tuple[str, str], list[Finding]] = defaultdict(list)
    for finding in found:
        checks[finding.severity, finding.check].append(finding)
    for (severity, check), alike in checks.items():
        listed = [f for f in alike if not _left_out(f)]
        shown = listed if every else listed[:SHOWN_OF_EACH]
        hints = {f.hint for f in shown}
        together = len(hints) == 1
        terminal.print(f"  [{_COLOURS[severity]}]{_WORDS[severity]}[/{_COLOURS[severity]}] {check}")
        for finding in shown:
            place = finding.where.partition(":")[2].strip()
            _print(terminal, 4, f"{place}: {finding.message}" if place else finding.message)
            if finding.hint and not together:
                _print(terminal, 6, f"-> {finding.hint}")
        more = sum(map(_number, alike)) - len(shown)
        if more:
            _print(terminal, 4, f"... and {more} more; --all shows them")
        if together and any(hints):
            _print(terminal, 4, f"-> {hints.pop()}")


def _print(terminal: Console, indent: int, text: str) -> None:
    """With its indent in every line of a terminal; whole in a file or pipe, where lines are searched."""
    lines = [text]
    if terminal.is_terminal:
        lines = wrap(text, max(terminal.width - indent, _NARROWEST), break_long_words=False, break_on_hyphens=False)
    for line in lines:
        terminal.print(" " * indent + escape(line), soft_wrap=True)


def _counts(findings: Iterable[Finding], *, absent: bool) -> str:
    """``2 errors, 1 note``; with `absent` also what there is none of."""
    counts: Counter[str] = Counter()
    for finding in findings:
        counts[finding.severity] += _number(finding)
    parts = [(counts[severity], word) for severity, word in _WORDS.items()]
    return ", ".join(plural(n, word) for n, word in parts if n or absent)


def _is_of_machine(finding: Finding) -> bool:
    """Whether it is said of every file on this machine: one line has room for it."""
    from rocprofsys_multipass.verify.run import SAID_ONCE  # loads the trace readers

    return finding.severity == "info" and finding.check in SAID_ONCE


def _left_out(finding: Finding) -> bool:
    from rocprofsys_multipass.verify.run import MORE  # loads the trace readers

    return finding.message.endswith(MORE)


def _number(finding: Finding) -> int:
    """How many findings one stands for."""
    return int(finding.message.partition(" ")[0]) if _left_out(finding) else 1
