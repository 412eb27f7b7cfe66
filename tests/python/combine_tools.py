# SPDX-License-Identifier: MIT
"""Files of many ranks, for tests of what puts them into one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import trace_tools as tools
from described_run import Run
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pt


def guid_of(rank: int) -> str:
    return f"0190aaaa-bbbb-7ccc-8ddd-{rank:012x}"


def rank_run(rank: int, *, pid: int | None = None) -> Run:
    """One replayed launch with as many waves as tells its rank."""
    launches = (tools.replayed(1, 1000 + 10 * rank, waves=100 + rank),)
    return Run(launches, pid=4000 + rank if pid is None else pid, guid=guid_of(rank), rank=rank)


def databases(folder: Path, count: int) -> list[Path]:
    """One of each rank."""
    folder.mkdir()
    return [tools.write_database(folder / f"multipass-rank{rank}.db", rank_run(rank)) for rank in range(count)]


BOOT, MONOTONIC, REAL = 6, 3, 1  # clocks


@dataclass(frozen=True)
class Host:
    """A machine: `boot_ns` and `real_ns` are its clocks at one instant; `name` empty: its traces do not tell it."""

    name: str = "node0"
    boot_ns: int = 1_000_000
    real_ns: int = 1_700_000_000_000_000_000

    def snapshot(self, file: tools.TraceFile) -> None:
        """At the place where our writer has it."""
        packet = pt.TracePacket(trusted_packet_sequence_id=file.packets[0].trusted_packet_sequence_id)
        for clock, time in ((BOOT, self.boot_ns), (MONOTONIC, self.boot_ns - 100), (REAL, self.real_ns)):
            packet.clock_snapshot.clocks.add(clock_id=clock, timestamp=time)
        file.packets.insert(1, packet)


def rank_trace(path: Path, run: Run, host: Host | None = None) -> Path:
    """Our trace of a rank; all of them have equal uuids of tracks, and one id of their sequence."""
    file = tools.TraceFile(run).build()
    told: dict[str, int | str] = {"guid": run.guid} | ({"rank": run.rank} if run.rank is not None else {})
    if host is not None:
        host.snapshot(file)
        told |= {"hostname": host.name} if host.name else {}
    (mark,) = [p for p in file.packets if "rocm_multipass_run" in p.track_event.categories]
    tools.annotate(mark.track_event, told)
    path.write_bytes(file.to_bytes())
    return path


def traces(folder: Path, count: int, host: Host | None = None) -> list[Path]:
    """One of each rank of a machine; a rank starts 10 ns after the one before."""
    folder.mkdir()
    return [rank_trace(folder / f"multipass-rank{rank}.pftrace", rank_run(rank), host) for rank in range(count)]
