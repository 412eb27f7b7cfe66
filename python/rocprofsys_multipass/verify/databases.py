# SPDX-License-Identifier: MIT
"""Checks of a rocpd file as readers see it that know nothing of passes (docs/formats/rocpd.md)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from rocprofsys_multipass.trace.canonical import status_of
from rocprofsys_multipass.trace.database import Database, json_object, open_database
from rocprofsys_multipass.trace.guard import shown as cut_to_show
from rocprofsys_multipass.trace.model import Dispatch
from rocprofsys_multipass.trace.rocpd_merged import runs_in
from rocprofsys_multipass.trace.sidecar import sidecar_of
from rocprofsys_multipass.verify.evidence import Evidence
from rocprofsys_multipass.verify.finding import Finding
from rocprofsys_multipass.verify.places import of_guid
from rocprofsys_multipass.verify.registry import check
from rocprofsys_multipass.verify.schema import AGAIN, findings, is_ours

# What a reader who knows nothing of passes sees, a total per dispatch and counter.
_SHOWN: Final = {
    "counters_collection": "SELECT guid, dispatch_id, counter_name, SUM(value) AS total, COUNT(value) AS n "
    "FROM counters_collection GROUP BY guid, dispatch_id, counter_name",
    "pmc_events": "SELECT guid, dispatch_id, counter_name, SUM(counter_value) AS total, COUNT(counter_value) AS n "
    "FROM pmc_events GROUP BY guid, dispatch_id, counter_name",
}


@check("rocpd-names")
def names(evidence: Evidence) -> Iterator[Finding]:
    """Kernels and agents have the names, dispatches the threads, that the journal has."""
    db, journal = evidence.database, evidence.journal
    if db is None or journal is None:
        return
    sql = (
        "SELECT d.dispatch_id, s.kernel_name, s.display_name, a.name AS agent, a.product_name, t.tid "
        "FROM rocpd_kernel_dispatch d "
        "LEFT JOIN rocpd_info_kernel_symbol s ON s.id = d.kernel_id AND s.guid = d.guid "
        "LEFT JOIN rocpd_info_agent a ON a.id = d.agent_id AND a.guid = d.guid "
        "LEFT JOIN rocpd_info_thread t ON t.id = d.tid AND t.guid = d.guid WHERE d.guid = ?"
    )
    recorded = {d.dispatch_id: d for d in journal.dispatches}
    for row in db.rows(sql, (journal.guid,)):
        d = recorded.get(row["dispatch_id"])
        if d is None:
            continue  # check parity says so
        pairs = (
            ("kernel_name", row["kernel_name"], d.symbol.name),
            ("display_name", row["display_name"], d.kernel),
            ("name of the agent", row["agent"], d.agent.name),
            ("product_name of the agent", row["product_name"] or "", d.agent.product_name),
            ("tid of the thread", d.thread_id if row["tid"] is None else row["tid"], d.thread_id),  # else lost rows
        )
        for what, shown, right in pairs:
            if shown != right:
                message = f"{what} is {shown!r}, {right!r} in {journal.path.name}"
                yield from findings("rocpd-names", db, [(f"dispatch {d.dispatch_id}", message)])


@check("rocpd-lost-rows")
def lost_rows(evidence: Evidence) -> Iterator[Finding]:
    """Every dispatch is in view `kernels`; an inner join on a missing row would hide it (rocm-systems PR #6756)."""
    db = evidence.database
    if db is None or not db.has("kernels"):
        return
    # Two counts, not a join with the view: SQLite would evaluate the view once per dispatch.
    shown = Counter((r["guid"], r["id"]) for r in db.rows("SELECT guid, id FROM kernels"))
    rows = db.rows("SELECT guid, id, dispatch_id FROM rocpd_kernel_dispatch")
    texts = (
        (_dispatch(evidence, r["guid"], r["dispatch_id"]), f"view kernels shows it {shown[r['guid'], r['id']]} times")
        for r in rows
        if shown[r["guid"], r["id"]] != 1
    )
    hint = "thread, queue, region name, event and kernel symbol must exist for each dispatch; " + AGAIN
    yield from findings("rocpd-lost-rows", db, texts, hint)


def _dispatch(evidence: Evidence, guid: str, dispatch_id: int) -> str:
    return f"{of_guid(evidence.from_database, guid)}dispatch {dispatch_id}"


@check("rocpd-events")
def events(evidence: Evidence) -> Iterator[Finding]:
    """Every dispatch has an event of its own: two that share one would double each counter."""
    db = evidence.database
    if db is None:
        return
    owners: dict[tuple[str, int | None], list[int]] = {}
    for r in db.rows("SELECT guid, event_id, dispatch_id FROM rocpd_kernel_dispatch ORDER BY dispatch_id"):
        owners.setdefault((r["guid"], r["event_id"]), []).append(r["dispatch_id"])
    for (guid, event), dispatches in owners.items():
        for one in dispatches if event is None else dispatches[1:]:
            text = "it has no event" if event is None else f"it has event {event} of dispatch {dispatches[0]} too"
            yield from findings("rocpd-events", db, [(_dispatch(evidence, guid, one), text)])
    yield from findings("rocpd-events", db, _without_dispatch(db))


def _without_dispatch(db: Database) -> Iterator[tuple[str, str]]:
    """Values of counters that no view shows."""
    sql = (
        "SELECT v.event_id, MIN(v.id) AS id, COUNT(*) AS n FROM rocpd_pmc_event v "
        "LEFT JOIN (SELECT DISTINCT guid, event_id FROM rocpd_kernel_dispatch) d "
        "ON d.event_id = v.event_id AND d.guid = v.guid WHERE d.event_id IS NULL "
        "AND (? IS NULL OR (v.guid, v.pmc_id) IN "
        "(SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(?))) "
        "GROUP BY v.guid, v.event_id"
    )
    runs = runs_in(db)  # what rocprof-sys sampled itself has events of its own
    ours = json.dumps([(run.guid, number) for run in runs for number in run.counters]) if runs else None
    for r in db.rows(sql, (ours, ours)):
        others = f", as do {r['n'] - 1} more values" if r["n"] > 1 else ""
        yield f"rocpd_pmc_event row {r['id']}", f"it belongs to event {r['event_id']}, of no dispatch{others}"


@check("rocpd-counter-names")
def counter_names(evidence: Evidence) -> Iterator[Finding]:
    """A counter of an agent is described once: a second row of its name would be added to it."""
    db = evidence.database
    if db is None:
        return
    rows = db.rows(
        "SELECT agent_id, name, COUNT(*) AS n FROM rocpd_info_pmc GROUP BY guid, agent_id, name HAVING n > 1"
    )
    texts = ((f"rocpd_info_pmc, agent {r['agent_id']}, {r['name']}", f"described {r['n']} times") for r in rows)
    yield from findings("rocpd-counter-names", db, texts)


@check("rocpd-no-double-count")
def no_double_count(evidence: Evidence) -> Iterator[Finding]:
    """What `counters_collection` and `pmc_events` show of a counter is its canonical reading, not a sum over passes."""
    db = evidence.database
    if db is None or not is_ours(evidence):
        return
    canonical = {
        (p.guid, d.dispatch_id, counter): value
        for p in evidence.from_database
        for d in p.dispatches
        for counter, value in d.counters.items()
    }
    for view, sql in _SHOWN.items():
        if not db.has(view):
            continue
        shown = {(r["guid"], r["dispatch_id"], r["counter_name"]): r["total"] for r in db.rows(sql) if r["n"]}
        there = {key[:2] for key in shown}
        mixed = _of_shared_events(db)  # check rocpd-events says so
        for guid, dispatch in sorted({key[:2] for key in canonical} - there):
            where = f"{of_guid(evidence.from_database, guid)}{view}, dispatch {dispatch}"
            yield from findings("rocpd-no-double-count", db, [(where, "shows no counter of it")])
        for key in sorted(k for k in shown.keys() | canonical.keys() if shown.get(k) != canonical.get(k)):
            if key[:2] not in there or key[:2] in mixed:
                continue
            message = f"shows {_text(shown.get(key))}, the canonical reading is {_text(canonical.get(key))}"
            where = f"{of_guid(evidence.from_database, key[0])}{view}, dispatch {key[1]}, {key[2]}"
            yield from findings("rocpd-no-double-count", db, [(where, message)])


def _of_shared_events(db: Database) -> set[tuple[str, int]]:
    """Dispatches whose event is another's too: each shows the counters of both."""
    sql = (
        "SELECT guid, dispatch_id FROM rocpd_kernel_dispatch WHERE (guid, event_id) IN "
        "(SELECT guid, event_id FROM rocpd_kernel_dispatch GROUP BY guid, event_id HAVING COUNT(*) > 1)"
    )
    return {(r["guid"], r["dispatch_id"]) for r in db.rows(sql)}


def _text(value: float | None) -> str:
    return "nothing" if value is None else f"{value:.17g}"


@check("rocpd-statistics")
def statistics(evidence: Evidence) -> Iterator[Finding]:
    """`top_kernels` counts each logical dispatch once."""
    db = evidence.database
    if db is None or not db.has("top_kernels"):
        return
    rows = db.rows("SELECT name, total_calls FROM top_kernels")
    shown = sum(row["total_calls"] or 0 for row in rows)
    dispatches = sum(len(p.dispatches) for p in evidence.from_database)
    if shown != dispatches:
        texts = [("top_kernels", f"counts {shown} calls of {dispatches} dispatches")]
        yield from findings("rocpd-statistics", db, texts)
    elif is_ours(evidence):  # others may show other forms of a name
        calls = Counter(d.kernel for p in evidence.from_database for d in p.dispatches)
        named = {row["name"]: row["total_calls"] for row in rows}
        for name in sorted(calls.keys() | named.keys(), key=str):
            if calls[name] != named.get(name, 0):
                message = f"counts {named.get(name, 0)} calls, there are {calls[name]}"
                yield from findings("rocpd-statistics", db, [(f"top_kernels, {name}", message)])


@check("rocpd-canonical-times")
def canonical_times(evidence: Evidence) -> Iterator[Finding]:
    """A dispatch has the times of its timing pass, else of pass 0, else of the lowest pass with valid ones."""
    db = evidence.database
    if db is None or not is_ours(evidence):
        return
    rows = db.rows("SELECT guid, dispatch_id, start, [end], extdata FROM rocpd_kernel_dispatch")
    told = {(r["guid"], r["dispatch_id"]): _replay(r["extdata"]).get("time_of") for r in rows}
    stored = {(r["guid"], r["dispatch_id"]): (r["start"], r["end"]) for r in rows}
    for process in evidence.from_database:
        owner = of_guid(evidence.from_database, process.guid)
        for d in process.dispatches:
            where = f"{owner}dispatch {d.dispatch_id}"
            start, end = stored.get((process.guid, d.dispatch_id), (0, 0))
            if (start, end) != (d.start_ns or 0, d.end_ns or 0):
                message = f"is {start} to {end}, the pass that stands for it {d.start_ns} to {d.end_ns}"
                yield from findings("rocpd-canonical-times", db, [(where, message)])
            said = told.get((process.guid, d.dispatch_id))
            if said and said != d.time_of:
                message = f"time_of is {said}, the times are those of the {d.time_of}"
                yield from findings("rocpd-canonical-times", db, [(where, message)])


def _replay(extdata: str | None) -> dict[str, Any]:
    replay = json_object(extdata).get("replay")
    return replay if isinstance(replay, dict) else {}


@check("rocpd-passes")
def passes(evidence: Evidence) -> Iterator[Finding]:
    """Executions have the id of their dispatch, status and `extdata` say what was read, and in which pass."""
    db = evidence.database
    if db is None or not is_ours(evidence):
        return
    side = None if db.has("rocpd_replay_pass") else sidecar_of(db)
    if side is not None:
        with open_database(side) as beside:
            yield from findings("rocpd-passes", beside, _strangers(db, beside))
    elif db.has("rocpd_replay_pass"):
        yield from findings("rocpd-passes", db, _strangers(db, db))
    told = {
        (r["guid"], r["dispatch_id"]): _replay(r["extdata"])
        for r in db.rows("SELECT guid, dispatch_id, extdata FROM rocpd_kernel_dispatch")
    }
    for process in evidence.from_database:
        owner = of_guid(evidence.from_database, process.guid)
        for d in process.dispatches:
            texts = [*_wrong_status(d), *_wrong_words(d, told.get((process.guid, d.dispatch_id), {}))]
            yield from findings("rocpd-passes", db, [(owner + where, text) for where, text in texts])


def _strangers(db: Database, side: Database) -> Iterator[tuple[str, str]]:
    """Rows of executions that name another dispatch than they refer to, or miss other counters than they say."""
    sql = "SELECT guid, id, dispatch_id FROM rocpd_kernel_dispatch"
    owners = {(r["guid"], r["id"]): r["dispatch_id"] for r in db.rows(sql)}
    for r in side.rows("SELECT guid, id, kernel_dispatch_id, dispatch_id, status, extdata FROM rocpd_replay_pass"):
        where = f"rocpd_replay_pass row {r['id']}"
        owner = owners.get((r["guid"], r["kernel_dispatch_id"]))
        if owner is None:
            yield where, f"kernel_dispatch_id is {r['kernel_dispatch_id']}, which is no row of rocpd_kernel_dispatch"
        elif r["dispatch_id"] != owner:
            yield where, f"dispatch_id is {cut_to_show(r['dispatch_id'])}, that of its dispatch is {owner}"
        missing = json_object(r["extdata"]).get("missing")
        if missing and r["status"] == "OK":
            yield where, f"status is OK, and extdata names what is missing: {cut_to_show(missing)}"


def _wrong_status(d: Dispatch) -> Iterator[tuple[str, str]]:
    """Executions whose status does not follow from their readings, as far as the plan is known."""
    for p in d.passes if d.agent.passes else ():
        expected = status_of(d.outcome, d.agent.counters_of(p.group), p.readings)
        if p.status not in ("DISCARDED", expected):
            yield f"dispatch {d.dispatch_id}, {p.label}", f"status is {p.status}, by its readings it is {expected}"


def _wrong_words(d: Dispatch, told: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """What `extdata` says of a dispatch and its executions do not; members that are not there are of no matter."""
    pass_of_times = next((p.index for p in d.passes if p.index is not None and p.label == d.time_of), None)
    right: dict[str, object] = {"executions": len(d.passes), "canonical_pass": pass_of_times}
    if d.agent.passes:
        right["complete"] = d.outcome != "incomplete" and d.agent.requested <= d.counters.keys()
    if len(d.passes) == 1 and d.passes[0].index is None and d.outcome != "filtered":
        right["group"] = d.passes[0].group
    for name, value in right.items():
        if name in told and told[name] != value:
            message = f"extdata: {name} is {cut_to_show(told[name])}, by its executions it is {cut_to_show(value)}"
            yield f"dispatch {d.dispatch_id}", message
    if told.get("times") == "unknown" and d.time_of:
        yield f"dispatch {d.dispatch_id}", f"extdata: times are unknown, and it has those of the {d.time_of}"


@check("rocpd-conflicts")
def conflicts(evidence: Evidence) -> Iterator[Finding]:
    """View `replay_conflicts` lists exactly the counters whose passes disagree, or are all 0."""
    db = evidence.database
    if db is None or not db.has("replay_conflicts"):
        return
    rows = db.rows("SELECT guid, dispatch_id, counter_name, kind FROM replay_conflicts")
    shown = {(r["guid"], r["dispatch_id"], r["counter_name"]): r["kind"] for r in rows}
    expected = {}
    for process in evidence.from_database:
        for d in process.dispatches:
            for counter, read in d.by_counter.items():
                values = [value for p, value in read if p.status != "DISCARDED"]
                if len(values) > 1 and (min(values) != max(values) or not any(values)):
                    kind = "DIFFERENT" if any(values) else "ALL_ZERO"
                    expected[process.guid, d.dispatch_id, counter] = kind
    for key in sorted(shown.keys() | expected.keys()):
        if shown.get(key) != expected.get(key):
            where = f"{of_guid(evidence.from_database, key[0])}replay_conflicts, dispatch {key[1]}, {key[2]}"
            message = f"says {shown.get(key)}, its readings {expected.get(key)}"
            yield from findings("rocpd-conflicts", db, [(where, message)])
