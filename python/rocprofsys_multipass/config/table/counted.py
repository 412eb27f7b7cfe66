# SPDX-License-Identifier: MIT
"""What is counted."""

from __future__ import annotations

from rocprofsys_multipass.config import values
from rocprofsys_multipass.config.option import Option
from rocprofsys_multipass.metrics import panel_architectures

EVENTS_FALLBACK = "ROCPROFSYS_ROCM_EVENTS"

COUNTED: tuple[Option, ...] = (
    Option(
        name="events",
        kind="list",
        summary="the counters to collect",
        parse=values.text,
        allowed="NAME, or NAME:device=N for one GPU, with commas, semicolons or blanks between them",
        default="",
        default_text=f"those of {EVENTS_FALLBACK}, or what a launcher of rocprof-sys is given; without any, a set or "
        "panels, nothing is started",
        example="[SQ_WAVES, FETCH_SIZE, WRITE_SIZE]",
        readers=("wrapper", "plugin"),
        metavar="LIST",
        repeatable=True,
        fallback=EVENTS_FALLBACK,
    ),
    Option(
        name="set",
        kind="list",
        summary="metrics to collect the counters of",
        parse=values.sets,
        allowed=f"sets of metrics: {', '.join(values.SETS)}, several with commas",
        default=(),
        default_text="none",
        example="[memory, cache]",
        readers=("wrapper", "plugin"),
        metavar="NAME[,NAME...]",
        repeatable=True,
        keyword="sets",
        alias="sets",
    ),
    Option(
        name="compute-panels",
        kind="list",
        summary="panels of rocprofiler-compute to collect the counters of, those of a metric in one pass; what its "
        "analyze reads is made with --format compute",
        parse=values.compute_panels,
        allowed=f"all, or some of {', '.join(map(str, values.COMPUTE_PANELS))}, with commas; on "
        f"{' and '.join(panel_architectures())}",
        default=(),
        default_text="none",
        example="[2, 7, 17]",
        readers=("wrapper", "plugin"),
        metavar="all|N[,N...]",
    ),
    Option(
        name="group",
        kind="groups",
        summary="counters that must be read in one pass",
        parse=values.groups,
        allowed="names with commas between them; several groups with semicolons",
        default=(),
        default_text="none",
        example="[[SQ_WAVES, SQ_BUSY_CYCLES]]",
        readers=("wrapper", "plugin"),
        metavar="A,B",
        repeatable=True,
        keyword="groups",
        alias="groups",
    ),
    Option(
        name="sentinel",
        kind="list",
        summary="what the passes of a launch are compared by: counters that are read in all passes with room for them",
        parse=values.sentinel,
        allowed="auto, none, or NAME,... as in events; auto takes one of work, one of time and one of the L2 cache",
        default="auto",
        default_text="auto",
        example="[SQ_INSTS_VALU, TCC_MISS]",
        readers=("wrapper", "plugin"),
        metavar="auto|none|NAME,...",
        needs_replay=True,
    ),
    Option(
        name="instances",
        kind="text",
        summary="what is recorded of the instances of a counter, such as the channels of the L2 cache",
        parse=values.instances,
        allowed="sum; keep, the sum and the value of each, which takes more room",
        default=values.INSTANCES[0],
        default_text=values.INSTANCES[0],
        example="keep",
        readers=("wrapper", "plugin"),
        metavar="sum|keep",
    ),
)
