// SPDX-License-Identifier: MIT
//
// Payloads of tracing callbacks, made from a recorded call: exactly as long as the recorded one, so that whoever reads
// behind its end is found out by a sanitizer.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <string>

#include "sdk/abi/rocprofiler.h"
#include "sim/play/recording.hpp"

namespace multipass_sim::play {

class Payload final {
 public:
  explicit Payload(std::size_t size) : size_(size), bytes_(size == 0 ? nullptr : new std::byte[size]()) {}

  [[nodiscard]] void* get() const noexcept { return bytes_.get(); }

  // The struct's beginning, as far as it fits; its `size` is that of the payload.
  template <typename Struct>
  void fill(Struct from) {
    from.size = size_;
    std::memcpy(bytes_.get(), &from, size_ < sizeof(Struct) ? size_ : sizeof(Struct));
  }
  // What lies at this place now; `fallback` where the payload ends before.
  template <typename Member>
  [[nodiscard]] Member at(std::size_t offset, Member fallback) const noexcept {
    if (offset + sizeof(Member) <= size_) std::memcpy(&fallback, bytes_.get() + offset, sizeof(Member));
    return fallback;
  }

 private:
  std::size_t size_;
  std::unique_ptr<std::byte[]> bytes_;
};

// What a payload needs of the player.
struct Ids {
  rocprofiler_kernel_dispatch_info_t dispatch{};
  rocprofiler_agent_id_t agent{}, from{}, to{};
  rocprofiler_timestamp_t start = 0, end = 0;
  std::uint64_t thread = 0;  // of `argument`
  std::string kernel_name;
};

[[nodiscard]] Payload make_payload(const Event& event, const Ids& ids);

}  // namespace multipass_sim::play
