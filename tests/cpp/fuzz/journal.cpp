// SPDX-License-Identifier: MIT
// A message that decodes must encode to one that decodes to the same; any other bytes are an error, never a crash.
#include <cstddef>
#include <cstdint>

#include "fuzz/journal_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace multipass;  // NOLINT(google-build-using-namespace): one short file
  const Result<journal::Frame> frame = journal::decode({reinterpret_cast<const char*>(data), size});
  if (!frame) return 0;
  const std::string bytes = fuzz::encode_frame(*frame);
  const Result<journal::Frame> again = journal::decode(bytes);
  fuzz::require(again && again->index() == frame->index() && fuzz::encode_frame(*again) == bytes);
  return 0;
}
