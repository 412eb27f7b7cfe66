-- SPDX-License-Identifier: MIT
-- Every counter of every kernel: sum and extremes over its launches
select p.pid, coalesce(extract_arg(s.arg_set_id, 'debug.gpu'), gpu.name, lane.name) as gpu, s.name as kernel,
       substr(a.key, 7) as counter, count(*) as launches,
       sum(coalesce(a.int_value, a.real_value)) as total, avg(coalesce(a.int_value, a.real_value)) as mean,
       min(coalesce(a.int_value, a.real_value)) as low, max(coalesce(a.int_value, a.real_value)) as high
from slice s
join args a using (arg_set_id)
join process_track lane on lane.id = s.track_id
left join track gpu on gpu.id = lane.parent_id
join process p using (upid)
-- names of counters start with a capital letter, those of other arguments do not
where s.category in ('rocm_kernel_dispatch', 'rocm_hip_stream') and a.key glob 'debug.[A-Z]*'
group by p.pid, gpu, s.name, counter
order by p.pid, gpu, s.name, counter;
