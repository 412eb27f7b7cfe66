// SPDX-License-Identifier: MIT
//
// Player: an SDK that makes the calls of a recording. sdk_calls.cpp answers what the tool asks while it sets up,
// player.cpp makes the calls. Each thread of the recording is a thread here; a call begins when the one before has
// returned, so that a test has one result.
//
// What the tool put into user data comes back where the recorded tool's came back: `data` of the recording is looked up
// among what it wrote in an earlier call of that dispatch, and what was written now is given. A value that no call of
// the recording wrote is given as it was recorded.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sdk/abi/rocprofiler.h"
#include "sim/play/recording.hpp"

namespace multipass_sim::play {

class Worker;

// What the tool set up.
struct Tracing {
  std::size_t context = 0;
  int kind = 0;
  std::vector<std::int32_t> operations;  // empty: all
  rocprofiler_callback_tracing_cb_t callback = nullptr;
  void* arg = nullptr;
};

struct Counting {
  std::size_t context = 0;
  rocprofiler_dispatch_counting_service_cb_t choose = nullptr;
  void* choose_arg = nullptr;
  rocprofiler_dispatch_counting_record_cb_t record = nullptr;
  void* record_arg = nullptr;
};

class Player final {
 public:
  explicit Player(Recording recording);
  Player(const Player&) = delete;
  Player& operator=(const Player&) = delete;
  ~Player();

  // Registers the tool, makes all calls, ends the tool.
  void play(rocprofiler_configure_func_t configure);

  // For the C functions; on the thread that initialises the tool.
  [[nodiscard]] const Recording& recording() const noexcept { return recording_; }
  [[nodiscard]] std::uint64_t now() const noexcept { return kBase + ns_.load(std::memory_order_relaxed); }
  [[nodiscard]] rocprofiler_agent_id_t handle(std::size_t agent) const noexcept { return {kFirstAgent + agent}; }
  [[nodiscard]] std::optional<std::size_t> agent(rocprofiler_agent_id_t id) const noexcept;
  [[nodiscard]] const Counter* counter(std::uint64_t id) const noexcept;
  rocprofiler_status_t create_config(std::size_t agent, const std::vector<std::uint64_t>& ids, std::uint64_t& handle);
  std::size_t create_context() { return contexts_++; }
  rocprofiler_status_t trace(Tracing tracing);
  void count(const Counting& counting) { counting_.push_back(counting); }
  rocprofiler_status_t start(std::size_t context);

 private:
  static constexpr std::uint64_t kBase = 1'000'000'000'000;  // ns: of a machine that is up for 1000 seconds
  static constexpr std::uint64_t kFirstAgent = 0x5150'0000;

  // Calls that share user data.
  enum class Slot : std::uint8_t { kReplay, kEnqueue, kCounting, kOther };
  struct Written {
    std::uint64_t recorded = 0, now = 0;
  };
  struct Window {  // of a replay
    rocprofiler_kernel_replay_pass_count_cb_t pass_count = nullptr;
    rocprofiler_kernel_replay_continue_cb_t goes_on = nullptr;
  };

  void set_up(rocprofiler_configure_func_t configure);
  void finalize();
  void make(const Event& event);
  void make_tracing(const Event& event);
  void make_counting(const Event& event);
  void make_record(const Event& event);
  void make_pass_count(const Event& event);
  void make_continue(const Event& event);
  void call(const Event& event, const Tracing& to);
  [[nodiscard]] rocprofiler_kernel_dispatch_info_t info(const Dispatch& dispatch) const noexcept;
  [[nodiscard]] rocprofiler_dispatch_counting_service_data_t service_data(const Event& event) const noexcept;
  [[nodiscard]] std::vector<rocprofiler_counter_record_t> records_for(const Event& event) const;
  [[nodiscard]] std::pair<std::uint64_t, Slot> key(const Event& event, Slot slot) const;
  [[nodiscard]] std::uint64_t given(const Event& event, Slot slot, std::uint64_t recorded) const;
  void remember(const Event& event, Slot slot, std::uint64_t now);
  [[nodiscard]] std::uint64_t thread_id(std::uint64_t ordinal) const;
  [[nodiscard]] int status_of(Call call, const char* context) const noexcept;
  [[nodiscard]] bool fits(std::size_t agent, const std::vector<std::string>& names) const;

  Recording recording_;
  std::map<std::uint64_t, std::unique_ptr<Worker>> workers_;  // by ordinal of the thread
  std::atomic<std::uint64_t> ns_{0};                          // of the call that is made
  rocprofiler_tool_configure_result_t* tool_ = nullptr;
  rocprofiler_client_id_t client_{sizeof(rocprofiler_client_id_t), nullptr, 1};
  bool finalized_ = false;
  std::size_t contexts_ = 1;
  std::vector<bool> started_;  // by context
  std::vector<Tracing> tracing_;
  std::vector<Counting> counting_;
  std::vector<Config> configs_;                                             // of the tool that is played to; handle - 1
  std::map<std::uint64_t, Window> windows_;                                 // by dispatch
  std::map<std::pair<std::uint64_t, Slot>, std::vector<Written>> written_;  // by dispatch
  // Which configuration an execution was given, as it was recorded and now; by dispatch and recorded user data.
  struct Chosen {
    std::optional<std::size_t> recorded, now;
  };
  std::map<std::pair<std::uint64_t, std::uint64_t>, Chosen> chosen_;
};

// The one of this process: the C functions have no argument that leads to it.
[[nodiscard]] Player& player();

}  // namespace multipass_sim::play
