// SPDX-License-Identifier: MIT
//
// All memory that the program had from the runtime, and the device variables it named. Owned by the runtime; any
// thread. Failures: a null pointer or false.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <shared_mutex>

#include "sim/interface/runtime_table.h"

namespace multipass_sim {

class Allocations final {
 public:
  static constexpr std::size_t kAlignment = 4096;
  static constexpr int kFill = 0xCD;

  struct Block {
    multipass_sim_allocation allocation{};
    std::uint32_t device = 0;
  };

  ~Allocations();

  // Null when there is no memory. `size` > 0.
  [[nodiscard]] void* allocate(std::uint32_t device, std::size_t size, multipass_sim_memory_kind kind);
  // Frees what starts at `address`; false when nothing of ours does, or a variable. Waits for a running visit().
  [[nodiscard]] bool free(void* address);

  void add_variable(std::uint32_t device, void* address, std::size_t size);

  // The block that holds the address, wherever in it.
  [[nodiscard]] std::optional<Block> find(const void* address) const;
  [[nodiscard]] std::size_t bytes_in_use(std::uint32_t device) const;

  // Visits the blocks of a device in order of address. Nothing is freed meanwhile; the visitor must not allocate.
  void visit(std::uint32_t device, const std::function<void(const multipass_sim_allocation&)>& visitor) const;

 private:
  mutable std::shared_mutex mutex_;
  std::map<std::uintptr_t, Block> blocks_;
};

}  // namespace multipass_sim
