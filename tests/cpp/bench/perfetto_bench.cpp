// SPDX-License-Identifier: MIT
//
// perfetto_bench [DISPATCHES [FOLDER]]: what it takes to write a Perfetto trace, in turns within one process:
//   sink    our writer, fed with records in memory
//   bare    a protozero loop over the same packets, all known beforehand (flat_packets.hpp); its bytes are compared
//   write   write(2) of the same bytes in blocks of the same size
//   export  the whole exporter: it reads a capture file with the same dispatches, and writes the trace and the summary
// All four write a file in FOLDER and sync it. By default that is a folder in memory (/dev/shm), where the file
// costs what copying it costs. Dispatches of 6 passes with 40 counters each.
// Judged by the medians of processor time, which others on the machine disturb little: each way is one thread, so that
// an idle machine needs as much by the clock. Exit code 1 when our writer has less than kLeast of the speed of the bare
// loop, or the export takes less than kLeastRate packets a second on a machine where the bare loop takes as many.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "apps/export/export.hpp"
#include "bench/flat_packets.hpp"
#include "journal/encode.hpp"
#include "journal/writer.hpp"
#include "output/perfetto/perfetto_sink.hpp"
#include "output/perfetto/trace_file.hpp"
#include "perfetto/runs.hpp"

namespace {

namespace fs = std::filesystem;
using namespace multipass;

constexpr double kLeast = 0.6;
constexpr double kLeastRate = 5e6;
constexpr int kRounds = 9;
constexpr std::uint32_t kPasses = 6;
constexpr std::uint32_t kCounters = 40;
constexpr std::size_t kBlock = output::perfetto::TraceFile::kBufferBytes;

void require(bool well, const std::string& what) {
  if (!well) throw std::runtime_error(what);
}
void require(const Status& status) {
  require(static_cast<bool>(status), status.message());
}

// Values as counters have them: most are integers of some digits.
test::Run made_up_run(std::uint64_t dispatches) {
  test::Run run;
  std::vector<std::vector<std::string>> passes(kPasses);
  for (std::uint32_t k = 0; k < kPasses; ++k)
    for (std::uint32_t c = 0; c < kCounters; ++c) passes[k].push_back("TCC_EVENT_" + std::to_string(k * kCounters + c));
  run.gpus = {test::gpu(1, 0, passes)};
  for (std::uint64_t n = 0; n < 16; ++n)
    run.kernels.push_back(test::kernel(n + 1, "void ns::kernel_" + std::to_string(n) + "<float>(float const*, int)"));
  std::uint64_t state = 1;
  const auto next = [&state](std::uint64_t below) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (state >> 33U) % below;
  };
  std::uint64_t now = 1'000'000'000'000;
  for (std::uint64_t id = 1; id <= dispatches; ++id) {
    std::vector<PassRecord> records;
    for (std::uint32_t k = 0; k < kPasses; ++k) {
      std::vector<std::pair<std::uint32_t, double>> readings;
      for (std::uint32_t c = 0; c < kCounters; ++c)
        readings.emplace_back(k * kCounters + c, static_cast<double>(next(1U << 30U)));
      now += 2000;
      records.push_back(test::pass(k, k, now, now + 900 + next(1000), readings));
    }
    run.dispatches.push_back(test::dispatch(id, 1 + next(16), Outcome::kReplayed, kPasses, std::move(records)));
  }
  return run;
}

// A file as all ways write it: blocks, synced and closed.
class Blocks final {
 public:
  explicit Blocks(const fs::path& path) : fd_(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)) {
    require(fd_ >= 0, "cannot create " + path.string());
  }
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;
  ~Blocks() { ::close(fd_); }
  void write(std::string_view bytes) const {
    require(::write(fd_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()), "a block was not written");
  }
  void sync() const { require(::fsync(fd_) == 0, "the file was not synced"); }

 private:
  int fd_;
};

void write_journal(const fs::path& path, const test::Run& run) {
  bool exists = false;
  auto writer = journal::JournalWriter::create(path.string(), exists);
  require(static_cast<bool>(writer), writer.message());
  const auto append = [&writer](const std::string& frame) {
    // It drops records rather than wait for long: here nobody is kept waiting.
    while (!(*writer)->append(frame)) ::usleep(1000);
  };
  append(journal::encode(run.metadata));
  for (const test::Gpu& gpu : run.gpus) append(journal::encode(gpu.agent, gpu.counters, gpu.plan));
  for (const KernelSymbol& kernel : run.kernels) append(journal::encode(kernel));
  for (const DispatchRecord& dispatch : run.dispatches) append(journal::encode(dispatch));
  append(journal::encode_end(run.dispatches.size(), 0));
  require((*writer)->close(std::chrono::seconds{60}), "the journal was not written");
}

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

struct Way {
  const char* name;
  std::function<void()> run;
  std::vector<double> processor{};  // seconds of each round
  std::vector<double> clock{};
};

double seconds_of(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double least(const std::vector<double>& values) {
  return *std::min_element(values.begin(), values.end());
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

void run_in_turns(std::vector<Way>& ways) {
  for (int round = 0; round <= kRounds; ++round)
    for (Way& way : ways) {
      const double processor = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
      const double clock = seconds_of(CLOCK_MONOTONIC);
      way.run();
      if (round == 0) continue;  // it warms up
      way.clock.push_back(seconds_of(CLOCK_MONOTONIC) - clock);
      way.processor.push_back(seconds_of(CLOCK_PROCESS_CPUTIME_ID) - processor);
    }
}

int measure(std::uint64_t dispatches, const fs::path& folder) {
  const test::Run run = made_up_run(dispatches);
  const fs::path ours = folder / "sink.pftrace";
  const auto write_ours = [&run, &ours] {
    const auto sink = output::make_perfetto_sink(ours);
    require(test::feed(*sink, run));
    require(sink->finish());
  };
  write_ours();
  const std::string bytes = content_of(ours);
  const bench::FlatPackets packets = bench::flatten(bytes);
  std::string block;
  std::string again;
  bench::encode_bare(packets, kBlock, block, [&again](const std::string& full) { again += full; });
  require(again == bytes, "the bare loop writes other bytes than the sink");
  again = {};
  const fs::path journal = folder / "export.journal";
  write_journal(journal, run);

  std::vector<Way> ways{
      {"sink", write_ours},
      {"bare",
       [&] {
         const Blocks file(folder / "bare.pftrace");
         bench::encode_bare(packets, kBlock, block, [&file](const std::string& full) { file.write(full); });
         file.sync();
       }},
      {"write",
       [&] {
         const Blocks file(folder / "write.pftrace");
         for (std::string_view rest = bytes; !rest.empty(); rest.remove_prefix(std::min(kBlock, rest.size())))
           file.write(rest.substr(0, kBlock));
         file.sync();
       }},
      {"export",
       [&] {
         const apps::ExportResult result = apps::export_journal({journal, folder, {"perfetto"}});
         require(result.errors.empty(), result.errors.empty() ? "" : result.errors.front());
       }},
  };
  run_in_turns(ways);
  require(content_of(folder / "export.pftrace").size() == bytes.size(), "the export wrote another trace than the sink");

  const double count = static_cast<double>(packets.kinds.size());
  std::printf("%zu packets, %.1f MB, in %s; %d rounds\n\n", packets.kinds.size(),
              static_cast<double>(bytes.size()) / 1e6, folder.c_str(), kRounds);
  std::printf(
      "| way | processor, ms | speed / bare | fastest by the clock, ms | M packets/s |\n|---|---|---|---|---|\n");
  const double bare = median(ways[1].processor);
  for (const Way& way : ways)
    std::printf("| %s | %.1f | %.2f | %.1f | %.1f |\n", way.name, median(way.processor) * 1e3,
                bare / median(way.processor), least(way.clock) * 1e3, count / least(way.clock) / 1e6);
  const double speed = bare / median(ways[0].processor);
  const double rate = count / median(ways[3].processor);
  const bool is_slow = rate < kLeastRate && count / bare >= kLeastRate;
  std::printf(
      "\nsink: %.2f of the speed of the bare loop (at least %.1f); export: %.1f M packets/s of processor time (at "
      "least %.1f)\n",
      speed, kLeast, rate / 1e6, kLeastRate / 1e6);
  return speed < kLeast || is_slow ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::uint64_t dispatches = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 2000;
    const fs::path memory = "/dev/shm";
    std::string name = ((argc > 2                   ? fs::path(argv[2])
                         : fs::is_directory(memory) ? memory
                                                    : fs::temp_directory_path()) /
                        "perfetto_bench.XXXXXX");
    require(dispatches != 0, "the number of dispatches must be 1 or more");
    require(::mkdtemp(name.data()) != nullptr, "cannot create the folder " + name);
    int code = 2;
    try {
      code = measure(dispatches, name);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "perfetto_bench: %s\n", error.what());
    }
    fs::remove_all(name);
    return code;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "perfetto_bench: %s\n", error.what());
    return 2;
  }
}
