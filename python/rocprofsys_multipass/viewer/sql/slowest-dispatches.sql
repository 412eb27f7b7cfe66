-- SPDX-License-Identifier: MIT
-- The 20 longest dispatches
select p.pid, gpu.name as gpu, lane.name as queue, extract_arg(s.arg_set_id, 'debug.dispatch_id') as dispatch_id,
       s.name as kernel, s.dur as duration_ns, extract_arg(s.arg_set_id, 'debug.time_of') as time_of,
       extract_arg(s.arg_set_id, 'debug.outcome') as outcome, extract_arg(s.arg_set_id, 'debug.grid_size') as grid_size
from slice s
join process_track lane on lane.id = s.track_id
join track gpu on gpu.id = lane.parent_id
join process p using (upid)
where s.category = 'rocm_kernel_dispatch'
order by s.dur desc, s.ts
limit 20;
