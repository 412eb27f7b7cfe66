# SPDX-License-Identifier: MIT
"""Clocks of one packet sequence, which Perfetto's SDK counts its times on: as a rule each from the one before.

google/perfetto @ec5d16b1, protos/perfetto/trace/clock_snapshot.proto and docs/concepts/clock-sync.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pb

BOOTTIME: Final = 6  # perfetto.protos.BuiltinClock
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
