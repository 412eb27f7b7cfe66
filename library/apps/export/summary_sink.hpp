// SPDX-License-Identifier: MIT
//
// The summary of a run as JSON (docs/formats/summary.md): what ran, what was planned, what became of every dispatch.
// It takes the capture together with the other outputs and is written when they are done, since it names them:
// write() instead of finish(). Memory: counts, and a record for each of some thousand kernels. One thread. Errors: only
// in writing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "apps/export/capture_state.hpp"
#include "apps/export/kernel_agreement.hpp"
#include "apps/export/outcome_counts.hpp"
#include "output/sink.hpp"

namespace multipass::apps {

struct OutputFile {
  std::string format;  // "journal", "perfetto", "rocpd"
  std::filesystem::path path;
};

class SummarySink final : public output::Sink {
 public:
  explicit SummarySink(std::filesystem::path target);

  Status begin(const RunMetadata& run) override;
  Status agent(const AgentInfo& agent, const std::vector<CounterInfo>& counters, const AgentPlan& plan) override;
  Status kernel(const KernelSymbol& kernel) override;
  Status dispatch(const DispatchRecord& dispatch) override;
  Status warning(const std::string& text) override;
  Status finish() override;  // names no files

  void capture(const CaptureState& state) { capture_ = state; }
  // Finishes with the files to name and the outputs that failed, as further warnings.
  Status write(const std::vector<OutputFile>& files, const std::vector<std::string>& errors);

 private:
  [[nodiscard]] nlohmann::ordered_json document() const;

  const std::filesystem::path target_;
  RunMetadata run_;
  CaptureState capture_;
  nlohmann::ordered_json agents_ = nlohmann::ordered_json::array();
  nlohmann::ordered_json files_ = nlohmann::ordered_json::object();
  std::set<std::uint64_t> kernels_;
  std::uint64_t readings_ = 0;
  OutcomeCounts outcomes_;
  KernelAgreement agreement_;
  std::vector<std::string> warnings_;
};

}  // namespace multipass::apps
