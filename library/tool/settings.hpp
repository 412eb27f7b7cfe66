// SPDX-License-Identifier: MIT
//
// How this process is to be profiled: from the hand-over file of the wrapper, else from the environment.
//
// ROCPROFSYS_MULTIPASS_RESOLVED names the hand-over file; then nothing else is read. Without it, each setting has its
// own variable (prefix ROCPROFSYS_MULTIPASS_), and the events and the output folder fall back to those of
// rocprof-sys: ROCPROFSYS_ROCM_EVENTS, ROCPROFSYS_OUTPUT_PATH. ROCPROFSYS_MULTIPASS_CONFIG names a YAML file, which
// only the wrapper reads: a warning, or without counters the reason not to profile. Bad values are warnings that name
// the variable, the value and what is allowed; the default is used. Called once, while the tool is configured.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "model/run.hpp"

namespace multipass::tool {

struct Settings {
  RunConfig config;  // output_dir is absolute; file_id is not set yet
  std::vector<std::string> warnings;
};

// Nothing: no counters were asked for, in any way. An error: the hand-over file is unreadable, or
// only a YAML file says what to count.
[[nodiscard]] Result<std::optional<Settings>> read_settings();

// From the text of a hand-over file; `source` names it in messages.
[[nodiscard]] Result<Settings> parse_handover(const std::string& text, const std::string& source);

}  // namespace multipass::tool
