# SPDX-License-Identifier: MIT
"""Which dispatch of one side is which of the other, in temporary tables.

`placed`: the dispatches of this tool's file that are, or will be, in the copy: their row and event there, and whether
they are to be added. `rejected`: dispatches that are not brought together, with the reason. Matched are dispatches by
process, GPU and dispatch id. Times decide nothing, they only confirm: a row that is kept must have the times that this
tool has for the dispatch.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from rocprofsys_multipass.merge.database.sides import Sides

# Without the ending of its descriptor, which some texts leave out.
_MANGLED: Final = (
    "CASE substr(kernel_name, -3) WHEN '.kd' THEN substr(kernel_name, 1, length(kernel_name) - 3) ELSE kernel_name END"
)
_KERNELS: Final = """
CREATE TEMP TABLE kernel_name (side INTEGER, id INTEGER, name TEXT);
INSERT INTO kernel_name SELECT 0, id, ~ FROM own.info_kernel_symbol;
INSERT INTO kernel_name SELECT 0, id, display_name FROM own.info_kernel_symbol;
INSERT INTO kernel_name SELECT 1, id, ~ FROM host.info_kernel_symbol
  WHERE guid = :guid AND pid = :process;
INSERT INTO kernel_name SELECT 1, id, display_name FROM host.info_kernel_symbol WHERE guid = :guid AND pid = :process;
CREATE INDEX temp.kernel_of_name ON kernel_name (side, name);
CREATE TEMP TABLE kernel_pair (own_id INTEGER, host_id INTEGER, PRIMARY KEY (own_id, host_id)) WITHOUT ROWID;
INSERT OR IGNORE INTO kernel_pair SELECT o.id, h.id FROM kernel_name o
  JOIN kernel_name h ON h.side = 1 AND h.name = o.name WHERE o.side = 0;
INSERT OR IGNORE INTO kernel_pair SELECT o.id, h.id FROM own.info_kernel_symbol o
  JOIN host.info_kernel_symbol h ON h.id = o.id AND h.guid = :guid AND h.pid = :process WHERE o.kernel_name IS NULL;
"""
_HOST_ROWS: Final = """
CREATE TEMP TABLE host_row AS SELECT id, dispatch_id, agent_id, kernel_id, event_id, start, "end" AS stop
  FROM host.kernel_dispatch WHERE guid = :guid AND pid = :process;
CREATE INDEX temp.host_row_of ON host_row (dispatch_id, start, id);
CREATE TEMP TABLE host_dispatch AS SELECT dispatch_id, COUNT(*) AS n, MIN(agent_id) AS agent_id,
  MAX(agent_id) AS last_agent_id, MIN(start) AS first FROM host_row GROUP BY dispatch_id;
CREATE INDEX temp.host_dispatch_of ON host_dispatch (dispatch_id);
CREATE TEMP TABLE placed (row_id INTEGER PRIMARY KEY, event_id INTEGER, own_id INTEGER, own_event INTEGER,
  agent_id INTEGER, added INTEGER);
CREATE TEMP TABLE rejected (dispatch_id INTEGER, reason TEXT);
"""
# `fewest`, `most`: executions that there can be. Of a replay that broke off it is not known how many ran.
_OWN_ROWS: Final = """
CREATE TEMP TABLE own_row AS
SELECT id, dispatch_id, agent_id, event_id, kernel_id, start, "end" AS stop, extras,
  MAX(ran, 1) + extras AS fewest,
  CASE outcome WHEN 'incomplete' THEN MAX(ran, planned, 1) ELSE MAX(ran, 1) END + extras AS most,
  MIN(workgroup_size_x, workgroup_size_y, workgroup_size_z, grid_size_x, grid_size_y, grid_size_z) AS least_size
FROM (
  SELECT d.*, json_extract(d.extdata, '$.replay.outcome') AS outcome,
    IFNULL(json_extract(d.extdata, '$.replay.executions'), 1) AS ran,
    IFNULL(json_extract(d.extdata, '$.replay.passes'), 1) AS planned,
    (json_type(d.extdata, '$.replay.warm_up') IS NOT NULL) + (json_type(d.extdata, '$.replay.timing') IS NOT NULL)
      AS extras
  FROM own.kernel_dispatch d);
CREATE INDEX temp.own_row_of ON own_row (dispatch_id);
"""
_JUDGED: Final = """
CREATE TEMP TABLE judged AS
SELECT o.id AS own_id, o.event_id AS own_event, o.dispatch_id, r.id AS row_id, r.event_id, a.host_id AS agent_id,
  CASE
  WHEN a.host_id IS NULL THEN 'its GPU (agent ' || o.agent_id || ') is another one there'
  WHEN h.dispatch_id IS NULL THEN CASE
    WHEN o.start = 0 AND o.stop = 0 THEN 'its times are not known, and it is not recorded there'
    WHEN o.stop <= o.start THEN 'its times are ' || o.start || ' to ' || o.stop || ', and it is not recorded there'
    WHEN o.least_size < 1 THEN 'its launch shape is not known, and it is not recorded there' END
  WHEN h.agent_id <> a.host_id OR h.last_agent_id <> a.host_id THEN 'it is on another GPU there'
  WHEN h.n NOT BETWEEN o.fewest AND o.most THEN
    'it is there ' || h.n || ' times, and was executed ' || o.fewest || ' times'
  WHEN o.start = 0 AND o.stop = 0 THEN 'its times are not known to this tool'
  WHEN r.id IS NULL OR (r.start <> h.first AND NOT o.extras) THEN
    'it starts at ' || h.first || ' there, and at ' || o.start || ' by this tool'
  WHEN r.stop <> o.stop THEN 'it ends at ' || r.stop || ' there, and at ' || o.stop || ' by this tool'
  WHEN r.event_id IS NULL THEN 'it has no event there'
  WHEN NOT EXISTS (SELECT 1 FROM kernel_pair p WHERE p.own_id = o.kernel_id AND p.host_id = r.kernel_id) THEN
    'it is of another kernel there' END AS reason
FROM own_row o LEFT JOIN agent_map a ON a.own_id = o.agent_id LEFT JOIN host_dispatch h ON h.dispatch_id = o.dispatch_id
LEFT JOIN host_row r ON r.id = (SELECT x.id FROM host_row x WHERE x.dispatch_id = o.dispatch_id AND x.start = o.start
  ORDER BY x.id LIMIT 1);
"""
_PLACED: Final = """
INSERT INTO placed SELECT row_id, event_id, own_id, own_event, agent_id, 0 FROM judged
  WHERE reason IS NULL AND row_id IS NOT NULL;
INSERT INTO placed SELECT :row + ROW_NUMBER() OVER (ORDER BY own_id), :event + ROW_NUMBER() OVER (ORDER BY own_id),
  own_id, own_event, agent_id, 1 FROM judged WHERE reason IS NULL AND row_id IS NULL;
INSERT INTO rejected SELECT dispatch_id, reason FROM judged WHERE reason IS NOT NULL;
INSERT INTO rejected SELECT dispatch_id, 'it is recorded there only' FROM host_dispatch h
  WHERE NOT EXISTS (SELECT 1 FROM own_row o WHERE o.dispatch_id = h.dispatch_id);
"""
_JOINED: Final = """
INSERT INTO placed SELECT r.id, r.event_id, o.id, o.event_id, r.agent_id, 0 FROM joined j
  JOIN host_dispatch h ON h.dispatch_id = j.host_id AND h.n = 1 JOIN host_row r ON r.dispatch_id = j.host_id
  JOIN own_row o ON o.dispatch_id = j.own_id JOIN kernel_pair p ON p.own_id = o.kernel_id AND p.host_id = r.kernel_id
  WHERE r.event_id IS NOT NULL;
INSERT INTO rejected SELECT j.host_id, CASE
  WHEN h.n IS NULL THEN 'it is not recorded there'
  WHEN h.n > 1 THEN 'it is there ' || h.n || ' times'
  WHEN o.id IS NULL THEN 'dispatch ' || j.own_id || ', which it is joined with, was not recorded by this tool'
  WHEN r.event_id IS NULL THEN 'it has no event there'
  ELSE 'dispatch ' || j.own_id || ', which it is joined with, is of another kernel' END
  FROM joined j LEFT JOIN host_dispatch h ON h.dispatch_id = j.host_id LEFT JOIN own_row o ON o.dispatch_id = j.own_id
  LEFT JOIN host_row r ON r.dispatch_id = j.host_id AND h.n = 1
  WHERE r.id IS NULL OR r.id NOT IN (SELECT row_id FROM placed);
"""
# With what is looked up for each value, so that the row itself need not be found.
_INDEXES: Final = """
CREATE INDEX temp.placed_own ON placed (own_id, agent_id);
CREATE INDEX temp.placed_event ON placed (own_event, agent_id, event_id);
"""
_AGENTS: Final = "SELECT * FROM own.info_agent WHERE type = 'GPU' ORDER BY absolute_index, id"
_HOST_AGENTS: Final = "SELECT * FROM host.info_agent WHERE type = 'GPU' AND guid = :guid AND pid = :process ORDER BY id"


def match(sides: Sides, join: Mapping[int, int] | None) -> None:
    """Makes `placed` and `rejected`, and `agent_map` and `kernel_pair` on the way."""
    _script(sides, _KERNELS.replace("~", _MANGLED) + _HOST_ROWS)
    _script(sides, _OWN_ROWS)
    if join is None:
        _match_agents(sides)
        _script(sides, _JUDGED)
        _script(sides, _PLACED, row=sides.last_id("kernel_dispatch"), event=sides.last_id("event"))
    else:
        sides.run("CREATE TEMP TABLE joined (host_id INTEGER PRIMARY KEY, own_id INTEGER)")
        sides.connection.executemany("INSERT INTO joined VALUES (?, ?)", join.items())
        _script(sides, _JOINED)
    _script(sides, _INDEXES)


def _script(sides: Sides, text: str, **more: object) -> None:
    for statement in text.split(";\n"):
        if statement.strip():
            sides.run(statement, **more)


def _match_agents(sides: Sides) -> None:
    """Ids of agents are made up by rocprof-sys: the same GPU has the same index and name. One not there is added."""
    sides.run("CREATE TEMP TABLE agent_map (own_id INTEGER PRIMARY KEY, host_id INTEGER)")
    theirs = list(sides.mappings(_HOST_AGENTS))
    for own in list(sides.mappings(_AGENTS)):
        alike = [
            [h for h in theirs if own[index] is not None and h[index] == own[index]]
            for index in ("absolute_index", "type_index")
        ]
        same = next((h for of_index in alike for h in of_index if _same_name(own, h)), None)
        if same is not None:
            found = same["id"]
        elif any(alike):
            continue  # its dispatches are rejected
        else:
            found = sides.carry("info_agent", own)
        sides.run("INSERT INTO agent_map VALUES (:own, :host)", own=own["id"], host=found)


def _same_name(own: Mapping[str, Any], host: Mapping[str, Any]) -> bool:
    return not host["name"] or own["name"] in (host["name"], host["model_name"], host["product_name"])
