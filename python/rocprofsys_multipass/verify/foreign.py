# SPDX-License-Identifier: MIT
"""Checks of files that rocprofv3 or rocprof-sys wrote: what they count more than once, and what they hide.

docs/formats/foreign.md says what such files hold. Checks of this tool's own formats and plan do not apply to them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sized
from dataclasses import replace
from math import isclose
from typing import Final

from rocprofsys_multipass.spelling import plural
from rocprofsys_multipass.trace.database import Database
from rocprofsys_multipass.trace.model import ROCPROF_SYS, Dispatch, Process
from rocprofsys_multipass.trace.perfetto_file import RawTrace
from rocprofsys_multipass.trace.perfetto_foreign import Execution, executions_of
from rocprofsys_multipass.verify.evidence import Evidence
from rocprofsys_multipass.verify.finding import Finding
from rocprofsys_multipass.verify.places import at, of_guid
from rocprofsys_multipass.verify.registry import CHECKS, check

# The others need the plan, the journal or the layout of this tool.
_FOR_ANY_FILE: Final = frozenset(
    {
        "readable",
        "canonical",
        "duplicates",
        "times",
        "times-of-run",
        "possible-values",
        "zeros",
        "ratios",
        "outliers",
        "agreement",
        "tables",
    }
)
_PREFIX: Final = "foreign"
_OF_DATABASE: Final = ("rocpd-integrity", "rocpd-foreign-keys", "rocpd-counter-names")
_NOT_OURS: Final = "another tool wrote the file: record the run again with it"
_ROWS: Final = "read rocpd_pmc_event by event_id, and of a counter that several passes read those of one pass only"
_SHOWN: Final = {
    "counters_collection": "SELECT guid, dispatch_id, counter_name, value FROM counters_collection "
    "WHERE value IS NOT NULL",
    "pmc_events": "SELECT guid, dispatch_id, counter_name, SUM(counter_value) AS value FROM pmc_events "
    "WHERE counter_value IS NOT NULL GROUP BY guid, dispatch_id, counter_name",
}


def applies(identity: str, evidence: Evidence) -> bool:
    """Whether a check has anything to say about these files: of those of other tools, most have not."""
    return not evidence.foreign or identity in _FOR_ANY_FILE or identity.startswith(_PREFIX)


@check("foreign", "info", remedy="nothing: docs/formats/foreign.md says what can be told from such files")
def foreign(evidence: Evidence) -> Iterator[Finding]:
    """Tells which other tool wrote a file, and what cannot be told from it."""
    if not evidence.foreign:
        return
    paths = [process.path for process in evidence.processes] or ([evidence.raw.path] if evidence.raw else [])
    where = " and ".join(dict.fromkeys(path.name for path in paths))
    message = f"written by {evidence.foreign}: checks that need this tool's plan are left out"
    yield Finding("info", "foreign", where, message)
    for process in evidence.processes:
        for note in process.notes:
            yield Finding("info", "foreign", process.path.name, note)


@check("foreign-damage", remedy=_NOT_OURS)
def damage(evidence: Evidence) -> Iterator[Finding]:
    """A file of another tool is whole, its rows refer to rows that exist, and each counter is there once.

    That is: described once, and on an event that one dispatch has.
    """
    if not evidence.foreign:
        return
    for identity in _OF_DATABASE:
        for finding in CHECKS[identity].function(evidence):
            yield replace(finding, check="foreign-damage", hint=_NOT_OURS)
    if evidence.database is not None:
        yield from _of_shared_events(evidence, evidence.database)
    raw = evidence.raw
    for problem in raw.problems if raw else ():
        if raw is not None and problem.kind in ("bytes", "names", "clock"):
            yield Finding("error", "foreign-damage", f"{raw.path.name}: {problem.where}", problem.text, _NOT_OURS)


def _of_shared_events(evidence: Evidence, db: Database) -> Iterator[Finding]:
    """Counters that count for several dispatches."""
    sql = (
        "SELECT guid, event_id, MIN(dispatch_id) AS first, MAX(dispatch_id) AS last, COUNT(*) AS n "
        "FROM rocpd_kernel_dispatch WHERE event_id IN (SELECT event_id FROM rocpd_pmc_event) "
        "GROUP BY guid, event_id HAVING n > 1 ORDER BY last"
    )
    for r in db.rows(sql):
        message = f"it has event {r['event_id']} of dispatch {r['first']} too: its counters are there {r['n']} times"
        yield Finding(
            "error",
            "foreign-damage",
            f"{db.path.name}: {of_guid(evidence.from_database, r['guid'])}dispatch {r['last']}",
            message,
            _NOT_OURS,
        )


@check("foreign-sums", "error", "warning", remedy=_ROWS)
def sums(evidence: Evidence) -> Iterator[Finding]:
    """No counter is added up over the passes of a replay: 1536 for 512 (rocm-systems PR #10439).

    An error where the file tells passes apart. Where all are in one row it is a warning, because it is inferred: by the
    order of rows, or by two counters of one block of which one has several times the rows of the other.
    """
    if not evidence.foreign:
        return
    if evidence.database is not None:
        found = {view: _sums_of(evidence, evidence.database, view) for view in _SHOWN if evidence.database.has(view)}
        for view, by_counter in found.items():
            for counter, added in by_counter.items():
                where = f"{evidence.database.path.name}: {view}, {counter}"
                yield _added(where, added)
        told = {counter for by_counter in found.values() for counter in by_counter}
        yield from _rows_of_blocks(evidence.database, told)
    for process in evidence.processes:
        if process.tool == ROCPROF_SYS:
            yield from _several_values(process)


_Added = tuple[Dispatch, float, float]  # a dispatch, what is shown of a counter, what one pass read


def _sums_of(evidence: Evidence, db: Database, view: str) -> dict[str, list[_Added]]:
    """Where a view shows more of a counter than any pass read."""
    known: dict[tuple[str, int], list[Dispatch]] = defaultdict(list)
    for process in evidence.from_database:
        for d in process.dispatches:
            known[process.guid, d.dispatch_id].append(d)
    found: dict[str, list[_Added]] = defaultdict(list)
    for r in db.rows(_SHOWN[view]):
        counter, shown = r["counter_name"], r["value"]
        for d in known.get((r["guid"], r["dispatch_id"]), ()):
            read = [value for _, value in d.by_counter.get(counter, ())]
            once = d.counters.get(counter)
            if once is not None and shown > once and not any(isclose(shown, value) for value in read):
                found[counter].append((d, shown, once))
    return found


def _added(where: str, added: list[_Added]) -> Finding:
    d, shown, once = added[0]
    times = round(shown / once) if once else 0
    several = f"{times} times" if times and isclose(shown, times * once) else "more than"
    mixed = any(p.mixed for one, _, _ in added for p in one.passes)
    inferred = ", as far as the order of rows tells: the file says nothing of passes" if mixed else ""
    message = f"shows {shown:.15g} for dispatch {d.dispatch_id}, {several} the {once:.15g} of one pass{inferred}"
    return Finding("warning" if mixed else "error", "foreign-sums", where, message + _more(added), _ROWS)


def _more(found: Sized) -> str:
    return f"; so in {plural(len(found) - 1, 'dispatch')} more" if len(found) > 1 else ""


def _rows_of_blocks(db: Database, told: set[str]) -> Iterator[Finding]:
    """Counters with several times the rows of another of their block: a block has as many instances for each."""
    there = db.columns("rocpd_info_pmc")
    basic = [
        f"COALESCE(i.{column}, {nothing}) = {nothing}"
        for column, nothing in (("is_derived", "0"), ("expression", "''"))
        if column in there
    ]
    basic += ["v.sample_id IS NULL"] * ("sample_id" in db.columns("rocpd_pmc_event"))
    sql = (
        "SELECT v.guid, v.event_id, i.agent_id, i.block, i.name, COUNT(*) AS n FROM rocpd_pmc_event v "  # noqa: S608
        "JOIN rocpd_info_pmc i ON i.id = v.pmc_id AND i.guid = v.guid WHERE COALESCE(i.block, '') <> '' "
        "AND i.name NOT LIKE '%[%' AND v.event_id IN (SELECT event_id FROM rocpd_kernel_dispatch) "
        f"{''.join(f'AND {condition} ' for condition in basic)}"
        "GROUP BY v.guid, v.event_id, i.agent_id, i.block, i.name"
    )
    blocks: dict[tuple[object, ...], dict[str, int]] = defaultdict(dict)
    for r in db.rows(sql):
        blocks[r["guid"], r["event_id"], r["agent_id"], r["block"]][r["name"]] = r["n"]
    seen = set(told)
    for (_, event, _, block), rows in blocks.items():
        fewest = min(rows, key=lambda name: rows[name])
        for name, count in rows.items():
            if name in seen or count == rows[fewest] or count % rows[fewest]:
                continue
            seen.add(name)
            where = f"{db.path.name}: rocpd_pmc_event, {name}"
            message = (
                f"event {event} has {count} rows of it and {rows[fewest]} of {fewest}, which is of the same block "
                f"({block}): it may be there once for each pass, and views add it up"
            )
            yield Finding("warning", "foreign-sums", where, message, _ROWS)


def _several_values(process: Process) -> Iterator[Finding]:
    """Counters that rocprof-sys sampled in several executions of a dispatch."""
    found: dict[str, list[tuple[Dispatch, int, float]]] = defaultdict(list)
    for d in process.dispatches:
        for counter, read in d.by_counter.items():
            if len(read) > 1:
                found[counter].append((d, len(read), sum(value for _, value in read)))
    for counter, dispatches in found.items():
        d, count, total = dispatches[0]
        message = (
            f"{count} values of dispatch {d.dispatch_id}, {total:.15g} together, {d.counters[counter]:.15g} in one"
        )
        hint = "of a dispatch take the value at its first start; do not add up the values of a track"
        yield Finding("error", "foreign-sums", at(process, counter), message + _more(dispatches), hint)


@check("foreign-times", remedy="count each dispatch_id once, by the row or slice that starts first")
def times(evidence: Evidence) -> Iterator[Finding]:
    """Kernel time is counted once for each dispatch, not once for each pass (rocm-systems PR #11422, #7960).

    In a database by `top_kernels`, in a trace by the slices of a category; also of rocprof-sys's slices in a trace that
    was merged with one of this tool.
    """
    if evidence.database is not None and evidence.foreign:
        yield from _statistics(evidence, evidence.database)
    if evidence.raw is not None and evidence.trace_readable:
        yield from _slices(evidence.raw)


def _statistics(evidence: Evidence, db: Database) -> Iterator[Finding]:
    dispatches = [d for process in evidence.from_database for d in process.dispatches]
    repeated = [d for d in dispatches if len(d.passes) > 1]
    if not repeated or not db.has("top_kernels"):
        return
    (shown,) = db.rows("SELECT SUM(total_calls) AS calls, SUM(total_duration) AS microseconds FROM top_kernels")
    calls, microseconds = shown["calls"] or 0, shown["microseconds"] or 0.0
    if calls <= len(dispatches):
        return
    once = sum(d.duration_ns or 0 for d in dispatches) / 1000
    message = (
        f"counts {calls} calls and {microseconds:.15g} µs of {plural(len(dispatches), 'dispatch')} that took "
        f"{once:.15g} µs: each pass has a row, first in dispatch {repeated[0].dispatch_id}; kernels, top and busy "
        "count like that too"
    )
    hint = "count each dispatch_id once, by the row that starts first"
    yield Finding("error", "foreign-times", f"{db.path.name}: top_kernels", message, hint)


def _slices(raw: RawTrace) -> Iterator[Finding]:
    by_category: dict[str, dict[tuple[int, int, str], list[Execution]]] = defaultdict(lambda: defaultdict(list))
    for one in executions_of(raw):
        by_category[one.slice.category][one.process, one.dispatch_id, one.slice.name].append(one)
    for category, of_dispatches in by_category.items():
        repeated = [of for of in of_dispatches.values() if len(of) > 1]
        if not repeated:
            continue
        total = sum(_length(one) for of in of_dispatches.values() for one in of)
        once = sum(_length(of[0]) for of in of_dispatches.values())
        count = sum(len(of) for of in of_dispatches.values())
        message = (
            f"{count} slices and {total} ns of {plural(len(of_dispatches), 'dispatch')} that took {once} ns: each pass "
            f"has a slice, first in dispatch {repeated[0][0].dispatch_id}"
        )
        hint = "count each dispatch_id once, by the slice that starts first"
        yield Finding("error", "foreign-times", f"{raw.path.name}: category {category}", message, hint)


def _length(one: Execution) -> int:
    start, end = one.interval
    return end - start


@check("foreign-hidden", remedy="read rocpd_kernel_dispatch and rocpd_pmc_event instead of the view")
def hidden(evidence: Evidence) -> Iterator[Finding]:
    """Views show every dispatch and every counter of one: their inner joins hide rows (rocm-systems PR #6756)."""
    db = evidence.database
    if db is None or not evidence.foreign:
        return
    if db.has("kernels"):
        shown = {(r["guid"], r["id"]) for r in db.rows("SELECT guid, id FROM kernels")}
        rows = db.rows("SELECT guid, id, dispatch_id FROM rocpd_kernel_dispatch")
        yield from _hides(db, "kernels", [r["dispatch_id"] for r in rows if (r["guid"], r["id"]) not in shown])
    if db.has("counters_collection"):
        sql = "SELECT DISTINCT guid, dispatch_id, counter_name FROM counters_collection"
        counted = {tuple(r) for r in db.rows(sql)}
        sql = (
            "SELECT DISTINCT v.guid, k.dispatch_id, i.name FROM rocpd_pmc_event v "
            "JOIN rocpd_kernel_dispatch k ON k.event_id = v.event_id AND k.guid = v.guid "
            "JOIN rocpd_info_pmc i ON i.id = v.pmc_id AND i.guid = v.guid WHERE v.value IS NOT NULL"
        )
        if "sample_id" in db.columns("rocpd_pmc_event"):
            sql += " AND v.sample_id IS NULL"
        lost = dict.fromkeys(r["dispatch_id"] for r in db.rows(sql) if tuple(r) not in counted)
        yield from _hides(db, "counters_collection", list(lost))


def _hides(db: Database, view: str, dispatches: list[int]) -> Iterator[Finding]:
    if not dispatches:
        return
    message = f"hides {plural(len(dispatches), 'dispatch')}, first {dispatches[0]}: {_causes(db, dispatches[0])}"
    yield Finding("error", "foreign-hidden", f"{db.path.name}: {view}", message)


def _causes(db: Database, dispatch_id: int) -> str:
    """What a dispatch refers to and is not there."""
    referred = {
        "event_id": "rocpd_event",
        "kernel_id": "rocpd_info_kernel_symbol",
        "tid": "rocpd_info_thread",
        "queue_id": "rocpd_info_queue",
        "agent_id": "rocpd_info_agent",
        "pid": "rocpd_info_process",
        "region_name_id": "rocpd_string",
    }
    missing = []
    for column, table in referred.items():
        if not db.has(table) or column not in db.columns("rocpd_kernel_dispatch"):
            continue
        sql = (
            f"SELECT k.{column} AS value FROM rocpd_kernel_dispatch k LEFT JOIN {table} t ON t.id = k.{column} "  # noqa: S608
            "AND t.guid = k.guid WHERE k.dispatch_id = ? AND t.id IS NULL LIMIT 1"
        )
        missing += [
            f"{column} is NULL" if r["value"] is None else f"{column} {r['value']} is not in {table}"
            for r in db.rows(sql, (dispatch_id,))
        ]
    return ", ".join(missing) or "the view joins something that is not there"
