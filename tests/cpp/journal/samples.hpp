// SPDX-License-Identifier: MIT
// Model values with every member set, so that a member lost on the way shows.
#pragma once

#include "journal/decode.hpp"

namespace multipass::journal::samples {

inline RunMetadata run() {
  RunMetadata run;
  run.tool_version = "0.1.0";
  run.sdk_version = "1.4.1";
  run.sdk_library = "/opt/rocm/lib/librocprofiler-sdk.so.1";
  run.simulated = true;
  run.kernel_replay = true;
  run.replay_mode = ReplayMode::kKernel;
  run.guid = "01981234-5678-7abc-8def-0123456789ab";
  run.command = {"./app", "", "x='a'", "ünïcode"};
  run.pid = 4242;
  run.ppid = 1;
  run.rank = 0;
  run.hostname = "node7";
  run.machine_id = "0123456789abcdef";
  run.system_name = "Linux";
  run.system_release = "6.1.0";
  run.system_version = "#1 SMP";
  run.start_ns = 11;
  run.boottime_ns = 12;
  run.monotonic_ns = 13;
  run.realtime_ns = 1'700'000'000'000'000'000;
  run.events = "SQ_WAVES,TCC_HIT";
  run.run_token = "a1b2c3";
  run.sets = {"memory", "cache"};
  run.extras = {.warm_up = true, .timing = true, .permute = true};
  run.compute_panels = {2, 17};
  run.keeps_instances = true;
  return run;
}

inline AgentFrame agent() {
  AgentFrame frame;
  frame.agent.index = AgentIndex{2};
  frame.agent.type = AgentType::kGpu;
  frame.agent.device = 1;
  frame.agent.node_id = 2;
  frame.agent.logical_node_id = 2;
  frame.agent.logical_node_type_id = -1;
  frame.agent.name = "gfx942";
  frame.agent.vendor_name = "AMD";
  frame.agent.product_name = "product";
  frame.agent.model_name = "model";
  frame.agent.device_id = 0x74a1;
  frame.agent.uuid = "00112233445566778899aabbccddeeff";
  frame.agent.cu_count = 304;
  frame.agent.simd_count = 1216;
  frame.agent.simd_per_cu = 4;
  frame.agent.wave_front_size = 64;
  frame.agent.num_xcc = 8;
  frame.agent.num_shader_banks = 32;
  frame.agent.max_waves_per_simd = 8;
  frame.agent.max_waves_per_cu = 32;
  frame.agent.mem_clk_max = 1300;
  frame.agent.memory_partition = "NPS4";
  frame.agent.max_engine_clk_fcompute = 2100;
  frame.agent.local_mem_size = 206'141'652'992;
  frame.counters = {
      {"SQ_WAVES", "waves", "SQ", "", false, false, 32, {{"DIMENSION_INSTANCE", 4}, {"DIMENSION_XCC", 8}}},
      {"L2Hit", "percent", "", "100*a/b", false, true, 1},
      {"CU_NUM", "", "", "", true, false, 1}};
  frame.plan.agent = frame.agent.index;
  frame.plan.arch = "gfx942";
  frame.plan.device = 1;
  frame.plan.lower_bound = 2;
  frame.plan.proof = Proof::kBound;
  frame.plan.passes = {{{"SQ_WAVES"}, {"SQ_WAVES"}, {{"SQ", 1}}, {{"SQ", 8}}},
                       {{"L2Hit"}, {}, {{"TCC", 2}}, {{"TCC", 4}}}};
  frame.plan.groups = {{{"L2Hit", "SQ_WAVES"}, 1}};
  frame.plan.unplaceable = {{"BIG", "needs too much", "SQ", 9, 8}};
  return frame;
}

inline KernelSymbol kernel() {
  return {KernelId{7}, 3, AgentIndex{2}, "_Z4axpyPf.kd", "axpy(float*)", 24, 8, 1024, 16, 32, 64, 4};
}

inline DispatchRecord dispatch() {
  DispatchRecord record;
  record.dispatch_id = DispatchId{std::uint64_t{1} << 40U};
  record.agent = AgentIndex{2};
  record.kernel = KernelId{7};
  record.queue_id = 0xdead'beef'0000'0001;
  record.stream_id = 5;
  record.thread_id = 4243;
  record.correlation_id = 9;
  record.grid = {1024, 2, 1};
  record.workgroup = {256, 1, 1};
  record.private_segment_size = 16;
  record.group_segment_size = 1024;
  record.outcome = Outcome::kIncomplete;
  record.reason = "pass 1 delivered nothing";
  record.passes_planned = 2;
  record.warm_up = Interval{0, 0};  // it ran, its times are unknown
  record.timing = Interval{70, 90};
  record.passes = {{PassIndex{0},
                    GroupIndex{0},
                    100,
                    200,
                    {CounterIndex{0}, CounterIndex{1}, CounterIndex{2}},
                    {16, 0.5, 3},
                    {{{0, 1, 2}, {4, 0, 12}}, {}, {{1, 300}, {1, 2}}}},
                   {std::nullopt, GroupIndex{1}, 0, 0, {}, {}}};
  return record;
}

}  // namespace multipass::journal::samples
