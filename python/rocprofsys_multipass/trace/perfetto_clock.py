# SPDX-License-Identifier: MIT
"""The clocks of a trace: where they stand, and those of one packet sequence.

On these Perfetto's SDK counts its times, as a rule each from the one before.
google/perfetto @ec5d16b1, protos/perfetto/trace/clock_snapshot.proto and docs/concepts/clock-sync.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from google.protobuf.message import DecodeError

from rocprofsys_multipass.trace.guard import naming
from rocprofsys_multipass.trace.perfetto_classes import classes_for
from rocprofsys_multipass.trace.wire import WireError, packets

if TYPE_CHECKING:
    from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pb

BOOTTIME: Final = 6  # perfetto.protos.BuiltinClock
STATE_CLEARED: Final = 1  # TracePacket.SequenceFlags
_HEAD: Final = 1 << 16  # bytes
OF_SEQUENCE: Final = range(64, 128)  # what such a clock means, a snapshot on the same sequence says


@dataclass(slots=True)
class SequenceClock:
    """A clock that a snapshot relates to BOOTTIME. `incremental`: each time is added to the last."""

    value: int
    boot_ns: int
    unit_ns: int
    incremental: bool

    def to_boot(self, time: int) -> int:
        """The time of a packet in ns of BOOTTIME; to be asked once for each packet that has one, in order."""
        if not self.incremental:
            return self.boot_ns + (time - self.value) * self.unit_ns
        self.boot_ns += time * self.unit_ns
        return self.boot_ns


def clocks_of(snapshot: pb.ClockSnapshot) -> dict[int, SequenceClock]:
    """The clocks of its sequence that a snapshot relates to BOOTTIME, by id."""
    boot = next((c.timestamp for c in snapshot.clocks if c.clock_id == BOOTTIME), None)
    if boot is None:
        return {}
    return {
        c.clock_id: SequenceClock(c.timestamp, boot, c.unit_multiplier_ns or 1, c.is_incremental)
        for c in snapshot.clocks
        if c.clock_id in OF_SEQUENCE
    }


def first_packets(path: Path) -> Iterator[pb.TracePacket]:
    """The packets in the first 64 KiB of a trace, where its clock snapshots are, up to one that is cut or damaged.

    TraceError: the file or the message classes cannot be read.
    """
    with naming(path), path.open("rb") as file:
        head = file.read(_HEAD)
    classes = classes_for(path)
    try:
        for _, content in packets(head):
            yield classes.TracePacket.FromString(content)
    except (WireError, DecodeError):  # the head ends within a packet; of damage, check perfetto-bytes tells
        return
