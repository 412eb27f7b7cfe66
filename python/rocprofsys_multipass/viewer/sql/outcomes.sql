-- SPDX-License-Identifier: MIT
-- What became of the dispatches, and why some were not replayed
with dispatch as (
  select p.pid, coalesce(extract_arg(s.arg_set_id, 'debug.gpu'), gpu.name, lane.name) as gpu, s.name as kernel,
         extract_arg(s.arg_set_id, 'debug.outcome') as outcome,
         coalesce(extract_arg(s.arg_set_id, 'debug.decline_reason'),
                  extract_arg(s.arg_set_id, 'debug.incomplete_reason'),
                  extract_arg(s.arg_set_id, 'debug.filter_reason'),
                  extract_arg(s.arg_set_id, 'debug.unsafe_reason'), '') as reason
  from slice s
  join process_track lane on lane.id = s.track_id
  left join track gpu on gpu.id = lane.parent_id
  join process p using (upid)
  where s.category in ('rocm_kernel_dispatch', 'rocm_kernel_dispatch_untimed', 'rocm_hip_stream')
    -- what rocprof-sys alone recorded may have a slice for each pass
    and coalesce(extract_arg(s.arg_set_id, 'debug.outcome'),
                 extract_arg(s.arg_set_id, 'debug.joined_dispatch_id')) is not null
)
select pid, gpu, outcome, reason, count(*) as dispatches, count(distinct kernel) as kernels
from dispatch
group by pid, gpu, outcome, reason
order by pid, gpu, dispatches desc, outcome, reason;
