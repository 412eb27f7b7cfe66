// SPDX-License-Identifier: MIT
//
// Tool: owns everything of this process's profiling.
//
// create (in the SDK's configure call) -> initialize -> finalize, each at most once, in this order, each noexcept.
// initialize plans everything, opens the journal and starts the services; whatever fails there leaves the program
// unprofiled with one line on stderr. finalize writes what is left, within a bound. A forked child is inert: nothing is
// recorded in it, and finalize does nothing. The object is never destroyed: callbacks may come until
// the process has ended.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.hpp"
#include "journal/writer.hpp"
#include "model/run.hpp"
#include "sdk/inventory.hpp"
#include "sdk/services.hpp"
#include "tool/announcements.hpp"
#include "tool/fork_pause.hpp"
#include "tool/neighbour.hpp"
#include "tool/pipeline.hpp"
#include "tool/preparation.hpp"
#include "tool/replay_notices.hpp"
#include "tool/settings.hpp"
#include "tool/watchdog.hpp"

namespace multipass::tool {

class Tool final {
 public:
  // Nothing when no counters were asked for or the settings cannot be read (said on stderr).
  static std::unique_ptr<Tool> create() noexcept;

  Tool(const Tool&) = delete;
  Tool& operator=(const Tool&) = delete;
  ~Tool() = default;

  // False: the program runs unprofiled.
  bool initialize() noexcept;
  void finalize() noexcept;

  // Around fork(2), on the forking thread. A child takes no part in the profiling.
  void before_fork() noexcept;
  void after_fork_in_parent() noexcept;
  void after_fork_in_child() noexcept;

 private:
  explicit Tool(Settings settings);
  Status set_up();
  void withdraw(const std::string& why) noexcept;
  Status open_journal(const sdk::SdkIdentity& identity);
  void write_preamble(const RunMetadata& run);
  Status start_services(const sdk::SdkIdentity& identity);
  void start_counting();
  void warn(const std::string& text);
  void warn_all(const std::vector<std::string>& texts);
  void tell(const std::vector<Announcement>& lines);
  void warn_of_copies(std::string_view maps);
  void warn_of_unread();
  void watch_windows();
  void close_journal();
  void leave_as_it_is() noexcept;

  const pid_t owner_;
  RunConfig config_;
  Neighbour neighbour_;
  bool left_to_neighbour_ = false;
  std::vector<std::string> warnings_;  // said already, to be written to the journal when it is open
  StartUpCost cost_;
  Preparation preparation_;
  std::unique_ptr<journal::JournalWriter> journal_;
  std::shared_ptr<replay::Regions> regions_;
  std::unique_ptr<Pipeline> pipeline_;
  std::unique_ptr<sdk::Services> services_;
  std::optional<Watchdog> watchdog_;      // while kernels are replayed; used by the journal's thread
  std::optional<ReplayNotices> notices_;  // the same; at the end by the thread that finalises
  std::optional<ForkPause> fork_pause_;   // when counting is stopped around a fork; set before `active_`
  std::atomic<bool> active_{false};       // between initialize and finalize, in the process that did the first
  std::atomic<bool> started_{false};      // from initialize on
  bool counts_ = false;                   // counting was started
  bool told_copies_ = false;
};

}  // namespace multipass::tool
