// SPDX-License-Identifier: MIT
#include "journal/encode.hpp"

#include <array>
#include <protozero/pbf_builder.hpp>

#include "journal/fields.hpp"
#include "model/names.hpp"

namespace multipass::journal {
namespace {

using protozero::pbf_builder;

// Proto3 leaves out defaults; so do we, for size.
template <typename Tag>
void text(pbf_builder<Tag>& to, Tag tag, std::string_view value) {
  if (!value.empty()) to.add_string(tag, protozero::data_view{value.data(), value.size()});
}
template <typename Tag>
void number(pbf_builder<Tag>& to, Tag tag, std::uint64_t value) {
  if (value != 0) to.add_uint64(tag, value);
}
template <typename Tag>
void flag(pbf_builder<Tag>& to, Tag tag, bool value) {
  if (value) to.add_bool(tag, value);
}

void put_counter(pbf_builder<field::Agent>& to, const CounterInfo& counter) {
  using F = field::Counter;
  pbf_builder<F> out{to, field::Agent::counters};
  text(out, F::name, counter.name);
  text(out, F::description, counter.description);
  text(out, F::block, counter.block);
  text(out, F::expression, counter.expression);
  flag(out, F::is_constant, counter.is_constant);
  flag(out, F::is_derived, counter.is_derived);
  number(out, F::instances, counter.instances);
}

void put_pass(pbf_builder<field::Plan>& to, const PassPlan& pass) {
  using F = field::PlannedPass;
  pbf_builder<F> out{to, field::Plan::passes};
  for (const std::string& name : pass.counters) out.add_string(F::counters, name);
  for (const std::string& name : pass.sentinels) out.add_string(F::sentinels, name);
  for (const auto& [block, registers] : pass.registers) {
    pbf_builder<field::BlockUse> use{out, F::blocks};
    text(use, field::BlockUse::block, block);
    number(use, field::BlockUse::registers, registers);
    const auto capacity = pass.capacity.find(block);
    if (capacity != pass.capacity.end()) number(use, field::BlockUse::capacity, capacity->second);
  }
}

void put_plan(pbf_builder<field::Agent>& to, const AgentPlan& plan) {
  using F = field::Plan;
  pbf_builder<F> out{to, field::Agent::plan};
  for (const PassPlan& pass : plan.passes) put_pass(out, pass);
  number(out, F::lower_bound, plan.lower_bound);
  text(out, F::proof, name_of(plan.proof));
  for (const GroupPlacement& group : plan.groups) {
    pbf_builder<field::PlannedGroup> placed{out, F::groups};
    for (const std::string& name : group.counters) placed.add_string(field::PlannedGroup::counters, name);
    number(placed, field::PlannedGroup::pass, group.pass);
  }
  for (const UnplaceableCounter& counter : plan.unplaceable) {
    using U = field::Unplaceable;
    pbf_builder<U> left{out, F::unplaceable};
    text(left, U::counter, counter.counter);
    text(left, U::reason, counter.reason);
    text(left, U::block, counter.block);
    number(left, U::needs, counter.needs);
    number(left, U::limit, counter.limit);
  }
}

void put_dim3(pbf_builder<field::Dispatch>& to, field::Dispatch tag, const Dim3& dim) {
  const std::array<std::uint32_t, 3> values{dim.x, dim.y, dim.z};
  to.add_packed_uint32(tag, values.begin(), values.end());
}

void put_pass_record(pbf_builder<field::Dispatch>& to, const PassRecord& pass) {
  using F = field::Pass;
  pbf_builder<F> out{to, field::Dispatch::passes};
  if (pass.pass) out.add_uint32(F::pass, pass.pass->value);  // presence counts: 0 is written
  number(out, F::group, pass.group.value);
  number(out, F::start_ns, pass.start_ns);
  number(out, F::end_ns, pass.end_ns);
  std::vector<std::uint32_t> indices;
  indices.reserve(pass.counters.size());
  for (const CounterIndex index : pass.counters) indices.push_back(index.value);
  out.add_packed_uint32(F::counters, indices.begin(), indices.end());
  out.add_packed_double(F::values, pass.values.begin(), pass.values.end());
}

}  // namespace

std::string encode(const RunMetadata& run) {
  using F = field::Run;
  std::string bytes;
  pbf_builder<field::Frame> frame{bytes};
  pbf_builder<F> out{frame, field::Frame::run};
  text(out, F::tool_version, run.tool_version);
  text(out, F::sdk_version, run.sdk_version);
  text(out, F::sdk_library, run.sdk_library);
  flag(out, F::simulated, run.simulated);
  flag(out, F::kernel_replay, run.kernel_replay);
  text(out, F::replay_mode, name_of(run.replay_mode));
  text(out, F::guid, run.guid);
  for (const std::string& word : run.command) out.add_string(F::command, word);
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
  return bytes;
}

std::string encode(const AgentInfo& agent, const std::vector<CounterInfo>& counters, const AgentPlan& plan) {
  using F = field::Agent;
  std::string bytes;
  pbf_builder<field::Frame> frame{bytes};
  pbf_builder<F> out{frame, field::Frame::agent};
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
  for (const CounterInfo& counter : counters) put_counter(out, counter);
  put_plan(out, plan);
  return bytes;
}

std::string encode(const KernelSymbol& kernel) {
  using F = field::Kernel;
  std::string bytes;
  pbf_builder<field::Frame> frame{bytes};
  pbf_builder<F> out{frame, field::Frame::kernel};
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
  return bytes;
}

std::string encode(const DispatchRecord& dispatch) {
  using F = field::Dispatch;
  std::string bytes;
  pbf_builder<field::Frame> frame{bytes};
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
  for (const PassRecord& pass : dispatch.passes) put_pass_record(out, pass);
  return bytes;
}

std::string encode_warning(const std::string& message) {
  std::string bytes;
  pbf_builder<field::Frame> frame{bytes};
  pbf_builder<field::Warning> out{frame, field::Frame::warning};
  text(out, field::Warning::text, message);
  return bytes;
}

std::string encode_end(std::uint64_t dispatches, std::uint64_t end_ns) {
  std::string bytes;
  pbf_builder<field::Frame> frame{bytes};
  pbf_builder<field::End> out{frame, field::Frame::end};
  number(out, field::End::dispatches, dispatches);
  number(out, field::End::end_ns, end_ns);
  return bytes;
}

}  // namespace multipass::journal
