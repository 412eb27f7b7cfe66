// SPDX-License-Identifier: MIT
//
// rocpd_bench [DISPATCHES]: the rocpd writer, from begin() to the published file, against the least that puts the same
// rows into the same tables: for each table one prepared single-row INSERT in a loop, in one transaction under the same
// pragmas, values and texts ready in memory, no checks, no indexes; both files are synced. In turns, the median of
// several rounds; time that passed, and processor time, which the disk does not touch. Then the rows of both files are
// compared. DISPATCHES: of 6 passes x 40 counters; without it, three shapes of up to 1 M rows.
// Exit code 1 when the writer takes more than 1.3 times the loop, or the rows differ.
//
// rocpd_bench --memory DISPATCHES: only the writer; the most memory it had resident. Exit code 1 above 120 MB.
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "output/rocpd/rocpd_sink.hpp"
#include "rocpd_loop.hpp"

namespace {

using namespace multipass;
using bench::expect;

constexpr double kMostRatio = 1.3;
constexpr double kMostMegabytes = 120;
constexpr std::size_t kRounds = 5;

struct Shape {
  std::size_t dispatches;
  std::uint32_t passes;
  std::uint32_t counters;  // of one pass

  [[nodiscard]] std::size_t readings() const { return dispatches * passes * counters; }
  // Each reading is in pmc_event and in replay_pmc; event, kernel_dispatch and replay_pass have the rest.
  [[nodiscard]] std::size_t rows() const { return 2 * readings() + dispatches * (2 + passes); }
};

struct Seconds {
  double wall = 0;
  double processor = 0;
};

Seconds timed(const std::function<void()>& work) {
  const auto before = std::chrono::steady_clock::now();
  const std::clock_t processor = std::clock();
  work();
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count(),
          static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC};
}

std::string counter_name(std::uint32_t index) {
  return "COUNTER_" + std::to_string(index);
}

AgentPlan plan_of(const Shape& shape) {
  AgentPlan plan;
  plan.agent = AgentIndex{0};
  plan.arch = "gfx942";
  for (std::uint32_t pass = 0; pass < shape.passes; ++pass) {
    PassPlan& planned = plan.passes.emplace_back();
    for (std::uint32_t at = 0; at < shape.counters; ++at)
      planned.counters.push_back(counter_name(pass * shape.counters + at));
  }
  return plan;
}

std::vector<CounterInfo> counters_of(const Shape& shape) {
  std::vector<CounterInfo> counters(std::size_t{shape.passes} * shape.counters);
  for (std::uint32_t at = 0; at < counters.size(); ++at) counters[at].name = counter_name(at);
  return counters;
}

// What all dispatches have in common; next() makes another of it.
DispatchRecord first_dispatch(const Shape& shape) {
  DispatchRecord dispatch;
  dispatch.kernel = KernelId{7};
  dispatch.queue_id = 5;
  dispatch.stream_id = 2;
  dispatch.thread_id = 4243;
  dispatch.grid = {1024, 2, 1};
  dispatch.workgroup = {64, 2, 1};
  dispatch.outcome = shape.passes > 1 ? Outcome::kReplayed : Outcome::kSinglePass;
  dispatch.passes_planned = shape.passes;
  for (std::uint32_t pass = 0; pass < shape.passes; ++pass) {
    PassRecord& record = dispatch.passes.emplace_back();
    record.pass = PassIndex{pass};
    record.group = GroupIndex{pass};
    for (std::uint32_t at = 0; at < shape.counters; ++at) {
      record.counters.emplace_back(pass * shape.counters + at);
      record.values.push_back(0);
    }
  }
  return dispatch;
}

void next(DispatchRecord& dispatch) {
  constexpr std::uint64_t kStart = 1'000'000'000'000;
  const std::uint64_t id = ++dispatch.dispatch_id.value;
  dispatch.correlation_id = id + 900;
  for (std::size_t pass = 0; pass < dispatch.passes.size(); ++pass) {
    PassRecord& record = dispatch.passes[pass];
    record.start_ns = kStart + (id * dispatch.passes.size() + pass) * 20'000;
    record.end_ns = record.start_ns + 10'000 + id % 100;
    for (std::size_t at = 0; at < record.values.size(); ++at)
      record.values[at] = static_cast<double>(id * 977 % 1'000'003 + at);
  }
}

RunMetadata some_run() {
  RunMetadata run;
  run.guid = "01987b2a-1111-7222-8333-444455556666";
  run.command = {"./app"};
  run.pid = 4242;
  run.machine_id = "0123456789abcdef";
  run.start_ns = 500;
  return run;
}

void write(const Shape& shape, const std::string& path) {
  AgentInfo agent;
  agent.type = AgentType::kGpu;
  agent.node_id = 1;
  agent.name = "gfx942";
  KernelSymbol kernel;
  kernel.id = KernelId{7};
  kernel.code_object_id = 3;
  kernel.name = kernel.demangled = "kernel";
  const std::unique_ptr<output::Sink> sink = output::make_rocpd_sink(path);
  expect(sink->begin(some_run()));
  expect(sink->agent(agent, counters_of(shape), plan_of(shape)));
  expect(sink->kernel(kernel));
  DispatchRecord dispatch = first_dispatch(shape);
  for (std::size_t count = 0; count < shape.dispatches; ++count) {
    next(dispatch);
    expect(sink->dispatch(dispatch));
  }
  expect(sink->finish());
}

double median(std::vector<double> numbers) {
  std::sort(numbers.begin(), numbers.end());
  return numbers[numbers.size() / 2];
}

// Whether the writer was fast enough.
bool compare(const Shape& shape, const bench::Folder& folder) {
  const std::string ours = folder.file("writer.db");
  const std::string theirs = folder.file("loop.db");
  write(shape, ours);
  const bench::LoopRows rows(ours);
  std::vector<double> wall[2];
  std::vector<double> processor[2];
  const auto note = [&](std::size_t which, const Seconds& seconds) {
    wall[which].push_back(seconds.wall);
    processor[which].push_back(seconds.processor);
  };
  for (std::size_t round = 0; round < kRounds; ++round) {
    bench::remove(ours);
    note(0, timed([&] { write(shape, ours); }));
    bench::remove(theirs);
    note(1, timed([&] { rows.insert(theirs); }));
  }
  bench::expect_equal_rows(ours, theirs);
  const double wall_ratio = median(wall[0]) / median(wall[1]);
  const double processor_ratio = median(processor[0]) / median(processor[1]);
  std::printf("| %zu x %u x %u | %zu | %.3f s | %.3f s | %.2f | %.3f s | %.3f s | %.2f |\n", shape.dispatches,
              shape.passes, shape.counters, shape.rows(), median(wall[0]), median(wall[1]), wall_ratio,
              median(processor[0]), median(processor[1]), processor_ratio);
  std::fflush(stdout);
  return wall_ratio <= kMostRatio && processor_ratio <= kMostRatio;
}

int measure_time(const std::vector<Shape>& shapes) {
  const bench::Folder folder;
  std::printf("| dispatches x passes x counters | rows | writer | loop | ratio | writer, CPU | loop, CPU | ratio |\n");
  std::printf("|---|---|---|---|---|---|---|---|\n");
  bool well = true;
  for (const Shape& shape : shapes) well = compare(shape, folder) && well;
  if (!well) std::fprintf(stderr, "the writer takes more than %.1f times the loop\n", kMostRatio);
  return well ? 0 : 1;
}

int measure_memory(const Shape& shape) {
  const bench::Folder folder;
  const Seconds seconds = timed([&] { write(shape, folder.file("writer.db")); });
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const double megabytes = static_cast<double>(usage.ru_maxrss) * 1024 / 1e6;
  std::printf("%zu readings, %zu rows: at most %.0f MB resident, %.1f s\n", shape.readings(), shape.rows(), megabytes,
              seconds.wall);
  if (megabytes <= kMostMegabytes) return 0;
  std::fprintf(stderr, "the writer had more than %.0f MB\n", kMostMegabytes);
  return 1;
}

}  // namespace

int main(int count, char** arguments) {
  const bool memory = count > 1 && std::string_view(arguments[1]) == "--memory";
  const std::size_t dispatches =
      count > (memory ? 2 : 1) ? std::strtoull(arguments[count - 1], nullptr, 10) : std::size_t{0};
  if (count > 1 && dispatches == 0) {
    std::fprintf(stderr, "usage: rocpd_bench [[--memory] DISPATCHES]\n");
    return 2;
  }
  if (memory) return measure_memory({dispatches, 6, 40});
  if (dispatches > 0) return measure_time({{dispatches, 6, 40}});
  return measure_time({{2'000, 6, 40}, {10'000, 6, 4}, {50'000, 1, 4}});
}
