// SPDX-License-Identifier: MIT
//
// VmemHandles: whose memory a handle of HSA's virtual-memory functions stands for.
//
// A handle is memory without an address: what maps it names the handle only, what creates it the agent.
// Owned by MemoryCallbacks. Threads: any; one lock, held for one access and by no callback of a dispatch. Bounded:
// of handles beyond kMost nothing is known. Never fails.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "model/ids.hpp"

namespace multipass::sdk {

class VmemHandles final {
 public:
  static constexpr std::size_t kMost = 65'536;

  enum class Owner : std::uint8_t { kUnknown, kAgent, kHost, kOther };  // kOther: another process
  struct Memory {
    Owner owner = Owner::kUnknown;
    AgentIndex agent{};  // with kAgent
    friend bool operator==(const Memory&, const Memory&) = default;
  };

  // The call that creates one may have failed, and then tells whatever stood in the caller's variable: of a handle that
  // is told of twice as something else, nothing is known.
  void created(std::uint64_t handle, const Memory& memory) noexcept;
  // That of another process is kept: a handle may be held several times, and what it stands for stays the other's.
  void released(std::uint64_t handle) noexcept;
  void imported(std::uint64_t handle) noexcept;
  [[nodiscard]] Memory of(std::uint64_t handle) const noexcept;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::uint64_t, Memory> handles_;  // guarded by mutex_
};

}  // namespace multipass::sdk
