-- SPDX-License-Identifier: MIT
-- Counters that several passes of a dispatch read, and how far apart they are
with execution as (
  select lane.upid, lane.parent_id as pass_track, s.name as kernel, s.ts,
         extract_arg(s.arg_set_id, 'debug.dispatch_id') as dispatch_id
  from slice s
  join process_track lane on lane.id = s.track_id
  where s.category = 'rocm_kernel_replay_pass'
),
reading as (
  -- the larger: where one execution begins as another ends, the 0 of that end is at the same time
  select e.upid, e.kernel, e.dispatch_id, e.pass_track, t.id as counter_track,
         substr(t.name, 5, instr(t.name, ' [') - 5) as counter, max(c.value) as value
  from execution e
  join track t on t.parent_id = e.pass_track
  join counter c on c.track_id = t.id and c.ts = e.ts
  group by e.upid, e.kernel, e.dispatch_id, e.pass_track, t.id
)
select p.pid, gpu.name as gpu, r.dispatch_id, r.kernel, r.counter, count(*) as passes,
       min(r.value) as low, max(r.value) as high,
       round(100.0 * (max(r.value) - min(r.value)) / nullif(max(r.value), 0), 3) as apart_percent
from reading r
join track pass on pass.id = r.pass_track
join track gpu on gpu.id = pass.parent_id
join process p using (upid)
group by p.pid, gpu.name, r.dispatch_id, r.kernel, r.counter
having count(*) > 1
order by apart_percent desc, p.pid, gpu.name, r.dispatch_id, r.counter;
