// SPDX-License-Identifier: MIT
#include "journal/decode.hpp"

#include <array>
#include <protozero/pbf_message.hpp>
#include <stdexcept>

#include "journal/fields.hpp"
#include "model/names.hpp"

namespace multipass::journal {
namespace {

using protozero::data_view;
using protozero::pbf_message;

// A value that has the right wire form and the wrong content. Caught in decode().
class BadValue final : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

std::uint32_t narrow(std::uint64_t value) {
  if (value > UINT32_MAX) throw BadValue("a 32-bit number is out of range");
  return static_cast<std::uint32_t>(value);
}

template <typename Enum, std::size_t N>
Enum by_name(const std::string& name, const std::array<Enum, N>& all) {
  for (const Enum value : all)
    if (name_of(value) == name) return value;
  throw BadValue("unknown name '" + name + "'");
}

Outcome outcome_of(const std::string& name) {
  return by_name(name, std::array{Outcome::kReplayed, Outcome::kSinglePass, Outcome::kDeclined, Outcome::kFiltered,
                                  Outcome::kIncomplete});
}

// Every read_* goes through the wire type, so that a field of another type is an error and not a wrong value.
template <typename Tag>
std::uint64_t number(pbf_message<Tag>& in) {
  if (in.wire_type() != protozero::pbf_wire_type::varint) throw BadValue("a number has another wire type");
  return in.get_uint64();
}
template <typename Tag>
std::string text(pbf_message<Tag>& in) {
  if (in.wire_type() != protozero::pbf_wire_type::length_delimited) throw BadValue("a text has another wire type");
  return in.get_string();
}
template <typename Tag>
data_view message(pbf_message<Tag>& in) {
  if (in.wire_type() != protozero::pbf_wire_type::length_delimited) throw BadValue("a message has another wire type");
  return in.get_view();
}

RunMetadata run_of(data_view bytes) {
  using F = field::Run;
  RunMetadata run;
  for (pbf_message<F> in{bytes}; in.next();) {
    switch (in.tag()) {
      case F::tool_version:
        run.tool_version = text(in);
        break;
      case F::sdk_version:
        run.sdk_version = text(in);
        break;
      case F::sdk_library:
        run.sdk_library = text(in);
        break;
      case F::simulated:
        run.simulated = number(in) != 0;
        break;
      case F::kernel_replay:
        run.kernel_replay = number(in) != 0;
        break;
      case F::replay_mode: {
        const std::string name = text(in);
        const auto mode = replay_mode_of(name);
        if (!mode) throw BadValue("unknown replay mode '" + name + "'");
        run.replay_mode = *mode;
        break;
      }
      case F::guid:
        run.guid = text(in);
        break;
      case F::command:
        run.command.push_back(text(in));
        break;
      case F::pid:
        run.pid = number(in);
        break;
      case F::ppid:
        run.ppid = number(in);
        break;
      case F::rank:
        run.rank = narrow(number(in));
        break;
      case F::hostname:
        run.hostname = text(in);
        break;
      case F::machine_id:
        run.machine_id = text(in);
        break;
      case F::system_name:
        run.system_name = text(in);
        break;
      case F::system_release:
        run.system_release = text(in);
        break;
      case F::system_version:
        run.system_version = text(in);
        break;
      case F::start_ns:
        run.start_ns = number(in);
        break;
      case F::boottime_ns:
        run.boottime_ns = number(in);
        break;
      case F::monotonic_ns:
        run.monotonic_ns = number(in);
        break;
      case F::realtime_ns:
        run.realtime_ns = number(in);
        break;
      case F::events:
        run.events = text(in);
        break;
      default:
        in.skip();
    }
  }
  return run;
}

CounterInfo counter_of(data_view bytes) {
  using F = field::Counter;
  CounterInfo counter;
  counter.instances = 0;
  for (pbf_message<F> in{bytes}; in.next();) {
    switch (in.tag()) {
      case F::name:
        counter.name = text(in);
        break;
      case F::description:
        counter.description = text(in);
        break;
      case F::block:
        counter.block = text(in);
        break;
      case F::expression:
        counter.expression = text(in);
        break;
      case F::is_constant:
        counter.is_constant = number(in) != 0;
        break;
      case F::is_derived:
        counter.is_derived = number(in) != 0;
        break;
      case F::instances:
        counter.instances = number(in);
        break;
      default:
        in.skip();
    }
  }
  return counter;
}

PassPlan pass_plan_of(data_view bytes) {
  using F = field::PlannedPass;
  PassPlan pass;
  for (pbf_message<F> in{bytes}; in.next();) {
    switch (in.tag()) {
      case F::counters:
        pass.counters.push_back(text(in));
        break;
      case F::sentinels:
        pass.sentinels.push_back(text(in));
        break;
      case F::blocks: {
        std::string block;
        std::uint32_t registers = 0;
        std::uint32_t capacity = 0;
        for (pbf_message<field::BlockUse> use{message(in)}; use.next();) {
          switch (use.tag()) {
            case field::BlockUse::block:
              block = text(use);
              break;
            case field::BlockUse::registers:
              registers = narrow(number(use));
              break;
            case field::BlockUse::capacity:
              capacity = narrow(number(use));
              break;
            default:
              use.skip();
          }
        }
        pass.registers[block] = registers;
        pass.capacity[block] = capacity;
        break;
      }
      default:
        in.skip();
    }
  }
  return pass;
}

GroupPlacement group_of(data_view bytes) {
  GroupPlacement group;
  for (pbf_message<field::PlannedGroup> in{bytes}; in.next();) {
    switch (in.tag()) {
      case field::PlannedGroup::counters:
        group.counters.push_back(text(in));
        break;
      case field::PlannedGroup::pass:
        group.pass = narrow(number(in));
        break;
      default:
        in.skip();
    }
  }
  return group;
}

UnplaceableCounter unplaceable_of(data_view bytes) {
  using F = field::Unplaceable;
  UnplaceableCounter counter;
  for (pbf_message<F> in{bytes}; in.next();) {
    switch (in.tag()) {
      case F::counter:
        counter.counter = text(in);
        break;
      case F::reason:
        counter.reason = text(in);
        break;
      case F::block:
        counter.block = text(in);
        break;
      case F::needs:
        counter.needs = narrow(number(in));
        break;
      case F::limit:
        counter.limit = narrow(number(in));
        break;
      default:
        in.skip();
    }
  }
  return counter;
}

void read_plan(data_view bytes, AgentPlan& plan) {
  using F = field::Plan;
  for (pbf_message<F> in{bytes}; in.next();) {
    switch (in.tag()) {
      case F::passes:
        plan.passes.push_back(pass_plan_of(message(in)));
        break;
      case F::lower_bound:
        plan.lower_bound = narrow(number(in));
        break;
      case F::proof:
        plan.proof = by_name(text(in), std::array{Proof::kNone, Proof::kBound, Proof::kSearch});
        break;
      case F::groups:
        plan.groups.push_back(group_of(message(in)));
        break;
      case F::unplaceable:
        plan.unplaceable.push_back(unplaceable_of(message(in)));
        break;
      default:
        in.skip();
    }
  }
}

AgentFrame agent_of(data_view bytes) {
  using F = field::Agent;
  AgentFrame frame;
  AgentInfo& agent = frame.agent;
  agent.type = AgentType::kCpu;
  for (pbf_message<F> in{bytes}; in.next();) {
    switch (in.tag()) {
      case F::index:
        agent.index = AgentIndex{narrow(number(in))};
        break;
      case F::gpu:
        agent.type = number(in) != 0 ? AgentType::kGpu : AgentType::kCpu;
        break;
      case F::device:
        agent.device = narrow(number(in));
        break;
      case F::node_id:
        agent.node_id = narrow(number(in));
        break;
      case F::logical_node_id:
        agent.logical_node_id = static_cast<std::int32_t>(number(in));
        break;
      case F::logical_node_type_id:
        agent.logical_node_type_id = static_cast<std::int32_t>(number(in));
        break;
      case F::name:
        agent.name = text(in);
        break;
      case F::vendor_name:
        agent.vendor_name = text(in);
        break;
      case F::product_name:
        agent.product_name = text(in);
        break;
      case F::model_name:
        agent.model_name = text(in);
        break;
      case F::device_id:
        agent.device_id = narrow(number(in));
        break;
      case F::uuid:
        agent.uuid = text(in);
        break;
      case F::cu_count:
        agent.cu_count = narrow(number(in));
        break;
      case F::simd_count:
        agent.simd_count = narrow(number(in));
        break;
      case F::simd_per_cu:
        agent.simd_per_cu = narrow(number(in));
        break;
      case F::wave_front_size:
        agent.wave_front_size = narrow(number(in));
        break;
      case F::num_xcc:
        agent.num_xcc = narrow(number(in));
        break;
      case F::num_shader_banks:
        agent.num_shader_banks = narrow(number(in));
        break;
      case F::max_waves_per_simd:
        agent.max_waves_per_simd = narrow(number(in));
        break;
      case F::max_engine_clk_fcompute:
        agent.max_engine_clk_fcompute = narrow(number(in));
        break;
      case F::local_mem_size:
        agent.local_mem_size = number(in);
        break;
      case F::counters:
        frame.counters.push_back(counter_of(message(in)));
        break;
      case F::plan:
        read_plan(message(in), frame.plan);
        break;
      default:
        in.skip();
    }
  }
  frame.plan.agent = agent.index;
  frame.plan.arch = agent.name;
  frame.plan.device = agent.device;
  return frame;
}

KernelSymbol kernel_of(data_view bytes) {
  using F = field::Kernel;
  KernelSymbol kernel;
  for (pbf_message<F> in{bytes}; in.next();) {
    switch (in.tag()) {
      case F::id:
        kernel.id = KernelId{number(in)};
        break;
      case F::code_object_id:
        kernel.code_object_id = number(in);
        break;
      case F::agent:
        kernel.agent = AgentIndex{narrow(number(in))};
        break;
      case F::name:
        kernel.name = text(in);
        break;
      case F::demangled:
        kernel.demangled = text(in);
        break;
      case F::kernarg_segment_size:
        kernel.kernarg_segment_size = narrow(number(in));
        break;
      case F::kernarg_segment_alignment:
        kernel.kernarg_segment_alignment = narrow(number(in));
        break;
      case F::group_segment_size:
        kernel.group_segment_size = narrow(number(in));
        break;
      case F::private_segment_size:
        kernel.private_segment_size = narrow(number(in));
        break;
      case F::sgpr_count:
        kernel.sgpr_count = narrow(number(in));
        break;
      case F::arch_vgpr_count:
        kernel.arch_vgpr_count = narrow(number(in));
        break;
      case F::accum_vgpr_count:
        kernel.accum_vgpr_count = narrow(number(in));
        break;
      default:
        in.skip();
    }
  }
  return kernel;
}

template <typename Tag>
void require_packed(pbf_message<Tag>& in) {
  if (in.wire_type() != protozero::pbf_wire_type::length_delimited) throw BadValue("a list is not packed");
}

Dim3 dim3_of(pbf_message<field::Dispatch>& in) {
  require_packed(in);
  std::vector<std::uint32_t> values;
  for (const std::uint32_t value : in.get_packed_uint32()) values.push_back(value);
  if (values.size() != 3) throw BadValue("a geometry has " + std::to_string(values.size()) + " of 3 sizes");
  return {values[0], values[1], values[2]};
}

PassRecord pass_record_of(data_view bytes) {
  using F = field::Pass;
  PassRecord pass;
  for (pbf_message<F> in{bytes}; in.next();) {
    switch (in.tag()) {
      case F::pass:
        pass.pass = PassIndex{narrow(number(in))};
        break;
      case F::group:
        pass.group = GroupIndex{narrow(number(in))};
        break;
      case F::start_ns:
        pass.start_ns = number(in);
        break;
      case F::end_ns:
        pass.end_ns = number(in);
        break;
      case F::counters:
        require_packed(in);
        for (const std::uint32_t index : in.get_packed_uint32()) pass.counters.emplace_back(index);
        break;
      case F::values:
        require_packed(in);
        for (const double value : in.get_packed_double()) pass.values.push_back(value);
        break;
      default:
        in.skip();
    }
  }
  if (pass.counters.size() != pass.values.size()) throw BadValue("a pass has counters without values");
  return pass;
}

DispatchRecord dispatch_of(data_view bytes) {
  using F = field::Dispatch;
  DispatchRecord dispatch;
  for (pbf_message<F> in{bytes}; in.next();) {
    switch (in.tag()) {
      case F::dispatch_id:
        dispatch.dispatch_id = DispatchId{number(in)};
        break;
      case F::agent:
        dispatch.agent = AgentIndex{narrow(number(in))};
        break;
      case F::kernel:
        dispatch.kernel = KernelId{number(in)};
        break;
      case F::queue_id:
        dispatch.queue_id = number(in);
        break;
      case F::stream_id:
        dispatch.stream_id = number(in);
        break;
      case F::thread_id:
        dispatch.thread_id = number(in);
        break;
      case F::correlation_id:
        dispatch.correlation_id = number(in);
        break;
      case F::grid:
        dispatch.grid = dim3_of(in);
        break;
      case F::workgroup:
        dispatch.workgroup = dim3_of(in);
        break;
      case F::private_segment_size:
        dispatch.private_segment_size = narrow(number(in));
        break;
      case F::group_segment_size:
        dispatch.group_segment_size = narrow(number(in));
        break;
      case F::outcome:
        dispatch.outcome = outcome_of(text(in));
        break;
      case F::reason:
        dispatch.reason = text(in);
        break;
      case F::passes_planned:
        dispatch.passes_planned = narrow(number(in));
        break;
      case F::passes:
        dispatch.passes.push_back(pass_record_of(message(in)));
        break;
      default:
        in.skip();
    }
  }
  return dispatch;
}

WarningFrame warning_of(data_view bytes) {
  WarningFrame warning;
  for (pbf_message<field::Warning> in{bytes}; in.next();) {
    if (in.tag() == field::Warning::text) {
      warning.text = text(in);
    } else {
      in.skip();
    }
  }
  return warning;
}

EndFrame end_of(data_view bytes) {
  EndFrame end;
  for (pbf_message<field::End> in{bytes}; in.next();) {
    switch (in.tag()) {
      case field::End::dispatches:
        end.dispatches = number(in);
        break;
      case field::End::end_ns:
        end.end_ns = number(in);
        break;
      default:
        in.skip();
    }
  }
  return end;
}

Frame frame_of(std::string_view bytes) {
  Frame frame;
  for (pbf_message<field::Frame> in{data_view{bytes.data(), bytes.size()}}; in.next();) {
    switch (in.tag()) {
      case field::Frame::run:
        frame = run_of(message(in));
        break;
      case field::Frame::agent:
        frame = agent_of(message(in));
        break;
      case field::Frame::kernel:
        frame = kernel_of(message(in));
        break;
      case field::Frame::dispatch:
        frame = dispatch_of(message(in));
        break;
      case field::Frame::warning:
        frame = warning_of(message(in));
        break;
      case field::Frame::end:
        frame = end_of(message(in));
        break;
      default:
        in.skip();
    }
  }
  return frame;
}

}  // namespace

Result<Frame> decode(std::string_view bytes) {
  try {
    return frame_of(bytes);
  } catch (const protozero::exception& error) {
    return Status::error(std::string("malformed message: ") + error.what());
  } catch (const BadValue& error) {
    return Status::error(error.what());
  }
}

}  // namespace multipass::journal
