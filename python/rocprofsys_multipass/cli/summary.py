# SPDX-License-Identifier: MIT
"""What ``run`` and ``demo`` print at the end: agents, the first dispatches, outcomes, files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TextIO

from rich.markup import escape
from rich.table import Table

from rocprofsys_multipass.cli.command import console
from rocprofsys_multipass.cli.messages import show_files
from rocprofsys_multipass.cli.plan_table import passes
from rocprofsys_multipass.errors import MultipassError

if TYPE_CHECKING:
    from rich.console import Console

    from rocprofsys_multipass.run import Run
    from rocprofsys_multipass.trace import Dispatch

_MAX_ROWS = 20
# Above this, the end of a run does not wait for a second reading of everything: `report` shows the table.
_MAX_READ = 50_000
_MAX_KERNEL = 60
_OUTCOMES = ("replayed", "single_pass", "declined", "filtered", "incomplete")


def show_run(run: Run, stream: TextIO) -> None:
    """Print the summary of a run."""
    terminal = console(stream)
    for summary in run.summaries:
        _show_process(summary, terminal, several=len(run.summaries) > 1)
    if any(summary["dispatches"]["seen"] for summary in run.summaries):
        _show_dispatches(run, terminal)
    if run.files:
        terminal.print("files:")
        show_files(run.files, terminal)


def _show_process(summary: dict[str, Any], terminal: Console, *, several: bool) -> None:
    if several:
        terminal.print(f"process {summary['pid']}:")
    for agent in summary["agents"]:
        proof = "proven minimal" if agent["proven_minimal"] else "not proven minimal"
        terminal.print(
            escape(
                f"{agent['name']} (GPU {agent['device']}): {passes(agent['pass_count'])} "
                f"(lower bound {agent['lower_bound']}, {proof})"
            )
        )
        for counter in agent["unplaceable"]:
            terminal.print(f"  [red]cannot be placed:[/red] {escape(counter['counter'])}: {escape(counter['reason'])}")
    if count := len(summary["warnings"]):
        # The plugin and the exporter said each of them when it came up.
        terminal.print(f"[yellow]{count} warning{'' if count == 1 else 's'}[/yellow], see above")
    terminal.print(_outcomes(summary["dispatches"]))


def _outcomes(dispatches: dict[str, Any]) -> str:
    """``9 dispatches: 6 replayed, 3 declined (3 graph)``."""
    reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(dispatches["declined_reasons"].items()))
    parts = [
        f"{dispatches[name]} {name}" + (f" ({reasons})" if name == "declined" and reasons else "")
        for name in _OUTCOMES
        if dispatches[name]
    ]
    seen = dispatches["seen"]
    return escape(f"{seen} dispatch{'' if seen == 1 else 'es'}" + (f": {', '.join(parts)}" if parts else ""))


def _show_dispatches(run: Run, terminal: Console) -> None:
    seen = sum(summary["dispatches"]["seen"] for summary in run.summaries)
    if seen > _MAX_READ:
        terminal.print(f"the table is long: rocprof-sys-multipass report {escape(str(run.output_dir))}")
        return
    from rocprofsys_multipass.trace import open_trace  # loaded after the application has ended

    try:
        dispatches = list(open_trace(run.output_dir).dispatches())
    except MultipassError as error:
        terminal.print(f"[yellow]warning:[/yellow] the dispatches cannot be shown: {escape(str(error))}")
        return
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("dispatch", "passes", "time, us"):
        table.add_column(heading, justify="right")
    table.add_column("outcome")
    table.add_column("kernel", no_wrap=True)
    for dispatch in dispatches[:_MAX_ROWS]:
        table.add_row(*_row(dispatch))
    terminal.print(table)
    if len(dispatches) > _MAX_ROWS:
        terminal.print(f"... and {len(dispatches) - _MAX_ROWS} more")


def _row(dispatch: Dispatch) -> tuple[str, ...]:
    duration = "-" if dispatch.duration_ns is None else f"{dispatch.duration_ns / 1000:.2f}"
    kernel = dispatch.kernel if len(dispatch.kernel) <= _MAX_KERNEL else dispatch.kernel[: _MAX_KERNEL - 3] + "..."
    return (
        str(dispatch.dispatch_id),
        str(len(dispatch.passes)),
        duration,
        escape(f"{dispatch.outcome} ({dispatch.reason})" if dispatch.reason else dispatch.outcome),
        escape(kernel),
    )
