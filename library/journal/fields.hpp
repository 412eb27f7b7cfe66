// SPDX-License-Identifier: MIT
//
// Field numbers of journal.proto for protozero, one enumeration a message. A test compares them with the .proto.
#pragma once

#include <protozero/types.hpp>

// NOLINTBEGIN(readability-identifier-naming): the names are those of the .proto
namespace multipass::journal::field {

enum class Frame : protozero::pbf_tag_type {
  run = 1,
  agent = 2,
  kernel = 3,
  dispatch = 4,
  warning = 5,
  end = 6,
  checkpoint = 7
};

enum class Run : protozero::pbf_tag_type {
  tool_version = 1,
  sdk_version = 2,
  sdk_library = 3,
  simulated = 4,
  kernel_replay = 5,
  replay_mode = 6,
  guid = 7,
  command = 8,
  pid = 9,
  ppid = 10,
  rank = 11,
  hostname = 12,
  machine_id = 13,
  system_name = 14,
  system_release = 15,
  system_version = 16,
  start_ns = 17,
  boottime_ns = 18,
  monotonic_ns = 19,
  realtime_ns = 20,
  events = 21,
  run_token = 22,
  sets = 23,
  warm_up_pass = 24,
  timing_pass = 25,
  permute_groups = 26,
  compute_panels = 27,
  keeps_instances = 28
};

enum class Agent : protozero::pbf_tag_type {
  index = 1,
  gpu = 2,
  device = 3,
  node_id = 4,
  logical_node_id = 5,
  logical_node_type_id = 6,
  name = 7,
  vendor_name = 8,
  product_name = 9,
  model_name = 10,
  device_id = 11,
  uuid = 12,
  cu_count = 13,
  simd_count = 14,
  simd_per_cu = 15,
  wave_front_size = 16,
  num_xcc = 17,
  num_shader_banks = 18,
  max_waves_per_simd = 19,
  max_engine_clk_fcompute = 20,
  local_mem_size = 21,
  counters = 22,
  plan = 23,
  max_waves_per_cu = 24,
  mem_clk_max = 25,
  memory_partition = 26
};

enum class Counter : protozero::pbf_tag_type {
  name = 1,
  description = 2,
  block = 3,
  expression = 4,
  is_constant = 5,
  is_derived = 6,
  instances = 7,
  dimensions = 8
};

enum class Dimension : protozero::pbf_tag_type { name = 1, size = 2 };

enum class Plan : protozero::pbf_tag_type { passes = 1, lower_bound = 2, proof = 3, groups = 4, unplaceable = 5 };

enum class PlannedPass : protozero::pbf_tag_type { counters = 1, sentinels = 2, blocks = 3 };

enum class BlockUse : protozero::pbf_tag_type { block = 1, registers = 2, capacity = 3 };

enum class PlannedGroup : protozero::pbf_tag_type { counters = 1, pass = 2 };

enum class Unplaceable : protozero::pbf_tag_type { counter = 1, reason = 2, block = 3, needs = 4, limit = 5 };

enum class Kernel : protozero::pbf_tag_type {
  id = 1,
  code_object_id = 2,
  agent = 3,
  name = 4,
  demangled = 5,
  kernarg_segment_size = 6,
  kernarg_segment_alignment = 7,
  group_segment_size = 8,
  private_segment_size = 9,
  sgpr_count = 10,
  arch_vgpr_count = 11,
  accum_vgpr_count = 12
};

enum class Dispatch : protozero::pbf_tag_type {
  dispatch_id = 1,
  agent = 2,
  kernel = 3,
  queue_id = 4,
  stream_id = 5,
  thread_id = 6,
  correlation_id = 7,
  grid = 8,
  workgroup = 9,
  private_segment_size = 10,
  group_segment_size = 11,
  outcome = 12,
  reason = 13,
  passes_planned = 14,
  passes = 15,
  warm_up = 16,
  timing = 17
};

enum class Pass : protozero::pbf_tag_type {
  pass = 1,
  group = 2,
  start_ns = 3,
  end_ns = 4,
  counters = 5,
  values = 6,
  instances = 7
};

enum class Instances : protozero::pbf_tag_type { positions = 1, values = 2 };

enum class Interval : protozero::pbf_tag_type { start_ns = 1, end_ns = 2 };

enum class Warning : protozero::pbf_tag_type { text = 1 };

enum class Checkpoint : protozero::pbf_tag_type { dispatches = 1, in_flight = 2, dropped = 3, at_ns = 4 };

enum class End : protozero::pbf_tag_type { dispatches = 1, end_ns = 2 };

}  // namespace multipass::journal::field
// NOLINTEND(readability-identifier-naming)
