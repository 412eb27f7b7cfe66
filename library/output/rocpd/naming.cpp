// SPDX-License-Identifier: MIT
#include "output/rocpd/naming.hpp"

#include <algorithm>
#include <utility>

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

}  // namespace

Naming::Naming(std::string guid) : guid_(std::move(guid)), suffix_("_" + guid_) {
  std::replace(suffix_.begin(), suffix_.end(), '-', '_');
}

Result<Naming> Naming::from_guid(std::string_view guid) {
  if (!is_guid(guid))
    return Status::error("the run's guid \"" + std::string(guid) +
                         "\" does not have the form 8-4-4-4-12 hexadecimal digits");
  return Naming(std::string(guid));
}

std::string Naming::table(std::string_view base) const {
  std::string name = "rocpd_";
  name.append(base).append(suffix_);
  return name;
}

}  // namespace multipass::output::rocpd
