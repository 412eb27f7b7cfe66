// SPDX-License-Identifier: MIT
//
// Recorder: writes down what the SDK calls, in which order, on which thread and with what in it, and what the tool
// answers (docs/formats/recording.md). For reports of users and for tests; off unless a file is asked for. What would
// tell who or what was profiled is left out or numbered in the order in which it appears.
//
// start_recording (while the tool initialises) -> set-up calls -> begin -> events, to the end of the process.
// Threads: any; one lock, and one write(2) for each event, so that a crash takes nothing back. The file is made anew
// and never replaced. At most kMostEvents events (sdk/recording.hpp) and kMostBytes bytes; further ones are counted.
// noexcept from begin() on: what cannot be written is counted. Never destroyed. A forked child records nothing.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/status.hpp"
#include "sdk/abi/rocprofiler.h"
#include "sdk/clock.hpp"
#include "sdk/inventory.hpp"
#include "sdk/json_line.hpp"
#include "sdk/recording.hpp"

namespace multipass::sdk {

// One event: a callback that was entered.
struct Moment {
  std::uint64_t number = 0;
  std::uint64_t ns = 0;  // since the recording began
  std::uint64_t thread = 0;
  bool kept = false;  // else there were too many
};

// Ids in the order in which they appear: 0, 1, 2, ...
class Ordinals final {
 public:
  std::uint64_t of(std::uint64_t id) { return known_.try_emplace(id, known_.size()).first->second; }

 private:
  std::unordered_map<std::uint64_t, std::uint64_t> known_;
};

// Addresses likewise: one inside memory that is known is its number and an offset.
class Places final {
 public:
  std::pair<std::uint64_t, std::uint64_t> of(std::uint64_t address, std::uint64_t bytes);

 private:
  struct Place {
    std::uint64_t ordinal = 0, bytes = 0;
  };
  std::map<std::uint64_t, Place> known_;  // by address
};

class Recorder final {
 public:
  static constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20U;
  static constexpr std::size_t kMostRecords = 4096;  // of one event

  Recorder(int fd, RecordedOptions options, std::uint64_t most_events);
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
  ~Recorder() = default;

  // While the tool initialises, on that thread.
  void header(const SdkIdentity& identity);
  void agent(const SdkAgent& agent);
  void counters(const SdkAgent& agent, const CounterList& list);
  void slots(std::uint64_t agent, const std::map<std::string, std::uint32_t>& by_block);
  void config_made(std::uint64_t agent, const std::vector<std::uint64_t>& ids, std::uint64_t handle);
  void config_gone(std::uint64_t handle) noexcept;
  void begin() noexcept;  // agents, counters and configurations are written

  // A callback is entered. The ids of its dispatch, if it has one, appear now.
  Moment enter(const rocprofiler_kernel_dispatch_info_t* dispatch, bool always = false) noexcept;

  // The same has done its work.
  struct Before {  // what it found
    std::uint64_t data = 0;
    bool pass_count = false, goes_on = false;
  };
  void tracing(const Moment& moment, const rocprofiler_callback_tracing_record_t& record, const Before& before,
               const rocprofiler_user_data_t* data) noexcept;
  void counting(const Moment& moment, const rocprofiler_dispatch_counting_service_data_t& service,
                std::uint64_t data_before, const rocprofiler_counter_config_id_t* config,
                const rocprofiler_user_data_t* data) noexcept;
  void records(const Moment& moment, const rocprofiler_dispatch_counting_service_data_t& service,
               const rocprofiler_counter_record_t* from, std::size_t count, std::uint64_t data) noexcept;
  void pass_count(const rocprofiler_kernel_dispatch_info_t& dispatch, std::uint64_t data,
                  std::uint64_t answer) noexcept;
  void goes_on(const rocprofiler_kernel_dispatch_info_t& dispatch, std::uint64_t pass, std::uint64_t passes,
               std::uint64_t data, int answer) noexcept;
  // A call of the tool, "configure" or "start", what of, and the SDK's answer.
  void call(const char* name, const char* context, int status) noexcept;
  // The SDK ends the tool. Always written, for it tells how many calls were not.
  void finalize() noexcept;

  // What the payloads' fields are made of (recorded_payloads.cpp).
  void add_dispatch(JsonLine& line, const rocprofiler_kernel_dispatch_info_t& dispatch);
  void add_agent(JsonLine& line, const char* name, rocprofiler_agent_id_t id) const;
  void add_time(JsonLine& line, const char* name, std::uint64_t ns) const;
  std::uint64_t kernel(std::uint64_t id) { return kernels_.of(id); }
  std::uint64_t code_object(std::uint64_t id) { return code_objects_.of(id); }
  void add_address(JsonLine& line, const char* name, std::uint64_t address, std::uint64_t bytes);
  void add_call(JsonLine& line, const char* kind, const char* name, const void* payload, std::uint64_t size);
  std::uint64_t thread(std::uint64_t id) { return threads_.of(id); }

 private:
  struct Config {
    std::uint64_t agent = 0;
    std::vector<std::uint64_t> ids;
  };
  struct KnownAgent {
    AgentInfo info;
    std::size_t counter_count = 0;
    std::map<std::uint64_t, CounterInfo> counters;  // by id
    std::map<std::string, std::uint32_t> slots;     // by block
  };

  template <typename Fields>
  void write_event(const Moment& moment, const char* call, const Fields& fields) noexcept {
    if (!moment.kept) return;
    try {
      const std::uint64_t took = now_ns() - base_ - moment.ns;
      const std::lock_guard lock(mutex_);
      JsonLine line;
      line.add("n", moment.number);
      line.add("ns", moment.ns);
      line.add("took", took);
      line.add("thread", moment.thread);
      line.add("call", call);
      fields(line);
      write(std::move(line).finish());
    } catch (...) {  // out of memory: the number is missing, which a reader sees
    }
  }
  void write_agents();
  void write_counters(std::uint32_t index, const KnownAgent& agent);
  void write_configs();
  void write(const std::string& line) noexcept;
  [[nodiscard]] bool is_ours() const noexcept;
  [[nodiscard]] std::optional<std::uint32_t> index_of(std::uint64_t agent) const noexcept;

  const int fd_;
  const RecordedOptions options_;
  const std::uint64_t most_events_;
  std::uint64_t device_ = 0;  // of the file: the program may have closed our descriptor
  std::uint64_t inode_ = 0;
  std::uint64_t base_ = 0;  // ns of the SDK's clock

  std::mutex mutex_;  // guards all below
  std::uint64_t events_ = 0;
  std::uint64_t left_out_ = 0;
  std::uint64_t bytes_ = 0;
  bool broken_ = false;  // something could not be written
  Ordinals threads_, dispatches_, queues_, kernels_, code_objects_;
  Places addresses_;
  std::map<std::uint64_t, KnownAgent> agents_;     // by handle
  std::map<std::uint64_t, Config> configs_;        // by handle
  std::map<std::uint64_t, std::size_t> ordinals_;  // of configurations, from begin() on
};

namespace detail {
extern constinit std::atomic<Recorder*> recorder;
}
// nullptr: nothing is recorded.
[[nodiscard]] inline Recorder* recorder() noexcept {
  return detail::recorder.load(std::memory_order_acquire);
}

}  // namespace multipass::sdk
