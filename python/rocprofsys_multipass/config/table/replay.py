# SPDX-License-Identifier: MIT
"""How launches are replayed."""

from __future__ import annotations

from rocprofsys_multipass.config import limits, values
from rocprofsys_multipass.config.option import Option
from rocprofsys_multipass.config.table.making import flag, pattern

REPLAY: tuple[Option, ...] = (
    Option(
        name="replay",
        kind="text",
        summary="how often each kernel runs",
        parse=values.replay,
        allowed=(
            "auto (once per pass where that is safe, within a budget; else as rotate), kernel (once per pass where "
            "that is safe, without a budget), rotate (once; each launch reads the counters of one pass, in turn), "
            "off (once; only the first pass is read)"
        ),
        default="auto",
        default_text="auto",
        example="auto",
        readers=("wrapper", "plugin"),
        metavar="MODE",
    ),
    pattern(
        "no-replay",
        "do not replay kernels whose name this is found in, nor those of the built-in list; they run once",
        default_text=(
            "the built-in list alone: collectives (nccl, rccl, msccl, rocshmem, DevKernel) and kernels of the HIP "
            "runtime (__amd_rocclr_)"
        ),
        example="'^spin_'",
        needs_replay=True,
    ),
    flag(
        "replay-everything",
        "replay kernels of the built-in list too",
        needs_replay=True,
    ),
    Option(
        name="max-replays",
        kind="text",
        summary="replay each kernel so many times, for each grid and work-group on a GPU; then it runs once",
        parse=limits.max_replays,
        allowed="a number from 1, or none",
        default=None,
        default_text="3 with --replay auto, none with --replay kernel",
        example="10",
        readers=("wrapper", "plugin"),
        metavar="N",
        unit="launches",
        needs_replay=True,
    ),
    Option(
        name="replay-budget",
        kind="list",
        summary="the wall time that replays may take in all, copies of memory included; then each kernel runs once",
        parse=limits.replay_budget,
        allowed="a duration (500ms, 90s, 5m, 1h), a share of the wall time so far (10%), both with a comma, of which "
        "the larger counts, or none",
        default=None,
        default_text="60s,10% with --replay auto, none with --replay kernel",
        example="5m",
        readers=("wrapper", "plugin"),
        metavar="TIME|PERCENT",
        needs_replay=True,
    ),
    Option(
        name="unsafe",
        kind="list",
        summary="replay in spite of these reasons not to, at the risk of wrong results of the program",
        parse=limits.unsafe,
        allowed=f"{', '.join(limits.SAFETY_REASONS)}, several with commas, or all; each is told of in docs/safety.md",
        default=(),
        default_text="none",
        example="[managed_memory]",
        readers=("wrapper", "plugin"),
        metavar="NAME[,NAME...]",
        repeatable=True,
        needs_replay=True,
    ),
    Option(
        name="host-memory",
        kind="text",
        summary="how much of the host's memory copies of GPU memory may take",
        parse=limits.host_memory,
        allowed="a size (512MB, 64GB, 64GiB)",
        default=None,
        default_text="what cgroup and machine have left",
        example="64GB",
        readers=("wrapper", "plugin"),
        metavar="SIZE",
        needs_replay=True,
    ),
    flag(
        "warm-up-pass",
        (
            "run each replayed launch once more first, of which nothing is measured, so that all passes are warm; "
            "whether passes did the same work is then unknown, unless they differ"
        ),
        needs_replay=True,
    ),
    flag(
        "timing-pass",
        (
            "run each replayed launch once more without counters: its times are those of the launch; "
            "whether passes did the same work is then unknown, unless they differ"
        ),
        default_text="off, the times are those of pass 0",
        needs_replay=True,
    ),
    flag(
        "permute-groups",
        "let the passes of alike launches take the groups of counters in turn, so that none is always first",
        default_text="off, pass k reads group k",
        needs_replay=True,
    ),
)
