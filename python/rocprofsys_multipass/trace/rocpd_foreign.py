# SPDX-License-Identifier: MIT
"""Executions and counters of dispatches in a database of rocprofv3, rocprof-sys or another tool.

docs/formats/foreign.md describes the shapes. Base tables are read, never the views, whose inner joins hide rows and
whose sums hide passes; columns are found by name, never by place or by the number of the schema.
"""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final

from rocprofsys_multipass.trace.agent import Agent
from rocprofsys_multipass.trace.canonical import mark_canonical
from rocprofsys_multipass.trace.database import Database, Key, json_object, times_of
from rocprofsys_multipass.trace.model import OURS, ROCPROF_SYS, ROCPROFV3, UNKNOWN, Pass, Reading
from rocprofsys_multipass.trace.rocprof_sys import (
    BY_QUEUE,
    OF_JOIN,
    Pulses,
    Span,
    counter_of,
    readings_of,
    unclaimed_note,
)

Row = sqlite3.Row

_KERNEL_DISPATCH: Final = {"KERNEL_DISPATCH": ROCPROFV3, BY_QUEUE: ROCPROF_SYS}  # categories of their events
_CATEGORIES: Final = (
    "SELECT DISTINCT s.string AS category FROM (SELECT guid, MIN(event_id) AS event_id FROM rocpd_kernel_dispatch "
    "GROUP BY guid) d JOIN rocpd_event e ON e.id = d.event_id AND e.guid = d.guid "
    "JOIN rocpd_string s ON s.id = e.category_id AND s.guid = e.guid"
)
# What belongs to dispatches: `{}` leaves streamed samples out where the schema has them.
_OF_DISPATCHES: Final = (
    "FROM rocpd_pmc_event v JOIN rocpd_info_pmc i ON i.id = v.pmc_id AND i.guid = v.guid WHERE v.value IS NOT NULL "
    "AND v.event_id IN (SELECT event_id FROM rocpd_kernel_dispatch){}"
)
_SAMPLES: Final = (
    "SELECT s.guid, s.timestamp, i.agent_id, i.name, v.value FROM rocpd_sample s "
    "JOIN rocpd_pmc_event v ON v.event_id = s.event_id AND v.guid = s.guid "
    "JOIN rocpd_info_pmc i ON i.id = v.pmc_id AND i.guid = v.guid WHERE v.value IS NOT NULL ORDER BY s.timestamp, s.id"
)
# Notes, with the number of dispatches.
_BY_START: Final = (
    "no row says which pass it is: those of a dispatch are taken as its passes, in order of start (dispatches: {})"
)
_MIXED: Final = (
    "the counters of several passes are in one row, and nothing says which: one that is there again has the value that "
    "the order of rows gives for the first (dispatches: {})"
)

_SHARED: Final = "counters of an event that another dispatch has too are in both (dispatches: {})"


def tool_of(db: Database) -> str:
    """Which tool wrote a database."""
    if db.tag("replay_layout") or db.has("rocpd_replay_pass"):
        return OURS
    if db.tag("upid"):
        return ROCPROF_SYS
    if db.has("rocpd_event") and db.has("rocpd_string") and "category_id" in db.columns("rocpd_event"):
        tools = {_KERNEL_DISPATCH.get(r["category"], UNKNOWN) for r in db.rows(_CATEGORIES)}
        if len(tools) == 1:
            return tools.pop()
    names = db.rows("SELECT DISTINCT name FROM rocpd_info_pmc")
    return ROCPROF_SYS if any(counter_of(str(r["name"])) for r in names) else UNKNOWN


@dataclass(frozen=True)
class Executions:
    """Each dispatch, by the row that stands for it, with its executions; and notes by guid."""

    of_dispatch: list[tuple[Row, list[Pass]]]
    notes: Mapping[str, list[str]]


@dataclass
class _Counted:
    """The counters of one event. `passes`: of how many executions they are, as far as the order of rows tells."""

    readings: list[Reading]
    passes: int = 1


@dataclass
class _Reader:
    db: Database
    rows: Sequence[Row]
    agents: Mapping[Key, Agent]
    notes: dict[str, dict[str, int]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(int)))

    def read(self) -> Executions:
        counted = _counters_of_events(self.db)
        sampled, unclaimed = self._sampled()
        streamed = _streamed(self.db)
        self._note_shared(counted)
        numbered = "replay_pass" in self.db.columns("rocpd_kernel_dispatch")
        found = []
        for of_dispatch in self._dispatches():
            passes = [
                self._pass(row, index, counted, sampled)
                for index, row in self._in_order(of_dispatch, numbered=numbered)
            ]
            agent = self.agents.get((of_dispatch[0]["guid"], of_dispatch[0]["agent_id"]))
            found.append((of_dispatch[0], list(mark_canonical(passes, agent)) if agent else passes))
        notes: dict[str, list[str]] = {
            guid: [text.format(count) for text, count in texts.items()] for guid, texts in self.notes.items()
        }
        for more in (unclaimed, streamed):
            for guid, text in more.items():
                notes.setdefault(guid, []).append(text)
        return Executions(found, notes)

    def _note_shared(self, counted: Mapping[Key, _Counted]) -> None:
        for key, rows in Counter((row["guid"], row["event_id"]) for row in self.rows).items():
            if rows > 1 and key in counted:
                self.notes[key[0]][_SHARED] += rows

    def _dispatches(self) -> Iterator[list[Row]]:
        """The rows of each dispatch: an id is unique in a process, and a replayed one may have several."""
        grouped: dict[tuple[object, ...], list[Row]] = defaultdict(list)
        for row in self.rows:
            grouped[row["guid"], row["pid"], row["dispatch_id"], row["agent_id"], row["kernel_id"]].append(row)
        return iter(grouped.values())

    def _in_order(self, rows: list[Row], *, numbered: bool) -> list[tuple[int | None, Row]]:
        """Rows of a dispatch with the pass that each is; without numbers, by their start."""
        if numbered and any(row["replay_pass"] is not None for row in rows):
            rows.sort(key=lambda r: -1 if r["replay_pass"] is None else r["replay_pass"])
            return [(row["replay_pass"], row) for row in rows]
        if len(rows) == 1:
            return [(None, rows[0])]
        rows.sort(key=lambda r: (r["start"], r["id"]))
        self.notes[rows[0]["guid"]][_BY_START] += 1
        return list(enumerate(rows))

    def _pass(
        self,
        row: Row,
        index: int | None,
        counted: Mapping[Key, _Counted],
        sampled: Mapping[Key, Mapping[Span, dict[str, float]]],
    ) -> Pass:
        start_ns, end_ns = times_of(row)
        guid = row["guid"]
        own = counted.get((guid, row["event_id"]), _Counted([]))
        beside = sampled.get((guid, row["agent_id"]), {}).get((row["start"], row["end"]), {})
        there = {r.counter for r in own.readings}
        readings = [*own.readings, *(Reading(c, v) for c, v in beside.items() if c not in there)]
        joined = json_object(row["extdata"]).get(OF_JOIN)
        replayed = isinstance(joined, dict) and joined.get("outcome") == "replayed"
        mixed = own.passes > 1 or replayed
        if mixed and not replayed:
            self.notes[guid][_MIXED] += 1
        return Pass(index, index or 0, start_ns, end_ns, tuple(readings), mixed=mixed)

    def _sampled(self) -> tuple[Mapping[Key, Mapping[Span, dict[str, float]]], Mapping[str, str]]:
        """The counters that rocprof-sys keeps as samples: of each agent, by times; and what is left over, by guid."""
        if not {"timestamp", "event_id"} <= self.db.columns("rocpd_sample"):
            return {}, {}
        self.db.check_types("rocpd_sample", {"guid": "text", "timestamp": "integer", "event_id": "integer?"})
        devices = {(guid, a.device): row for (guid, row), a in self.agents.items() if a.device is not None}
        tracks: dict[Key, dict[str, Pulses]] = defaultdict(dict)
        for r in self.db.rows(_SAMPLES):
            named = counter_of(str(r["name"]))
            if named is None:
                continue
            agent = r["agent_id"] if r["agent_id"] is not None else devices.get((r["guid"], named[1]), -1)
            track = tracks[r["guid"], agent].setdefault(named[0], Pulses(named[0]))
            track.add(r["timestamp"], r["value"])
        executions: dict[Key, list[Span]] = defaultdict(list)
        for row in self.rows:
            executions[row["guid"], row["agent_id"]].append((row["start"], row["end"]))
        found = {key: readings_of(of_agent.values(), executions[key]) for key, of_agent in tracks.items()}
        by_guid: dict[str, list[Pulses]] = defaultdict(list)
        for (guid, agent), of_agent in tracks.items():
            counted = {c for one in found[guid, agent].values() for c in one}
            # Utilisation, power and the like have such names too, and never fit a dispatch.
            by_guid[guid] += [track for counter, track in of_agent.items() if counter in counted]
        return found, {guid: text for guid, of in by_guid.items() if (text := unclaimed_note(of))}


def _streamed_rows(db: Database) -> str:
    """The condition that leaves out samples which the SDK streams during a dispatch (schema 3.0.3)."""
    return " AND v.sample_id IS NULL" if "sample_id" in db.columns("rocpd_pmc_event") else ""


def _streamed(db: Database) -> Mapping[str, str]:
    """How many of those there are, by guid, for a note."""
    if "sample_id" not in db.columns("rocpd_pmc_event"):
        return {}
    rows = db.rows(
        "SELECT guid, COUNT(*) AS n FROM rocpd_pmc_event WHERE sample_id IS NOT NULL "
        "AND event_id IN (SELECT event_id FROM rocpd_kernel_dispatch) GROUP BY guid"
    )
    return {r["guid"]: f"{r['n']} streamed samples of counters are left out" for r in rows}


def _counters_of_events(db: Database) -> dict[Key, _Counted]:
    """The counters on each event of a dispatch, instances summed."""
    of_dispatches = _OF_DISPATCHES.format(_streamed_rows(db))
    sql = (
        "SELECT v.guid, v.event_id, i.name, SUM(v.value) AS value, MIN(v.id) AS low, MAX(v.id) AS high "
        f"{of_dispatches} GROUP BY v.guid, v.event_id, i.name ORDER BY v.guid, v.event_id, low"
    )
    found: dict[Key, _Counted] = {}
    again: set[Key] = set()
    high = 0
    for r in db.rows(sql):
        key = (r["guid"], r["event_id"])
        if key not in found:
            found[key], high = _Counted([]), 0
        found[key].readings.append(Reading(r["name"], r["value"]))
        if r["low"] < high:  # a counter has rows among those of another one
            again.add(key)
        high = max(high, r["high"])
    if again:
        rows = db.rows(f"SELECT v.guid, v.event_id, i.name, v.value {of_dispatches} ORDER BY v.guid, v.event_id, v.id")
        for key, of_event in groupby(rows, key=lambda r: (r["guid"], r["event_id"])):
            if key in again:
                passes = passes_by_order([(r["name"], r["value"]) for r in of_event])
                if len(passes) > 1:
                    first = {name: value for one in reversed(passes) for name, value in one.items()}
                    found[key] = _Counted([Reading(name, value) for name, value in first.items()], len(passes))
    return found


def passes_by_order(records: Sequence[tuple[str, float]]) -> list[dict[str, float]]:
    """The passes that records of one event were read in, each with its counters, as far as their order tells.

    A pass begins where a counter is there again after others. That is an inference, made only where each pass then has
    a counter that no other has: records of one pass, in whatever order, do not look so. Else all are one pass.
    """
    passes: list[dict[str, float]] = [{}]
    before = ""
    for name, value in records:
        if name != before and name in passes[-1]:
            passes.append({})
        passes[-1][name] = passes[-1].get(name, 0.0) + value
        before = name
    everywhere: dict[str, int] = defaultdict(int)
    for one in passes:
        for name in one:
            everywhere[name] += 1
    if all(any(everywhere[name] == 1 for name in one) for one in passes):
        return passes
    total: dict[str, float] = {}
    for name, value in records:
        total[name] = total.get(name, 0.0) + value
    return [total]


def executions_of(db: Database, rows: Sequence[Row], agents: Mapping[Key, Agent]) -> Executions:
    """The executions of the dispatches in a database without side tables of this tool."""
    return _Reader(db, rows, agents).read()
