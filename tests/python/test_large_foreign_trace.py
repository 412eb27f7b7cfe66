# SPDX-License-Identifier: MIT
"""A large trace of rocprof-sys, written by repetition, is the trace that it says it is."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from handmade_foreign import GOOD, replayed
from large_foreign_trace import write_large_trace
from perfetto_tools import decode

import rocprofsys_multipass as mp

SIZE = 100_000


def test_it_has_the_kernels_of_the_run_and_as_many_regions_as_it_says(tmp_path: Path) -> None:
    path = tmp_path / "perfetto-trace-4711.proto"
    regions = write_large_trace(path, replayed(GOOD), SIZE, by="queue", service=True)
    assert SIZE <= path.stat().st_size < SIZE + 20_000
    events = Counter(packet.track_event.type for packet in decode(path).packet if packet.HasField("track_event"))
    assert events[1] == events[2] == regions + 6
    assert [(one.dispatch_id, len(one.passes)) for one in mp.open_trace(path).dispatches()] == [(1, 2), (2, 2), (3, 2)]
