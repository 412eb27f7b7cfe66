# SPDX-License-Identifier: MIT
"""Which launches are counted."""

from __future__ import annotations

from rocprofsys_multipass.config import values
from rocprofsys_multipass.config.option import Option
from rocprofsys_multipass.config.table.making import flag, pattern

LAUNCHES: tuple[Option, ...] = (
    pattern(
        "kernel-include",
        "count only in kernels whose name this is found in",
        default_text="every kernel",
        example="'axpy|transpose'",
    ),
    pattern(
        "kernel-exclude",
        "do not count in kernels whose name this is found in, included or not",
        default_text="no kernel",
        example="'^init_'",
    ),
    Option(
        name="range",
        kind="list",
        summary="count only in these launches of each kernel",
        parse=values.launch_range,
        allowed="numbers from 1 and spans of them: 1, [1-3] or 1,4-6",
        default="",
        default_text="every launch",
        example="1,4-6",
        readers=("wrapper", "plugin"),
        metavar="R",
        unit="launches of one kernel, from 1",
    ),
    Option(
        name="gpus",
        kind="list",
        summary="count only on these GPUs",
        parse=values.gpus,
        allowed="numbers from 0 and spans of them: 0 or 0,2-3; as in NAME:device=N",
        default="",
        default_text="every GPU",
        example="0,2-3",
        readers=("wrapper", "plugin"),
        metavar="N",
        unit="ordinals of GPUs by SDK node id, from 0",
    ),
    Option(
        name="ranks",
        kind="list",
        summary="collect only in the processes of these ranks",
        parse=values.ranks,
        allowed="numbers from 0 and spans of them: 0,8 or 0-3; a process to which no launcher gave a rank is collected",
        default="",
        default_text="every process",
        example="0,8",
        readers=("wrapper", "plugin"),
        metavar="R",
        unit="ranks of the launcher, from 0",
    ),
    flag(
        "roctx",
        "count only inside of roctx ranges of the program",
    ),
    pattern(
        "roctx-include",
        "count only inside of roctx ranges in whose message this is found",
        default_text="everywhere",
        example="'^solve'",
        searched_in="",
    ),
    pattern(
        "roctx-exclude",
        "do not count inside of roctx ranges in whose message this is found, included or not",
        default_text="nowhere",
        example="'warm.?up'",
        searched_in="",
    ),
    flag(
        "selected-regions",
        "count only after the program has called roctxProfilerResume, until it calls roctxProfilerPause",
        default_text="off; the program begins unpaused",
    ),
)
