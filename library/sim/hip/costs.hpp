// SPDX-License-Identifier: MIT
//
// What work takes at least, in the time that clock.hpp shows, beside what the host needs to simulate it.
// ROCPROFSYS_MULTIPASS_SIM_COST says it (docs/simulator.md):
//
//   copy=4GB/s,kernel=1ms,drain=50ms
//
// Read once, when the runtime starts; immutable afterwards, any thread. Without the variable all is free.
#pragma once

#include <cstdint>
#include <string_view>

namespace multipass_sim {

class Costs final {
 public:
  // Throws std::invalid_argument, which names the word, what is wrong and what there is.
  static Costs parse(std::string_view text);

  [[nodiscard]] std::uint64_t kernel_ns() const noexcept { return kernel_ns_; }
  [[nodiscard]] std::uint64_t drain_ns() const noexcept { return drain_ns_; }
  [[nodiscard]] std::uint64_t copy_ns(std::uint64_t bytes) const noexcept;

 private:
  std::uint64_t kernel_ns_ = 0;
  std::uint64_t drain_ns_ = 0;
  double copy_ns_per_byte_ = 0;
};

// Those of the variable; ends the process when it cannot be understood.
[[nodiscard]] const Costs& costs() noexcept;

}  // namespace multipass_sim
