# SPDX-License-Identifier: MIT
"""What was exported of a model of GPU and what was not, counted, and the warnings that it makes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from rocprofsys_multipass.compute.complete import FILTERED, GUI_ACTIVE, NAMED, NO_CHANNEL, counted
from rocprofsys_multipass.compute.result import ComputeOptions
from rocprofsys_multipass.compute.side_table import SideRow
from rocprofsys_multipass.compute.sysinfo import CLOCKS, Sysinfo
from rocprofsys_multipass.spelling import first_of, plural, were

BUSY: Final = "SQ_BUSY_CU_CYCLES"
_FEW: Final = 3
_IN_TURN: Final = ("declined", "incomplete")  # other launches of the shape may have what these lack
_ONE_GROUP: Final = "reads one group"  # every launch the same
_AGAIN: Final = {
    "declined: rotate_mode": "--replay kernel",
    _ONE_GROUP: "--replay kernel",
    "declined: max_replays": "--max-replays none",
    "declined: budget": "--replay-budget none",
}
"""With what to run again, so that launches which are left out for a reason that begins so are replayed."""


@dataclass
class Tally:
    """Counts of one directory. `exported` have numbers; `partial` of them lack counters."""

    exported: int = 0
    filtered: int = 0
    read: bool = False  # whether any has a reading, exported or not
    partial: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    disagreeing: int = 0
    disagreeing_first: list[str] = field(default_factory=list)
    other_caches: int = 0
    lifted: Counter[str] = field(default_factory=Counter)  # reasons against a replay that --unsafe overruled
    _some: set[str] = field(default_factory=set)  # counters that some exported dispatch has
    _every: set[str] = field(default_factory=set)  # those that all have
    _together: bool = False
    _last: frozenset[str] = frozenset()

    def leave_out(self, why_not: str) -> None:
        """Counts one that is not exported."""
        if why_not == FILTERED:
            self.filtered += 1
        else:
            self.left_out[why_not] += 1

    def export(self, row: SideRow, values: Mapping[str, float], *, partial: bool) -> None:
        """Counts one that is."""
        self._note_counters(values)
        self.exported += 1
        self.partial += partial
        if row.work == "not":
            self.disagreeing += 1
            if len(self.disagreeing_first) < _FEW:
                self.disagreeing_first.append(row.where)
        self.other_caches += row.caches == "not"
        if row.outcome == "replayed" and row.reason:
            self.lifted[row.reason] += 1

    def _note_counters(self, values: Mapping[str, float]) -> None:
        if values.keys() == self._last and self.exported:
            return
        self._last = frozenset(values)
        self._every = self._every & self._last if self.exported else set(self._last)
        self._some |= self._last
        self._together |= self._last.issuperset((GUI_ACTIVE, BUSY))

    @property
    def splits_cycles(self) -> bool:
        """Whether both counters of "Active CUs" are there and no dispatch has the two, which ends ``analyze``."""
        return self._some.issuperset((GUI_ACTIVE, BUSY)) and not self._together

    @property
    def left(self) -> int:
        """How many are left out, without those that were filtered."""
        return self.left_out.total()

    def warnings(self, options: ComputeOptions) -> Iterator[str]:
        """A sentence for each thing that a reader of the numbers should know."""
        if self.left:
            total = plural(self.left + self.exported + self.filtered, options.thing)
            hint = hint_of(self.left_out, options)
            fix = f"see dispatches.csv{hint and '; '}{hint}"
            yield f"{self.left:,} of {total} left out: {counted(self.left_out)}: {fix}"
        if self.partial:
            yield (
                f"{self.partial:,} of {plural(self.exported, f'exported {options.thing}')} without all counters "
                "(--include-partial): analyze averages over what is there and does not "
                "say so: do not trust means over them"
            )
        elif self._some != self._every:
            names = sorted(self._some - self._every)
            yield (
                f"{first_of(names, NAMED)}: not in every {options.thing}, since other counters were planned for some: "
                "analyze averages over what is there and does not say so: export captures with one list of counters "
                "together"
            )
        if self.disagreeing:
            yield (
                f"the passes of {plural(self.disagreeing, options.thing)} did different work "
                f"({', '.join(self.disagreeing_first)}{', ...' if self.disagreeing > _FEW else ''}): "
                "see column sentinels of dispatches.csv"
            )
        if self.lifted:
            yield (
                f"{were(self.lifted.total(), options.thing)} replayed although it was not safe "
                f"({counted(self.lifted)}): check their results without --unsafe"
            )


def hint_of(reasons: Mapping[str, int], options: ComputeOptions) -> str:
    """What exports more, where something would, the best first; empty where nothing does."""
    begins = [begin for begin in _AGAIN if any(reason.startswith(begin) for reason in reasons)]
    again = dict.fromkeys(_AGAIN[begin] for begin in begins)
    ways = ["--instances sum to do without channels"] if any(NO_CHANNEL in reason for reason in reasons) else []
    if any(reason.startswith(_IN_TURN) for reason in reasons) and not options.kernel_medians:
        ways.append("--kernel-medians for medians of their launch shapes")
    if any(reason.startswith((*_IN_TURN, _ONE_GROUP)) for reason in reasons) and not options.include_partial:
        ways.append("--include-partial for what was read of them")
    hints = [f"run again with {' '.join(again)}"] if again else []
    hints += [f"give {', or '.join(ways)}"] if ways else []
    return ", or ".join(hints)


def sysinfo_warnings(sysinfo: Sysinfo) -> Iterator[str]:
    """What is missing in ``sysinfo.csv`` and what that does."""
    clocks = [name for name in sysinfo.unknown if name in CLOCKS]
    others = [name for name in sysinfo.unknown if name not in CLOCKS]
    known = f"of {sysinfo.architecture or 'the GPU'} it is not known"
    if others:
        yield (
            f"sysinfo.csv: {', '.join(others)} empty, {known}: analyze ends with an error on them: "
            f'fill them in, or give it --specs-correction "{others[0]}:NUMBER"'
        )
    if clocks:
        yield (
            f"sysinfo.csv: {', '.join(clocks)} empty, {known}: analyze warns and leaves out what needs them: "
            f'give it --specs-correction "{clocks[0]}:MHZ"'
        )
