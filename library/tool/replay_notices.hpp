// SPDX-License-Identifier: MIT
//
// ReplayNotices: says of each GPU when its launches are no longer replayed, why, and when they are again; what the
// first long replay of a kernel took and further ones will; at the end, what became of all launches.
//
// Owned by the Tool. Threads: the journal's, and at the end the one that finalises; they share one lock, which no
// callback takes. It compares what the launching threads have counted since its last look, so that what comes and goes
// between two looks is not told of. Errors: none but std::bad_alloc.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.hpp"
#include "model/run.hpp"
#include "replay/session.hpp"
#include "tool/announcements.hpp"

namespace multipass::tool {

class ReplayNotices final {
 public:
  using KernelName = std::function<std::string(KernelId)>;

  static constexpr int kMostChanges = 8;  // of each GPU that are told of
  static constexpr int kMostTimed = 16;   // windows, of all

  // `titles`: of the agents, by index. `session` must outlive this object.
  ReplayNotices(replay::Session& session, KernelName name, std::vector<std::string> titles);

  // What there is to tell now.
  [[nodiscard]] std::vector<Announcement> due();

  // Of the whole run: how many launches were admitted and why the others were not.
  [[nodiscard]] std::vector<Announcement> sum() const;

 private:
  struct OfAgent {
    replay::Admission::Counts seen;
    std::optional<DeclineReason> off;  // its launches are not replayed
    int changes = 0;
  };
  [[nodiscard]] std::optional<Announcement> change(AgentIndex agent, OfAgent& of);
  [[nodiscard]] std::string describe(AgentIndex agent, const replay::TimedWindow& window) const;

  replay::Session& session_;
  const KernelName name_;
  const std::vector<std::string> titles_;
  std::mutex mutex_;
  std::vector<OfAgent> agents_;  // by AgentIndex; guarded by mutex_
  int timed_ = 0;                // guarded by mutex_
};

// "managed memory is there", for sentences.
[[nodiscard]] std::string_view sentence_of(DeclineReason reason) noexcept;

}  // namespace multipass::tool
