// SPDX-License-Identifier: MIT
#include "catalogue/accumulations.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "catalogue/build.hpp"

namespace multipass::catalogue {
namespace {

constexpr std::array<AccumulatedLevel, 5> kLevels{{
    {"SQ_IFETCH_LEVEL", "SQ_IFETCH_LEVEL_ACCUM", "instruction fetches in flight"},
    {"SQ_INST_LEVEL_LDS", "SQ_INST_LEVEL_LDS_ACCUM", "LDS instructions in flight"},
    {"SQ_INST_LEVEL_SMEM", "SQ_INST_LEVEL_SMEM_ACCUM", "scalar memory instructions in flight"},
    {"SQ_INST_LEVEL_VMEM", "SQ_INST_LEVEL_VMEM_ACCUM", "vector memory instructions in flight"},
    {"SQ_LEVEL_WAVES", "SQ_LEVEL_WAVES_ACCUM", "waves in flight"},
}};

// Those for which the SDK's own definitions have all five levels (ROCm/rocm-systems projects/rocprofiler-sdk,
// counter_defs.yaml @1b1610fc). An expression with a counter that the architecture does not have ends the process.
constexpr std::array<std::string_view, 6> kArchitectures{"gfx908", "gfx90a", "gfx940", "gfx941", "gfx942", "gfx950"};

constexpr bool is_word(char c) noexcept {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace

std::span<const AccumulatedLevel> accumulated_levels() noexcept {
  return kLevels;
}

std::string expression_of(const AccumulatedLevel& accumulated) {
  return "accumulate(" + std::string{accumulated.level} + ", HIGH_RES)";
}

bool has_all_levels(std::string_view architecture) noexcept {
  return std::find(kArchitectures.begin(), kArchitectures.end(), architecture) != kArchitectures.end();
}

bool names_accumulation(std::string_view list) noexcept {
  const auto is_named = [list](const AccumulatedLevel& accumulated) {
    const std::string_view name = accumulated.name;
    for (std::size_t at = list.find(name); at != std::string_view::npos; at = list.find(name, at + 1)) {
      const std::size_t end = at + name.size();
      if ((at == 0 || !is_word(list[at - 1])) && (end == list.size() || !is_word(list[end]))) return true;
    }
    return false;
  };
  return std::any_of(kLevels.begin(), kLevels.end(), is_named);
}

bool wants_accumulations(const RunConfig& config) noexcept {
  const auto names_one = [](const std::vector<std::string>& group) {
    return std::any_of(group.begin(), group.end(), names_accumulation);
  };
  return !config.compute_panels.empty() || names_accumulation(config.events) || names_accumulation(config.sentinel) ||
         std::any_of(config.groups.begin(), config.groups.end(), names_one);
}

void add_accumulations(AgentCatalogue& catalogue) {
  if (!has_all_levels(catalogue.agent.name)) return;
  for (const AccumulatedLevel& accumulated : kLevels) {
    const auto level = catalogue.counters.find(std::string{accumulated.level});
    if (level == catalogue.counters.end() || catalogue.counters.contains(std::string{accumulated.name})) continue;
    CounterInfo counter;
    counter.name = accumulated.name;
    counter.description = "Sum over cycles of " + std::string{accumulated.of};
    counter.expression = expression_of(accumulated);
    counter.is_derived = true;
    counter.instances = level->second.instances;
    catalogue.register_keys.emplace(counter.name, register_keys(counter, catalogue.counters));
    std::string name = counter.name;
    catalogue.counters.emplace(std::move(name), std::move(counter));
  }
}

}  // namespace multipass::catalogue
