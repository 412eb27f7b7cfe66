// SPDX-License-Identifier: MIT
// The settings file is read inside the profiled program: any content is settings or an error.
#include <cstddef>
#include <cstdint>
#include <string>

#include "tool/settings.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  (void)multipass::tool::parse_handover(std::string(reinterpret_cast<const char*>(data), size), "fuzz");
  return 0;
}
