// SPDX-License-Identifier: MIT
//
// planner_bench [EFFORT]: the requests of tests/data/packing, and one that no effort settles soon. First the passes:
// ours against the lower bound and against other rules (peers.hpp), in the order of the request and shuffled. Then the
// processor time of a plan, and how many times that of first fit it is in the same run. Markdown tables, as they are in
// docs/benchmarks.md. Exit code 1 when a plan takes longer than it may, or a plan or a peer is wrong.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <random>
#include <string>
#include <utility>

#include "model/names.hpp"
#include "peers.hpp"
#include "planner/fixture.hpp"

namespace {

using namespace multipass;
using bench::Counters;
using bench::Rule;
using Items = std::vector<Counters>;

constexpr double kMostSeconds = 2.0;  // of one plan at the default effort, Release
constexpr std::size_t kOrders = 50;
constexpr std::size_t kPlans = 5;  // of which the median is told

// One request, or several that are told as one line.
struct Case {
  std::string name;
  const AgentCatalogue* catalogue = nullptr;
  std::vector<planner::Request> requests;
};

struct Passes {
  std::size_t all = 0;
  std::size_t ending = 0;  // accepted by the SDK, and they end the process: hidden registers do not fit
  Passes& operator+=(const Passes& other) {
    all += other.all;
    ending += other.ending;
    return *this;
  }
};

bool all_is_well = true;

void expect(bool condition, const Case& of, const char* what) {
  if (condition) return;
  all_is_well = false;
  std::fprintf(stderr, "%s %s: %s\n", of.catalogue->agent.name.c_str(), of.name.c_str(), what);
}

template <class Number>
Number median(std::vector<Number> numbers) {
  std::sort(numbers.begin(), numbers.end());
  return numbers[numbers.size() / 2];
}

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

std::vector<Case> cases_of(const planner::testing::PackingData& data) {
  std::vector<Case> cases;
  Case random{"random, sum", &data.catalogue, {}};
  for (const planner::testing::PackingRequest& candidate : data.requests) {
    if (candidate.id.starts_with("random-"))
      random.requests.push_back(candidate.request);
    else
      cases.push_back({candidate.id, &data.catalogue, {candidate.request}});
  }
  random.name = std::to_string(random.requests.size()) + " random, sum";
  cases.push_back(std::move(random));
  return cases;
}

// What a peer made, checked by the rule as the tests have it.
Passes counted(const Case& of, const std::vector<Counters>& passes, const Items& items, Rule rule) {
  Passes result{passes.size(), 0};
  for (const Counters& pass : passes) {
    expect(planner::testing::keys_have_room(*of.catalogue, pass), of, "a peer has a pass that the SDK refuses");
    if (!planner::testing::has_room(*of.catalogue, pass)) ++result.ending;
    if (rule == Rule::kRegisters)
      expect(planner::testing::fits_one_pass(*of.catalogue, pass), of, "a peer has a pass that does not fit");
  }
  const bool whole = std::all_of(items.begin(), items.end(), [&](const Counters& item) {
    const Counters wanted = planner::testing::sorted(item);
    return std::any_of(passes.begin(), passes.end(), [&](const Counters& pass) {
      return std::includes(pass.begin(), pass.end(), wanted.begin(), wanted.end());
    });
  });
  expect(whole, of, "a peer has left something out");
  return result;
}

struct Shuffled {
  std::vector<std::size_t> first_fit;
  std::vector<std::size_t> sdk;
  std::vector<std::size_t> sdk_ending;
};

Shuffled shuffle(const Case& of) {
  std::mt19937 random{1};
  Shuffled result;
  for (std::size_t i = 0; i < kOrders; ++i) {
    Passes fit;
    Passes sdk;
    for (const planner::Request& request : of.requests) {
      Items items = bench::items_of(request);
      std::shuffle(items.begin(), items.end(), random);
      fit += counted(of, bench::first_fit(*of.catalogue, items, Rule::kRegisters), items, Rule::kRegisters);
      sdk += counted(of, bench::first_fit(*of.catalogue, items, Rule::kSdk), items, Rule::kSdk);
    }
    result.first_fit.push_back(fit.all);
    result.sdk.push_back(sdk.all);
    result.sdk_ending.push_back(sdk.ending);
  }
  return result;
}

std::string range(const std::vector<std::size_t>& numbers) {
  const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
  std::string text = std::to_string(median(numbers));
  if (*least != *most) text += ", " + std::to_string(*least) + " to " + std::to_string(*most);
  return text;
}

void print_passes(const Case& of, std::uint64_t effort) {
  std::size_t bound = 0;
  std::size_t planned = 0;
  bool proven = true;
  Passes fit;
  Passes next;
  Passes sdk;
  for (const planner::Request& request : of.requests) {
    const AgentPlan plan = planner::plan_agent(*of.catalogue, request, {{}, effort});
    bound += plan.lower_bound;
    planned += plan.passes.size();
    proven &= plan.proven_minimal();
    expect(plan.unplaceable.empty(), of, "the planner has left something out");
    for (const PassPlan& pass : plan.passes)
      expect(planner::testing::fits_one_pass(*of.catalogue, pass.counters), of, "a pass of the planner does not fit");
    const Items items = bench::items_of(request);
    fit += counted(of, bench::first_fit(*of.catalogue, items, Rule::kRegisters), items, Rule::kRegisters);
    next += counted(of, bench::next_fit(*of.catalogue, items, Rule::kRegisters), items, Rule::kRegisters);
    sdk += counted(of, bench::first_fit(*of.catalogue, items, Rule::kSdk), items, Rule::kSdk);
  }
  const Shuffled shuffled = shuffle(of);
  std::printf("| %s | %s | %zu | %zu%s | %zu | %zu | %zu (%zu) | %s | %s (%s) |\n", of.catalogue->agent.name.c_str(),
              of.name.c_str(), bound, planned, proven ? "" : " (not proven)", fit.all, next.all, sdk.all, sdk.ending,
              range(shuffled.first_fit).c_str(), range(shuffled.sdk).c_str(), range(shuffled.sdk_ending).c_str());
  std::fflush(stdout);
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Of the processor, so that what else the machine does counts little. All that is measured runs on this thread.
template <class Function>
double seconds(const Function& function) {
  const double start = cpu_seconds();
  function();
  return cpu_seconds() - start;
}

void print_time(const Case& of, std::uint64_t effort) {
  std::vector<double> plan_times;
  std::vector<double> fit_times;
  std::uint64_t registers = 0;
  for (std::size_t i = 0; i < kPlans; ++i) {
    std::vector<AgentPlan> plans;
    plan_times.push_back(seconds([&] {
      for (const planner::Request& request : of.requests)
        plans.push_back(planner::plan_agent(*of.catalogue, request, {{}, effort}));
    }));
    registers = 0;
    for (const AgentPlan& plan : plans)
      for (const PassPlan& pass : plan.passes)
        for (const auto& [block, used] : pass.registers) registers += used;
    fit_times.push_back(seconds([&] {
      for (const planner::Request& request : of.requests)
        (void)bench::first_fit(*of.catalogue, bench::items_of(request), Rule::kRegisters);
    }));
  }
  const double plan = median(plan_times);
  expect(plan <= kMostSeconds * static_cast<double>(of.requests.size()) || effort > planner::kDefaultEffort, of,
         "a plan takes too long");
  std::printf("| %s | %s | %llu | %.1f | %.1f |\n", of.catalogue->agent.name.c_str(), of.name.c_str(),
              static_cast<unsigned long long>(registers), plan * 1e3, plan / median(fit_times));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t effort = argc > 1 ? std::stoull(argv[1]) : planner::kDefaultEffort;
  std::vector<planner::testing::PackingData> data;
  for (const char* arch : {"gfx908", "gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1201"})
    data.push_back(planner::testing::load_packing(arch));
  const AgentCatalogue catalogue = entangled();
  std::vector<Case> cases;
  for (const planner::testing::PackingData& of_arch : data)
    for (Case& each : cases_of(of_arch)) cases.push_back(std::move(each));
  planner::Request everything;
  for (const auto& [name, counter] : catalogue.counters) everything.counters.push_back(name);
  cases.push_back({"every counter", &catalogue, {everything}});

  std::printf(
      "| GPU | request | bound | planner | first fit | next fit | SDK's rule (end) | first fit, shuffled |"
      " SDK's rule, shuffled (end) |\n|---|---|---|---|---|---|---|---|---|\n");
  for (const Case& each : cases) print_passes(each, effort);
  std::printf("\n| GPU | request | registers | plan, ms | plan / first fit |\n|---|---|---|---|---|\n");
  for (const Case& each : cases) print_time(each, effort);
  return all_is_well ? 0 : 1;
}
