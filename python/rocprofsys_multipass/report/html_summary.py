# SPDX-License-Identifier: MIT
"""The first screen of the HTML report: did it work, what was lost, what it cost, whether to trust it, what matters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from rocprofsys_multipass.report import document, numbers
from rocprofsys_multipass.report.advice import Loss
from rocprofsys_multipass.report.closing import KernelOutcomes
from rocprofsys_multipass.report.html_parts import code, share_bar, table
from rocprofsys_multipass.report.passes import Window
from rocprofsys_multipass.report.shapes import Shape
from rocprofsys_multipass.report.statistics import KernelStatistics
from rocprofsys_multipass.spelling import plural
from rocprofsys_multipass.trace import OUTCOMES, Agent, Dispatch, KernelVerdicts, Process, safety
from rocprofsys_multipass.trace.agreement import ASPECTS

_GOOD = ("exact", "within")


@dataclass(frozen=True, slots=True)
class ProcessReport:
    """What the page has to say of a process, each of it computed once."""

    process: Process
    dispatches: Sequence[Dispatch]
    kernels: Sequence[KernelStatistics]
    windows: Sequence[Window]
    losses: Sequence[Loss]
    verdicts: Sequence[KernelVerdicts]
    shapes: Sequence[Shape]
    closing: Sequence[KernelOutcomes]

    @property
    def lost(self) -> int:
        """Dispatches that lack counters against the will of the user."""
        return sum(one.count for one in self.losses if one.outcome != "filtered")

    @property
    def unread(self) -> list[str]:
        """Counters that were asked for and that no dispatch has, by GPU."""
        return [
            name
            for agent in self.process.gpus
            for name in (*(u.counter for u in agent.unplaceable_counters), *self.process.unread(agent))
        ]

    @property
    def cost(self) -> tuple[float, float]:
        """Kernel time of pass 0 and length of all windows, ns."""
        return sum(w.first_ns for w in self.windows), sum(w.length_ns for w in self.windows)

    @property
    def work(self) -> str:
        """Whether the passes of all kernels did the same work: `yes`, `no`, `unknown`; empty without replay."""
        found = {one.work.verdict for one in self.verdicts if one.replayed}
        if not found:
            return ""
        return "no" if "not" in found else "yes" if found <= set(_GOOD) else "unknown"


def answers(f: ProcessReport, prefix: str) -> Iterator[str]:
    """The six answers. `prefix`: of the ids of this process."""
    yield '<dl class="answers">'
    yield from _answer("Dispatches", f"{len(f.dispatches):,}", _outcomes(f.dispatches))
    yield from _answer("Passes", *_passes(f.process.gpus))
    yield from _answer("Not read", *_lost(f, prefix))
    yield from _answer("Cost of replay", *_cost(f))
    yield from _answer("Same work in all passes", *_trust(f, prefix))
    yield from _answer("Longest kernel", *_longest(f.kernels, prefix))
    yield "</dl>"


def _answer(question: str, answer: str, detail: str) -> Iterator[str]:
    yield f'<div><dt>{question}</dt><dd><span class="big">{answer}</span><span class="dim">{detail}</span></dd></div>'


def _outcomes(dispatches: Sequence[Dispatch]) -> str:
    counts = Counter(d.outcome for d in dispatches)
    there = [(outcome, counts[outcome]) for outcome in OUTCOMES if counts[outcome]]
    text = ", ".join(f"{count:,} {outcome}" for outcome, count in there)
    bar = [(count / len(dispatches), outcome, f"{count:,} {outcome}") for outcome, count in there]
    return f"{escape(text)}{share_bar(bar, text)}" if there else "none was recorded"


def _passes(agents: Sequence[Agent]) -> tuple[str, str]:
    planned = [a for a in agents if a.passes]
    if not planned:
        return numbers.ABSENT, "this file does not hold the plan"
    counts = sorted({len(a.passes) for a in planned}, reverse=True)
    counters = sorted({len(a.requested) for a in planned}, reverse=True)
    proven = all(a.proof in ("bound", "search") for a in planned)
    least = max((a.lower_bound or 0) for a in planned)
    fewer = "; fewer are impossible" if proven else f"; at least {least} are needed" if least else ""
    of = f"for {' or '.join(f'{n:,}' for n in counters)} {'counter' if counters == [1] else 'counters'}"
    gpus = f" on each of {len(planned)} GPUs" if len(planned) > 1 else ""
    return " or ".join(map(str, counts)), escape(f"{of}{gpus}{fewer}")


def _lost(f: ProcessReport, prefix: str) -> tuple[str, str]:
    unread = f.unread
    if not f.lost and not unread:
        filtered = sum(one.count for one in f.losses)
        left_out = (
            f"{filtered:,} dispatches were filtered, as asked for" if filtered else "all that was planned is here"
        )
        return '<span class="good">nothing</span>', left_out
    link = f'<a href="#{prefix}lost">why'
    lacking = sum(not shape.first.complete for shape in f.shapes)
    faulty = any(one.outcome == "incomplete" and not safety.ended(one.reason) for one in f.losses)
    if f.shapes and not lacking and not unread and not faulty:
        each = f"every launch shape has all its counters; {plural(f.lost, 'dispatch')} read some of them"
        return '<span class="good">nothing</span>', f"{escape(each)}: {link}</a>"
    parts = [plural(len(unread), "counter")] if unread else []
    parts += [plural(f.lost, "dispatch")] if f.lost else []
    share = f"{numbers.share(f.lost / len(f.dispatches))} of the dispatches lack counters" if f.lost else ""
    if f.lost and any(shape.first.counters_planned is not None for shape in f.shapes):
        of_shapes = f", and {lacking:,} of {plural(len(f.shapes), 'launch shape')}"
        share += of_shapes if lacking else ", but no launch shape does"
    detail = f"{escape(share)}{'; ' * bool(share)}{link}, and what to do</a>"
    return f'<span class="warn">{escape(" and ".join(parts))}</span>', detail


def _cost(f: ProcessReport) -> tuple[str, str]:
    first, whole = f.cost
    if not f.windows:
        return numbers.ABSENT, "nothing was replayed"
    windows = f"{numbers.duration(whole)} in replay windows, {numbers.duration(first)} of it kernel time of pass 0"
    return numbers.factor(whole / first) if first else numbers.duration(whole), escape(windows)


def _trust(f: ProcessReport, prefix: str) -> tuple[str, str]:
    work = f.work
    if not work:
        return numbers.ABSENT, "no passes to compare"
    said = {"yes": '<span class="good">yes</span>', "no": '<span class="bad">no</span>'}.get(work, "unknown")
    parts = []
    for aspect, name in zip(ASPECTS[1:], ("clock", "caches"), strict=True):
        verdicts = {one.aspect(aspect).verdict for one in f.verdicts if one.replayed}
        word = "not the same" if "not" in verdicts else "the same" if verdicts <= set(_GOOD) else "unknown"
        parts.append(f"{name} {word}")
    do_not = "do not combine counters of different passes; " if work == "no" else ""
    return said, f'{do_not}{", ".join(parts)}; <a href="#{prefix}agreement">verdicts</a>'


def _longest(kernels: Sequence[KernelStatistics], prefix: str) -> tuple[str, str]:
    timed = [k for k in kernels if k.duration]
    total = sum(k.duration.total for k in timed if k.duration)
    if not timed or not total:
        return numbers.ABSENT, "no times are known"
    first = timed[0]
    duration = first.duration
    share = numbers.percent(duration.total / total) if duration else ""
    calls = plural(len(first.dispatches), "call")
    name = f'<a href="#{prefix}kernel-0">{code(first.name, 90)}</a>'
    return share, f"{name} {escape(calls)}"


def overview(of: Sequence[tuple[ProcessReport, str]]) -> Iterator[str]:
    """A line for each process of several. The text of each: the prefix of its ids."""
    yield '<section aria-labelledby="overview"><h2 id="overview">Processes</h2>'
    rows = []
    for f, prefix in of:
        first, whole = f.cost
        facts = document.facts_of(f.process)
        rows.append(
            (
                f'<a href="#{prefix}summary">{escape(" ".join(facts[:2]))}</a>',
                escape(f.process.hostname),
                f"{len(f.dispatches):,}",
                f"{f.lost:,}",
                _passes(f.process.gpus)[0],
                numbers.factor(whole / first) if first else numbers.ABSENT,
                f.work or numbers.ABSENT,
                code(f.kernels[0].name, 60) if f.kernels else numbers.ABSENT,
            )
        )
    head = ("Process", "Host", "Dispatches", "In part", "Passes", "Cost", "Same work", "Kernel")
    yield from table(head, rows, caption="Processes")
    yield "</section>"
