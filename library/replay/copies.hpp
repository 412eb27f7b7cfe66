// SPDX-License-Identifier: MIT
//
// Copies: the asynchronous copies from and to each agent that are under way, for whoever must not meet one.
//
// Owned by the Pipeline. Writers: the threads that start copies and those of the SDK that tell their ends, without a
// lock or an allocation. Readers: the launch path, with atomic loads: one where the agent has no copy under way, else a
// look at the slots. The end of a copy may never be told: one that is older than kLongestNs counts as over. Of more
// than kSlots copies at once, the further ones count as under way for kLongestNs.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/cache_line.hpp"
#include "model/ids.hpp"

namespace multipass::replay {

class Copies final {
 public:
  static constexpr std::size_t kSlots = 256;
  static constexpr std::uint64_t kLongestNs = 60'000'000'000;

  // `agents`: how many there are, CPUs too.
  explicit Copies(std::size_t agents);

  // A copy is about to start; nothing: a host's end. What is returned is to be given to ends(); 0: it is not followed.
  std::uint64_t begins(std::optional<AgentIndex> from, std::optional<AgentIndex> to, std::uint64_t now_ns) noexcept;
  void ends(std::uint64_t begun) noexcept;

  // A copy from or to the agent is under way.
  [[nodiscard]] bool in_flight(AgentIndex agent, std::uint64_t now_ns) const noexcept;
  // How many have begun from or to the agent: another number than before says that one began in between. A copy is
  // under way before it is counted here, so whoever asks for this first and then for in_flight() misses none.
  [[nodiscard]] std::uint64_t begun(AgentIndex agent) const noexcept;

 private:
  static constexpr std::uint64_t kBeingFilled = ~std::uint64_t{0};
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct alignas(kCacheLine) Slot {
    std::atomic<std::uint64_t> copy{0};  // number of the copy, 0: free
    std::atomic<std::uint64_t> since_ns{0};
    std::atomic<std::uint32_t> from{kNone}, to{kNone};
  };
  struct alignas(kCacheLine) OfAgent {
    std::atomic<std::uint64_t> begun{0};
    std::atomic<std::uint64_t> under_way{0};            // that have a slot
    std::atomic<std::uint64_t> unfollowed_until_ns{0};  // the last that has none
  };

  [[nodiscard]] std::uint32_t known(std::optional<AgentIndex> agent) const noexcept;
  template <typename Do>
  void each(std::uint32_t from, std::uint32_t to, Do what) noexcept;
  std::uint64_t take_slot(std::uint32_t from, std::uint32_t to, std::uint64_t now_ns) noexcept;
  // Frees the slot if it is still of this copy.
  bool give_back(Slot& slot, std::uint64_t copy) noexcept;

  const std::size_t agents_;
  const std::unique_ptr<OfAgent[]> of_agent_;  // by AgentIndex
  std::atomic<std::uint64_t> last_{0};
  std::array<Slot, kSlots> slots_{};
};

}  // namespace multipass::replay
