// SPDX-License-Identifier: MIT
// View kernel_counters: what was read of each counter of each launch shape, over its dispatches, and how much of the
// plan that covers. A planned counter without a reading has a row too, with n = 0 and no value.
//
// SQLite has no median: it is the mean of the two middle values, of which window functions tell the places. One way
// through the readings, in four sorts; nothing is asked of a reader that SQLite 3.25 does not have, since one view that
// cannot be parsed makes the whole file unreadable. A deviation from a median that is infinite is no number.
#include "output/rocpd/schema.hpp"

namespace multipass::output::rocpd {
namespace {

constexpr std::string_view kText = R"sql(
CREATE VIEW kernel_counters AS
WITH plans AS (  -- in a file of rocprof-sys that a run was merged into, they are in the metadata
  SELECT guid, id AS agent_id, json_extract(extdata, '$.replay.passes') AS passes FROM rocpd_info_agent
  WHERE CASE WHEN json_valid(extdata) THEN json_type(extdata, '$.replay.passes') END = 'array'
  UNION
  SELECT json_extract(m.value, '$.guid'), CAST(a.key AS INTEGER), json_extract(a.value, '$.replay.passes')
  FROM rocpd_metadata m, json_each(m.value, '$.agents') a
  WHERE m.tag = 'replay_run' AND json_type(a.value, '$.replay.passes') = 'array'),
planned AS (  -- what each group reads for its own sake
  SELECT DISTINCT plans.guid, plans.agent_id, p.key AS counter_group, c.value AS counter_name
  FROM plans, json_each(plans.passes) p, json_each(p.value, '$.counters') c
  WHERE c.value NOT IN (SELECT s.value FROM json_each(p.value, '$.sentinel') s)),
ranks AS (
  SELECT guid, id AS pid, json_extract(extdata, '$.rank') AS rank FROM rocpd_info_process
  WHERE CASE WHEN json_valid(extdata) THEN json_type(extdata, '$.rank') END = 'integer'
  UNION
  SELECT json_extract(value, '$.guid'), json_extract(value, '$.process'), json_extract(value, '$.extdata.rank')
  FROM rocpd_metadata
  WHERE tag = 'replay_run' AND json_type(value, '$.extdata.rank') = 'integer'),
launched AS (  -- what rocprof-sys alone recorded has no outcome
  SELECT *, DENSE_RANK() OVER (ORDER BY guid, pid, agent_id, kernel_name, grid_size_x, grid_size_y, grid_size_z,
    workgroup_size_x, workgroup_size_y, workgroup_size_z) AS shape
  FROM (
    SELECT k.id, k.guid, k.pid, k.agent_id, COALESCE(ks.display_name, ks.kernel_name) AS kernel_name, k.grid_size_x,
      k.grid_size_y, k.grid_size_z, k.workgroup_size_x, k.workgroup_size_y, k.workgroup_size_z,
      CASE WHEN json_valid(k.extdata) THEN json_extract(k.extdata, '$.replay.outcome') END AS outcome
    FROM rocpd_kernel_dispatch k
    JOIN rocpd_info_kernel_symbol ks ON ks.id = k.kernel_id AND ks.guid = k.guid)
  WHERE outcome <> 'filtered'),
shapes AS (
  SELECT shape, guid, pid, agent_id, kernel_name, grid_size_x, grid_size_y, grid_size_z, workgroup_size_x,
    workgroup_size_y, workgroup_size_z, COUNT(*) AS launches, SUM(outcome = 'replayed') AS replayed
  FROM launched
  GROUP BY shape),
executed AS (
  SELECT rp.id, rp.guid, d.shape,
    COALESCE(json_extract(rp.extdata, '$.group'), rp.replay_pass, 0) AS counter_group
  FROM rocpd_replay_pass rp
  JOIN launched d ON d.id = rp.kernel_dispatch_id AND d.guid = rp.guid
  WHERE rp.status <> 'DISCARDED'),
ordered AS (  -- the two middle ones of n are (n + 1) / 2 and n / 2 + 1, which are one where n is odd
  SELECT x.shape, x.counter_group, v.pmc_id, v.value,
    ROW_NUMBER() OVER (PARTITION BY x.shape, v.pmc_id ORDER BY v.value) AS place,
    COUNT(*) OVER (PARTITION BY x.shape, v.pmc_id) AS n
  FROM rocpd_replay_pmc v
  JOIN executed x ON x.id = v.replay_pass_id AND x.guid = v.guid
  WHERE v.is_canonical = 1 AND v.value IS NOT NULL),
centred AS (
  SELECT *, AVG(CASE WHEN place IN ((n + 1) / 2, n / 2 + 1) THEN value END) OVER (PARTITION BY shape, pmc_id) AS median
  FROM ordered),
spread AS (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY shape, pmc_id ORDER BY ABS(value - median)) IN ((n + 1) / 2, n / 2 + 1)
    AS is_middle
  FROM centred),
by_group AS (
  SELECT shape, pmc_id, counter_group, COUNT(*) AS n, MIN(median) AS median, MIN(value) AS low, MAX(value) AS high,
    SUM(CASE WHEN is_middle THEN ABS(value - median) END) AS deviations, SUM(is_middle) AS middles
  FROM spread
  GROUP BY shape, pmc_id, counter_group),
named AS (
  SELECT s.shape, s.guid, s.agent_id, i.name AS counter_name, b.*
  FROM by_group b
  JOIN shapes s ON s.shape = b.shape
  JOIN rocpd_info_pmc i ON i.id = b.pmc_id AND i.guid = s.guid),
measured AS (
  SELECT shape, counter_name, SUM(n) AS n, MIN(median) AS median, MIN(low) AS low, MAX(high) AS high,
    CASE WHEN MIN(median) - MIN(median) = 0 THEN SUM(deviations) / SUM(middles) END AS mad
  FROM named
  GROUP BY shape, counter_name),
groups_read AS (
  SELECT r.shape, COUNT(DISTINCT r.counter_group) AS n
  FROM named r
  JOIN planned p ON p.guid = r.guid AND p.agent_id = r.agent_id AND p.counter_group = r.counter_group
    AND p.counter_name = r.counter_name
  GROUP BY r.shape),
of_agent AS (
  SELECT guid, agent_id, COUNT(DISTINCT counter_name) AS counters, COUNT(DISTINCT counter_group) AS counter_groups
  FROM planned
  GROUP BY guid, agent_id),
wanted AS (
  SELECT s.shape, p.counter_name, MIN(p.counter_group) AS counter_group
  FROM shapes s
  JOIN planned p ON p.guid = s.guid AND p.agent_id = s.agent_id
  GROUP BY s.shape, p.counter_name
  UNION ALL
  SELECT m.shape, m.counter_name, NULL
  FROM measured m
  JOIN shapes s ON s.shape = m.shape
  WHERE NOT EXISTS (SELECT 1 FROM planned p WHERE p.guid = s.guid AND p.agent_id = s.agent_id
    AND p.counter_name = m.counter_name))
SELECT s.guid, a.nid, pr.pid, ranks.rank, s.agent_id, a.absolute_index AS agent_abs_index,
  a.logical_index AS agent_log_index, a.type_index AS agent_type_index, a.type AS agent_type, s.kernel_name,
  s.grid_size_x, s.grid_size_y, s.grid_size_z, s.workgroup_size_x, s.workgroup_size_y, s.workgroup_size_z,
  s.launches, s.replayed, w.counter_name, w.counter_group, COALESCE(m.n, 0) AS n, m.median, m.mad,
  m.low AS min_value, m.high AS max_value,
  SUM(m.n IS NOT NULL AND w.counter_group IS NOT NULL) OVER (PARTITION BY s.shape) AS counters_read,
  o.counters AS counters_planned, COALESCE(g.n, 0) AS groups_read, o.counter_groups AS groups_planned
FROM wanted w
JOIN shapes s ON s.shape = w.shape
JOIN rocpd_info_agent a ON a.id = s.agent_id AND a.guid = s.guid
JOIN rocpd_info_process pr ON pr.id = s.pid AND pr.guid = s.guid
LEFT JOIN measured m ON m.shape = w.shape AND m.counter_name = w.counter_name
LEFT JOIN groups_read g ON g.shape = w.shape
LEFT JOIN of_agent o ON o.guid = s.guid AND o.agent_id = s.agent_id
LEFT JOIN ranks ON ranks.guid = s.guid AND ranks.pid = s.pid;
)sql";

}  // namespace

std::string_view kernel_counter_view_text() noexcept {
  return kText;
}

}  // namespace multipass::output::rocpd
