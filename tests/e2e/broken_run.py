# SPDX-License-Identifier: MIT
"""A copy of the files of a real run, and the means to break one of them in one place.

A `Fault` is a small function that does so, with all that `verify` must say of it: severity, check and place of every
error and warning. In places the files are called by their endings: ``db: dispatch 2, pass 1, TCC_HIT``.
"""

from __future__ import annotations

import csv
import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import trace_tools as tools
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pt

from rocprofsys_multipass.trace import journal_pb2 as pb
from rocprofsys_multipass.trace.wire import packets

Said = tuple[str, str, str]  # severity, check, place

_FRAME_HEAD = 16  # bytes: magic, length, two CRCs (docs/formats/journal.md)
BEGIN, END = 1, 2  # TrackEvent.Type


@dataclass
class BrokenRun:
    """The files of one process in a folder of their own; each method changes one of them."""

    folder: Path
    name: str

    @classmethod
    def copy_of(cls, original: Path, folder: Path) -> BrokenRun:
        """A copy of a run directory of one process."""
        shutil.copytree(original, folder)
        (journal,) = folder.glob("multipass-*.journal")
        return cls(folder, journal.stem)

    def path(self, ending: str) -> Path:
        return self.folder / f"{self.name}.{ending}"

    def only(self, *endings: str) -> None:
        """Removes all files but these."""
        for path in self.folder.iterdir():
            if path not in map(self.path, endings):
                path.unlink()

    @property
    def readings(self) -> Path:
        return self.folder / f"readings-{self.name.removeprefix('multipass-')}.json"

    def bytes_changed(self, ending: str, change: Callable[[bytes], bytes]) -> None:
        self.path(ending).write_bytes(change(self.path(ending).read_bytes()))

    @contextmanager
    def journal(self) -> Iterator[Journal]:
        """The frames of the journal, written again at the end."""
        data = self.path("journal").read_bytes()
        offsets = list(tools.frame_offsets(data))
        content = Journal([pb.Frame.FromString(data[a + _FRAME_HEAD : b]) for a, b in pairwise(offsets)])
        yield content
        self.path("journal").write_bytes(data[: offsets[0]] + b"".join(map(tools.frame, content.frames)))

    @contextmanager
    def trace(self) -> Iterator[TraceParts]:
        """The packets of the trace, written again at the end."""
        parts = TraceParts([pt.TracePacket.FromString(c) for _, c in packets(self.path("pftrace").read_bytes())])
        yield parts
        self.path("pftrace").write_bytes(pt.Trace(packet=parts.packets).SerializeToString())

    def sql(self, script: str) -> None:
        """Statements on the database; `~` stands for the suffix of its tables."""
        with closing(sqlite3.connect(self.path("db"))) as connection, connection:
            connection.execute("PRAGMA synchronous = OFF")
            (suffix,) = connection.execute("SELECT value FROM rocpd_metadata WHERE tag = 'uuid'").fetchone()
            before = connection.total_changes
            connection.executescript(script.replace("~", suffix))
            changed = connection.total_changes > before
            assert changed or "DROP" in script or "ALTER" in script or "CREATE" in script, script

    @contextmanager
    def json(self, path: Path) -> Iterator[dict[str, Any]]:
        """The content of the summary or of the readings, written again at the end."""
        content = json.loads(path.read_text(encoding="utf-8"))
        yield content
        path.write_text(json.dumps(content), encoding="utf-8")

    @contextmanager
    def csv(self) -> Iterator[list[dict[str, str]]]:
        """The lines of the table, written again at the end."""
        with self.path("csv").open(encoding="utf-8", newline="") as stream:
            rows = list(csv.DictReader(stream))
        yield rows
        with self.path("csv").open("w", encoding="utf-8", newline="") as stream:
            writer = csv.DictWriter(stream, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)


@dataclass
class Journal:
    """The frames of a journal."""

    frames: list[pb.Frame]

    @property
    def run(self) -> pb.Run:
        return self.frames[0].run

    @property
    def gpu(self) -> pb.Agent:
        (agent,) = (f.agent for f in self.frames if f.HasField("agent") and f.agent.gpu)
        return agent

    def frame_of(self, dispatch: int) -> pb.Frame:
        (found,) = (f for f in self.frames if f.HasField("dispatch") and f.dispatch.dispatch_id == dispatch)
        return found

    def dispatch(self, dispatch: int) -> pb.Dispatch:
        return self.frame_of(dispatch).dispatch

    def position(self, dispatch: int, index: int, counter: str) -> int:
        """Where the value of a counter stands in `values` of that pass."""
        names = [c.name for c in self.gpu.counters]
        return list(self.dispatch(dispatch).passes[index].counters).index(names.index(counter))

    def kernel_like(self, text: str) -> pb.Kernel:
        (found,) = (f.kernel for f in self.frames if f.HasField("kernel") and text in f.kernel.demangled)
        return found


@dataclass
class TraceParts:
    """The packets of a trace, and what their interned numbers mean."""

    packets: list[pt.TracePacket]
    names: dict[int, str] = field(init=False)
    keys: dict[int, str] = field(init=False)
    categories: dict[int, str] = field(init=False)

    def __post_init__(self) -> None:
        data = [p.interned_data for p in self.packets]
        self.names = {e.iid: e.name for d in data for e in d.event_names}
        self.keys = {e.iid: e.name for d in data for e in d.debug_annotation_names}
        self.categories = {e.iid: e.name for d in data for e in d.event_categories}

    def tracks(self, name: str) -> list[pt.TrackDescriptor]:
        return [p.track_descriptor for p in self.packets if p.track_descriptor.name == name]

    def track(self, name: str, under: str = "") -> pt.TrackDescriptor:
        """The track of that name; where several have it, the one below the track `under`."""
        parents = {t.uuid for t in self.tracks(under)} if under else None
        (found,) = (t for t in self.tracks(name) if parents is None or t.parent_uuid in parents)
        return found

    def value(self, packet: pt.TracePacket, key: str) -> pt.DebugAnnotation:
        (found,) = (a for a in packet.track_event.debug_annotations if self.keys.get(a.name_iid, a.name) == key)
        return found

    def has(self, packet: pt.TracePacket, key: str, value: int) -> bool:
        notes = packet.track_event.debug_annotations
        return any(self.keys.get(a.name_iid, a.name) == key and a.uint_value == value for a in notes)

    def slice(self, track: pt.TrackDescriptor, dispatch: int) -> tuple[pt.TracePacket, pt.TracePacket]:
        """Begin and end of the slice of a dispatch on a track."""
        events = [p for p in self.packets if p.track_event.track_uuid == track.uuid and p.HasField("track_event")]
        (at,) = (
            i for i, p in enumerate(events) if p.track_event.type == BEGIN and self.has(p, "dispatch_id", dispatch)
        )
        return events[at], next(p for p in events[at:] if p.track_event.type == END)

    def logical(self, dispatch: int) -> tuple[pt.TracePacket, pt.TracePacket]:
        begins = (p for p in self.packets if p.track_event.type == BEGIN and self.has(p, "dispatch_id", dispatch))
        (begin,) = (p for p in begins if self.categories[p.track_event.category_iids[0]] == "rocm_kernel_dispatch")
        uuid = begin.track_event.track_uuid
        return self.slice(next(p.track_descriptor for p in self.packets if p.track_descriptor.uuid == uuid), dispatch)

    def execution(self, dispatch: int, index: int) -> tuple[pt.TracePacket, pt.TracePacket]:
        return self.slice(self.track("Kernels", under=f"Replay pass {index}"), dispatch)

    def pulse(self, counter: str, index: int, dispatch: int) -> tuple[pt.TracePacket, pt.TracePacket]:
        """Value and closing 0 of a reading."""
        track = self.track(f"GPU {counter} [0] pass {index}")
        times = [p.timestamp for p in self.execution(dispatch, index)]
        samples = [p for p in self.packets if p.track_event.track_uuid == track.uuid and p.HasField("track_event")]
        start, end = (next(p for p in samples if p.timestamp == time) for time in times)
        return start, end

    def remove(self, *gone: pt.TracePacket) -> None:
        """Packets are looked for by identity; what they interned stays, at the packet before."""
        for one in gone:
            (at,) = (i for i, p in enumerate(self.packets) if p is one)
            if one.HasField("interned_data"):
                self.packets[at - 1].interned_data.MergeFrom(one.interned_data)
                self.packets[at - 1].sequence_flags |= 2
            del self.packets[at]


@dataclass(frozen=True)
class Fault:
    """One way to break a run. `said`: every error and warning of `verify`, and none else."""

    break_it: Callable[[BrokenRun], None]
    said: frozenset[Said]

    @property
    def name(self) -> str:
        return self.break_it.__name__


Register = Callable[[Callable[[BrokenRun], None]], Callable[[BrokenRun], None]]


def faults() -> tuple[list[Fault], Callable[[str], Register]]:
    """An empty list, and the decorator that puts faults into it.

    It takes a line for each finding, ``error complete journal: dispatch 4, pass 2``. ``{a|b}`` and ``{1..4}`` stand for
    several of them.
    """
    found: list[Fault] = []

    def fault(said: str) -> Register:
        def register(function: Callable[[BrokenRun], None]) -> Callable[[BrokenRun], None]:
            lines = (line.split(None, 2) for line in said.strip().splitlines())
            every = ((severity, check, one) for severity, check, place in lines for one in spelled_out(place))
            found.append(Fault(function, frozenset(every)))
            return function

        return register

    return found, fault


def spelled_out(place: str) -> Iterator[str]:
    """The places that a text with braces stands for."""
    before, brace, rest = place.partition("{")
    if not brace:
        yield place
        return
    inside, _, after = rest.partition("}")
    first, dots, last = inside.partition("..")
    for one in map(str, range(int(first), int(last) + 1)) if dots else inside.split("|"):
        yield from spelled_out(before + one.strip() + after)
