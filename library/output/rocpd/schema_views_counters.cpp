// SPDX-License-Identifier: MIT
// View counters_collection of schema 3.0.1, one row per dispatch and counter, and its twin of the replay tables, one
// row per pass and counter, with the same columns in the same places and three more. What differs: which table has the
// values (always `v`), which has the times, and what makes a row.
#include "output/rocpd/schema.hpp"

namespace multipass::output::rocpd {
namespace {

// Up to the times.
constexpr std::string_view kColumns = R"sql(
SELECT MIN(v.id) AS id, v.guid, k.dispatch_id, k.kernel_id, e.id AS event_id, e.correlation_id, e.stack_id,
  e.parent_stack_id, p.pid, t.tid, k.agent_id, a.absolute_index AS agent_abs_index,
  a.logical_index AS agent_log_index, a.type_index AS agent_type_index, a.type AS agent_type, k.queue_id,
  k.grid_size_x, k.grid_size_y, k.grid_size_z, k.grid_size_x * k.grid_size_y * k.grid_size_z AS grid_size,
  ks.display_name AS kernel_name,
  (SELECT r.string FROM rocpd_string r WHERE r.id = k.region_name_id AND r.guid = k.guid) AS kernel_region,
  k.workgroup_size_x, k.workgroup_size_y, k.workgroup_size_z,
  k.workgroup_size_x * k.workgroup_size_y * k.workgroup_size_z AS workgroup_size,
  k.group_segment_size AS lds_block_size, k.private_segment_size AS scratch_size,
  ks.arch_vgpr_count AS vgpr_count, ks.accum_vgpr_count, ks.sgpr_count,
  i.name AS counter_name, i.symbol AS counter_symbol, i.component, i.description, i.block, i.expression,
  i.value_type, i.id AS counter_id, SUM(v.value) AS value,)sql";

// After the times.
constexpr std::string_view kLastColumns = R"sql(
  (SELECT c.string FROM rocpd_string c WHERE c.id = e.category_id AND c.guid = e.guid) AS category,
  k.nid, e.extdata, ks.code_object_id)sql";

// What the dispatch `k` is joined with.
constexpr std::string_view kJoins = R"sql(
JOIN rocpd_event e ON e.id = k.event_id AND e.guid = k.guid
JOIN rocpd_info_agent a ON a.id = k.agent_id AND a.guid = k.guid
JOIN rocpd_info_kernel_symbol ks ON ks.id = k.kernel_id AND ks.guid = k.guid
JOIN rocpd_info_process p ON p.id = k.pid AND p.guid = k.guid
JOIN rocpd_info_thread t ON t.id = k.tid AND t.guid = k.guid
JOIN rocpd_info_pmc i ON i.id = v.pmc_id AND i.guid = v.guid)sql";

}  // namespace

std::string counter_view_text() {
  std::string sql;
  sql.append("\nCREATE VIEW counters_collection AS")
      .append(kColumns)
      .append(R"sql(
  k.start, k."end", i.is_constant, i.is_derived, k."end" - k.start AS duration,)sql")
      .append(kLastColumns)
      .append(R"sql(
FROM rocpd_pmc_event v
JOIN rocpd_kernel_dispatch k ON k.event_id = v.event_id AND k.guid = v.guid)sql")
      .append(kJoins)
      .append(R"sql(
GROUP BY v.guid, k.dispatch_id, i.name, k.agent_id;
)sql");
  return sql;
}

std::string replay_counter_view_text() {
  std::string sql;
  // A pass is of one dispatch. Its id is named all the same: SQLite looks a row up by what a view groups by.
  sql.append("\nCREATE VIEW replay_counters_collection AS")
      .append(kColumns)
      .append(R"sql(
  rp.start, rp."end", i.is_constant, i.is_derived, rp."end" - rp.start AS duration,)sql")
      .append(kLastColumns)
      .append(R"sql(,
  rp.replay_pass, MAX(v.is_canonical) AS is_canonical, rp.status AS replay_status
FROM rocpd_replay_pmc v
JOIN rocpd_replay_pass rp ON rp.id = v.replay_pass_id AND rp.guid = v.guid
JOIN rocpd_kernel_dispatch k ON k.id = rp.kernel_dispatch_id AND k.guid = rp.guid)sql")
      .append(kJoins)
      .append(R"sql(
GROUP BY v.guid, k.dispatch_id, rp.id, i.name, k.agent_id;
)sql");
  return sql;
}

}  // namespace multipass::output::rocpd
