# SPDX-License-Identifier: MIT
"""The report for a terminal.

Order: what ran and what became of its dispatches; kernels by time; what was not read and what to do; counters per
kernel, then per dispatch; the plan, what its passes cost, whether they agree; each dispatch, where it was asked for;
files. Absent values are a dash, never 0. Numbers and headings are never cut; where there is no room, names are
shortened first, then extents are left out (`report.layout`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, TextIO

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from rocprofsys_multipass.report import closing, document, numbers, terminal_passes, terminal_shapes
from rocprofsys_multipass.report.advice import losses
from rocprofsys_multipass.report.encoding import encodable
from rocprofsys_multipass.report.files import files_of
from rocprofsys_multipass.report.layout import Column, table_of
from rocprofsys_multipass.report.passes import agreements
from rocprofsys_multipass.report.shapes import shapes_of
from rocprofsys_multipass.report.statistics import (
    KernelStatistics,
    by_kernel,
    time_owner,
    was_replayed,
    whose_times,
)
from rocprofsys_multipass.report.terminal_counters import counters_section, metrics_section
from rocprofsys_multipass.report.terminal_parts import NAME_LEAST, OUTCOME_STYLE, cut, outcomes, section
from rocprofsys_multipass.report.warned import warnings_of
from rocprofsys_multipass.spelling import plural
from rocprofsys_multipass.trace import Agent, Dispatch, Process, Trace
from rocprofsys_multipass.trace.agreement import verdicts_of
from rocprofsys_multipass.trace.late import collector_paused
from rocprofsys_multipass.visible import VisibleConsole

KERNELS_SHOWN: Final = 8  # with their counters, where none was asked for
PLAIN_WIDTH: Final = 140  # where the text goes to a file or a pipe
_NARROW: Final = 60
_WIDEST: Final = 100_000  # of a table; its columns have widths of their own


class _Page(VisibleConsole):
    """A console that draws the same whatever the stream can encode; `encodable` replaces characters afterwards."""

    @property
    def encoding(self) -> str:
        """Of the text in memory."""
        return "utf-8"


def render_terminal(
    trace: Trace,
    stream: TextIO,
    *,
    width: int | None = None,
    kernel: str | None = None,
    dispatches: int = 0,
) -> None:
    """Writes the report of a trace.

    `width`: columns, at least 60; by default those of the terminal, or 140 where `stream` is none.
    `kernel`: as in Trace.dispatches(). `dispatches`: how many of each process have a line of their own.
    """

    def parts(process: Process, of: Sequence[Dispatch], width: int) -> Iterator[RenderableType]:
        return _process(process, of, width, KERNELS_SHOWN if kernel is None else len(of), dispatches)

    _render(trace, stream, width, kernel, parts)


def render_counters_terminal(
    trace: Trace, stream: TextIO, *, width: int | None = None, kernel: str | None = None
) -> None:
    """Writes nothing but the counters of each launch shape."""
    _render(trace, stream, width, kernel, _kernel_counters)


def _render(
    trace: Trace,
    stream: TextIO,
    width: int | None,
    kernel: str | None,
    parts_of: Callable[[Process, Sequence[Dispatch], int], Iterator[RenderableType]],
) -> None:
    terminal = stream.isatty()
    if width is None:
        width = Console(file=stream).width if terminal else PLAIN_WIDTH
    width = max(width, _NARROW)
    # Tables have the widths that they need: a console as wide as the page would cut their cells.
    console = _Page(file=stream, width=_WIDEST, highlight=False)
    chosen = {id(d) for d in trace.dispatches(kernel=kernel)}
    with collector_paused():
        for process in trace.processes:
            of = [d for d in process.dispatches if id(d) in chosen]
            parts = parts_of(process, of, width)
            texts = (_drawn(part, console, width, padded=terminal) for part in parts)
            stream.writelines(encodable(text, stream.encoding) for text in texts)


def _drawn(part: RenderableType, console: Console, width: int, *, padded: bool) -> str:
    with console.capture() as captured:
        console.print(part, width=None if isinstance(part, Table) else width)
    text = captured.get()
    return text if padded else "".join(f"{line.rstrip()}\n" for line in text.removesuffix("\n").split("\n"))


def _process(
    process: Process, dispatches: Sequence[Dispatch], width: int, most: int, listed: int
) -> Iterator[RenderableType]:
    yield _head(process, dispatches, width)
    if not dispatches:
        yield Text("No dispatch was recorded.", style="yellow")
        return
    kernels = by_kernel(dispatches, permuted=process.permute_groups)
    yield from section("Kernels", whose_times(dispatches))
    yield _kernel_table(kernels, width, gpus=len(process.gpus) > 1)
    yield from _closing(dispatches, width)
    yield from _lost(dispatches)
    yield from terminal_shapes.coverage(shapes_of(process, dispatches), width)
    read = [k for k in kernels if k.counters]
    for one in read[:most]:
        yield from metrics_section(one, process.sets, width)
        yield from counters_section(one, width)
    if len(read) > most:
        yield Text(f"\n{plural(len(read) - most, 'more kernel')} with counters: name one to see them", style="dim")
    yield from terminal_passes.plan(process.gpus, width)
    yield from terminal_passes.cost(dispatches, width)
    yield from terminal_passes.verdicts(verdicts_of(process, dispatches), width, warmed=process.warm_up_pass)
    yield from terminal_passes.agreement_table(agreements(process, dispatches), width)
    if listed:
        yield from _lines(dispatches, listed, width)
    yield from _files(process)


def _kernel_counters(process: Process, dispatches: Sequence[Dispatch], width: int) -> Iterator[RenderableType]:
    """The counters of each launch shape."""
    yield _head(process, dispatches, width)
    shapes = shapes_of(process, dispatches)
    if not shapes:
        yield Text("No counter was planned or read.", style="yellow")
        return
    yield from terminal_shapes.values(shapes, width)


def _closing(dispatches: Sequence[Dispatch], width: int) -> Iterator[RenderableType]:
    """What became of the launches of each kernel, where they were not all read alike."""
    found = closing.of_dispatches(dispatches)
    if closing.is_needed(found):
        yield from section(closing.TITLE, closing.LEGEND)
        yield closing.closing_table(found, width)
    for line in closing.lifted_lines(found):
        yield Text(f"\n{line}", style="red")


def _lost(dispatches: Sequence[Dispatch]) -> Iterator[RenderableType]:
    """Dispatches that lack counters against the will of the user: how many, why, and what to do."""
    found = [one for one in losses(dispatches) if one.outcome != "filtered"]
    if not found:
        return
    yield from section("Not read, and what to do", "")
    for one in found:
        reason = f" ({one.reason})" if one.reason else ""
        yield Text.assemble((f"{one.count:,} {one.outcome}", OUTCOME_STYLE[one.outcome]), f"{reason}: {one.why}")
        yield Text(f"    {one.advice}", style="dim")


def _lines(dispatches: Sequence[Dispatch], most: int, width: int) -> Iterator[RenderableType]:
    """A line per dispatch."""
    yield from section("Dispatches", "")
    rows = [document.dispatch_row(d, str, str) for d in dispatches[:most]]
    ranks = {"Time of": 4, "Over passes": 3, "Counters": 2, "All passes": 1}
    columns = [
        Column(
            title,
            cells,
            left=title in ("Kernel", "Outcome", "Time of"),
            least=NAME_LEAST if title in ("Kernel", "Outcome") else None,
            rank=ranks.get(title, 0),
        )
        for title, *cells in zip(document.DISPATCHES, *rows, strict=True)
    ]
    yield table_of(columns, width)
    if more := len(dispatches) - len(rows):
        yield Text(f"{document.more_dispatches(more, 'with --limit, or in the CSV')}", style="dim")


def _files(process: Process) -> Iterator[RenderableType]:
    found = files_of(process)
    if not found:
        return
    yield from section("Files", "")
    for one in found:
        how = f": {one.opened_by}" if one.opened_by else ""
        yield Text.assemble(f"{one.path}", (f" ({one.length}){how}", "dim"))


def _head(process: Process, dispatches: Sequence[Dispatch], width: int) -> RenderableType:
    command = cut(Text(" ".join(process.command) or process.path.name, style="bold"), width)
    lines: list[RenderableType] = [command, Text(" · ".join(document.facts_of(process)), style="dim")]
    lines += [line for agent in process.gpus for line in _agent(agent, process)]
    lines.append(outcomes(dispatches))
    lines += [Text(f"! {text}", style="yellow") for text in warnings_of(process)]
    return Group(*lines)


def _agent(agent: Agent, process: Process) -> Iterator[RenderableType]:
    line = Text.assemble((agent.label, "bold"))
    if agent.product_name and agent.product_name != agent.name:
        line.append(f" {agent.product_name}", "dim")
    if agent.passes:
        line.append(f"  {plural(len(agent.requested), 'counter')} in ")
        line.append(plural(len(agent.passes), "pass"))
        if agent.proof in ("bound", "search"):
            line.append(" (fewer are impossible)", "dim")
        elif agent.lower_bound is not None:
            line.append(f" (at least {agent.lower_bound} are needed)", "dim")
    yield line
    for one in agent.unplaceable_counters:
        yield Text(f"  ! {one.counter} was not read: {one.reason}", style="yellow")
    unread = process.unread(agent)
    if unread:
        why = f" (--replay {process.replay_mode})" if process.replay_mode in ("off", "rotate") else ""
        yield Text(f"  ! not read{why}: {', '.join(unread)}", style="yellow")


def _kernel_table(kernels: Sequence[KernelStatistics], width: int, *, gpus: bool) -> Table:
    total = sum(k.duration.total for k in kernels if k.duration) or 1.0
    times = [k.duration for k in kernels]
    each = [k.duration_each for k in kernels]
    of_all = [d for k in kernels for d in k.dispatches]
    replayed = any(was_replayed(d) for d in of_all)
    whose = time_owner(of_all)

    def durations(title: str, values: Sequence[float | None], rank: int = 0) -> Column:
        return Column(title, [numbers.duration(value) for value in values], rank=rank)

    columns = [
        Column("Calls", [f"{len(k.dispatches):,}" for k in kernels]),
        Column("Replayed", [f"{sum(d.outcome == 'replayed' for d in k.dispatches):,}" for k in kernels], rank=2),
        durations("Total", [t.total if t else None for t in times], rank=1),
        Column("Share", [numbers.percent(t.total / total) if t else numbers.ABSENT for t in times], rank=3),
        durations(f"{whose} mean".strip().capitalize(), [t.mean if t else None for t in each]),
        durations("Min", [t.low if t else None for t in each], rank=4),
        durations("Max", [t.high if t else None for t in each], rank=4),
    ]
    if replayed:
        columns.append(Column("Over passes", [document.over_passes(k.over_passes) for k in kernels]))
    columns += [Column("GPU", [str(k.agent.device) for k in kernels])] * gpus
    columns.append(Column("Kernel", [k.name for k in kernels], left=True, least=NAME_LEAST))
    return table_of(columns, width, row_styles=["" if k.counters else "dim" for k in kernels])
