// SPDX-License-Identifier: MIT
//
// All memory that the program had from the runtime or made known to it, and the device variables. Owned by the runtime;
// any thread. Failures: a null pointer or false.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <shared_mutex>
#include <vector>

#include "sim/hip/pages.hpp"
#include "sim/interface/runtime_table.h"

namespace multipass_sim {

class Allocations final {
 public:
  struct Block {
    multipass_sim_allocation allocation{};
    std::uint32_t device = 0;
    bool owned = false;      // had from allocate(), not the application's own
    unsigned flags = 0;      // as the application gave them
    std::uint64_t pool = 0;  // number of the memory pool, 0: none
    bool kept = false;       // freed by the application; its pool keeps it, mapped as it is
  };

  ~Allocations();

  // Null when there is no memory. `size` > 0.
  [[nodiscard]] void* allocate(std::uint32_t device, std::size_t size, multipass_sim_memory_kind kind,
                               unsigned flags = 0, std::uint64_t pool = 0);
  // Frees what starts at `address`; false when nothing that allocate() gave does. Waits for a running visit().
  [[nodiscard]] bool free(void* address);

  // The pool keeps a block that was freed, until it is taken for one of the same size (null: there is none) or freed.
  [[nodiscard]] bool keep(void* address);
  [[nodiscard]] void* take_kept(std::uint64_t pool, std::size_t size);

  // A descriptor of the file behind what starts at `address`, which is made shared if it is not yet: nothing may write
  // to it meanwhile. It stays ours. -1: it is not ours, or there is no memory.
  [[nodiscard]] int share(void* address);

  // Memory that comes and goes by other ways.
  void add_variable(std::uint32_t device, void* address, std::size_t size, int kind = MULTIPASS_SIM_MEMORY_VARIABLE);

  void remove(void* address);

  // Takes memory of the application in as host memory. False: some of it is known already.
  [[nodiscard]] bool register_host(std::uint32_t device, void* address, std::size_t size, unsigned flags);
  [[nodiscard]] bool unregister_host(void* address);

  [[nodiscard]] std::vector<Block> of_device(std::uint32_t device) const;  // in order of address
  // The block that holds the address, wherever in it.
  [[nodiscard]] std::optional<Block> find(const void* address) const;
  [[nodiscard]] std::size_t bytes_in_use(std::uint32_t device) const;
  [[nodiscard]] std::size_t bytes_of_pool(std::uint64_t pool) const;  // in use and kept
  [[nodiscard]] std::vector<Block> kept_by(std::uint64_t pool) const;

  // Visits the blocks of a device in order of address. Nothing is freed meanwhile; the visitor must not allocate.
  void visit(std::uint32_t device, const std::function<void(const multipass_sim_allocation&)>& visitor) const;

 private:
  mutable std::shared_mutex mutex_;
  std::map<std::uintptr_t, Block> blocks_;
  std::map<std::uintptr_t, MemoryFile> shared_;  // of blocks that other processes may open
};

}  // namespace multipass_sim
