# SPDX-License-Identifier: MIT
"""Cases of the checks of files that other tools wrote."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from handmade_foreign import GOOD, WORKED_EXAMPLE, Run, replayed, write_rocprof_sys, write_rocprofv3
from handmade_foreign_trace import rocprof_sys_trace
from verify_tools import Case

REPLAYED = replayed(GOOD)
_BY_ORDER = ", as far as the order of rows tells: the file says nothing of passes"


def v3(run: Run = GOOD, **options: Any) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        write_rocprofv3(path / "1_results.db", run, **options)

    return write


def sys_database(run: Run = GOOD, **options: Any) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        write_rocprof_sys(path / "rocpd-1.db", run, **options)

    return write


def sys_trace(run: Run = GOOD, spoil: Callable[[bytes], bytes] = bytes, **options: Any) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        (path / "perfetto-trace-1.proto").write_bytes(spoil(rocprof_sys_trace(run, **options)))

    return write


def in_order_of_counters(path: Path) -> None:
    """All passes in one row, the records sorted by counter: their order tells nothing."""
    then = (
        "CREATE TABLE sorted AS SELECT event_id, pmc_id, value FROM rocpd_pmc_event~ ORDER BY event_id, pmc_id, value;"
        "DELETE FROM rocpd_pmc_event~; INSERT INTO rocpd_pmc_event~ (event_id, pmc_id, value) SELECT * FROM sorted;"
        "DROP TABLE sorted"
    )
    write_rocprofv3(path / "1_results.db", REPLAYED, shape="merged", then=then)


CASES = [
    Case(
        "foreign", "info", v3(), "1_results.db", "written by rocprofv3: checks that need this tool's plan are left out"
    ),
    Case("foreign", "info", sys_database(), "rocpd-1.db", "written by rocprof-sys"),
    Case("foreign", "info", sys_trace(), "perfetto-trace-1.proto", "written by rocprof-sys"),
    Case("foreign", "info", sys_trace(REPLAYED), "perfetto-trace-1.proto", "no slice says which pass it is"),
    Case(
        "foreign-sums",
        "warning",
        v3(WORKED_EXAMPLE, shape="merged"),
        "1_results.db: counters_collection, SQ_WAVES",
        "shows 1536 for dispatch 1, 3 times the 512 of one pass" + _BY_ORDER,
    ),
    Case(
        "foreign-sums",
        "warning",
        v3(REPLAYED, shape="merged"),
        "1_results.db: pmc_events, SQ_WAVES",
        f"shows 1024 for dispatch 1, 2 times the 512 of one pass{_BY_ORDER}; so in 2 dispatches more",
    ),
    Case(
        "foreign-sums",
        "error",
        v3(WORKED_EXAMPLE, shape="per_pass"),
        "1_results.db: counters_collection, SQ_WAVES",
        "shows 1536 for dispatch 1, 3 times the 512 of one pass",
    ),
    Case(
        "foreign-sums",
        "error",
        v3(REPLAYED, shape="per_pass", own_views=True),
        "1_results.db: pmc_events, SQ_WAVES",
        "shows 1024 for dispatch 1, 2 times the 512 of one pass; so in 2 dispatches more",
    ),
    Case(
        "foreign-sums",
        "warning",
        in_order_of_counters,
        "1_results.db: rocpd_pmc_event, SQ_WAVES",
        "event 1 has 4 rows of it and 2 of SQ_INSTS_VALU, which is of the same block (SQ)",
    ),
    Case(
        "foreign-sums",
        "error",
        sys_database(REPLAYED),
        "rocpd-1.db: SQ_WAVES",
        "2 values of dispatch 1, 1024 together, 512 in one; so in 2 dispatches more",
    ),
    Case(
        "foreign-sums",
        "error",
        sys_trace(WORKED_EXAMPLE),
        "perfetto-trace-1.proto: SQ_WAVES",
        "3 values of dispatch 1, 1536 together, 512 in one",
    ),
    Case(
        "foreign-times",
        "error",
        v3(WORKED_EXAMPLE, shape="per_pass"),
        "1_results.db: top_kernels",
        "counts 3 calls and 0.3 µs of 1 dispatch that took 0.1 µs: each pass has a row, first in dispatch 1",
    ),
    Case(
        "foreign-times",
        "error",
        sys_database(REPLAYED),
        "rocpd-1.db: top_kernels",
        "counts 6 calls and 0.612 µs of 3 dispatches that took 0.306 µs",
    ),
    Case(
        "foreign-times",
        "error",
        sys_trace(WORKED_EXAMPLE, by="queue"),
        "perfetto-trace-1.proto: category rocm_kernel_dispatch",
        "3 slices and 300 ns of 1 dispatch that took 100 ns",
    ),
    Case(
        "foreign-times",
        "error",
        sys_trace(REPLAYED),
        "perfetto-trace-1.proto: category rocm_hip_stream",
        "6 slices and 612 ns of 3 dispatches that took 306 ns: each pass has a slice, first in dispatch 1",
    ),
    *(
        Case(
            "foreign-hidden",
            "error",
            v3(then=f"PRAGMA foreign_keys = OFF; UPDATE rocpd_kernel_dispatch~ SET {change} WHERE id > 1"),
            f"1_results.db: {view}",
            f"hides 2 dispatches, first 2: {cause}",
        )
        for view, change, cause in (
            ("kernels", "region_name_id = NULL", "region_name_id is NULL"),
            ("kernels", "queue_id = 99", "queue_id 99 is not in rocpd_info_queue"),
            ("kernels", "tid = NULL, kernel_id = 9", "kernel_id 9 is not in rocpd_info_kernel_symbol, tid is NULL"),
            ("counters_collection", "tid = NULL", "tid is NULL"),
        )
    ),
    Case(
        "foreign-damage",
        "error",
        v3(then="PRAGMA foreign_keys = OFF; UPDATE rocpd_pmc_event~ SET pmc_id = 77 WHERE id = 1"),
        "1_results.db: rocpd_pmc_event",
        "rocpd_info_pmc",
    ),
    Case(
        "foreign-damage",
        "error",
        v3(then="UPDATE rocpd_info_pmc~ SET name = 'SQ_WAVES' WHERE name = 'TCC_HIT'"),
        "1_results.db: rocpd_info_pmc, agent 1, SQ_WAVES",
        "described 2 times",
    ),
    Case(
        "foreign-damage",
        "error",
        v3(then="UPDATE rocpd_kernel_dispatch~ SET event_id = 1 WHERE dispatch_id = 2"),
        "1_results.db: dispatch 2",
        "it has event 1 of dispatch 1 too: its counters are there 2 times",
    ),
    Case("foreign-damage", "error", sys_trace(spoil=lambda data: data[:-3]), "perfetto-trace-1.proto: byte", "is cut"),
    Case(
        "foreign-damage", "error", sys_trace(snapshot=False), "perfetto-trace-1.proto: byte", "clock 64 is used before"
    ),
    Case(
        "ratios",
        "warning",
        v3(WORKED_EXAMPLE, shape="merged"),
        "1_results.db: dispatch 1, GRBM_GUI_ACTIVE",
        "GRBM_GUI_ACTIVE (group 0) is 200 % of GRBM_COUNT (group 0)",
    ),
]
