# SPDX-License-Identifier: MIT
"""Cases of the checks of launches that take turns, and of what was read of each launch shape."""

from __future__ import annotations

from dataclasses import replace

import trace_tools as tools
from verify_tools import GOOD, GROUP_0, GROUP_1, NAME, Case, database, of_run

_SHAPE = "axpy(float*, int) [1024,1,1 / 64,1,1]"
_COLUMNS = (
    *("launches", "replayed", "counter_group", "n", "median", "mad", "min_value", "max_value"),
    *("counters_read", "counters_planned", "groups_read", "groups_planned"),
)


def rotated(*groups: int, threads: tuple[int, ...] = (tools.PID,)) -> tools.Run:
    """Launches of one shape that read these groups, by threads in turn."""
    launches = []
    for number, group in enumerate(groups, 1):
        start = 1000 * number
        one = tools.Execution(None, start, start + 90, (GROUP_0, GROUP_1)[group], group=group)
        thread = threads[number % len(threads)]
        launches.append(tools.Launch(number, (one,), outcome="declined", reason="rotate_mode", tid=thread))
    return replace(GOOD, launches=tuple(launches), replay_mode="rotate")


def _view(values: str, more: str = "") -> str:
    names = ", ".join(f"{value} AS {name}" for value, name in zip(values.split(), _COLUMNS, strict=True))
    return (
        f"CREATE VIEW kernel_counters AS SELECT d.guid, {tools.PID} AS pid, d.agent_id, "
        "'axpy(float*, int)' AS kernel_name, grid_size_x, grid_size_y, grid_size_z, workgroup_size_x, "
        f"workgroup_size_y, workgroup_size_z, 'TCC_HIT' AS counter_name, {names} FROM rocpd_kernel_dispatch d "
        f"WHERE d.id = 1 {more}"
    )


CASES = [
    Case(
        "rotation",
        "warning",
        of_run(rotated(0, 1, 0, 0, 1, 0)),
        f"{NAME}.journal: {_SHAPE}",
        "groups 0 to 1 were read by 4, 2 launches",
    ),
    Case(
        "rotation",
        "info",
        of_run(rotated(0, 0, threads=(1, 2))),
        f"{NAME}.journal: {_SHAPE}",
        "groups 0 to 1 were read by 2, 0 launches",
    ),
    Case(
        "coverage",
        "info",
        of_run(rotated(1)),
        f"{NAME}.journal: GPU 0",
        f"of 1 launch shape: {_SHAPE}: 1 of 2 groups, 2 of 3 counters, in 1 launch",
    ),
    Case(
        "coverage",
        "warning",
        of_run(rotated(0, 0)),
        f"{NAME}.journal: {_SHAPE}",
        "only 1 of 2 groups, 2 of 3 counters, in 2 launches, which were enough for all groups",
    ),
    Case(
        "rocpd-kernel-counters",
        "error",
        database(_view("2 2 1 2 301 0 300 300 3 3 2 2")),
        f"{NAME}.db: kernel_counters, {_SHAPE}, TCC_HIT",
        "median is 301, by the readings it is 150",
    ),
    Case(
        "rocpd-kernel-counters",
        "error",
        database(_view("2 2 1 2 150 150 0 300 3 3 2 2")),
        f"{NAME}.db: kernel_counters, {_SHAPE}, SQ_WAVES",
        "there is no row of it",
    ),
    Case(
        "rocpd-kernel-counters",
        "error",
        database("CREATE VIEW kernel_counters AS SELECT guid FROM rocpd_kernel_dispatch"),
        f"{NAME}.db: kernel_counters",
        "it has no column launches",
    ),
]
