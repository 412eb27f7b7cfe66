// SPDX-License-Identifier: MIT
#include "shapes_run.hpp"

#include <gtest/gtest.h>

#include "model/names.hpp"

namespace multipass::e2e {

std::string shapes_program() {
  return MULTIPASS_SHAPES;
}

ShapesRun shapes(const Environment& environment, const std::vector<std::string>& arguments) {
  const Folder folder;
  Environment all = environment;
  all.emplace("ROCPROFSYS_MULTIPASS_FORMAT", "rocpd");
  Outcome outcome = run_profiled(shapes_program(), "SQ_WAVES FETCH_SIZE WRITE_SIZE", folder, all, arguments);
  Environment devices;
  if (const auto simulated = environment.find("ROCPROFSYS_MULTIPASS_SIMULATE"); simulated != environment.end())
    devices.insert(*simulated);
  const Outcome plain = run(shapes_program(), devices, arguments);
  EXPECT_EQ(outcome.out, plain.out);
  EXPECT_EQ(outcome.exit_code, 0);
  return {outcome, read_capture(folder)};
}

std::vector<std::string> texts(const Capture& capture) {
  std::vector<std::string> all;
  for (const DispatchRecord& dispatch : capture.dispatches) {
    std::string text(name_of(dispatch.outcome));
    if (!dispatch.reason.empty()) text += " " + dispatch.reason;
    for (const PassRecord& pass : dispatch.passes)
      if (!pass.counters.empty())
        text += pass.pass ? " p" + std::to_string(pass.pass->value) : " g" + std::to_string(pass.group.value);
    all.push_back(text);
  }
  return all;
}

std::string watched(const Outcome& outcome) {
  const std::string prefix = "watched-sdk: ";
  const std::size_t at = outcome.err.rfind(prefix);
  if (at == std::string::npos) return {};
  return outcome.err.substr(at + prefix.size(), outcome.err.find('\n', at) - at - prefix.size());
}

}  // namespace multipass::e2e
