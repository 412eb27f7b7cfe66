# SPDX-License-Identifier: MIT
"""Cases of the checks that compare the files of a run, and the summary with them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import trace_tools as tools
from verify_tools import (
    ABSENT,
    NAME,
    OF_A_SET,
    RUN,
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

WIDE = NAME.replace("multipass-", "wide-") + ".csv"


def with_verdict(path: Path, **members: object) -> None:
    """A summary whose first kernel has these members in its verdicts."""
    tools.write_run(path, RUN)
    file = path / f"{NAME}.json"
    content = json.loads(file.read_text(encoding="utf-8"))
    content |= {"kernels_agreement": [{"agent": 1, "kernel_id": 1} | members], "kernels_agreement_rest": None}
    file.write_text(json.dumps(content), encoding="utf-8")


def unclaimed(file: tools.TraceFile) -> None:
    """A value at times that no execution has."""
    track = file.tracks["GPU TCC_HIT [0] pass 1"]
    file.counter(track, 8000, 7.0)
    file.counter(track, 8010, 0.0)


CASES = [
    Case(
        "verdicts",
        "error",
        lambda path: with_verdict(path, device=3),
        "kernels_agreement, kernel 1 of agent 1, device",
        "it is 3, the journal has 0",
    ),
    Case("journal-there", "info", database(""), NAME, "there is no journal beside the outputs"),
    Case("summary", "error", wrong_summary, f"{NAME}.json", "seen is 3, the outcomes add up to 2"),
    Case("summary", "error", wrong_summary, f"{NAME}.json", "1 replayed, 2 are recorded"),
    Case("verdicts", "error", summary_with("kernels_agreement", 1), "kernels_agreement", "1, not a list of objects"),
    Case("verdicts", "error", summary_with("kernels_agreement", []), "kernels_agreement_rest", "the member is missing"),
    Case("summary", "error", summary_with("schema", 99), f"{NAME}.json: schema", "it is 99, not 1"),
    Case("summary", "error", summary_with("pid", 1), f"{NAME}.json: pid", "it is 1, the journal has 4711"),
    Case("summary", "error", summary_with("readings", 999), f"{NAME}.json: readings", "999, the journal has 12"),
    Case("summary", "error", summary_with("capture", 5), f"{NAME}.json: capture", "it is 5, not an object"),
    Case("summary", "error", summary_with("capture.ended", 0), "capture", "ended is 0"),
    Case("summary", "error", summary_with("capture.in_flight", 7), "capture", "in_flight is 7, the journal has None"),
    Case("summary", "error", summary_with("capture.records_lost", 7), "capture", "lost is 7, the journal has 0"),
    Case("summary", "error", summary_with("capture.records_lost", -1), "capture", "records_lost is -1"),
    Case("summary", "error", summary_with("capture.error", None), "capture", "error is None"),
    Case("summary", "error", summary_with("capture.in_flight", ABSENT), "capture", "in_flight is absent"),
    Case("summary", "error", summary_with("kernels", 999), f"{NAME}.json: kernels", "999, the journal has 2"),
    Case("summary", "error", summary_with("replay_mode", "off"), "replay_mode", "'off', the journal has 'auto'"),
    Case("summary", "error", summary_with("agents.0.pass_count", 9), "agents[0]", "pass_count is 9, the journal has 2"),
    Case(
        "summary",
        "error",
        summary_with("agents.0.passes", [["A"]]),
        "agents[0]",
        "passes lacks ['SQ_WAVES', 'GRBM_COUNT'],",
    ),
    Case("summary", "error", summary_with("agents", []), "agents", "0 GPUs, the journal has 1"),
    Case("summary", "error", summary_with("agents", [5]), "agents", "not a list of objects"),
    *(
        Case("summary", "error", summary_with(f"sdk.{member}", value), f"{NAME}.json: sdk.{member}", message)
        for member, value, message in (
            ("version", "9.9", "it is '9.9', the journal has '1.4.1'"),
            ("library", "/x/y.so", "it is '/x/y.so', the journal has '/opt/x/libroc"),
            ("simulated", False, "it is False, the journal has True"),
            ("kernel_replay", False, "it is False, the journal has True"),
        )
    ),
    Case("summary", "error", summary_with("sdk", "1.4.1"), f"{NAME}.json: sdk", "it is '1.4.1', not an object"),
    Case(
        "summary",
        "error",
        plan_changed("UPDATE rocpd_info_process~ SET extdata = json_set(extdata, '$.sdk_version', '9.9')"),
        f"{NAME}.json: sdk.version",
        "it is '1.4.1', the database has '9.9'",
    ),
    Case("summary", "error", summary_with("agents.0.proven_minimal", "no"), "agents[0]", "proven_minimal is 'no', the"),
    Case("summary", "error", summary_with("sets", ["cache"]), "sets", "it is ['cache'], the journal has []"),
    Case("summary", "error", summary_with("sets", ABSENT), "sets", "the member is missing"),
    Case("summary", "error", summary_with("agents.0.sentinels", [["A"]]), "agents[0]", "sentinels is [['A']]"),
    Case("summary", "error", summary_with("agents.0.sentinels", ABSENT), "agents[0]", "sentinels is absent"),
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
        summary_with("dispatches.replayed_reasons", {"budget": 1}),
        "multipass-4711.json: dispatches",
        "replayed_reasons is {'budget': 1}, the journal has {}",
    ),
    Case(
        "summary",
        "error",
        summary_with("kernels_agreement", [{"kernel": "k", "outcomes": {"replayed": 1, "declined": 1}}]),
        "multipass-4711.json: kernels_agreement",
        "1 replayed in the outcomes of all kernels, 2 in dispatches",
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
        "it is 301.0, the journal has 300.0",
    ),
    Case(
        "tables",
        "error",
        spoiled_table("csv", "SQ_WAVES,512.0,true", "SQ_WAVES,512.0,false"),
        f"{NAME}.csv: dispatch 1, canonical, SQ_WAVES",
        "it is absent, the journal has 512.0, pass 0",
    ),
    *(
        Case("tables", "error", spoiled_table("csv-wide", old, new), f"{WIDE}: {where}", message)
        for old, new, where, message in (
            (",512.0,", ",513.0,", "dispatch 1, SQ_WAVES", "it is 513.0, the journal has 512.0"),
            (",300.0\n", ",\n", "dispatch 1, TCC_HIT", "it is absent, the journal has 300.0"),
            (",replayed,", ",declined,", "dispatch 1, Outcome", "it is 'declined', the journal has 'replayed'"),
            ("Agent 0", "Agent 4", "dispatch 1, Agent_Id", "it is 'Agent 4', the journal has 'Agent 0'"),
            ("0,2,Agent", "0,9,Agent", "dispatch 9", "it has 1 lines, and is in the journal 0 times"),
        )
    ),
    Case(
        "tables", "error", spoiled_table("csv-wide", "Outcome", "Ende"), WIDE, "ValueError: there is no column Outcome"
    ),
    Case("tables", "error", spoiled_table("csv", ",0,0,SQ_WAVES", ",3,0,SQ_WAVES"), "dispatch 1, pass 3", "has absent"),
    *(
        Case("tables", "error", spoiled_table("csv", old, new), f"{NAME}.csv: dispatch {number}, {column}", message)
        for number, column, old, new, message in (
            (1, "agent", "4711,0,1,", "4711,3,1,", "it is '3 and 0', the journal has '0'"),
            (1, "kernel", "axpy(float*, int)", "axpy(int)", "it is 'axpy(int) and axpy(float*, int)', the journal"),
            (1, "outcome", ",replayed,", ",declined,", "it is 'declined and replayed', the journal has 'replayed'"),
            (3, "reason", ",graph,", ",budget,", "it is 'budget and graph', the journal has 'graph'"),
            (1, "grid_x", ",1024,1,1,64", ",1025,1,1,64", "it is '1025 and 1024', the journal has '1024'"),
            (1, "workgroup_z", ",64,1,1,", ",64,1,2,", "it is '2 and 1', the journal has '1'"),
            (1, "same_work", "64,1,1,unknown", "64,1,1,not", "it is 'not and unknown', the journal has"),
            (1, "dispatch_time", ",100,pass 0", ",101,pass 0", "it is '101 and 100', the journal has '100'"),
            (1, "time_of", ",100,pass 0", ",100,pass 1", "it is 'pass 1 and pass 0', the journal has 'pass 0'"),
        )
    ),
    *(
        Case("tables", "error", spoiled_table("json", old, new), f"readings-{tools.PID}.json: {where}", message)
        for where, old, new, message in (
            ("dispatch 1, agent", '"agent": 0', '"agent": 1', "it is 1, the journal has 0"),
            ("dispatch 1, kernel", "axpy(float*, int)", "axpy(int)", "it is 'axpy(int)', the journal has 'axpy(float*"),
            ("dispatch 1, outcome", '"outcome": "replayed"', '"outcome": "declined"', "it is 'declined', the journal"),
            (
                "dispatch 3, reason",
                '"reason": "graph"',
                '"reason": "budget"',
                "it is 'budget', the journal has 'graph'",
            ),
            ("dispatch 1, passes_planned", '"passes_planned": 2', '"passes_planned": 3', "it is 3, the journal has 2"),
            ("dispatch 1, queue_id", '"queue_id": 7', '"queue_id": 8', "it is 8, the journal has 7"),
            ("dispatch 1, stream_id", '"stream_id": 0', '"stream_id": 8', "it is 8, the journal has 0"),
            ("dispatch 1, thread_id", '"thread_id": 4711', '"thread_id": 1', "it is 1, the journal has 4711"),
            ("dispatch 1, grid", '"grid": [1024', '"grid": [1025', "it is [1025, 1, 1], the journal has [1024, 1, 1]"),
            ("dispatch 1, workgroup", '"workgroup": [64', '"workgroup": [65', "it is [65, 1, 1], the journal has [64"),
            ("dispatch 1, start", '"start": 1000', '"start": 1001', "it is 1001, the journal has 1000"),
            ("dispatch 1, end", '"end": 1100', '"end": 1101', "it is 1101, the journal has 1100"),
            ("dispatch 1, time_of", '"time_of": "pass 0"', '"time_of": "pass 1"', "it is 'pass 1', the journal has"),
            ("dispatch 1, warm_up", '"warm_up": null', '"warm_up": {"start": 1, "end": 2}', "the journal has None"),
            ("dispatch 1, timing", '"timing": null', '"timing": {"start": 1, "end": 2}', "the journal has None"),
            ("dispatch 1, duration_spread", '"min": 100', '"min": 99', "it is {'passes': 2, 'min': 99"),
            ("dispatch 1, same_work", '"same_work": "unknown"', '"same_work": "not"', "it is 'not', the journal has"),
            ("dispatch 1, passes[0].status", '"status": "OK"', '"status": "PARTIAL"', "it is 'PARTIAL', the journal"),
            ("dispatch 4, passes[0].start", '"start": 4000, "end": 4050, "c', '"start": 4001, "end": 4050, "c', "4001"),
            ("process 4711, kernel_replay", '"kernel_replay": true', '"kernel_replay": false', "it is False, the jou"),
            ("process 4711, host", '"host": "host"', '"host": "other"', "it is 'other', the journal has 'host'"),
            ("process 4711, closed", '"closed": true', '"closed": false', "it is False, the journal has True"),
            ("process 4711, warnings", "two queues", "no queues", "it is ['no queues overlapped'], the journal has"),
            (
                "process 4711, agents[0].lower_bound",
                '"lower_bound": 2',
                '"lower_bound": 1',
                "it is 1, the journal has 2",
            ),
            ("process 4711, agents[0].name", '"name": "gfx942"', '"name": "gfx90a"', "it is 'gfx90a', the journal has"),
            ("process 4711, outcomes", '"seen": 5', '"seen": 6', "seen is 6, the journal has 5"),
            (
                "process 4711, reasons",
                '"graph": 1',
                '"graph": 2',
                "declined is {'graph': 2}, the journal has {'graph': 1}",
            ),
        )
    ),
    Case("tables", "error", spoiled_table("json", '"kind": "journal"', '"kind": "other"'), ".json", "kind is 'other'"),
    Case("tables", "error", spoiled_table("json", '"schema": 1', '"schema": 2'), ".json", "schema is 2, not 1"),
    Case(
        "tables",
        "error",
        spoiled_table("json", '"metrics": {}', '"metrics": {"x": 1.0}', OF_A_SET),
        "dispatch 1, metrics",
        "the journal has {",
    ),
    Case(
        "tables",
        "error",
        spoiled_table("csv", ",512.0,true,", ",512.0,perhaps,"),
        f"{NAME}.csv",
        "canonical is 'perhaps', neither true nor false",
    ),
    Case(
        "tables", "error", spoiled_table("csv", "canonical", "other"), f"{NAME}.csv", "no table of readings: KeyError"
    ),
    Case("tables", "error", spoiled_table("csv", "512.0", "many"), f"{NAME}.csv", "no table of readings: ValueError"),
    Case(
        "tables",
        "error",
        spoiled_table("json", '"SQ_WAVES": 512.0, "TCC_HIT": 300.0}}', '"SQ_WAVES": 512.0, "TCC_HIT": 30.0}}'),
        f"readings-{tools.PID}.json: dispatch 1, pass 1, TCC_HIT",
        "it is 30.0, the journal has 300.0",
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
        spoiled_trace(unclaimed),
        f"{NAME}.pftrace: GPU 0 [gfx942], pass 1",
        "no execution lasts from 8000 to 8010, as values of TCC_HIT do",
    ),
    Case(
        "parity",
        "error",
        differing(higher, ("db",)),
        f"{NAME}.db: dispatch 2, pass 1, TCC_HIT",
        f"value is 1.0000000000000001e-09 in {NAME}.db, 0 in {NAME}.journal",
    ),
    Case(
        "parity", "error", differing(higher, ("pftrace",)), f"{NAME}.pftrace: dispatch 2, pass 1, TCC_HIT", "value is"
    ),
    Case("parity", "error", differing(later, ("db",)), "dispatch 1, pass 1", "its time is 1150 to 1261 in"),
    Case("parity", "error", differing(later, ("pftrace",)), "dispatch 1, pass 1", "its time is 1150 to 1261 in"),
    Case("parity", "error", differing(shorter, ("db",)), f"{NAME}.db: dispatch 5", f"it is in {NAME}.journal only"),
    Case(
        "parity",
        "error",
        differing(lambda run: tools.with_launch(run, 2, reason="budget"), ("pftrace",)),
        "dispatch 3",
        "reason is budget",
    ),
    Case(
        "parity",
        "error",
        differing(lambda run: tools.with_launch(run, 0, reason="managed_memory"), ("pftrace",)),
        "dispatch 1",
        f"reason is managed_memory in {NAME}.pftrace, none in {NAME}.journal",
    ),
]
