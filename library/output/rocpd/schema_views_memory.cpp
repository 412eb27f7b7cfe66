// SPDX-License-Identifier: MIT
// The views of schema 3.0.1 on copies and allocations. This writer leaves their tables empty; the views are here
// because readers select from them, and because a merged file has rows for them.
#include "output/rocpd/schema.hpp"

namespace multipass::output::rocpd {
namespace {

constexpr std::string_view kText = R"sql(
CREATE VIEW memory_copies AS
SELECT m.id, m.guid,
  (SELECT c.string FROM rocpd_string c WHERE c.id = e.category_id AND c.guid = e.guid) AS category,
  m.nid, p.pid, t.tid, m.start, m."end", m."end" - m.start AS duration, s.string AS name, r.string AS region_name,
  m.stream_id, m.queue_id, st.name AS stream_name, q.name AS queue_name, m.size,
  d.name AS dst_device, d.absolute_index AS dst_agent_abs_index, d.logical_index AS dst_agent_log_index,
  d.type_index AS dst_agent_type_index, d.type AS dst_agent_type, m.dst_address,
  f.name AS src_device, f.absolute_index AS src_agent_abs_index, f.logical_index AS src_agent_log_index,
  f.type_index AS src_agent_type_index, f.type AS src_agent_type, m.src_address,
  e.stack_id, e.parent_stack_id, e.correlation_id AS corr_id
FROM rocpd_memory_copy m
JOIN rocpd_string s ON s.id = m.name_id AND s.guid = m.guid
LEFT JOIN rocpd_string r ON r.id = m.region_name_id AND r.guid = m.guid
JOIN rocpd_info_agent d ON d.id = m.dst_agent_id AND d.guid = m.guid
JOIN rocpd_info_agent f ON f.id = m.src_agent_id AND f.guid = m.guid
LEFT JOIN rocpd_info_queue q ON q.id = m.queue_id AND q.guid = m.guid
LEFT JOIN rocpd_info_stream st ON st.id = m.stream_id AND st.guid = m.guid
JOIN rocpd_event e ON e.id = m.event_id AND e.guid = m.guid
JOIN rocpd_info_process p ON p.id = m.pid AND p.guid = m.guid
JOIN rocpd_info_thread t ON t.id = m.tid AND t.guid = m.guid;

CREATE VIEW memory_allocations AS
SELECT m.id, m.guid,
  (SELECT c.string FROM rocpd_string c WHERE c.id = e.category_id AND c.guid = e.guid) AS category,
  m.nid, p.pid, t.tid, m.start, m."end", m."end" - m.start AS duration, m.type, m.level,
  a.name AS agent_name, a.absolute_index AS agent_abs_index, a.logical_index AS agent_log_index,
  a.type_index AS agent_type_index, a.type AS agent_type, m.address, m.size,
  m.queue_id, q.name AS queue_name, m.stream_id, st.name AS stream_name,
  e.stack_id, e.parent_stack_id, e.correlation_id AS corr_id
FROM rocpd_memory_allocate m
LEFT JOIN rocpd_info_agent a ON a.id = m.agent_id AND a.guid = m.guid
LEFT JOIN rocpd_info_queue q ON q.id = m.queue_id AND q.guid = m.guid
LEFT JOIN rocpd_info_stream st ON st.id = m.stream_id AND st.guid = m.guid
JOIN rocpd_event e ON e.id = m.event_id AND e.guid = m.guid
JOIN rocpd_info_process p ON p.id = m.pid AND p.guid = m.guid
JOIN rocpd_info_thread t ON t.id = m.tid AND t.guid = m.guid;

CREATE VIEW scratch_memory AS
SELECT m.id, m.guid, m.nid, p.pid, m.type AS operation, a.name AS agent_name,
  a.absolute_index AS agent_abs_index, a.logical_index AS agent_log_index, a.type_index AS agent_type_index,
  a.type AS agent_type, m.queue_id, t.tid, json_extract(m.extdata, '$.flags') AS alloc_flags,
  m.start, m."end", m."end" - m.start AS duration, m.size, m.address,
  e.correlation_id, e.stack_id, e.parent_stack_id, e.correlation_id AS corr_id,
  (SELECT c.string FROM rocpd_string c WHERE c.id = e.category_id AND c.guid = e.guid) AS category,
  e.extdata AS event_extdata
FROM rocpd_memory_allocate m
LEFT JOIN rocpd_info_agent a ON a.id = m.agent_id AND a.guid = m.guid
LEFT JOIN rocpd_info_queue q ON q.id = m.queue_id AND q.guid = m.guid
JOIN rocpd_event e ON e.id = m.event_id AND e.guid = m.guid
JOIN rocpd_info_process p ON p.id = m.pid AND p.guid = m.guid
JOIN rocpd_info_thread t ON t.id = m.tid AND t.guid = m.guid
WHERE m.level = 'SCRATCH'
ORDER BY m.start;
)sql";

}  // namespace

std::string_view memory_view_text() noexcept {
  return kText;
}

}  // namespace multipass::output::rocpd
