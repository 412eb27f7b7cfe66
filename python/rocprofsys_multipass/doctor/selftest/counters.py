# SPDX-License-Identifier: MIT
"""Counters whose values are known beforehand, by launch and by pass.

On any GPU: SQ_WAVES is the number of waves that were launched, and multipass_kit_more executes 64 vector instructions
more in each wave than multipass_kit_few: the difference of their SQ_INSTS_VALU is known, although what a compiler makes
of each is not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocprofsys_multipass.doctor.check import Check, note, ok, problem, warning
from rocprofsys_multipass.doctor.selftest.ground import clipped
from rocprofsys_multipass.doctor.selftest.kit import ALL
from rocprofsys_multipass.doctor.selftest.trouble import no_replay, trouble
from rocprofsys_multipass.spelling import plural, were

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rocprofsys_multipass.doctor.selftest.kit import Kit, PartRun
    from rocprofsys_multipass.trace.model import Dispatch

WAVES = "SQ_WAVES"
GROUPS = "SPI_CSN_NUM_THREADGROUPS"
VALU = "SQ_INSTS_VALU"

_ADDS = "see that no other process uses this GPU: what it launches counts too"
_NAME = "selftest.counters"
_TITLE = "counters"


def check_counters(kit: Kit) -> list[Check]:
    """Launches of known size, and what was read of them."""
    alone = kit.alone("counters")
    if said := trouble(_NAME, _TITLE, alone):
        return [said]
    run = kit.profiled("counters", "all", ALL, record=True)
    if said := trouble(_NAME, _TITLE, run):
        return [said]
    waves, groups = ([value for value in alone.values(name) for _ in range(2)] for name in ("waves", "groups"))
    if len(run.dispatches) != len(waves):
        said_of = f"{were(len(waves), 'launch')} made, {len(run.dispatches)} captured"
        return [problem(_NAME, f"{_TITLE}: {said_of}")]
    return [
        _complete(run),
        _exact("selftest.waves", WAVES, run.dispatches, waves, problem),
        _exact("selftest.work_groups", GROUPS, run.dispatches, groups, warning),
        _more_valu(run.dispatches, waves, alone.values("more_valu")[0]),
    ]


def _complete(run: PartRun) -> Check:
    """Whether the launches were read completely."""
    count = len(run.dispatches)
    whole = [one for one in run.dispatches if one.outcome in ("replayed", "single_pass")]
    if len(whole) == count:
        planned = len(run.dispatches[0].agent.passes)
        return ok(_NAME, f"all counters of {plural(count, 'launch')} were read in {plural(planned, 'pass')} each")
    why = "; ".join(run.warnings)
    said = f"of {plural(count, 'launch')}, {len(whole)} were read completely ({run.outcomes})"
    if all(one.outcome == "declined" for one in run.dispatches):
        return note(_NAME, clipped(f"{said}: {no_replay(run)}; each launch reads one group of counters in turn"))
    return problem(_NAME, clipped(f"{said}{f': {why}' if why else ''}"))


def _readings(launches: Sequence[Dispatch], counter: str) -> list[list[float]]:
    """Of each launch, what its passes read."""
    return [[value for _, value in one.by_counter.get(counter, [])] for one in launches]


def _exact(
    name: str, counter: str, launches: Sequence[Dispatch], expected: Sequence[int], wrong: Callable[..., Check]
) -> Check:
    """Each reading of a counter against what was launched."""
    found = _readings(launches, counter)
    count = sum(map(len, found))
    if not count:
        return note(name, f"{counter}: not tried, it was not read on this GPU")
    off = [
        f"{value:g} of {known} in launch {number}"
        for number, (values, known) in enumerate(zip(found, expected, strict=True), 1)
        for value in values
        if value != known
    ]
    most = max(expected)
    if off:
        said = f"{counter} is not exact: {'; '.join(off[:3])}; {len(off)} of {plural(count, 'reading')} are wrong"
        return wrong(name, said, "", _ADDS)
    read = len([values for values in found if values])
    return ok(name, f"{counter} is exact: as launched (up to {most}) in {plural(count, 'reading')} of {read} launches")


def _more_valu(launches: Sequence[Dispatch], waves: Sequence[int], more: int) -> Check:
    """The difference between launches of the two kernels that are alike but for it."""
    name = "selftest.instructions"
    found = [one.counters.get(VALU) for one in launches]
    pairs = [
        (b - a, more * count)
        for a, b, count in zip(found[::2], found[1::2], waves[::2], strict=True)
        if a is not None and b is not None
    ]
    if not pairs:
        return note(name, f"{VALU}: not tried, it was not read of two launches that can be compared")
    off = [f"{value:g} of {known}" for value, known in pairs if value != known]
    what = f"two kernels that differ by {more} instructions of each wave"
    if off:
        return warning(name, f"{VALU} is not exact: {what} differ by {'; '.join(off)}", "", _ADDS)
    return ok(name, f"{VALU} is exact: {what} differ by so much, in {plural(len(pairs), 'pair')} of launches")
