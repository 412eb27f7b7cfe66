// SPDX-License-Identifier: MIT
//
// rocprofsys-multipass-plan: the planner as a command. Reads catalogues, prints the Plan JSON (or, with --list, the
// counters) on stdout; messages go to stderr. The Python package runs it.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "apps/plan/architectures.hpp"
#include "apps/plan/catalogue_files.hpp"
#include "apps/plan/counters_json.hpp"
#include "apps/plan/plan_json.hpp"
#include "apps/plan/plan_request.hpp"
#include "base/deadline.hpp"
#include "base/log.hpp"
#include "base/print.hpp"
#include "events/sentinel_list.hpp"
#include "metrics/metrics.hpp"
#include "metrics/panels.hpp"
#include "replay/pattern.hpp"

namespace {

// Of the exit codes that all commands share.
enum ExitCode : int { kOk = 0, kUsage = 2, kConfig = 3, kPlanImpossible = 4, kOutputFailed = 7 };

struct Arguments {
  std::vector<std::string> devices;
  multipass::apps::PlanTexts texts;
  std::optional<std::string> panels;
  std::string instances = "sum";
  multipass::apps::PlanLimits limits;
  bool list = false;
  std::optional<std::string> pattern;  // of a filter, to be checked
};

// The options that are looked at again.
struct Given {
  CLI::Option* events = nullptr;
  const CLI::Option* effort = nullptr;
};

CLI::Option* one_of_several(CLI::Option* option, const char* type) {
  return option->take_all()->expected(1)->type_name(type);
}

Given add_request(CLI::App& app, Arguments& arguments) {
  Given given;
  multipass::apps::PlanTexts& texts = arguments.texts;
  one_of_several(
      app.add_option("--device", arguments.devices, "Catalogue name (gfx942) or file; repeat it for several GPUs"),
      "NAME|FILE");
  given.events = app.add_option("--events", texts.events, "Counters, as in ROCPROFSYS_ROCM_EVENTS")->type_name("LIST");
  one_of_several(
      app.add_option("--group", texts.groups, "Counters that must share a pass; repeat it for several groups"), "A,B");
  one_of_several(
      app.add_option("--set", texts.sets, "Metrics that are wanted: the name of a set; repeat it for several"), "NAME");
  app.add_option("--compute-panels", arguments.panels,
                 "Panels of rocprofiler-compute whose counters are wanted: all, or numbers with commas")
      ->type_name("all|N,...");
  app.add_option("--instances", arguments.instances, "What a run is to record of the instances of a counter")
      ->capture_default_str()
      ->check(CLI::IsMember({"sum", "keep"}));
  app.add_option("--sentinel", texts.sentinel, "What passes are compared by: auto, none, or counters as in --events")
      ->capture_default_str()
      ->expected(1)
      ->type_name("auto|none|NAME,...");
  given.effort = app.add_option("--effort", arguments.limits.effort,
                                "Placements that the search for fewer passes may try, however long that takes")
                     ->capture_default_str()
                     ->check(CLI::NonNegativeNumber)  // strtoull would take -1 for the largest number there is
                     ->type_name("N");
  return given;
}

// What is printed, or done, in place of a plan.
void add_answers(CLI::App& app, Arguments& arguments, CLI::Option* events, bool& json) {
  app.add_flag("--json", json, "Print JSON, which is the only format and the default");
  app.add_flag("--list", arguments.list,
               "Print the counters of the devices instead of a plan; without --device, of all catalogues")
      ->excludes(events);
  app.add_option("--check-pattern", arguments.pattern,
                 "Say whether the plugin can take this for kernel-include, kernel-exclude or no-replay, and do nothing "
                 "else")
      ->excludes(events);
}

// The option without which the others mean nothing; null when there is what is needed.
const char* missing_option(const Arguments& arguments, const Given& given) {
  if (arguments.pattern || arguments.list) return nullptr;
  const multipass::apps::PlanTexts& texts = arguments.texts;
  const bool wants_plan = given.events->count() > 0 || !texts.groups.empty() || !texts.sets.empty() || arguments.panels;
  if (!wants_plan) return "one of --events, --group, --set, --compute-panels, --list";
  return arguments.devices.empty() ? "--device" : nullptr;
}

// Nothing when the command line was answered or refused; then `code` is the exit code.
std::optional<Arguments> parse_arguments(int argc, char** argv, int& code) {
  Arguments arguments;
  CLI::App app{"Splits a list of GPU hardware counters into passes and prints the plan as JSON."};
  bool json = false;
  const Given given = add_request(app, arguments);
  add_answers(app, arguments, given.events, json);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    code = app.exit(error) == 0 ? kOk : kUsage;
    return std::nullopt;
  }
  // Who names an effort gets it; without one, a machine that is too slow gets a plan all the same.
  if (given.effort->count() == 0)
    arguments.limits.new_cut_off = [] { return multipass::passed_after(multipass::planner::kSearchTime); };
  const char* const missing = missing_option(arguments, given);
  if (missing == nullptr) return arguments;
  multipass::log_error(std::string(missing) + " is required");
  code = kUsage;
  return std::nullopt;
}

// One catalogue for each device, in that order; `arguments` without a device: of every catalogue there is.
multipass::Result<std::vector<multipass::AgentCatalogue>> load_catalogues(const Arguments& arguments) {
  const std::filesystem::path directory = multipass::apps::own_catalogue_dir();
  std::vector<multipass::AgentCatalogue> catalogues;
  for (const std::string& device :
       arguments.devices.empty() ? multipass::apps::catalogue_names(directory) : arguments.devices) {
    multipass::Result<multipass::AgentCatalogue> loaded = multipass::apps::load_catalogue(device, directory);
    if (!loaded) return loaded.status();
    const auto index = static_cast<std::uint32_t>(catalogues.size());
    loaded->agent.device = index;
    loaded->agent.index = multipass::AgentIndex{index};
    catalogues.push_back(*std::move(loaded));
  }
  return catalogues;
}

int check_pattern(const std::string& text) {
  const multipass::Result<multipass::replay::Pattern> pattern = multipass::replay::Pattern::compile(text);
  if (pattern) return kOk;
  multipass::log_error("'" + text + "' is not a regular expression: " + pattern.message());
  return kConfig;
}

// What the texts of options that are no plain lists say; ends with an exit code where one cannot be read.
std::optional<int> read_texts(Arguments& arguments) {
  multipass::apps::PlanTexts& texts = arguments.texts;
  const multipass::metrics::SetNames sets = multipass::metrics::check_names(texts.sets);
  for (const std::string& problem : sets.problems) multipass::log_error("--set: " + problem);
  if (!sets.problems.empty()) return kUsage;
  if (arguments.panels) {
    multipass::Result<std::vector<std::uint32_t>> panels = multipass::metrics::parse_panels(*arguments.panels);
    if (!panels) {
      multipass::log_error("--compute-panels: " + panels.message());
      return kUsage;
    }
    texts.compute_panels = *std::move(panels);
  }
  texts.keeps_instances = arguments.instances == "keep";
  const std::string refused = multipass::events::parse_sentinels(texts.sentinel).refused;
  if (refused.empty()) return std::nullopt;
  multipass::log_error("--sentinel: " + refused);
  return kUsage;
}

int run(Arguments arguments) {
  if (arguments.pattern) return check_pattern(*arguments.pattern);
  const multipass::Result<std::vector<multipass::AgentCatalogue>> catalogues = load_catalogues(arguments);
  if (!catalogues) {
    multipass::log_error(catalogues.message());
    return kConfig;
  }
  if (const std::optional<int> refused = read_texts(arguments)) return *refused;
  if (arguments.list) return multipass::print(multipass::apps::counters_json(*catalogues)) ? kOk : kOutputFailed;
  multipass::apps::PlanDocument document =
      multipass::apps::plan_request(*catalogues, arguments.texts, arguments.limits);
  multipass::apps::name_architectures(document, *catalogues, multipass::apps::own_catalogue_dir());
  if (!multipass::print(multipass::apps::plan_json(document))) return kOutputFailed;
  return multipass::apps::nothing_placed(document) ? kPlanImpossible : kOk;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    int code = kOk;
    std::optional<Arguments> arguments = parse_arguments(argc, argv, code);
    return arguments ? run(*std::move(arguments)) : code;
  } catch (const std::exception& error) {
    multipass::log_error(error.what());
    return kOutputFailed;
  }
}
