# SPDX-License-Identifier: MIT
"""Cases of the checks of a trace."""

from __future__ import annotations

import trace_tools as tools
from verify_tools import GOOD, NAME, Case, dropped, ignore, is_end, spoiled_trace, trace_with

CASES = [
    Case("perfetto-bytes", "error", trace_with(lambda data: data[:-1]), f"{NAME}.pftrace: byte", "is cut after"),
    Case("perfetto-bytes", "error", trace_with(lambda data: data + b"\0"), f"{NAME}.pftrace: byte", "starts no packet"),
    Case("perfetto-bytes", "error", trace_with(lambda data: data + b"\n\x04\xfa\xff\x7f\0"), "byte", "does not exist"),
    Case(
        "perfetto-names",
        "error",
        spoiled_trace(lambda f: f.counter(12345, 1000, 1.0)),
        f"{NAME}.pftrace: time 1000",
        "track 0x3039, which is not declared",
    ),
    Case("perfetto-slices", "error", spoiled_trace(dropped(is_end)), "GPU 0 [gfx942] / Queue 0", "is never closed"),
    Case(
        "perfetto-lanes",
        "error",
        spoiled_trace(lambda _: None, tools.with_execution(GOOD, 1, 0, start=1050)),
        "app / GPU 0 [gfx942] / Queue 0",
        "from 1050 on starts inside another dispatch of the lane",
    ),
    Case(
        "perfetto-pulses",
        "error",
        spoiled_trace(dropped(lambda p: p.track_event.type == 4 and p.timestamp == 2260)),
        "GPU SQ_WAVES [0] pass 1",
        "512 from 2150 on does not go back to 0",
    ),
    Case(
        "perfetto-siblings",
        "error",
        spoiled_trace(lambda f: ignore(f.track(9999, tools.GPU, "Queue 0"))),
        "GPU 0 [gfx942]",
        "2 tracks are called 'Queue 0'",
    ),
    Case(
        "perfetto-clock",
        "error",
        spoiled_trace(lambda f: setattr(f.packets[0].trace_packet_defaults, "timestamp_clock_id", 1)),
        f"{NAME}.pftrace",
        "events are on clock 1, not on 6",
    ),
    Case(
        "perfetto-times",
        "error",
        spoiled_trace(
            lambda f: (
                [
                    tools.annotate(p.track_event, {"times_swapped": True})
                    for p in f.packets
                    if p.track_event.type == 1 and p.timestamp == 1150
                ]
                and None
            )
        ),
        "Replay pass 1 / Kernels, dispatch 1",
        "recorded from 1260 to 1150",
    ),
    Case(
        "perfetto-annotations",
        "error",
        spoiled_trace(
            lambda f: (
                [
                    setattr(a, "double_value", 1e6)
                    for p in f.packets
                    for a in p.track_event.debug_annotations
                    if a.name == "GRBM_COUNT"
                ]
                and None
            )
        ),
        "dispatch 1, GRBM_COUNT",
        "the slice says 1000000, the counter track 100.5",
    ),
]
