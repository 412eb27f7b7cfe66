// SPDX-License-Identifier: MIT
//
// From the first call to the last: how the Tool begins, says what there is to say, survives forks and ends.
// tool_set_up.cpp has what it sets up in between.
#include "tool/tool.hpp"

#include <unistd.h>

#include <chrono>
#include <exception>

#include "base/log.hpp"
#include "base/mapped_libraries.hpp"
#include "base/text.hpp"
#include "journal/encode.hpp"
#include "sdk/clock.hpp"
#include "sdk/recording.hpp"
#include "tool/announcements.hpp"
#include "tool/instances.hpp"
#include "tool/process_info.hpp"
#include "tool/ranks.hpp"
#include "tool/spawn_exporter.hpp"
#include "tool/unread.hpp"
#include "tool/variables.hpp"
#include "tool/wait_until_written.hpp"

namespace multipass::tool {
namespace {

constexpr std::chrono::seconds kCloseTimeout{10};
constexpr std::chrono::seconds kExportTimeout{300};
constexpr std::chrono::seconds kSettleTimeout{2};

LogLevel level_of(const RunConfig& config) noexcept {
  if (config.verbose) return LogLevel::kInfo;
  if (config.quiet) return LogLevel::kWarning;
  // With a wrapper, the wrapper tells the plan and the files.
  return config.spawn_exporter ? LogLevel::kInfo : LogLevel::kNote;
}

// Inside a catch block.
void log_current_exception(const char* consequence) noexcept {
  log_error(consequence);
  try {
    throw;
  } catch (const std::exception& error) {
    log_error(error.what());
  } catch (...) {
    log_error("by an unknown error inside rocprof-sys-multipass");
  }
}

// By its rank. A process that is not wanted is told of with verbose only: there may be thousands of them.
bool is_wanted_here(Settings& settings) {
  const Result<RankChoice> choice = choose_rank(settings.config.ranks, launcher_rank());
  if (!choice) {
    log_error("the program runs unprofiled: " + choice.message());
    return false;
  }
  if (choice->wanted) {
    if (!choice->text.empty()) settings.warnings.push_back(choice->text);
  } else if (settings.config.verbose) {
    set_log_level(LogLevel::kInfo);
    log_info(choice->text);
  }
  return choice->wanted;
}

}  // namespace

std::unique_ptr<Tool> Tool::create() noexcept {
  try {
    Stopwatch watch;
    Result<std::optional<Settings>> settings = read_settings();
    if (!settings) {
      log_error("the program runs unprofiled: " + settings.message());
      return nullptr;
    }
    if (std::optional<Settings> found = *std::move(settings)) {
      if (!is_wanted_here(*found)) return nullptr;
      std::unique_ptr<Tool> tool(new Tool(*std::move(found)));  // the constructor is private
      tool->cost_.settings = watch.lap();
      return tool;
    }
    for (const std::string& text : unknown_variables(environ)) log_warning(text);
    log_warning(unasked_text());
    return nullptr;
  } catch (...) {
    log_current_exception("the program runs unprofiled");
    return nullptr;
  }
}

Tool::Tool(Settings settings) : owner_(::getpid()), config_(std::move(settings.config)) {
  set_log_level(level_of(config_));
  for (const std::string& text : settings.warnings) warn(text);
}

void Tool::warn(const std::string& text) {
  log_warning(text);
  if (journal_) {
    journal_->append(journal::encode_warning(text));
  } else {
    warnings_.push_back(text);
  }
}

void Tool::warn_all(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) warn(text);
}

void Tool::tell(const std::vector<Announcement>& lines) {
  for (const Announcement& line : lines) {
    if (line.level == LogLevel::kWarning)
      warn(line.text);
    else
      log(line.level, line.text);
  }
}

bool Tool::initialize() noexcept {
  std::string why;
  try {
    const Status status = set_up();
    started_ = services_ != nullptr;
    active_ = status && !left_to_neighbour_;
    if (!status) {
      why = ": " + status.message();
      log_error("the program runs unprofiled" + why);
    }
  } catch (...) {
    log_current_exception("the program runs unprofiled");
  }
  if (!active_) withdraw(why);
  return active_;
}

void Tool::withdraw(const std::string& why) noexcept {
  // The SDK ignores what initialize returns: a tool that withdraws stops its contexts itself.
  if (services_) services_->stop();
  if (!journal_) return;
  try {
    journal_->append(journal::encode_warning("the program ran unprofiled: the profiling could not be set up" + why));
    journal_->append_end(sdk::now_ns());
    (void)journal_->close(kCloseTimeout);
  } catch (...) {
    log_current_exception("the capture is not complete");
  }
}

// Once: at the start, else at the end, when the program has loaded the second copy since.
void Tool::warn_of_copies(std::string_view maps) {
  if (told_copies_) return;
  const std::string text = sentence(library_copies(maps));
  told_copies_ = !text.empty();
  if (told_copies_) warn(text);
}

void Tool::finalize() noexcept {
  if (::getpid() != owner_ || !active_.exchange(false)) return;  // a forked child owns none of this
  if (services_ && services_->in_callback()) {
    leave_as_it_is();
    return;
  }
  sdk::note_finalize();
  try {
    if (services_) services_->stop();  // the SDK has done so, unless it finalises this client early
    if (pipeline_) pipeline_->seal();
    close_journal();
    if (!config_.spawn_exporter) return;
    if (Status status = spawn_exporter(journal_->path(), config_, kExportTimeout); !status) log_error(status.message());
  } catch (...) {
    log_current_exception("the outputs are not written");
  }
}

// A signal handler of the program called exit() inside one of our callbacks. The callback may hold any lock and does
// not go on, so nothing is touched here; our thread gets a moment to write what it has.
void Tool::leave_as_it_is() noexcept {
  log_literal(LogLevel::kWarning,
              "the program ended from a signal handler inside one of our callbacks; the capture has no end, and "
              "the last dispatches may be missing");
  wait_until_written(journal_->path(), kSettleTimeout);
}

void Tool::before_fork() noexcept {
  if (active_ && fork_pause_) fork_pause_->before();
}

void Tool::after_fork_in_parent() noexcept {
  if (!active_ || !fork_pause_) return;
  try {
    if (const Status status = fork_pause_->after(); !status) warn(status.message());
  } catch (...) {
    log_current_exception("no counters are collected any more");
  }
}

void Tool::after_fork_in_child() noexcept {
  active_ = false;  // also when this child forks
  if (journal_) journal_->close_in_child();
  if (!started_) return;
  services_->detach();
  pipeline_->detach();
}

void Tool::warn_of_unread() {
  if (regions_ && services_)
    warn_all(unused_regions(config_.regions, regions_->use(), services_->why_no_ranges(), services_->why_no_control()));
  warn_all(unused_devices(preparation_.agents, *pipeline_));
  if (!counts_) return;  // another warning has said that nothing was read
  if (services_ && services_->replays()) {
    const sdk::ReplayUse use = services_->replay_use();
    if (!use.given_up.empty())  // said when it was
      journal_->append(journal::encode_warning(use.given_up));
    else
      warn_all(unused_replay(preparation_.agents, *pipeline_, config_.extras, use));
  }
  for (const PreparedAgent& agent : preparation_.agents)
    warn_all(unread_groups(agent.agent.info, pipeline_->gaps(agent.agent.info.index)));
  if (notices_) {
    tell(notices_->due());
    tell(notices_->sum());
  }
  warn_all(uncounted_launches(*pipeline_, fork_pause_ ? fork_pause_->pauses() : 0));
}

void Tool::close_journal() {
  warn_of_copies(own_maps());
  const std::uint64_t launched = pipeline_ ? pipeline_->launched() : 0;
  if (pipeline_ && launched == 0)
    warn("no kernel was launched in process " + std::to_string(owner_) + ": nothing was collected");
  if (launched != 0) warn_of_unread();
  if (pipeline_) warn_all(lost_readings(*pipeline_));
  if (pipeline_ && services_) warn_all(lost_instances(preparation_.agents, *pipeline_, *services_));
  if (const std::uint64_t dropped = journal_->dropped(); dropped != 0 && !journal_->failed())
    warn(std::to_string(dropped) + " records were dropped: the capture file could not be written, or not fast enough");
  journal_->append_end(sdk::now_ns());
  if (journal_->close(kCloseTimeout)) return;
  if (const std::uint64_t lost = journal_->dropped() + journal_->pending(); lost != 0)
    log_error("the capture file " + journal_->path() + " is not complete: of it " +
              counted(lost, "record is", "records are") + " lost");
}

}  // namespace multipass::tool
