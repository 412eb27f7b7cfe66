# SPDX-License-Identifier: MIT
"""The checks of ``doctor`` as text: the worst first, then one line that says how it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.markup import escape
from rich.table import Table

from rocprofsys_multipass.doctor import Status

if TYPE_CHECKING:
    from rich.console import Console

    from rocprofsys_multipass.doctor import Check, Diagnosis

_PLAIN_WIDTH = 120  # columns, where no terminal says how wide a line may be
_COLOURS = {Status.PROBLEM: "red", Status.WARNING: "yellow", Status.NOTE: "cyan", Status.OK: "green"}
_ORDER = (Status.PROBLEM, Status.WARNING, Status.NOTE, Status.OK)
_WORDS = {Status.PROBLEM: "problem", Status.WARNING: "warning", Status.NOTE: "note"}


def show_diagnosis(diagnosis: Diagnosis, terminal: Console) -> None:
    """Print every check, problems first, and the verdict."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold", ratio=1)
    for status in _ORDER:
        for check in diagnosis.checks:
            if check.status is status:
                colour = _COLOURS[status]
                table.add_row(f"[{colour}]{status.value}[/{colour}]", escape(check.id), escape(_text(check)))
    width = terminal.width if terminal.is_terminal else _PLAIN_WIDTH
    terminal.print(table, width=width)
    terminal.print(f"[bold]{escape(verdict(diagnosis))}[/bold]", width=width)


def _text(check: Check) -> str:
    """What was found and, of what is not as it should be, where and what to do."""
    if check.status is Status.OK:
        return check.found
    todo = f"\n-> {check.todo}" if check.todo else ""
    where = f" [{check.where}]" if check.where and check.where not in check.found + todo else ""
    return check.found + where + todo


def verdict(diagnosis: Diagnosis) -> str:
    """``not ready: 1 problem, 2 warnings, 3 notes, 12 ok``."""
    counts = [(diagnosis.count(status), word) for status, word in _WORDS.items()]
    parts = [f"{count} {word}{'' if count == 1 else 's'}" for count, word in counts if count]
    parts.append(f"{diagnosis.count(Status.OK)} ok")
    problems = diagnosis.count(Status.PROBLEM)
    of_what = f" (simulated {diagnosis.simulated})" if diagnosis.simulated else ""
    return f"{'not ready' if problems else 'ready'}{of_what}: {', '.join(parts)}"
