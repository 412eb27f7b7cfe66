// SPDX-License-Identifier: MIT
#include "fixture.hpp"

#include <cstdlib>

namespace multipass::output::rocpd::test {

RunMetadata some_run() {
  RunMetadata run;
  run.tool_version = "0.1.0";
  run.sdk_version = "1.4.1";
  run.sdk_library = "/opt/lib/librocprofiler-sdk.so.1";
  run.guid = kGuid;
  run.command = {"./app", "--size", "4 K"};
  run.pid = 4242;
  run.ppid = 4200;
  run.hostname = "node01";
  run.machine_id = "0123456789abcdef";
  run.system_name = "Linux";
  run.system_release = "6.1.0";
  run.system_version = "#1 SMP";
  run.start_ns = 500;
  run.boottime_ns = 11;
  run.monotonic_ns = 12;
  run.realtime_ns = 13;
  run.events = "SQ_WAVES,GRBM_COUNT";
  return run;
}

AgentInfo gpu(std::uint32_t index, std::uint32_t node_id, const std::string& arch) {
  AgentInfo agent;
  agent.index = AgentIndex{index};
  agent.node_id = node_id;
  agent.logical_node_id = static_cast<std::int32_t>(node_id);
  agent.logical_node_type_id = static_cast<std::int32_t>(index);
  agent.device = index;
  agent.name = arch;
  agent.vendor_name = "AMD";
  agent.product_name = "Product " + arch;
  agent.model_name = "Model " + arch;
  agent.device_id = 0x74a1;
  agent.cu_count = 304;
  return agent;
}

AgentInfo cpu(std::uint32_t index, std::uint32_t node_id) {
  AgentInfo agent;
  agent.type = AgentType::kCpu;
  agent.index = AgentIndex{index};
  agent.node_id = node_id;
  agent.name = "AMD EPYC";
  return agent;
}

CounterInfo counter(const std::string& name) {
  CounterInfo info;
  info.name = name;
  info.description = "about " + name;
  info.block = name.substr(0, name.find('_'));
  info.instances = 2;
  return info;
}

AgentPlan plan_of(std::uint32_t agent, const std::vector<std::vector<std::string>>& passes) {
  AgentPlan plan;
  plan.agent = AgentIndex{agent};
  plan.arch = "gfx942";
  for (const std::vector<std::string>& names : passes) plan.passes.push_back({names, {}, {}, {}});
  return plan;
}

KernelSymbol kernel(std::uint64_t id, const std::string& name) {
  KernelSymbol symbol;
  symbol.id = KernelId{id};
  symbol.code_object_id = 3;
  symbol.agent = AgentIndex{0};
  symbol.name = name + ".kd";
  symbol.demangled = name;
  symbol.kernarg_segment_size = 24;
  symbol.kernarg_segment_alignment = 8;
  symbol.group_segment_size = 1024;
  symbol.private_segment_size = 16;
  symbol.sgpr_count = 32;
  symbol.arch_vgpr_count = 64;
  symbol.accum_vgpr_count = 4;
  return symbol;
}

PassRecord pass_record(std::optional<std::uint32_t> pass, std::uint64_t start, std::uint64_t end,
                       const std::vector<std::pair<std::uint32_t, double>>& readings) {
  PassRecord record;
  if (pass) {
    record.pass = PassIndex{*pass};
    record.group = GroupIndex{*pass};
  }
  record.start_ns = start;
  record.end_ns = end;
  for (const auto& [index, value] : readings) {
    record.counters.emplace_back(index);
    record.values.push_back(value);
  }
  return record;
}

DispatchRecord dispatch_of(std::uint64_t id, std::vector<PassRecord> passes) {
  DispatchRecord dispatch;
  dispatch.dispatch_id = DispatchId{id};
  dispatch.agent = AgentIndex{0};
  dispatch.kernel = KernelId{7};
  dispatch.queue_id = 5;
  dispatch.stream_id = 2;
  dispatch.thread_id = 4243;
  dispatch.correlation_id = 900 + id;
  dispatch.grid = {1024, 2, 1};
  dispatch.workgroup = {64, 2, 1};
  dispatch.private_segment_size = 16;
  dispatch.group_segment_size = 2048;
  dispatch.passes_planned = 3;
  dispatch.passes = std::move(passes);
  return dispatch;
}

std::vector<CounterInfo> example_counters() {
  return {counter("SQ_WAVES"), counter("GRBM_COUNT"), counter("GRBM_GUI_ACTIVE"), counter("SQ_INSTS_SALU")};
}

AgentPlan example_plan() {
  return plan_of(0, {{"GRBM_COUNT", "SQ_WAVES"}, {"GRBM_GUI_ACTIVE", "SQ_WAVES"}, {"SQ_INSTS_SALU", "SQ_WAVES"}});
}

DispatchRecord example_dispatch(double waves0, double waves1, double waves2) {
  return dispatch_of(
      1, {pass_record(0, 1000, 1100, {{0, waves0}, {1, 100}}), pass_record(1, 2000, 2100, {{0, waves1}, {2, 200}}),
          pass_record(2, 3000, 3100, {{0, waves2}, {3, 300}})});
}

void expect_ok(const Status& status) {
  EXPECT_TRUE(static_cast<bool>(status)) << status.message();
}

RocpdTest::RocpdTest() {
  std::string name = (std::filesystem::temp_directory_path() / "rocpd-test-XXXXXX").string();
  const char* made = ::mkdtemp(name.data());
  EXPECT_NE(made, nullptr);
  directory_ = name;
}

RocpdTest::~RocpdTest() {
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

std::vector<std::string> RocpdTest::files() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory_)) names.push_back(entry.path().filename());
  return names;
}

std::unique_ptr<Sink> RocpdTest::begin_example(RocpdLayout layout) const {
  std::unique_ptr<Sink> sink = make_rocpd_sink(target(), layout);
  expect_ok(sink->begin(some_run()));
  expect_ok(sink->agent(gpu(0, 1), example_counters(), example_plan()));
  expect_ok(sink->kernel(kernel(7, "k")));
  return sink;
}

void RocpdTest::write_example(const std::vector<DispatchRecord>& dispatches, RocpdLayout layout) const {
  const std::unique_ptr<Sink> sink = begin_example(layout);
  for (const DispatchRecord& dispatch : dispatches) expect_ok(sink->dispatch(dispatch));
  expect_ok(sink->finish());
}

}  // namespace multipass::output::rocpd::test
