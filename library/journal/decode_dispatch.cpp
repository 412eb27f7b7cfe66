// SPDX-License-Identifier: MIT
//
// Kernels and dispatches.
#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "journal/decode_fields.hpp"

namespace multipass::journal {
namespace {

Outcome outcome_of(const std::string& name) {
  return by_name(name, std::array{Outcome::kReplayed, Outcome::kSinglePass, Outcome::kDeclined, Outcome::kFiltered,
                                  Outcome::kIncomplete});
}

Dim3 dim3_of(pbf_message<field::Dispatch>& in) {
  require_packed(in);
  std::array<std::uint32_t, 3> values{};
  std::size_t count = 0;
  for (const std::uint32_t value : in.get_packed_uint32()) {
    if (count < values.size()) values[count] = value;
    ++count;
  }
  if (count != values.size()) throw BadValue("a geometry has " + std::to_string(count) + " of 3 sizes");
  return {values[0], values[1], values[2]};
}

// Those of which the positions do not fit are left out, as if they had not been kept: they are no part of the sums.
void read_instances(data_view bytes, InstanceValues& instances) {
  using F = field::Instances;
  instances.positions.clear();
  instances.values.clear();
  for (pbf_message<F> in{bytes}; in.next();) {
    switch (in.tag()) {
      case F::positions:
        require_packed(in);
        for (const std::uint32_t position : in.get_packed_uint32()) instances.positions.push_back(position);
        break;
      case F::values:
        require_packed(in);
        for (const double value : in.get_packed_double()) instances.values.push_back(value);
        break;
      default:
        in.skip();
    }
  }
  std::vector<std::uint32_t>& positions = instances.positions;
  if (positions.empty()) {
    positions.resize(instances.values.size());
    std::iota(positions.begin(), positions.end(), 0U);
  }
  const bool rising = std::adjacent_find(positions.begin(), positions.end(), std::greater_equal<>{}) == positions.end();
  if (rising && positions.size() == instances.values.size()) return;
  positions.clear();
  instances.values.clear();
}

void read_pass(data_view bytes, PassRecord& pass) {
  using F = field::Pass;
  std::size_t kept = 0;
  pass.pass.reset();
  pass.group = {};
  pass.start_ns = pass.end_ns = 0;
  pass.counters.clear();
  pass.values.clear();
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
      case F::instances:
        if (kept == pass.instances.size()) pass.instances.emplace_back();
        read_instances(message(in), pass.instances[kept++]);
        break;
      default:
        in.skip();
    }
  }
  pass.instances.resize(std::min(kept, pass.counters.size()));  // those of no counter are left out
  if (pass.counters.size() != pass.values.size()) throw BadValue("a pass has counters without values");
}

Interval interval_of(data_view bytes) {
  using F = field::Interval;
  Interval interval;
  for (pbf_message<F> in{bytes}; in.next();) {
    switch (in.tag()) {
      case F::start_ns:
        interval.start_ns = number(in);
        break;
      case F::end_ns:
        interval.end_ns = number(in);
        break;
      default:
        in.skip();
    }
  }
  return interval;
}

// What was launched, and how.
bool read_launch(pbf_message<field::Dispatch>& in, DispatchRecord& dispatch) {
  using F = field::Dispatch;
  switch (in.tag()) {
    case F::dispatch_id:
      dispatch.dispatch_id = DispatchId{number(in)};
      return true;
    case F::agent:
      dispatch.agent = AgentIndex{narrow(number(in))};
      return true;
    case F::kernel:
      dispatch.kernel = KernelId{number(in)};
      return true;
    case F::queue_id:
      dispatch.queue_id = number(in);
      return true;
    case F::stream_id:
      dispatch.stream_id = number(in);
      return true;
    case F::thread_id:
      dispatch.thread_id = number(in);
      return true;
    case F::correlation_id:
      dispatch.correlation_id = number(in);
      return true;
    case F::grid:
      dispatch.grid = dim3_of(in);
      return true;
    case F::workgroup:
      dispatch.workgroup = dim3_of(in);
      return true;
    case F::private_segment_size:
      dispatch.private_segment_size = narrow(number(in));
      return true;
    case F::group_segment_size:
      dispatch.group_segment_size = narrow(number(in));
      return true;
    default:
      return false;
  }
}

}  // namespace

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

namespace {

// All but the passes as in a new record, and these aside.
std::vector<PassRecord> emptied(DispatchRecord& dispatch) {
  std::vector<PassRecord> passes = std::move(dispatch.passes);
  std::string reason = std::move(dispatch.reason);
  dispatch = DispatchRecord{};
  reason.clear();
  dispatch.reason = std::move(reason);
  return passes;
}

}  // namespace

void read_dispatch(data_view bytes, DispatchRecord& dispatch) {
  using F = field::Dispatch;
  std::vector<PassRecord> passes = emptied(dispatch);
  std::size_t count = 0;
  for (pbf_message<F> in{bytes}; in.next();) {
    if (read_launch(in, dispatch)) continue;
    switch (in.tag()) {
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
        if (count == passes.size()) passes.emplace_back();
        read_pass(message(in), passes[count++]);
        break;
      case F::warm_up:
        dispatch.warm_up = interval_of(message(in));
        break;
      case F::timing:
        dispatch.timing = interval_of(message(in));
        break;
      default:
        in.skip();
    }
  }
  passes.resize(count);
  dispatch.passes = std::move(passes);
}

}  // namespace multipass::journal
