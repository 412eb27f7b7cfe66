// SPDX-License-Identifier: MIT
// A recording comes from anybody: any text is one, or an error that names its place.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <string>

#include "sim/play/payloads.hpp"
#include "sim/play/recording.hpp"

using namespace multipass_sim::play;  // NOLINT(google-build-using-namespace): one short file

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const Recording recording = parse_recording(std::string(reinterpret_cast<const char*>(data), size), "fuzz");
    for (const Event& event : recording.events) (void)make_payload(event, {});
  } catch (const std::exception& error) {
    if (std::string(error.what()).rfind("fuzz: ", 0) != 0) std::abort();
  }
  return 0;
}
