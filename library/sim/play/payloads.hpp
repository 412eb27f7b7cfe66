// SPDX-License-Identifier: MIT
//
// Payloads of tracing callbacks, made from a recorded call: exactly as long as the recorded one, so that whoever reads
// behind its end is found out by a sanitizer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "sdk/abi/rocprofiler.h"
#include "sim/play/recording.hpp"

namespace multipass_sim::play {

// What parameters of a call point to.
struct Pointed {
  std::uint64_t address = 0, size = 0;
  std::vector<std::uint64_t> attributes;
};

class Payload final {
 public:
  explicit Payload(std::size_t size) : size_(size), bytes_(size == 0 ? nullptr : new std::byte[size]()) {}

  [[nodiscard]] void* get() const noexcept { return bytes_.get(); }
  [[nodiscard]] Pointed* pointed() noexcept { return pointed_.get(); }

  // The struct's beginning, as far as it fits; its `size` is that of the payload.
  template <typename Struct>
  void fill(Struct from) {
    from.size = size_;
    std::memcpy(bytes_.get(), &from, size_ < sizeof(Struct) ? size_ : sizeof(Struct));
  }
  // The place is inside.
  template <typename Member>
  void put(std::size_t offset, Member value) noexcept {
    std::memcpy(bytes_.get() + offset, &value, sizeof(value));
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
  std::unique_ptr<Pointed> pointed_ = std::make_unique<Pointed>();
};

// What a payload needs of the player.
struct Ids {
  rocprofiler_kernel_dispatch_info_t dispatch{};
  rocprofiler_agent_id_t agent{}, from{}, to{};
  rocprofiler_timestamp_t start = 0, end = 0;
  std::uint64_t thread = 0;  // of `argument`
  std::string kernel_name;
  std::string operation;
};

[[nodiscard]] Payload make_payload(const Event& event, const Ids& ids);

}  // namespace multipass_sim::play
