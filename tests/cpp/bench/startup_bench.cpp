// SPDX-License-Identifier: MIT
//
// startup_bench [RUNS]: what the plugin takes before the first kernel, as it says itself with --verbose: the plugin as
// it is shipped, in a process on simulated GPUs. Median and least of RUNS runs (21), and how many configurations the
// SDK was asked for, each of which takes about 0.1 ms on a real one and less on the stand-in. Exit code 1 when a
// request for 40 counters of one GPU takes longer than it may.
#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "e2e/application.hpp"
#include "planner/fixture.hpp"

namespace {

using namespace multipass;

constexpr double kMostMs = 50;      // in all, on an idle machine
constexpr double kMostPlanMs = 20;  // of that, the planner's with what it asks of the SDK

struct Case {
  const char* name;
  std::vector<std::string> counters;
  std::size_t gpus;
};

struct StartUp {
  double all = 0;
  double counters = 0;
  double slots = 0;
  double plan = 0;
  unsigned configs_asked = 0;
};

// The number behind `label` in the plugin's line.
std::optional<double> number(const std::string& text, const std::string& label) {
  const std::size_t line = text.find("ready after ");
  const std::size_t at = line == std::string::npos ? line : text.find(label, line);
  if (at == std::string::npos) return std::nullopt;
  return std::strtod(text.c_str() + at + label.size(), nullptr);
}

std::optional<StartUp> start(const Case& of) {
  std::string events;
  std::string devices;
  for (const std::string& counter : of.counters) events += (events.empty() ? "" : ",") + counter;
  for (std::size_t i = 0; i < of.gpus; ++i) devices += i == 0 ? "gfx942" : ",gfx942";
  const e2e::Folder folder;
  const e2e::Outcome outcome = e2e::run_profiled(e2e::example("axpy"), events, folder,
                                                 {{"ROCPROFSYS_MULTIPASS_SIMULATE", devices},
                                                  {"ROCPROFSYS_MULTIPASS_VERBOSE", "1"},
                                                  {"ROCPROFSYS_MULTIPASS_FORMAT", "perfetto"}});
  const auto all = number(outcome.err, "ready after ");
  const auto counters = number(outcome.err, "counters ");
  const auto slots = number(outcome.err, "slots ");
  const auto plan = number(outcome.err, "plan ");
  const auto asked = number(outcome.err, "asked of the SDK: ");
  if (outcome.exit_code == 0 && all && counters && slots && plan && asked)
    return StartUp{*all, *counters, *slots, *plan, static_cast<unsigned>(*asked)};
  std::fprintf(stderr, "%s: the program ended with %d and the plugin did not say how long it took:\n%s\n", of.name,
               outcome.exit_code, outcome.err.c_str());
  return std::nullopt;
}

template <class Member>
std::string median_and_least(const std::vector<StartUp>& runs, Member member, double* median = nullptr) {
  std::vector<double> numbers;
  for (const StartUp& run : runs) numbers.push_back(run.*member);
  std::sort(numbers.begin(), numbers.end());
  if (median != nullptr) *median = numbers[numbers.size() / 2];
  char text[64];
  std::snprintf(text, sizeof text, "%.1f (%.1f)", numbers[numbers.size() / 2], numbers.front());
  return text;
}

bool measure(const Case& of, unsigned count, bool limited) {
  std::vector<StartUp> runs;
  for (unsigned i = 0; i < count; ++i) {
    const std::optional<StartUp> run = start(of);
    if (!run) return false;
    runs.push_back(*run);
  }
  double all = 0;
  double plan = 0;
  const std::string all_text = median_and_least(runs, &StartUp::all, &all);
  const std::string plan_text = median_and_least(runs, &StartUp::plan, &plan);
  std::printf("| %s | %zu | %u | %s | %s | %s | %s |\n", of.name, of.gpus, runs[0].configs_asked, all_text.c_str(),
              median_and_least(runs, &StartUp::counters).c_str(), median_and_least(runs, &StartUp::slots).c_str(),
              plan_text.c_str());
  std::fflush(stdout);
  return !limited || (all <= kMostMs && plan <= kMostPlanMs);
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned runs = argc > 1 ? static_cast<unsigned>(std::stoul(argv[1])) : 21;
  const std::vector<std::string> all = planner::testing::load_packing("gfx942").request("all").counters;
  std::vector<std::string> forty;
  for (std::size_t i = 0; i < 400; i += 10) forty.push_back(all.at(i));
  const std::vector<std::string> four{"SQ_WAVES", "SQ_INSTS_VALU", "FETCH_SIZE", "WRITE_SIZE"};

  std::printf(
      "| request | GPUs | configurations asked | all, ms | counters, ms | slots, ms | plan, ms |\n"
      "|---|---|---|---|---|---|---|\n");
  bool well = measure({"4 counters", four, 1}, runs, false);
  well &= measure({"40 counters", forty, 1}, runs, true);
  well &= measure({"every counter", all, 1}, runs, false);
  well &= measure({"40 counters", forty, 8}, runs, false);
  return well ? 0 : 1;
}
