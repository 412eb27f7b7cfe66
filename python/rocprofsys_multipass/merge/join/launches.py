# SPDX-License-Identifier: MIT
"""The launches of one process as a file has them, by what another run of the same program has alike: ids and keys only.

A database is read row by row, a journal frame by frame and a trace packet by packet: what is kept of a launch are some
numbers.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from rocprofsys_multipass.errors import TraceError
from rocprofsys_multipass.merge.join.drawn_kernels import drawn_kernels
from rocprofsys_multipass.trace.database import open_database
from rocprofsys_multipass.trace.model import OURS, Dim3, Dispatch, Kernel, Process
from rocprofsys_multipass.trace.open import kind_of
from rocprofsys_multipass.trace.rocpd import read_rocpd
from rocprofsys_multipass.trace.rocpd_merged import JOINED
from rocprofsys_multipass.trace.rocprof_sys import kernel_name
from rocprofsys_multipass.trace.stream import open_streams

UNKNOWN: Final = -1  # in an array: a thread or a duration that the file does not have
_SIZES: Final = ", ".join(f"d.{what}_size_{axis}" for what in ("grid", "workgroup") for axis in "xyz")
_ROWS: Final = (
    f'SELECT d.dispatch_id, d.agent_id, d.kernel_id, t.tid, d.start, d."end", {_SIZES} FROM rocpd_kernel_dispatch d '  # noqa: S608
    "JOIN rocpd_info_process p ON p.id = d.pid AND p.guid = d.guid "
    "LEFT JOIN rocpd_info_thread t ON t.id = d.tid AND t.guid = d.guid "
    "WHERE d.guid = ? AND p.pid = ? ORDER BY d.dispatch_id, d.start"
)
_LAUNCHING: Final = (
    "SELECT DISTINCT d.guid, p.pid FROM rocpd_kernel_dispatch d "
    "JOIN rocpd_info_process p ON p.id = d.pid AND p.guid = d.guid"
)


class Shape(NamedTuple):
    """What launches have alike that take turns: kernel, and sizes in work-items; None: the file does not say."""

    kernel: str
    grid: Dim3 | None
    workgroup: Dim3 | None


class Place(NamedTuple):
    """A shape on a GPU, by its ordinal; None: the file does not say on which."""

    device: int | None
    shape: Shape


@dataclass(frozen=True, slots=True)
class Group:
    """The launches of one shape on one GPU, in order of dispatch id."""

    ids: array[int] = field(default_factory=lambda: array("q"))
    threads: array[int] = field(default_factory=lambda: array("q"))  # that launched them, or UNKNOWN
    durations: array[int] = field(default_factory=lambda: array("q"))  # in ns of the first execution, or UNKNOWN
    counted: array[int] = field(default_factory=lambda: array("b"))  # 1: it has a reading

    def __len__(self) -> int:
        return len(self.ids)

    def add(self, dispatch_id: int, thread: int | None, duration_ns: int | None, *, counted: bool = False) -> None:
        """A launch with a higher id than all before it."""
        self.counted.append(counted)
        self.ids.append(dispatch_id)
        self.threads.append(UNKNOWN if thread is None else thread)
        self.durations.append(UNKNOWN if duration_ns is None else duration_ns)


@dataclass
class Launches:
    """What one process launched. `repeated`: dispatches that ran several times; `pid` 0: the file does not say."""

    path: Path
    gpus: Mapping[int, str] = field(default_factory=dict)  # their architectures, where the file has them
    pid: int = 0
    groups: dict[Place, Group] = field(default_factory=dict)
    count: int = 0
    repeated: int = 0
    _last: int | None = None
    _again: bool = False

    def add(
        self, dispatch_id: int, place: Place, thread: int | None, duration_ns: int | None, *, counted: bool = False
    ) -> None:
        """The next execution, in order of dispatch id and start; of a dispatch the first one counts."""
        if dispatch_id == self._last:
            self.repeated += not self._again
            self._again = True
            return
        self._last, self._again = dispatch_id, False
        self.count += 1
        if place not in self.groups:
            self.groups[place] = Group()
        self.groups[place].add(dispatch_id, thread, duration_ns, counted=counted)


class Names:
    """What this run calls a kernel that another file names by its symbol or demangled, with or without its ending."""

    def __init__(self, kernels: Iterable[Kernel]) -> None:
        self._known: dict[str, str] = {}
        for one in kernels:
            name = kernel_name(one.demangled or one.name)
            self._known.setdefault(kernel_name(one.name), name)
            self._known.setdefault(name, name)

    def of(self, kernel: Kernel) -> str:
        """By the symbol, else by the demangled name, which is the result where this run has no such kernel."""
        demangled = kernel_name(kernel.demangled or kernel.name)
        return self._known.get(kernel_name(kernel.name)) or self._known.get(demangled) or demangled


def _architectures(process: Process) -> dict[int, str]:
    return {a.device: a.name for a in process.gpus if a.device is not None and a.name}


def _lasted(start_ns: int | None, end_ns: int | None) -> int | None:
    return end_ns - start_ns if start_ns is not None and end_ns is not None and end_ns > start_ns else None


def own_launches(path: Path) -> tuple[Launches, Names]:
    """Those of a process of this tool, of its journal or database, and what it calls its kernels."""
    with open_streams(path) as streams:
        if len(streams) != 1:
            raise _not_one(path, len(streams))
        (stream,) = streams
        names = Names(stream.process.kernels)
        found = Launches(path, _architectures(stream.process), stream.process.pid)
        for d in stream.dispatches():
            place = Place(d.agent.device, Shape(names.of(d.symbol), d.grid, d.workgroup))
            found.add(d.dispatch_id, place, d.thread_id, _first_pass_ns(d), counted=any(p.readings for p in d.passes))
    return found, names


def _first_pass_ns(d: Dispatch) -> int | None:
    """The kernel time of pass 0, or of the only execution outside a replay."""
    first = d.passes[0] if d.passes else None
    return None if first is None or first.index not in (0, None) else _lasted(first.start_ns, first.end_ns)


def host_launches(path: Path, names: Names) -> Launches:
    """Those of a database or Perfetto trace of rocprof-sys.

    TraceError: there are none, they are of several processes, or results of this tool are in the file.
    """
    kind = kind_of(path)
    if kind == "journal":
        raise _own(path)
    return _of_database(path, names) if kind == "rocpd" else _of_trace(path, names)


def _of_database(path: Path, names: Names) -> Launches:
    processes = read_rocpd(path)
    if any(one.tool == OURS for one in processes):
        raise _own(path)
    with open_database(path) as db:
        if db.tag(JOINED):
            raise _own(path)
        db.check_types("rocpd_kernel_dispatch", dict.fromkeys(("dispatch_id", "start", "end"), "integer"))
        launching = {(guid, pid) for guid, pid in db.each(_LAUNCHING)}
        processes = [one for one in processes if (one.guid, one.pid) in launching]
        if len(processes) != 1:
            raise _not_one(path, len(processes)) if processes else no_dispatches(path)
        (process,) = processes
        found = Launches(path, _architectures(process), process.pid)
        devices = {a.index: a.device for a in process.agents}
        kernels: Mapping[int | None, str] = {k.id: names.of(k) for k in process.kernels}
        for dispatch_id, agent, kernel, thread, start, end, *sizes in db.each(_ROWS, (process.guid, process.pid)):
            shape = Shape(kernels.get(kernel, f"kernel {kernel}"), _dim3(sizes[:3]), _dim3(sizes[3:]))
            found.add(dispatch_id, Place(devices.get(agent), shape), thread, _lasted(start, end))
    return found


def _dim3(sizes: list[int]) -> Dim3 | None:
    x, y, z = sizes
    return None if None in sizes else (x, y, z)


def _of_trace(path: Path, names: Names) -> Launches:
    kernels = drawn_kernels(path)
    if kernels.own:
        raise _own(path)
    if not kernels:
        raise no_dispatches(path)
    if len(kernels.processes) != 1:
        raise _not_one(path, len(kernels.processes))
    (process,) = kernels.processes
    found = Launches(path, pid=process.process.pid if process is not None else 0)
    for one in kernels.in_order():
        name = names.of(Kernel(id=None, name=one.kind.name, demangled=one.kind.name))
        place = Place(one.device, Shape(name, one.kind.grid, one.kind.workgroup))
        found.add(one.dispatch_id, place, one.thread, _lasted(one.start_ns, one.end_ns))
    return found


def no_dispatches(path: Path) -> TraceError:
    """The error for a file that counters can be joined to nothing in."""
    return TraceError(
        f"{path}: has no kernel dispatch with an id: run it again with kernel_dispatch in ROCPROFSYS_ROCM_DOMAINS (a "
        "trace needs ROCPROFSYS_PERFETTO_ANNOTATIONS=ON too), and without rocprof-sys-multipass"
    )


def _not_one(path: Path, count: int) -> TraceError:
    return TraceError(
        f"{path}: has {count} processes; counters of another run are joined process by process: give the files that "
        "were written one per process"
    )


def _own(path: Path) -> TraceError:
    return TraceError(
        f"{path}: results of rocprofsys-multipass are in it already; give the file as rocprof-sys wrote it"
    )
