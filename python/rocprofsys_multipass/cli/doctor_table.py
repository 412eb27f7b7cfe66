# SPDX-License-Identifier: MIT
"""The checks of ``doctor`` as text: the worst first, then one line that says how it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.markup import escape
from rich.table import Table

from rocprofsys_multipass.doctor import Status
from rocprofsys_multipass.spelling import plural

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from rich.console import Console

    from rocprofsys_multipass.doctor import Check, Diagnosis

_PLAIN_WIDTH = 120  # columns, where no terminal says how wide a line may be
_COLOURS = {Status.PROBLEM: "red", Status.WARNING: "yellow", Status.NOTE: "cyan", Status.OK: "green"}
_ORDER = (Status.PROBLEM, Status.WARNING, Status.NOTE, Status.OK)
_WORDS = {Status.PROBLEM: "problem", Status.WARNING: "warning", Status.NOTE: "note"}


def show_diagnosis(diagnosis: Diagnosis, terminal: Console, report: Path | None = None) -> None:
    """Print every check, problems first, then those of the self-test in their order, and the verdict.

    `report`: where its report was written.
    """
    width = terminal.width if terminal.is_terminal else _PLAIN_WIDTH
    tested = diagnosis.selftest.checks if diagnosis.selftest else ()
    others = diagnosis.checks[: len(diagnosis.checks) - len(tested)]
    names = max((len(check.id) for check in diagnosis.checks), default=0)
    _show(sorted(others, key=lambda one: _ORDER.index(one.status)), terminal, names, width)
    if tested:
        simulated = _simulated(diagnosis)
        where = f"on the simulator ({simulated})" if simulated else "on this machine"
        terminal.print(f"\n[bold]What holds {escape(where)}[/bold]", width=width)
        _show(tested, terminal, names, width)
        terminal.print()
    terminal.print(f"[bold]{escape(verdict(diagnosis))}[/bold]", width=width)
    if report is not None:
        terminal.print(escape(f"report: {report}, to be attached where you ask for help"), soft_wrap=True)


def _simulated(diagnosis: Diagnosis) -> str:
    """The devices that the self-test ran on; empty: real ones."""
    tested = diagnosis.selftest
    return "" if tested is None else tested.devices or tested.ground.devices


def _show(checks: Iterable[Check], terminal: Console, names: int, width: int) -> None:
    """A line for each, in this order. What is to be copied has a line of its own, unbroken."""
    table = _table(names)
    for check in checks:
        colour = _COLOURS[check.status]
        text, copied = _text(check)
        table.add_row(f"[{colour}]{check.status.value}[/{colour}]", escape(check.id), escape(text))
        if copied:
            terminal.print(table, width=width)
            terminal.print(escape(copied), soft_wrap=True)
            table = _table(names)
    terminal.print(table, width=width)


def _table(names: int) -> Table:
    """One with columns as wide as those of the others."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(no_wrap=True, min_width=max(len(status.value) for status in Status))
    table.add_column(no_wrap=True, min_width=names)
    table.add_column(overflow="fold", ratio=1)
    return table


def _text(check: Check) -> tuple[str, str]:
    """What was found and, of what is not as it should be, where and what to do; and what to copy."""
    if check.status is Status.OK:
        return check.found, ""
    todo, _, copied = check.todo.partition("\n")
    where = f" [{check.where}]" if check.where and check.where not in check.found + check.todo else ""
    return check.found + where + (f"\n-> {todo}" if todo else ""), copied


def verdict(diagnosis: Diagnosis) -> str:
    """``not ready: 1 problem, 2 warnings, 3 notes, 12 ok``."""
    counts = [(diagnosis.count(status), word) for status, word in _WORDS.items()]
    parts = [plural(count, word) for count, word in counts if count]
    parts.append(f"{diagnosis.count(Status.OK)} ok")
    problems = diagnosis.count(Status.PROBLEM)
    of_what = f" (simulated {diagnosis.simulated})" if diagnosis.simulated else ""
    return f"{'not ready' if problems else 'ready'}{of_what}: {', '.join(parts)}"
