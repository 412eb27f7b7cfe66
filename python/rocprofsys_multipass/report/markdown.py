# SPDX-License-Identifier: MIT
"""The report as a Markdown document, in the order of the one for a terminal. Absent values are a dash, never 0."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final, TextIO

from rocprofsys_multipass.report import closing, document
from rocprofsys_multipass.report.advice import losses
from rocprofsys_multipass.report.files import files_of
from rocprofsys_multipass.report.occupancy import grids
from rocprofsys_multipass.report.passes import agreements, window_of
from rocprofsys_multipass.report.shapes import COVERAGE, TITLE, VALUES, coverage_row, notes_on, shapes_of, value_rows
from rocprofsys_multipass.report.statistics import KernelStatistics, by_kernel, metrics_of_kernel, whose_times
from rocprofsys_multipass.report.warned import warnings_of
from rocprofsys_multipass.spelling import plural
from rocprofsys_multipass.trace import Agent, Dispatch, Process, Trace
from rocprofsys_multipass.trace.agreement import verdicts_of
from rocprofsys_multipass.visible import visible

DISPATCHES_SHOWN: Final = 200  # of a process, in the table per dispatch; further ones are in the CSV
_MARKUP: Final = re.compile(r"[\\`*\[\]<>|#~]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")  # within a word _ is none


def render_markdown(
    trace: Trace,
    stream: TextIO,
    *,
    kernel: str | None = None,
    dispatches: int = DISPATCHES_SHOWN,
) -> None:
    """Per process: what ran, what was lost, kernels, dispatches, counters per kernel, plan, passes, agreement, files.

    `kernel`: as in Trace.dispatches(). `dispatches`: how many of each process are in the table of them.
    """
    _render(trace, stream, kernel, lambda process, of: _process(process, of, dispatches))


def render_counters_markdown(trace: Trace, stream: TextIO, *, kernel: str | None = None) -> None:
    """Per process what ran, and the counters of each launch shape."""
    _render(trace, stream, kernel, _kernel_counters)


def _render(
    trace: Trace,
    stream: TextIO,
    kernel: str | None,
    lines_of: Callable[[Process, Sequence[Dispatch]], Iterator[str]],
) -> None:
    chosen = {id(d) for d in trace.dispatches(kernel=kernel)}
    for number, process in enumerate(trace.processes):
        if number:
            stream.write("\n")
        of = [d for d in process.dispatches if id(d) in chosen]
        stream.writelines(f"{line}\n" for line in (*_title(process, of), *lines_of(process, of)))


def _title(process: Process, dispatches: Sequence[Dispatch]) -> Iterator[str]:
    yield f"# {_plain(' '.join(process.command) or process.path.name)}"
    yield ""
    yield from _head(process, dispatches)


def _kernel_counters(process: Process, dispatches: Sequence[Dispatch]) -> Iterator[str]:
    """The counters of each launch shape."""
    shapes = shapes_of(process, dispatches)
    for shape in shapes:
        yield from _section(f"{_code(shape.first.kernel)} on GPU {shape.first.agent}")
        yield from (f"{_plain(shape.label)}: {_plain(shape.coverage)}.", "")
        yield from _table(VALUES, value_rows(shape, _plain))
    for note in notes_on(shapes) or ([] if shapes else ["No counter was planned or read"]):
        yield from ("", f"{_plain(note)}.")


def _coverage(process: Process, dispatches: Sequence[Dispatch]) -> Iterator[str]:
    """How much of the plan was read of each launch shape, where some launch read one group only."""
    shapes = shapes_of(process, dispatches)
    if any(shape.of_one_group for shape in shapes):
        yield from _section(TITLE)
        yield from ("Launches that were not replayed read one group of counters each.", "")
        yield from _table(COVERAGE, [coverage_row(shape, _code) for shape in shapes])


def _process(process: Process, dispatches: Sequence[Dispatch], most: int) -> Iterator[str]:
    if not dispatches:
        yield ""
        yield "No dispatch was recorded."
        return
    kernels = by_kernel(dispatches, permuted=process.permute_groups)
    yield from _section("Kernels")
    if note := whose_times(dispatches):
        yield from (f"{note[:1].upper()}{note[1:]}.", "")
    yield from _table(
        ("Kernel", "GPU", "Calls", *document.kernel_times(dispatches), "Over passes", "Outcome"),
        [_kernel_row(k) for k in kernels],
    )
    yield from _closing(closing.of_dispatches(dispatches))
    yield from _lost(dispatches)
    yield from _coverage(process, dispatches)
    yield from _dispatches(dispatches, most)
    for k in kernels:
        if rows := document.counter_rows(k, _plain):
            yield from _section(f"{_code(k.name)} on {_plain(k.agent.label)}")
            if metrics := document.metric_rows(k, process.sets, _plain):
                yield from _table(document.METRICS, metrics)
                notes = document.metric_notes(metrics_of_kernel(k, process.sets))
                yield from ("", *(f"{_plain(note)}." for note in notes), *[""] * bool(notes))
            yield from _table(document.COUNTERS, rows)
    yield from _plan(process)
    yield from _passes(dispatches)
    yield from _agreement(process, dispatches)
    yield from _files(process)


def _head(process: Process, dispatches: Sequence[Dispatch]) -> Iterator[str]:
    yield f"- {_plain(', '.join(document.facts_of(process, host='host ')))}"
    for agent in process.gpus:
        yield from _agent(agent, process)
    outcomes = _plain(document.outcomes_of(dispatches) or "none")
    yield f"- {plural(len(dispatches), 'dispatch')}: {outcomes}"
    yield from (f"- **warning:** {_plain(text)}" for text in warnings_of(process))


def _agent(agent: Agent, process: Process) -> Iterator[str]:
    yield f"- {_plain(agent.label)}{document.plan_of(agent)}"
    yield from (f"- **not read:** {_plain(one.counter)}: {_plain(one.reason)}" for one in agent.unplaceable_counters)
    if unread := process.unread(agent):
        yield f"- **not read:** {_plain(', '.join(unread))}"


def _kernel_row(k: KernelStatistics) -> tuple[str, ...]:
    return (
        _code(k.name),
        str(k.agent.device),
        f"{len(k.dispatches):,}",
        *document.times_of(k),
        document.over_passes(k.over_passes),
        _plain(", ".join(f"{n} {name}" for name, n in k.outcomes.items())),
    )


def _closing(found: Sequence[closing.KernelOutcomes]) -> Iterator[str]:
    """What became of the launches of each kernel, where they were not all read alike, and which were in danger."""
    if closing.is_needed(found):
        yield from _section(closing.TITLE)
        yield from (f"{closing.LEGEND.capitalize()}.", "")
        head, rows = closing.document_table(found, len(found), _code, _plain)
        yield from _table(head, rows)
    for line in closing.lifted_lines(found):
        yield from ("", f"**{_plain(line)}**")


def _lost(dispatches: Sequence[Dispatch]) -> Iterator[str]:
    if found := losses(dispatches):
        yield from _section("Not read, and what to do")
        rows = [(one.outcome, _plain(one.reason), f"{one.count:,}", one.why, one.advice) for one in found]
        yield from _table(("Outcome", "Reason", "Dispatches", "What happened", "What to do"), rows)


def _plan(process: Process) -> Iterator[str]:
    for grid in grids(process.gpus):
        yield from _section(f"Plan of {_plain(grid.label)}")
        yield from (f"{grid.unit.capitalize()}.", "")
        head = ("Block", *(f"Pass {n}" for n in range(grid.passes)))
        yield from _table(head, [(_plain(row.block), *(cell.text for cell in row.cells)) for row in grid.counted])


def _files(process: Process) -> Iterator[str]:
    if found := files_of(process):
        yield from _section("Files")
        rows = [(_code(str(one.path)), one.length, _plain(one.opened_by)) for one in found]
        yield from _table(("File", "Size", "How to open it"), rows)


def _dispatches(dispatches: Sequence[Dispatch], most: int) -> Iterator[str]:
    yield from _section("Dispatches")
    shown = dispatches[:most]
    yield from _table(document.DISPATCHES, [document.dispatch_row(d, _code, _plain) for d in shown])
    if len(dispatches) > len(shown):
        yield ""
        yield document.more_dispatches(len(dispatches) - len(shown))


def _passes(dispatches: Sequence[Dispatch]) -> Iterator[str]:
    windows = [w for d in dispatches if (w := window_of(d)) is not None]
    if not windows:
        return
    yield from _section("Passes")
    yield f"{document.cost_of(windows).capitalize()}."
    yield ""
    yield from _table(document.PASSES, document.pass_rows(windows))


def _agreement(process: Process, dispatches: Sequence[Dispatch]) -> Iterator[str]:
    verdicts = verdicts_of(process, dispatches)
    replayed = [one for one in verdicts if one.replayed]
    if not replayed:
        return
    yield from _section("Agreement of the passes")
    rows = document.verdict_rows(replayed, _code)
    yield from _table(document.verdict_head(replayed), rows)
    if notes := document.verdict_notes(verdicts, warmed=process.warm_up_pass):
        yield from ("", *(f"{_plain(note)}." for note in notes))
    found = agreements(process, dispatches)
    if not found:
        return
    yield from ("", "What several passes of a dispatch read:", "")
    head = ("Counter", "GPU", "Compared", "Equal", "Differ by", "")
    yield from _table(head, document.agreement_rows(found, _plain))


def _section(title: str) -> Iterator[str]:
    yield from ("", f"## {title}", "")


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    for row in (head, ["---" if name in document.TEXT_COLUMNS else "---:" for name in head], *rows):
        yield f"| {' | '.join(row)} |"


def _plain(text: str) -> str:
    """The text where nothing in it is markup."""
    return visible(" ".join(_MARKUP.sub(r"\\\g<0>", text).split()))


def _code(name: str) -> str:
    """A name in a code span, also in a table, where a bar would end the cell and a grave accent the span."""
    fence = "``" if "`" in name else "`"
    inner = f" {name} " if "`" in name else name
    return visible(f"{fence}{' '.join(inner.split()) if fence == '`' else inner}{fence}".replace("|", "\\|"))
