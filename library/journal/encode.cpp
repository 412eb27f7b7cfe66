// SPDX-License-Identifier: MIT
#include "journal/encode.hpp"

#include <array>
#include <protozero/pbf_builder.hpp>
#include <ranges>

#include "base/utf8.hpp"
#include "journal/fields.hpp"
#include "model/names.hpp"

namespace multipass::journal {
namespace {

using protozero::pbf_builder;

// A protobuf string must be UTF-8, or strict readers refuse the whole message.
template <typename Tag>
void add_text(pbf_builder<Tag>& to, Tag tag, std::string_view value) {
  if (is_clean_text(value)) {
    to.add_string(tag, protozero::data_view{value.data(), value.size()});
  } else {
    to.add_string(tag, clean_text(value));
  }
}

// Proto3 leaves out defaults; so do we, for size.
template <typename Tag>
void text(pbf_builder<Tag>& to, Tag tag, std::string_view value) {
  if (!value.empty()) add_text(to, tag, value);
}
template <typename Tag>
void number(pbf_builder<Tag>& to, Tag tag, std::uint64_t value) {
  if (value != 0) to.add_uint64(tag, value);
}
template <typename Tag>
void flag(pbf_builder<Tag>& to, Tag tag, bool value) {
  if (value) to.add_bool(tag, value);
}

std::string dimension_bytes(const CounterDimension& dimension) {
  using F = field::Dimension;
  std::string bytes;
  pbf_builder<F> out{bytes};
  text(out, F::name, dimension.name);
  number(out, F::size, dimension.size);
  return bytes;
}

std::string counter_bytes(const CounterInfo& counter) {
  using F = field::Counter;
  std::string bytes;
  pbf_builder<F> out{bytes};
  text(out, F::name, counter.name);
  text(out, F::description, counter.description);
  text(out, F::block, counter.block);
  text(out, F::expression, counter.expression);
  flag(out, F::is_constant, counter.is_constant);
  flag(out, F::is_derived, counter.is_derived);
  number(out, F::instances, counter.instances);
  for (const CounterDimension& dimension : counter.dimensions)
    out.add_message(F::dimensions, dimension_bytes(dimension));
  return bytes;
}

std::string block_use_bytes(const std::string& block, std::uint32_t registers, std::uint32_t capacity) {
  using F = field::BlockUse;
  std::string bytes;
  pbf_builder<F> out{bytes};
  text(out, F::block, block);
  number(out, F::registers, registers);
  number(out, F::capacity, capacity);
  return bytes;
}

std::string planned_pass_bytes(const PassPlan& pass) {
  using F = field::PlannedPass;
  std::string bytes;
  pbf_builder<F> out{bytes};
  for (const std::string& name : pass.counters) add_text(out, F::counters, name);
  for (const std::string& name : pass.sentinels) add_text(out, F::sentinels, name);
  for (const auto& [block, registers] : pass.registers) {
    const auto capacity = pass.capacity.find(block);
    out.add_message(F::blocks,
                    block_use_bytes(block, registers, capacity == pass.capacity.end() ? 0 : capacity->second));
  }
  return bytes;
}

std::string group_bytes(const GroupPlacement& group) {
  using F = field::PlannedGroup;
  std::string bytes;
  pbf_builder<F> out{bytes};
  for (const std::string& name : group.counters) add_text(out, F::counters, name);
  number(out, F::pass, group.pass);
  return bytes;
}

std::string unplaceable_bytes(const UnplaceableCounter& counter) {
  using F = field::Unplaceable;
  std::string bytes;
  pbf_builder<F> out{bytes};
  text(out, F::counter, counter.counter);
  text(out, F::reason, counter.reason);
  text(out, F::block, counter.block);
  number(out, F::needs, counter.needs);
  number(out, F::limit, counter.limit);
  return bytes;
}

std::string plan_bytes(const AgentPlan& plan) {
  using F = field::Plan;
  std::string bytes;
  pbf_builder<F> out{bytes};
  for (const PassPlan& pass : plan.passes) out.add_message(F::passes, planned_pass_bytes(pass));
  number(out, F::lower_bound, plan.lower_bound);
  text(out, F::proof, name_of(plan.proof));
  for (const GroupPlacement& group : plan.groups) out.add_message(F::groups, group_bytes(group));
  for (const UnplaceableCounter& counter : plan.unplaceable)
    out.add_message(F::unplaceable, unplaceable_bytes(counter));
  return bytes;
}

void put_dim3(pbf_builder<field::Dispatch>& to, field::Dispatch tag, const Dim3& dim) {
  const std::array<std::uint32_t, 3> values{dim.x, dim.y, dim.z};
  to.add_packed_uint32(tag, values.begin(), values.end());
}

struct IndexValue {
  std::uint32_t operator()(CounterIndex index) const noexcept { return index.value; }
};

// Whether they are those of the first values.size() instances: then they need not be written.
bool from_first_on(const std::vector<std::uint32_t>& positions) noexcept {
  return positions.empty() || (positions.front() == 0 && positions.back() == positions.size() - 1);  // they rise
}

void put_instances(pbf_builder<field::Pass>& to, const InstanceValues& instances) {
  using F = field::Instances;
  if (instances.values.empty()) {  // which protozero leaves out
    to.add_message(field::Pass::instances, protozero::data_view{"", 0});
    return;
  }
  pbf_builder<F> out{to, field::Pass::instances};
  const std::vector<std::uint32_t>& positions = instances.positions;
  if (!from_first_on(positions)) out.add_packed_uint32(F::positions, positions.begin(), positions.end());
  out.add_packed_double(F::values, instances.values.begin(), instances.values.end());
}

// Behind what is there already: without a string of its own, for it is written while a kernel is launched.
void put_pass(pbf_builder<field::Dispatch>& to, const PassRecord& pass, Instances which) {
  using F = field::Pass;
  const bool empty = !pass.pass && pass.group.value == 0 && pass.start_ns == 0 && pass.end_ns == 0 &&
                     pass.counters.empty() && pass.values.empty();
  if (empty) {  // which protozero leaves out
    to.add_message(field::Dispatch::passes, protozero::data_view{"", 0});
    return;
  }
  pbf_builder<F> out{to, field::Dispatch::passes};
  if (pass.pass) out.add_uint32(F::pass, pass.pass->value);  // presence counts: 0 is written
  number(out, F::group, pass.group.value);
  number(out, F::start_ns, pass.start_ns);
  number(out, F::end_ns, pass.end_ns);
  const auto indices = std::views::transform(pass.counters, IndexValue{});
  out.add_packed_uint32(F::counters, indices.begin(), indices.end());
  out.add_packed_double(F::values, pass.values.begin(), pass.values.end());
  if (which == Instances::kLeftOut) return;
  for (const InstanceValues& instances : pass.instances) put_instances(out, instances);
}

void put_interval(pbf_builder<field::Dispatch>& to, field::Dispatch tag, const Interval& interval) {
  using F = field::Interval;
  if (interval.start_ns == 0 && interval.end_ns == 0) {  // which protozero leaves out
    to.add_message(tag, protozero::data_view{"", 0});
    return;
  }
  pbf_builder<F> out{to, tag};
  number(out, F::start_ns, interval.start_ns);
  number(out, F::end_ns, interval.end_ns);
}

// A message inside a Frame. Written even when it is empty: protozero's own nesting would leave it out.
std::string frame_of(field::Frame kind, const std::string& message) {
  std::string bytes;
  pbf_builder<field::Frame> frame{bytes};
  frame.add_message(kind, message);
  return bytes;
}

}  // namespace

std::string encode(const RunMetadata& run) {
  using F = field::Run;
  std::string bytes;
  pbf_builder<F> out{bytes};
  text(out, F::tool_version, run.tool_version);
  text(out, F::sdk_version, run.sdk_version);
  text(out, F::sdk_library, run.sdk_library);
  flag(out, F::simulated, run.simulated);
  flag(out, F::kernel_replay, run.kernel_replay);
  text(out, F::replay_mode, name_of(run.replay_mode));
  text(out, F::guid, run.guid);
  for (const std::string& word : run.command) add_text(out, F::command, word);
  number(out, F::pid, run.pid);
  number(out, F::ppid, run.ppid);
  if (run.rank) out.add_uint32(F::rank, *run.rank);
  text(out, F::hostname, run.hostname);
  text(out, F::machine_id, run.machine_id);
  text(out, F::system_name, run.system_name);
  text(out, F::system_release, run.system_release);
  text(out, F::system_version, run.system_version);
  number(out, F::start_ns, run.start_ns);
  number(out, F::boottime_ns, run.boottime_ns);
  number(out, F::monotonic_ns, run.monotonic_ns);
  number(out, F::realtime_ns, run.realtime_ns);
  text(out, F::events, run.events);
  text(out, F::run_token, run.run_token);
  for (const std::string& set : run.sets) add_text(out, F::sets, set);
  flag(out, F::warm_up_pass, run.extras.warm_up);
  flag(out, F::timing_pass, run.extras.timing);
  flag(out, F::permute_groups, run.extras.permute);
  out.add_packed_uint32(F::compute_panels, run.compute_panels.begin(), run.compute_panels.end());
  flag(out, F::keeps_instances, run.keeps_instances);
  return frame_of(field::Frame::run, bytes);
}

std::string encode(const AgentInfo& agent, const std::vector<CounterInfo>& counters, const AgentPlan& plan) {
  using F = field::Agent;
  std::string bytes;
  pbf_builder<F> out{bytes};
  number(out, F::index, agent.index.value);
  flag(out, F::gpu, agent.type == AgentType::kGpu);
  number(out, F::device, agent.device);
  number(out, F::node_id, agent.node_id);
  if (agent.logical_node_id != 0) out.add_int32(F::logical_node_id, agent.logical_node_id);
  if (agent.logical_node_type_id != 0) out.add_int32(F::logical_node_type_id, agent.logical_node_type_id);
  text(out, F::name, agent.name);
  text(out, F::vendor_name, agent.vendor_name);
  text(out, F::product_name, agent.product_name);
  text(out, F::model_name, agent.model_name);
  number(out, F::device_id, agent.device_id);
  text(out, F::uuid, agent.uuid);
  number(out, F::cu_count, agent.cu_count);
  number(out, F::simd_count, agent.simd_count);
  number(out, F::simd_per_cu, agent.simd_per_cu);
  number(out, F::wave_front_size, agent.wave_front_size);
  number(out, F::num_xcc, agent.num_xcc);
  number(out, F::num_shader_banks, agent.num_shader_banks);
  number(out, F::max_waves_per_simd, agent.max_waves_per_simd);
  number(out, F::max_engine_clk_fcompute, agent.max_engine_clk_fcompute);
  number(out, F::local_mem_size, agent.local_mem_size);
  for (const CounterInfo& counter : counters) out.add_message(F::counters, counter_bytes(counter));
  out.add_message(F::plan, plan_bytes(plan));
  number(out, F::max_waves_per_cu, agent.max_waves_per_cu);
  number(out, F::mem_clk_max, agent.mem_clk_max);
  text(out, F::memory_partition, agent.memory_partition);
  return frame_of(field::Frame::agent, bytes);
}

std::string encode(const KernelSymbol& kernel) {
  using F = field::Kernel;
  std::string bytes;
  pbf_builder<F> out{bytes};
  number(out, F::id, kernel.id.value);
  number(out, F::code_object_id, kernel.code_object_id);
  number(out, F::agent, kernel.agent.value);
  text(out, F::name, kernel.name);
  text(out, F::demangled, kernel.demangled);
  number(out, F::kernarg_segment_size, kernel.kernarg_segment_size);
  number(out, F::kernarg_segment_alignment, kernel.kernarg_segment_alignment);
  number(out, F::group_segment_size, kernel.group_segment_size);
  number(out, F::private_segment_size, kernel.private_segment_size);
  number(out, F::sgpr_count, kernel.sgpr_count);
  number(out, F::arch_vgpr_count, kernel.arch_vgpr_count);
  number(out, F::accum_vgpr_count, kernel.accum_vgpr_count);
  return frame_of(field::Frame::kernel, bytes);
}

std::string encode(const DispatchRecord& dispatch) {
  std::string bytes;
  encode_to(dispatch, bytes);
  return bytes;
}

std::size_t most_bytes(const DispatchRecord& dispatch, Instances which) noexcept {
  // Of a number with its tag: 11, or 12 from field 16 on. What protozero keeps free for a length is in it too.
  constexpr std::size_t kFixed = 512;
  constexpr std::size_t kPass = 96;
  constexpr std::size_t kCounter = 16;                     // its index and its value
  constexpr std::size_t kInstances = 24;                   // three tags and lengths
  constexpr std::size_t kInstance = 13;                    // its position and its value
  std::size_t most = kFixed + 3 * dispatch.reason.size();  // a byte that is no UTF-8 becomes three
  for (const PassRecord& pass : dispatch.passes) {
    most += kPass + kCounter * pass.counters.size();
    if (which == Instances::kLeftOut) continue;
    for (const InstanceValues& instances : pass.instances) most += kInstances + kInstance * instances.values.size();
  }
  return most;
}

void encode_to(const DispatchRecord& dispatch, std::string& to, Instances which) {
  using F = field::Dispatch;
  pbf_builder<field::Frame> frame{to};
  pbf_builder<F> out{frame, field::Frame::dispatch};
  number(out, F::dispatch_id, dispatch.dispatch_id.value);
  number(out, F::agent, dispatch.agent.value);
  number(out, F::kernel, dispatch.kernel.value);
  number(out, F::queue_id, dispatch.queue_id);
  number(out, F::stream_id, dispatch.stream_id);
  number(out, F::thread_id, dispatch.thread_id);
  number(out, F::correlation_id, dispatch.correlation_id);
  put_dim3(out, F::grid, dispatch.grid);
  put_dim3(out, F::workgroup, dispatch.workgroup);
  number(out, F::private_segment_size, dispatch.private_segment_size);
  number(out, F::group_segment_size, dispatch.group_segment_size);
  text(out, F::outcome, name_of(dispatch.outcome));
  text(out, F::reason, dispatch.reason);
  number(out, F::passes_planned, dispatch.passes_planned);
  for (const PassRecord& pass : dispatch.passes) put_pass(out, pass, which);
  if (dispatch.warm_up) put_interval(out, F::warm_up, *dispatch.warm_up);
  if (dispatch.timing) put_interval(out, F::timing, *dispatch.timing);
}

std::string encode_warning(const std::string& message) {
  std::string bytes;
  pbf_builder<field::Warning> out{bytes};
  text(out, field::Warning::text, message);
  return frame_of(field::Frame::warning, bytes);
}

std::string encode(const CheckpointFrame& checkpoint) {
  using F = field::Checkpoint;
  std::string bytes;
  pbf_builder<F> out{bytes};
  number(out, F::dispatches, checkpoint.dispatches);
  number(out, F::in_flight, checkpoint.in_flight);
  number(out, F::dropped, checkpoint.dropped);
  number(out, F::at_ns, checkpoint.at_ns);
  return frame_of(field::Frame::checkpoint, bytes);
}

std::string encode_end(std::uint64_t dispatches, std::uint64_t end_ns) {
  std::string bytes;
  pbf_builder<field::End> out{bytes};
  number(out, field::End::dispatches, dispatches);
  number(out, field::End::end_ns, end_ns);
  return frame_of(field::Frame::end, bytes);
}

}  // namespace multipass::journal
