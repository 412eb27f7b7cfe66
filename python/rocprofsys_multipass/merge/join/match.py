# SPDX-License-Identifier: MIT
"""Which dispatch of a run of this tool is which dispatch of another run of the same program, under rocprof-sys alone.

Nothing in the two runs is equal but what the program does: dispatch ids, threads, processes and times differ. A launch
is known by GPU, kernel, sizes and its place in the row of such launches in order of dispatch id (docs/formats/join.md).
Where that leaves a doubt, none of the launches of that shape is joined, and the reason is listed: never a part of them.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import median
from typing import Final

from rocprofsys_multipass.errors import TraceError
from rocprofsys_multipass.merge.join.joined import Inflation, Joined, NotJoined, Pairs
from rocprofsys_multipass.merge.join.launches import (
    UNKNOWN,
    Group,
    Launches,
    Place,
    Shape,
    host_launches,
    no_dispatches,
    own_launches,
)
from rocprofsys_multipass.spelling import plural

_OTHER: Final = "the other run"


def match_runs(host: Path, own: Path) -> Joined:
    """Finds the dispatches of `host`, a database or trace of rocprof-sys, in `own`, a journal or database of this tool.

    TraceError: a file cannot be read or is of several processes, `host` has replayed or no dispatches or results of
    this tool, or a GPU of the two is not of the same architecture.
    """
    here, names = own_launches(own)
    return match_launches(host_launches(host, names), here)


def match_launches(host: Launches, own: Launches) -> Joined:
    """The same of launches that were read."""
    _check(host, own)
    return _Matcher(host, own).match()


def _check(host: Launches, own: Launches) -> None:
    if not host.count:
        raise no_dispatches(host.path)
    if host.repeated:
        raise TraceError(
            f"{host.path}: {plural(host.repeated, 'dispatch')} of {host.count:,} ran several times there: it was "
            "recorded while kernels were replayed; give the files of a run without, or leave --join out for this one"
        )
    for device in sorted({place.device for place in own.groups if place.device is not None}):
        there, here = host.gpus.get(device, ""), own.gpus.get(device, "")
        if there and here and there != here:
            raise TraceError(
                f"{host.path}: GPU {device} is {there}, in {own.path} it is {here}: counters of one architecture are "
                "not those of another; give two runs on the same GPUs"
            )


class _Matcher:
    def __init__(self, host: Launches, own: Launches) -> None:
        self._host = host
        self._own = own
        self._there, self._here = array("q"), array("q")
        self._without = 0
        self._ratios: dict[str, array[float]] = defaultdict(lambda: array("d"))
        self._not_joined: list[NotJoined] = []
        self._numbers = _thread_numbers(host), _thread_numbers(own)

    def match(self) -> Joined:
        shapes: dict[Shape, tuple[dict[int | None, Group], dict[int | None, Group]]] = {}
        for side, launches in enumerate((self._host, self._own)):
            for place, group in launches.groups.items():
                shapes.setdefault(place.shape, ({}, {}))[side][place.device] = group
        for shape, (host, own) in shapes.items():
            self._shape(shape, host, own)
        inflation = [Inflation(kernel, len(of), median(of)) for kernel, of in self._ratios.items()]
        return Joined(
            host=self._host.path,
            own=self._own.path,
            pairs=Pairs(self._there, self._here),
            host_count=self._host.count,
            own_count=self._own.count,
            without_readings=self._without,
            not_joined=tuple(sorted(self._not_joined, key=lambda one: -one.host - one.own)),
            inflation=tuple(sorted(inflation, key=lambda one: (-one.ratio, one.kernel))),
        )

    def _shape(self, shape: Shape, host: dict[int | None, Group], own: dict[int | None, Group]) -> None:
        """The launches of a shape on all GPUs."""
        if None in host and own:
            device, *others = own
            if others or host.keys() - {None, device}:
                gpus = ", ".join(f"GPU {n}" for n in sorted(n for n in own | host if n is not None))
                reason = f"nothing says on which GPU {_OTHER} launched it, and there are {gpus}"
                for place in own.keys() | host.keys():
                    self._refuse(shape, place, host.get(place), own.get(place), reason)
                return
            host = {device: _together(host.values())}
        for device in dict.fromkeys((*host, *own)):
            self._place(Place(device, shape), host.get(device), own.get(device))

    def _place(self, place: Place, host: Group | None, own: Group | None) -> None:
        """The launches of a shape on a GPU."""
        if host is None or own is None:
            lacking = (self._own, "this run") if own is None else (self._host, _OTHER)
            reason = _absent(place, *lacking)
        elif len(host) != len(own):
            reason = "not launched as often in both runs, so which is which is open"
        else:
            reason = self._rows(place, host, own)
        if reason:
            self._refuse(place.shape, place.device, host, own, reason)

    def _rows(self, place: Place, host: Group, own: Group) -> str:
        """Joins launches in their order: of each thread where several launched them. The result: why not."""
        threads = len(set(host.threads)), len(set(own.threads))
        if threads == (1, 1):
            self._join(place, host, own, range(len(host)), range(len(own)))
            return ""
        numbers, own_numbers = self._numbers
        if UNKNOWN in numbers:
            return (
                f"launched by {plural(threads[1], 'thread')}, and {self._host.path.name} does not say which launched "
                "what: the order among threads may differ from run to run"
            )
        if len(numbers) != len(own_numbers):
            return (
                f"launched by several threads, and {plural(len(numbers), 'thread')} of {_OTHER} launched kernels, "
                f"{len(own_numbers)} of this, so which is which is open"
            )
        rows = _by_thread(host, numbers), _by_thread(own, own_numbers)
        if any(len(rows[0][n]) != len(rows[1][n]) for n in rows[0].keys() | rows[1].keys()):
            return "launched by several threads, by each not as often in both runs"
        for number, of_thread in rows[0].items():
            self._join(place, host, own, of_thread, rows[1][number])
        return ""

    def _join(self, place: Place, host: Group, own: Group, there: range | array[int], here: range | array[int]) -> None:
        ratios = self._ratios[place.shape.kernel]
        for i, k in zip(there, here, strict=True):
            self._there.append(host.ids[i])
            self._here.append(own.ids[k])
            self._without += not own.counted[k]
            if host.durations[i] != UNKNOWN and own.durations[k] != UNKNOWN:
                ratios.append(own.durations[k] / host.durations[i])
        if not ratios:
            del self._ratios[place.shape.kernel]

    def _refuse(self, shape: Shape, device: int | None, host: Group | None, own: Group | None, reason: str) -> None:
        counts = len(host or ()), len(own or ())
        self._not_joined.append(NotJoined(shape, device, *counts, reason))


def _thread_numbers(launches: Launches) -> dict[int, int]:
    """Numbers of the threads that launched something, in order of their creation.

    Linux gives ids in rising order and begins anew at low ones (kernel/pid.c, idr_alloc_cyclic): a thread whose id is
    below that of its process is younger than all above.
    """
    found = {thread for group in launches.groups.values() for thread in group.threads}
    threads = sorted(found, key=lambda thread: (thread < launches.pid, thread))
    return {thread: number for number, thread in enumerate(threads)}


def _by_thread(group: Group, numbers: Mapping[int, int]) -> dict[int, array[int]]:
    """Positions in the group of the launches of each thread."""
    found: dict[int, array[int]] = defaultdict(lambda: array("q"))
    for position, thread in enumerate(group.threads):
        found[numbers[thread]].append(position)
    return found


def _together(groups: Iterable[Group]) -> Group:
    """One row of the launches of several."""
    found = Group()
    launches = [launch for g in groups for launch in zip(g.ids, g.threads, g.durations, g.counted, strict=True)]
    for dispatch_id, thread, duration, counted in sorted(launches):
        found.add(dispatch_id, thread, duration, counted=bool(counted))
    return found


def _absent(place: Place, launches: Launches, run: str) -> str:
    """Why a run has no launch of a shape on a GPU."""
    alike = [one for one in launches.groups if one.shape.kernel == place.shape.kernel]
    if not alike:
        return f"{run} did not launch this kernel"
    if any(one.shape.grid is None or one.shape.workgroup is None for one in (place, *alike)):
        return "grid and work-group are not recorded in both runs"
    if any(one.device == place.device for one in alike):
        return f"{run} launched this kernel with other sizes only"
    gpus = sorted({one.device for one in alike if one.device is not None})
    return f"{run} launched this kernel on another GPU only ({', '.join(f'GPU {n}' for n in gpus)})"
