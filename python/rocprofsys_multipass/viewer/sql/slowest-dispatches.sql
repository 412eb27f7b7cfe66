-- SPDX-License-Identifier: MIT
-- The 20 longest dispatches
select p.pid, coalesce(extract_arg(s.arg_set_id, 'debug.gpu'), gpu.name, lane.name) as gpu, lane.name as queue,
       extract_arg(s.arg_set_id, 'debug.dispatch_id') as dispatch_id,
       s.name as kernel, s.dur as duration_ns, extract_arg(s.arg_set_id, 'debug.time_of') as time_of,
       extract_arg(s.arg_set_id, 'debug.outcome') as outcome, extract_arg(s.arg_set_id, 'debug.grid_size') as grid_size
from slice s
join process_track lane on lane.id = s.track_id
left join track gpu on gpu.id = lane.parent_id
join process p using (upid)
where s.category in ('rocm_kernel_dispatch', 'rocm_hip_stream')
  -- what rocprof-sys alone recorded may have a slice for each pass
  and coalesce(extract_arg(s.arg_set_id, 'debug.outcome'),
               extract_arg(s.arg_set_id, 'debug.joined_dispatch_id')) is not null
order by s.dur desc, s.ts
limit 20;
