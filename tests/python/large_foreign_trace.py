# SPDX-License-Identifier: MIT
"""A trace of rocprof-sys of any size: the kernels of a run, and regions of one thread for the rest.

Packets with times as differences and names that were declared can be repeated byte by byte, so a gigabyte costs what
the disk takes.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from handmade_foreign import Region, Run
from handmade_foreign_trace import ForeignTrace
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pt

CALLS = 500  # in the block that is repeated
NAMES = ("hipMemcpy", "hipLaunchKernel", "hipStreamSynchronize")


def write_large_trace(path: Path, run: Run, size: int, **options: object) -> int:
    """Writes `run` with regions until the file has at least `size` bytes; how many regions there are.

    `options` are those of `ForeignTrace`, but `by_thread`, `differences` and `cleared_every`.
    """
    regions = tuple(Region(NAMES[n % len(NAMES)], 1000 + 10 * n, 1004 + 10 * n) for n in range(2 * CALLS))
    trace = ForeignTrace(replace(run, regions=regions), by_thread=True, **options).build()
    sequence = next(p for p in trace.packets if p.track_event.track_uuid).trusted_packet_sequence_id
    own = [n for n, packet in enumerate(trace.packets) if packet.trusted_packet_sequence_id == sequence]
    block, behind = own[-2 * CALLS], own[-1] + 1
    parts = (trace.packets[:block], trace.packets[block:behind], trace.packets[behind:])
    head, repeated, tail = (pt.Trace(packet=part).SerializeToString() for part in parts)
    times = max(1, -(-(size - len(head) - len(tail)) // len(repeated)))
    with path.open("wb") as file:
        file.write(head)
        for _ in range(times):
            file.write(repeated)
        file.write(tail)
    return CALLS * (times + 1)
