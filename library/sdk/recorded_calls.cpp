// SPDX-License-Identifier: MIT
//
// What is recorded of calls of HSA and HIP when they have ended: of those that are followed their parameters, of all
// their result.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <utility>

#include "sdk/abi/api_calls.hpp"
#include "sdk/recorder.hpp"

namespace multipass::sdk {
namespace {

constexpr std::size_t kMostAttributes = 64;

template <typename Value>
Value read(const std::byte* from) noexcept {
  Value value{};
  std::memcpy(&value, from, sizeof(value));
  return value;
}

void add_attributes(JsonLine& line, const char* name, const std::byte* at) {
  const auto* pairs = read<const std::uint64_t*>(at);
  const auto count = read<std::size_t>(at + sizeof(void*));
  line.open(name, '[');
  for (std::size_t i = 0; pairs != nullptr && i < count && i < kMostAttributes; ++i) line.item(pairs[2 * i]);
  line.close(']');
}

}  // namespace

void Recorder::add_address(JsonLine& line, const char* name, std::uint64_t address, std::uint64_t bytes) {
  if (address == 0) return line.add_null(name);
  const auto [ordinal, offset] = addresses_.of(address, bytes);
  line.add(name, ordinal);
  if (offset != 0) line.add("offset", offset);
}

void Recorder::add_call(JsonLine& line, const char* kind, const char* name, const void* payload, std::uint64_t size) {
  const std::size_t result = api_result_size(kind);
  const auto* bytes = static_cast<const std::byte*>(payload);
  if (result == 0 || size < MULTIPASS_API_ARGS_OFFSET + result) return;
  const auto status = read<std::int32_t>(bytes + (size - result));
  line.add("result", status);
  const ApiCall* call = find_api_call(name);
  if (call == nullptr || status != 0) return;  // what it was to bring is not there
  std::uint64_t length = 0;
  const auto at = [&](const ApiParameter& parameter) { return bytes + MULTIPASS_API_ARGS_OFFSET + parameter.offset; };
  for (const ApiParameter& parameter : call->parameters) {
    if (!holds(size, parameter, result)) continue;
    if (parameter.word == ApiWord::kSize) length = read<std::uint64_t>(at(parameter));
    if (parameter.word == ApiWord::kSizeOut)
      if (const auto* out = read<const std::uint64_t*>(at(parameter))) length = *out;
  }
  for (const ApiParameter& parameter : call->parameters) {
    if (!holds(size, parameter, result)) continue;
    switch (parameter.word) {
      case ApiWord::kAddress:
        add_address(line, parameter.name, read<std::uint64_t>(at(parameter)), length);
        break;
      case ApiWord::kAddressOut: {
        const auto* out = read<const std::uint64_t*>(at(parameter));
        add_address(line, parameter.name, out == nullptr ? 0 : *out, length);
        break;
      }
      case ApiWord::kSize:
      case ApiWord::kSizeOut:
        line.add(parameter.name, length);
        break;
      case ApiWord::kFlags:
        line.add(parameter.name, read<std::uint32_t>(at(parameter)));
        break;
      case ApiWord::kAttributes:
        add_attributes(line, parameter.name, at(parameter));
        break;
    }
  }
}

std::pair<std::uint64_t, std::uint64_t> Places::of(std::uint64_t address, std::uint64_t bytes) {
  auto behind = known_.upper_bound(address);
  if (behind != known_.begin()) {
    auto& [base, place] = *std::prev(behind);
    if (address == base) place.bytes = std::max(place.bytes, bytes);
    if (address - base < std::max<std::uint64_t>(place.bytes, 1)) return {place.ordinal, address - base};
  }
  const std::uint64_t ordinal = known_.size();
  known_[address] = {ordinal, bytes};
  return {ordinal, 0};
}

}  // namespace multipass::sdk
