// SPDX-License-Identifier: MIT
#include "output/rocpd/naming.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/fnv1a.hpp"

namespace multipass::output::rocpd {
namespace {

constexpr std::size_t kGuidLength = 36;

bool is_dash_position(std::size_t at) noexcept {
  return at == 8 || at == 13 || at == 18 || at == 23;
}

bool is_hex_digit(char c) noexcept {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool is_guid(std::string_view text) noexcept {
  if (text.size() != kGuidLength) return false;
  for (std::size_t at = 0; at < text.size(); ++at)
    if (is_dash_position(at) ? text[at] != '-' : !is_hex_digit(text[at])) return false;
  return true;
}

std::string digits_of(std::uint64_t number) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text(16, '0');
  for (auto at = text.rbegin(); at != text.rend(); ++at, number >>= 4U) *at = kDigits[number & 0xFU];
  return text;
}

// Of version 8: its digits have no meaning but that they follow from the other guid (RFC 9562, 5.8).
std::string derived(const std::string& guid) {
  std::string text = digits_of(fnv1a(guid + " replay 1")) + digits_of(fnv1a(guid + " replay 2"));
  text[12] = '8';
  text[16] = 'a';
  for (const std::size_t dash : {8U, 13U, 18U, 23U}) text.insert(dash, 1, '-');
  return text;
}

}  // namespace

Naming::Naming(std::string guid, std::string file_guid)
    : guid_(std::move(guid)), file_guid_(std::move(file_guid)), suffix_("_" + file_guid_) {
  std::replace(suffix_.begin(), suffix_.end(), '-', '_');
}

Result<Naming> Naming::from_guid(std::string_view guid) {
  if (!is_guid(guid))
    return Status::error("the run's guid \"" + std::string(guid) +
                         "\" does not have the form 8-4-4-4-12 hexadecimal digits");
  return Naming(std::string(guid), std::string(guid));
}

Naming Naming::of_sidecar() const {
  return {guid_, derived(guid_)};
}

std::string Naming::table(std::string_view base) const {
  std::string name = "rocpd_";
  name.append(base).append(suffix_);
  return name;
}

}  // namespace multipass::output::rocpd
