// SPDX-License-Identifier: MIT
//
// Where the shared memory of the block that this thread runs may lie: its thread-local storage, which holds
// `__shared__` variables, and the dynamic part. Looked up at most once per execution, at the first access. One thread's
// own.
#pragma once

#include <cstdint>
#include <vector>

namespace multipass_sim {

class LocalMemory final {
 public:
  // Forgets thread-local storage: modules may have come or gone. `dynamic` is the block's dynamic shared memory.
  void begin_execution(const void* dynamic, std::size_t dynamic_size) noexcept;
  [[nodiscard]] bool contains(std::uint64_t address);

 private:
  struct Range {
    std::uint64_t begin, end;
  };
  void look_up();

  Range dynamic_{0, 0};
  Range bounds_{0, 0};  // of all ranges, for a quick no
  std::vector<Range> thread_local_storage_;
  bool known_ = false;
};

}  // namespace multipass_sim
