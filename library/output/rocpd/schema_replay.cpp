// SPDX-License-Identifier: MIT
// What we add to schema 3.0.1: two side tables with every reading of every pass, in the file or in its sidecar, and
// three views on them (the third is in schema_views_counters.cpp). The view names do not start with `rocpd_`, because
// merge takes such a view for that of a table.
#include "output/rocpd/schema.hpp"

namespace multipass::output::rocpd {
namespace {

constexpr std::string_view kTables = R"sql(
CREATE TABLE rocpd_replay_pass%suffix% (%key%,
  kernel_dispatch_id INTEGER NOT NULL %main kernel_dispatch%,
  dispatch_id INTEGER NOT NULL,
  replay_pass INTEGER,
  start BIGINT NOT NULL,
  "end" BIGINT NOT NULL,
  status TEXT NOT NULL DEFAULT %text OK% CHECK (status IN ('OK', 'PARTIAL', 'DISCARDED')),
  extdata %json%,
  UNIQUE (kernel_dispatch_id, replay_pass));

CREATE TABLE rocpd_replay_pmc%suffix% (%key%,
  replay_pass_id INTEGER NOT NULL %to replay_pass%,
  pmc_id INTEGER NOT NULL %main info_pmc%,
  value REAL,
  instance_id INTEGER,
  is_canonical INTEGER NOT NULL DEFAULT 0 CHECK (is_canonical IN (0, 1)),
  extdata %json%);
)sql";

constexpr std::string_view kViews = R"sql(
CREATE VIEW replay_kernels AS
SELECT k.id, k.guid, k.tid, k.category, k.region, k.name, k.nid, k.pid, k.agent_abs_index, k.agent_log_index,
  k.agent_type_index, k.agent_type, k.code_object_id, k.kernel_id, k.dispatch_id, k.stream_id, k.queue_id, k.queue,
  k.stream, rp.start, rp."end", rp."end" - rp.start AS duration, k.grid_x, k.grid_y, k.grid_z, k.workgroup_x,
  k.workgroup_y, k.workgroup_z, k.lds_size, k.scratch_size, k.vgpr_count, k.accum_vgpr_count, k.sgpr_count,
  k.static_lds_size, k.static_scratch_size, k.stack_id, k.parent_stack_id, k.corr_id,
  rp.replay_pass, rp.status AS replay_status
FROM rocpd_replay_pass rp
JOIN kernels k ON k.id = rp.kernel_dispatch_id AND k.guid = rp.guid;

CREATE VIEW replay_conflicts AS
WITH totals AS (
  SELECT rp.guid, rp.kernel_dispatch_id, i.name AS counter_name, SUM(v.value) AS total,
    MAX(v.is_canonical) AS is_canonical
  FROM rocpd_replay_pmc v
  JOIN rocpd_replay_pass rp ON rp.id = v.replay_pass_id AND rp.guid = v.guid
  JOIN rocpd_info_pmc i ON i.id = v.pmc_id AND i.guid = v.guid
  WHERE rp.status <> 'DISCARDED' AND v.value IS NOT NULL
  GROUP BY rp.guid, rp.id, i.name),
ranges AS (
  SELECT guid, kernel_dispatch_id, counter_name, COUNT(*) AS passes, MIN(total) AS min_value,
    MAX(total) AS max_value, MAX(CASE WHEN is_canonical THEN total END) AS canonical_value,
    MAX(ABS(total)) AS magnitude
  FROM totals
  GROUP BY guid, kernel_dispatch_id, counter_name)
SELECT c.guid, k.dispatch_id, k.event_id, k.agent_id,
  (SELECT ks.display_name FROM rocpd_info_kernel_symbol ks
   WHERE ks.id = k.kernel_id AND ks.guid = k.guid) AS kernel_name,
  c.counter_name, c.passes, c.min_value, c.max_value, c.canonical_value,
  CASE WHEN c.magnitude = 0 THEN 0.0 ELSE (c.max_value - c.min_value) / c.magnitude END AS spread,
  CASE WHEN c.magnitude = 0 THEN 'ALL_ZERO' ELSE 'DIFFERENT' END AS kind
FROM ranges c
JOIN rocpd_kernel_dispatch k ON k.id = c.kernel_dispatch_id AND k.guid = c.guid
WHERE c.passes >= 2 AND (c.min_value <> c.max_value OR c.magnitude = 0);
)sql";

}  // namespace

std::string_view replay_table_text() noexcept {
  return kTables;
}
std::string_view replay_view_text() noexcept {
  return kViews;
}

}  // namespace multipass::output::rocpd
