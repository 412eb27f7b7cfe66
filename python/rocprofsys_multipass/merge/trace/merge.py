# SPDX-License-Identifier: MIT
"""Puts what this tool measured into a copy of a Perfetto trace of rocprof-sys (docs/formats/merge-perfetto.md).

The packets of rocprof-sys come first and as they are, but for those of kernels; ours follow, on a sequence and on
tracks of their own. Memory grows with the kernels that were drawn, not with the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Final

from rocprofsys_multipass.errors import OutputError, TraceError
from rocprofsys_multipass.merge.merged import Merged
from rocprofsys_multipass.merge.trace import packets as packet
from rocprofsys_multipass.merge.trace.copy import copy_all_changed, copy_changed
from rocprofsys_multipass.merge.trace.drawn import Place
from rocprofsys_multipass.merge.trace.ids import free_sequence, free_track
from rocprofsys_multipass.merge.trace.join import CounterWriter, join_runs, joined_with
from rocprofsys_multipass.merge.trace.match import (
    Matched,
    annotated,
    empty_tracks,
    host_packets,
    kernels_of,
    match,
    own_packets,
)
from rocprofsys_multipass.merge.trace.own import OwnTrace, own_trace
from rocprofsys_multipass.merge.trace.survey import MONOTONIC, Survey, survey
from rocprofsys_multipass.trace.mapped import mapped
from rocprofsys_multipass.trace.perfetto_classes import classes_for
from rocprofsys_multipass.trace.perfetto_clock import BOOTTIME
from rocprofsys_multipass.trace.rocprof_sys import BY_QUEUE, BY_STREAM, counter_of
from rocprofsys_multipass.writing import writing_bytes

_KERNELS: Final = frozenset({BY_QUEUE, BY_STREAM})
_APART_NS: Final = 1_000_000  # of reading one clock and the next
_OURS: Final = " (multipass)"


def merge_trace(
    host: Path, own: Path, target: Path, *, join: Mapping[int, int] | None = None, pid: int | None = None
) -> Merged:
    """Writes `target`: the trace of rocprof-sys with this tool's in it.

    `host` is what rocprof-sys wrote, of one process or of several, `own` this tool's trace of one of them. With `join`,
    `own` is of another run of the program, and dispatches of `host` get the counters of those that it names; `pid` then
    says which process of `host` is meant, where it has several.

    Raises:
        TraceError: an input cannot be read, is not what it should be, or has no process in common with the other.
        OutputError: the target cannot be written, or is one of the inputs.
    """
    for path in (host, own):
        if target.exists() and path.exists() and target.samefile(path):
            raise OutputError(f"{target} is an input, and inputs are not changed; name another file")
    with mapped(host) as theirs, mapped(own) as ours:
        found = survey(theirs, host, _KERNELS)
        mine = own_trace(own, ours, detailed=len(found.drawn) > 0 or join is not None)
        wanted = _process(host, found, mine.pid if join is None else pid)
        kernels = kernels_of(host, found, wanted if wanted is not None else mine.pid, mine.kernels)
        classes = classes_for(host)
        marks = dict.fromkeys(found.read_marks, packet.without_read_mark)
        if join is None:
            made = match(found, kernels, mine, classes)
            with writing_bytes(target) as stream:
                copy_changed(theirs, found.end, host_packets(made, annotated(mine, classes), marks), stream)
                _append(found, mine, made, classes, stream)
        else:
            made, joined = join_runs(found, kernels, mine, join)
            with writing_bytes(target) as stream:
                copy_changed(theirs, found.end, host_packets(made, joined_with(mine, join, classes), marks), stream)
                CounterWriter(classes, found, wanted, _counters_of(found, wanted), stream).write(mine, joined, join)
    notes = (*_notes(host, found, mine if join is None else None), *made.notes)
    return Merged(target, made.matched, made.added, made.removed, tuple(made.unmatched), made.unmatched_count, notes)


def _process(host: Path, found: Survey, pid: int | None) -> int | None:
    """The process of the host that is meant; None: the trace names none."""
    known = sorted(found.pids)
    listed = ", ".join(map(str, known))
    if pid is None and len(known) > 1:
        raise TraceError(f"{host}: it has the processes {listed}; say which is meant")
    if pid is not None and known and pid not in known:
        raise TraceError(f"{host}: it has the processes {listed}, and none with the pid {pid}; give the trace of {pid}")
    return pid if pid is not None or not known else known[0]


def _counters_of(found: Survey, pid: int | None) -> set[tuple[str, int]]:
    """Counters, and on which GPU, that rocprof-sys has tracks of."""
    named = (counter_of(t.name) for uuid, t in found.tracks.items() if t.counter and found.pid_of(uuid) == pid)
    return {one for one in named if one}


def _append(found: Survey, own: OwnTrace, made: Matched, classes: Any, stream: BinaryIO) -> None:  # noqa: ANN401
    """Our packets, but for those that rocprof-sys has in its way already."""
    changes: dict[Place, packet.Change] = {}
    theirs = found.process_track(own.pid)
    if theirs is not None:  # a second descriptor would be another process that got the same pid
        for uuid, track in own.found.tracks.items():
            if track.parent == own.process:
                changes[track.place] = packet.below(classes, theirs)
            elif uuid == own.process:
                changes[track.place] = packet.drop
    if BOOTTIME in found.clocks:  # a second relation of the clocks, of an earlier time, is an error of the import
        changes |= dict.fromkeys(own.found.snapshots, packet.drop)
    known = _counters_of(found, own.pid)
    for track in own.found.tracks.values():
        if track.counter and counter_of(track.name) in known:
            changes[track.place] = packet.renamed(classes, _OURS)
    changes |= dict.fromkeys(empty_tracks(own, made), packet.drop)
    sequences, tracks = _remaps(found, own)
    if sequences or tracks:
        every = packet.remapped(classes, sequences, tracks)
        copy_all_changed(own.data, own.found.end, own_packets(made, changes), every, stream)
    else:
        copy_changed(own.data, own.found.end, own_packets(made, changes), stream)


def _remaps(found: Survey, own: OwnTrace) -> tuple[dict[int, int], dict[int, int]]:
    """Other ids for our sequence and tracks where rocprof-sys has them too."""
    sequences = set(found.sequences) | set(own.found.sequences)
    tracks = found.used | own.found.used
    return (
        {one: free_sequence(one, sequences) for one in sorted(found.sequences.keys() & own.found.sequences.keys())},
        {one: free_track(one, tracks) for one in sorted(found.used & own.found.used - {0})},
    )


def _notes(host: Path, found: Survey, own: OwnTrace | None) -> Iterator[str]:
    """What is to be said of the host's file. `own`: ours, where it is of the same run."""
    if not found.total:
        yield f"{host.name} is empty: the merged trace has our tracks only"
    if found.end < found.total:
        yield (
            f"{host.name} is cut or damaged at byte {found.end}: what is before it was copied "
            f"(bytes left out: {found.total - found.end})"
        )
    for text, often in found.notes.items():
        yield f"{host.name}: {text} (packets: {often})"
    for clock in sorted(found.primary_clocks - {BOOTTIME}):
        yield f"{host.name}: its primary trace clock is {clock}, ours is {BOOTTIME} (boot time): Perfetto converts ours"
    if own is None:
        return
    if found.snapshots and BOOTTIME not in found.clocks:
        yield f"{host.name}: no clock snapshot has boot time: nothing relates its times to ours"
    apart = [one[BOOTTIME] - one[MONOTONIC] for one in (found.clocks, own.found.clocks) if MONOTONIC in one]
    if len(apart) == 2 and abs(apart[0] - apart[1]) > _APART_NS:  # noqa: PLR2004  both have them
        yield (
            f"{host.name}: its clocks are {abs(apart[0] - apart[1])} ns apart from ours: the machine slept in between, "
            "or the files are of two machines"
        )
