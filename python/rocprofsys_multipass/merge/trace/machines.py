# SPDX-License-Identifier: MIT
"""On which machines the processes of several traces ran, and how far apart the clocks of these are.

A machine is told by the name of its host and by what its clock BOOTTIME says: on one machine, all its processes see the
same real time at boot time 0, but for what was set between their starts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from rocprofsys_multipass.merge.trace.contents import REALTIME, Contents
from rocprofsys_multipass.trace.perfetto_clock import BOOTTIME

_SAME_NS: Final = 1_000_000_000  # a real time that is set while a run starts is rare, and moves by less
_REALTIME_COARSE: Final = 2


@dataclass
class Machine:
    """`clocks`: a snapshot of its clocks; empty where none of its traces has one with BOOTTIME and REALTIME."""

    hostname: str
    clocks: Mapping[int, int]

    @property
    def boot_in_real_time(self) -> int | None:
        """REALTIME when BOOTTIME was 0, ns."""
        return self.clocks[REALTIME] - self.clocks[BOOTTIME] if self.clocks else None


@dataclass
class Machines:
    """`of`: the number of its machine, by trace. `offsets`: ns to add to times of a machine, by clock."""

    of: tuple[int, ...]
    all: tuple[Machine, ...]
    offsets: tuple[Mapping[int, int], ...]
    notes: list[str] = field(default_factory=list)


def machines_of(contents: Sequence[Contents]) -> Machines:
    """Put the traces to their machines, and relate the clocks of these to the machine that has been up longest.

    Of which boot times are smallest elsewhere: no converted time is below 0.
    """
    found: list[Machine] = []
    of = []
    for one in contents:
        number = next((k for k, machine in enumerate(found) if _is_on(one, machine)), len(found))
        if number == len(found):
            found.append(Machine(one.hostname, {}))
        machine = found[number]
        machine.hostname = machine.hostname or one.hostname
        if not machine.clocks and one.boot_in_real_time is not None:
            machine.clocks = one.clocks
        of.append(number)
    known = [machine for machine in found if machine.clocks]
    reference = min(known, key=lambda machine: machine.boot_in_real_time or 0, default=None)
    offsets = [_offsets(machine, reference) for machine in found]
    machines = Machines(tuple(of), tuple(found), tuple(offsets))
    if len(found) > 1:
        machines.notes += _notes(contents, machines, reference)
    return machines


def _is_on(one: Contents, machine: Machine) -> bool:
    if one.hostname and machine.hostname and one.hostname != machine.hostname:
        return False
    here, there = one.boot_in_real_time, machine.boot_in_real_time
    return here is None or there is None or abs(here - there) < _SAME_NS


def _offsets(machine: Machine, reference: Machine | None) -> dict[int, int]:
    if reference is None or not machine.clocks or machine is reference:
        return {}
    here, there = machine.clocks, reference.clocks
    return {
        clock: (here[REALTIME] - here[clock]) - (there[REALTIME] - there[clock])
        for clock in here.keys() & there.keys()
        if clock not in (REALTIME, _REALTIME_COARSE)
    }


def _notes(contents: Sequence[Contents], machines: Machines, reference: Machine | None) -> list[str]:
    notes = []
    names = ", ".join(machine.hostname or "one whose name is not told" for machine in machines.all)
    if reference is not None:
        notes.append(
            f"the processes ran on {len(machines.all)} machines ({names}): their times are related by the real time of "
            f"each, as their clocks were set, and counted from the boot of {reference.hostname or 'the first'}; "
            "what is closer together than the clocks were has no order"
        )
    for number, machine in enumerate(machines.all):
        if not machine.clocks:
            paths = [one.path.name for one, of in zip(contents, machines.of, strict=True) if of == number]
            notes.append(
                f"{paths[0]}{f' and {len(paths) - 1} more' if len(paths) > 1 else ''}: no snapshot relates the clock "
                f"of {machine.hostname or 'its machine'} to real time: its times are as they were, and their distance "
                "to those of other machines says nothing"
            )
    return notes
