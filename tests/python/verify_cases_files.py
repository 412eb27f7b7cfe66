# SPDX-License-Identifier: MIT
"""Cases of the checks that compare the files of a run, and the summary with them."""

from __future__ import annotations

from dataclasses import replace

import trace_tools as tools
from verify_tools import (
    ABSENT,
    NAME,
    OF_A_SET,
    Case,
    database,
    differing,
    higher,
    later,
    nameless,
    plan_changed,
    shorter,
    smaller,
    spoiled_database,
    spoiled_table,
    spoiled_trace,
    summary_with,
    without_file,
    wrong_summary,
)

CASES = [
    Case("journal-there", "info", database(""), NAME, "there is no journal beside the outputs"),
    Case("summary", "error", wrong_summary, f"{NAME}.json", "seen is 3, the outcomes add up to 2"),
    Case("summary", "error", wrong_summary, f"{NAME}.json", "1 replayed, 2 are recorded"),
    Case("verdicts", "error", summary_with("kernels_agreement", 1), "kernels_agreement", "1, not a list of objects"),
    Case("verdicts", "error", summary_with("kernels_agreement", []), "kernels_agreement_rest", "the member is missing"),
    Case("summary", "error", summary_with("schema", 99), f"{NAME}.json: schema", "it is 99, not 1"),
    Case("summary", "error", summary_with("pid", 1), f"{NAME}.json: pid", "it is 1, the journal has 4711"),
    Case("summary", "error", summary_with("readings", 999), f"{NAME}.json: readings", "999, the journal has 12"),
    Case("summary", "error", summary_with("kernels", 999), f"{NAME}.json: kernels", "999, the journal has 2"),
    Case("summary", "error", summary_with("replay_mode", "off"), "replay_mode", "'off', the journal has 'auto'"),
    Case("summary", "error", summary_with("agents.0.pass_count", 9), "agents[0]", "pass_count is 9, the journal has 2"),
    Case("summary", "error", summary_with("agents.0.passes", [["A"]]), "agents[0]", "passes is [['A']]"),
    Case("summary", "error", summary_with("agents", []), "agents", "0 GPUs, the journal has 1"),
    Case("summary", "error", summary_with("agents", [5]), "agents", "not a list of objects"),
    Case("summary", "error", summary_with("sets", ["cache"]), "sets", "it is ['cache'], the journal has []"),
    Case("summary", "error", summary_with("sets", ABSENT), "sets", "the member is missing"),
    Case("summary", "error", summary_with("agents.0.sentinels", [["A"]]), "agents[0]", "sentinels is [['A']]"),
    Case("summary", "error", summary_with("agents.0.sentinels", ABSENT), "agents[0]", "sentinels is None"),
    Case(
        "summary",
        "error",
        plan_changed("UPDATE rocpd_info_process~ SET extdata = json_set(extdata, '$.sets', json_array('cache'))"),
        f"{NAME}.json: sets",
        "it is [], the database has ['cache']",
    ),
    Case(
        "summary",
        "error",
        plan_changed(
            "UPDATE rocpd_info_agent~ SET extdata = "
            "json_set(extdata, '$.replay.passes[1].sentinel', json_array('SQ_WAVES')) WHERE id = 1"
        ),
        f"{NAME}.json: agents[0]",
        "sentinels is [[], []], the database has [[], ['SQ_WAVES']]",
    ),
    Case("summary", "error", summary_with("warnings", []), "warnings", "1 of the journal are not in it"),
    Case("summary", "error", summary_with("dispatches", ABSENT), "dispatches", "the member is missing"),
    Case("summary", "error", summary_with("dispatches", []), "dispatches", "it is [], not an object"),
    Case("summary", "error", summary_with("dispatches.replayed", "x"), "dispatches", "replayed is 'x', not a count"),
    Case("summary", "error", summary_with("dispatches.replayed", None), "dispatches", "replayed is None, not a count"),
    Case(
        "summary",
        "error",
        summary_with("dispatches.declined_reasons", {"graph": 5}),
        "dispatches",
        "declined_reasons is {'graph': 5}, the journal has {'graph': 1}",
    ),
    Case(
        "summary",
        "error",
        summary_with("dispatches.filtered_reasons", {"paused": 1}),
        "dispatches",
        "filtered_reasons is {'paused': 1}, the journal has ",
    ),
    Case(
        "tables",
        "error",
        spoiled_table("csv", ",TCC_HIT,300.0,", ",TCC_HIT,301.0,"),
        f"{NAME}.csv: dispatch 1, pass 1, TCC_HIT",
        "it is 301.0, 1, 1150, 1260, the journal has 300.0, 1, 1150, 1260",
    ),
    Case(
        "tables",
        "error",
        spoiled_table("csv", "SQ_WAVES,512.0,true", "SQ_WAVES,512.0,false"),
        f"{NAME}.csv: dispatch 1, canonical, SQ_WAVES",
        "it is absent, the journal has 512.0, pass 0",
    ),
    Case("tables", "error", spoiled_table("csv", ",0,0,SQ_WAVES", ",3,0,SQ_WAVES"), "dispatch 1, pass 3", "has absent"),
    Case(
        "tables", "error", spoiled_table("csv", "canonical", "other"), f"{NAME}.csv", "no table of readings: KeyError"
    ),
    Case("tables", "error", spoiled_table("csv", "512.0", "many"), f"{NAME}.csv", "no table of readings: ValueError"),
    Case(
        "tables",
        "error",
        spoiled_table("json", '"SQ_WAVES": 512.0, "TCC_HIT": 300.0}}', '"SQ_WAVES": 512.0, "TCC_HIT": 30.0}}'),
        f"readings-{tools.PID}.json: dispatch 1, pass 1, TCC_HIT",
        "it is 30.0, 1, 1150, 1260",
    ),
    Case(
        "tables",
        "error",
        spoiled_table("json", '"TCC_HIT": 300.0}, ', '"TCC_HIT": 30.0}, '),
        f"readings-{tools.PID}.json: dispatch 1, canonical, TCC_HIT",
        "it is 30.0, the journal has 300.0",
    ),
    Case("tables", "error", spoiled_table("json", "}\n ]\n}", ""), f"readings-{tools.PID}.json", "JSONDecodeError"),
    Case("files", "error", without_file("db"), f"{NAME}.json: files", f"{NAME}.db, which is named as rocpd, does not"),
    Case("files", "error", without_file("pftrace"), f"{NAME}.json: files", "named as perfetto, does not exist"),
    Case("files", "error", without_file("journal"), f"{NAME}.json: files", "named as journal, does not exist"),
    Case("files", "error", summary_with("files", 5), f"{NAME}.json: files", "it is 5, not an object"),
    Case("files", "error", summary_with("files.rocpd", [1]), f"{NAME}.json: files", "rocpd is [1], not a path"),
    Case("files", "error", summary_with("files.rocpd", ABSENT), f"{NAME}.json: files", "rocpd is missing"),
    Case(
        "parity",
        "error",
        spoiled_database("UPDATE rocpd_kernel_dispatch~ SET grid_size_x = 7 WHERE id = 2"),
        "dispatch 2",
        "grid is (7, 1, 1)",
    ),
    Case(
        "parity",
        "error",
        spoiled_database("UPDATE rocpd_kernel_dispatch~ SET workgroup_size_x = 7 WHERE id = 2"),
        "dispatch 2",
        "workgroup is (7, 1, 1)",
    ),
    Case(
        "parity", "error", differing(lambda run: replace(run, replay_mode="kernel"), ("pftrace",)), NAME, "replay_mode"
    ),
    Case(
        "parity", "error", differing(lambda run: replace(run, launches=()), ("db",)), f"{NAME}.db: dispatch 1", "only"
    ),
    Case(
        "gpus",
        "error",
        differing(smaller, ("pftrace",), OF_A_SET),
        f"{NAME}.pftrace: GPU 0",
        f"cu_count is 30 in {NAME}.pftrace, 304 in {NAME}.journal",
    ),
    Case("gpus", "error", differing(nameless, ("pftrace",), OF_A_SET), "GPU 0", "cu_count is absent in"),
    Case("gpus", "error", differing(smaller, ("db",), OF_A_SET), f"{NAME}.db: GPU 0", "cu_count is 30 in"),
    Case("gpus", "error", differing(smaller, ("db",), replace(OF_A_SET, sets=())), f"{NAME}.db: GPU 0", "cu_count is"),
    Case("gpus", "error", differing(smaller, ("pftrace",), OF_A_SET, "db"), f"{NAME}.pftrace: GPU 0", f"in {NAME}.db"),
    Case(
        "gpus",
        "error",
        spoiled_database("UPDATE rocpd_info_agent~ SET extdata = json_remove(extdata, '$.replay')"),
        f"{NAME}.db: GPU 0",
        f"the plan is absent in {NAME}.db, of 2 passes in {NAME}.journal",
    ),
    Case(
        "gpus",
        "error",
        spoiled_database(
            "UPDATE rocpd_info_agent~ SET extdata = "
            "json_set(extdata, '$.replay.passes[1].sentinel', json_array('SQ_WAVES')) WHERE id = 1"
        ),
        f"{NAME}.db: GPU 0",
        f"pass 1 has the sentinels SQ_WAVES in {NAME}.db, none in {NAME}.journal",
    ),
    Case(
        "gpus",
        "error",
        spoiled_database(
            "UPDATE rocpd_info_agent~ SET extdata = "
            "json_set(extdata, '$.replay.passes[1].counters', json_array('SQ_WAVES')) WHERE id = 1"
        ),
        f"{NAME}.db: GPU 0",
        f"pass 1 has the counters SQ_WAVES in {NAME}.db, SQ_WAVES, TCC_HIT in {NAME}.journal",
    ),
    Case(
        "trace-notes",
        "error",
        spoiled_trace(lambda f: f.counter(f.tracks["GPU TCC_HIT [0] pass 1"], 8000, 0.0)),
        f"{NAME}.pftrace",
        "1 counter values belong to no execution",
    ),
    Case(
        "parity",
        "error",
        differing(higher, ("db",)),
        f"{NAME}.db: dispatch 2, pass 1, TCC_HIT",
        f"value is 1.0000000000000001e-09 in {NAME}.db, 0 in {NAME}.journal",
    ),
    Case(
        "parity", "error", differing(higher, ("pftrace",)), f"{NAME}.pftrace: dispatch 2, TCC_HIT", "canonical value is"
    ),
    Case("parity", "error", differing(later, ("db",)), "dispatch 1, pass 1", "times is (1150, 1261)"),
    Case("parity", "error", differing(later, ("pftrace",)), "dispatch 1, pass 1", "times is (1150, 1261)"),
    Case("parity", "error", differing(shorter, ("db",)), f"{NAME}.db: dispatch 5", f"it is in {NAME}.journal only"),
    Case(
        "parity",
        "error",
        differing(lambda run: tools.with_launch(run, 2, reason="budget"), ("pftrace",)),
        "dispatch 3",
        "reason is budget",
    ),
]
