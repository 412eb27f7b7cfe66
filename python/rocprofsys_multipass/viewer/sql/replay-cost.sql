-- SPDX-License-Identifier: MIT
-- What replay costs: kernel time, time of all executions, and time from the first to the last
with execution as (
  select lane.upid, extract_arg(s.arg_set_id, 'debug.dispatch_id') as dispatch_id, s.ts, s.ts + s.dur as end_ts, s.dur
  from slice s
  join process_track lane on lane.id = s.track_id
  where s.category in ('rocm_kernel_replay_pass', 'rocm_kernel_replay_extra')
),
replay as (
  select upid, dispatch_id, count(*) as executions, sum(dur) as executed_ns, max(end_ts) - min(ts) as span_ns
  from execution
  group by upid, dispatch_id
)
select p.pid, coalesce(extract_arg(s.arg_set_id, 'debug.gpu'), gpu.name, lane.name) as gpu, s.name as kernel,
       count(*) as launches, sum(r.executions) as executions,
       sum(s.dur) as kernel_ns, sum(r.executed_ns) as executed_ns, sum(r.span_ns) as span_ns,
       round(1.0 * sum(r.span_ns) / sum(s.dur), 2) as cost
from slice s
join process_track lane on lane.id = s.track_id
left join track gpu on gpu.id = lane.parent_id
join process p using (upid)
join replay r on r.upid = lane.upid and r.dispatch_id = extract_arg(s.arg_set_id, 'debug.dispatch_id')
where s.category in ('rocm_kernel_dispatch', 'rocm_hip_stream')
  and extract_arg(s.arg_set_id, 'debug.outcome') is not null
group by p.pid, gpu, s.name
order by sum(r.span_ns) desc;
