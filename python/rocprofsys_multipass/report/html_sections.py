# SPDX-License-Identifier: MIT
"""The sections of the HTML report below the first screen, each as lines of HTML."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

from rocprofsys_multipass.report import closing, document, numbers
from rocprofsys_multipass.report.advice import Loss
from rocprofsys_multipass.report.files import files_of
from rocprofsys_multipass.report.html_parts import LONG_NAME, SHORT_NAME, code, cut, dim, share_bar, table, timeline
from rocprofsys_multipass.report.html_summary import ProcessReport
from rocprofsys_multipass.report.occupancy import Cell, Grid, grids
from rocprofsys_multipass.report.passes import Window, agreements, longest_windows
from rocprofsys_multipass.report.statistics import KernelStatistics, metrics_of_kernel, whose_times
from rocprofsys_multipass.report.table_data import name_length
from rocprofsys_multipass.report.warned import warnings_of
from rocprofsys_multipass.spelling import plural
from rocprofsys_multipass.trace import OUTCOMES

KERNELS_LISTED: Final = 200  # in the table of kernels
KERNELS_DETAILED: Final = 40  # with their counters
KERNELS_OPEN: Final = 1  # of these, unfolded
TIMELINES_SHOWN: Final = 12
_OPTION: Final = re.compile(r"--[a-z][a-z-]*")


def lost(f: ProcessReport) -> Iterator[str]:
    """Counters and dispatches that are not there as they were asked for, why, and what to do."""
    if rows := [_loss_row(one) for one in f.losses]:
        head = ("Outcome", "Reason", "Dispatches", "What happened", "What to do", "Kernel")
        yield from table(
            head, rows, caption="Dispatches without all counters", wide=("What happened", "What to do", "Kernel")
        )
    for line in closing.lifted_lines(f.closing):
        yield _warning(line)
    for agent in f.process.gpus:
        for one in agent.unplaceable_counters:
            yield _warning(f"{agent.label}: not read: {one.counter}: {one.reason}")
        if unread := f.process.unread(agent):
            yield _warning(f"{agent.label}: not read: {', '.join(unread)}")


def _loss_row(one: Loss) -> tuple[str, ...]:
    names = code(one.kernels[0], 60)
    if more := len(one.kernels) - 1:
        names += f' <span class="dim">and {plural(more, "more kernel")}</span>'
    reason = escape(cut(one.reason, SHORT_NAME))
    return (one.outcome, reason, f"{one.count:,}", _options(one.why), _options(one.advice), names)


def launches(f: ProcessReport) -> Iterator[str]:
    """What became of the launches of each kernel, and why; the last row is the sum."""
    yield dim(f"{closing.LEGEND.capitalize()}.")
    head, rows = closing.document_table(f.closing, KERNELS_LISTED, code, _counted, _outcome_bar)
    if len(rows) > 1:
        rows[-1] = tuple(re.sub(r"^[^<]+", r"<strong>\g<0></strong>", cell) for cell in rows[-1])
    yield from table(head, rows, caption="Launches of each kernel", wide=("Kernel", "Why"))


def _counted(text: str) -> str:
    """``budget 2, max_replays 5``: a number is not parted from its reason."""
    return re.sub(r" (?=[\d,]+(, |$))", "&nbsp;", escape(text))


def _outcome_bar(one: closing.KernelOutcomes) -> str:
    there = [(name, one.outcomes[name]) for name in OUTCOMES if one.outcomes[name]]
    parts = [(count / one.launches, str(name), f"{count:,} {name}") for name, count in there]
    return share_bar(parts, ", ".join(text for *_, text in parts))


def _options(text: str) -> str:
    """A sentence in which options stand out, and are not broken."""
    return _OPTION.sub(r'<code class="option">\g<0></code>', escape(text))


def _warning(text: str) -> str:
    return f'<p class="warning">{escape(cut(text, LONG_NAME))}</p>'


def warnings(f: ProcessReport) -> Iterator[str]:
    """What the run and the reader have to say."""
    yield from map(_warning, warnings_of(f.process))


def kernels(f: ProcessReport, prefix: str) -> Iterator[str]:
    """The table of kernels, then metrics and counters of those that took longest."""
    if note := whose_times(f.dispatches):
        yield dim(f"{note[:1].upper()}{note[1:]}.")
    total = sum(k.duration.total for k in f.kernels if k.duration) or 1.0
    times = document.kernel_times(f.dispatches)
    head = ("Kernel", "GPU", "Calls", times[0], "Share", *times[1:], "Over passes", "Outcome")
    listed = f.kernels[:KERNELS_LISTED]
    rows = [_kernel_row(k, total, prefix, n) for n, k in enumerate(listed)]
    yield from table(head, rows, caption="Kernels", wide=("Kernel",))
    if more := len(f.kernels) - len(listed):
        yield dim(f"{plural(more, 'more kernel')}, each shorter: in the CSV, or with --kernel.")
    yield from _metrics(f)
    for n, k in enumerate(f.kernels[:KERNELS_DETAILED]):
        yield from _kernel(f, k, prefix, n)
    if (more := len(listed) - KERNELS_DETAILED) > 0:
        yield dim(f"Counters of {plural(more, 'more kernel')}: with --kernel, or below with each dispatch.")


def _kernel_row(k: KernelStatistics, total_ns: float, prefix: str, number: int) -> tuple[str, ...]:
    t = k.duration
    total, *rest = document.times_of(k)
    counts = Counter(d.outcome for d in k.dispatches)
    outcomes = ", ".join(f"{counts[outcome]:,} {outcome}" for outcome in OUTCOMES if counts[outcome])
    name = code(k.name)
    if number < KERNELS_DETAILED:
        name = f'<a href="#{prefix}kernel-{number}">{name}</a>'
    share = t.total / total_ns if t else None
    bar = share_bar([(share, "first", "")], f"{100 * share:.1f} percent") if share is not None else ""
    text = numbers.percent(share) if share is not None else numbers.ABSENT
    over = document.over_passes(k.over_passes)
    calls = f"{len(k.dispatches):,}"
    return (name, str(k.agent.device), calls, total, f"{text}{bar}", *rest, over, escape(outcomes))


def _metrics(f: ProcessReport) -> Iterator[str]:
    """The metrics that the run asked for, side by side; nothing where it asked for none."""
    found = [(k, metrics_of_kernel(k, f.process.sets)) for k in f.kernels[:KERNELS_DETAILED]]
    heads = dict.fromkeys((one.metric.name, one.metric.unit) for _, of in found for one in of)
    if not heads:
        return
    yield "<h3>Metrics of each kernel, median</h3>"
    rows = []
    for k, of in found:
        medians = {(one.metric.name, one.metric.unit): one.median for one in of}
        rows.append((code(k.name, 90), str(k.agent.device), *(numbers.value(medians.get(head)) for head in heads)))
    titles = [f"{escape(name)} ({escape(unit)})" if unit else escape(name) for name, unit in heads]
    yield from table(("Kernel", "GPU", *titles), rows, caption="Metrics of each kernel", wide=("Kernel",))


def _kernel(f: ProcessReport, k: KernelStatistics, prefix: str, number: int) -> Iterator[str]:
    metrics = document.metric_rows(k, f.process.sets, escape)
    counters = document.counter_rows(k, code)
    yield f'<details id="{prefix}kernel-{number}"{" open" * (number < KERNELS_OPEN)}>'
    yield f'<summary>{code(k.name, LONG_NAME)} <span class="dim">{escape(k.agent.label)}</span></summary>'
    if metrics:
        yield "<h3>Metrics</h3>"
        yield from table(document.METRICS, metrics, caption="Metrics")
        yield from map(dim, document.metric_notes(metrics_of_kernel(k, f.process.sets)))
        yield "<h3>Counters</h3>"
    if counters:
        yield from table(document.COUNTERS, counters, caption="Counters")
    if not metrics and not counters:
        yield dim("No counter of it was read.")
    name = cut(k.name, name_length(len(f.kernels)))
    data = f'data-prefix="{prefix}" data-gpu="{k.agent.device}" data-kernel="{escape(name)}"'
    yield f'<p><a class="show" href="#{prefix}dispatches" {data} hidden>Show its dispatches</a></p>'
    yield "</details>"


def plan(f: ProcessReport) -> Iterator[str]:
    """The occupancy grid of each plan, and which counters stand behind its numbers."""
    for grid in grids(f.process.gpus):
        yield f"<h3>{escape(grid.label)}</h3>"
        yield dim(f"{document.plan_of(grid.agents[0]).removeprefix(': ')}. Below: {grid.unit}, for each pass.")
        head = ("Block", *(f"Pass {n}" for n in range(grid.passes)))
        rows = [(escape(row.block), *map(_cell, row.cells)) for row in grid.counted]
        yield from table(head, rows, caption=f"Plan of {grid.label}")
        if any(cell.full for row in grid.rows for cell in row.cells):
            yield dim("Bold: full; one more counter of this block needs another pass.")
        yield from _counters_of(grid)


def _cell(cell: Cell) -> str:
    if not cell.used:
        return f'<span class="dim">{cell.text}</span>'
    text = f"<strong>{cell.text}</strong>" if cell.full else cell.text
    if cell.capacity is None:
        return text
    return text + share_bar([(min(1.0, cell.used / cell.capacity), "full" if cell.full else "first", "")], cell.text)


def _counters_of(grid: Grid) -> Iterator[str]:
    yield '<details><summary>Counters by block and pass</summary><div class="scroll" tabindex="0"><table class="names">'
    yield '<thead><tr><th scope="col" class="text">Block</th>'
    yield "".join(f'<th scope="col" class="text">Pass {n}</th>' for n in range(grid.passes))
    yield "</tr></thead><tbody>"
    for row in grid.rows:
        cells = "".join(f'<td class="text">{"<br>".join(_names(cell))}</td>' for cell in row.cells)
        yield f'<tr><th scope="row" class="text">{escape(row.block)}</th>{cells}</tr>'
    yield "</tbody></table></div>"
    yield dim("Grey: sentinels, which are there to compare passes.")
    yield "</details>"


def _names(cell: Cell) -> Iterator[str]:
    for name in cell.counters:
        yield f'<span class="dim">{code(name)}</span>' if name in cell.sentinels else code(name)


def passes(f: ProcessReport) -> Iterator[str]:
    """What replay took: by kernel against its own time, by pass, and the longest windows to scale."""
    yield dim(f"{document.cost_of(f.windows)}.".capitalize())
    yield from _costs(f.windows)
    yield "<h3>By pass</h3>"
    yield from table(document.PASSES, document.pass_rows(f.windows), caption="Passes")
    yield "<h3>The longest window of each kernel, to scale</h3>"
    shown = longest_windows(f.windows)[:TIMELINES_SHOWN]
    rows = [
        (
            f'{code(w.dispatch.kernel, 90)} <span class="dim">#{w.dispatch.dispatch_id}</span>',
            timeline(w),
            numbers.duration(w.length_ns),
        )
        for w in shown
    ]
    yield from table(("Kernel", "", "Window"), rows, caption="Longest windows", wide=("",))
    yield dim(f"Above: {document.legend_of(shown, 'numbers', 'blank')}.")


def _costs(windows: Sequence[Window]) -> Iterator[str]:
    """The windows of each kernel: kernel time of pass 0, of further executions, and the rest."""
    by: dict[str, list[Window]] = defaultdict(list)
    for w in windows:
        by[w.dispatch.kernel].append(w)
    parts = []
    for name, of in by.items():
        first, kernel = sum(w.first_ns for w in of), sum(w.kernel_ns for w in of)
        parts.append((sum(w.length_ns for w in of), first, kernel - first, name, len(of)))
    parts.sort(key=lambda one: -one[0])
    longest = parts[0][0]
    rows = []
    for whole, first, others, name, count in parts[:TIMELINES_SHOWN]:
        rest = max(0, whole - first - others)
        bar = [
            (first / longest, "first", f"pass 0: {numbers.duration(first)}"),
            (others / longest, "pass", f"further executions: {numbers.duration(others)}"),
            (rest / longest, "gap", f"between them: {numbers.duration(rest)}"),
        ]
        factor = numbers.factor(whole / first) if first else numbers.ABSENT
        times = (numbers.duration(t) for t in (first, others, rest, whole))
        rows.append((code(name, 90), f"{count:,}", share_bar(bar, f"{factor} of pass 0"), *times, factor))
    head = ("Kernel", "Dispatches", "", "Pass 0", "Further passes", "Between", "Windows", "To pass 0")
    yield from table(head, rows, caption="Cost by kernel", wide=("",))
    yield (
        '<p class="dim legend"><span><i class="first"></i>kernel time of pass 0</span> '
        '<span><i class="pass"></i>of further passes</span> '
        '<span><i class="gap"></i>between them: restoring memory, launching again</span></p>'
    )


def agreement(f: ProcessReport, prefix: str) -> Iterator[str]:
    """The three verdicts on each kernel, and the counters that several passes read."""
    replayed = [one for one in f.verdicts if one.replayed]
    rows = document.verdict_rows(replayed, code)
    shown = [tuple(_coloured(cell) for cell in row) for row in rows[:KERNELS_LISTED]]
    yield from table(document.verdict_head(replayed), shown, caption="Verdicts", wide=("Kernel",))
    if more := len(rows) - len(shown):
        yield dim(f"{plural(more, 'more kernel')}: in the JSON.")
    yield from map(dim, document.verdict_notes(f.verdicts, warmed=f.process.warm_up_pass))
    if found := agreements(f.process, f.dispatches):
        yield "<h3>What several passes of a dispatch read</h3>"
        head = ("Counter", "GPU", "Compared", "Equal", "Differ by", "Remark")
        rows = [(*row, _linked(remark, prefix)) for *row, remark in document.agreement_rows(found, code)]
        yield from table(head, rows, caption="Counters of several passes")


def _linked(remark: str, prefix: str) -> str:
    """A remark in which a dispatch is a way to it."""
    return re.sub(r"dispatch (\d+)", rf'<a href="#{prefix}dispatch-\1">\g<0></a>', escape(remark))


def _coloured(cell: str) -> str:
    """A cell of verdicts: what is not the same stands out, what is not known is grey."""
    if cell == "no" or cell.startswith("not: "):
        return f'<span class="bad">{cell}</span>'
    if cell.startswith(("exact", "within")):
        return f'<span class="good">{cell}</span>'
    return f'<span class="dim">{cell}</span>' if cell == "unknown" else cell


def files(f: ProcessReport) -> Iterator[str]:
    """What there is on disk."""
    rows = [(code(str(one.path), LONG_NAME), one.length, escape(one.opened_by)) for one in files_of(f.process)]
    yield from table(("File", "Size", "How to open it"), rows, caption="Files", wide=("File",))
