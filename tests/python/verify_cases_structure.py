# SPDX-License-Identifier: MIT
"""Cases of the checks that look at the dispatches, passes and readings of one file."""

from __future__ import annotations

import errno
from dataclasses import replace

import trace_tools as tools
from verify_tools import (
    GOOD,
    GROUP_0,
    GROUP_1,
    NAME,
    RUN,
    Case,
    asked,
    beside_a_copy,
    damaged_journal,
    database,
    dispatches_changed,
    duplicated_launch,
    frames_changed,
    ignore,
    journal_in_flight,
    lossy_journal,
    nothing_delivered,
    of_run,
    read_outside,
    single_pass,
    spoiled_trace,
    torn_journal,
    with_values,
)

WITH_EXTRAS = replace(
    GOOD,
    extras=("warm_up_pass", "timing_pass"),
    launches=tuple(
        replace(d, warm_up=(s - 300, s - 200), timing=(s - 100, s - 50)) for d in GOOD.launches for s in d.times[:1]
    ),
)
PERMUTED = tools.shifted(GOOD, 1)
C = {"C": 1.0}
THREE_TURNS = tools.shifted(
    replace(
        GOOD,
        plan=(("C",), ("B",), ("A",)),
        launches=(
            tools.Launch(
                1,
                tuple(
                    tools.Execution(k, 1000 + 200 * k, 1100 + 200 * k, {name: 1.0})
                    for k, name in enumerate(("C", "B", "A"))
                ),
            ),
        ),
    ),
    1,
)

CASES = [
    Case("readable", "error", lambda p: ignore((p / f"{NAME}.db").write_bytes(b"")), f"{NAME}.db", "0 bytes"),
    Case(
        "complete",
        "error",
        of_run(tools.with_execution(GOOD, 0, 1, values={"SQ_WAVES": 512})),
        "dispatch 1, pass 1, TCC_HIT",
        "the reading is missing",
    ),
    Case(
        "complete",
        "error",
        of_run(tools.with_launch(GOOD, 0, executions=GOOD.launches[0].executions[:1])),
        "dispatch 1",
        "pass 1 is missing",
    ),
    Case(
        "complete",
        "error",
        database("DELETE FROM rocpd_replay_pmc~ WHERE pmc_id = 3 AND replay_pass_id = 2"),
        f"{NAME}.db: dispatch 1, pass 1, TCC_HIT",
        "the reading is missing",
    ),
    Case(
        "canonical",
        "error",
        database("UPDATE rocpd_replay_pmc~ SET is_canonical = 1"),
        "dispatch 1, SQ_WAVES",
        "counted more than once: pass 0 and pass 1",
    ),
    Case(
        "canonical",
        "error",
        database("UPDATE rocpd_replay_pmc~ SET is_canonical = 1 - is_canonical WHERE pmc_id = 2"),
        "dispatch 1, SQ_WAVES",
        "the canonical reading is of pass 1, pass 0 has one too",
    ),
    Case(
        "canonical",
        "error",
        database("UPDATE rocpd_replay_pass~ SET status = 'DISCARDED' WHERE id = 2"),
        "dispatch 1, TCC_HIT",
        "the canonical reading is of pass 1, which was discarded",
    ),
    Case(
        "duplicates",
        "error",
        beside_a_copy("multipass-5.journal"),
        "multipass-5.journal",
        f"process {tools.PID} is in {NAME}.journal too; each of its counters is there twice",
    ),
    Case("duplicates", "error", of_run(duplicated_launch()), "dispatch 1", "recorded 2 times; its counters add up"),
    Case(
        "duplicates",
        "error",
        of_run(tools.with_execution(GOOD, 0, 1, index=0)),
        "dispatch 1, pass 0",
        "recorded 2 times",
    ),
    Case("outcome", "error", of_run(tools.with_launch(GOOD, 0, outcome="filtered")), "dispatch 1", "4 readings"),
    Case("outcome", "error", of_run(tools.with_launch(RUN, 2, reason="")), "dispatch 3", "declined without a reason"),
    Case(
        "outcome",
        "error",
        of_run(tools.with_launch(GOOD, 0, outcome="single_pass")),
        "dispatch 1",
        "with 2 replay passes",
    ),
    Case(
        "times",
        "error",
        of_run(tools.with_execution(GOOD, 0, 0, start=200, end=100)),
        "dispatch 1, pass 0",
        "start 200 is after end 100 by 100 ns",
    ),
    Case(
        "times", "warning", of_run(tools.with_execution(GOOD, 0, 0, end=1000)), "pass 0", "start and end are both 1000"
    ),
    Case(
        "times",
        "error",
        of_run(tools.with_execution(GOOD, 0, 1, start=1090)),
        "dispatch 1, pass 1",
        "starts 10 ns before the end of pass 0",
    ),
    Case("outcomes-declared", "info", of_run(RUN), NAME, "1 dispatch declined (graph)"),
    Case(
        "replayed-unsafe",
        "warning",
        of_run(tools.with_launch(GOOD, 0, reason="managed_memory")),
        NAME,
        "1 launch was replayed although managed memory was live (--unsafe managed_memory): what a kernel wrote there",
    ),
    Case(
        "delivered",
        "warning",
        of_run(nothing_delivered(3)),
        f"{NAME}.journal: GPU 0",
        "none of 3 dispatches delivered a counter",
    ),
    Case("delivered", "warning", database("", nothing_delivered(2)), f"{NAME}.db: GPU 0", "none of 2 dispatches"),
    Case(
        "delivered",
        "warning",
        spoiled_trace(ignore, nothing_delivered(1)),
        f"{NAME}.pftrace: GPU 0",
        "none of 1 dispatch delivered",
    ),
    Case("journal-whole", "error", damaged_journal, f"{NAME}.journal", "are damaged; the frames in them are lost"),
    Case("journal-whole", "warning", torn_journal, f"{NAME}.journal", "ends inside the frame"),
    Case("journal-whole", "info", of_run(replace(GOOD, closed=False)), f"{NAME}.journal", "no last frame"),
    Case(
        "journal-loss",
        "error",
        lossy_journal(3, errno.ENOSPC),
        f"{NAME}.journal",
        "3 records are lost at least: No space left on device",
    ),
    Case("journal-loss", "error", lossy_journal(1, 0), f"{NAME}.journal", "1 record is lost at least: the disk took"),
    Case(
        "journal-loss",
        "info",
        journal_in_flight(2),
        f"{NAME}.journal",
        "2 dispatches in flight at the last checkpoint before the process ended",
    ),
    Case("warnings", "info", of_run(RUN), NAME, "during the run: two queues overlapped"),
    Case(
        "warnings",
        "warning",
        of_run(replace(GOOD, warnings=("'TYPO' (column 9) is left out: not a counter of gfx942",))),
        f"{NAME}.journal",
        "during the run: 'TYPO' (column 9) is left out",
    ),
    Case(
        "replay-off",
        "warning",
        of_run(single_pass("off")),
        f"{NAME}.journal: GPU 0",
        "not read, since --replay off runs pass 0 only: TCC_HIT",
    ),
    Case("replay-off", "warning", database("", single_pass("off")), f"{NAME}.db: GPU 0", "pass 0 only: TCC_HIT"),
    Case("journal-whole", "error", frames_changed(lambda f: f[1:]), NAME, "no frame that says what the run was"),
    Case("journal-whole", "error", frames_changed(lambda f: f[:1] + f), NAME, "the file describes 2 runs"),
    Case("journal-whole", "error", frames_changed(lambda f: f + f[-1:]), NAME, "the file has 2 last frames"),
    Case("journal-whole", "error", frames_changed(lambda f: f[-1:] + f[:-1]), NAME, "6 frames stand behind the last"),
    Case("journal-whole", "warning", frames_changed(lambda _: []), NAME, "nothing behind the header"),
    Case(
        "outcome",
        "error",
        of_run(read_outside("single_pass", GROUP_0)),
        "dispatch 1",
        "single_pass, with 2 planned passes",
    ),
    Case(
        "outcome", "error", of_run(read_outside("declined", {"SQ_WAVES": 1})), "dispatch 1", "group 0 lacks GRBM_COUNT"
    ),
    Case("outcome", "error", of_run(read_outside("declined", {})), "dispatch 1", "declined, but without a reading"),
    Case("outcome", "error", of_run(read_outside("declined", GROUP_0, GROUP_1)), "dispatch 1", "readings of 2 groups"),
    Case(
        "outcome",
        "error",
        of_run(read_outside("declined", GROUP_0, passes=1)),
        "dispatch 1",
        "declined, with 1 planned passes",
    ),
    Case(
        "outcome",
        "error",
        of_run(read_outside("incomplete", GROUP_0, passes=1)),
        "dispatch 1",
        "incomplete, with 1 planned passes, and all of them are there",
    ),
    Case("outcome", "error", of_run(tools.with_launch(GOOD, 0, outcome="incomplete")), "dispatch 1", "all of them are"),
    Case("outcome", "error", of_run(replace(GOOD, replay_mode="off")), "dispatch 1", "and --replay off"),
    Case("outcome", "error", of_run(replace(GOOD, replay_mode="rotate")), "dispatch 1", "and --replay rotate"),
    Case(
        "outcome",
        "error",
        dispatches_changed(lambda d: setattr(d, "passes_planned", 1)),
        "dispatch 1",
        "1 passes planned, the plan of GPU 0 [gfx942] has 2",
    ),
    Case(
        "outcome",
        "error",
        of_run(tools.with_execution(GOOD, 0, 1, group=0)),
        "dispatch 1",
        "pass 1 has the counters of pass 0",
    ),
    Case(
        "complete",
        "error",
        dispatches_changed(lambda d: (setattr(d, "passes_planned", 1), d.passes.pop())),
        "dispatch 1",
        "pass 1 is missing",
    ),
    Case(
        "outcome",
        "error",
        of_run(
            replace(THREE_TURNS, launches=(tools.with_execution(THREE_TURNS, 0, 1, group=0, values=C).launches[0],))
        ),
        "dispatch 1",
        "its passes are shifted by 1 and 2 groups",
    ),
    Case(
        "complete",
        "error",
        of_run(tools.with_execution(PERMUTED, 0, 1, group=1, values=GROUP_1)),
        "dispatch 1",
        "no pass has read group 0",
    ),
    Case(
        "extra-passes",
        "error",
        of_run(tools.with_launch(WITH_EXTRAS, 0, timing=None)),
        "dispatch 1",
        "the timing pass is missing",
    ),
    Case(
        "extra-passes",
        "error",
        database("UPDATE rocpd_kernel_dispatch~ SET extdata = replace(extdata, 'warm_up', 'other')", WITH_EXTRAS),
        f"{NAME}.db: dispatch 1",
        "the warm-up pass is missing",
    ),
    Case(
        "extra-passes",
        "error",
        of_run(tools.with_launch(WITH_EXTRAS, 0, timing=(0, 0))),
        "dispatch 1",
        "the timing pass has no times",
    ),
    Case(
        "extra-passes",
        "error",
        of_run(tools.with_launch(GOOD, 0, warm_up=(800, 900))),
        "dispatch 1",
        "there is a warm-up pass, and the run asked for none",
    ),
    Case(
        "extra-passes",
        "error",
        of_run(tools.with_launch(replace(RUN, extras=("timing_pass",)), 2, timing=(2900, 2950))),
        "dispatch 3",
        "declined, but with a timing pass",
    ),
    Case(
        "outcome",
        "error",
        of_run(tools.with_launch(WITH_EXTRAS, 0, outcome="incomplete")),
        "dispatch 1",
        "all of them are there",
    ),
    Case(
        "times",
        "error",
        of_run(tools.with_launch(WITH_EXTRAS, 0, timing=(950, 1010))),
        "dispatch 1, pass 0",
        "starts 10 ns before the end of timing pass",
    ),
    Case(
        "times-of-run",
        "warning",
        of_run(tools.with_execution(GOOD, 0, 1, start=10**15, end=10**15 + 5)),
        "dispatch 1, pass 1",
        "ns after the process ended",
    ),
    Case(
        "times-of-run",
        "warning",
        of_run(tools.with_execution(GOOD, 0, 1, start=10**18, end=10**18 + 5)),
        "dispatch 1, pass 1",
        "1000000000000000005 ns are no time since boot: they look like a time of day",
    ),
    Case(
        "times-of-run",
        "warning",
        frames_changed(lambda f: (setattr(f[0].run, "start_ns", 10**9), f)[1]),
        "dispatch 1, pass 0",
        "ns before the process started",
    ),
    Case(
        "times-of-run",
        "warning",
        dispatches_changed(lambda d: [(setattr(p, "start_ns", 0), setattr(p, "end_ns", 0)) for p in d.passes]),
        "dispatch 1",
        "2 of 2 dispatches have no times",
    ),
    Case("possible-values", "warning", of_run(with_values(1, -5)), "dispatch 2, pass 1, TCC_HIT", "the value is -5"),
    Case(
        "possible-values",
        "warning",
        of_run(with_values(2.0**64)),
        "dispatch 1, pass 1, TCC_HIT",
        "the value is 1.84467440737096e+19",
    ),
    Case(
        "possible-values",
        "warning",
        database("UPDATE rocpd_replay_pmc~ SET value = 9e999 WHERE replay_pass_id = 2 AND pmc_id = 3"),
        "pass 1, TCC_HIT",
        "the value is inf",
    ),
    Case(
        "instances",
        "error",
        of_run(
            tools.with_execution(
                replace(GOOD, dimensions={"TCC_HIT": (("DIMENSION_INSTANCE", 4),)}, keeps_instances=True),
                0,
                1,
                instances={"TCC_HIT": [1.0, 1.0, 2.0, 0.0]},
            )
        ),
        "dispatch 1, pass 1, TCC_HIT",
        "4 instances add up to 4, and the reading is ",
    ),
    Case(
        "asked-device",
        "warning",
        asked("SQ_WAVES, TCC_HIT:device=1,GRBM_COUNT:device=0"),
        f"{NAME}.journal: GPU 1",
        "no kernel ran on it; asked for there and read nowhere: TCC_HIT",
    ),
]
