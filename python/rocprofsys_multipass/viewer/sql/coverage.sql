-- SPDX-License-Identifier: MIT
-- By kernel: how many of the planned executions were recorded, and how many counters came of them
with dispatch as (
  select s.id, p.pid, coalesce(extract_arg(s.arg_set_id, 'debug.gpu'), gpu.name, lane.name) as gpu,
         s.name as kernel, s.arg_set_id,
         extract_arg(s.arg_set_id, 'debug.passes') as passes,
         extract_arg(s.arg_set_id, 'debug.executions') as executions
  from slice s
  join process_track lane on lane.id = s.track_id
  left join track gpu on gpu.id = lane.parent_id
  join process p using (upid)
  where s.category in ('rocm_kernel_dispatch', 'rocm_kernel_dispatch_untimed', 'rocm_hip_stream')
    -- what rocprof-sys alone recorded may have a slice for each pass
    and coalesce(extract_arg(s.arg_set_id, 'debug.outcome'),
                 extract_arg(s.arg_set_id, 'debug.joined_dispatch_id')) is not null
),
counted as (
  select d.id, count(a.key) as counters
  from dispatch d
  left join args a on a.arg_set_id = d.arg_set_id and a.key glob 'debug.[A-Z]*'
  group by d.id
)
select d.pid, d.gpu, d.kernel, count(*) as launches, sum(d.executions) as executions, sum(d.passes) as planned,
       round(100.0 * sum(d.executions) / nullif(sum(d.passes), 0), 1) as executed_percent,
       min(c.counters) as fewest_counters, max(c.counters) as most_counters
from dispatch d
join counted c using (id)
group by d.pid, d.gpu, d.kernel
order by executed_percent, d.pid, d.gpu, d.kernel;
