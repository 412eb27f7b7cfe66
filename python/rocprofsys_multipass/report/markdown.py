# SPDX-License-Identifier: MIT
"""The report as a Markdown document, in the order of the one for a terminal. Absent values are a dash, never 0."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, TextIO

from rocprofsys_multipass.report import numbers
from rocprofsys_multipass.report.statistics import (
    KernelStatistics,
    Spread,
    agreements,
    by_kernel,
    by_pass,
    outcome_counts,
    unit_of,
    whose_times,
    window_of,
)
from rocprofsys_multipass.trace import Agent, Dispatch, Process, Trace

DISPATCHES_SHOWN: Final = 200  # of a process, in the table per dispatch; further ones are in the CSV
_LEFT: Final = frozenset({"Kernel", "Outcome", "Counter", "From", "Unit", ""})  # columns of text
_MARKUP: Final = re.compile(r"[\\`*\[\]<>|#~]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")  # within a word _ is none


def render_markdown(trace: Trace, stream: TextIO, *, kernel: str | None = None) -> None:
    """Per process: what ran, kernels, dispatches, counters per kernel, passes and their agreement.

    `kernel`: as in Trace.dispatches().
    """
    chosen = {id(d) for d in trace.dispatches(kernel=kernel)}
    for number, process in enumerate(trace.processes):
        if number:
            stream.write("\n")
        dispatches = [d for d in process.dispatches if id(d) in chosen]
        stream.writelines(f"{line}\n" for line in _process(process, dispatches))


def _process(process: Process, dispatches: Sequence[Dispatch]) -> Iterator[str]:
    yield f"# {_plain(' '.join(process.command) or process.path.name)}"
    yield ""
    yield from _head(process, dispatches)
    if not dispatches:
        yield ""
        yield "No dispatch was recorded."
        return
    kernels = by_kernel(dispatches)
    yield from _section("Kernels")
    if note := whose_times(dispatches):
        yield from (f"{note.capitalize()}.", "")
    yield from _table(
        ("Kernel", "GPU", "Calls", "Total", "Mean", "Min", "Max", "Outcome"), [_kernel_row(k) for k in kernels]
    )
    yield from _dispatches(dispatches)
    for k in kernels:
        spreads = [(name, s) for name in k.counters if (s := k.counter(name)) is not None]
        if spreads:
            yield from _section(f"{_code(k.name)} on {_plain(k.agent.label)}")
            yield from _table(("Counter", "From", "Unit", "Read in", "Mean", "Min", "Max"), _counter_rows(k, spreads))
    yield from _passes(dispatches)
    yield from _agreement(process, dispatches)


def _head(process: Process, dispatches: Sequence[Dispatch]) -> Iterator[str]:
    facts = [f"process {process.pid}"]
    facts += [f"rank {process.rank}"] if process.rank is not None else []
    facts += [f"host {process.hostname}"] if process.hostname else []
    facts += [f"SDK {process.sdk_version}"] if process.sdk_version else []
    facts += ["simulated"] if process.simulated else []
    facts += [f"replay {process.replay_mode}"] if process.replay_mode else []
    yield f"- {_plain(', '.join(facts))}"
    for agent in process.gpus:
        yield from _agent(agent, process)
    yield f"- {numbers.plural(len(dispatches), 'dispatch', 'dispatches')}: {_plain(_outcomes(dispatches))}"
    yield from (f"- **warning:** {_plain(text)}" for text in (*process.warnings, *process.notes))
    if not process.closed:
        yield "- **warning:** the process ended before the journal was closed; what it recorded is here"


def _agent(agent: Agent, process: Process) -> Iterator[str]:
    planned = {c for p in agent.passes for c in p.counters}
    plan = ""
    if agent.passes:
        passes = numbers.plural(len(agent.passes), "pass", "passes")
        plan = f": {numbers.plural(len(planned), 'counter')} in {passes}"
        if agent.lower_bound is not None:
            plan += f", at least {agent.lower_bound} needed"
    yield f"- {_plain(agent.label)}{plan}"
    yield from (f"- **not read:** {_plain(one.counter)}: {_plain(one.reason)}" for one in agent.unplaceable)
    if unread := process.unread(agent):
        yield f"- **not read:** {_plain(', '.join(unread))}"


def _outcomes(dispatches: Sequence[Dispatch]) -> str:
    return ", ".join(f"{count} {outcome}" for outcome, count in outcome_counts(dispatches).items()) or "none"


def _kernel_row(k: KernelStatistics) -> tuple[str, ...]:
    t = k.duration
    times = [None] * 4 if t is None else [t.total, t.mean, t.low, t.high]
    return (
        _code(k.name),
        str(k.agent.device),
        f"{len(k.dispatches):,}",
        *(numbers.duration(time) for time in times),
        _plain(", ".join(f"{n} {name}" for name, n in k.outcomes.items())),
    )


def _dispatches(dispatches: Sequence[Dispatch]) -> Iterator[str]:
    yield from _section("Dispatches")
    shown = dispatches[:DISPATCHES_SHOWN]
    head = ("Dispatch", "GPU", "Kernel", "Outcome", "Passes", "Counters", "Time", "All passes")
    yield from _table(head, [_dispatch_row(d) for d in shown])
    if len(dispatches) > len(shown):
        yield ""
        yield f"{numbers.plural(len(dispatches) - len(shown), 'more dispatch', 'more dispatches')}: in the CSV."


def _dispatch_row(d: Dispatch) -> tuple[str, ...]:
    window = window_of(d)
    return (
        str(d.dispatch_id),
        str(d.agent.device),
        _code(d.kernel),
        _plain(f"{d.outcome} ({d.reason})" if d.reason else d.outcome),
        f"{len(d.passes)} of {d.passes_planned}" if d.outcome in ("replayed", "incomplete") else numbers.ABSENT,
        str(len(d.counters)),
        numbers.duration(d.duration_ns),
        numbers.duration(window.length_ns if window else None),
    )


def _counter_rows(k: KernelStatistics, spreads: Sequence[tuple[str, Spread]]) -> list[tuple[str, ...]]:
    return [
        (
            _plain(name),
            k.source(name),
            unit_of(name, k.agent),
            k.read_in(s),
            *(numbers.value(v) for v in (s.mean, s.low, s.high)),
        )
        for name, s in spreads
    ]


def _passes(dispatches: Sequence[Dispatch]) -> Iterator[str]:
    windows = [w for d in dispatches if (w := window_of(d)) is not None]
    if not windows:
        return
    first, whole = sum(w.first_ns for w in windows), sum(w.length_ns for w in windows)
    yield from _section("Passes")
    times = f", {numbers.factor(whole / first)}" if first else ""
    yield f"{numbers.duration(whole)} for {numbers.duration(first)} of kernel time in pass 0{times}."
    yield ""
    rows = [
        (
            str(p.index),
            str(p.counters),
            f"{p.duration.count:,}",
            *(numbers.duration(t) for t in (p.duration.mean, p.duration.low, p.duration.high)),
            numbers.duration(p.gap.mean if p.gap else None),
        )
        for p in by_pass([w.dispatch for w in windows])
    ]
    yield from _table(("Pass", "Counters", "Executions", "Mean", "Min", "Max", "Gap before"), rows)


def _agreement(process: Process, dispatches: Sequence[Dispatch]) -> Iterator[str]:
    found = agreements(process, dispatches)
    if not found:
        return
    yield from _section("Agreement of the passes")
    rows = [
        (
            _plain(a.counter),
            str(a.agent.device),
            f"{a.compared:,}",
            f"{a.equal:,}",
            numbers.percent(a.spread) if a.spread else numbers.ABSENT,
            f"dispatch {a.worst.dispatch_id}" if a.worst else "all 0: proves nothing" if a.proves_nothing else "",
        )
        for a in found
    ]
    yield from _table(("Counter", "GPU", "Compared", "Equal", "Differ by", ""), rows)


def _section(title: str) -> Iterator[str]:
    yield from ("", f"## {title}", "")


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    for row in (head, ["---" if name in _LEFT else "---:" for name in head], *rows):
        yield f"| {' | '.join(row)} |"


def _plain(text: str) -> str:
    """The text where nothing in it is markup."""
    return " ".join(_MARKUP.sub(r"\\\g<0>", text).split())


def _code(name: str) -> str:
    """A name in a code span, also in a table, where a bar would end the cell and a grave accent the span."""
    fence = "``" if "`" in name else "`"
    inner = f" {name} " if "`" in name else name
    return f"{fence}{' '.join(inner.split()) if fence == '`' else inner}{fence}".replace("|", "\\|")
