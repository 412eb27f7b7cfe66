# SPDX-License-Identifier: MIT
"""The report as one HTML page that needs nothing else: no script, no file beside it, no network.

The order is that of the report for a terminal. Absent values are a dash, never 0. Every text of a run is escaped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape
from typing import Final, TextIO

from rocprofsys_multipass.report import document, numbers
from rocprofsys_multipass.report.statistics import (
    Execution,
    KernelStatistics,
    Window,
    agreements,
    by_kernel,
    longest_windows,
    whose_times,
    window_of,
)
from rocprofsys_multipass.report.style import EXTRA_COLOUR, PASS_COLOURS, STYLE
from rocprofsys_multipass.trace import OUTCOMES, Agent, Dispatch, Process, Trace
from rocprofsys_multipass.trace.agreement import verdicts_of

DISPATCHES_SHOWN: Final = 500  # of a process, in the table per dispatch; further ones are in the CSV
KERNELS_OPEN: Final = 1  # with their tables unfolded
TIMELINES_SHOWN: Final = 12
_TEXT_COLUMNS: Final = frozenset({"Kernel", "Outcome", "Counter", "Metric", "From", "Unit", "Remark", "Time of"})
_LABELLED: Final = 2  # percent of the timeline that a pass needs for its number


def render_html(trace: Trace, stream: TextIO, *, kernel: str | None = None) -> None:
    """Writes the page. `kernel`: as in Trace.dispatches()."""
    chosen = {id(d) for d in trace.dispatches(kernel=kernel)}
    titles = dict.fromkeys(_title(process) for process in trace.processes)
    stream.write(
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(', '.join(titles))}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
    )
    for process in trace.processes:
        dispatches = [d for d in process.dispatches if id(d) in chosen]
        stream.writelines(f"{line}\n" for line in _process(process, dispatches))
    stream.write("</body>\n</html>\n")


def _title(process: Process) -> str:
    return " ".join(process.command) or process.path.name


def _process(process: Process, dispatches: Sequence[Dispatch]) -> Iterator[str]:
    yield "<section>"
    yield f"<h1>{escape(_title(process))}</h1>"
    yield from _head(process, dispatches)
    if dispatches:
        kernels = by_kernel(dispatches, permuted=process.permute_groups)
        yield "<h2>Kernels</h2>"
        if note := whose_times(dispatches):
            yield f'<p class="dim">{escape(note.capitalize())}</p>'
        total = sum(k.duration.total for k in kernels if k.duration) or 1.0
        yield from _table(_kernel_head(dispatches), [_kernel_row(k, total) for k in kernels])
        metrics = [(k, rows) for k in kernels if (rows := document.metric_rows(k, process.sets, escape))]
        yield from _per_kernel("Metrics", document.METRICS, metrics)
        counters = [(k, rows) for k in kernels if (rows := document.counter_rows(k, _code))]
        yield from _per_kernel("Counters", document.COUNTERS, counters)
        yield from _passes(dispatches)
        yield from _agreement(process, dispatches)
        yield from _dispatches(dispatches)
    else:
        yield "<p>No dispatch was recorded.</p>"
    yield "</section>"


def _head(process: Process, dispatches: Sequence[Dispatch]) -> Iterator[str]:
    yield f'<p class="dim">{escape(" · ".join(document.facts_of(process)))}</p>'
    yield "<ul>"
    for agent in process.gpus:
        yield from _agent(agent, process)
    yield "</ul>"
    what = escape(document.outcomes_of(dispatches))
    yield f"<p><strong>{numbers.plural(len(dispatches), 'dispatch', 'dispatches')}</strong> {what}</p>"
    by_outcome = Counter(d.outcome for d in dispatches)
    parts = [
        f'<span class="{outcome}" style="flex:{by_outcome[outcome]}" title="{by_outcome[outcome]} {outcome}"></span>'
        for outcome in OUTCOMES
        if by_outcome[outcome]
    ]
    if parts:
        yield f'<div class="outcomes">{"".join(parts)}</div>'
    warnings = [*process.warnings, *process.notes]
    if not process.closed:
        warnings.append(document.NOT_CLOSED)
    yield from (f'<p class="warning">{escape(text)}</p>' for text in warnings)


def _agent(agent: Agent, process: Process) -> Iterator[str]:
    product = f" {agent.product_name}" if agent.product_name not in ("", agent.name) else ""
    yield f"<li><strong>{escape(agent.label)}</strong>{escape(product + document.plan_of(agent))}</li>"
    for one in agent.unplaceable_counters:
        yield f'<li class="warning">not read: {escape(one.counter)}: {escape(one.reason)}</li>'
    if unread := process.unread(agent):
        yield f'<li class="warning">not read: {escape(", ".join(unread))}</li>'


def _kernel_head(dispatches: Sequence[Dispatch]) -> tuple[str, ...]:
    total, *rest = document.kernel_times(dispatches)
    return ("Kernel", "GPU", "Calls", total, "Share", *rest, "Over passes", "Outcome")


def _kernel_row(k: KernelStatistics, total_ns: float) -> tuple[str, ...]:
    t = k.duration
    total, *rest = document.times_of(k)
    outcomes = ", ".join(f"{count} {outcome}" for outcome, count in k.outcomes.items())
    over = document.over_passes(k.over_passes)
    share = numbers.percent(t.total / total_ns) if t else numbers.ABSENT
    return (_code(k.name), str(k.agent.device), f"{len(k.dispatches):,}", total, share, *rest, over, escape(outcomes))


def _per_kernel(
    heading: str, head: Sequence[str], tables: Sequence[tuple[KernelStatistics, Sequence[Sequence[str]]]]
) -> Iterator[str]:
    """A table to unfold for each kernel that has rows; nothing without any."""
    yield from [f"<h2>{heading}</h2>"] * bool(tables)
    for number, (k, rows) in enumerate(tables):
        yield f"<details{' open' if number < KERNELS_OPEN else ''}>"
        yield f'<summary>{_code(k.name)} <span class="dim">{escape(k.agent.label)}</span></summary>'
        yield from _table(head, rows)
        yield "</details>"


def _passes(dispatches: Sequence[Dispatch]) -> Iterator[str]:
    windows = [w for d in dispatches if (w := window_of(d)) is not None]
    if not windows:
        return
    yield "<h2>Passes</h2>"
    yield f'<p class="dim">{escape(document.cost_of(windows).capitalize())}</p>'
    yield from _table(document.PASSES, document.pass_rows(windows))
    yield '<p class="dim">The longest window of each kernel, to scale:</p>'
    shown = longest_windows(windows)[:TIMELINES_SHOWN]
    for window in shown:
        yield from _timeline(window)
    yield f'<p class="dim">{escape(document.legend_of(shown, "numbers", "blank"))}</p>'


def _timeline(window: Window) -> Iterator[str]:
    d = window.dispatch
    yield f'<div class="line"><span>{_code(d.kernel)} <span class="dim">#{d.dispatch_id}</span></span><div class="bar">'
    for one in window.executions:
        left = 100 * (one.start_ns - window.start_ns) / window.length_ns
        width = 100 * (one.end_ns - one.start_ns) / window.length_ns
        yield _bar(left, width, one)
    yield f"</div><span>{numbers.duration(window.length_ns)}</span></div>"


def _bar(left: float, width: float, one: Execution) -> str:
    """A pass, with its number where there is room, and its time where the pointer rests. Both in percent."""
    colour = EXTRA_COLOUR if one.index is None else PASS_COLOURS[one.index % len(PASS_COLOURS)]
    style = f"left:{left:.2f}%;width:{width:.2f}%;background:{colour}"
    number = (one.mark if one.index is None else str(one.index)) if width >= _LABELLED else ""
    time = numbers.duration(one.end_ns - one.start_ns)
    return f'<span style="{style}" title="{one.label}: {escape(time)}">{number}</span>'


def _agreement(process: Process, dispatches: Sequence[Dispatch]) -> Iterator[str]:
    verdicts = verdicts_of(process, dispatches)
    replayed = [one for one in verdicts if one.replayed]
    if not replayed:
        return
    yield "<h2>Agreement of the passes</h2>"
    rows = document.verdict_rows(replayed, _code)
    yield from _table(document.verdict_head(replayed), [tuple(_alarming(cell) for cell in row) for row in rows])
    yield from (
        f'<p class="dim">{escape(note)}</p>' for note in document.verdict_notes(verdicts, warmed=process.warm_up_pass)
    )
    found = agreements(process, dispatches)
    if not found:
        return
    yield '<p class="dim">What several passes of a dispatch read:</p>'
    head = ("Counter", "GPU", "Compared", "Equal", "Differ by", "Remark")
    yield from _table(head, document.agreement_rows(found, _code))


def _alarming(cell: str) -> str:
    """A cell of verdicts, which stands out where passes were not the same."""
    return f'<span class="warning">{cell}</span>' if cell == "no" or cell.startswith("not: ") else cell


def _dispatches(dispatches: Sequence[Dispatch]) -> Iterator[str]:
    yield "<h2>Dispatches</h2>"
    shown = dispatches[:DISPATCHES_SHOWN]
    yield from _table(document.DISPATCHES, [document.dispatch_row(d, _code, escape) for d in shown])
    if len(dispatches) > len(shown):
        yield f'<p class="dim">{document.more_dispatches(len(dispatches) - len(shown))}</p>'


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """A table of cells that are HTML already."""
    classes = [' class="text"' if name in _TEXT_COLUMNS else "" for name in head]

    def line(tag: str, cells: Sequence[str]) -> str:
        return "".join(f"<{tag}{kind}>{cell}</{tag}>" for kind, cell in zip(classes, cells, strict=True))

    yield f'<div class="wide"><table><thead><tr>{line("th", head)}</tr></thead><tbody>'
    yield from (f"<tr>{line('td', row)}</tr>" for row in rows)
    yield "</tbody></table></div>"


def _code(name: str) -> str:
    return f"<code>{escape(name)}</code>"
