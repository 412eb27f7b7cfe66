# SPDX-License-Identifier: MIT
"""Of which process a file of rocprof-sys is, by what is in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from google.protobuf.message import DecodeError

from rocprofsys_multipass.config import launcher_rank
from rocprofsys_multipass.errors import TraceError
from rocprofsys_multipass.rocprof_sys.names import Role
from rocprofsys_multipass.trace.database import json_object, open_database
from rocprofsys_multipass.trace.mapped import mapped
from rocprofsys_multipass.trace.open import kind_of
from rocprofsys_multipass.trace.perfetto_classes import classes_for
from rocprofsys_multipass.trace.wire import Bytes, WireError, packet_at

_LOOKED_AT: Final = 4 << 20  # bytes at the start of a trace, where its processes are described
_TRACK_DESCRIPTOR: Final = b"\xe2\x03"  # field 60 of a packet, length-delimited


def identities(path: Path, role: Role) -> tuple[set[int], int | None]:
    """The pids in a file, and the rank; nothing where it cannot be read: a merge will say why."""
    try:
        return _of_database(path) if role == "database" else (_of_trace(path), None)
    except (TraceError, OSError, ValueError):
        return set(), None


def _of_database(path: Path) -> tuple[set[int], int | None]:
    with open_database(path) as database:
        rows = database.rows("SELECT * FROM rocpd_info_process")
    ranks = {
        launcher_rank({name: value for name, value in told.items() if isinstance(value, str)})
        for row in rows
        if "environment" in row.keys()  # noqa: SIM118 - a row is no mapping
        for told in [json_object(row["environment"])]
    }
    return {int(row["pid"]) for row in rows}, ranks.pop() if len(ranks) == 1 else None


def _of_trace(path: Path) -> set[int]:
    """The pids that the beginning of a trace describes."""
    if kind_of(path) != "perfetto":
        return set()
    pids: set[int] = set()
    with mapped(path) as data, suppress(WireError, DecodeError):  # what was read until then counts
        for content in _first_packets(data):
            if _TRACK_DESCRIPTOR in content:
                packet = classes_for(path).TracePacket.FromString(content)
                if packet.track_descriptor.HasField("process"):
                    pids.add(packet.track_descriptor.process.pid)
    return pids


def _first_packets(data: Bytes) -> Iterator[bytes]:
    offset = 0
    while offset < min(len(data), _LOOKED_AT):
        start, offset = packet_at(data, offset)
        yield data[start:offset]
