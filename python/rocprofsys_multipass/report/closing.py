# SPDX-License-Identifier: MIT
"""The closing table: what became of the launches of each kernel, and why.

Its rows add up: launches are the sum of the other columns, the last row that of the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from rocprofsys_multipass.report.document import Markup, Row
from rocprofsys_multipass.report.layout import Column, table_of
from rocprofsys_multipass.spelling import plural
from rocprofsys_multipass.trace import OUTCOMES, Dispatch, Outcome, safety
from rocprofsys_multipass.trace.model import Dim3

if TYPE_CHECKING:
    from rich.table import Table

ROWS: Final = 20  # kernels with a row of their own, those with most launches
TITLE: Final = "Launches"
LEGEND: Final = "replayed: all counters; rotated: one group of them, in turn"
_LEAST: Final = 16  # columns of a kernel's name
_TITLES: Final = {
    "replayed": "Replayed",
    "single_pass": "One pass",
    "declined": "Rotated",
    "filtered": "Filtered",
    "incomplete": "Incomplete",
}
_ALWAYS: Final = ("replayed", "declined")


@dataclass(slots=True)
class KernelOutcomes:
    """Launches of one kernel on one GPU, by outcome, and by outcome and reason. `device` is None of several.

    `is_sum`: of several kernels; `kernel` then says of how many.
    """

    kernel: str
    device: int | None
    is_sum: bool = False
    outcomes: Counter[str] = field(default_factory=Counter)
    reasons: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def launches(self) -> int:
        """All of them."""
        return self.outcomes.total()

    @property
    def why(self) -> str:
        """``max_replays 5, budget 2, budget 1 (ended early)``: why not all were replayed, the most frequent first.

        Filters are by choice. What ended a replay that had begun may be what kept others from beginning.
        """
        named = [((outcome, reason), n) for (outcome, reason), n in self.reasons.items() if outcome not in _NO_WHY]
        ordered = sorted(named, key=lambda one: (-one[1], one[0]))
        return ", ".join(f"{reason} {n:,}{_EARLY.get(outcome, '')}" for (outcome, reason), n in ordered)


_NO_WHY: Final = ("replayed", "filtered")
_EARLY: Final = {"incomplete": " (ended early)"}
_REST: Final = "all further kernels"  # beyond those that a summary has a member of


def of_dispatches(dispatches: Iterable[Dispatch]) -> list[KernelOutcomes]:
    """Of each kernel, the one with most launches first."""
    found: dict[tuple[int | None, str], KernelOutcomes] = {}
    for d in dispatches:
        key = (d.agent.device, d.kernel)
        one = found.setdefault(key, KernelOutcomes(d.kernel, d.agent.device))
        one.outcomes[d.outcome] += 1
        if word := safety.countable(d):
            one.reasons[d.outcome, word] += 1
    return _ordered(found.values())


def of_summary(summary: Mapping[str, Any]) -> list[KernelOutcomes]:
    """The same of the summary of a run (docs/formats/summary.md); nothing where that is of an earlier version."""
    members = list(summary.get("kernels_agreement", ()))
    if rest := summary.get("kernels_agreement_rest"):
        members.append({"kernel": _REST, "device": None, "is_sum": True, **rest})
    if not members or any("outcomes" not in one for one in members):
        return []
    return _ordered(_of_member(one) for one in members)


def _of_member(member: Mapping[str, Any]) -> KernelOutcomes:
    counts = member["outcomes"]
    return KernelOutcomes(
        member["kernel"],
        member["device"],
        is_sum=member.get("is_sum", False),
        outcomes=Counter({name: counts[name] for name in OUTCOMES if counts[name]}),
        reasons=Counter(
            {(name, why): n for name in OUTCOMES for why, n in counts.get(f"{name}_reasons", {}).items() if why}
        ),
    )


def _ordered(found: Iterable[KernelOutcomes]) -> list[KernelOutcomes]:
    return sorted(found, key=lambda one: (one.kernel == _REST, -one.launches, one.kernel, one.device or 0))


def joined(found: Iterable[KernelOutcomes]) -> list[KernelOutcomes]:
    """Those of several processes, with the launches of a kernel on a GPU together."""
    made: dict[tuple[str, int | None], KernelOutcomes] = {}
    for one in found:
        of = made.setdefault((one.kernel, one.device), KernelOutcomes(one.kernel, one.device, one.is_sum))
        of.outcomes.update(one.outcomes)
        of.reasons.update(one.reasons)
    return _ordered(made.values())


def is_needed(found: Sequence[KernelOutcomes]) -> bool:
    """Whether some launches were not read as a whole, so that one wants to know which, and why."""
    return any(one.outcomes["declined"] or one.outcomes["incomplete"] for one in found)


def coverage(dispatches: Iterable[Dispatch]) -> str:
    """``counters of each launch shape: 2 of 10 shapes lack some``: of those planned; empty where no plan is known.

    A launch shape is a kernel on a GPU with its grid and work-group; filtered launches are of none.
    """
    missing: dict[tuple[int, str, Dim3 | None, Dim3 | None], set[str]] = {}
    for d in dispatches:
        if d.outcome != "filtered" and d.agent.passes:
            of = missing.setdefault((id(d.agent), d.kernel, d.grid, d.workgroup), set(d.agent.requested))
            of.difference_update(d.counters)
    lacking = sum(bool(of) for of in missing.values())
    if not missing:
        return ""
    if not lacking:
        return f"counters of each launch shape: all were read ({plural(len(missing), 'shape')})"
    return f"counters of each launch shape: {lacking:,} of {plural(len(missing), 'shape')} lack some"


def together(found: Sequence[KernelOutcomes], name: str) -> KernelOutcomes:
    """The sum of some."""
    total = KernelOutcomes(name, None, is_sum=True)
    for one in found:
        total.outcomes.update(one.outcomes)
        total.reasons.update(one.reasons)
    return total


def rows_of(found: Sequence[KernelOutcomes], most: int) -> list[KernelOutcomes]:
    """Those of most launches, the further ones together, and, below several rows, the sum of all."""
    rows = list(found[:most])
    if more := found[most:]:
        rows.append(together(more, _several(more, "more")))
    if len(rows) > 1:
        rows.append(together(found, _several(found, "all")))
    return rows


def closing_table(found: Sequence[KernelOutcomes], width: int, *, plain: bool = False) -> Table:
    """A row for each kernel, those of few launches together, and the sum; for `width` columns."""
    rows = rows_of(found, ROWS)
    columns = [Column("Launches", [f"{one.launches:,}" for one in rows])]
    columns += [Column(_TITLES[name], [f"{one.outcomes[name]:,}" for one in rows]) for name in _shown(found)]
    columns.append(Column("Why", [one.why for one in rows], left=True))
    if _several_gpus(found):
        columns.append(Column("GPU", [_gpu(one) for one in rows]))
    columns.append(Column("Kernel", [one.kernel for one in rows], left=True, least=_LEAST))
    return table_of(columns, width, ends={len(rows) - 2} if len(rows) > 1 and not plain else (), plain=plain)


def document_table(
    found: Sequence[KernelOutcomes],
    most: int,
    name: Markup,
    text: Markup,
    drawn: Callable[[KernelOutcomes], str] = lambda _: "",
) -> tuple[Row, list[Row]]:
    """The same for documents, the kernel first: heading and rows. `drawn`: what follows the number of launches."""
    several = _several_gpus(found)
    shown = _shown(found)
    head = ("Kernel", *["GPU"] * several, "Launches", *(_TITLES[one] for one in shown), "Why")
    return head, [
        (
            one.kernel if one.is_sum else name(one.kernel),
            *[_gpu(one)] * several,
            f"{one.launches:,}{drawn(one)}",
            *(f"{one.outcomes[outcome]:,}" for outcome in shown),
            text(one.why),
        )
        for one in rows_of(found, most)
    ]


def _shown(found: Sequence[KernelOutcomes]) -> list[Outcome]:
    """Outcomes that have a column."""
    return [name for name in OUTCOMES if name in _ALWAYS or any(one.outcomes[name] for one in found)]


def _several_gpus(found: Sequence[KernelOutcomes]) -> bool:
    return len({one.device for one in found} - {None}) > 1


def _gpu(one: KernelOutcomes) -> str:
    return "" if one.device is None else str(one.device)


def _several(found: Sequence[KernelOutcomes], which: str) -> str:
    """``all 20 kernels``, ``1 more kernel``. A kernel on two GPUs is one; how many are in a rest is not known."""
    names = {one.kernel for one in found}
    if _REST in names:
        return f"{which} kernels"
    if which == "more":
        return plural(len(names), "more kernel")
    return f"all {len(names):,} kernels" if len(names) > 1 else "all of this kernel"


def lifted_lines(found: Sequence[KernelOutcomes]) -> list[str]:
    """A line for each reason in spite of which launches were replayed, the most frequent first."""
    total = together(found, "")
    of_replayed = [(why, n) for (outcome, why), n in total.reasons.items() if outcome == "replayed"]
    return [safety.lifted(why, n) for why, n in sorted(of_replayed, key=lambda one: (-one[1], one[0]))]
