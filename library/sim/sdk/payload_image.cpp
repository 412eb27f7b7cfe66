// SPDX-License-Identifier: MIT
#include "sim/sdk/payload_image.hpp"

#include <cstring>
#include <span>

#include "sim/sdk/diagnostics.hpp"

namespace multipass_sim {

namespace {

using Data = PayloadImage::Data;

// The members behind dispatch_info, all of 8 bytes, by their offset in the known layout.
constexpr std::size_t kPass = offsetof(Data, current_pass);
constexpr std::size_t kTotal = offsetof(Data, total_passes);
constexpr std::size_t kCount = offsetof(Data, replay_pass_count);
constexpr std::size_t kContinue = offsetof(Data, replay_continue);
constexpr std::size_t kStart = offsetof(Data, replay_start_context);
constexpr std::size_t kStop = offsetof(Data, replay_stop_context);
constexpr std::size_t kMember = sizeof(std::uint64_t);

constexpr std::array kKnownOrder = {kPass, kTotal, kCount, kContinue, kStart, kStop};
constexpr std::array kWithoutTogglesOrder = {kPass, kTotal, kCount, kContinue};
constexpr std::array kShortOrder = {kPass, kTotal};
constexpr std::array kCallbacksFirstOrder = {kCount, kContinue, kStart, kStop, kPass, kTotal};
constexpr std::array kTogglesFirstOrder = {kStart, kStop, kPass, kTotal, kCount, kContinue};

std::span<const std::size_t> order_of(PayloadLayout layout) {
  switch (layout) {
    case PayloadLayout::kWithoutToggles:
      return kWithoutTogglesOrder;
    case PayloadLayout::kShort:
      return kShortOrder;
    case PayloadLayout::kCallbacksFirst:
      return kCallbacksFirstOrder;
    case PayloadLayout::kTogglesFirst:
      return kTogglesFirstOrder;
    case PayloadLayout::kLonger:
    case PayloadLayout::kKnown:
      break;
  }
  return kKnownOrder;
}

}  // namespace

PayloadLayout payload_layout(Faults& faults, const FaultPlace& place) {
  if (faults.hits(Fault::kPayloadWithoutToggles, place)) return PayloadLayout::kWithoutToggles;
  if (faults.hits(Fault::kPayloadShort, place)) return PayloadLayout::kShort;
  if (faults.hits(Fault::kPayloadCallbacksFirst, place)) return PayloadLayout::kCallbacksFirst;
  if (faults.hits(Fault::kPayloadTogglesFirst, place)) return PayloadLayout::kTogglesFirst;
  if (faults.hits(Fault::kPayloadLonger, place)) return PayloadLayout::kLonger;
  return PayloadLayout::kKnown;
}

PayloadImage::PayloadImage(PayloadLayout layout, const Data& data) : layout_(layout) {
  constexpr std::byte kPastTheEnd{0xA5};  // what lies behind a payload is not 0 on a real stack
  bytes_.fill(kPastTheEnd);
  const auto* from = reinterpret_cast<const std::byte*>(&data);
  std::memcpy(bytes_.data(), from, kPass);
  std::size_t to = kPass;
  for (const std::size_t member : order_of(layout)) {
    std::memcpy(bytes_.data() + to, from + member, kMember);
    to += kMember;
  }
  const std::uint64_t size = layout == PayloadLayout::kLonger ? kLongest : to;
  std::memcpy(bytes_.data() + offsetof(Data, size), &size, sizeof(size));
  given_ = bytes_;
}

void PayloadImage::read_back(Data& data) const {
  std::array<std::byte, kLongest> expected = given_;
  std::size_t at = kPass;
  for (const std::size_t member : order_of(layout_)) {
    if (member == kCount || member == kContinue) {
      std::memcpy(reinterpret_cast<std::byte*>(&data) + member, bytes_.data() + at, kMember);
      std::memcpy(expected.data() + at, bytes_.data() + at, kMember);
    }
    at += kMember;
  }
  if (expected != bytes_) warn("kernel replay: a tool wrote to a place of the payload that is not its own");
}

}  // namespace multipass_sim
