# SPDX-License-Identifier: MIT
"""Cases of the checks of a trace."""

from __future__ import annotations

from dataclasses import replace

import trace_tools as tools
from verify_tools import (
    ABSENT,
    GOOD,
    NAME,
    Case,
    argument_with,
    dropped,
    ignore,
    is_end,
    spoiled_trace,
    trace_with,
)

EXTRAS = replace(
    GOOD,
    launches=(replace(tools.replayed(1, 1000), warm_up=(500, 600), timing=(700, 790)),),
    extras=("warm_up_pass", "timing_pass"),
)

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
    *(
        Case("perfetto-arguments", "error", write, f"{NAME}.pftrace: dispatch {number}, {name}", message)
        for name, write, number, message in (
            ("time_of", argument_with("time_of", "pass 1"), 1, f"it is 'pass 1', {NAME}.journal has 'pass 0'"),
            ("time_of", argument_with("time_of", ABSENT), 1, f"it is absent, {NAME}.journal has 'pass 0'"),
            ("executions", argument_with("executions", 3), 1, f"it is 3, {NAME}.journal has 2"),
            ("executions", argument_with("executions", 1, best="db"), 1, f"it is 1, {NAME}.db has 2"),
            ("grid_size", argument_with("grid_size", "wide"), 1, f"it is 'wide', {NAME}.journal has '1024,1,1'"),
            ("workgroup_size", argument_with("workgroup_size", "65,1,1"), 1, f"{NAME}.journal has '64,1,1'"),
            ("kernel_id", argument_with("kernel_id", 2), 1, f"it is 2, {NAME}.journal has 1"),
            ("kernel_id", argument_with("kernel_id", 2, best="db"), 1, f"it is 2, {NAME}.db has 1"),
            ("queue", argument_with("queue", 8), 1, f"it is 8, {NAME}.journal has 7"),
            ("group", argument_with("group", 0), 3, f"it is 0, {NAME}.journal has 1"),
            ("extra_passes", argument_with("extra_passes", "timing", EXTRAS), 1, "it is 'timing', "),
            ("extra_passes", argument_with("extra_passes", ABSENT, EXTRAS), 1, "has 'warm-up, timing'"),
            ("extra_passes", argument_with("extra_passes", "timing", EXTRAS, best="none"), 1, "it is 'timing', "),
            ("time_of", argument_with("time_of", "pass 1", best="none"), 1, "it is 'pass 1', "),
        )
    ),
    *(
        Case("perfetto-run", "error", argument_with(name, value), f"rocm_multipass_run, {name}", message)
        for name, value, message in (
            ("command", "./other", f"it is './other', {NAME}.journal has \"./app it's\""),
            ("events", "TCC_HIT", f"it is 'TCC_HIT', {NAME}.journal has ''"),
            ("sdk_library", "/x/y.so", f"it is '/x/y.so', {NAME}.journal has '/opt/x/librocprofiler-sdk.so.1'"),
            ("dispatches", 6, f"it is 6, {NAME}.journal has 5"),
            ("warnings", ["none"], f"it is ['none'], {NAME}.journal has ['two queues overlapped']"),
            ("plan", ["GPU 0 [gfx942] pass 0: A"], "it lacks 'GPU 0 [gfx942] pass 0: SQ_WAVES, GRB..., "),
        )
    ),
]
