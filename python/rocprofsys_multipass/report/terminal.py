# SPDX-License-Identifier: MIT
"""The report for a terminal.

Order: what ran and what became of its dispatches; kernels by time; counters per kernel, then per dispatch; what the
passes cost; whether they agree. Absent values are a dash, never 0. Numbers and headings are never cut; where there is
no room, names are shortened first, then extents are left out (`report.layout`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, TextIO

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from rocprofsys_multipass.report import document, numbers
from rocprofsys_multipass.report.encoding import encodable
from rocprofsys_multipass.report.layout import Column, table_of
from rocprofsys_multipass.report.statistics import (
    Agreement,
    Execution,
    KernelStatistics,
    Window,
    agreements,
    block_of,
    by_kernel,
    by_pass,
    longest_windows,
    metrics_of_kernel,
    time_owner,
    unit_of,
    was_replayed,
    whose_times,
    window_of,
)
from rocprofsys_multipass.trace import OUTCOMES, Agent, Dispatch, KernelVerdicts, Process, Trace
from rocprofsys_multipass.trace.agreement import AspectName, verdicts_of
from rocprofsys_multipass.trace.late import collector_paused
from rocprofsys_multipass.visible import VisibleConsole

DISPATCHES_SHOWN: Final = 24  # of a kernel, in the table per dispatch; further ones are in the files
KERNELS_SHOWN: Final = 8  # with their counters, where none was asked for
TIMELINES_SHOWN: Final = 8
PLAIN_WIDTH: Final = 140  # where the text goes to a file or a pipe
_NARROW: Final = 60
_WIDEST: Final = 100_000  # of a table; its columns have widths of their own
_NAME_LEAST: Final = 20  # columns of a kernel's or counter's name
_NAME_LINES: Final = 4  # of a kernel's name above its counters
_BETWEEN: Final = 2  # columns between two values of a table
_SMALL_BLOCK: Final = 3  # counters; smaller blocks are not set apart
_PASS_COLOURS: Final = ("cyan", "green", "yellow", "magenta", "blue", "red")
_OUTCOME_STYLE: Final = {
    "replayed": "green",
    "single_pass": "green",
    "declined": "yellow",
    "filtered": "dim",
    "incomplete": "red",
}


class _Page(VisibleConsole):
    """A console that draws the same whatever the stream can encode; `encodable` replaces characters afterwards."""

    @property
    def encoding(self) -> str:
        """Of the text in memory."""
        return "utf-8"


def render_terminal(trace: Trace, stream: TextIO, *, width: int | None = None, kernel: str | None = None) -> None:
    """Writes the report of a trace.

    `width`: columns, at least 60; by default those of the terminal, or 140 where `stream` is none.
    `kernel`: as in Trace.dispatches().
    """
    terminal = stream.isatty()
    if width is None:
        width = Console(file=stream).width if terminal else PLAIN_WIDTH
    width = max(width, _NARROW)
    # Tables have the widths that they need: a console as wide as the page would cut their cells.
    console = _Page(file=stream, width=_WIDEST, highlight=False)
    chosen = {id(d) for d in trace.dispatches(kernel=kernel)}
    with collector_paused():
        for process in trace.processes:
            dispatches = [d for d in process.dispatches if id(d) in chosen]
            most = KERNELS_SHOWN if kernel is None else len(dispatches)
            texts = (
                _drawn(part, console, width, padded=terminal) for part in _process(process, dispatches, width, most)
            )
            stream.writelines(encodable(text, stream.encoding) for text in texts)


def _drawn(part: RenderableType, console: Console, width: int, *, padded: bool) -> str:
    with console.capture() as captured:
        console.print(part, width=None if isinstance(part, Table) else width)
    text = captured.get()
    return text if padded else "".join(f"{line.rstrip()}\n" for line in text.removesuffix("\n").split("\n"))


def _process(process: Process, dispatches: Sequence[Dispatch], width: int, most: int) -> Iterator[RenderableType]:
    yield _head(process, dispatches, width)
    if not dispatches:
        yield Text("No dispatch was recorded.", style="yellow")
        return
    kernels = by_kernel(dispatches, permuted=process.permute_groups)
    yield from _section("Kernels", whose_times(dispatches))
    yield _kernel_table(kernels, width, gpus=len(process.gpus) > 1)
    read = [k for k in kernels if k.counters]
    for one in read[:most]:
        yield from _metrics(one, process.sets, width)
        yield from _section("Counters", f"{one.agent.label}, {_outcomes(one.dispatches).plain}")
        yield _cut(Text(one.name, style="cyan"), _NAME_LINES * width)
        yield from _counters(one, width)
    if len(read) > most:
        yield Text(
            f"\n{numbers.plural(len(read) - most, 'more kernel')} with counters: name one to see them", style="dim"
        )
    yield from _cost(dispatches, width)
    yield from _verdicts(verdicts_of(process, dispatches), width, warmed=process.warm_up_pass)
    yield from _agreement_table(agreements(process, dispatches), width)


def _cut(text: Text, width: int) -> Text:
    text.truncate(width, overflow="ellipsis")
    return text


def _section(title: str, subtitle: str) -> Iterator[RenderableType]:
    yield Text()
    yield Text.assemble((title, "bold"), ("  " + subtitle if subtitle else "", "dim"))


def _head(process: Process, dispatches: Sequence[Dispatch], width: int) -> RenderableType:
    command = _cut(Text(" ".join(process.command) or process.path.name, style="bold"), width)
    lines: list[RenderableType] = [command, Text(" · ".join(document.facts_of(process)), style="dim")]
    lines += [line for agent in process.gpus for line in _agent(agent, process)]
    lines.append(_outcomes(dispatches))
    lines += [Text(f"! {text}", style="yellow") for text in (*process.warnings, *process.notes)]
    if not process.closed:
        lines.append(Text(f"! {document.NOT_CLOSED}", style="yellow"))
    return Group(*lines)


def _agent(agent: Agent, process: Process) -> Iterator[RenderableType]:
    line = Text.assemble((agent.label, "bold"))
    if agent.product_name and agent.product_name != agent.name:
        line.append(f" {agent.product_name}", "dim")
    if agent.passes:
        line.append(f"  {numbers.plural(len(agent.requested), 'counter')} in ")
        line.append(numbers.plural(len(agent.passes), "pass", "passes"))
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


def _outcomes(dispatches: Sequence[Dispatch]) -> Text:
    counts = Counter(d.outcome for d in dispatches)
    reasons = Counter((d.outcome, d.reason) for d in dispatches if d.reason)
    line = Text.assemble((numbers.plural(len(dispatches), "dispatch", "dispatches"), "bold"), ":")
    for outcome in OUTCOMES:
        if not counts[outcome]:
            continue
        line.append(f"  {counts[outcome]:,} {outcome}", _OUTCOME_STYLE[outcome])
        why = [f"{reason} {n}" for (of, reason), n in sorted(reasons.items()) if of == outcome]
        if why:
            line.append(f" ({', '.join(why)})", "dim")
    return line


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
    columns.append(Column("Kernel", [k.name for k in kernels], left=True, least=_NAME_LEAST))
    return table_of(columns, width, row_styles=["" if k.counters else "dim" for k in kernels])


def _counters(kernel: KernelStatistics, width: int) -> Iterator[RenderableType]:
    """One dispatch: its values. Several: mean and extent, then the counters that vary, in blocks of columns."""
    dispatches = [d for d in kernel.dispatches if d.counters]
    names = kernel.counters
    if len(dispatches) > 1:
        yield _statistics_table(kernel, names, width)
        names = [name for name in names if _varies(name, dispatches)]
        if not names:
            return
        yield Text("\nby dispatch, counters that vary", style="dim")
    shown = dispatches[:DISPATCHES_SHOWN]
    replayed = any(was_replayed(d) for d in kernel.dispatches)
    whose = time_owner(dispatches)
    times = [f"{whose} time" if whose else "duration", *["over passes"] * replayed]
    heads, ends = _counter_columns(kernel, names, times)
    values = [_dispatch_column(d, names, replayed=replayed) for d in shown]
    before = sum(c.natural for c in heads) + _BETWEEN * len(heads)
    each = max(c.natural for c in values) + _BETWEEN
    per_block = max(1, (width - before + _BETWEEN) // each)
    for start in range(0, len(shown), per_block):
        if start:
            yield Text()
        styles = ["dim"] * (1 + replayed) + [""] * len(names)
        yield table_of([*heads, *values[start : start + per_block]], width, row_styles=styles, ends=ends)
    marked = {d.outcome for d in shown if _marked(d)}
    if marked:
        yield Text(f"* {', '.join(sorted(marked))}", style="dim")
    if len(dispatches) > len(shown):
        count = numbers.plural(len(dispatches) - len(shown), "more dispatch", "more dispatches")
        yield Text(f"{count}: in the database, or with --csv", style="dim")


def _metrics(kernel: KernelStatistics, sets: Sequence[str], width: int) -> Iterator[RenderableType]:
    """The metrics of the sets that the run asked for, sets apart; nothing where it asked for none."""
    found = metrics_of_kernel(kernel, sets)
    if not found:
        return
    yield from _section("Metrics", f"{kernel.agent.label}, {_outcomes(kernel.dispatches).plain}")
    yield _cut(Text(kernel.name, style="cyan"), _NAME_LINES * width)
    varying = [one.extent is not None and one.extent.low != one.extent.high for one in found]
    columns = [
        Column("Metric", [one.metric.name for one in found], left=True, least=_NAME_LEAST),
        Column("from", [one.source for one in found], left=True, style="dim"),
        Column("Unit", [one.metric.unit for one in found], left=True, style="dim"),
        Column("Median" if any(varying) else "Each", [numbers.value(one.median) for one in found]),
    ]
    if any(varying):
        extents = list(zip((one.extent for one in found), varying, strict=True))
        columns += [
            Column("Min", [numbers.value(e.low) if e and v else "=" * bool(e) for e, v in extents], rank=2),
            Column("Max", [numbers.value(e.high) if e and v else "=" * bool(e) for e, v in extents], rank=2),
        ]
    read = [kernel.read_in(one.extent) if one.extent else "none" for one in found]
    columns += [Column("read in", read, style="dim")] if set(read) - {"all", "none"} else []
    ends = {i for i, (one, following) in enumerate(pairwise(found)) if one.metric.set != following.metric.set}
    yield table_of(columns, width, ends=ends)


def _varies(name: str, dispatches: Sequence[Dispatch]) -> bool:
    return len({d.counters[name] for d in dispatches if name in d.counters}) > 1


def _ends_of_blocks(names: Sequence[str], agent: Agent) -> set[int]:
    """Positions that an empty line belongs below: between blocks, unless both are small."""
    blocks = [block_of(name, agent) for name in names]
    size = Counter(blocks)
    return {
        position
        for position, (block, following) in enumerate(pairwise(blocks))
        if following != block and max(size[block], size[following]) >= _SMALL_BLOCK
    }


def _counter_columns(
    kernel: KernelStatistics, names: Sequence[str], first: Sequence[str] = ()
) -> tuple[list[Column], set[int]]:
    """Names, passes and units, where any has one, below first rows of another kind; rows with a line below them."""
    columns = [
        Column("Counter", [*first, *names], left=True, least=_NAME_LEAST),
        Column("from", [""] * len(first) + [kernel.source(name) for name in names], left=True, style="dim"),
    ]
    units = [unit_of(name, kernel.agent) for name in names]
    if any(units):
        columns.append(Column("Unit", [""] * len(first) + units, left=True, style="dim"))
    return columns, {position + len(first) for position in _ends_of_blocks(names, kernel.agent)}


def _statistics_table(kernel: KernelStatistics, names: Sequence[str], width: int) -> Table:
    spreads = [spread for name in names if (spread := kernel.counter(name)) is not None]
    varying = [s.low != s.high for s in spreads]
    columns, ends = _counter_columns(kernel, names)
    columns.append(Column("Mean" if any(varying) else "Each", [numbers.value(s.mean) for s in spreads]))
    if any(varying):
        lows = [numbers.value(s.low) if v else "=" for s, v in zip(spreads, varying, strict=True)]
        highs = [numbers.value(s.high) if v else "=" for s, v in zip(spreads, varying, strict=True)]
        extents = [_extent(s.low, s.high) if v else "" for s, v in zip(spreads, varying, strict=True)]
        columns += [Column("Min", lows, rank=2), Column("Max", highs, rank=2), Column("Max/Min", extents, rank=1)]
    read = [kernel.read_in(s) for s in spreads]
    columns += [Column("read in", read, style="dim")] if set(read) != {"all"} else []
    return table_of(columns, width, ends=ends)


def _extent(low: float, high: float) -> str:
    return numbers.factor(high / low) if low > 0 else ""


def _marked(dispatch: Dispatch) -> bool:
    return dispatch.outcome not in ("replayed", "single_pass")


def _dispatch_column(d: Dispatch, names: Sequence[str], *, replayed: bool) -> Column:
    values = [numbers.value(d.counters.get(name)) for name in names]
    mark, style = ("*", _OUTCOME_STYLE[d.outcome]) if _marked(d) else ("", "")
    times = [numbers.duration(d.duration_ns), *([document.over_passes(d.duration_spread)] * replayed)]
    return Column(f"#{d.dispatch_id}{mark}", [*times, *values], style=style)


def _cost(dispatches: Sequence[Dispatch], width: int) -> Iterator[RenderableType]:
    windows = [w for d in dispatches if (w := window_of(d)) is not None]
    if not windows:
        return
    yield from _section("Passes", document.cost_of(windows))
    passes = by_pass([w.dispatch for w in windows])
    reference = passes[0].duration.mean
    shares = [numbers.factor(p.duration.mean / reference) if reference else numbers.ABSENT for p in passes]
    columns = [
        Column("Pass", [Text(str(p.index), style=_PASS_COLOURS[p.index % len(_PASS_COLOURS)]) for p in passes]),
        Column("Counters", [str(p.counters) for p in passes]),
        Column("Executions", [f"{p.duration.count:,}" for p in passes], rank=1),
        Column("Mean", [numbers.duration(p.duration.mean) for p in passes]),
        Column("Min", [numbers.duration(p.duration.low) for p in passes], rank=2),
        Column("Max", [numbers.duration(p.duration.high) for p in passes], rank=2),
        Column("to pass 0", shares),
        Column("Gap before", [numbers.duration(p.gap.mean) if p.gap else "" for p in passes]),
    ]
    yield table_of(columns, width)
    yield from _timelines(windows, width)


def _timelines(windows: Sequence[Window], width: int) -> Iterator[RenderableType]:
    """The longest window of each kernel, drawn: passes as digits, w and t without counters, else dots."""
    shown = longest_windows(windows)[:TIMELINES_SHOWN]
    label = min(max(28, width // 3), max(len(f"{w.dispatch.kernel} #{w.dispatch.dispatch_id}") for w in shown))
    for w in shown:
        number = f" #{w.dispatch.dispatch_id}"
        name = Text(w.dispatch.kernel, no_wrap=True)
        name.truncate(label - len(number), overflow="ellipsis", pad=True)
        line = Text.assemble(
            name, (number, "dim"), " ", _bar(w, width - label - 14), f" {numbers.duration(w.length_ns)}"
        )
        yield Padding(line, (0, 0, 0, 1))
    yield Text(document.legend_of(shown, "digits", "dots"), style="dim")


def _bar(window: Window, cells: int) -> Text:
    cells = max(cells, 10)
    kinds: list[Execution | None] = [None] * cells
    for one in window.executions:
        first = (one.start_ns - window.start_ns) * cells // window.length_ns
        last = (one.end_ns - window.start_ns) * cells // window.length_ns
        for cell in range(first, max(first + 1, last)):
            kinds[min(cell, cells - 1)] = one
    bar = Text()
    for kind in kinds:
        if kind is None:
            bar.append("·", "dim")
        else:
            colour = "white" if kind.index is None else _PASS_COLOURS[kind.index % len(_PASS_COLOURS)]
            bar.append(kind.mark, f"reverse {colour}")
    return bar


_VERDICT_STYLE: Final = {"exact": "green", "within": "green", "not": "bold red", "unknown": "yellow"}


def _verdicts(found: Sequence[KernelVerdicts], width: int, *, warmed: bool) -> Iterator[RenderableType]:
    """The three verdicts on the kernels that were replayed."""
    replayed = [one for one in found if one.replayed]
    if not replayed:
        return
    yield from _section("Agreement of the passes", "can those of a dispatch be taken for one execution?")

    def column(title: str, aspect: AspectName) -> Column:
        said = [(one.aspect(aspect), one.replayed) for one in replayed]
        cells = [Text(document.verdict_of(a, n), style=_VERDICT_STYLE[a.verdict]) for a, n in said]
        return Column(title, cells, left=True)

    columns = [
        Column("GPU", [str(one.agent.device) for one in replayed], rank=2),
        column("Same work", "work"),
        column("Same clock", "clock"),
        column("Same caches", "cache"),
        Column("Times differ", [numbers.percent(one.spread) if one.passes else "-" for one in replayed], rank=1),
    ]
    if document.any_not_restored(replayed):
        columns.append(Column("Inputs restored", [one.inputs_restored for one in replayed], left=True, rank=2))
    columns.append(Column("Kernel", [one.kernel for one in replayed], left=True, least=_NAME_LEAST))
    yield table_of(columns, width)
    yield from (Text(note, style="dim") for note in document.verdict_notes(found, warmed=warmed))


def _agreement_table(rows: Sequence[Agreement], width: int) -> Iterator[RenderableType]:
    if not rows:
        return
    differing = any(row.equal < row.compared for row in rows)
    yield from _section(
        "Counters of several passes",
        "what several passes of a dispatch read: did all see the same work?"
        if differing
        else "what several passes of a dispatch read was the same in all of them",
    )
    columns = [
        Column("Counter", [row.counter for row in rows], left=True, least=_NAME_LEAST),
        Column("GPU", [str(row.agent.device) for row in rows], rank=1),
        Column("Compared", [f"{row.compared:,}" for row in rows]),
        Column("Equal", [f"{row.equal:,}" for row in rows]),
    ]
    if differing:
        spreads = [numbers.percent(row.spread) if row.spread else "" for row in rows]
        columns.append(Column("Differ by", spreads))
    remarks = [document.remark_on(row) for row in rows]
    columns += [Column("", remarks, left=True, style="yellow")] if any(remarks) else []
    yield table_of(columns, width)
