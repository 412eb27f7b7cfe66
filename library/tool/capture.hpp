// SPDX-License-Identifier: MIT
//
// The capture file of this process: where it is made, and what it says first. On the thread that initialises the tool.
// Errors: a folder or file that cannot be made.
#pragma once

#include <memory>

#include "base/status.hpp"
#include "journal/writer.hpp"
#include "model/run.hpp"
#include "sdk/inventory.hpp"
#include "tool/preparation.hpp"

namespace multipass::tool {

// Makes the output folder of `config` and a file in it that no other process has, whose id is then in `config`.
[[nodiscard]] Result<std::unique_ptr<journal::JournalWriter>> create_capture(RunConfig& config);

// What the first frame says: of the process, the SDK and what was asked for.
[[nodiscard]] RunMetadata metadata_of(const RunConfig& config, const sdk::SdkIdentity& identity,
                                      const Preparation& preparation);

}  // namespace multipass::tool
