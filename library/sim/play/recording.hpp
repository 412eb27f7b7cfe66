// SPDX-License-Identifier: MIT
//
// A recording of what an SDK called (docs/formats/recording.md), read and checked as a whole: what is played later is
// known to be in range. Immutable. Errors: std::runtime_error that names the file, the line and the fix.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sdk/abi/rocprofiler.h"

namespace multipass_sim::play {

struct Kind {
  int number = 0;
  std::string name;
  std::vector<std::string> operations;  // from 0
};

struct Counter {
  std::uint64_t id = 0;
  std::string name, block, expression;
  bool constant = false, derived = false;
  std::uint64_t instances = 1;
};

struct Agent {
  bool gpu = false;
  std::uint32_t node = 0;
  std::string name;
  std::map<std::string, std::uint32_t> numbers;  // "cu_count"
  std::uint64_t local_mem_size = 0;
  std::map<std::string, std::uint32_t> slots;  // by block; empty: those of another agent of this name
  std::vector<Counter> counters;
};

struct Config {
  std::size_t agent = 0;
  std::vector<std::string> counters;  // sorted
};

struct Dispatch {
  std::uint64_t size = 0;
  std::optional<std::size_t> agent;
  std::uint64_t queue = 0, kernel = 0, id = 0;
  std::uint32_t private_size = 0, group_size = 0;
  rocprofiler_dim3_t workgroup{}, grid{};
};

enum class Call : std::uint8_t { kConfigure, kStart, kTracing, kPassCount, kContinue, kCounting, kRecord, kFinalize };

struct CounterRecord {
  std::uint64_t instance = 0;  // counter and position
  double value = 0;
};

struct Event {
  std::uint64_t number = 0, ns = 0, thread = 0;
  Call call = Call::kTracing;
  std::string context;  // of kConfigure and kStart
  int status = 0;       // likewise, and the result of a call of HSA or HIP
  std::string kind;     // of kTracing, as the next four
  std::int32_t operation = 0;
  int phase = 0;
  std::uint64_t of_thread = 0;
  std::uint64_t size = 0;  // of the payload or the service's data
  std::uint64_t correlation = 0;
  std::optional<Dispatch> dispatch;
  std::uint64_t pass = 0, passes = 0;
  std::vector<std::string> functions;
  std::uint64_t data_in = 0, data = 0;
  std::optional<std::int64_t> start, end;
  std::optional<std::size_t> config;
  std::vector<CounterRecord> records;
  std::optional<std::size_t> agent;              // of memory and code objects
  std::optional<std::size_t> from, to;           // of a copy
  std::map<std::string, std::uint64_t> numbers;  // members of a code object, of memory; "argument"
  std::vector<std::uint64_t> attributes;         // of a call
  std::string name;                              // of a kernel
};

struct Recording {
  std::uint32_t major = 0, minor = 0, patch = 0;
  std::vector<Kind> kinds;
  std::vector<Agent> agents;
  std::vector<Config> configs;
  std::vector<Event> events;  // in the order in which they began

  [[nodiscard]] const Kind* kind(int number) const noexcept;
  [[nodiscard]] const Kind* kind(const std::string& name) const noexcept;
};

// `text`: the whole file. The last line may be cut: a process that died leaves one.
[[nodiscard]] Recording parse_recording(const std::string& text, const std::string& file);

}  // namespace multipass_sim::play
