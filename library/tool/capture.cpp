// SPDX-License-Identifier: MIT
#include "tool/capture.hpp"

#include <string>
#include <utility>

#include "tool/output_path.hpp"
#include "tool/process_info.hpp"

namespace multipass::tool {
namespace {

constexpr unsigned kMaxNameAttempts = 100;

}  // namespace

Result<std::unique_ptr<journal::JournalWriter>> create_capture(RunConfig& config) {
  if (Status status = make_directories(config.output_dir); !status) return status;
  // A name belongs to whoever creates the file first; a second process of a rank gets another one.
  for (unsigned attempt = 0; attempt < kMaxNameAttempts; ++attempt) {
    config.file_id = file_id(attempt);
    const std::string path = config.output_dir + "/multipass-" + config.file_id + ".journal";
    bool exists = false;
    auto writer = journal::JournalWriter::create(path, exists);
    if (writer || !exists) return writer;
  }
  return Status::error("no free file name in " + config.output_dir + "; choose another output folder");
}

RunMetadata metadata_of(const RunConfig& config, const sdk::SdkIdentity& identity, const Preparation& preparation) {
  RunMetadata run;
  describe_process(run);
  run.tool_version = MULTIPASS_VERSION;
  run.sdk_version = identity.version;
  run.sdk_library = identity.library;
  run.simulated = identity.simulated;
  run.kernel_replay = identity.replay_kind.has_value();
  run.replay_mode = config.replay;
  run.events = config.events;
  run.run_token = config.run_token;
  run.sets = preparation.sets;
  run.compute_panels = preparation.compute_panels;
  run.extras = config.extras;
  run.keeps_instances = config.keeps_instances;
  return run;
}

}  // namespace multipass::tool
