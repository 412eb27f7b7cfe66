// SPDX-License-Identifier: MIT
//
// What is recorded of the set-up: kinds of tracing, agents, counters and configurations.
#include <cctype>
#include <set>
#include <string_view>

#include "sdk/recorder.hpp"

namespace multipass::sdk {
namespace {

// The names that an expression is made of.
std::vector<std::string> names_in(std::string_view expression) {
  const auto in_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  std::vector<std::string> names;
  std::string name;
  for (const char c : std::string(expression) + ' ') {
    if (in_name(c)) {
      name += c;
    } else if (!name.empty()) {
      names.push_back(std::move(name));
      name.clear();
    }
  }
  return names;
}

int add_operation(rocprofiler_callback_tracing_kind_t kind, rocprofiler_tracing_operation_t operation,
                  void* line) noexcept {
  const char* name = nullptr;
  (void)rocprofiler_query_callback_tracing_kind_operation_name(kind, operation, &name, nullptr);
  try {
    static_cast<JsonLine*>(line)->item(std::string_view(name == nullptr ? "" : name));
  } catch (...) {
    return 1;
  }
  return 0;
}

int add_kind(rocprofiler_callback_tracing_kind_t kind, void* lines) noexcept {
  const char* name = nullptr;
  (void)rocprofiler_query_callback_tracing_kind_name(kind, &name, nullptr);
  try {
    JsonLine line;
    line.open("kind", '{');
    line.add("number", static_cast<int>(kind));
    line.add("name", name == nullptr ? "" : name);
    line.open("operations", '[');
    (void)rocprofiler_iterate_callback_tracing_kind_operations(kind, add_operation, &line);
    line.close(']');
    line.close('}');
    *static_cast<std::string*>(lines) += std::move(line).finish();
  } catch (...) {
    return 1;
  }
  return 0;
}

}  // namespace

void Recorder::header(const SdkIdentity& identity) {
  JsonLine line;
  line.add("recording", 1);
  line.add("tool", MULTIPASS_VERSION);
  line.add("sdk", std::string_view(identity.version));
  line.add("simulated", identity.simulated);
  line.open("options", '{');
  for (const auto& [name, value] : options_) line.add(name, std::string_view(value));
  line.close('}');
  std::string text = std::move(line).finish();
  (void)rocprofiler_iterate_callback_tracing_kinds(add_kind, &text);
  const std::lock_guard lock(mutex_);
  write(text);
}

void Recorder::agent(const SdkAgent& agent) {
  const std::lock_guard lock(mutex_);
  agents_[agent.handle].info = agent.info;
}

void Recorder::counters(const SdkAgent& agent, const CounterList& list) {
  const std::lock_guard lock(mutex_);
  KnownAgent& known = agents_[agent.handle];
  known.counter_count = list.counters.size();
  for (const SdkCounter& counter : list.counters) known.counters[counter.id] = counter.info;
}

void Recorder::slots(std::uint64_t agent, const std::map<std::string, std::uint32_t>& by_block) {
  const std::lock_guard lock(mutex_);
  agents_[agent].slots = by_block;
}

void Recorder::config_made(std::uint64_t agent, const std::vector<std::uint64_t>& ids, std::uint64_t handle) {
  const std::lock_guard lock(mutex_);
  configs_[handle] = {agent, ids};
}

void Recorder::config_gone(std::uint64_t handle) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    configs_.erase(handle);
  } catch (...) {  // the lock is broken: it stays
  }
}

void Recorder::begin() noexcept {
  try {
    const std::lock_guard lock(mutex_);
    write_agents();
    write_configs();
  } catch (...) {  // out of memory: they are missing, which a reader says
  }
}

// Of the counters those that a configuration reads, and what they are made of.
void Recorder::write_agents() {
  std::map<std::uint32_t, const KnownAgent*> in_order;
  for (const auto& [handle, agent] : agents_) in_order[agent.info.index.value] = &agent;
  for (const auto& [index, agent] : in_order) {
    const bool gpu = agent->info.type == AgentType::kGpu;
    JsonLine line;
    line.open("agent", '{');
    line.add("index", index);
    line.add("type", gpu ? "gpu" : "cpu");
    line.add("node", agent->info.node_id);
    if (gpu) {
      line.add("name", std::string_view(agent->info.name));
      line.add("cu_count", agent->info.cu_count);
      line.add("simd_count", agent->info.simd_count);
      line.add("simd_per_cu", agent->info.simd_per_cu);
      line.add("wave_front_size", agent->info.wave_front_size);
      line.add("num_xcc", agent->info.num_xcc);
      line.add("num_shader_banks", agent->info.num_shader_banks);
      line.add("max_waves_per_simd", agent->info.max_waves_per_simd);
      line.add("max_waves_per_cu", agent->info.max_waves_per_cu);
      line.add("max_engine_clk_fcompute", agent->info.max_engine_clk_fcompute);
      line.add("mem_clk_max", agent->info.mem_clk_max);
      line.add("local_mem_size", agent->info.local_mem_size);
      line.add("counters", agent->counter_count);
      line.open("slots", '{');
      for (const auto& [block, slots] : agent->slots) line.add(block, slots);
      line.close('}');
    }
    line.close('}');
    write(std::move(line).finish());
  }
  for (const auto& [index, agent] : in_order) write_counters(index, *agent);
}

void Recorder::write_counters(std::uint32_t index, const KnownAgent& agent) {
  std::map<std::string_view, std::uint64_t> by_name;
  for (const auto& [id, info] : agent.counters) by_name[info.name] = id;
  std::set<std::uint64_t> wanted;
  std::vector<std::uint64_t> open;
  for (const auto& [handle, config] : configs_)
    if (index_of(config.agent) == index) open.insert(open.end(), config.ids.begin(), config.ids.end());
  while (!open.empty()) {
    const std::uint64_t id = open.back();
    open.pop_back();
    if (!wanted.insert(id).second) continue;
    for (const std::string& name : names_in(agent.counters.at(id).expression))
      if (const auto found = by_name.find(name); found != by_name.end()) open.push_back(found->second);
  }
  for (const std::uint64_t id : wanted) {
    const CounterInfo& info = agent.counters.at(id);
    JsonLine line;
    line.open("counter", '{');
    line.add("agent", index);
    line.add("id", id);
    line.add("name", std::string_view(info.name));
    line.add("block", std::string_view(info.block));
    line.add("expression", std::string_view(info.expression));
    line.add("constant", info.is_constant);
    line.add("derived", info.is_derived);
    line.add("instances", info.instances);
    line.close('}');
    write(std::move(line).finish());
  }
}

void Recorder::write_configs() {
  for (const auto& [handle, config] : configs_) {
    const std::size_t ordinal = ordinals_.size();
    ordinals_[handle] = ordinal;
    JsonLine line;
    line.open("config", '{');
    line.add("ordinal", ordinal);
    add_agent(line, "agent", {config.agent});
    line.open("counters", '[');
    for (const std::uint64_t id : config.ids) line.item(std::string_view(agents_[config.agent].counters[id].name));
    line.close(']');
    line.close('}');
    write(std::move(line).finish());
  }
}

}  // namespace multipass::sdk
