// SPDX-License-Identifier: MIT
//
// The replay payload as another revision of the SDK lays it out (faults payload_...). Lives on the launching thread's
// stack, around one callback.
//
// The documents of kernel replay disagree on the order of its members: the header @02c1fdd9 puts the pass before the
// callbacks, a callback page @ac4e94f7 the callbacks before the pass, and the newest form has no toggles.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sdk/abi/rocprofiler.h"
#include "sim/sdk/faults.hpp"

namespace multipass_sim {

enum class PayloadLayout : std::uint8_t {
  kKnown,           // the one that library/sdk/abi declares
  kWithoutToggles,  // 168 bytes
  kShort,           // 152 bytes: no callbacks
  kCallbacksFirst,  // 184 bytes; all 0 in CONFIG / ENTER as in the known one
  kTogglesFirst,    // 184 bytes; begins with the toggles, which are there in CONFIG too
  kLonger,          // the known one and 72 bytes of something behind it
};

[[nodiscard]] PayloadLayout payload_layout(Faults& faults, const FaultPlace& place);

class PayloadImage final {
 public:
  using Data = rocprofiler_callback_tracing_kernel_replay_data_t;

  PayloadImage(PayloadLayout layout, const Data& data);

  [[nodiscard]] void* address() noexcept { return bytes_.data(); }

  // What the tool has set the two callbacks to, found at their places of this layout. A tool that wrote anywhere else
  // has taken the payload for another: a line on stderr says so.
  void read_back(Data& data) const;

 private:
  static constexpr std::size_t kLongest = 256;
  static_assert(kLongest > sizeof(Data));

  PayloadLayout layout_;
  alignas(Data) std::array<std::byte, kLongest> bytes_{};
  std::array<std::byte, kLongest> given_{};
};

}  // namespace multipass_sim
