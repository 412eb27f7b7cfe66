# SPDX-License-Identifier: MIT
"""Takes executions out of the copy, and adds dispatches and counters to it, by what `match` found."""

from __future__ import annotations

from typing import Final

from rocprofsys_multipass.merge.database.sides import Sides
from rocprofsys_multipass.trace.rocprof_sys import BY_QUEUE

_GONE: Final = (
    "CREATE TEMP TABLE gone AS SELECT r.id, r.event_id FROM placed p JOIN own_row o ON o.id = p.own_id "
    "JOIN host_row r ON r.dispatch_id = o.dispatch_id AND r.id <> p.row_id WHERE NOT p.added"
)
_EVENTS: Final = (
    "INSERT INTO host.event (id, guid, category_id, stack_id, parent_stack_id, correlation_id, call_stack, line_info, "
    "extdata) SELECT p.event_id, :guid, :category, e.stack_id, 0, 0, '{}', '{}', '{}' FROM placed p "
    "JOIN own.event e ON e.id = p.own_event WHERE p.added ORDER BY p.event_id"
)
_AS_THEY_ARE: Final = ", ".join(
    (
        *("dispatch_id", "start", '"end"', "private_segment_size", "group_segment_size"),
        *(f"{what}_size_{axis}" for what in ("workgroup", "grid") for axis in "xyz"),
        "extdata",
    )
)
_DISPATCHES: Final = (
    "INSERT INTO host.kernel_dispatch (id, guid, nid, pid, tid, agent_id, kernel_id, queue_id, stream_id, "  # noqa: S608
    f"region_name_id, event_id, {_AS_THEY_ARE}) "
    "SELECT p.row_id, :guid, :nid, :process, t.host_id, p.agent_id, k.host_id, q.host_id, s.host_id, "
    f"(SELECT r.id FROM host.string r WHERE r.string = k.name), p.event_id, {_AS_THEY_ARE} "
    "FROM placed p JOIN own.kernel_dispatch d ON d.id = p.own_id JOIN info_thread_map t ON t.own_id = d.tid "
    "JOIN info_kernel_symbol_map k ON k.own_id = d.kernel_id JOIN info_queue_map q ON q.own_id = d.queue_id "
    "JOIN info_stream_map s ON s.own_id = d.stream_id WHERE p.added ORDER BY p.row_id"
)
# What is no JSON object there is of no use to anyone who reads it as such: rocprof-sys leaves an empty text.
_EXTDATA: Final = (
    "UPDATE host.kernel_dispatch SET extdata = (SELECT json_set(CASE WHEN NOT json_valid(extdata) THEN '{}' "
    "WHEN json_type(extdata) = 'object' THEN extdata ELSE '{}' END, :path, json(told)) "
    "FROM (SELECT p.row_id, %s AS told FROM placed p JOIN own.kernel_dispatch d ON d.id = p.own_id) WHERE row_id = id) "
    "WHERE id IN (SELECT row_id FROM placed WHERE NOT added)"
)
_COUNTED: Final = (
    "CREATE TEMP TABLE counted AS SELECT DISTINCT v.event_id, v.pmc_id FROM host.pmc_event v WHERE v.guid = :guid "
    "AND v.pmc_id IN (SELECT host_id FROM pmc_map WHERE NOT added)"
)
_VALUES: Final = (
    "INSERT INTO host.pmc_event (guid, event_id, pmc_id, value, extdata) "
    "SELECT :guid, p.event_id, m.host_id, v.value, '{}' FROM own.pmc_event v JOIN placed p ON p.own_event = v.event_id "
    "JOIN pmc_map m ON m.own_id = v.pmc_id AND m.agent_id = p.agent_id "
    "WHERE NOT EXISTS (SELECT 1 FROM counted c WHERE c.event_id = p.event_id AND c.pmc_id = m.host_id) ORDER BY v.id"
)
_PASSES: Final = (
    'INSERT INTO host.replay_pass (id, guid, kernel_dispatch_id, dispatch_id, replay_pass, start, "end", status, '
    "extdata) SELECT r.id + :first_pass, :guid, p.row_id, r.dispatch_id, r.replay_pass, r.start, "
    'r."end", r.status, r.extdata FROM own.replay_pass r JOIN placed p ON p.own_id = r.kernel_dispatch_id ORDER BY r.id'
)
# A pass has many readings: its dispatch is looked up once.
_AGENTS_OF_PASSES: Final = (
    "INSERT INTO pass_agent SELECT r.id, p.agent_id FROM own.replay_pass r JOIN placed p ON p.own_id = "
    "r.kernel_dispatch_id ORDER BY r.id"
)
_READINGS: Final = (
    "INSERT INTO host.replay_pmc (id, guid, replay_pass_id, pmc_id, value, instance_id, is_canonical, extdata) "
    "SELECT v.id + :first_reading, :guid, v.replay_pass_id + :first_pass, m.host_id, v.value, v.instance_id, "
    "v.is_canonical, v.extdata FROM own.replay_pmc v JOIN pass_agent a ON a.pass = v.replay_pass_id "
    "JOIN pmc_map m ON m.own_id = v.pmc_id AND m.agent_id = a.agent_id ORDER BY v.id"
)


def remove_executions(sides: Sides) -> int:
    """Takes out the rows of passes after the one that stands for its dispatch, their events and arguments; how many.

    An event that anything else refers to stays: of that nothing is taken away.
    """
    sides.run(_GONE)
    gone = sides.number("SELECT COUNT(*) FROM gone")
    if not gone:
        return 0
    sides.run("DELETE FROM host.kernel_dispatch WHERE id IN (SELECT id FROM gone)")
    sides.run("CREATE TEMP TABLE gone_event (id INTEGER PRIMARY KEY)")
    sides.run("INSERT OR IGNORE INTO gone_event SELECT event_id FROM gone WHERE event_id IS NOT NULL")
    arguments = f"rocpd_arg{sides.host.suffix}"
    for table, column in _references_to_events(sides):
        if table != arguments:
            sql = 'DELETE FROM gone_event WHERE id IN (SELECT "{}" FROM main."{}" WHERE "{}" IS NOT NULL)'
            sides.connection.execute(sql.format(column, table, column))
    sides.run("DELETE FROM host.arg WHERE event_id IN (SELECT id FROM gone_event)")
    sides.run("DELETE FROM host.event WHERE id IN (SELECT id FROM gone_event)")
    return gone


def _references_to_events(sides: Sides) -> list[tuple[str, str]]:
    """Table and column of all that names an event, by its foreign key or by the name of the column."""
    sql = (
        "SELECT m.name, f.\"from\" FROM main.sqlite_master m, pragma_foreign_key_list(m.name, 'main') f "
        "WHERE m.type = 'table' AND f.\"table\" = :events UNION "
        "SELECT m.name, c.name FROM main.sqlite_master m, pragma_table_info(m.name, 'main') c "
        "WHERE m.type = 'table' AND c.name = 'event_id' AND substr(m.name, -length(:suffix)) = :suffix"
    )
    suffix = sides.host.suffix
    values = {"events": f"rocpd_event{suffix}", "suffix": suffix}
    return [
        (table.replace('"', '""'), column.replace('"', '""')) for table, column in sides.connection.execute(sql, values)
    ]


def add_dispatches(sides: Sides) -> int:
    """Adds the dispatches that rocprof-sys did not record as it would have, with all that they refer to; how many."""
    added = sides.number("SELECT COUNT(*) FROM placed WHERE added")
    if added:
        _map(sides, "info_thread", "tid", "h.tid = o.tid")
        _map(sides, "info_queue", "queue_id", "h.id = o.id")
        _map(sides, "info_stream", "stream_id", "h.id = o.id")
        _map_kernels(sides)
        sides.run(_EVENTS, category=_string(sides, BY_QUEUE))
        sides.run(_DISPATCHES)
    return added


def _map(sides: Sides, table: str, column: str, same: str) -> None:
    """`<table>_map`: rows that added dispatches refer to, and their rows in the host, added where it has none."""
    sides.run(f"CREATE TEMP TABLE {table}_map (own_id INTEGER PRIMARY KEY, host_id INTEGER, name TEXT)")
    sides.run(
        f"INSERT INTO {table}_map (own_id, host_id) SELECT o.id, (SELECT MIN(h.id) FROM host.{table} h "  # noqa: S608
        f"WHERE h.guid = :guid AND h.pid = :process AND {same}) FROM own.{table} o WHERE o.id IN "
        f"(SELECT d.{column} FROM own.kernel_dispatch d JOIN placed p ON p.own_id = d.id WHERE p.added)"
    )
    missing = f"SELECT * FROM own.{table} WHERE id IN (SELECT own_id FROM {table}_map WHERE host_id IS NULL)"  # noqa: S608
    for row in list(sides.mappings(missing)):
        host = sides.carry(table, row if table != "info_thread" else {**row, "id": None})
        sides.run(f"UPDATE {table}_map SET host_id = :host WHERE own_id = :own", own=row["id"], host=host)  # noqa: S608


def _map_kernels(sides: Sides) -> None:
    """The same for kernels, which are found by name; the one with the same id where several have it."""
    own = "SELECT d.kernel_id FROM own.kernel_dispatch d JOIN placed p ON p.own_id = d.id WHERE p.added"
    sides.run("CREATE TEMP TABLE info_kernel_symbol_map (own_id INTEGER PRIMARY KEY, host_id INTEGER, name TEXT)")
    sides.run(
        "INSERT INTO info_kernel_symbol_map (own_id, host_id) SELECT o.id, "  # noqa: S608
        "IFNULL(MAX(CASE p.host_id WHEN o.id THEN o.id END), MIN(p.host_id)) "
        "FROM own.info_kernel_symbol o LEFT JOIN kernel_pair p ON p.own_id = o.id "
        f"WHERE o.id IN ({own}) GROUP BY o.id"
    )
    objects: dict[int, int] = {}
    missing = (
        "SELECT * FROM own.info_kernel_symbol WHERE id IN "
        "(SELECT own_id FROM info_kernel_symbol_map WHERE host_id IS NULL)"
    )
    for row in list(sides.mappings(missing)):
        code = row["code_object_id"]
        if code not in objects:
            objects[code] = _code_object(sides, code)
        host = sides.carry("info_kernel_symbol", row, code_object_id=objects[code])
        sides.run("UPDATE info_kernel_symbol_map SET host_id = :host WHERE own_id = :own", own=row["id"], host=host)
    sides.run(
        "UPDATE info_kernel_symbol_map SET name = (SELECT IFNULL(h.display_name, IFNULL(h.kernel_name, '')) "
        "FROM host.info_kernel_symbol h WHERE h.id = host_id)"
    )
    for (name,) in sides.run("SELECT DISTINCT name FROM info_kernel_symbol_map").fetchall():
        _string(sides, name)


def _code_object(sides: Sides, number: int) -> int:
    """Row of a code object of this tool's file in the host."""
    there = "SELECT MAX(id) FROM host.info_code_object WHERE id = :id AND guid = :guid AND pid = :process"
    (found,) = sides.run(there, id=number).fetchone()
    if found is not None:
        return int(found)
    (row,) = sides.mappings(f"SELECT * FROM own.info_code_object WHERE id = {int(number)}")  # noqa: S608
    (agent,) = sides.run("SELECT MAX(host_id) FROM agent_map WHERE own_id = :id", id=row["agent_id"]).fetchone()
    return sides.carry("info_code_object", row, agent_id=agent)


def _string(sides: Sides, text: str) -> int:
    """Row of a text in the host, added where it is not there."""
    found = sides.run("SELECT id FROM host.string WHERE string = :text", text=text).fetchone()
    return int(found[0]) if found else sides.insert("string", {"guid": sides.host.guid, "string": text})


def describe_dispatches(sides: Sides, *, joined: bool) -> None:
    """Tells in `extdata` of the rows that were there what became of the dispatch, or what it was joined with."""
    of_join = (
        "json_object('guid', d.guid, 'dispatch_id', d.dispatch_id, "
        "'outcome', json_extract(d.extdata, '$.replay.outcome'))"
    )
    own = of_join if joined else "json_extract(d.extdata, '$.replay')"
    sides.run(_EXTDATA % own, path="$.joined" if joined else "$.replay")


def add_counters(sides: Sides, *, joined: bool) -> list[int]:
    """Adds the counters of the dispatches to their events, each once; the rows of `info_pmc` that they are of.

    A counter that the host has on the event of a dispatch already keeps that value.
    """
    sides.run(
        "CREATE TEMP TABLE pmc_map (own_id INTEGER, agent_id INTEGER, host_id INTEGER, added INTEGER, "
        "PRIMARY KEY (own_id, agent_id)) WITHOUT ROWID"
    )
    planned = (
        "SELECT i.*, a.host_id AS host_agent FROM own.info_pmc i JOIN agent_map a ON a.own_id = i.agent_id "
        "ORDER BY i.id"
    )
    read = (
        "SELECT i.*, w.agent_id AS host_agent FROM (SELECT DISTINCT v.pmc_id, p.agent_id FROM own.pmc_event v "
        "JOIN placed p ON p.own_event = v.event_id) w JOIN own.info_pmc i ON i.id = w.pmc_id ORDER BY i.id, w.agent_id"
    )
    for row in list(sides.mappings(read if joined else planned)):
        agent = row["host_agent"]
        found = sides.run(
            "SELECT id FROM host.info_pmc WHERE guid = :guid AND agent_id = :agent AND name = :name",
            agent=agent,
            name=row["name"],
        ).fetchone()
        host = found[0] if found else sides.carry("info_pmc", {**row, "id": None}, agent_id=agent)
        values = {"own": row["id"], "agent": agent, "host": host, "added": not found}
        sides.run("INSERT INTO pmc_map VALUES (:own, :agent, :host, :added)", **values)
    sides.run(_COUNTED)
    sides.run("CREATE INDEX temp.counted_at ON counted (event_id, pmc_id)")
    sides.run(_VALUES)
    return [row[0] for row in sides.run("SELECT DISTINCT host_id FROM pmc_map ORDER BY host_id")]


def add_passes(sides: Sides) -> None:
    """Adds every reading of every pass."""
    first_pass = sides.number("SELECT MAX(id) FROM host.replay_pass")
    first_reading = sides.number("SELECT MAX(id) FROM host.replay_pmc")
    sides.run(_PASSES, first_pass=first_pass)
    sides.run("CREATE TEMP TABLE pass_agent (pass INTEGER PRIMARY KEY, agent_id INTEGER)")
    sides.run(_AGENTS_OF_PASSES)
    sides.run(_READINGS, first_pass=first_pass, first_reading=first_reading)
