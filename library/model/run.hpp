// SPDX-License-Identifier: MIT
//
// What is known of the run itself, and how it was asked for. Plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/dispatch.hpp"
#include "model/plan.hpp"

namespace multipass {

enum class ReplayMode : std::uint8_t {
  kAuto,    // replay where the SDK has it, else rotate
  kKernel,  // replay is wanted
  kRotate,  // no replay: each launch reads one group, in turn
  kOff,     // no replay: each launch reads the first group
};

// Which dispatches are wanted; empty texts: all.
struct FilterConfig {
  std::string kernel_include{};  // regular expressions, searched in the demangled name
  std::string kernel_exclude{};
  std::string range{};  // launches of each kernel, from 1: "1,4-6"
};

// Where in the program dispatches are wanted, by its roctx calls; by default everywhere but where it pauses profilers.
struct RegionConfig {
  bool roctx = false;             // inside of any range
  std::string roctx_include{};    // inside of a range in whose message this is found
  std::string roctx_exclude{};    // not inside of one in whose message this is found
  bool selected_regions = false;  // only after roctxProfilerResume

  [[nodiscard]] bool by_range() const noexcept { return roctx || !roctx_include.empty() || !roctx_exclude.empty(); }
};

// The wall time that replays may take in all, from the start of the tool on: the larger of both; 0 and 0: no limit.
struct ReplayBudget {
  std::uint64_t ns = 0;
  double share = 0;  // of the wall time so far, 0.1 is a tenth
  [[nodiscard]] constexpr bool limited() const noexcept { return ns != 0 || share > 0; }
  friend bool operator==(const ReplayBudget&, const ReplayBudget&) = default;
};

inline constexpr ReplayBudget kDefaultReplayBudget{60'000'000'000, 0.1};
inline constexpr std::uint64_t kDefaultMaxReplays = 3;

// Which of the wanted dispatches are not replayed. What is not said has the default of the mode: --replay auto spends a
// budget and replays each launch shape kDefaultMaxReplays times, --replay kernel has no limit of either.
struct ReplayLimitsConfig {
  std::string no_replay{};                     // a regular expression, searched in the demangled name; empty: none
  bool everything = false;                     // the built-in no-replay list does not hold
  std::optional<std::uint64_t> max_replays{};  // of each launch shape on an agent; 0: no limit
  std::optional<ReplayBudget> budget{};
  SafetyReasons unsafe{};                      // what a replay is not declined for
  std::optional<std::uint64_t> host_memory{};  // bytes that copies of agents' memory may take; else what is left
};

// What a replayed dispatch runs beside a pass for each group, and how its groups are spread over the passes.
struct ReplayExtras {
  bool warm_up = false;  // one execution before all others, of which nothing is measured
  bool timing = false;   // one before the counters, without any, for its times
  bool permute = false;  // pass k of the i-th replayed launch of a shape reads group (k + i) mod N

  [[nodiscard]] constexpr std::uint32_t executions() const noexcept { return (warm_up ? 1U : 0U) + (timing ? 1U : 0U); }
  [[nodiscard]] constexpr bool any() const noexcept { return warm_up || timing || permute; }
  friend bool operator==(const ReplayExtras&, const ReplayExtras&) = default;
};

inline constexpr const char* kDefaultSentinel = "auto";
inline constexpr const char* kDefaultLayout = "canonical";

// How this process is to be profiled: resolved from the hand-over file or from the environment.
struct RunConfig {
  std::string events;                            // the list as given
  std::vector<std::vector<std::string>> groups;  // counters that must share a pass
  std::vector<std::string> sets{};               // of metrics, as asked for
  std::vector<std::uint32_t> compute_panels{};   // of rocprofiler-compute, whose counters are wanted
  bool keeps_instances = false;                  // the values of single instances are recorded too
  std::string sentinel = kDefaultSentinel;       // "auto", "none", or counters in the grammar of `events`
  std::string output_dir;                        // absolute
  std::string gpus;                              // ordinals of those to count on: "0,2-3"; empty: all
  std::string ranks{};                           // of the processes to profile: "0,8"; empty: all
  FilterConfig filter;
  RegionConfig regions{};
  ReplayLimitsConfig limits;
  ReplayExtras extras{};
  std::string file_id;  // "<pid>" or "rank<r>": middle part of every file name
  ReplayMode replay = ReplayMode::kAuto;
  std::vector<std::string> formats{"perfetto", "rocpd"};
  std::string layout = kDefaultLayout;  // of the database: "canonical" or "strict"
  bool trace_counters = true;           // false: counters are in the database only, the Perfetto trace has times
  // Beside rocprof-sys in one process.
  bool shares_events = false;   // `events` are those that it reads itself, for want of a list of ours
  bool force = false;           // collect what it would collect as well
  std::string polled{};         // counters that it reads now and then, of a whole GPU
  bool shares_polled = false;   // which its own variable says, whether it is here or not
  bool records_for_it = false;  // launches too, which it was told to leave out, where no counter can be collected
  std::string run_token;        // given by the wrapper, for its own processes
  bool spawn_exporter = true;   // false: the wrapper exports after the process has ended
  bool quiet = false;
  bool verbose = false;
};

struct RunMetadata {
  std::string tool_version;
  std::string sdk_version;  // "1.4.1"
  std::string sdk_library;  // path of the loaded library, empty when unknown
  bool simulated = false;
  bool kernel_replay = false;  // this SDK has the KERNEL_REPLAY service
  ReplayMode replay_mode = ReplayMode::kAuto;
  std::string guid;  // 36 characters, dashed; one per process
  std::vector<std::string> command;
  std::uint64_t pid = 0;
  std::uint64_t ppid = 0;
  std::optional<std::uint32_t> rank;
  std::string hostname;
  std::string machine_id;
  std::string system_name;     // uname -s
  std::string system_release;  // uname -r
  std::string system_version;  // uname -v
  std::uint64_t start_ns = 0;  // CLOCK_BOOTTIME when the tool started
  // Three clocks read together, for traces that are merged.
  std::uint64_t boottime_ns = 0;
  std::uint64_t monotonic_ns = 0;
  std::uint64_t realtime_ns = 0;
  std::string events;                           // the list as given
  std::string run_token;                        // ties the processes of one command together; empty without it
  std::vector<std::string> sets{};              // of metrics, those that there are
  ReplayExtras extras{};                        // as asked for
  std::vector<std::uint32_t> compute_panels{};  // those that there are
  bool keeps_instances = false;
  friend bool operator==(const RunMetadata&, const RunMetadata&) = default;
};

}  // namespace multipass
