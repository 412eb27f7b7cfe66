// SPDX-License-Identifier: MIT
//
// Watchdog: says of a replay window that does not go on which kernel, GPU and pass it is, for how long, and what to do.
//
// A kernel that waits for the host, for another kernel or for another GPU never ends under replay, for its GPU is held;
// releases of the SDK with kernel replay then end the process after about a minute
// (kernel replay concurrency page, ROCm/rocm-systems @24536fcc). Nothing can be done from here but to say so in time.
// Owned by the Tool. One thread: the journal's. It measures by its own calls of due(), so that launching threads need
// no clock; what it tells is late by the time between two calls at most. Errors: none but std::bad_alloc.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/run.hpp"
#include "replay/open_windows.hpp"

namespace multipass::tool {

class Watchdog final {
 public:
  using Clock = std::chrono::steady_clock;
  using KernelName = std::function<std::string(KernelId)>;

  static constexpr std::chrono::seconds kFirst{10};

  // `titles`: of the agents, by index. `extras`: the passes that come before the counted ones. `first`: how long a
  // window may stand still before it is told of, at least a second; then at three times that, and at twice the time
  // from there on: 10 s, 30 s, 60 s, 120 s. `windows` must outlive this object.
  Watchdog(const replay::OpenWindows& windows, KernelName name, std::vector<std::string> titles,
           ReplayExtras extras = {}, std::chrono::seconds first = kFirst);

  // ROCPROFSYS_MULTIPASS_STALL_SECONDS: that first time. Empty: it is no number from 0 to 86400. 0: nothing is watched.
  [[nodiscard]] static std::optional<std::chrono::seconds> first_from(std::string_view value) noexcept;

  // That time as the environment has it, else kFirst; `refused` says of a value that it is none, else it stays empty.
  [[nodiscard]] static std::chrono::seconds first_given(std::string& refused);

  // What there is to tell now: each length of time once for each kernel, however many of its launches stand still.
  [[nodiscard]] std::vector<std::string> due(Clock::time_point now);

 private:
  struct Watched {
    DispatchId dispatch;  // 0: nothing
    replay::WindowStep step = 0;
    Clock::time_point since;
    std::size_t told = 0;  // lengths of time
  };

  [[nodiscard]] std::chrono::seconds length_of(std::size_t number) const noexcept;
  [[nodiscard]] static std::string advice(const std::string& pattern);
  // `alike`: those of which one stands still, `window` among them.
  [[nodiscard]] std::string describe(const replay::OpenWindow& window, const std::vector<replay::OpenWindow>& alike,
                                     std::chrono::seconds length) const;

  const replay::OpenWindows& windows_;
  const KernelName name_;
  const std::vector<std::string> titles_;
  const ReplayExtras extras_;
  const std::chrono::seconds first_;
  std::array<Watched, replay::OpenWindows::kSlots> watched_{};
  std::unordered_map<KernelId, std::size_t> told_;  // lengths of time
};

}  // namespace multipass::tool
