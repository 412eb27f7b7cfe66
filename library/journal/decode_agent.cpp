// SPDX-License-Identifier: MIT
//
// Agents with their counters and their plan.
#include <array>

#include "journal/decode_fields.hpp"

namespace multipass::journal {
namespace {

CounterDimension dimension_of(data_view bytes) {
  CounterDimension dimension;
  for (pbf_message<field::Dimension> in{bytes}; in.next();) {
    switch (in.tag()) {
      case field::Dimension::name:
        dimension.name = text(in);
        break;
      case field::Dimension::size:
        dimension.size = number(in);
        break;
      default:
        in.skip();
    }
  }
  return dimension;
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
      case F::dimensions:
        counter.dimensions.push_back(dimension_of(message(in)));
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

}  // namespace

// NOLINTNEXTLINE(readability-function-size): one case for each field
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
      case F::max_waves_per_cu:
        agent.max_waves_per_cu = narrow(number(in));
        break;
      case F::mem_clk_max:
        agent.mem_clk_max = narrow(number(in));
        break;
      case F::memory_partition:
        agent.memory_partition = text(in);
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

}  // namespace multipass::journal
