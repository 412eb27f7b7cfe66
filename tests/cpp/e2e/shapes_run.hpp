// SPDX-License-Identifier: MIT
// Runs of shapes.cpp under the plugin: what became of each launch, in short texts.
#pragma once

#include "application.hpp"

namespace multipass::e2e {

struct ShapesRun {
  Outcome outcome;
  Capture capture;
};

[[nodiscard]] std::string shapes_program();

// With a list of two passes on gfx942. The test fails when the application behaves in another way than without.
[[nodiscard]] ShapesRun shapes(const Environment& environment, const std::vector<std::string>& arguments);

// "<outcome> <reason> g<group>" of each dispatch, in order of launch; "p<pass>" in place of a group for a replay pass.
[[nodiscard]] std::vector<std::string> texts(const Capture& capture);

// What watched_sdk.cpp counted, as it says it.
[[nodiscard]] std::string watched(const Outcome& outcome);

}  // namespace multipass::e2e
