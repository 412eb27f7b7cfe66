// SPDX-License-Identifier: MIT
//
// One pass over a capture file, from its first frame to its last, in the order that sinks want. What damage took out is
// made good as far as sinks need it, since they refuse what does not fit together: a lost first frame is replaced by an
// empty one, the lost description of an agent by a placeholder without counters. What is no reading is left out, and so
// is what the capture holds twice: the first stands.
// Borrows all it is made of. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "apps/export/capture_state.hpp"
#include "apps/export/distributor.hpp"
#include "apps/export/id_set.hpp"
#include "apps/export/progress.hpp"
#include "apps/export/reading_filter.hpp"
#include "journal/reader.hpp"

namespace multipass::apps {

class JournalPass final {
 public:
  // `progress` may be null. `size`: of the file; 0: not known.
  JournalPass(journal::JournalReader& reader, Distributor& to, Progress* progress = nullptr, std::uint64_t size = 0)
      : reader_(reader), to_(to), progress_(progress), size_(size) {}

  // Streams the file, the warnings of the plugin last; returns what is wrong with the capture.
  [[nodiscard]] std::vector<std::string> run();

  // Of the capture that was read.
  [[nodiscard]] CaptureState state() const;

 private:
  void begin(const RunMetadata& run);
  void ensure_begun();
  // True when the capture describes the agent; else a placeholder stands for it.
  [[nodiscard]] bool ensure_agent(AgentIndex index);
  void declare(const AgentInfo& agent, const std::vector<CounterInfo>& counters, const AgentPlan& plan);

  void take(const journal::UnknownFrame&) {}
  void take(const RunMetadata& run);
  void take(const journal::AgentFrame& frame);
  void take(const KernelSymbol& kernel);
  void take(DispatchRecord& dispatch);
  void take(const journal::WarningFrame& warning) { said_.push_back(warning.text); }
  void take(const journal::CheckpointFrame& checkpoint) { checkpoint_ = checkpoint; }
  void take(const journal::EndFrame&) { ended_ = true; }

  void tell_progress();

  journal::JournalReader& reader_;
  Distributor& to_;
  Progress* const progress_;
  const std::uint64_t size_;
  ReadingFilter filter_;
  std::vector<std::string> said_;  // by the plugin, while the program ran
  std::vector<std::string> warnings_;
  std::set<AgentIndex> described_;
  std::set<AgentIndex> placeholders_;
  std::set<std::uint32_t> node_ids_;  // of all agents handed on
  std::set<std::uint32_t> gpu_ordinals_;
  std::optional<journal::CheckpointFrame> checkpoint_;  // the last one
  IdSet dispatches_;
  std::uint64_t repeated_ = 0;        // dispatches that were there already
  std::uint64_t first_repeated_ = 0;  // the id of the first of them
  bool begun_ = false;
  bool ended_ = false;
};

}  // namespace multipass::apps
