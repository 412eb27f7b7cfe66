// SPDX-License-Identifier: MIT
//
// SdkServices: Services on the C ABI. services.cpp configures, callbacks.cpp, marker_callbacks.cpp and
// memory_callbacks.cpp are what the SDK calls.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/cache_line.hpp"
#include "base/log.hpp"
#include "base/status.hpp"
#include "sdk/abi/rocprofiler.h"
#include "sdk/in_callback.hpp"
#include "sdk/listener.hpp"
#include "sdk/memory_callbacks.hpp"
#include "sdk/readings.hpp"
#include "sdk/recorder.hpp"
#include "sdk/services.hpp"

namespace multipass::sdk {

class SdkServices final : public Services {
 public:
  explicit SdkServices(Listener& listener) : listener_(listener) {}
  ~SdkServices() override;
  // Once, before any other call.
  Status configure(const std::vector<AgentBinding>& agents, std::optional<int> replay_kind, const MarkerKinds& markers,
                   const MemoryKinds& memory);

  Status start_tracing() override;
  Status start_counting() override;
  [[nodiscard]] bool counting_is_taken() const noexcept override { return counting_is_taken_; }
  void stop() noexcept override;
  bool pause_counting() noexcept override;
  Status resume_counting() override;
  [[nodiscard]] bool may_wait() const noexcept override;
  [[nodiscard]] bool in_callback() const noexcept override;
  void detach() noexcept override {
    detached_.store(true, std::memory_order_relaxed);
    leave_recording();
  }
  [[nodiscard]] bool replays() const noexcept override { return replays_; }
  [[nodiscard]] const std::string& why_no_replay() const noexcept override { return why_no_replay_; }
  [[nodiscard]] ReplayUse replay_use() const override;
  [[nodiscard]] std::vector<MisplacedInstances> misplaced_instances() const override;
  [[nodiscard]] const std::string& why_no_control() const noexcept override { return why_no_control_; }
  [[nodiscard]] const std::string& why_no_ranges() const noexcept override { return why_no_ranges_; }
  [[nodiscard]] const std::string& why_no_memory() const noexcept override { return memory_.why_not(); }

  // Whether another pass may follow this one. On the launching thread.
  [[nodiscard]] bool goes_on(const rocprofiler_kernel_dispatch_info_t& info, std::uint64_t pass) const noexcept;

 private:
  // What became of replay, of the launches of one agent.
  struct alignas(kCacheLine) Use {
    std::atomic<std::uint64_t> offered{0}, wanted{0}, replayed{0}, lost{0};
  };
  // Of single instances of counters, what was left out.
  struct Misplaced {
    std::atomic<std::uint64_t> times{0};
    std::atomic<std::uint32_t> first{0};  // CounterIndex, set with the first of them
  };
  struct Agent {
    AgentIndex index;
    bool gpu = true;
    CounterTable counters;
    std::unique_ptr<Use> use;
    std::unique_ptr<Misplaced> misplaced = std::make_unique<Misplaced>();
  };

  void configure_replay(int kind);
  void take_replays() noexcept;  // the SDK's questions without an argument are for this object
  void configure_markers(const MarkerKinds& kinds);

  [[nodiscard]] const Agent* find(rocprofiler_agent_id_t id) const noexcept;
  [[nodiscard]] MemoryCallbacks::Whose whose(std::uint64_t handle) const noexcept;

  // What the C callbacks forward to.
  void on_replay(const rocprofiler_callback_tracing_record_t& record, rocprofiler_user_data_t* user_data) noexcept;
  void on_replay_config(const rocprofiler_callback_tracing_record_t& record,
                        rocprofiler_callback_tracing_kernel_replay_data_t& payload, const Agent& agent,
                        const DispatchInfo& dispatch, rocprofiler_user_data_t* user_data) noexcept;
  void give_up_replay(const char* why) noexcept;  // a literal
  static std::string odd_payload(const char* why);
  void on_kernel_dispatch(const rocprofiler_callback_tracing_record_t& record,
                          rocprofiler_user_data_t* user_data) noexcept;
  void on_marker_control(const rocprofiler_callback_tracing_record_t& record) noexcept;
  void on_marker_range(const rocprofiler_callback_tracing_record_t& record,
                       rocprofiler_user_data_t* user_data) noexcept;
  void on_code_object(const rocprofiler_callback_tracing_record_t& record) noexcept;
  void on_unload(const rocprofiler_callback_tracing_record_t& record) noexcept;
  void on_counting(const rocprofiler_dispatch_counting_service_data_t& data, rocprofiler_counter_config_id_t* config,
                   rocprofiler_user_data_t* user_data) noexcept;
  void on_record(const rocprofiler_dispatch_counting_service_data_t& data, const rocprofiler_counter_record_t* records,
                 size_t count, rocprofiler_user_data_t user_data) noexcept;

  Listener& listener_;
  std::vector<std::uint64_t>
      handles_;                // of agents_, side by side: each callback looks for one; immutable after configure
  std::vector<Agent> agents_;  // immutable after configure
  rocprofiler_context_id_t tracing_{};
  rocprofiler_context_id_t counting_{};
  bool replays_ = false;
  bool counting_is_taken_ = false;
  std::string why_no_replay_;
  MarkerKind control_, ranges_;  // immutable after configure, as the two that follow
  std::string why_no_control_, why_no_ranges_;
  OnceFlag odd_payload_;
  std::atomic<const char*> odd_payload_why_{nullptr};

  std::atomic<bool> detached_{false};
  MemoryCallbacks memory_{listener_, detached_};
  std::mutex code_objects_mutex_;
  std::unordered_map<std::uint64_t, AgentIndex> code_objects_;  // guarded by code_objects_mutex_
};

}  // namespace multipass::sdk
