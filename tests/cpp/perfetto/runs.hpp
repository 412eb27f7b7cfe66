// SPDX-License-Identifier: MIT
//
// Hand-made runs for the tests of the Perfetto writer: small enough to check every number by eye.
// Plain data; errors of a sink are returned.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "output/sink.hpp"

namespace multipass::test {

inline RunMetadata run_metadata() {
  RunMetadata run;
  run.tool_version = "0.1.0";
  run.sdk_version = "1.4.1";
  run.sdk_library = "/opt/sim/librocprofiler-sdk.so.1";
  run.simulated = true;
  run.kernel_replay = true;
  run.guid = "0198c0de-0000-7000-8000-000000000001";
  run.command = {"/opt/apps/axpy", "--size", "1024"};
  run.pid = 4242;
  run.ppid = 4200;
  run.hostname = "node1";
  run.start_ns = 500'000;
  run.boottime_ns = 600'000;
  run.monotonic_ns = 550'000;
  run.realtime_ns = 1'700'000'000'000'600'000;
  run.events = "SQ_WAVES,SQ_INSTS_VALU";
  return run;
}

struct Gpu {
  AgentInfo agent;
  std::vector<CounterInfo> counters;
  AgentPlan plan;
};

// A GPU whose passes read the named counters. Counters are indexed in order of first mention.
inline Gpu gpu(std::uint32_t index, std::uint32_t device, const std::vector<std::vector<std::string>>& passes) {
  Gpu result;
  result.agent.index = AgentIndex{index};
  result.agent.device = device;
  result.agent.name = "gfx942";
  result.agent.product_name = "AMD Instinct MI300X";
  result.plan.agent = AgentIndex{index};
  result.plan.device = device;
  result.plan.arch = "gfx942";
  result.plan.lower_bound = static_cast<std::uint32_t>(passes.size());
  result.plan.proof = Proof::kBound;
  for (const std::vector<std::string>& counters : passes) {
    PassPlan pass;
    pass.counters = counters;
    result.plan.passes.push_back(pass);
    for (const std::string& name : counters) {
      bool known = false;
      for (const CounterInfo& counter : result.counters) known = known || counter.name == name;
      if (known) continue;
      CounterInfo counter;
      counter.name = name;
      counter.description = "Test counter " + name;
      counter.block = "SQ";
      result.counters.push_back(counter);
    }
  }
  return result;
}

inline KernelSymbol kernel(std::uint64_t id, std::string demangled, std::uint32_t agent = 1) {
  KernelSymbol symbol;
  symbol.id = KernelId{id};
  symbol.agent = AgentIndex{agent};
  symbol.name = "_Z" + std::to_string(id);
  symbol.demangled = std::move(demangled);
  return symbol;
}

inline PassRecord pass(std::optional<std::uint32_t> number, std::uint32_t group, std::uint64_t start_ns,
                       std::uint64_t end_ns, const std::vector<std::pair<std::uint32_t, double>>& readings = {}) {
  PassRecord record;
  if (number) record.pass = PassIndex{*number};
  record.group = GroupIndex{group};
  record.start_ns = start_ns;
  record.end_ns = end_ns;
  for (const auto& [counter, value] : readings) {
    record.counters.emplace_back(counter);
    record.values.push_back(value);
  }
  return record;
}

inline DispatchRecord dispatch(std::uint64_t id, std::uint64_t kernel_id, Outcome outcome, std::uint32_t planned,
                               std::vector<PassRecord> passes) {
  DispatchRecord record;
  record.dispatch_id = DispatchId{id};
  record.agent = AgentIndex{1};
  record.kernel = KernelId{kernel_id};
  record.queue_id = 77;
  record.thread_id = 4242;
  record.correlation_id = id + 100;
  record.grid = {1024, 2, 1};
  record.workgroup = {256, 1, 1};
  record.outcome = outcome;
  record.passes_planned = planned;
  record.passes = std::move(passes);
  return record;
}

struct Run {
  RunMetadata metadata = run_metadata();
  std::vector<Gpu> gpus;
  std::vector<KernelSymbol> kernels;
  std::vector<DispatchRecord> dispatches;
  std::vector<std::string> warnings;
};

// Everything but finish().
inline Status feed(output::Sink& sink, const Run& run) {
  if (Status status = sink.begin(run.metadata); !status) return status;
  for (const Gpu& gpu : run.gpus)
    if (Status status = sink.agent(gpu.agent, gpu.counters, gpu.plan); !status) return status;
  for (const KernelSymbol& kernel : run.kernels)
    if (Status status = sink.kernel(kernel); !status) return status;
  for (const DispatchRecord& dispatch : run.dispatches)
    if (Status status = sink.dispatch(dispatch); !status) return status;
  for (const std::string& warning : run.warnings)
    if (Status status = sink.warning(warning); !status) return status;
  return Status::ok();
}

}  // namespace multipass::test
