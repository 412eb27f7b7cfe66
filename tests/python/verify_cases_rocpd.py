# SPDX-License-Identifier: MIT
"""Cases of the checks of a database."""

from __future__ import annotations

from verify_tools import NAME, Case, database, spoiled_database

CASES = [
    Case("rocpd-views", "error", database("DROP VIEW busy"), f"{NAME}.db: busy", "the view is missing"),
    Case(
        "rocpd-views", "error", spoiled_database("DROP VIEW counters_collection"), "counters_collection", "is missing"
    ),
    Case(
        "rocpd-names",
        "error",
        spoiled_database("UPDATE rocpd_info_kernel_symbol~ SET display_name = 'other' WHERE id = 1"),
        f"{NAME}.db: dispatch 1",
        f"display_name is 'other', 'axpy(float*, int)' in {NAME}.journal",
    ),
    Case(
        "rocpd-names",
        "error",
        spoiled_database("UPDATE rocpd_info_kernel_symbol~ SET kernel_name = 'other' WHERE id = 1"),
        f"{NAME}.db: dispatch 1",
        "kernel_name is 'other', '_Z1'",
    ),
    Case(
        "rocpd-names",
        "error",
        spoiled_database("UPDATE rocpd_info_agent~ SET name = 'gfx000' WHERE id = 1"),
        f"{NAME}.db: dispatch 1",
        "name of the agent is 'gfx000', 'gfx942'",
    ),
    Case(
        "rocpd-names",
        "error",
        spoiled_database("UPDATE rocpd_info_thread~ SET tid = 1"),
        f"{NAME}.db: dispatch 1",
        "tid of the thread is 1, 4711",
    ),
    Case(
        "rocpd-statistics",
        "error",
        database(
            "DROP VIEW top_kernels; CREATE VIEW top_kernels AS SELECT 'k' AS name, COUNT(*) AS total_calls "
            "FROM rocpd_kernel_dispatch"
        ),
        "top_kernels, axpy",
        "counts 0 calls, there are 2",
    ),
    Case(
        "rocpd-metadata",
        "error",
        database("DELETE FROM rocpd_metadata~ WHERE tag = 'replay_layout'"),
        "rocpd_metadata",
        "tag replay_layout is there 0 times",
    ),
    Case(
        "rocpd-integrity",
        "error",
        database(
            "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = replace(sql, 'expression TEXT', "
            "'expression TEXT NOT NULL') WHERE name = 'rocpd_info_pmc~'"
        ),
        f"{NAME}.db: file",
        "NULL value in rocpd_info_pmc",
    ),
    Case("rocpd-foreign-keys", "error", database("DELETE FROM rocpd_event~ WHERE id = 1"), "row 1", "does not exist"),
    Case(
        "rocpd-metadata",
        "error",
        database("DELETE FROM rocpd_metadata~ WHERE tag = 'schema_version_minor'"),
        "rocpd_metadata",
        "tag schema_version_minor is there 0 times",
    ),
    Case(
        "rocpd-metadata",
        "error",
        database("UPDATE rocpd_metadata~ SET value = '_x' WHERE tag = 'uuid'"),
        "",
        "uuid '_x'",
    ),
    Case(
        "rocpd-lost-rows",
        "error",
        database("UPDATE rocpd_kernel_dispatch~ SET region_name_id = NULL WHERE id = 2"),
        f"{NAME}.db: dispatch 2",
        "view kernels shows it 0 times",
    ),
    Case(
        "rocpd-events",
        "error",
        database("UPDATE rocpd_kernel_dispatch~ SET event_id = 1"),
        "dispatch 2",
        "it has event 1 of dispatch 1 too",
    ),
    Case(
        "rocpd-counter-names",
        "error",
        database("INSERT INTO rocpd_info_pmc~ (agent_id, name) VALUES (1, 'SQ_WAVES')"),
        "SQ_WAVES",
        "described 2 times",
    ),
    Case(
        "rocpd-no-double-count",
        "error",
        database("INSERT INTO rocpd_pmc_event~ (event_id, pmc_id, value) VALUES (1, 2, 512)"),
        "counters_collection, dispatch 1, SQ_WAVES",
        "shows 1024, the canonical reading is 512",
    ),
    Case(
        "rocpd-no-double-count",
        "error",
        database("DELETE FROM rocpd_pmc_event~ WHERE event_id = 1 AND pmc_id = 3"),
        "pmc_events, dispatch 1, TCC_HIT",
        "shows nothing, the canonical reading is 300",
    ),
    Case(
        "rocpd-statistics",
        "error",
        database(
            "DROP VIEW top_kernels; CREATE VIEW top_kernels AS SELECT 'k' AS name, COUNT(*) AS total_calls "
            "FROM rocpd_replay_pass"
        ),
        "top_kernels",
        "counts 4 calls of 2 dispatches",
    ),
    Case(
        "rocpd-canonical-times",
        "error",
        database("UPDATE rocpd_kernel_dispatch~ SET start = 1150 WHERE id = 1"),
        "dispatch 1",
        "is 1150 to 1100, the pass that stands for it 1000 to 1100",
    ),
    Case(
        "rocpd-conflicts",
        "error",
        database(
            "UPDATE rocpd_replay_pmc~ SET value = 500 WHERE replay_pass_id = 2 AND pmc_id = 2;"
            "DROP VIEW replay_conflicts;"
            "CREATE VIEW replay_conflicts AS "
            "SELECT '' AS guid, 0 AS dispatch_id, '' AS counter_name, '' AS kind WHERE 0"
        ),
        "replay_conflicts, dispatch 1, SQ_WAVES",
        "says None, its readings DIFFERENT",
    ),
    Case(
        "rocpd-passes",
        "error",
        spoiled_database("UPDATE rocpd_replay_pass~ SET dispatch_id = 777 WHERE id = 1"),
        f"{NAME}.db: rocpd_replay_pass row 1",
        "dispatch_id is 777, that of its dispatch is 1",
    ),
    Case(
        "rocpd-passes",
        "error",
        database("UPDATE rocpd_replay_pass~ SET dispatch_id = 3 - dispatch_id"),
        f"{NAME}.db: rocpd_replay_pass row 4",
        "dispatch_id is 1, that of its dispatch is 2",
    ),
    Case(
        "rocpd-passes",
        "error",
        database("UPDATE rocpd_replay_pass~ SET status = 'PARTIAL'"),
        f"{NAME}.db: dispatch 2, pass 1",
        "status is PARTIAL, by its readings it is OK",
    ),
    Case(
        "rocpd-passes",
        "error",
        database("DELETE FROM rocpd_replay_pmc~ WHERE replay_pass_id = 2 AND pmc_id = 3"),
        f"{NAME}.db: dispatch 1, pass 1",
        "status is OK, by its readings it is PARTIAL",
    ),
    Case(
        "rocpd-passes",
        "error",
        database(
            "UPDATE rocpd_replay_pass~ SET extdata = json_set(extdata, '$.missing', json_array('X')) WHERE id = 2"
        ),
        f"{NAME}.db: rocpd_replay_pass row 2",
        "status is OK, and extdata names what is missing: ['X']",
    ),
    *(
        Case(
            "rocpd-passes",
            "error",
            database(f"UPDATE rocpd_kernel_dispatch~ SET extdata = json_set(extdata, '$.replay.{name}', {value})"),
            f"{NAME}.db: dispatch 1",
            message,
        )
        for name, value, message in (
            ("executions", "9", "executions is 9, by its executions it is 2"),
            ("canonical_pass", "1", "canonical_pass is 1, by its executions it is 0"),
            ("complete", "json('false')", "complete is False, by its executions it is True"),
            ("times", "'unknown'", "times are unknown, and it has those of the pass 0"),
        )
    ),
]
