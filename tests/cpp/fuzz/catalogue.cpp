// SPDX-License-Identifier: MIT
// A catalogue file that is read, written and read again is the same catalogue.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "catalogue/json.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using multipass::catalogue::from_json;
  using multipass::catalogue::to_json;
  const auto read = from_json(std::string(reinterpret_cast<const char*>(data), size), "fuzz");
  if (!read) return 0;
  const std::string text = to_json(*read);
  const auto again = from_json(text, "again");
  if (!again || to_json(*again) != text) std::abort();
  return 0;
}
