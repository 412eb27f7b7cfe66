// SPDX-License-Identifier: MIT
//
// callback_bench [ROUNDS]: what a dispatch-pass costs the launching thread with the plugin as it is shipped, against a
// client with empty callbacks and a plain one (callback_clients.hpp), in turns. Empty kernels, three passes of two
// counters, on the stand-in SDK; 1 to 8 simulated GPUs with a launching thread each. Each run is a process of its own.
// Exit code 1 when the plugin's median is more than kMost times that of the empty client.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "bench/callback_clients.hpp"
#include "bench/queue_runtime.hpp"

namespace {

using namespace multipass::bench;

constexpr double kMost = 1.5;
constexpr std::size_t kWarmUp = 300;  // dispatches of each thread
constexpr std::size_t kLaunches = 1000;
const Passes kPasses{
    {"SQ_WAVES", "SQ_ITEMS"}, {"SQ_INSTS_VALU", "SQ_INSTS_SALU"}, {"SQ_INSTS_LDS", "SQ_INSTS_VMEM_RD"}};
constexpr const char* kEvents = "SQ_WAVES,SQ_ITEMS,SQ_INSTS_VALU,SQ_INSTS_SALU,SQ_INSTS_LDS,SQ_INSTS_VMEM_RD";

// Of one dispatch, on its launching thread; nanoseconds.
struct Sample {
  double wall = 0;       // for each pass, the whole launch
  double processor = 0;  // the same, of processor time
  double passes = 0;     // for each pass, inside the client's callbacks of passes
  double window = 0;     // inside those of the replay window, once for a dispatch
};

double seconds_of(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double ns_per_tick() {
  const double begin = seconds_of(CLOCK_MONOTONIC);
  const std::uint64_t ticks = now_ticks();
  double now = begin;
  while (now - begin < 0.05) now = seconds_of(CLOCK_MONOTONIC);
  return (now - begin) * 1e9 / static_cast<double>(now_ticks() - ticks);
}

void launch_all(QueueRuntime& runtime, std::uint32_t device, double tick, std::vector<Sample>& samples) {
  samples.reserve(kLaunches);
  for (std::size_t i = 0; i < kWarmUp; ++i) runtime.launch(device);
  count_this_thread();
  const auto passes = static_cast<double>(kPasses.size());
  for (std::size_t i = 0; i < kLaunches; ++i) {
    const Ticks ticks = ticks_in_callbacks();
    const double processor = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    const double wall = seconds_of(CLOCK_MONOTONIC);
    runtime.launch(device);
    const double wall_after = seconds_of(CLOCK_MONOTONIC);
    const double processor_after = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    samples.push_back({(wall_after - wall) * 1e9 / passes, (processor_after - processor) * 1e9 / passes,
                       static_cast<double>(ticks_in_callbacks().passes - ticks.passes) * tick / passes,
                       static_cast<double>(ticks_in_callbacks().windows - ticks.windows) * tick});
  }
}

// In a process of its own: the samples go to `out`.
[[noreturn]] void run_child(Client client, std::uint32_t agents, const std::filesystem::path& folder, int out) {
  std::string devices = "tiny";
  for (std::uint32_t i = 1; i < agents; ++i) devices += ",tiny";
  setenv("ROCPROFSYS_MULTIPASS_SIMULATE", devices.c_str(), 1);
  if (client == Client::kPlugin) {
    setenv("ROCP_TOOL_LIBRARIES", MULTIPASS_PLUGIN, 1);
    setenv("ROCPROFSYS_MULTIPASS_EVENTS", kEvents, 1);
    setenv("ROCPROFSYS_MULTIPASS_SENTINEL", "none", 1);
    setenv("ROCPROFSYS_MULTIPASS_REPLAY", "kernel", 1);  // each launch
    setenv("ROCPROFSYS_MULTIPASS_QUIET", "1", 1);
    setenv("ROCPROFSYS_MULTIPASS_FORMAT", "perfetto", 1);
    setenv("ROCPROFSYS_MULTIPASS_OUTPUT", (folder / std::to_string(::getpid())).c_str(), 1);
  } else {
    unsetenv("ROCP_TOOL_LIBRARIES");
    register_client(client, kPasses);
  }
  const double tick = ns_per_tick();
  QueueRuntime runtime(agents);
  runtime.attach();
  std::vector<std::vector<Sample>> samples(agents);
  std::vector<std::thread> threads;
  for (std::uint32_t i = 0; i < agents; ++i) threads.emplace_back([&, i] { launch_all(runtime, i, tick, samples[i]); });
  for (std::thread& thread : threads) thread.join();
  runtime.synchronize();
  for (const std::vector<Sample>& each : samples) {
    const char* from = reinterpret_cast<const char*>(each.data());
    for (std::size_t left = each.size() * sizeof(Sample); left > 0;) {
      const ssize_t written = ::write(out, from, left);
      if (written <= 0) ::_exit(3);
      from += written;
      left -= static_cast<std::size_t>(written);
    }
  }
  if (client != Client::kPlugin && records() == 0) ::_exit(4);
  ::_exit(0);  // what the end of the process costs is not asked
}

bool run(Client client, std::uint32_t agents, const std::filesystem::path& folder, std::vector<Sample>& to) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return false;
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    run_child(client, agents, folder, ends[1]);
  }
  ::close(ends[1]);
  std::string bytes;
  std::array<char, 65536> chunk{};
  for (ssize_t got = 0; (got = ::read(ends[0], chunk.data(), chunk.size())) > 0;)
    bytes.append(chunk.data(), static_cast<std::size_t>(got));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  const std::size_t count = bytes.size() / sizeof(Sample);
  const auto* first = reinterpret_cast<const Sample*>(bytes.data());
  to.insert(to.end(), first, first + count);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && count == agents * kLaunches) return true;
  std::fprintf(stderr, "a run of client %d with %u GPUs failed (status %d, %zu samples)\n", static_cast<int>(client),
               agents, status, count);
  return false;
}

double quantile(const std::vector<Sample>& samples, double Sample::* member, double which) {
  std::vector<double> values;
  for (const Sample& sample : samples) values.push_back(sample.*member);
  const auto at = static_cast<std::size_t>(which * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
  return values[at];
}

constexpr std::array kClients{Client::kEmpty, Client::kPlain, Client::kPlugin};
using Results = std::map<Client, std::vector<Sample>>;

// One measure of all clients: median and p99 of each, ratio of medians to the empty one's.
double print(const char* what, std::uint32_t agents, const Results& results, double Sample::* member) {
  std::printf("| %u | %s |", agents, what);
  const double empty = quantile(results.at(Client::kEmpty), member, 0.5);
  double ratio = 0;
  for (const Client client : kClients) {
    const double median = quantile(results.at(client), member, 0.5);
    ratio = median / empty;
    std::printf(" %.0f | %.0f |", median, quantile(results.at(client), member, 0.99));
    if (client != Client::kEmpty) std::printf(" %.2f |", ratio);
  }
  std::printf("\n");
  return ratio;
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 9;
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("callback-bench-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  std::printf(
      "| GPUs | ns for each pass | empty | p99 | plain | p99 | ratio | plugin | p99 | ratio |\n"
      "|---|---|---|---|---|---|---|---|---|---|\n");
  bool well = true;
  for (const std::uint32_t agents : {1U, 2U, 4U, 8U}) {
    Results results;
    for (int round = 0; round < rounds; ++round)
      for (const Client client : kClients)
        if (!run(client, agents, folder, results[client])) return 1;
    well &= print("launch", agents, results, &Sample::wall) <= kMost;
    well &= print("launch, processor time", agents, results, &Sample::processor) <= kMost;
    print("in callbacks of the pass", agents, results, &Sample::passes);
    print("in callbacks of the window, per dispatch", agents, results, &Sample::window);
    std::fflush(stdout);
  }
  std::filesystem::remove_all(folder);
  return well ? 0 : 1;
}
