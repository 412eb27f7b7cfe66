// SPDX-License-Identifier: MIT
#include "sim/hip/local_memory.hpp"

#include <link.h>

#include <algorithm>
#include <cstddef>

namespace multipass_sim {

void LocalMemory::begin_execution(const void* dynamic, std::size_t dynamic_size) noexcept {
  const auto begin = reinterpret_cast<std::uint64_t>(dynamic);
  dynamic_ = {begin, begin + dynamic_size};
  known_ = false;
}

void LocalMemory::look_up() {
  thread_local_storage_.clear();
  const auto visit = [](dl_phdr_info* info, std::size_t, void* self) {
    if (info->dlpi_tls_data == nullptr) return 0;
    const auto begin = reinterpret_cast<std::uint64_t>(info->dlpi_tls_data);
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      if (info->dlpi_phdr[i].p_type != PT_TLS) continue;
      static_cast<LocalMemory*>(self)->thread_local_storage_.push_back({begin, begin + info->dlpi_phdr[i].p_memsz});
    }
    return 0;
  };
  ::dl_iterate_phdr(visit, this);
  bounds_ = {UINT64_MAX, 0};
  for (const Range& range : thread_local_storage_) {
    bounds_ = {std::min(bounds_.begin, range.begin), std::max(bounds_.end, range.end)};
  }
  known_ = true;
}

bool LocalMemory::contains(std::uint64_t address) {
  if (address >= dynamic_.begin && address < dynamic_.end) return true;
  if (!known_) look_up();
  if (address < bounds_.begin || address >= bounds_.end) return false;
  return std::any_of(thread_local_storage_.begin(), thread_local_storage_.end(),
                     [address](const Range& range) { return address >= range.begin && address < range.end; });
}

}  // namespace multipass_sim
