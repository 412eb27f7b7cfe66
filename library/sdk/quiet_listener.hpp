// SPDX-License-Identifier: MIT
//
// QuietListener: answers what must be answered, and wants nothing: for a process in which nothing is launched, and for
// listeners that want a part only.
#pragma once

#include "sdk/listener.hpp"

namespace multipass::sdk {

class QuietListener : public Listener {
 public:
  std::uint64_t config_enter(const DispatchInfo&) noexcept override { return 1; }
  void config_exit(const DispatchInfo&) noexcept override {}
  void pass_enter(const DispatchInfo&, PassIndex) noexcept override {}
  void pass_exit(const DispatchInfo&, PassIndex) noexcept override {}
  Execution enqueue(const DispatchInfo&) noexcept override { return {}; }
  Choice choose(const DispatchInfo&) noexcept override { return {}; }
  void complete(const DispatchInfo&, const Execution&, const Interval&) noexcept override {}
  void record(const DispatchInfo&, const Execution&, const Interval&, Readings&&) noexcept override {}
  void replay_unusable() noexcept override {}
  void kernel(KernelSymbol&&) noexcept override {}
  void kernel_unloaded(KernelId) noexcept override {}
};

}  // namespace multipass::sdk
