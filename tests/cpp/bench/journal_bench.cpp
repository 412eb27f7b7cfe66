// SPDX-License-Identifier: MIT
//
// journal_bench [FOLDER]: dispatches of 1, 40 and 240 readings through the JournalWriter into a file of FOLDER (the
// temporary one), from the first append() until close() has returned, against write(2) of the same bytes, call for call
// and in blocks of 256 KiB; and reading that file, every frame of it decoded, against read(2). In turns, so that what
// else the machine does meets all of them; the ratios are those of the medians. A Markdown table, as it is in
// docs/performance.md. Exit code 1 when appending takes longer than it may, or a record was lost.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/crc32.hpp"
#include "journal/encode.hpp"
#include "journal/reader.hpp"
#include "journal/writer.hpp"

namespace {

using namespace multipass;
using namespace multipass::journal;

constexpr double kMostAppend = 2.0;          // times write(2): a call for each frame, and in blocks for larger frames
constexpr std::uint32_t kManyReadings = 40;  // from here on
constexpr std::size_t kBytes = 256U << 20U;
constexpr std::size_t kBlock = 256U << 10U;
constexpr int kRounds = 9;

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "journal_bench: %s\n", what.c_str());
  std::exit(1);
}

DispatchRecord dispatch_of(std::uint32_t readings) {
  constexpr std::uint32_t kInAPass = 40;
  DispatchRecord record;
  record.dispatch_id = DispatchId{123'456};
  record.agent = AgentIndex{1};
  record.kernel = KernelId{17};
  record.queue_id = 1;
  record.thread_id = 54'321;
  record.correlation_id = 123'456;
  record.grid = {1'048'576, 1, 1};
  record.workgroup = {256, 1, 1};
  record.outcome = Outcome::kReplayed;
  for (std::uint32_t read = 0; read < readings; read += kInAPass) {
    PassRecord& pass = record.passes.emplace_back();
    pass.pass = PassIndex{read / kInAPass};
    pass.group = GroupIndex{read / kInAPass};
    pass.start_ns = 1'000'000'000'000 + read * 1000;
    pass.end_ns = pass.start_ns + 900;
    for (std::uint32_t i = read; i < std::min(read + kInAPass, readings); ++i) {
      pass.counters.push_back(CounterIndex{i});
      pass.values.push_back(1.0e6 + i);
    }
  }
  record.passes_planned = static_cast<std::uint32_t>(record.passes.size());
  return record;
}

double seconds_of(const std::function<void()>& run) {
  const auto begin = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// `put(writer, lane)` appends one dispatch.
double append_all(const std::string& path, std::size_t count, const std::function<bool(JournalWriter&, Lane&)>& put) {
  std::filesystem::remove(path);
  bool exists = false;
  auto writer = JournalWriter::create(path, exists);
  if (!writer) fail(writer.message());
  Lane& lane = (*writer)->add_agent_lane();
  (*writer)->keep_checkpoints([count] { return count; });
  return seconds_of([&] {
    for (std::size_t i = 0; i < count; ++i)
      if (!put(**writer, lane)) fail("the disk stood still, a record was lost: once more, on an idle machine");
    (*writer)->append_end(1);
    if (!(*writer)->close(std::chrono::seconds(60))) fail("the capture was not closed");
  });
}

double write_all(const std::string& path, const std::string& bytes, std::size_t block) {
  std::filesystem::remove(path);
  return seconds_of([&] {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0600);
    for (std::size_t at = 0; at < bytes.size(); at += block) {
      const std::size_t size = std::min(block, bytes.size() - at);
      if (::write(fd, bytes.data() + at, size) != static_cast<ssize_t>(size)) fail("write: " + path);
    }
    ::close(fd);
  });
}

double read_plainly(const std::string& path, std::string& into) {
  return seconds_of([&] {
    const int fd = ::open(path.c_str(), O_RDONLY);
    while (::read(fd, into.data(), kBlock) > 0) {
    }
    ::close(fd);
  });
}

double read_frames(const std::string& path, std::size_t count) {
  return seconds_of([&] {
    auto reader = JournalReader::open(path);
    if (!reader) fail(reader.message());
    std::size_t dispatches = 0;
    while (const auto frame = reader->next()) dispatches += std::holds_alternative<DispatchRecord>(*frame) ? 1 : 0;
    if (dispatches != count || !reader->damage().none()) fail("what was written is not what is read");
  });
}

std::string content_of(const std::string& path) {
  std::string bytes(std::filesystem::file_size(path), '\0');
  const int fd = ::open(path.c_str(), O_RDONLY);
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t n = ::read(fd, bytes.data() + at, bytes.size() - at);
    if (n <= 0) fail("cannot read " + path);
    at += static_cast<std::size_t>(n);
  }
  ::close(fd);
  return bytes;
}

double median(std::vector<double> numbers) {
  std::sort(numbers.begin(), numbers.end());
  return numbers[numbers.size() / 2];
}

// Whether it is within the bound.
bool measure(const std::filesystem::path& folder, std::uint32_t readings) {
  const DispatchRecord record = dispatch_of(readings);
  const std::string payload = encode(record);
  const std::size_t count = kBytes / (payload.size() + kFrameHeaderSize);
  const std::string capture = folder / "bench.journal", plain = folder / "bench.bytes";
  const auto put_bytes = [&](JournalWriter& writer, Lane& lane) {
    return writer.append(lane, payload.size(), [&](std::string& to) { to += payload; });
  };
  const auto put_record = [&](JournalWriter& writer, Lane& lane) {
    return writer.append(lane, most_bytes(record), [&](std::string& to) { encode_to(record, to); });
  };
  std::map<std::string, std::vector<double>> times;
  std::string block(kBlock, '\0');
  std::uint32_t sum = 0;
  for (int round = 0; round < kRounds; ++round) {
    times["encode"].push_back(append_all(capture, count, put_record));
    times["append"].push_back(append_all(capture, count, put_bytes));
    const std::string bytes = content_of(capture);
    times["each"].push_back(write_all(plain, bytes, payload.size() + kFrameHeaderSize));
    times["write"].push_back(write_all(plain, bytes, kBlock));
    times["read"].push_back(read_plainly(plain, block));
    times["next"].push_back(read_frames(capture, count));
    times["crc"].push_back(seconds_of([&] { sum ^= crc32(bytes); }));
  }
  std::filesystem::remove(capture);
  std::filesystem::remove(plain);
  const auto of = [&](const char* what) { return median(times.at(what)); };
  const auto speed = [&](const char* what) { return static_cast<double>(kBytes) / of(what) / 1e9; };
  std::printf("| %u | %zu | %.2f | %.2f | %.2f | %.2f | %.2f | %.1f | %.2f | %.1f |\n", readings,
              payload.size() + kFrameHeaderSize, of("append") / of("each"), of("append") / of("write"),
              of("encode") / of("write"), speed("write"), speed("append"), of("next") / of("read"), speed("next"),
              speed("crc"));
  std::fflush(stdout);
  const double most = readings < kManyReadings ? of("each") : std::min(of("each"), of("write"));
  return of("append") <= kMostAppend * most && sum != 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::filesystem::path folder = argc > 1 ? argv[1] : std::filesystem::temp_directory_path().c_str();
  std::puts(
      "| readings | bytes of a frame | append / a write(2) each | append / write(2) in blocks | with encoding | "
      "write(2) GB/s | append GB/s | reading / read(2) | reading GB/s | checksum GB/s |");
  std::puts("|---|---|---|---|---|---|---|---|---|---|");
  bool good = true;
  for (const std::uint32_t readings : {1U, 40U, 240U}) good = measure(folder, readings) && good;
  if (!good) std::fprintf(stderr, "journal_bench: appending takes more than %.1f times write(2)\n", kMostAppend);
  return good ? 0 : 1;
}
