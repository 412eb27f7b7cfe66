// SPDX-License-Identifier: MIT
//
// usage: perfetto_make_traces FOLDER [DISPATCHES]
// Writes one trace per hand-made run into FOLDER; tests/python/test_perfetto_writer.py says what each must show.
// With DISPATCHES, a trace "many.pftrace" of that many replayed dispatches only. Exit code 1 on an error.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "output/perfetto/perfetto_sink.hpp"
#include "runs.hpp"

namespace multipass::test {
namespace {

const char* const kAxpy = "axpy(float, float const*, float*)";
const char* const kReduce = "void reduce<256>(double*)";

Run base_run(const std::vector<std::vector<std::string>>& passes) {
  Run run;
  Gpu cpu;
  cpu.agent.index = AgentIndex{0};
  cpu.agent.type = AgentType::kCpu;
  cpu.agent.name = "AMD EPYC";
  run.gpus = {cpu, gpu(1, 0, passes)};
  run.kernels = {kernel(1, kAxpy), kernel(2, kReduce)};
  return run;
}

// Counters: 0 SQ_INSTS_VALU, 1 SQ_WAVES, 2 TCC_HIT, 3 GRBM_GUI_ACTIVE.
Run three_pass_base() {
  return base_run({{"SQ_INSTS_VALU", "SQ_WAVES"}, {"SQ_WAVES", "TCC_HIT"}, {"GRBM_GUI_ACTIVE", "SQ_WAVES"}});
}

Run one_pass() {
  Run run = base_run({{"SQ_INSTS_VALU", "SQ_WAVES"}});
  run.dispatches = {
      dispatch(1, 1, Outcome::kSinglePass, 1, {pass({}, 0, 1'000'000, 1'004'000, {{0, 8192}, {1, 512}})}),
      dispatch(2, 2, Outcome::kSinglePass, 1, {pass({}, 0, 1'010'000, 1'012'000, {{0, 0.75}, {1, 256}})}),
  };
  return run;
}

Run three_passes() {
  Run run = three_pass_base();
  run.dispatches = {
      dispatch(1, 1, Outcome::kReplayed, 3,
               {pass(0, 0, 1'000'000, 1'004'000, {{0, 8192}, {1, 512}}),
                pass(1, 1, 1'006'000, 1'009'500, {{1, 513}, {2, 9007199254740992.0}}),
                pass(2, 2, 1'012'000, 1'015'000, {{3, 1234.5}, {1, 514}})}),
      dispatch(
          2, 2, Outcome::kReplayed, 3,
          {pass(0, 0, 1'020'000, 1'026'000, {{0, 100}, {1, 256}}), pass(1, 1, 1'028'000, 1'033'000, {{1, 256}, {2, 0}}),
           pass(2, 2, 1'035'000, 1'040'000, {{3, -7}, {1, 256}})}),
  };
  return run;
}

Run overlap() {
  Run run = base_run({{"SQ_INSTS_VALU", "SQ_WAVES"}});
  run.dispatches = {
      dispatch(1, 1, Outcome::kSinglePass, 1, {pass({}, 0, 1'000'000, 1'000'300, {{1, 1}})}),
      dispatch(2, 2, Outcome::kSinglePass, 1, {pass({}, 0, 1'000'100, 1'000'400, {{1, 2}})}),
      dispatch(3, 1, Outcome::kSinglePass, 1, {pass({}, 0, 1'000'300, 1'000'500, {{1, 3}})}),
      dispatch(4, 1, Outcome::kSinglePass, 1, {pass({}, 0, 1'000'600, 1'000'700, {{1, 4}})}),
  };
  run.dispatches[3].queue_id = 0xdeadbeef;
  return run;
}

Run declined() {
  Run run = three_pass_base();
  DispatchRecord graph =
      dispatch(1, 1, Outcome::kDeclined, 3, {pass({}, 1, 1'000'000, 1'002'000, {{1, 512}, {2, 64}})});
  graph.reason = "graph";
  const DispatchRecord silent = dispatch(2, 2, Outcome::kDeclined, 3, {pass({}, 2, 1'003'000, 1'004'000, {{3, 99}})});
  run.dispatches = {graph, silent};
  return run;
}

Run two_gpus() {
  Run run = base_run({{"SQ_INSTS_VALU", "SQ_WAVES"}});
  run.gpus.push_back(gpu(2, 1, {{"SQ_WAVES"}, {"TCC_HIT"}}));
  run.kernels.push_back(kernel(3, kAxpy, 2));
  DispatchRecord first = dispatch(1, 1, Outcome::kSinglePass, 1, {pass({}, 0, 1'000'000, 1'001'000, {{1, 11}})});
  DispatchRecord second =
      dispatch(2, 3, Outcome::kReplayed, 2,
               {pass(0, 0, 1'000'500, 1'001'500, {{0, 22}}), pass(1, 1, 1'002'000, 1'003'000, {{1, 33}})});
  second.agent = AgentIndex{2};
  run.dispatches = {first, second};
  return run;
}

Run filtered() {
  Run run = three_pass_base();
  run.dispatches = {dispatch(1, 1, Outcome::kFiltered, 3, {pass({}, 0, 1'000'000, 1'002'000)})};
  return run;
}

Run incomplete() {
  Run run = three_pass_base();
  // Pass 0 delivered nothing, pass 1 everything, pass 2 counters without times.
  DispatchRecord partial =
      dispatch(1, 1, Outcome::kIncomplete, 3,
               {pass(1, 1, 1'006'000, 1'009'000, {{1, 512}, {2, 64}}), pass(2, 2, 0, 0, {{3, 99}})});
  partial.reason = "the process ended in pass 2";
  const DispatchRecord silent = dispatch(2, 2, Outcome::kIncomplete, 3, {});
  const DispatchRecord unknown = dispatch(3, 99, Outcome::kFiltered, 3, {pass({}, 0, 1'020'000, 1'021'000)});
  run.dispatches = {partial, silent, unknown};
  run.warnings = {"the capture file ends in the middle of a frame", "counter TCC_MISS is not known"};
  return run;
}

Run swapped() {
  Run run = base_run({{"SQ_INSTS_VALU", "SQ_WAVES"}});
  run.dispatches = {
      dispatch(1, 1, Outcome::kSinglePass, 1, {pass({}, 0, 1'000'200, 1'000'100, {{1, 5}})}),
      dispatch(2, 1, Outcome::kSinglePass, 1, {pass({}, 0, 1'000'300, 1'000'300, {{1, 6}})}),
  };
  return run;
}

// K1 [0, 100] K2 [100, 100] K3 [100, 200], reported last first.
Run back_to_back() {
  Run run = base_run({{"SQ_INSTS_VALU", "SQ_WAVES"}});
  run.dispatches = {
      dispatch(3, 1, Outcome::kSinglePass, 1, {pass({}, 0, 1'000'100, 1'000'200, {{1, 30}})}),
      dispatch(2, 2, Outcome::kSinglePass, 1, {pass({}, 0, 1'000'100, 1'000'100, {{1, 20}})}),
      dispatch(1, 1, Outcome::kSinglePass, 1, {pass({}, 0, 1'000'000, 1'000'100, {{1, 10}})}),
  };
  return run;
}

// SQ_WAVES was added to every pass by the planner, nobody asked for it; TCC_HIT was asked for and repeated.
Run sentinels() {
  Run run = base_run({{"SQ_INSTS_VALU", "SQ_WAVES", "TCC_HIT"}, {"GRBM_GUI_ACTIVE", "SQ_WAVES", "TCC_HIT"}});
  run.gpus[1].plan.passes[0].sentinels = {"SQ_WAVES"};
  run.gpus[1].plan.passes[1].sentinels = {"SQ_WAVES", "TCC_HIT"};
  run.dispatches = {dispatch(1, 1, Outcome::kReplayed, 2,
                             {pass(0, 0, 1'000'000, 1'001'000, {{0, 1}, {1, 2}, {2, 3}}),
                              pass(1, 1, 1'002'000, 1'003'000, {{3, 4}, {1, 5}, {2, 6}})})};
  return run;
}

Run values() {
  Run run = base_run({{"A", "B", "C", "D", "E"}});
  run.gpus[1].counters[4].is_derived = true;
  run.dispatches = {dispatch(1, 1, Outcome::kSinglePass, 1,
                             {pass({}, 0, 1'000'000, 1'001'000,
                                   {{0, 9007199254740992.0}, {1, 18014398509481984.0}, {2, -3}, {3, 0}, {4, 1e300}})})};
  return run;
}

Run empty() {
  return three_pass_base();
}

// Another process of the same job, for traces that are appended to each other.
// With a warm-up and a timing pass; the groups of the second dispatch are shifted by one, and its warm-up has no times.
Run extras() {
  Run run = base_run({{"SQ_INSTS_VALU"}, {"SQ_WAVES"}});
  run.metadata.extras = {.warm_up = true, .timing = true, .permute = true};
  run.dispatches = {
      dispatch(1, 1, Outcome::kReplayed, 2,
               {pass(0, 0, 1'020'000, 1'023'000, {{0, 8192}}), pass(1, 1, 1'030'000, 1'033'000, {{1, 512}})}),
      dispatch(2, 2, Outcome::kReplayed, 2,
               {pass(0, 1, 1'070'000, 1'073'000, {{1, 256}}), pass(1, 0, 1'080'000, 1'083'000, {{0, 100}})})};
  run.dispatches[0].warm_up = Interval{1'000'000, 1'005'000};
  run.dispatches[0].timing = Interval{1'010'000, 1'012'000};
  run.dispatches[1].warm_up = Interval{};
  run.dispatches[1].timing = Interval{1'060'000, 1'062'000};
  return run;
}

// The counters fit one pass; the launch is replayed for its timing pass all the same.
Run extras_one_pass() {
  Run run = base_run({{"SQ_INSTS_VALU", "SQ_WAVES"}});
  run.metadata.extras = {.timing = true};
  run.dispatches = {
      dispatch(1, 1, Outcome::kReplayed, 1, {pass(0, 0, 1'020'000, 1'023'000, {{0, 8192}, {1, 512}})}),
      dispatch(2, 1, Outcome::kSinglePass, 1, {pass({}, 0, 1'040'000, 1'043'000, {{0, 8192}, {1, 512}})}),
  };
  run.dispatches[0].timing = Interval{1'010'000, 1'012'000};
  return run;
}

Run other_process() {
  Run run = three_passes();
  run.metadata.pid = 4343;
  run.metadata.guid = "0198c0de-0000-7000-8000-000000000002";
  run.metadata.rank = 1;
  return run;
}

// Every pair of dispatches arrives in reverse order. Nothing is kept, so that the sink's memory can be measured.
Status feed_many(output::Sink& sink, std::uint64_t count) {
  if (Status status = feed(sink, three_pass_base()); !status) return status;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t position = i ^ 1U;
    const std::uint64_t at = 1'000'000 + position * 1000;
    const auto value = static_cast<double>(position);
    Status status = sink.dispatch(dispatch(
        position + 1, 1 + position % 2, Outcome::kReplayed, 3,
        {pass(0, 0, at, at + 200, {{0, value}, {1, value}}), pass(1, 1, at + 300, at + 500, {{1, value}, {2, value}}),
         pass(2, 2, at + 600, at + 800, {{3, value}, {1, value}})}));
    if (!status) return status;
  }
  return Status::ok();
}

int report(const std::filesystem::path& target, const Status& status) {
  if (status) return 0;
  std::fprintf(stderr, "%s: %s\n", target.c_str(), status.message().c_str());
  return 1;
}

int write(const std::filesystem::path& target, const Run& run, const output::PerfettoOptions& options = {}) {
  const std::unique_ptr<output::Sink> sink = output::make_perfetto_sink(target, options);
  Status status = feed(*sink, run);
  if (status) status = sink->finish();
  return report(target, status);
}

int write_many(const std::filesystem::path& target, std::uint64_t count) {
  const std::unique_ptr<output::Sink> sink = output::make_perfetto_sink(target);
  Status status = feed_many(*sink, count);
  if (status) status = sink->finish();
  return report(target, status);
}

int write_all(const std::filesystem::path& folder) {
  const std::vector<std::pair<const char*, Run>> runs{
      {"one_pass", one_pass()},
      {"three_passes", three_passes()},
      {"overlap", overlap()},
      {"declined", declined()},
      {"two_gpus", two_gpus()},
      {"filtered", filtered()},
      {"incomplete", incomplete()},
      {"swapped", swapped()},
      {"back_to_back", back_to_back()},
      {"sentinels", sentinels()},
      {"values", values()},
      {"empty", empty()},
      {"other_process", other_process()},
      {"extras", extras()},
      {"extras_one_pass", extras_one_pass()},
  };
  int failures = 0;
  for (const auto& [name, run] : runs) failures += write(folder / (std::string(name) + ".pftrace"), run);
  for (const auto& [name, run] : {std::pair{"times_only", three_passes()}, {"times_only_declined", declined()}})
    failures += write(folder / (std::string(name) + ".pftrace"), run, {.counters = false});
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace multipass::test

int main(int argc, char** argv) {
  if (argc == 2) return multipass::test::write_all(argv[1]);
  if (argc == 3)
    return multipass::test::write_many(std::filesystem::path(argv[1]) / "many.pftrace",
                                       std::strtoull(argv[2], nullptr, 10));
  std::fputs("usage: perfetto_make_traces FOLDER [DISPATCHES]\n", stderr);
  return 2;
}
