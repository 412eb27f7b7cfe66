# SPDX-License-Identifier: MIT
"""The rocpd schema of other tools, as text of its own: tables and views by their columns, types and joins.

After ROCm/rocm-systems projects/rocprofiler-sdk/source/share/rocprofiler-sdk-rocpd @1b1610fc (3.0.0) and @ba070c37
(3.0.3). `~` stands for the suffix of the physical tables.
"""

from __future__ import annotations

_ANY = "extdata JSONB NOT NULL DEFAULT '{}'"
_OF_PROCESS = (
    "nid INTEGER NOT NULL REFERENCES rocpd_info_node~(id), pid INTEGER NOT NULL REFERENCES rocpd_info_process~(id)"
)
_OF_THREAD = f"{_OF_PROCESS}, tid INTEGER REFERENCES rocpd_info_thread~(id)"
_NAMED = f"{_OF_PROCESS}, name TEXT, {_ANY}"
_TIMES = '"start" BIGINT NOT NULL, "end" BIGINT NOT NULL'
_AGENT = "agent_id INTEGER REFERENCES rocpd_info_agent~(id)"
_EVENT = f"event_id INTEGER REFERENCES rocpd_event~(id), {_ANY}"
_QUEUE = "queue_id INTEGER NOT NULL REFERENCES rocpd_info_queue~(id)"
_STREAM = "stream_id INTEGER NOT NULL REFERENCES rocpd_info_stream~(id)"
_SIZES = ", ".join(f"{what}_size_{axis} INTEGER NOT NULL" for what in ("workgroup", "grid") for axis in "xyz")
_STRING = "INTEGER REFERENCES rocpd_string~(id)"

TABLES = {
    "metadata": "tag TEXT NOT NULL, value TEXT NOT NULL",
    "string": "string TEXT NOT NULL UNIQUE",
    "info_node": "hash BIGINT NOT NULL UNIQUE, machine_id TEXT NOT NULL UNIQUE, system_name TEXT, hostname TEXT, "
    "release TEXT, version TEXT, hardware_name TEXT, domain_name TEXT",
    "info_process": "nid INTEGER NOT NULL REFERENCES rocpd_info_node~(id), ppid INTEGER, pid INTEGER NOT NULL, "
    f'init BIGINT, fini BIGINT, "start" BIGINT, "end" BIGINT, command TEXT, environment JSONB DEFAULT \'{{}}\', {_ANY}',
    "info_thread": "nid INTEGER NOT NULL REFERENCES rocpd_info_node~(id), ppid INTEGER, "
    f'pid INTEGER NOT NULL REFERENCES rocpd_info_process~(id), tid INTEGER NOT NULL, name TEXT, "start" BIGINT, '
    f'"end" BIGINT, {_ANY}',
    "info_agent": f"{_OF_PROCESS}, type TEXT CHECK (type IN ('CPU', 'GPU')), absolute_index INTEGER, "
    "logical_index INTEGER, type_index INTEGER, uuid INTEGER, name TEXT, model_name TEXT, vendor_name TEXT, "
    f"product_name TEXT, user_name TEXT, {_ANY}",
    "info_queue": _NAMED,
    "info_stream": _NAMED,
    "info_pmc": f"{_OF_PROCESS}, {_AGENT}, target_arch TEXT CHECK (target_arch IN ('CPU', 'GPU')), event_code INT, "
    "instance_id INTEGER, name TEXT NOT NULL, symbol TEXT NOT NULL, description TEXT, long_description TEXT, "
    "component TEXT, units TEXT, value_type TEXT CHECK (value_type IN ('ABS', 'ACCUM', 'RELATIVE')), block TEXT, "
    f"expression TEXT, is_constant INTEGER, is_derived INTEGER, {_ANY}",
    "info_code_object": f"{_OF_PROCESS}, {_AGENT}, uri TEXT, load_base BIGINT, load_size BIGINT, load_delta BIGINT, "
    f"storage_type TEXT CHECK (storage_type IN ('FILE', 'MEMORY')), {_ANY}",
    "info_kernel_symbol": f"{_OF_PROCESS}, code_object_id INTEGER NOT NULL REFERENCES rocpd_info_code_object~(id), "
    "kernel_name TEXT, display_name TEXT, kernel_object INTEGER, kernarg_segment_size INTEGER, "
    "kernarg_segment_alignment INTEGER, group_segment_size INTEGER, private_segment_size INTEGER, sgpr_count INTEGER, "
    f"arch_vgpr_count INTEGER, accum_vgpr_count INTEGER, {_ANY}",
    "track": "nid INTEGER NOT NULL REFERENCES rocpd_info_node~(id), pid INTEGER REFERENCES rocpd_info_process~(id), "
    f"tid INTEGER REFERENCES rocpd_info_thread~(id), name_id {_STRING}, {_ANY}",
    "event": f"category_id {_STRING}, stack_id INTEGER, parent_stack_id INTEGER, correlation_id INTEGER, "
    f"call_stack JSONB DEFAULT '{{}}', line_info JSONB DEFAULT '{{}}', {_ANY}",
    "arg": "event_id INTEGER NOT NULL REFERENCES rocpd_event~(id), position INTEGER NOT NULL, type TEXT NOT NULL, "
    f"name TEXT NOT NULL, value TEXT, {_ANY}",
    "pmc_event": "event_id INTEGER REFERENCES rocpd_event~(id), {sample_id}"
    "pmc_id INTEGER NOT NULL REFERENCES rocpd_info_pmc~(id), value REAL DEFAULT 0.0, {place}"
    "extdata JSONB DEFAULT '{{}}'",
    "region": f"{_OF_THREAD}, {_TIMES}, name_id {_STRING}, {_EVENT}",
    "sample": f"track_id INTEGER NOT NULL REFERENCES rocpd_track~(id), timestamp BIGINT NOT NULL, {_EVENT}",
    "kernel_dispatch": f"{_OF_THREAD}, agent_id INTEGER NOT NULL REFERENCES rocpd_info_agent~(id), "
    "kernel_id INTEGER NOT NULL REFERENCES rocpd_info_kernel_symbol~(id), dispatch_id INTEGER NOT NULL, "
    f"{_QUEUE}, {_STREAM}, {_TIMES}, private_segment_size INTEGER, group_segment_size INTEGER, {_SIZES}, "
    "{graph}{replay_pass}"
    f"region_name_id {_STRING}, {_EVENT.replace('{}', '{{}}')}",
    "memory_copy": f"{_OF_THREAD}, {_TIMES}, name_id {_STRING}, dst_agent_id INTEGER, dst_address INTEGER, "
    "src_agent_id INTEGER, src_address INTEGER, size INTEGER NOT NULL, queue_id INTEGER, stream_id INTEGER, {graph}"
    f"region_name_id {_STRING}, {_EVENT.replace('{}', '{{}}')}",
    "memory_allocate": f"{_OF_THREAD}, {_AGENT}, type TEXT, level TEXT, {_TIMES}, address INTEGER, "
    f"size INTEGER NOT NULL, queue_id INTEGER, stream_id INTEGER, {_EVENT}",
}
_FORMATTED = ("pmc_event", "kernel_dispatch", "memory_copy")
_LATER_TABLES = {2: {"graph_launch": f"graph_exec_id INTEGER, {_TIMES}"}, 4: {"hip_event": f"handle INTEGER, {_ANY}"}}


def tables_of(patch: int, *, replay_pass: bool) -> dict[str, str]:
    """Columns by table of schema 3.0.`patch`; `replay_pass`: with the column of PR #11422."""
    later = {
        "graph": "graph_exec_id INTEGER NOT NULL DEFAULT 0, graph_node_id INTEGER NOT NULL DEFAULT 0, " * (patch >= 2),
        "replay_pass": "replay_pass INTEGER, " * replay_pass,
        "sample_id": "sample_id INTEGER REFERENCES rocpd_sample~(id), " * (patch >= 3),
        "place": "xcc INTEGER, shader_engine INTEGER, instance INTEGER, " * (patch >= 3),
    }
    tables = {name: text.format(**later) if name in _FORMATTED else text for name, text in TABLES.items()}
    if patch >= 3:
        tables["info_pmc"] = tables["info_pmc"].replace("is_derived INTEGER", "is_derived INTEGER, spm_support INTEGER")
    return tables | {name: text for since, of in _LATER_TABLES.items() if patch >= since for name, text in of.items()}


_JOIN = "JOIN rocpd_{0} {1} ON {1}.id = {2} AND {1}.guid = {3}.guid"


def _join(table: str, alias: str, column: str) -> str:
    return _JOIN.format(table, alias, column, column.split(".", maxsplit=1)[0])


_DISPATCHED = f"{_join('info_agent', 'a', 'k.agent_id')} {_join('info_kernel_symbol', 's', 'k.kernel_id')}"
_BY_EVENT = "JOIN rocpd_kernel_dispatch k ON k.event_id = v.event_id AND k.guid = v.guid"
_READ = f"FROM rocpd_pmc_event v {_join('info_pmc', 'i', 'v.pmc_id')} {_join('event', 'e', 'v.event_id')} {_BY_EVENT}"
_STATISTICS = (
    "COUNT(*) AS total_calls, SUM(k.end - k.start) / 1000.0 AS total_duration, "
    "SUM(k.end - k.start) / COUNT(*) / 1000.0 AS average, "
    "SUM(k.end - k.start) * 100.0 / (SELECT SUM(o.end - o.start) FROM rocpd_kernel_dispatch o) AS percentage"
)


def views_of(patch: int, *, per_pass: bool) -> dict[str, str]:
    """Queries by view. `per_pass`: `counters_collection` groups by event too, as PR #11422 has it."""
    unsampled = "WHERE v.sample_id IS NULL " * (patch >= 3)
    return {
        "kernels": "SELECT k.id, k.guid, t.tid, (SELECT c.string FROM rocpd_string c WHERE c.id = e.category_id AND "
        "c.guid = e.guid) AS category, r.string AS region, s.display_name AS name, k.nid, p.pid, "
        "a.absolute_index AS agent_abs_index, a.type AS agent_type, k.kernel_id, k.dispatch_id, k.stream_id, "
        "k.queue_id, q.name AS queue, m.name AS stream, k.start, k.end, k.end - k.start AS duration "
        f"FROM rocpd_kernel_dispatch k {_DISPATCHED} {_join('event', 'e', 'k.event_id')} "
        f"{_join('string', 'r', 'k.region_name_id')} LEFT {_join('info_stream', 'm', 'k.stream_id')} "
        f"LEFT {_join('info_queue', 'q', 'k.queue_id')} {_join('info_process', 'p', 'q.pid')} "
        f"{_join('info_thread', 't', 'k.tid')}",
        "pmc_events": "SELECT v.id, v.guid, v.pmc_id, e.id AS event_id, s.display_name AS name, k.nid, p.pid, "
        "k.dispatch_id, k.start, k.end, k.end - k.start AS duration, i.name AS counter_name, "
        f"v.value AS counter_value {_READ} {_join('info_process', 'p', 'k.pid')} "
        f"LEFT {_join('info_kernel_symbol', 's', 'k.kernel_id')}",
        "counters_collection": "SELECT MIN(v.id) AS id, v.guid, k.dispatch_id, k.kernel_id, e.id AS event_id, p.pid, "
        "t.tid, a.id AS agent_id, s.display_name AS kernel_name, i.name AS counter_name, SUM(v.value) AS value, "
        f"{'k.replay_pass, ' * per_pass}k.start, k.end, k.end - k.start AS duration {_READ} {_DISPATCHED} "
        f"{_join('info_process', 'p', 'k.pid')} {_join('info_thread', 't', 'k.tid')} {unsampled}"
        f"GROUP BY v.guid, {'e.id' if per_pass else 'k.dispatch_id'}, i.name, k.agent_id",
        "samples": "SELECT x.id, x.guid, x.timestamp, x.event_id FROM rocpd_sample x "
        f"{_join('track', 'u', 'x.track_id')} {_join('event', 'e', 'x.event_id')} "
        f"{_join('info_process', 'p', 'u.pid')} {_join('info_thread', 't', 'u.tid')}",
        "top_kernels": f"SELECT s.display_name AS name, {_STATISTICS} FROM rocpd_kernel_dispatch k "
        f"{_join('info_kernel_symbol', 's', 'k.kernel_id')} GROUP BY s.display_name ORDER BY total_duration DESC",
        "top": f"SELECT s.display_name AS name, {_STATISTICS} FROM rocpd_kernel_dispatch k "
        f"{_join('info_kernel_symbol', 's', 'k.kernel_id')} GROUP BY s.display_name",
        "busy": "SELECT k.agent_id, a.type, SUM(k.end - k.start) AS GpuTime, MAX(k.end) - MIN(k.start) AS WallTime, "
        "SUM(k.end - k.start) * 1.0 / (MAX(k.end) - MIN(k.start)) AS Busy FROM rocpd_kernel_dispatch k "
        f"{_join('info_agent', 'a', 'k.agent_id')} GROUP BY k.agent_id, k.guid",
    }
