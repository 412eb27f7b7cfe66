// SPDX-License-Identifier: MIT
// A message that decodes must encode to one that decodes to the same; any other bytes are an error, never a crash.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "journal/decode.hpp"
#include "journal/encode.hpp"

using namespace multipass;           // NOLINT(google-build-using-namespace): one short file
using namespace multipass::journal;  // NOLINT(google-build-using-namespace)

namespace {

struct Encode {
  std::string operator()(const UnknownFrame&) const { return {}; }
  std::string operator()(const RunMetadata& run) const { return encode(run); }
  std::string operator()(const AgentFrame& frame) const { return encode(frame.agent, frame.counters, frame.plan); }
  std::string operator()(const KernelSymbol& kernel) const { return encode(kernel); }
  std::string operator()(const DispatchRecord& dispatch) const { return encode(dispatch); }
  std::string operator()(const WarningFrame& warning) const { return encode_warning(warning.text); }
  std::string operator()(const CheckpointFrame& checkpoint) const { return encode(checkpoint); }
  std::string operator()(const EndFrame& end) const { return encode_end(end.dispatches, end.end_ns); }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Result<Frame> frame = decode({reinterpret_cast<const char*>(data), size});
  if (!frame) return 0;
  const std::string bytes = std::visit(Encode{}, *frame);
  Result<Frame> again = decode(bytes);
  if (!again || again->index() != frame->index() || std::visit(Encode{}, *again) != bytes) std::abort();
  return 0;
}
