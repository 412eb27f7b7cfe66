# SPDX-License-Identifier: MIT
"""Checks of the three verdicts on each kernel: those of the summary against those of the recorded readings."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from rocprofsys_multipass.trace import safety
from rocprofsys_multipass.trace.agreement import Aspect, KernelVerdicts, TimeExtent, verdicts_of
from rocprofsys_multipass.trace.guard import shown
from rocprofsys_multipass.trace.model import OUTCOMES, Dispatch, Process
from rocprofsys_multipass.verify.evidence import Evidence
from rocprofsys_multipass.verify.finding import Finding
from rocprofsys_multipass.verify.registry import check
from rocprofsys_multipass.verify.wording import unlike

KERNELS: Final = "kernels_agreement"
REST: Final = "kernels_agreement_rest"
_AGAIN: Final = "write the summary again with `rocprof-sys-multipass export`"

_Key = tuple[int, int | None]


@check("verdicts", remedy=_AGAIN)
def of_summary(evidence: Evidence) -> Iterator[Finding]:
    """The verdicts of the summary on the passes of each kernel are those that the journal gives."""
    content, journal = evidence.summary, evidence.journal
    if content is None or journal is None or not (KERNELS in content or REST in content):
        return  # as those of versions before it
    name = evidence.summary_path.name if evidence.summary_path else evidence.name
    for where, message in _differences(content, journal):
        yield Finding("error", "verdicts", f"{name}: {where}", message, _AGAIN)


def _differences(content: Mapping[str, Any], journal: Process) -> Iterator[tuple[str, str]]:
    listed = content.get(KERNELS)
    if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
        yield KERNELS, f"it is {shown(listed)}, not a list of objects"
        return
    told = {_key_of(one): one for one in listed}
    if len(told) != len(listed):
        yield KERNELS, f"{len(listed)} entries are of {len(told)} kernels"
    if REST not in content:
        yield REST, "the member is missing"
        return
    recorded: dict[_Key, list[Dispatch]] = defaultdict(list)
    for d in journal.dispatches:
        recorded[d.agent.index, d.symbol.id].append(d)
    for key, one in told.items():
        dispatches = recorded.pop(key, [])
        if dispatches:
            verdicts = verdicts_of(journal, dispatches, key=lambda _: 0)
            names = {"device": dispatches[0].agent.device, "kernel": verdicts[0].kernel}
            yield from _unequal(one, key, names | _with_outcomes(one, verdicts, dispatches))
        else:
            yield KERNELS, f"kernel {key[1]} of agent {key[0]} was not launched"
    rest = [d for dispatches in recorded.values() for d in dispatches]
    right = _with_outcomes(content[REST], verdicts_of(journal, rest, key=lambda _: 0), rest) if rest else None
    if content[REST] != right:
        yield REST, unlike("it", content[REST], right, "the journal")


def _with_outcomes(
    told: object, verdicts: Sequence[KernelVerdicts], dispatches: Sequence[Dispatch]
) -> dict[str, object]:
    """What is to be told of the dispatches; summaries of earlier versions have no outcomes."""
    has_them = isinstance(told, dict) and "outcomes" in told
    return _document(verdicts[0]) | ({"outcomes": outcomes_of(dispatches)} if has_them else {})


def outcomes_of(dispatches: Sequence[Dispatch]) -> dict[str, object]:
    """The numbers per outcome, and per reason of those that have one (library/apps/export/outcome_counts.cpp)."""
    numbers = Counter(d.outcome for d in dispatches)
    reasons = Counter((d.outcome, safety.countable(d)) for d in dispatches)
    found: dict[str, object] = {outcome: numbers[outcome] for outcome in OUTCOMES}
    for outcome in ("declined", "filtered", "replayed", "incomplete"):
        always = outcome in ("declined", "filtered")
        found[f"{outcome}_reasons"] = {why: n for (of, why), n in reasons.items() if of == outcome and (why or always)}
    return found


def _unequal(one: Mapping[str, Any], key: _Key, expected: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    for member, value in expected.items():
        if one.get(member) != value:
            where = f"{KERNELS}, kernel {key[1]} of agent {key[0]}, {member}"
            yield where, unlike("it", one.get(member), value, "the journal")


def _key_of(one: Mapping[str, Any]) -> _Key:
    agent, kernel = one.get("agent"), one.get("kernel_id")
    return (agent, kernel) if isinstance(agent, int) and isinstance(kernel, int) else (-1, None)


def _document(one: KernelVerdicts) -> dict[str, Any]:
    return {
        "dispatches": one.dispatches,
        "replayed": one.replayed,
        "work": _aspect(one.work),
        "clock": _aspect(one.clock),
        "cache": _aspect(one.cache),
        "inputs_restored": one.inputs_restored,
        "time": {
            "pass_0": _times(one.pass_0, ("count", "total", "min", "max")),
            "passes": _times(one.passes, ("count", "min", "max"), spread=one.spread),
        },
    }


def _aspect(one: Aspect) -> dict[str, Any]:
    return {
        "verdict": one.verdict,
        "reason": one.reason,
        "spread": one.spread,
        "compared": one.compared,
        "in_all_passes": one.in_all_passes,
    }


def _times(one: TimeExtent | None, members: tuple[str, ...], **more: float) -> dict[str, Any] | None:
    if one is None:
        return None
    known: dict[str, Any] = {"count": one.count, "total": one.total, "min": one.low, "max": one.high}
    return {name: known[name] for name in members} | more
