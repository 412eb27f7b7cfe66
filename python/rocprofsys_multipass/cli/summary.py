# SPDX-License-Identifier: MIT
"""What ``run`` and ``demo`` print at the end: agents, the first dispatches, outcomes, files."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any, TextIO

from rich.markup import escape
from rich.table import Table

from rocprofsys_multipass.cli.agreement_lines import agreement_lines
from rocprofsys_multipass.cli.command import console
from rocprofsys_multipass.cli.messages import invocation, show_files
from rocprofsys_multipass.cli.plan_table import headline, passes
from rocprofsys_multipass.errors import MultipassError
from rocprofsys_multipass.run import signal_name

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    if ending := _ending(run):
        terminal.print(ending)
    for summary in run.summaries:
        _show_process(summary, terminal, several=len(run.summaries) > 1)
    if count := len(run.warnings) + len(run.live_warnings):
        terminal.print(f"[yellow]{count} warning{'' if count == 1 else 's'}[/yellow], see above")
    if any(summary["dispatches"]["seen"] for summary in run.summaries):
        _show_dispatches(run, terminal)
    for summary in run.summaries:
        for line in agreement_lines(summary):
            terminal.print(escape(line))
    if run.files:
        collected = not run.summaries or any(a["pass_count"] for summary in run.summaries for a in summary["agents"])
        terminal.print("files:" if collected else "files, without a reading:")
        show_files(run.files, terminal, hints=collected)


def _ending(run: Run) -> str:
    """``the application was killed by SIGKILL``; empty when it succeeded."""
    if run.child_signal:
        return f"the application was killed by {signal_name(run.child_signal)}"
    return f"the application ended with exit code {run.child_exit_code}" if run.child_exit_code else ""


def _show_process(summary: dict[str, Any], terminal: Console, *, several: bool) -> None:
    if several:
        terminal.print(f"process {summary['pid']}:")
    for agent in summary["agents"]:
        bounds = (agent["pass_count"], agent["lower_bound"])
        terminal.print(escape(headline(agent["name"], agent["device"], *bounds, proven=agent["proven_minimal"])))
        if agent["pass_count"] and (more := _more_executions(summary)):
            terminal.print(f"  a replayed launch runs {passes(agent['pass_count'])}{more}")
        for counter in agent["unplaceable"]:
            kind = "not in one pass" if "," in counter["counter"] else "cannot be placed"
            terminal.print(f"  [red]{kind}:[/red] {escape(counter['counter'])}: {escape(counter['reason'])}")
    if summary["dispatches"]["seen"] or any(agent["pass_count"] for agent in summary["agents"]):
        terminal.print(_outcomes(summary["dispatches"]))


def _more_executions(summary: dict[str, Any]) -> str:
    """`` + warm-up + timing``: what replayed launches run beside the passes of the plan."""
    wanted = (("warm-up", "warm_up_pass"), ("timing", "timing_pass"))  # an older exporter does not tell
    more = "".join(f" + {name}" for name, member in wanted if summary.get(member))
    replays = more and summary["replay_mode"] not in ("rotate", "off") and summary["sdk"]["kernel_replay"]
    return more if replays else ""


def _outcomes(dispatches: dict[str, Any]) -> str:
    """``9 dispatches: 6 replayed, 3 declined (3 graph)``."""
    parts = [f"{dispatches[name]} {name}" + _reasons(dispatches, name) for name in _OUTCOMES if dispatches[name]]
    seen = dispatches["seen"]
    return escape(f"{seen} dispatch{'' if seen == 1 else 'es'}" + (f": {', '.join(parts)}" if parts else ""))


def _reasons(dispatches: dict[str, Any], outcome: str) -> str:
    """`` (3 graph)``; nothing where the summary has no reasons."""
    found = dispatches.get(f"{outcome}_reasons", {})
    reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(found.items()))
    return f" ({reasons})" if reasons else ""


def _show_dispatches(run: Run, terminal: Console) -> None:
    seen = sum(summary["dispatches"]["seen"] for summary in run.summaries)
    if seen > _MAX_READ:
        terminal.print(f"the table is long: {escape(invocation())} report {escape(shlex.quote(str(run.output_dir)))}")
        return
    from rocprofsys_multipass.trace import open_trace  # loaded after the application has ended

    # Not the whole folder: processes of other ranks may still write there.
    journals = [path for path in run.files if path.suffix == ".journal"]
    try:
        dispatches = [dispatch for journal in journals for dispatch in open_trace(journal).dispatches()]
    except MultipassError as error:
        terminal.print(f"[yellow]warning:[/yellow] the dispatches cannot be shown: {escape(str(error))}")
        return
    _show_table(dispatches, terminal, several=len(run.summaries) > 1)


def _show_table(dispatches: Sequence[Dispatch], terminal: Console, *, several: bool) -> None:
    """With `several` processes, each of which counts its dispatches from 1, the first column says which one.

    A column of GPUs is there when there is more than one of them.
    """
    gpus = len({dispatch.agent.device for dispatch in dispatches}) > 1
    replayed = any(p.index is not None for dispatch in dispatches for p in dispatch.passes)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    times = ["pass 0 time", "over passes"] if replayed else ["time"]
    for heading in (*(["process"] if several else []), "dispatch", *(["GPU"] if gpus else []), "passes", *times):
        table.add_column(heading, justify="right")
    table.add_column("outcome")
    table.add_column("kernel", no_wrap=True)
    for dispatch in dispatches[:_MAX_ROWS]:
        process = [str(dispatch.process)] if several else []
        gpu = [str(dispatch.agent.device)] if gpus else []
        table.add_row(*process, str(dispatch.dispatch_id), *gpu, *_row(dispatch, replayed=replayed))
    terminal.print(table)
    if len(dispatches) > _MAX_ROWS:
        terminal.print(f"... and {len(dispatches) - _MAX_ROWS} more")


def _row(dispatch: Dispatch, *, replayed: bool) -> tuple[str, ...]:
    from rocprofsys_multipass.report.document import over_passes  # loads the trace readers
    from rocprofsys_multipass.report.numbers import duration

    kernel = dispatch.kernel if len(dispatch.kernel) <= _MAX_KERNEL else dispatch.kernel[: _MAX_KERNEL - 3] + "..."
    return (
        str(len(dispatch.passes)),
        duration(dispatch.duration_ns),
        *([over_passes(dispatch.duration_spread)] * replayed),
        escape(f"{dispatch.outcome} ({dispatch.reason})" if dispatch.reason else dispatch.outcome),
        escape(kernel),
    )
