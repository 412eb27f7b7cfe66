// SPDX-License-Identifier: MIT
#include "apps/export/capture_state.hpp"

#include <string>
#include <system_error>

#include "base/text.hpp"

namespace multipass::apps {
namespace {

std::string error_text(std::uint32_t error) {
  return error == 0 ? std::string{} : std::generic_category().message(static_cast<int>(error));
}

}  // namespace

nlohmann::ordered_json to_json(const CaptureState& state) {
  return {{"ended", state.ended},
          {"records_lost", state.records_lost},
          {"error", error_text(state.error)},
          {"damaged_bytes", state.damaged_bytes},
          {"damaged_frames", state.damaged_frames},
          {"in_flight", state.in_flight ? nlohmann::ordered_json(*state.in_flight) : nlohmann::ordered_json(nullptr)}};
}

std::string loss_text(const CaptureState& state) {
  const std::string lost = counted(state.records_lost, "record at least is lost", "records at least are lost");
  if (state.error != 0) return "the capture could not be written to its end: " + error_text(state.error) + "; " + lost;
  // Of a capture that was closed in order, the plugin has said so itself.
  return state.records_lost == 0 || state.ended ? std::string{} : "the capture is not whole: " + lost;
}

}  // namespace multipass::apps
