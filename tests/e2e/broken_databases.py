# SPDX-License-Identifier: MIT
"""Faults of the database of a run."""

from __future__ import annotations

from broken_run import BrokenRun, faults

FAULTS, fault = faults()

PASS = "(SELECT id FROM rocpd_replay_pass WHERE dispatch_id = 4 AND replay_pass = {})"
COUNTER = "(SELECT id FROM rocpd_info_pmc WHERE name = '{}')"
EVENT = "(SELECT event_id FROM rocpd_kernel_dispatch WHERE dispatch_id = {})"
READING = f"replay_pass_id = {PASS} AND pmc_id = {COUNTER}"
SHOWN = f"event_id = {EVENT} AND pmc_id = {COUNTER}"


@fault(
    """
    error parity db: dispatch 4
    """
)
def a_dispatch_is_gone_from_the_database(run: BrokenRun) -> None:
    run.sql(
        "DELETE FROM rocpd_replay_pmc~ "
        "WHERE replay_pass_id IN (SELECT id FROM rocpd_replay_pass WHERE dispatch_id = 4);"
        f"DELETE FROM rocpd_pmc_event~ WHERE event_id = {EVENT.format(4)};"
        "DELETE FROM rocpd_replay_pass~ WHERE dispatch_id = 4;"
        "DELETE FROM rocpd_kernel_dispatch~ WHERE dispatch_id = 4"
    )


@fault(
    """
    error rocpd-no-double-count db: counters_collection, dispatch 4, SQ_INSTS_VALU
    error rocpd-no-double-count db: pmc_events, dispatch 4, SQ_INSTS_VALU
    """
)
def a_counter_is_summed_over_passes(run: BrokenRun) -> None:
    """rocm-systems PR #10439: 1536 for 512."""
    run.sql(
        "INSERT INTO rocpd_pmc_event~ (guid, event_id, pmc_id, value) SELECT p.guid, d.event_id, p.pmc_id, p.value "
        "FROM rocpd_replay_pmc p JOIN rocpd_replay_pass r ON r.id = p.replay_pass_id JOIN rocpd_kernel_dispatch d "
        f"ON d.id = r.kernel_dispatch_id WHERE d.dispatch_id = 4 AND NOT p.is_canonical AND p.pmc_id = "
        f"{COUNTER.format('SQ_INSTS_VALU')}"
    )


@fault(
    """
    error rocpd-no-double-count db: counters_collection, dispatch 4, SQ_WAVES
    error rocpd-no-double-count db: pmc_events, dispatch 4, SQ_WAVES
    """
)
def a_shown_value_is_doubled(run: BrokenRun) -> None:
    run.sql(
        "INSERT INTO rocpd_pmc_event~ (guid, event_id, pmc_id, value) SELECT guid, event_id, pmc_id, value "
        f"FROM rocpd_pmc_event WHERE {SHOWN.format(4, 'SQ_WAVES')}"
    )


@fault(
    """
    error rocpd-no-double-count db: counters_collection, dispatch 4, SQ_WAVES
    error rocpd-no-double-count db: pmc_events, dispatch 4, SQ_WAVES
    """
)
def a_shown_value_is_gone(run: BrokenRun) -> None:
    run.sql(f"DELETE FROM rocpd_pmc_event~ WHERE {SHOWN.format(4, 'SQ_WAVES')}")


@fault(
    """
    error rocpd-no-double-count db: counters_collection, dispatch 4, SQ_WAVES
    error rocpd-no-double-count db: pmc_events, dispatch 4, SQ_WAVES
    """
)
def a_shown_value_is_another(run: BrokenRun) -> None:
    run.sql(f"UPDATE rocpd_pmc_event~ SET value = value + 1 WHERE {SHOWN.format(4, 'SQ_WAVES')}")


@fault(
    """
    error parity db: dispatch 4, pass 2, SQ_INSTS_VALU
    """
)
def a_reading_is_another_in_the_database_only(run: BrokenRun) -> None:
    run.sql(f"UPDATE rocpd_replay_pmc~ SET value = value + 1 WHERE {READING.format(2, 'SQ_INSTS_VALU')}")


@fault(
    """
    error complete db: dispatch 4, pass 2, SQ_INSTS_VALU
    error parity db: dispatch 4, pass 2, SQ_INSTS_VALU
    error rocpd-passes db: dispatch 4, pass 2
    """
)
def a_reading_is_gone_from_the_database(run: BrokenRun) -> None:
    run.sql(f"DELETE FROM rocpd_replay_pmc~ WHERE {READING.format(2, 'SQ_INSTS_VALU')}")


@fault(
    """
    error parity db: dispatch 4, pass 2, SQ_INSTS_VALU
    """
)
def a_reading_is_twice_in_a_pass_of_the_database(run: BrokenRun) -> None:
    run.sql(
        "INSERT INTO rocpd_replay_pmc~ (guid, replay_pass_id, pmc_id, value) SELECT guid, replay_pass_id, pmc_id, "
        f"value FROM rocpd_replay_pmc WHERE {READING.format(2, 'SQ_INSTS_VALU')}"
    )


@fault(
    """
    error complete db: dispatch 4, pass 2, TCC_HIT
    error parity db: dispatch 4, pass {1|2}, TCC_HIT
    error planned db: dispatch 4, pass 1, TCC_HIT
    error rocpd-passes db: dispatch 4, pass 2
    """
)
def a_reading_is_moved_to_another_pass_of_the_database(run: BrokenRun) -> None:
    run.sql(f"UPDATE rocpd_replay_pmc~ SET replay_pass_id = {PASS.format(1)} WHERE {READING.format(2, 'TCC_HIT')}")


@fault(
    """
    error canonical db: dispatch 4, SQ_INSTS_VALU
    """
)
def the_canonical_mark_is_at_another_pass(run: BrokenRun) -> None:
    run.sql(
        f"UPDATE rocpd_replay_pmc~ SET is_canonical = 0 WHERE {READING.format(0, 'SQ_INSTS_VALU')};"
        f"UPDATE rocpd_replay_pmc~ SET is_canonical = 1 WHERE {READING.format(2, 'SQ_INSTS_VALU')}"
    )


@fault(
    """
    error canonical db: dispatch 4, TCC_MISS
    error complete db: dispatch 4
    error parity db: dispatch 4, pass 2
    error rocpd-no-double-count db: counters_collection, dispatch 4, {TCC_BUSY|TCC_HIT|TCC_MISS|TCC_TAG_STALL}
    error rocpd-no-double-count db: pmc_events, dispatch 4, {TCC_BUSY|TCC_HIT|TCC_MISS|TCC_TAG_STALL}
    error rocpd-passes db: dispatch 4
    """
)
def a_pass_is_gone_from_the_database(run: BrokenRun) -> None:
    run.sql(
        f"DELETE FROM rocpd_replay_pmc~ WHERE replay_pass_id = {PASS.format(2)};"
        "DELETE FROM rocpd_replay_pass~ WHERE dispatch_id = 4 AND replay_pass = 2"
    )


@fault(
    """
    error complete db: dispatch 4
    error parity db: dispatch 4, pass 0, {GRBM_GUI_ACTIVE|SQ_INSTS_VALU|TCC_BUSY|TCC_HIT|TCC_MISS|TCC_TAG_STALL}
    error parity db: dispatch 4, pass 2
    error planned db: dispatch 4, pass 0, {TCC_BUSY|TCC_HIT|TCC_MISS|TCC_TAG_STALL}
    error rocpd-kernel-counters db: kernel_counters, axpy(float*, float const*, float, float, unsigned long) [65536,1,1 / 256,1,1], {GRBM_GUI_ACTIVE|SQ_INSTS_VALU}
    error rocpd-no-double-count db: counters_collection, dispatch 4, {GRBM_GUI_ACTIVE|SQ_INSTS_VALU}
    error rocpd-no-double-count db: pmc_events, dispatch 4, {GRBM_GUI_ACTIVE|SQ_INSTS_VALU}
    error rocpd-passes db: dispatch 4
    """  # noqa: E501
)
def passes_of_a_dispatch_are_one_in_the_database(run: BrokenRun) -> None:
    run.sql(
        f"UPDATE rocpd_replay_pmc~ SET replay_pass_id = {PASS.format(0)} WHERE replay_pass_id = {PASS.format(2)};"
        "DELETE FROM rocpd_replay_pass~ WHERE dispatch_id = 4 AND replay_pass = 2"
    )


@fault(
    """
    error canonical db: dispatch 4, TCC_MISS
    error canonical db: dispatch 6, {TCC_BUSY|TCC_HIT|TCC_MISS|TCC_TAG_STALL}
    error complete db: dispatch 4
    error parity db: dispatch 4, pass 2
    error parity db: dispatch 6, pass 5
    error rocpd-no-double-count db: counters_collection, dispatch 4, {TCC_BUSY|TCC_HIT|TCC_MISS|TCC_TAG_STALL}
    error rocpd-no-double-count db: pmc_events, dispatch 4, {TCC_BUSY|TCC_HIT|TCC_MISS|TCC_TAG_STALL}
    error rocpd-passes db: dispatch {4|6}
    error rocpd-passes db: rocpd_replay_pass row 18
    error rocpd-replay-views db: replay_kernels, dispatch {4|6}, pass 5
    error times db: dispatch 6, pass 5
    """
)
def a_pass_refers_to_another_dispatch(run: BrokenRun) -> None:
    run.sql(
        "UPDATE rocpd_replay_pass~ SET kernel_dispatch_id = 6, replay_pass = 5 "
        "WHERE dispatch_id = 4 AND replay_pass = 2"
    )


@fault(
    """
    error rocpd-passes db: dispatch 4, pass 2
    """
)
def a_pass_says_that_readings_are_missing(run: BrokenRun) -> None:
    run.sql("UPDATE rocpd_replay_pass~ SET status = 'PARTIAL' WHERE dispatch_id = 4 AND replay_pass = 2")


@fault(
    """
    error parity db: dispatch 4, pass 2
    error times db: dispatch 4, pass 2
    """
)
def times_of_a_pass_are_swapped_in_the_database(run: BrokenRun) -> None:
    run.sql('UPDATE rocpd_replay_pass~ SET start = "end", "end" = start WHERE dispatch_id = 4 AND replay_pass = 2')


@fault(
    """
    error rocpd-canonical-times db: dispatch 4
    """
)
def a_dispatch_has_the_times_of_its_last_pass(run: BrokenRun) -> None:
    run.sql(
        'UPDATE rocpd_kernel_dispatch~ SET (start, "end") = (SELECT start, "end" FROM rocpd_replay_pass WHERE '
        "dispatch_id = 4 AND replay_pass = 4) WHERE dispatch_id = 4"
    )


@fault(
    """
    error parity db: dispatch 4
    error rocpd-names db: dispatch 4
    """
)
def a_dispatch_is_of_another_kernel_in_the_database(run: BrokenRun) -> None:
    run.sql(
        "UPDATE rocpd_kernel_dispatch~ SET kernel_id = (SELECT kernel_id FROM rocpd_kernel_dispatch WHERE "
        "dispatch_id = 6) WHERE dispatch_id = 4"
    )


@fault(
    """
    error rocpd-names db: dispatch {1|4|7|10}
    error rocpd-statistics db: top_kernels, other
    error rocpd-statistics db: top_kernels, axpy(float*, float const*, float, float, unsigned long)
    """
)
def a_kernel_has_another_name_in_the_database(run: BrokenRun) -> None:
    run.sql("UPDATE rocpd_info_kernel_symbol~ SET display_name = 'other' WHERE display_name LIKE 'axpy%'")


@fault(
    """
    error parity db: dispatch 4
    """
)
def a_dispatch_has_another_grid_in_the_database(run: BrokenRun) -> None:
    run.sql("UPDATE rocpd_kernel_dispatch~ SET grid_size_x = grid_size_x * 2 WHERE dispatch_id = 4")


@fault(
    """
    error parity db: dispatch 4
    """
)
def a_dispatch_is_of_another_queue_in_the_database(run: BrokenRun) -> None:
    run.sql("UPDATE rocpd_kernel_dispatch~ SET queue_id = 0 WHERE dispatch_id = 4")


@fault(
    """
    warning agreement db: dispatch 4, SQ_INSTS_VALU
    """
)
def a_reading_is_another_in_a_lone_database(run: BrokenRun) -> None:
    run.only("db")
    run.sql(f"UPDATE rocpd_replay_pmc~ SET value = value + 1000 WHERE {READING.format(2, 'SQ_INSTS_VALU')}")


@fault(
    """
    error complete db: dispatch 4
    error rocpd-no-double-count db: counters_collection, dispatch 4, TCC_NORMAL_WRITEBACK
    error rocpd-no-double-count db: pmc_events, dispatch 4, TCC_NORMAL_WRITEBACK
    error rocpd-passes db: dispatch 4
    """
)
def a_pass_is_gone_from_a_lone_database(run: BrokenRun) -> None:
    run.only("db")
    run.sql(
        f"DELETE FROM rocpd_replay_pmc~ WHERE replay_pass_id = {PASS.format(4)};"
        "DELETE FROM rocpd_replay_pass~ WHERE dispatch_id = 4 AND replay_pass = 4"
    )


@fault(
    """
    warning times-of-run db
    warning times-of-run db: dispatch {1..4}, pass {0..4}
    """
)
def the_process_of_a_lone_database_starts_later(run: BrokenRun) -> None:
    run.only("db")
    run.sql("UPDATE rocpd_info_process~ SET start = (SELECT MAX(start) FROM rocpd_kernel_dispatch)")


@fault(
    """
    warning times-of-run db
    warning times-of-run db: dispatch {1..4}, pass {0..4}
    """
)
def the_times_of_a_lone_database_are_of_the_wall_clock(run: BrokenRun) -> None:
    run.only("db")
    run.sql(
        'UPDATE rocpd_replay_pass~ SET start = start + 1790000000000000000, "end" = "end" + 1790000000000000000;'
        'UPDATE rocpd_kernel_dispatch~ SET start = start + 1790000000000000000, "end" = "end" + 1790000000000000000'
    )
