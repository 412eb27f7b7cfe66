// SPDX-License-Identifier: MIT
// The data views of schema 3.0.1 but for memory and counters, and the summary views. They read the base views, so they
// contain no marks. Every join compares id and guid, also in `threads`, where upstream forgot the guid (4 rows for 2
// threads of two files with equal pids).
#include "output/rocpd/schema.hpp"

namespace multipass::output::rocpd {
namespace {

constexpr std::string_view kData = R"sql(
CREATE VIEW code_objects AS
SELECT co.id, co.guid, co.nid, p.pid, a.absolute_index AS agent_abs_index,
  co.uri, co.load_base, co.load_size, co.load_delta, co.storage_type AS storage_type_str,
  json_extract(co.extdata, '$.size') AS code_object_size,
  json_extract(co.extdata, '$.storage_type') AS storage_type,
  json_extract(co.extdata, '$.memory_base') AS memory_base,
  json_extract(co.extdata, '$.memory_size') AS memory_size
FROM rocpd_info_code_object co
JOIN rocpd_info_agent a ON a.id = co.agent_id AND a.guid = co.guid
JOIN rocpd_info_process p ON p.id = co.pid AND p.guid = co.guid;

CREATE VIEW kernel_symbols AS
SELECT ks.id, ks.guid, ks.nid, p.pid, ks.code_object_id, ks.kernel_name, ks.display_name, ks.kernel_object,
  ks.kernarg_segment_size, ks.kernarg_segment_alignment, ks.group_segment_size, ks.private_segment_size,
  ks.sgpr_count, ks.arch_vgpr_count, ks.accum_vgpr_count,
  json_extract(ks.extdata, '$.size') AS kernel_symbol_size,
  json_extract(ks.extdata, '$.kernel_id') AS kernel_id,
  json_extract(ks.extdata, '$.kernel_code_entry_byte_offset') AS kernel_code_entry_byte_offset,
  json_extract(ks.extdata, '$.formatted_kernel_name') AS formatted_kernel_name,
  json_extract(ks.extdata, '$.demangled_kernel_name') AS demangled_kernel_name,
  json_extract(ks.extdata, '$.truncated_kernel_name') AS truncated_kernel_name,
  json_extract(ks.extdata, '$.kernel_address.handle') AS kernel_address
FROM rocpd_info_kernel_symbol ks
JOIN rocpd_info_process p ON p.id = ks.pid AND p.guid = ks.guid;

CREATE VIEW processes AS
SELECT n.id AS nid, n.machine_id, n.system_name, n.hostname, n.release AS system_release,
  n.version AS system_version, p.guid, p.ppid, p.pid, p.init, p.start, p."end", p.fini, p.command
FROM rocpd_info_process p
JOIN rocpd_info_node n ON n.id = p.nid AND n.guid = p.guid;

CREATE VIEW threads AS
SELECT n.id AS nid, n.machine_id, n.system_name, n.hostname, n.release AS system_release,
  n.version AS system_version, p.guid, p.ppid, p.pid, t.tid, t.start, t."end", t.name
FROM rocpd_info_thread t
JOIN rocpd_info_process p ON p.id = t.pid AND p.guid = t.guid
JOIN rocpd_info_node n ON n.id = t.nid AND n.guid = t.guid;

CREATE VIEW regions AS
SELECT r.id, r.guid,
  (SELECT c.string FROM rocpd_string c WHERE c.id = e.category_id AND c.guid = e.guid) AS category,
  s.string AS name, r.nid, p.pid, t.tid, r.start, r."end", r."end" - r.start AS duration,
  r.event_id, e.stack_id, e.parent_stack_id, e.correlation_id AS corr_id, e.extdata, e.call_stack, e.line_info
FROM rocpd_region r
JOIN rocpd_event e ON e.id = r.event_id AND e.guid = r.guid
JOIN rocpd_string s ON s.id = r.name_id AND s.guid = r.guid
JOIN rocpd_info_process p ON p.id = r.pid AND p.guid = r.guid
JOIN rocpd_info_thread t ON t.id = r.tid AND t.guid = r.guid;

CREATE VIEW region_args AS
SELECT r.id, r.guid, r.nid, p.pid, a.type, a.name, a.value
FROM rocpd_region r
JOIN rocpd_event e ON e.id = r.event_id AND e.guid = r.guid
JOIN rocpd_arg a ON a.event_id = e.id AND a.guid = e.guid
JOIN rocpd_info_process p ON p.id = r.pid AND p.guid = r.guid;

CREATE VIEW samples AS
SELECT sm.id, sm.guid,
  (SELECT c.string FROM rocpd_string c WHERE c.id = e.category_id AND c.guid = e.guid) AS category,
  (SELECT s.string FROM rocpd_string s WHERE s.id = tr.name_id AND s.guid = tr.guid) AS name,
  tr.nid, p.pid, t.tid, sm.timestamp,
  sm.event_id, e.stack_id, e.parent_stack_id, e.correlation_id AS corr_id, e.extdata, e.call_stack, e.line_info
FROM rocpd_sample sm
JOIN rocpd_track tr ON tr.id = sm.track_id AND tr.guid = sm.guid
JOIN rocpd_event e ON e.id = sm.event_id AND e.guid = sm.guid
JOIN rocpd_info_process p ON p.id = tr.pid AND p.guid = tr.guid
JOIN rocpd_info_thread t ON t.id = tr.tid AND t.guid = tr.guid;

CREATE VIEW sample_regions AS
SELECT id, guid, category, name, nid, pid, tid, timestamp AS start, timestamp AS "END", 0 AS duration,
  event_id, stack_id, parent_stack_id, corr_id, extdata, call_stack, line_info
FROM samples;

CREATE VIEW regions_and_samples AS
SELECT * FROM regions UNION ALL SELECT * FROM sample_regions;

CREATE VIEW kernels AS
SELECT k.id, k.guid, t.tid,
  (SELECT c.string FROM rocpd_string c WHERE c.id = e.category_id AND c.guid = e.guid) AS category,
  r.string AS region, ks.display_name AS name, k.nid, p.pid,
  a.absolute_index AS agent_abs_index, a.logical_index AS agent_log_index, a.type_index AS agent_type_index,
  a.type AS agent_type, ks.code_object_id, k.kernel_id, k.dispatch_id, k.stream_id, k.queue_id,
  q.name AS queue, st.name AS stream, k.start, k."end", k."end" - k.start AS duration,
  k.grid_size_x AS grid_x, k.grid_size_y AS grid_y, k.grid_size_z AS grid_z,
  k.workgroup_size_x AS workgroup_x, k.workgroup_size_y AS workgroup_y, k.workgroup_size_z AS workgroup_z,
  k.group_segment_size AS lds_size, k.private_segment_size AS scratch_size,
  ks.arch_vgpr_count AS vgpr_count, ks.accum_vgpr_count, ks.sgpr_count,
  ks.group_segment_size AS static_lds_size, ks.private_segment_size AS static_scratch_size,
  e.stack_id, e.parent_stack_id, e.correlation_id AS corr_id
FROM rocpd_kernel_dispatch k
JOIN rocpd_info_agent a ON a.id = k.agent_id AND a.guid = k.guid
JOIN rocpd_event e ON e.id = k.event_id AND e.guid = k.guid
JOIN rocpd_string r ON r.id = k.region_name_id AND r.guid = k.guid
JOIN rocpd_info_kernel_symbol ks ON ks.id = k.kernel_id AND ks.guid = k.guid
LEFT JOIN rocpd_info_stream st ON st.id = k.stream_id AND st.guid = k.guid
LEFT JOIN rocpd_info_queue q ON q.id = k.queue_id AND q.guid = k.guid
JOIN rocpd_info_process p ON p.id = q.pid AND p.guid = q.guid
JOIN rocpd_info_thread t ON t.id = k.tid AND t.guid = k.guid;

CREATE VIEW pmc_info AS
SELECT i.id, i.guid, i.nid, p.pid, a.absolute_index AS agent_abs_index, i.is_constant, i.is_derived,
  i.name, i.description, i.block, i.expression
FROM rocpd_info_pmc i
JOIN rocpd_info_agent a ON a.id = i.agent_id AND a.guid = i.guid
JOIN rocpd_info_process p ON p.id = i.pid AND p.guid = i.guid;

CREATE VIEW pmc_events AS
SELECT v.id, v.guid, v.pmc_id, e.id AS event_id,
  (SELECT c.string FROM rocpd_string c WHERE c.id = e.category_id AND c.guid = e.guid) AS category,
  (SELECT ks.display_name FROM rocpd_info_kernel_symbol ks WHERE ks.id = k.kernel_id AND ks.guid = k.guid) AS name,
  k.nid, p.pid, k.dispatch_id, k.start, k."end", k."end" - k.start AS duration,
  i.name AS counter_name, v.value AS counter_value
FROM rocpd_pmc_event v
JOIN rocpd_info_pmc i ON i.id = v.pmc_id AND i.guid = v.guid
JOIN rocpd_event e ON e.id = v.event_id AND e.guid = v.guid
JOIN rocpd_kernel_dispatch k ON k.event_id = v.event_id AND k.guid = v.guid
JOIN rocpd_info_process p ON p.id = k.pid AND p.guid = k.guid;

CREATE VIEW events_args AS
SELECT e.id AS event_id,
  (SELECT c.string FROM rocpd_string c WHERE c.id = e.category_id AND c.guid = e.guid) AS category,
  e.stack_id, e.parent_stack_id, e.correlation_id, a.position AS arg_position, a.type AS arg_type,
  a.name AS arg_name, a.value AS arg_value, e.call_stack, e.line_info, a.extdata
FROM rocpd_event e
JOIN rocpd_arg a ON a.event_id = e.id AND a.guid = e.guid;

CREATE VIEW stream_args AS
SELECT a.id AS argument_id, a.event_id, a.position AS arg_position, a.type AS arg_type, a.value AS arg_value,
  st.id AS stream_id, st.nid, p.pid, st.name AS stream_name, st.extdata
FROM rocpd_arg a
JOIN rocpd_info_stream st ON st.id = json_extract(a.extdata, '$.stream_id') AND st.guid = a.guid
JOIN rocpd_info_process p ON p.id = st.pid AND p.guid = st.guid
WHERE a.name = 'stream';
)sql";

// Durations in microseconds. A dispatch whose times are unknown (both 0) says nothing about the wall time, so `busy`
// leaves it out.
constexpr std::string_view kSummary = R"sql(
CREATE VIEW top_kernels AS
SELECT ks.display_name AS name, COUNT(*) AS total_calls, SUM(k."end" - k.start) / 1000.0 AS total_duration,
  SUM(k."end" - k.start) / COUNT(*) / 1000.0 AS average,
  100.0 * SUM(k."end" - k.start) / NULLIF(SUM(SUM(k."end" - k.start)) OVER (), 0) AS percentage
FROM rocpd_kernel_dispatch k
JOIN rocpd_info_kernel_symbol ks ON ks.id = k.kernel_id AND ks.guid = k.guid
GROUP BY ks.display_name
ORDER BY total_duration DESC;

CREATE VIEW busy AS
WITH work AS (
  SELECT agent_id, guid, start, "end" FROM rocpd_kernel_dispatch WHERE "end" > 0
  UNION ALL
  SELECT dst_agent_id, guid, start, "end" FROM rocpd_memory_copy WHERE "end" > 0),
span AS (SELECT MAX("end") - MIN(start) AS wall FROM work)
SELECT w.agent_id, a.type, SUM(w."end" - w.start) AS GpuTime, span.wall AS WallTime,
  1.0 * SUM(w."end" - w.start) / NULLIF(span.wall, 0) AS Busy
FROM work w
JOIN rocpd_info_agent a ON a.id = w.agent_id AND a.guid = w.guid
CROSS JOIN span
GROUP BY w.agent_id, w.guid;

CREATE VIEW top AS
WITH calls AS (
  SELECT ks.display_name AS name, k."end" - k.start AS duration
  FROM rocpd_kernel_dispatch k
  JOIN rocpd_info_kernel_symbol ks ON ks.id = k.kernel_id AND ks.guid = k.guid
  UNION ALL
  SELECT s.string, m."end" - m.start
  FROM rocpd_memory_copy m
  JOIN rocpd_string s ON s.id = m.name_id AND s.guid = m.guid
  UNION ALL
  SELECT s.string, r."end" - r.start
  FROM rocpd_region r
  JOIN rocpd_string s ON s.id = r.name_id AND s.guid = r.guid)
SELECT name, COUNT(*) AS total_calls, SUM(duration) / 1000.0 AS total_duration,
  SUM(duration) / COUNT(*) / 1000.0 AS average,
  100.0 * SUM(duration) / NULLIF(SUM(SUM(duration)) OVER (), 0) AS percentage
FROM calls
GROUP BY name
ORDER BY total_duration DESC;
)sql";

}  // namespace

std::string_view data_view_text() noexcept {
  return kData;
}
std::string_view summary_view_text() noexcept {
  return kSummary;
}

}  // namespace multipass::output::rocpd
