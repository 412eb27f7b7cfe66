# SPDX-License-Identifier: MIT
"""What ``run`` and ``demo`` print at the end: agents, the first dispatches, outcomes, files."""

from __future__ import annotations

import shlex
import signal
from collections import Counter
from io import StringIO
from typing import TYPE_CHECKING, Any, TextIO

from rich.markup import escape

from rocprofsys_multipass.cli.agreement_lines import agreement_lines
from rocprofsys_multipass.cli.command import console
from rocprofsys_multipass.cli.compute_lines import show_models
from rocprofsys_multipass.cli.lost_lines import lost_lines
from rocprofsys_multipass.cli.many import alike, of_summary, show_all_files
from rocprofsys_multipass.cli.merged_lines import show_merge
from rocprofsys_multipass.cli.messages import invocation
from rocprofsys_multipass.cli.plan_table import headline, passes
from rocprofsys_multipass.config.values import COMPUTE
from rocprofsys_multipass.errors import MultipassError
from rocprofsys_multipass.run import signal_name
from rocprofsys_multipass.spelling import plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rich.console import Console
    from rich.table import Table

    from rocprofsys_multipass.run import Run
    from rocprofsys_multipass.trace import Dispatch

_MAX_ROWS = 20
# Above this, the end of a run does not wait for a second reading of everything: `report` shows the table.
_MAX_READ = 50_000
_MAX_KERNEL = 60
_LEAST_KERNEL = 12
_LEAST_WIDTH = 60
_TIMES = {"pass 0": "pass 0 time", "timing pass": "timing pass"}  # headings of times, by whose they are
_ENDED_BY_OTHERS = (signal.SIGHUP, signal.SIGINT, signal.SIGKILL, signal.SIGTERM)
_OUTCOMES = ("replayed", "single_pass", "declined", "filtered", "incomplete")


def show_run(run: Run, stream: TextIO, rank: int | None = None) -> None:
    """Print the summary of a run. `rank`: of this wrapper, which is one of several.

    Then what it says is written at once, because the others write to the same place; and those of ranks above 0 say
    one line as long as there is nothing that rank 0 may not have said.
    """
    if rank is None or stream.isatty():
        _show_run(run, console(stream), rank)
        return
    text = StringIO()
    if rank and not _is_remarkable(run):
        seen = "; ".join(_outcomes(summary["dispatches"]) for summary in run.summaries)
        paths = [*(path.with_suffix(".*") for path in run.files), *(model.path for model in run.models)]
        names = ", ".join(dict.fromkeys(map(str, paths)))
        console(text).print(escape(f"rank {rank}: {seen}: {names}"), soft_wrap=True)
    else:
        _show_run(run, console(text), rank)
    stream.write(text.getvalue())


def _is_remarkable(run: Run) -> bool:
    """Whether a run was other than one hopes: then its rank says all."""
    agents = [agent for summary in run.summaries for agent in summary["agents"]]
    kernels = [one for summary in run.summaries for one in summary.get("kernels_agreement", ())]
    return (
        bool(_ending(run) or run.errors or not run.files)
        or any(agent["unplaceable"] or not agent["pass_count"] for agent in agents)
        or any(one[aspect]["verdict"] == "not" for one in kernels for aspect in ("work", "clock", "cache"))
    )


def _show_run(run: Run, terminal: Console, rank: int | None) -> None:
    several = len(run.summaries) > 1
    if ending := _ending(run):
        terminal.print(ending)
        if _replay_may_be_why(run):
            terminal.print("  if it succeeds with --replay rotate, kernel replay did not restore memory that it needs")
    for names, lines in alike(run.summaries, _process_lines, of_summary):
        if several or rank is not None:
            terminal.print(f"{names}{', each' * (' processes ' in names)}:")
        for line in lines:
            terminal.print(line)
    if count := len(run.warnings) + len(run.live_warnings):
        terminal.print(f"[yellow]{plural(count, 'warning')}[/yellow], see above")
    if any(summary["dispatches"]["seen"] for summary in run.summaries):
        dispatches = _show_dispatches(run, terminal)
        _show_closing(run, dispatches, terminal)
    for names, lines in alike(run.summaries, agreement_lines, of_summary):
        for line in lines:
            terminal.print(escape(f"{names}: {line}" if several else line))
    _show_files(run, terminal, rank, several=several or rank is not None)


def _show_files(run: Run, terminal: Console, rank: int | None, *, several: bool) -> None:
    if run.merged:
        show_merge(run.merged, terminal)
        show_all_files(run.merged.files, terminal)
    if run.files:
        collected = not run.summaries or any(a["pass_count"] for summary in run.summaries for a in summary["agents"])
        terminal.print("files:" if collected else "files, without a reading:")
        show_all_files(run.files, terminal, hints=collected)
        show_models(run.models, terminal)
        if any(summary["dispatches"]["seen"] for summary in run.summaries):
            terminal.print(f"all counters of each kernel: {_report(run)}; as a page: --html FILE", soft_wrap=True)
    if several and run.files:
        folder = run.merged.output if run.merged else run.output_dir
        words = escape(f"{invocation()} merge {shlex.quote(str(folder))} --combine")
        terminal.print(f"all processes in one trace and one database: {words}", soft_wrap=True)
    if rank is not None and any(model.path.parent.name != COMPUTE for model in run.models):
        words = escape(f"{invocation()} export {shlex.quote(str(run.output_dir))} --format compute")
        terminal.print(f"all ranks in one folder for rocprofiler-compute: {words}", soft_wrap=True)


def _report(run: Run) -> str:
    """The command that shows all of a run, as markup."""
    return escape(f"{invocation()} report {shlex.quote(str(run.output_dir))}")


def _ending(run: Run) -> str:
    """``the application was killed by SIGKILL``; empty when it succeeded."""
    if run.child_signal:
        return f"the application was killed by {signal_name(run.child_signal)}"
    return f"the application ended with exit code {run.child_exit_code}" if run.child_exit_code else ""


def _replay_may_be_why(run: Run) -> bool:
    """Whether an application that failed had launches replayed; not where somebody else ended it."""
    replayed = any(summary["dispatches"]["replayed"] for summary in run.summaries)
    return replayed and run.child_signal not in _ENDED_BY_OTHERS


def _process_lines(summary: Mapping[str, Any]) -> Iterator[str]:
    """GPUs, what could not be placed, and outcomes, as markup."""
    for agent in summary["agents"]:
        bounds = (agent["pass_count"], agent["lower_bound"])
        head = headline(agent["name"], agent["device"], *bounds, proven=agent["proven_minimal"])
        yield escape(head + ", simulated" * summary.get("sdk", {}).get("simulated", False))
        if agent["pass_count"] and (more := _more_executions(summary)):
            yield f"  a replayed launch runs {passes(agent['pass_count'])}{more}"
        for counter in agent["unplaceable"]:
            kind = "not in one pass" if "," in counter["counter"] else "cannot be placed"
            yield f"  [red]{kind}:[/red] {escape(counter['counter'])}: {escape(counter['reason'])}"
    if summary["dispatches"]["seen"] or any(agent["pass_count"] for agent in summary["agents"]):
        yield escape(_outcomes(summary["dispatches"]))
    yield from map(escape, lost_lines(summary))


def _more_executions(summary: Mapping[str, Any]) -> str:
    """`` + warm-up + timing``: what replayed launches run beside the passes of the plan."""
    wanted = (("warm-up", "warm_up_pass"), ("timing", "timing_pass"))  # an older exporter does not tell
    more = "".join(f" + {name}" for name, member in wanted if summary.get(member))
    return more if summary["dispatches"]["replayed"] else ""


def _outcomes(dispatches: Mapping[str, Any]) -> str:
    """``9 dispatches: 6 replayed, 3 declined (3 graph)``."""
    parts = [f"{dispatches[name]:,} {name}" + _reasons(dispatches, name) for name in _OUTCOMES if dispatches[name]]
    return plural(dispatches["seen"], "dispatch") + (f": {', '.join(parts)}" if parts else "")


def _reasons(dispatches: Mapping[str, Any], outcome: str) -> str:
    """`` (3 graph)``; nothing where the summary has no reasons."""
    found = dispatches.get(f"{outcome}_reasons", {})
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in sorted(found.items()))
    return f" ({reasons})" if reasons else ""


def _show_dispatches(run: Run, terminal: Console) -> Sequence[Dispatch]:
    """Those that it read."""
    seen = sum(summary["dispatches"]["seen"] for summary in run.summaries)
    if seen > _MAX_READ:
        terminal.print(f"the table is long: {_report(run)}")
        return ()
    from rocprofsys_multipass.trace import open_trace  # loaded after the application has ended

    # Not the whole folder: processes of other ranks may still write there.
    journals = [path for path in run.files if path.suffix == ".journal"]
    try:
        dispatches = [dispatch for journal in journals for dispatch in open_trace(journal).dispatches()]
    except MultipassError as error:
        terminal.print(f"[yellow]warning:[/yellow] the dispatches cannot be shown: {escape(str(error))}")
        return ()
    _show_table(dispatches, terminal, several=len(run.summaries) > 1)
    return dispatches


def _show_closing(run: Run, dispatches: Sequence[Dispatch], terminal: Console) -> None:
    """What became of the launches of each kernel, of all processes, where not all were replayed."""
    from rocprofsys_multipass.report import closing  # loads the trace readers

    found = closing.joined([one for summary in run.summaries for one in closing.of_summary(summary)])
    if closing.is_needed(found):
        terminal.print("launches of each kernel (rotated: one group of counters, in turn; `report` says what to do):")
        terminal.print(closing.closing_table(found, max(terminal.width, _LEAST_WIDTH), plain=True))
        if of_shapes := closing.coverage(dispatches):
            terminal.print(of_shapes)
    for line in closing.lifted_lines(found):
        terminal.print(f"[red]{escape(line)}[/red]", soft_wrap=True)


def _show_table(dispatches: Sequence[Dispatch], terminal: Console, *, several: bool) -> None:
    """The first of those that were to be counted, and how many were not, by reason."""
    counted = [dispatch for dispatch in dispatches if dispatch.outcome != "filtered"]
    long = len(counted) > _MAX_ROWS
    if long and any(dispatch.outcome in ("declined", "incomplete") for dispatch in counted):
        return  # the table of kernels follows, and tells more of many launches than the first of them do
    if counted:
        terminal.print(_table(counted[:_MAX_ROWS], max(terminal.width, _LEAST_WIDTH), several=several))
    if long:
        terminal.print(f"... and {len(counted) - _MAX_ROWS} more")
    filtered = Counter(dispatch.reason for dispatch in dispatches if dispatch.outcome == "filtered")
    for reason, count in sorted(filtered.items()):
        terminal.print(escape(f"{count} filtered{f' ({reason})' if reason else ''}: not listed"))


def _table(dispatches: Sequence[Dispatch], width: int, *, several: bool) -> Table:
    """With `several` processes, each of which counts its dispatches from 1, the first column says which one.

    A column of GPUs is there when there is more than one of them. Where there is no room, names are shortened, then
    columns left out.
    """
    from rocprofsys_multipass.report.document import over_passes  # loads the trace readers
    from rocprofsys_multipass.report.layout import Column, table_of
    from rocprofsys_multipass.report.numbers import duration
    from rocprofsys_multipass.report.statistics import time_owner, was_replayed

    gpus = len({dispatch.agent.device for dispatch in dispatches}) > 1
    owner = time_owner(dispatches)
    outcomes = [f"{d.outcome} ({d.reason})" if d.reason else d.outcome for d in dispatches]
    columns = [
        *[Column("process", [str(d.process) for d in dispatches])] * several,
        Column("dispatch", [str(d.dispatch_id) for d in dispatches]),
        *[Column("GPU", [str(d.agent.device) for d in dispatches])] * gpus,
        Column("passes", [str(len(d.passes)) for d in dispatches], rank=1),
        Column(_TIMES.get(owner, "time"), [duration(d.duration_ns) for d in dispatches]),
    ]
    if any(map(was_replayed, dispatches)):
        columns.append(Column("over passes", [over_passes(d.duration_spread) for d in dispatches], rank=2))
    columns += [
        Column("outcome", outcomes, left=True),
        Column("kernel", [_cut(d.kernel) for d in dispatches], left=True, least=_LEAST_KERNEL),
    ]
    return table_of(columns, width, plain=True)


def _cut(kernel: str) -> str:
    return kernel if len(kernel) <= _MAX_KERNEL else kernel[: _MAX_KERNEL - 3] + "..."
