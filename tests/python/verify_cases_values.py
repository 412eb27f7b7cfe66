# SPDX-License-Identifier: MIT
"""Cases of the checks that doubt values."""

from __future__ import annotations

from dataclasses import replace

import trace_tools as tools
from verify_tools import GOOD, Case, compared, database, of_run, with_values, without_sentinels

CASES = [
    Case(
        "agreement",
        "warning",
        of_run(tools.with_execution(GOOD, 0, 1, values={"SQ_WAVES": 0, "TCC_HIT": 1})),
        "dispatch 1, SQ_WAVES",
        "0 in pass 1, 512 in pass 0",
    ),
    Case(
        "agreement-at-zero",
        "warning",
        of_run(replace(GOOD, launches=(tools.replayed(1, 1000, waves=0),))),
        "GPU 0, SQ_WAVES",
        "0 in all",
    ),
    Case(
        "compared",
        "info",
        of_run(without_sentinels()),
        "GPU 0",
        "no counter is read in two passes: nothing tells whether the passes did the same work",
    ),
    Case("compared", "info", database("", without_sentinels()), "GPU 0", "no counter is read in two passes"),
    Case(
        "compared",
        "info",
        of_run(compared({"GRBM_COUNT": (7, 7), "TCC_REQ": (5, 5)})),
        "GPU 0",
        "only counters of time and caches are read in two passes (GRBM_COUNT, TCC_REQ): none tells",
    ),
    Case("zeros", "warning", of_run(with_values(0, 0)), "GPU 0, TCC_HIT", "0 in 2 dispatches"),
    Case(
        "zeros",
        "warning",
        of_run(replace(GOOD, launches=(tools.Launch(1, (tools.Execution(0, 1, 2, {"SQ_WAVES": 0}),)),))),
        "GPU 0",
        "all 1 counters are 0 in every dispatch",
    ),
    Case(
        "ratios",
        "warning",
        of_run(
            replace(
                GOOD,
                plan=(("TCC_EA0_RDREQ_sum",), ("TCC_EA0_RDREQ_DRAM_sum",)),
                launches=(
                    tools.Launch(
                        1,
                        (
                            tools.Execution(0, 1, 2, {"TCC_EA0_RDREQ_sum": 100}),
                            tools.Execution(1, 3, 4, {"TCC_EA0_RDREQ_DRAM_sum": 207}),
                        ),
                    ),
                ),
            )
        ),
        "dispatch 1, TCC_EA0_RDREQ_DRAM_sum",
        "TCC_EA0_RDREQ_DRAM_sum (pass 1) is 207 % of TCC_EA0_RDREQ_sum (pass 0)",
    ),
    Case(
        "ratios",
        "warning",
        of_run(with_values(110, 130, 90, counter="VALUBusy")),
        "dispatch 2, VALUBusy",
        "130 %, more than there can be, and too much in 1 more dispatches",
    ),
    Case(
        "ratios", "warning", of_run(with_values(130, counter="VALUBusy")), "VALUBusy", "130 %, more than there can be"
    ),
    Case(
        "outliers",
        "warning",
        of_run(with_values(*[1000.0] * 9, 65000.0)),
        "dispatch 10, TCC_HIT",
        "65000 is 65 times the median of 10 equal launches",
    ),
]
