// SPDX-License-Identifier: MIT
//
// How rocprof-sys is named and what keeps it out: ROCm/rocm-systems @1b1610fc, projects/rocprofiler-systems,
// source/lib/rocprof-sys/library/rocprofiler-sdk.cpp (rocprofiler_configure), source/lib/common/setup.hpp.
#include "tool/neighbour.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/environment.hpp"
#include "base/mapped_libraries.hpp"
#include "base/text.hpp"

namespace multipass::tool {
namespace {

constexpr const char* kEvents = "ROCPROFSYS_ROCM_EVENTS";
constexpr const char* kStreamed = "ROCPROFSYS_ROCM_SPM_EVENTS";
constexpr std::string_view kOwnName = "librocprofsys-multipass.so";
// For one tool to have the list.
constexpr std::string_view kOneList =
    "start with 'rocprof-sys-multipass run -- rocprof-sys-run ...', or give the list in ROCPROFSYS_MULTIPASS_EVENTS "
    "and leave ROCPROFSYS_ROCM_EVENTS empty";

std::string_view file_name(std::string_view path) noexcept {
  return path.substr(path.rfind('/') + 1);
}

// "librocprof-sys.so", "librocprof-sys.so.1.5"
bool is_version_of(std::string_view name, std::string_view library) noexcept {
  if (!name.starts_with(library)) return false;
  const std::string_view rest = name.substr(library.size());
  return rest.empty() || rest[0] == '.' || rest[0] == ' ';  // " (deleted)"
}

// Empty where there is no token in it.
std::string list_of(const char* variable) {
  std::string list = environment::get(variable).value_or("");
  return list.find_first_not_of(" ,;\t\n") == std::string::npos ? std::string() : list;
}

bool is_off(const char* variable) {
  return environment::to_bool(environment::get(variable).value_or("")) == false;
}

// More than one pass, or one with less than what is wanted: no single configuration holds the list there.
bool exceeds_one_pass(const PreparedAgent& agent) noexcept {
  return agent.plan.passes.size() > 1 || !agent.plan.unplaceable.empty();
}

// What is planned is rocprof-sys's list and nothing beside it.
bool is_same_list(const RunConfig& config) noexcept {
  return config.shares_events && config.sets.empty() && config.groups.empty() && config.compute_panels.empty();
}

// "takes up to 3 passes"; empty: one configuration holds the list on every GPU.
std::string size_of_list(const std::vector<PreparedAgent>& agents) {
  if (std::none_of(agents.begin(), agents.end(), exceeds_one_pass)) return {};
  std::size_t passes = 0;
  for (const PreparedAgent& agent : agents) passes = std::max(passes, agent.plan.passes.size());
  return passes > 1 ? "takes up to " + std::to_string(passes) + " passes" : "does not fit one pass as a whole";
}

}  // namespace

Neighbour find_neighbour(std::string_view maps) {
  std::vector<std::string> names{"librocprof-sys.so", "librocprof-sys-dl.so"};
  for (const char* variable : {"ROCPROFSYS_LIBRARY", "ROCPROFSYS_DL_LIBRARY"})
    if (const auto path = environment::get(variable); path && !file_name(*path).empty())
      names.emplace_back(file_name(*path));
  const std::vector<std::string> files = mapped_files(maps);
  const bool loaded = std::any_of(files.begin(), files.end(), [&](const std::string& file) {
    return std::any_of(names.begin(), names.end(),
                       [&](const std::string& name) { return is_version_of(file_name(file), name); });
  });
  // Its configure declines with any of these.
  const bool kept_out =
      is_off("ROCPROFSYS_INIT_TOOLING") || is_off("ROCPROFSYS_ENABLED") || is_off("ROCPROFSYS_USE_ROCM");
  if (!loaded || kept_out) return {};
  return {true, list_of(kEvents), !list_of(kStreamed).empty()};
}

std::string streaming_text() {
  return "rocprof-sys streams counters (ROCPROFSYS_ROCM_SPM_EVENTS), which no process can do while counters of "
         "launches "
         "are collected, and it would end the program on the conflict; unset that variable for this run";
}

bool leaves_to(const Neighbour& neighbour, const RunConfig& config, const std::vector<PreparedAgent>& agents) {
  const bool planned =
      std::any_of(agents.begin(), agents.end(), [](const PreparedAgent& agent) { return !agent.plan.passes.empty(); });
  return planned && neighbour.there && is_same_list(config) && !config.force &&
         std::none_of(agents.begin(), agents.end(), exceeds_one_pass);
}

std::string unasked_text() {
  std::string text = "no counters are asked for (ROCPROFSYS_MULTIPASS_EVENTS is not set); the program runs unprofiled";
  if (!environment::get("ROCPROFSYS_CONFIG_FILE").value_or("").empty())
    text +=
        " by this tool: the files in ROCPROFSYS_CONFIG_FILE are not read here. For a list in one of them, start with "
        "'rocprof-sys-multipass run -- rocprof-sys-run ...', or take it out there and give it in "
        "ROCPROFSYS_MULTIPASS_EVENTS";
  return text;
}

std::string leaving_text() {
  return "rocprof-sys collects ROCPROFSYS_ROCM_EVENTS itself: one pass holds the list on every GPU, so it is left to "
         "rocprof-sys, and this tool writes nothing; ROCPROFSYS_MULTIPASS_FORCE=on has this tool collect it";
}

std::string counting_text(const Neighbour& neighbour, const RunConfig& config,
                          const std::vector<PreparedAgent>& agents) {
  if (!neighbour.there || neighbour.events.empty()) return {};
  const std::string size = is_same_list(config) ? size_of_list(agents) : std::string();
  const std::string list = is_same_list(config) ? "rocprof-sys reads the same list (ROCPROFSYS_ROCM_EVENTS)" +
                                                      (size.empty() ? "" : ", which " + size)
                                                : "rocprof-sys has a list of its own (ROCPROFSYS_ROCM_EVENTS)";
  return list + ": this tool counts, so rocprof-sys has no counters of launches and will print error " +
         (size.empty() ? "code" : "codes 38 (EXCEEDS_HW_LIMIT) and") +
         " 12 (CONTEXT_CONFLICT); nothing else of it is touched. To avoid that, " + std::string(kOneList);
}

std::string refused_text(const Neighbour& neighbour, const RunConfig& config, const std::vector<PreparedAgent>& agents,
                         std::string_view tools) {
  const std::string kept = ". Launches are recorded with their times, and what the other tool collects is whole. ";
  if (neighbour.there) {
    const std::string size = is_same_list(config) ? size_of_list(agents) : std::string();
    return ": rocprof-sys, which started first" +
           (size.empty() ? ""
                         : "; its list (ROCPROFSYS_ROCM_EVENTS) " + size +
                               ", so that it has no counters either (its error code 38)") +
           kept + "To have the counters, " + std::string(kOneList);
  }
  std::vector<std::string> others;
  for (std::size_t begin = 0; begin < tools.size();) {
    const std::size_t end = std::min(tools.find(':', begin), tools.size());
    const std::string_view path = tools.substr(begin, end - begin);
    if (!path.empty() && file_name(path) != kOwnName) others.emplace_back(path);
    begin = end + 1;
  }
  return ", and the SDK lets one tool do so" + kept + "To have the counters, run without that tool" +
         (others.empty() ? "" : " (ROCP_TOOL_LIBRARIES names " + joined(others) + ")");
}

}  // namespace multipass::tool
