// SPDX-License-Identifier: MIT
//
// The life of the library: finds the tools, configures and initialises them in order, and finalises them at exit.
// Owner: Sdk. The first caller runs the registration, other threads wait for it; tools are called with no lock held.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "sdk/abi/rocprofiler.h"

namespace multipass_sim {

class Sdk;

class Registration final {
 public:
  enum class Phase : int { kIdle, kConfiguring, kInitializing, kRunning, kFinalizing, kFinalized };

  explicit Registration(Sdk& sdk) : sdk_(sdk) {}

  void run(rocprofiler_configure_func_t forced);
  rocprofiler_status_t force(rocprofiler_configure_func_t configure);  // registers at once; later 16
  void finalize();                                                     // everything; does nothing unless running

  [[nodiscard]] Phase phase() const noexcept { return phase_.load(); }
  [[nodiscard]] int initialized() const noexcept;  // 0, -1, 1 as rocprofiler_is_initialized says it
  [[nodiscard]] int finalized() const noexcept;
  [[nodiscard]] bool has_clients() const;
  [[nodiscard]] std::size_t current_client() const noexcept { return current_.load(); }  // in initialize

  [[nodiscard]] std::mutex& mutex() const noexcept { return mutex_; }

 private:
  struct Client {
    explicit Client(std::uint32_t handle) : id{sizeof(rocprofiler_client_id_t), nullptr, handle} {}
    rocprofiler_client_id_t id;
    rocprofiler_tool_configure_result_t* result = nullptr;
    std::size_t index = 0;
    std::atomic_flag finalized;
  };

  void configure_all(const std::vector<rocprofiler_configure_func_t>& tools);
  void initialize_all();
  void finalize_client(Client& client);
  void finalize_on_request(std::uint32_t handle);
  [[nodiscard]] std::vector<Client*> clients() const;

  Sdk& sdk_;
  std::atomic<Phase> phase_{Phase::kIdle};
  std::atomic<std::size_t> current_{0};
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t runner_ = 0;  // thread that registers
  std::vector<std::unique_ptr<Client>> clients_;
};

}  // namespace multipass_sim
