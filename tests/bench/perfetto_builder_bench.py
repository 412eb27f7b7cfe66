# SPDX-License-Identifier: MIT
"""Our exporter against the Python package's TraceProtoBuilder over the same packets, per packet.

    python tests/bench/perfetto_builder_bench.py EXPORTER [DISPATCHES] [ROUNDS]

EXPORTER is rocprofsys-multipass-export of a release build. It reads a journal of DISPATCHES (2000), of 6 passes with 40
counters each, and writes the trace; its start is part of its time. The builder makes PART packets of that trace again,
all fields, and serializes them; what is to be in them is known beforehand. In turns; processor time, medians of ROUNDS
(5). Exit code 1 when the exporter is less than LEAST times as fast.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

import large_journal
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pt
from perfetto.trace_builder.proto_builder import TraceProtoBuilder

LEAST: Final = 20.0
PART: Final = 50_000  # packets that the builder makes, from the middle of the trace: all are counters and slices


def fields_of(message: Any) -> list[tuple[str, object]]:
    """A message as plain values: of messages in it the same, in a list where there are several."""
    plain: list[tuple[str, object]] = []
    for descriptor, value in message.ListFields():
        if descriptor.message_type is None:
            plain.append((descriptor.name, list(value) if descriptor.is_repeated else value))
        elif descriptor.is_repeated:
            plain.append((descriptor.name, [fields_of(one) for one in value]))
        else:
            plain.append((descriptor.name, fields_of(value)))
    return plain


def fill(message: Any, plain: list[tuple[str, object]]) -> None:
    """Set what `fields_of` told."""
    for name, value in plain:
        if not isinstance(value, list):
            setattr(message, name, value)
        elif value and isinstance(value[0], tuple):
            fill(getattr(message, name), value)
        elif value and isinstance(value[0], list):
            for one in value:
                fill(getattr(message, name).add(), one)
        else:
            getattr(message, name).extend(value)


def build(packets: list[list[tuple[str, object]]]) -> bytes:
    """What a program does with the builder: add a packet, set its fields."""
    builder = TraceProtoBuilder()
    for plain in packets:
        fill(builder.add_packet(), plain)
    serialized: bytes = builder.serialize()
    return serialized


def processor_of(command: list[str]) -> float:
    """Seconds of user and system time of a program."""
    before = os.times()
    subprocess.run(command, check=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def main() -> int:
    """Measure and print."""
    exporter = sys.argv[1]
    dispatches = int(sys.argv[2]) if len(sys.argv) > 2 else 2000
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    large_journal.PASSES, large_journal.COUNTERS = 6, 40
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        journal = Path(folder) / "multipass-1.journal"
        large_journal.write_journal(journal, dispatches)
        command = [exporter, str(journal), "--format", "perfetto", "--quiet"]
        subprocess.run(command, check=True)
        trace = pt.Trace()
        trace.ParseFromString(journal.with_suffix(".pftrace").read_bytes())
        first = max(0, len(trace.packet) // 2 - PART // 2)
        part = trace.packet[first : first + PART]
        plain = [fields_of(packet) for packet in part]
        if build(plain) != pt.Trace(packet=part).SerializeToString():
            sys.stderr.write("the builder makes other packets than the exporter\n")
            return 2
        ours: list[float] = []
        theirs: list[float] = []
        for _ in range(rounds):
            ours.append(processor_of(command) / len(trace.packet))
            begin = time.process_time()
            build(plain)
            theirs.append((time.process_time() - begin) / len(part))
    one, other = statistics.median(ours), statistics.median(theirs)
    sys.stdout.write(
        f"{len(trace.packet)} packets by the exporter, {len(part)} by the builder; medians of {rounds}\n\n"
        "| way | ns a packet, processor time |\n|---|---|\n"
        f"| whole export | {one * 1e9:.0f} |\n| TraceProtoBuilder | {other * 1e9:.0f} |\n\n"
        f"the export is {other / one:.1f} times as fast (at least {LEAST:.0f})\n"
    )
    return 1 if other / one < LEAST else 0


if __name__ == "__main__":
    sys.exit(main())
