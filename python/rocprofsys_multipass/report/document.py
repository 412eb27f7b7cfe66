# SPDX-License-Identifier: MIT
"""What the reports share that are documents: sentences, and tables as rows of text.

A `Markup` makes of a text of the run what the document shows it as: escaped, as a name, or both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

from rocprofsys_multipass.report import numbers
from rocprofsys_multipass.report.passes import Agreement, Window, by_pass, window_of
from rocprofsys_multipass.report.statistics import (
    KernelStatistics,
    MetricStatistics,
    metrics_of_kernel,
    outcome_counts,
    time_owner,
    unit_of,
)
from rocprofsys_multipass.spelling import STATES_NO_WORK, plural
from rocprofsys_multipass.trace import Agent, Dispatch, DurationSpread, KernelVerdicts, Process
from rocprofsys_multipass.trace.agreement import ASPECTS, Aspect, AspectName, Reason
from rocprofsys_multipass.trace.nature import nature_of

Markup = Callable[[str], str]
Row = tuple[str, ...]

COUNTERS: Final = ("Counter", "From", "Unit", "Read in", "Mean", "Min", "Max")
METRICS: Final = ("Metric", "From", "Unit", "Read in", "Median", "Min", "Max")
PASSES: Final = ("Pass", "Counters", "Executions", "Mean", "Min", "Max", "Gap before")
DISPATCHES: Final = (
    "Dispatch",
    "GPU",
    "Kernel",
    "Outcome",
    "Passes",
    "Counters",
    "Time",
    "Time of",
    "Over passes",
    "All passes",
)
VERDICTS: Final = (
    "Kernel",
    "GPU",
    "Replayed",
    "Same work",
    "Same clock",
    "Same caches",
    "Times differ",
)
TEXT_COLUMNS: Final = frozenset(
    {
        *("Kernel", "Outcome", "Counter", "Metric", "From", "Unit", "Remark", "Time of", "Reason", "What happened"),
        *("What to do", "File", "How to open it", "Same work", "Same clock", "Same caches", "Process", "Block"),
        *("Why", ""),
    }
)
"""Headings of columns that are no numbers; "" is one of remarks or drawings."""
INPUTS_RESTORED: Final = "Inputs restored"


def facts_of(process: Process, host: str = "") -> list[str]:
    """What a process was and what recorded it, each in a few words; `host` stands before its name."""
    facts = [f"process {process.pid}"]
    facts += [f"rank {process.rank}"] if process.rank is not None else []
    facts += [f"{host}{process.hostname}"] if process.hostname else []
    facts += [f"SDK {process.sdk_version}"] if process.sdk_version else []
    facts += ["simulated"] if process.simulated else []
    facts += [f"replay {process.replay_mode}"] if process.replay_mode else []
    facts += ["warm-up pass"] if process.warm_up_pass else []
    facts += ["timing pass"] if process.timing_pass else []
    facts += ["groups permuted"] if process.permute_groups else []
    return facts


def plan_of(agent: Agent) -> str:
    """``: 7 counters in 2 passes, at least 2 needed``; empty without a plan."""
    if not agent.passes:
        return ""
    passes = plural(len(agent.passes), "pass")
    least = f", at least {agent.lower_bound} needed" if agent.lower_bound is not None else ""
    return f": {plural(len(agent.requested), 'counter')} in {passes}{least}"


def outcomes_of(dispatches: Sequence[Dispatch]) -> str:
    """``5 replayed, 1 declined (unknown)``."""
    return ", ".join(f"{count} {outcome}" for outcome, count in outcome_counts(dispatches).items())


def cost_of(windows: Sequence[Window]) -> str:
    """What all executions of replayed dispatches, of which there is one, took beside the kernel times of pass 0."""
    first, whole = sum(w.first_ns for w in windows), sum(w.length_ns for w in windows)
    times = f", {numbers.factor(whole / first)}" if first else ""
    in_all, of_first = numbers.duration(whole), numbers.duration(first)
    return f"replay windows: {in_all} in all, {of_first} of it kernel time of pass 0{times}"


def legend_of(windows: Sequence[Window], passes: str, gaps: str) -> str:
    """What is in the drawings of some windows; `passes` and `gaps` say how those are drawn."""
    without = dict.fromkeys((e.mark, e.label) for w in windows for e in w.executions if e.index is None)
    return ", ".join((*(f"{mark} {label}" for mark, label in without), f"{passes} passes", f"{gaps} restore and gaps"))


def remark_on(row: Agreement) -> str:
    """Where a counter that several passes read differed most, or that it says nothing."""
    if row.worst is not None:
        nature = nature_of(row.counter)
        why = "" if nature == "work" else f", by nature: it is of {'time' if nature == 'time' else 'the caches'}"
        return f"dispatch {row.worst.dispatch_id}{why}"
    return "all 0: proves nothing" if row.proves_nothing else ""


def counter_rows(k: KernelStatistics, name: Markup) -> list[Row]:
    """Rows of COUNTERS: canonical values of the counters of a kernel."""
    return [
        (
            name(counter),
            k.source(counter),
            unit_of(counter, k.agent),
            k.read_in(s),
            *(numbers.value(v) for v in (s.mean, s.low, s.high)),
        )
        for counter in k.counters
        if (s := k.counter(counter)) is not None
    ]


def metric_rows(k: KernelStatistics, sets: Sequence[str], name: Markup) -> list[Row]:
    """Rows of METRICS: the metrics of the sets that the run asked for; none where it asked for none."""
    return [
        (
            name(one.metric.name),
            one.source,
            name(one.metric.unit),
            k.read_in(one.extent) if one.extent else numbers.ABSENT,
            numbers.value(one.median),
            *(numbers.value(v) for v in ((one.extent.low, one.extent.high) if one.extent else (None, None))),
        )
        for one in metrics_of_kernel(k, sets)
    ]


def metric_notes(found: Sequence[MetricStatistics]) -> list[str]:
    """What the dash of metrics without a value means."""
    absent = [one for one in found if one.median is None]
    zero = ", ".join(one.metric.name for one in absent if one.read)
    lacking = ", ".join(one.metric.name for one in absent if not one.read and not one.apart)
    notes = [f"- is no value: the formula divides by 0 ({zero})"] if zero else []
    notes += [f"- is no value: no pass read all of its counters ({lacking})"] if lacking else []
    for one in absent:
        if one.apart:
            counters = ", ".join(f"{name} in {'/'.join(f'g{g}' for g in groups)}" for name, groups in one.apart)
            notes.append(
                f"{one.metric.name} is no value: its counters were read in different executions ({counters}), whose "
                f"ratio is that of none; --group {','.join(name for name, _ in one.apart)} reads them together"
            )
    return notes


def pass_rows(windows: Sequence[Window]) -> list[Row]:
    """Rows of PASSES."""
    return [
        (
            str(p.index),
            str(p.counters),
            f"{p.duration.count:,}",
            *(numbers.duration(t) for t in (p.duration.mean, p.duration.low, p.duration.high)),
            numbers.duration(p.gap.mean if p.gap else None),
        )
        for p in by_pass([w.dispatch for w in windows])
    ]


_NAMES: Final[dict[AspectName, str]] = {"work": "Same work", "clock": "Same clock", "cache": "Same caches"}
_REASONS: Final[dict[Reason, str]] = {
    "not_read": "no counter of it was in two passes",
    "zero": "its counters are 0 in every pass",
    "waves_only": "waves alone were compared, which follow the size of the launch",
    "no_times": "the passes have no times",
    "simulated": "times of a simulation are those of the host",
    "first_unread": (
        "the first execution, the only one on the memory that the program left, read no counters; a run without "
        "--warm-up-pass and --timing-pass can tell"
    ),
}
PARTLY: Final = "* of the dispatches and passes that were compared; some were not"


def over_passes(spread: DurationSpread | None) -> str:
    """The shortest and the longest time of the passes."""
    return numbers.extent(spread.low_ns, spread.high_ns) if spread else numbers.ABSENT


def verdict_of(one: Aspect, replayed: int) -> str:
    """``exact``, ``within 0.03 %``, ``not: 50.0 %`` or ``unknown``, with a star where not all were compared."""
    star = "" if one.compared == one.in_all_passes == replayed or one.verdict == "unknown" else "*"
    share = numbers.share(one.spread or 0)
    return {"within": f"within {share}", "not": f"not: {share}"}.get(one.verdict, one.verdict) + star


def any_not_restored(found: Sequence[KernelVerdicts]) -> bool:
    """Whether replay is known to have left inputs changed; nothing that a client sees proves that it did not."""
    return any(one.inputs_restored == "no" for one in found)


def verdict_head(found: Sequence[KernelVerdicts]) -> Row:
    """VERDICTS, with INPUTS_RESTORED where it says something."""
    return (*VERDICTS, INPUTS_RESTORED) if any_not_restored(found) else VERDICTS


def verdict_rows(found: Sequence[KernelVerdicts], name: Markup) -> list[Row]:
    """Rows of `verdict_head`, of kernels that were replayed."""
    restored = any_not_restored(found)
    return [
        (
            name(one.kernel),
            str(one.agent.device),
            f"{one.replayed:,}",
            *(verdict_of(one.aspect(aspect), one.replayed) for aspect in ASPECTS),
            numbers.percent(one.spread) if one.passes else numbers.ABSENT,
            *[one.inputs_restored] * restored,
        )
        for one in found
    ]


def verdict_notes(found: Sequence[KernelVerdicts], *, warmed: bool) -> list[str]:
    """What stands below the verdicts: what a star means, why some are unknown, what to do, what was not compared.

    `warmed`: the run had a warm-up pass.
    """
    replayed = [one for one in found if one.replayed]
    texts = [verdict_of(one.aspect(aspect), one.replayed) for one in replayed for aspect in ASPECTS]
    notes = [PARTLY] if any(text.endswith("*") for text in texts) else []
    why = Counter((aspect, one.aspect(aspect).reason) for one in replayed for aspect in ASPECTS)
    for (aspect, reason), count in why.items():
        if reason:
            where = "" if count == len(replayed) else f" of {count} of {len(replayed)} kernels"
            notes.append(f"{_NAMES[aspect]}{where} is unknown: {_REASONS[reason]}")
    if not warmed and any(one.cache.verdict == "not" for one in replayed):
        notes.append("Not the same caches: --warm-up-pass lets all passes run warm")
    if any(one.work.reason == "zero" and one.clock.reason == "simulated" for one in replayed):
        notes.append(f"{STATES_NO_WORK[0].upper()}{STATES_NO_WORK[1:]}")
    if any_not_restored(found):
        notes.append(
            "Passes of one launch did different work: do not combine their counters; --no-replay with the kernel's "
            "name, or --replay rotate, runs it once per launch"
        )
    if count := len(found) - len(replayed):
        notes.append(f"{plural(count, 'more kernel')} without a replayed dispatch: nothing was compared")
    return notes


def kernel_times(dispatches: Sequence[Dispatch]) -> Row:
    """Headings of the times of kernels: total; mean, min, max, of pass 0 or the timing pass where they are all such."""
    owner = time_owner(dispatches)
    return ("Total", *(f"{owner} {name}".strip().capitalize() for name in ("mean", "min", "max")))


def times_of(k: KernelStatistics) -> Row:
    """The times of `kernel_times`: the total of all dispatches, the others of those that were replayed if some were."""
    total, each = k.duration, k.duration_each
    of_each = [None] * 3 if each is None else [each.mean, each.low, each.high]
    return tuple(numbers.duration(time) for time in (total.total if total else None, *of_each))


def agreement_rows(found: Sequence[Agreement], name: Markup) -> list[Row]:
    """Counter, GPU, how many dispatches were compared, how many were equal, by how much they differ, and a remark."""
    return [
        (
            name(a.counter),
            str(a.agent.device),
            f"{a.compared:,}",
            f"{a.equal:,}",
            numbers.percent(a.spread) if a.spread else numbers.ABSENT,
            remark_on(a),
        )
        for a in found
    ]


def dispatch_row(d: Dispatch, name: Markup, text: Markup) -> Row:
    """A row of DISPATCHES."""
    window = window_of(d)
    several = d.outcome in ("replayed", "incomplete")
    return (
        str(d.dispatch_id),
        str(d.agent.device),
        name(d.kernel),
        text(f"{d.outcome} ({d.reason})" if d.reason else d.outcome),
        f"{len(d.passes)} of {d.passes_planned}" if several else numbers.ABSENT,
        str(len(d.counters)),
        numbers.duration(d.duration_ns),
        text(d.time_of) or numbers.ABSENT,
        over_passes(d.duration_spread),
        numbers.duration(window.length_ns if window else None),
    )


def more_dispatches(count: int, where: str = "in the CSV") -> str:
    """What is said where a table ends before its dispatches do."""
    return f"{plural(count, 'more dispatch')}: {where}."
