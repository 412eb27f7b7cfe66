// SPDX-License-Identifier: MIT
//
// OpenWindows: the replay windows that are open, and how far each has come, for whoever watches over them.
//
// Owned by the Pipeline. Writers: the launching threads T, each for its own windows, without a lock, an allocation or a
// clock: a few relaxed loads and one or two stores for an event. Reader: one other thread at a time. Of more than
// kSlots windows at once the further ones are not watched.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/cache_line.hpp"
#include "model/dispatch_info.hpp"

namespace multipass::replay {

// How far a window has come. The number grows with every event: 0 before the first pass, 2k+1 in pass k, 2k+2 behind
// it.
using WindowStep = std::uint64_t;

[[nodiscard]] constexpr WindowStep in_pass(PassIndex pass) noexcept {
  return 2 * std::uint64_t{pass.value} + 1;
}
[[nodiscard]] constexpr WindowStep behind_pass(PassIndex pass) noexcept {
  return 2 * std::uint64_t{pass.value} + 2;
}

struct OpenWindow {
  DispatchId dispatch;
  KernelId kernel;
  AgentIndex agent;
  WindowStep step = 0;
};

class OpenWindows final {
 public:
  static constexpr std::size_t kSlots = 64;

  void open(const DispatchInfo& dispatch) noexcept {
    if (dispatch.dispatch_id.value == 0) return;
    for (std::size_t tried = 0; tried < kSlots; ++tried) {
      Slot& slot = slots_[(dispatch.dispatch_id.value + tried) % kSlots];
      std::uint64_t free = 0;
      if (slot.dispatch.load(std::memory_order_relaxed) != 0 ||
          !slot.dispatch.compare_exchange_strong(free, kBeingFilled, std::memory_order_acquire))
        continue;
      slot.kernel.store(dispatch.kernel.value, std::memory_order_release);
      slot.agent.store(dispatch.agent.value, std::memory_order_release);
      slot.step.store(0, std::memory_order_release);
      slot.dispatch.store(dispatch.dispatch_id.value, std::memory_order_release);
      return;
    }
  }

  void reached(DispatchId dispatch, WindowStep step) noexcept {
    if (Slot* slot = find(dispatch)) slot->step.store(step, std::memory_order_relaxed);
  }

  void close(DispatchId dispatch) noexcept {
    if (Slot* slot = find(dispatch)) slot->dispatch.store(0, std::memory_order_release);
  }

  // The window in this slot, if one is open. Ids do not come again, so an id that is the same before and after says
  // that what was read between is of that window.
  [[nodiscard]] std::optional<OpenWindow> at(std::size_t index) const noexcept {
    const Slot& slot = slots_[index];
    const std::uint64_t dispatch = slot.dispatch.load(std::memory_order_acquire);
    if (dispatch == 0 || dispatch == kBeingFilled) return std::nullopt;
    const OpenWindow window{DispatchId{dispatch}, KernelId{slot.kernel.load(std::memory_order_acquire)},
                            AgentIndex{slot.agent.load(std::memory_order_acquire)},
                            slot.step.load(std::memory_order_acquire)};
    if (slot.dispatch.load(std::memory_order_relaxed) != dispatch) return std::nullopt;
    return window;
  }

 private:
  static constexpr std::uint64_t kBeingFilled = ~std::uint64_t{0};

  struct alignas(kCacheLine) Slot {
    std::atomic<std::uint64_t> dispatch{0};  // 0: free
    std::atomic<std::uint64_t> kernel{0};
    std::atomic<std::uint64_t> step{0};
    std::atomic<std::uint32_t> agent{0};
  };

  [[nodiscard]] Slot* find(DispatchId dispatch) noexcept {
    if (dispatch.value == 0) return nullptr;
    for (std::size_t tried = 0; tried < kSlots; ++tried) {
      Slot& slot = slots_[(dispatch.value + tried) % kSlots];
      if (slot.dispatch.load(std::memory_order_relaxed) == dispatch.value) return &slot;
    }
    return nullptr;
  }

  std::array<Slot, kSlots> slots_{};
};

}  // namespace multipass::replay
