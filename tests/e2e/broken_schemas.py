# SPDX-License-Identifier: MIT
"""Faults of the database of a run: rows that do not fit together, metadata, tables, views, bytes."""

from __future__ import annotations

from broken_databases import EVENT, READING, SHOWN
from broken_run import BrokenRun, faults

FAULTS, fault = faults()


@fault(
    """
    error rocpd-foreign-keys db: rocpd_kernel_dispatch row 1, tid
    error rocpd-lost-rows db: dispatch {1..12}
    error rocpd-no-double-count db: counters_collection, dispatch {1..12}
    error rocpd-replay-views db
    error rocpd-replay-views db: replay_counters_collection, dispatch {1..8}
    error rocpd-replay-views db: replay_kernels, dispatch {1..12}
    """
)
def the_row_of_the_thread_is_gone(run: BrokenRun) -> None:
    run.sql("DELETE FROM rocpd_info_thread~")


@fault(
    """
    error rocpd-lost-rows db: dispatch 4
    error rocpd-no-double-count db: counters_collection, dispatch 4
    error rocpd-replay-views db: replay_counters_collection, dispatch 4
    error rocpd-replay-views db: replay_kernels, dispatch 4
    """
)
def a_dispatch_has_no_thread(run: BrokenRun) -> None:
    run.sql("UPDATE rocpd_kernel_dispatch~ SET tid = NULL WHERE dispatch_id = 4")


@fault(
    """
    error rocpd-lost-rows db: dispatch 4
    error rocpd-replay-views db: replay_kernels, dispatch 4
    """
)
def a_dispatch_has_no_region_name(run: BrokenRun) -> None:
    run.sql("UPDATE rocpd_kernel_dispatch~ SET region_name_id = NULL WHERE dispatch_id = 4")


@fault(
    """
    error rocpd-events db: dispatch 6
    error rocpd-events db: rocpd_pmc_event row 136
    """
)
def two_dispatches_share_an_event(run: BrokenRun) -> None:
    run.sql(f"UPDATE rocpd_kernel_dispatch~ SET event_id = {EVENT.format(6)} WHERE dispatch_id = 4")


@fault(
    """
    error rocpd-events db: rocpd_pmc_event row 148
    error rocpd-no-double-count db: counters_collection, dispatch 4, SQ_WAVES
    error rocpd-no-double-count db: pmc_events, dispatch 4, SQ_WAVES
    """
)
def a_shown_value_belongs_to_no_dispatch(run: BrokenRun) -> None:
    run.sql(
        "INSERT INTO rocpd_event~ (id, guid, category_id) SELECT 999, guid, category_id FROM rocpd_event LIMIT 1;"
        f"UPDATE rocpd_pmc_event~ SET event_id = 999 WHERE {SHOWN.format(4, 'SQ_WAVES')}"
    )


@fault(
    """
    error complete db: dispatch 4, pass 2, TCC_HIT
    error parity db: dispatch 4, pass 2, {TCC_HIT|counter 999}
    error planned db: dispatch 4, pass 2, counter 999
    error rocpd-foreign-keys db: rocpd_replay_pmc row 205, pmc_id
    error rocpd-kernel-counters db: kernel_counters, axpy(float*, float const*, float, float, unsigned long) [65536,1,1 / 256,1,1], counter 999
    error rocpd-no-double-count db: counters_collection, dispatch 4, {TCC_HIT|counter 999}
    error rocpd-no-double-count db: pmc_events, dispatch 4, {TCC_HIT|counter 999}
    error rocpd-passes db: dispatch 4
    error rocpd-passes db: dispatch 4, pass 2
    error rocpd-replay-views db: replay_counters_collection, dispatch 4, pass 2, counter 999
    """  # noqa: E501
)
def a_reading_refers_to_no_counter(run: BrokenRun) -> None:
    run.sql(f"UPDATE rocpd_replay_pmc~ SET pmc_id = 999 WHERE {READING.format(2, 'TCC_HIT')}")


@fault(
    """
    error rocpd-counter-names db: rocpd_info_pmc, agent 1, TCC_HIT
    """
)
def a_counter_is_described_twice(run: BrokenRun) -> None:
    run.sql(
        "INSERT INTO rocpd_info_pmc~ (guid, nid, pid, agent_id, name, symbol) SELECT guid, nid, pid, agent_id, name, "
        "symbol FROM rocpd_info_pmc WHERE name = 'TCC_HIT'"
    )


@fault(
    """
    error readable db
    error rocpd-guids db: rocpd_kernel_dispatch row 4
    """
)
def a_row_has_another_guid(run: BrokenRun) -> None:
    run.sql("UPDATE rocpd_kernel_dispatch~ SET guid = 'other' WHERE dispatch_id = 4")


@fault(
    """
    error rocpd-metadata db: rocpd_metadata
    """
)
def the_guid_of_the_metadata_is_another(run: BrokenRun) -> None:
    run.sql("UPDATE rocpd_metadata~ SET value = '01a22b1c-0000-7000-8000-000000000000' WHERE tag = 'guid'")


@fault(
    """
    warning versions db: rocpd_metadata
    """
)
def the_schema_version_is_newer(run: BrokenRun) -> None:
    run.sql(
        "UPDATE rocpd_metadata~ SET value = '4.0.0' WHERE tag = 'schema_version';"
        "UPDATE rocpd_metadata~ SET value = '4' WHERE tag = 'schema_version_major';"
        "UPDATE rocpd_metadata~ SET value = '0' WHERE tag = 'schema_version_patch'"
    )


@fault(
    """
    error rocpd-metadata db: rocpd_metadata
    """
)
def a_part_of_the_schema_version_is_missing(run: BrokenRun) -> None:
    run.sql("DELETE FROM rocpd_metadata~ WHERE tag = 'schema_version_patch'")


@fault(
    """
    warning versions db: rocpd_metadata
    """
)
def the_layout_is_newer(run: BrokenRun) -> None:
    run.sql("UPDATE rocpd_metadata~ SET value = 'canonical/2' WHERE tag = 'replay_layout'")


@fault(
    """
    error rocpd-views db: counters_collection
    """
)
def a_view_is_dropped(run: BrokenRun) -> None:
    run.sql("DROP VIEW counters_collection")


@fault(
    """
    error rocpd-views db: replay_kernels
    """
)
def a_view_of_passes_is_dropped(run: BrokenRun) -> None:
    run.sql("DROP VIEW replay_kernels")


@fault(
    """
    error rocpd-replay-views db: replay_kernels
    """
)
def a_view_hides_a_pass(run: BrokenRun) -> None:
    run.sql("DROP VIEW replay_kernels; CREATE VIEW replay_kernels AS SELECT * FROM kernels")


@fault(
    """
    error rocpd-tables db: rocpd_region
    """
)
def a_table_is_dropped(run: BrokenRun) -> None:
    run.sql("DROP VIEW rocpd_region; DROP TABLE rocpd_region~")


@fault(
    """
    error readable db
    """
)
def the_database_is_cut(run: BrokenRun) -> None:
    run.bytes_changed("db", lambda data: data[: len(data) // 2])


@fault(
    """
    error readable db
    """
)
def the_database_is_empty(run: BrokenRun) -> None:
    run.bytes_changed("db", lambda _: b"")


@fault(
    """
    error rocpd-integrity db
    error rocpd-kernel-counters db
    error rocpd-replay-views db
    """
)
def pages_of_an_index_are_zero(run: BrokenRun) -> None:
    run.bytes_changed("db", lambda data: data[:-8192] + bytes(8192))
