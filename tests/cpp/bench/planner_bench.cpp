// SPDX-License-Identifier: MIT
//
// planner_bench [EFFORT]: passes, bound, proof, registers and time of every large request in tests/data/packing, and of
// one that no effort settles soon. Exit code 1 when a plan takes longer than it may.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>

#include "fixture.hpp"
#include "model/names.hpp"

namespace {

using namespace multipass;

constexpr double kMostSeconds = 2.0;  // of one plan at the default effort, Release

// Many counters that share few registers: the spaces between first fit and the bounds are wide.
AgentCatalogue entangled() {
  planner::testing::CounterKeys counters;
  std::mt19937 random{1};
  for (int i = 0; i < 85; ++i) {
    auto& keys = counters[std::string{"C"}.append(std::to_string(i))];
    for (int k = 0; k < 4; ++k) {
      std::string key = random() % 2 == 0 ? "P:" : "Q:";
      keys.push_back(key.append(std::to_string(random() % 20)));
    }
  }
  return planner::testing::catalogue_of("entangled", {{"P", 6}, {"Q", 7}}, counters);
}

bool measure(const AgentCatalogue& catalogue, const std::string& id, const planner::Request& request,
             std::uint64_t effort) {
  const auto start = std::chrono::steady_clock::now();
  const AgentPlan plan = planner::plan_agent(catalogue, request, {{}, effort});
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::uint64_t registers = 0;
  for (const PassPlan& pass : plan.passes)
    for (const auto& [block, used] : pass.registers) registers += used;
  std::printf("%-10s %-18s %3zu passes, bound %2u, proof %-6s %4llu registers %7.3f s\n", plan.arch.c_str(), id.c_str(),
              plan.passes.size(), plan.lower_bound, std::string{name_of(plan.proof)}.c_str(),
              static_cast<unsigned long long>(registers), seconds);
  return seconds <= kMostSeconds || effort > planner::kDefaultEffort;
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t effort = argc > 1 ? std::stoull(argv[1]) : planner::kDefaultEffort;
  bool in_time = true;
  for (const char* arch : {"gfx908", "gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1201"}) {
    const planner::testing::PackingData data = planner::testing::load_packing(arch);
    for (const planner::testing::PackingRequest& candidate : data.requests)
      if (!candidate.id.starts_with("random-"))
        in_time &= measure(data.catalogue, candidate.id, candidate.request, effort);
  }
  const AgentCatalogue catalogue = entangled();
  planner::Request everything;
  for (const auto& [name, counter] : catalogue.counters) everything.counters.push_back(name);
  in_time &= measure(catalogue, "every counter", everything, effort);
  return in_time ? 0 : 1;
}
