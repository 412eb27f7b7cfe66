# SPDX-License-Identifier: MIT
"""What a merge of traces holds in memory: nothing for packets that it passes, little for each dispatch."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest
from described_run import Execution, Launch, Run
from merge_tools import Pair, pair
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pt

from rocprofsys_multipass.merge.trace import drawn, survey

_MB = 1 << 20
_PER_DISPATCH = 500  # bytes, for a dispatch that both have and three passes of it; it needs 270 and room to grow


def run(dispatches: int) -> Run:
    """Replayed dispatches of three passes."""
    launches = []
    for n in range(1, dispatches + 1):
        passes = tuple(Execution(k, 100 * n + 10 * k, 100 * n + 10 * k + 5, {"SQ_WAVES": n}) for k in range(3))
        launches.append(Launch(n, passes))
    return Run(tuple(launches), plan=(("SQ_WAVES",),) * 3)


def peak(both: Pair) -> int:
    """Bytes that a merge has at most."""
    tracemalloc.start()
    try:
        both.merge()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def with_regions(folder: Path, count: int) -> Pair:
    """One dispatch, and regions of 8 kB in the trace of rocprof-sys."""
    folder.mkdir()
    both = pair(folder, run(1))
    packet = pt.TracePacket(timestamp=5, trusted_packet_sequence_id=9, sequence_flags=2)
    packet.track_event.type, packet.track_event.track_uuid = 3, 9999
    packet.track_event.debug_annotations.add(name="argument", string_value="x" * 8000)
    region = pt.Trace(packet=[packet]).SerializeToString()
    with both.host.open("ab") as file:
        file.writelines([region] * count)
    return both


def test_memory_does_not_grow_with_packets_that_are_passed(tmp_path: Path):
    few, many = with_regions(tmp_path / "few", 2000), with_regions(tmp_path / "many", 10_000)
    peak(few)  # what is loaded once
    small = peak(few)
    assert many.host.stat().st_size > 70 * _MB > 8 * small  # a window of the file, not the file
    assert peak(many) < small + _MB // 10


def test_memory_grows_little_with_dispatches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    # What is sorted at once and the window on a file are to be small beside so few dispatches.
    for module, name, value in (
        (drawn, "_PIECE", 64),
        (survey, "_WINDOW", 1 << 14),
        (survey, "_REST", 1 << 12),
    ):
        monkeypatch.setattr(module, name, value)
    peaks = []
    for count in (100, 300):
        (tmp_path / str(count)).mkdir()
        both = pair(tmp_path / str(count), run(count))
        peaks.append(peak(both))
    assert (peaks[1] - peaks[0]) / 200 < _PER_DISPATCH
