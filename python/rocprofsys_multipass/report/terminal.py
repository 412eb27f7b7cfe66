# SPDX-License-Identifier: MIT
"""The report for a terminal.

Order: what ran and what became of its dispatches; kernels by time; counters per kernel, then per dispatch; what the
passes cost; whether they agree. Absent values are a dash, never 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, TextIO

from rich import box
from rich.console import Console, Group, RenderableType
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from rocprofsys_multipass.report import numbers
from rocprofsys_multipass.report.statistics import (
    Agreement,
    KernelStatistics,
    Window,
    agreements,
    block_of,
    by_kernel,
    by_pass,
    window_of,
)
from rocprofsys_multipass.trace import OUTCOMES, Agent, Dispatch, Process, Trace

DISPATCHES_SHOWN: Final = 24  # of a kernel, in the table per dispatch; further ones are in the files
KERNELS_SHOWN: Final = 8  # with their counters, where none was asked for
TIMELINES_SHOWN: Final = 8
_NARROW: Final = 60
_VALUE_WIDTH: Final = 9  # "1,234,567", "123.4 µs"
_SMALL_BLOCK: Final = 3  # counters; smaller blocks are not set apart
_PASS_COLOURS: Final = ("cyan", "green", "yellow", "magenta", "blue", "red")
_OUTCOME_STYLE: Final = {
    "replayed": "green",
    "single_pass": "green",
    "declined": "yellow",
    "filtered": "dim",
    "incomplete": "red",
}


def render_terminal(trace: Trace, stream: TextIO, *, width: int | None = None, kernel: str | None = None) -> None:
    """Writes the report of a trace.

    `width`: columns, by default those of the terminal, at least 60; `kernel`: as in Trace.dispatches().
    """
    console = Console(file=stream, width=width, highlight=False, soft_wrap=False)
    chosen = trace.dispatches(kernel=kernel)
    for process in trace.processes:
        dispatches = [d for d in process.dispatches if kernel is None or d in chosen]
        most = KERNELS_SHOWN if kernel is None else len(dispatches)
        for part in _process(process, dispatches, max(console.width, _NARROW), most):
            console.print(part)


def _process(process: Process, dispatches: Sequence[Dispatch], width: int, most: int) -> Iterator[RenderableType]:
    yield _head(process, dispatches, width)
    if not dispatches:
        yield Text("No dispatch was recorded.", style="yellow")
        return
    kernels = by_kernel(dispatches)
    yield from _section("Kernels", "times of pass 0, the one that follows a drain and a snapshot", width)
    yield _kernel_table(kernels, width, gpus=len(process.gpus) > 1)
    read = [k for k in kernels if k.counters]
    for one in read[:most]:
        yield from _section("Counters", f"{one.agent.label}, {_outcomes(one.dispatches).plain}", width)
        yield _cut(Text(one.name, style="cyan"), width)
        yield from _counters(one, width)
    if len(read) > most:
        yield Text(
            f"\n{numbers.plural(len(read) - most, 'more kernel')} with counters: name one to see them", style="dim"
        )
    yield from _cost(dispatches, width)
    yield from _agreement_table(agreements(process, dispatches), width)


def _cut(text: Text, width: int) -> Text:
    text.truncate(width, overflow="ellipsis")
    return text


def _section(title: str, subtitle: str, width: int) -> Iterator[RenderableType]:
    yield Text()
    yield _cut(Text.assemble((title, "bold"), ("  " + subtitle, "dim")), width)


def _head(process: Process, dispatches: Sequence[Dispatch], width: int) -> RenderableType:
    facts = [f"process {process.pid}"]
    facts += [f"rank {process.rank}"] if process.rank is not None else []
    facts += [process.hostname] if process.hostname else []
    facts += [f"SDK {process.sdk_version}"] if process.sdk_version else []
    facts += ["simulated"] if process.simulated else []
    facts += [f"replay {process.replay_mode}"] if process.replay_mode else []
    command = _cut(Text(" ".join(process.command) or process.path.name, style="bold"), width)
    lines: list[RenderableType] = [command, Text(" · ".join(facts), style="dim")]
    lines += [line for agent in process.gpus for line in _agent(agent)]
    lines.append(_outcomes(dispatches))
    lines += [Text(f"! {text}", style="yellow") for text in (*process.warnings, *process.notes)]
    if not process.closed:
        lines.append(
            Text("! the process ended before the journal was closed; what it recorded is here", style="yellow")
        )
    return Group(*lines)


def _agent(agent: Agent) -> Iterator[RenderableType]:
    planned = {c for p in agent.passes for c in p.counters}
    line = Text.assemble((agent.label, "bold"))
    if agent.product_name and agent.product_name != agent.name:
        line.append(f" {agent.product_name}", "dim")
    if agent.passes:
        line.append(f"  {numbers.plural(len(planned), 'counter')} in ")
        line.append(numbers.plural(len(agent.passes), "pass", "passes"))
        if agent.proof in ("bound", "search"):
            line.append(" (fewer are impossible)", "dim")
        elif agent.lower_bound is not None:
            line.append(f" (at least {agent.lower_bound} are needed)", "dim")
    yield line
    for one in agent.unplaceable:
        yield Text(f"  ! {one.counter} was not read: {one.reason}", style="yellow")


def _outcomes(dispatches: Sequence[Dispatch]) -> Text:
    counts = Counter(d.outcome for d in dispatches)
    reasons = Counter((d.outcome, d.reason) for d in dispatches if d.reason)
    line = Text.assemble((numbers.plural(len(dispatches), "dispatch", "dispatches"), "bold"), ":")
    for outcome in OUTCOMES:
        if not counts[outcome]:
            continue
        line.append(f"  {counts[outcome]:,} {outcome.replace('_', ' ')}", _OUTCOME_STYLE[outcome])
        why = [f"{reason} {n}" for (of, reason), n in sorted(reasons.items()) if of == outcome]
        if why:
            line.append(f" ({', '.join(why)})", "dim")
    return line


def _table() -> Table:
    return Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1), header_style="bold")


def _kernel_table(kernels: Sequence[KernelStatistics], width: int, *, gpus: bool) -> Table:
    total = sum(k.duration.total for k in kernels if k.duration) or 1.0
    table = _table()
    heads = ["Calls", "Replayed", "Total", "Share", "Mean", "Min", "Max"] + ["GPU"] * gpus
    for name in heads:
        table.add_column(name, justify="right", no_wrap=True)
    rows = []
    for k in kernels:
        time = k.duration
        cells = [f"{len(k.dispatches):,}", f"{sum(d.outcome == 'replayed' for d in k.dispatches):,}"]
        cells += [numbers.duration(time.total), numbers.percent(time.total / total)] if time else [numbers.ABSENT] * 2
        cells += [numbers.duration(t) for t in (time.mean, time.low, time.high)] if time else [numbers.ABSENT] * 3
        rows.append(cells + [str(k.agent.device)] * gpus)
    used = sum(max(len(row[i]) for row in [heads, *rows]) + 3 for i in range(len(heads)))
    table.add_column("Kernel", no_wrap=True, overflow="ellipsis", max_width=max(20, width - used))
    for k, cells in zip(kernels, rows, strict=True):
        table.add_row(*cells, escape(k.name), style="" if k.counters else "dim")
    return table


def _counters(kernel: KernelStatistics, width: int) -> Iterator[RenderableType]:
    """One dispatch: its values. Several: mean and extent, then the counters that vary, in blocks of columns."""
    dispatches = [d for d in kernel.dispatches if d.counters]
    names = kernel.counters
    if len(dispatches) > 1:
        yield _statistics_table(kernel, names)
        names = [name for name in names if _varies(name, dispatches)]
        if not names:
            return
        yield Text("\nby dispatch, counters that vary", style="dim")
    before = max(len(name) for name in names) + max(len(kernel.source(name)) for name in names) + 6
    per_block = max(1, (width - before) // (_VALUE_WIDTH + 3))
    shown = dispatches[:DISPATCHES_SHOWN]
    for start in range(0, len(shown), per_block):
        if start:
            yield Text()
        yield _dispatch_table(kernel, names, shown[start : start + per_block])
    if len(dispatches) > len(shown):
        count = numbers.plural(len(dispatches) - len(shown), "more dispatch", "more dispatches")
        yield Text(f"{count}: in the database, or with --csv", style="dim")


def _varies(name: str, dispatches: Sequence[Dispatch]) -> bool:
    return len({d.counters[name] for d in dispatches if name in d.counters}) > 1


def _rows_by_block(names: Sequence[str], agent: Agent) -> Iterator[tuple[str, bool]]:
    """Each name, and whether a line belongs below it: between blocks, unless both are small."""
    blocks = [block_of(name, agent) for name in names]
    size = Counter(blocks)
    for position, (name, block) in enumerate(zip(names, blocks, strict=True)):
        following = blocks[position + 1] if position + 1 < len(blocks) else block
        yield name, following != block and max(size[block], size[following]) >= _SMALL_BLOCK


def _statistics_table(kernel: KernelStatistics, names: Sequence[str]) -> Table:
    table = _table()
    table.add_column("Counter", no_wrap=True)
    table.add_column("from", style="dim", no_wrap=True)
    for title in ("Mean", "Min", "Max", "Max/Min"):
        table.add_column(title, justify="right", no_wrap=True, min_width=8)
    table.add_column("read in", justify="right", style="dim", no_wrap=True)
    everything = sum(bool(d.counters) for d in kernel.dispatches)
    for name, last in _rows_by_block(names, kernel.agent):
        spread = kernel.counter(name)
        if spread is None:
            continue
        constant = spread.low == spread.high
        low, high = numbers.value(spread.low), numbers.value(spread.high)
        extent = ["=", "=", ""] if constant else [low, high, _extent(spread.low, spread.high)]
        read = "all" if spread.count == everything else f"{spread.count} of {everything}"
        table.add_row(escape(name), kernel.source(name), numbers.value(spread.mean), *extent, read, end_section=last)
    return table


def _extent(low: float, high: float) -> str:
    return numbers.factor(high / low) if low > 0 else ""


def _dispatch_table(kernel: KernelStatistics, names: Sequence[str], dispatches: Sequence[Dispatch]) -> Table:
    table = _table()
    table.add_column("Counter", no_wrap=True)
    table.add_column("from", style="dim", no_wrap=True)
    for d in dispatches:
        style = "" if d.outcome in ("replayed", "single_pass") else _OUTCOME_STYLE[d.outcome]
        mark = "" if not style else "*"
        table.add_column(f"#{d.dispatch_id}{mark}", justify="right", no_wrap=True, min_width=_VALUE_WIDTH, style=style)
    table.add_row("duration", "p0", *(numbers.duration(d.duration_ns) for d in dispatches), style="dim")
    for name, last in _rows_by_block(names, kernel.agent):
        values = (numbers.value(d.counters.get(name)) for d in dispatches)
        table.add_row(escape(name), kernel.source(name), *values, end_section=last)
    marked = {d.outcome for d in dispatches} - {"replayed", "single_pass"}
    if marked:
        table.caption = "* " + ", ".join(sorted(marked))
        table.caption_justify = "left"
    return table


def _cost(dispatches: Sequence[Dispatch], width: int) -> Iterator[RenderableType]:
    windows = [w for d in dispatches if (w := window_of(d)) is not None]
    if not windows:
        return
    first = sum(w.first_ns for w in windows)
    whole = sum(w.length_ns for w in windows)
    text = f"{numbers.duration(whole)} for {numbers.duration(first)} of kernel time"
    yield from _section("Passes", text + (f", {numbers.factor(whole / first)}" if first else ""), width)
    table = _table()
    table.add_column("Pass", justify="right")
    for title in ("Counters", "Executions", "Mean", "Min", "Max", "to pass 0", "Gap before"):
        table.add_column(title, justify="right", no_wrap=True)
    passes = by_pass([w.dispatch for w in windows])
    for p in passes:
        reference = passes[0].duration.mean
        table.add_row(
            Text(str(p.index), style=_PASS_COLOURS[p.index % len(_PASS_COLOURS)]),
            str(p.counters),
            f"{p.duration.count:,}",
            *(numbers.duration(t) for t in (p.duration.mean, p.duration.low, p.duration.high)),
            numbers.factor(p.duration.mean / reference) if reference else numbers.ABSENT,
            numbers.duration(p.gap.mean) if p.gap else "",
        )
    yield table
    yield from _timelines(windows, width)


def _timelines(windows: Sequence[Window], width: int) -> Iterator[RenderableType]:
    """The longest window of each kernel, drawn: passes as digits, what lies between them as dots."""
    longest: dict[str, Window] = {}
    for w in windows:
        known = longest.get(w.dispatch.kernel)
        if known is None or w.length_ns > known.length_ns:
            longest[w.dispatch.kernel] = w
    shown = sorted(longest.values(), key=lambda w: -w.length_ns)[:TIMELINES_SHOWN]
    label = min(28, max(len(f"{w.dispatch.kernel} #{w.dispatch.dispatch_id}") for w in shown))
    for w in shown:
        number = f" #{w.dispatch.dispatch_id}"
        name = Text(w.dispatch.kernel, no_wrap=True)
        name.truncate(label - len(number), overflow="ellipsis", pad=True)
        line = Text.assemble(
            name, (number, "dim"), " ", _bar(w, width - label - 14), f" {numbers.duration(w.length_ns)}"
        )
        yield Padding(line, (0, 0, 0, 1))


def _bar(window: Window, cells: int) -> Text:
    cells = max(cells, 10)
    kinds: list[int | None] = [None] * cells
    for p in window.dispatch.passes:
        if p.index is None or p.start_ns is None or p.end_ns is None:
            continue
        first = (p.start_ns - window.start_ns) * cells // window.length_ns
        last = (p.end_ns - window.start_ns) * cells // window.length_ns
        for cell in range(first, max(first + 1, last)):
            kinds[min(cell, cells - 1)] = p.index
    bar = Text()
    for kind in kinds:
        if kind is None:
            bar.append("·", "dim")
        else:
            bar.append(str(kind % 10), f"reverse {_PASS_COLOURS[kind % len(_PASS_COLOURS)]}")
    return bar


def _agreement_table(rows: Sequence[Agreement], width: int) -> Iterator[RenderableType]:
    if not rows:
        return
    differing = sum(row.equal < row.compared for row in rows)
    yield from _section(
        "Agreement of the passes",
        "what several passes of a dispatch read: did all see the same work?"
        if differing
        else "what several passes of a dispatch read was the same in all of them",
        width,
    )
    table = _table()
    table.add_column("Counter", no_wrap=True)
    table.add_column("GPU", justify="right")
    for title in ("Compared", "Equal", "Largest difference"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    for row in rows:
        remark = Text("all 0: proves nothing", style="yellow") if row.proves_nothing else Text()
        if row.worst is not None:
            remark = Text(f"dispatch {row.worst.dispatch_id}", style="yellow")
        spread = numbers.percent(row.spread) if row.spread else ""
        table.add_row(escape(row.counter), str(row.agent.device), f"{row.compared:,}", f"{row.equal:,}", spread, remark)
    yield table
