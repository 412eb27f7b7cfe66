// SPDX-License-Identifier: MIT
#include "tool/settings.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>
#include <system_error>

#include "base/environment.hpp"
#include "events/sentinel_list.hpp"
#include "metrics/panels.hpp"
#include "model/names.hpp"
#include "tool/output_path.hpp"
#include "tool/process_info.hpp"
#include "tool/replay_limits.hpp"
#include "tool/variables.hpp"

namespace multipass::tool {
namespace {

using nlohmann::json;

// The parts between separators, without blanks around them; empty ones are left out.
std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) {
    const std::size_t first = part.find_first_not_of(" \t");
    if (first != std::string::npos) parts.push_back(part.substr(first, part.find_last_not_of(" \t") - first + 1));
  }
  return parts;
}

bool are_formats(const std::vector<std::string>& formats) {
  const auto known = [](const std::string& format) { return format == "perfetto" || format == "rocpd"; };
  return !formats.empty() && std::all_of(formats.begin(), formats.end(), known);
}

bool is_layout(const std::string& name) {
  return name == kDefaultLayout || name == "strict";
}

// Reads one variable; a value that is not understood is a warning.
template <typename Parse>
void read_variable(const char* name, const char* allowed, Settings& settings, Parse&& parse) {
  const auto value = environment::get_own(name);
  if (!value || value->empty() || parse(*value)) return;
  settings.warnings.push_back(std::string(environment::kPrefix) + name + "='" + *value +
                              "' is not understood (allowed: " + allowed + "); the default is used");
}

std::string default_output() {
  return "rocprof-sys-multipass-output/" + application_name();
}

void set_output(const std::string& path, Settings& settings) {
  std::vector<std::string> unknown;
  const std::string expanded = expand_tokens(path, unknown);
  for (const std::string& token : unknown)
    settings.warnings.push_back("the output path '" + path + "' has the unknown token '" + token + "', it is kept");
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(expanded, error);
  settings.config.output_dir = error ? expanded : absolute.lexically_normal().string();
}

// What to tell of a YAML file, which only the wrapper reads; empty when none is named.
std::string unread_file() {
  std::string file = environment::get_own("CONFIG").value_or("");
  if (file.empty()) return file;
  return "ROCPROFSYS_MULTIPASS_CONFIG=" + file +
         " is read by 'rocprof-sys-multipass run' only; without it, set ROCPROFSYS_MULTIPASS_RESOLVED=OUT.json, "
         "made by 'rocprof-sys-multipass config check " +
         file + " --resolved OUT.json'";
}

// Of these a wrong value is an error: with the default in its place replays would cost what was to be spared, or run
// where they do harm.
template <typename T, typename To>
Status read_limit(const char* name, Result<T> (*parse)(std::string_view), To& to) {
  const auto value = environment::get_own(name);
  if (!value || value->empty()) return Status::ok();
  Result<T> parsed = parse(*value);
  if (!parsed) return Status::error(std::string(environment::kPrefix) + name + ": " + parsed.message());
  to = *parsed;
  return Status::ok();
}

Result<ReplayMode> parse_mode(std::string_view text) {
  if (const auto mode = replay_mode_of(text)) return *mode;
  return Status::error("'" + std::string(text) + "' is not understood (allowed: auto, kernel, rotate, off)");
}

Status read_limits(Settings& settings) {
  ReplayLimitsConfig& limits = settings.config.limits;
  limits.no_replay = environment::get_own("NO_REPLAY").value_or("");
  for (Status status : {read_limit("REPLAY", parse_mode, settings.config.replay),
                        read_limit("MAX_REPLAYS", parse_max_replays, limits.max_replays),
                        read_limit("REPLAY_BUDGET", parse_replay_budget, limits.budget),
                        read_limit("UNSAFE", parse_unsafe, limits.unsafe),
                        read_limit("HOST_MEMORY", parse_host_memory, limits.host_memory)})
    if (!status) return status;
  return Status::ok();
}

bool read_trace_counters(const std::string& value, RunConfig& config) {
  if (value != "all" && value != "none") return false;
  config.trace_counters = value == "all";
  return true;
}

bool read_instances(const std::string& value, RunConfig& config) {
  if (value != "sum" && value != "keep") return false;
  config.keeps_instances = value == "keep";
  return true;
}

// Those of which a wrong value is a warning.
void read_choices(Settings& settings) {
  RunConfig& config = settings.config;
  // The others are made in Python, which this process may not have.
  const char* const formats_allowed =
      "perfetto, rocpd, or both with a comma; csv, csv-wide, json, parquet and compute are written by "
      "`rocprof-sys-multipass export`";
  read_variable("FORMAT", formats_allowed, settings, [&](const std::string& value) {
    std::vector<std::string> formats = split(value, ',');
    if (!are_formats(formats)) return false;
    config.formats = std::move(formats);
    return true;
  });
  read_variable("LAYOUT", "canonical or strict", settings, [&](const std::string& value) {
    const bool usable = is_layout(value);
    if (usable) config.layout = value;
    return usable;
  });
  read_variable("INSTANCES", "sum or keep", settings,
                [&config](const std::string& value) { return read_instances(value, config); });
  read_variable("TRACE_COUNTERS", "all or none", settings,
                [&config](const std::string& value) { return read_trace_counters(value, config); });
  read_variable("SENTINEL", events::kSentinelsAllowed, settings, [&](const std::string& value) {
    const bool usable = events::parse_sentinels(value).refused.empty();
    if (usable) config.sentinel = value;
    return usable;
  });
  const auto read_flag = [&settings](const char* name, bool& flag) {
    read_variable(name, "on, off, 1, 0, true, false, yes, no", settings, [&](const std::string& value) {
      const auto parsed = environment::to_bool(value);
      if (parsed) flag = *parsed;
      return parsed.has_value();
    });
  };
  read_flag("REPLAY_EVERYTHING", config.limits.everything);
  read_flag("WARM_UP_PASS", config.extras.warm_up);
  read_flag("TIMING_PASS", config.extras.timing);
  read_flag("PERMUTE_GROUPS", config.extras.permute);
  read_flag("ROCTX", config.regions.roctx);
  read_flag("SELECTED_REGIONS", config.regions.selected_regions);
  read_flag("FORCE", config.force);
  read_flag("QUIET", config.quiet);
  read_flag("VERBOSE", config.verbose);
}

void read_panels(Settings& settings) {
  const std::string value = environment::get_own("COMPUTE_PANELS").value_or("");
  if (value.empty()) return;
  Result<std::vector<std::uint32_t>> panels = metrics::parse_panels(value);
  if (panels)
    settings.config.compute_panels = *std::move(panels);
  else
    settings.warnings.push_back("ROCPROFSYS_MULTIPASS_COMPUTE_PANELS is left out: " + panels.message());
}

Result<std::optional<Settings>> from_environment() {
  const auto own_events = environment::first_of({"ROCPROFSYS_MULTIPASS_EVENTS"});
  const auto events = own_events ? own_events : environment::first_of({"ROCPROFSYS_ROCM_EVENTS"});
  const std::string unread = unread_file();
  std::vector<std::string> sets = split(environment::get_own("SET").value_or(""), ',');
  const bool wanted = events || !sets.empty() || environment::get_own("COMPUTE_PANELS").value_or("") != "";
  if (!wanted && !unread.empty()) return Status::error(unread);
  if (!wanted) return std::optional<Settings>();
  Settings settings;
  settings.warnings = unknown_variables(environ);
  if (!unread.empty()) settings.warnings.push_back(unread);
  RunConfig& config = settings.config;
  config.events = events.value_or("");
  config.shares_events = events && !own_events;
  config.shares_polled = true;
  config.polled = environment::get("ROCPROFSYS_GPU_PERF_COUNTERS").value_or("");
  config.sets = std::move(sets);
  read_panels(settings);
  set_output(
      environment::first_of({"ROCPROFSYS_MULTIPASS_OUTPUT", "ROCPROFSYS_OUTPUT_PATH"}).value_or(default_output()),
      settings);
  for (const std::string& group : split(environment::get_own("GROUP").value_or(""), ';'))
    config.groups.push_back(split(group, ','));
  config.filter.kernel_include = environment::get_own("KERNEL_INCLUDE").value_or("");
  config.filter.kernel_exclude = environment::get_own("KERNEL_EXCLUDE").value_or("");
  config.filter.range = environment::get_own("RANGE").value_or("");
  config.regions.roctx_include = environment::get_own("ROCTX_INCLUDE").value_or("");
  config.regions.roctx_exclude = environment::get_own("ROCTX_EXCLUDE").value_or("");
  config.gpus = environment::get_own("GPUS").value_or("");
  config.ranks = environment::get_own("RANKS").value_or("");
  if (Status status = read_limits(settings); !status) return status;
  read_choices(settings);
  return std::optional<Settings>(std::move(settings));
}

// A number of another kind would be turned into one: -1 into the largest, which is no limit.
std::uint64_t whole_number(const json& document, const char* name) {
  const json& value = document.at(name);
  if (!value.is_number_unsigned())
    throw json::other_error::create(501, std::string(name) + " is not a whole number from 0 on", &document);
  return value.get<std::uint64_t>();
}

// As the wrapper has read them; what cannot be is an exception, as a wrong type is.
void read_limits(const json& document, ReplayLimitsConfig& limits) {
  if (document.contains("no_replay")) document.at("no_replay").get_to(limits.no_replay);
  if (document.contains("replay_everything")) document.at("replay_everything").get_to(limits.everything);
  if (document.contains("max_replays")) limits.max_replays = whole_number(document, "max_replays");
  if (document.contains("host_memory")) limits.host_memory = whole_number(document, "host_memory");
  if (const json budget = document.value("replay_budget", json()); !budget.is_null()) {
    constexpr double kLongest = 1e9;  // seconds
    const auto seconds = budget.at("seconds").get<double>();
    const auto share = budget.at("share").get<double>();
    const bool fits = seconds >= 0 && seconds <= kLongest && share >= 0 && share <= 1;
    const ReplayBudget read{fits ? static_cast<std::uint64_t>(std::llround(seconds * 1e9)) : 0, share};
    // What is so little that nothing is left of it would be no limit.
    if (!fits || (seconds > 0 && read.ns == 0))
      throw json::other_error::create(501, "replay_budget is not {\"seconds\": 0, or 1e-9 to 1e9, \"share\": 0 to 1}",
                                      &document);
    limits.budget = read;
  }
  for (const auto& name : document.value("unsafe", std::vector<std::string>())) {
    const auto reason = safety_reason_of(name);
    if (!reason) throw json::other_error::create(501, "unsafe has the unknown reason '" + name + "'", &document);
    limits.unsafe.add(*reason);
  }
}

// Whether there is such a panel is told where its counters are looked up.
std::uint32_t panel_of(const json& number, const json& document) {
  if (!number.is_number_unsigned() || number.get<std::uint64_t>() > 999)
    throw json::other_error::create(501, "compute_panels is not a list of numbers of panels", &document);
  return number.get<std::uint32_t>();
}

void read_outputs(const json& document, Settings& settings) {
  RunConfig& config = settings.config;
  if (document.contains("formats")) {
    const auto formats = document.at("formats").get<std::vector<std::string>>();
    if (are_formats(formats)) {
      config.formats = formats;
    } else {
      settings.warnings.push_back("formats is not understood (allowed: perfetto, rocpd); both are written");
    }
  }
  if (document.contains("layout")) {
    const auto layout = document.at("layout").get<std::string>();
    if (is_layout(layout)) {
      config.layout = layout;
    } else {
      settings.warnings.push_back("layout '" + layout +
                                  "' is not understood (allowed: canonical, strict); canonical is used");
    }
  }
  if (document.contains("trace_counters")) {
    const auto name = document.at("trace_counters").get<std::string>();
    if (!read_trace_counters(name, config))
      settings.warnings.push_back("trace_counters '" + name +
                                  "' is not understood (allowed: all, none); all are in the trace");
  }
}

// The wrong type of a member is an exception of the JSON library; parse_handover turns it into a message.
Settings from_json(const json& document) {
  Settings settings;
  RunConfig& config = settings.config;
  document.at("events").get_to(config.events);
  document.at("output").get_to(config.output_dir);
  if (document.contains("groups")) document.at("groups").get_to(config.groups);
  if (document.contains("sets")) document.at("sets").get_to(config.sets);
  for (const json& number : document.value("compute_panels", json::array()))
    config.compute_panels.push_back(panel_of(number, document));
  if (document.contains("sentinel")) {
    const auto sentinel = document.at("sentinel").get<std::string>();
    if (const std::string refused = events::parse_sentinels(sentinel).refused; refused.empty())
      config.sentinel = sentinel;
    else
      settings.warnings.push_back("sentinel '" + sentinel +
                                  "' is not understood (allowed: " + events::kSentinelsAllowed + "); auto is used");
  }
  if (document.contains("kernel_include")) document.at("kernel_include").get_to(config.filter.kernel_include);
  if (document.contains("kernel_exclude")) document.at("kernel_exclude").get_to(config.filter.kernel_exclude);
  if (document.contains("range")) document.at("range").get_to(config.filter.range);
  if (document.contains("roctx")) document.at("roctx").get_to(config.regions.roctx);
  if (document.contains("roctx_include")) document.at("roctx_include").get_to(config.regions.roctx_include);
  if (document.contains("roctx_exclude")) document.at("roctx_exclude").get_to(config.regions.roctx_exclude);
  if (document.contains("selected_regions")) document.at("selected_regions").get_to(config.regions.selected_regions);
  if (document.contains("gpus")) document.at("gpus").get_to(config.gpus);
  if (document.contains("ranks")) document.at("ranks").get_to(config.ranks);
  if (document.contains("polled")) document.at("polled").get_to(config.polled);
  config.records_for_it = document.contains("rocprof_sys");
  if (document.contains("force")) document.at("force").get_to(config.force);
  read_limits(document, config.limits);
  if (document.contains("warm_up_pass")) document.at("warm_up_pass").get_to(config.extras.warm_up);
  if (document.contains("timing_pass")) document.at("timing_pass").get_to(config.extras.timing);
  if (document.contains("permute_groups")) document.at("permute_groups").get_to(config.extras.permute);
  if (document.contains("instances")) {
    const auto name = document.at("instances").get<std::string>();
    if (!read_instances(name, config))
      settings.warnings.push_back("instances '" + name +
                                  "' is not understood (allowed: sum, keep); sums are recorded, and no instances");
  }
  read_outputs(document, settings);
  if (document.contains("run_token")) document.at("run_token").get_to(config.run_token);
  if (document.contains("spawn_exporter")) document.at("spawn_exporter").get_to(config.spawn_exporter);
  if (document.contains("quiet")) document.at("quiet").get_to(config.quiet);
  if (document.contains("verbose")) document.at("verbose").get_to(config.verbose);
  if (document.contains("replay")) {
    const auto name = document.at("replay").get<std::string>();
    const auto mode = replay_mode_of(name);
    if (!mode) {
      settings.warnings.push_back("replay '" + name +
                                  "' is not understood (allowed: auto, kernel, rotate, off); auto is used");
    } else {
      config.replay = *mode;
    }
  }
  return settings;
}

}  // namespace

Result<Settings> parse_handover(const std::string& text, const std::string& source) {
  try {
    const json document = json::parse(text);
    // Compared as JSON: turning a number of any size into an int is undefined.
    if (!document.is_object() || document.value("schema", json()) != json(1))
      return Status::error(source + ": 'schema' must be 1; this file is of another version of rocprof-sys-multipass");
    return from_json(document);
  } catch (const json::exception& error) {
    return Status::error(source + ": " + error.what());
  }
}

Result<std::optional<Settings>> read_settings() {
  const auto path = environment::get_own("RESOLVED");
  if (!path || path->empty()) return from_environment();
  const std::string named = "the settings file " + *path + " (ROCPROFSYS_MULTIPASS_RESOLVED) ";
  std::error_code ignored;
  const auto kind = std::filesystem::status(*path, ignored).type();
  if (kind == std::filesystem::file_type::directory) return Status::error(named + "is a folder");
  // Opening a pipe that nobody writes would hold up the program for ever.
  if (kind == std::filesystem::file_type::fifo) return Status::error(named + "is a pipe: give the path of a file");
  std::ifstream file(*path, std::ios::binary);
  if (!file)
    return Status::error(named + "cannot be read: " + std::error_code(errno, std::generic_category()).message());
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  Result<Settings> settings = parse_handover(text, *path);
  if (!settings) return settings.status();
  return std::optional<Settings>(*std::move(settings));
}

}  // namespace multipass::tool
