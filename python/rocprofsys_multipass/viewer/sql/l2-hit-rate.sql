-- SPDX-License-Identifier: MIT
-- A ratio of counters of one pass: L2 hits of all L2 look-ups, by dispatch
with execution as (
  select lane.upid, lane.parent_id as pass_track, s.name as kernel, s.ts,
         extract_arg(s.arg_set_id, 'debug.dispatch_id') as dispatch_id,
         extract_arg(s.arg_set_id, 'debug.replay_pass') as replay_pass
  from slice s
  join process_track lane on lane.id = s.track_id
  where s.category = 'rocm_kernel_replay_pass'
),
reading as (
  select e.upid, e.kernel, e.dispatch_id, e.replay_pass, e.pass_track,
         max(iif(t.name glob 'GPU TCC_HIT *', c.value, null)) as hits,
         max(iif(t.name glob 'GPU TCC_MISS *', c.value, null)) as misses
  from execution e
  join track t on t.parent_id = e.pass_track
  join counter c on c.track_id = t.id and c.ts = e.ts
  where t.name glob 'GPU TCC_HIT *' or t.name glob 'GPU TCC_MISS *'
  group by e.upid, e.kernel, e.dispatch_id, e.replay_pass, e.pass_track
)
select p.pid, gpu.name as gpu, r.dispatch_id, r.kernel, r.replay_pass, r.hits, r.misses,
       round(100.0 * r.hits / nullif(r.hits + r.misses, 0), 3) as hit_percent
from reading r
join track pass on pass.id = r.pass_track
join track gpu on gpu.id = pass.parent_id
join process p using (upid)
where r.hits is not null and r.misses is not null
order by hit_percent, p.pid, gpu.name, r.dispatch_id, r.replay_pass;
