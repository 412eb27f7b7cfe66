// SPDX-License-Identifier: MIT
//
// The symbols of the module. One reads the SDK, writes the catalogues, prints the index; the other tries what it lets a
// tool do.
#include "apps/counters/entry.hpp"

#include <exception>
#include <string>

#include "apps/counters/index_json.hpp"
#include "apps/counters/live_catalogues.hpp"
#include "apps/counters/probe.hpp"
#include "base/log.hpp"
#include "base/print.hpp"
#include "base/write_file.hpp"
#include "catalogue/json.hpp"

namespace multipass::apps {
namespace {

std::string source_text(const LiveCatalogues& live) {
  return "rocprofiler-sdk " + live.sdk.version + (live.sdk.simulated ? " (simulated)" : "");
}

int read_counters(const char* directory) {
  const Result<LiveCatalogues> live = read_live_catalogues();
  if (!live) {
    log_error("the counters of this machine cannot be read: " + live.message());
    return kCountersLaunchFailed;
  }
  const std::vector<std::string> files = file_names(live->catalogues);
  for (std::size_t i = 0; directory != nullptr && i < files.size(); ++i) {
    const std::string text = catalogue::to_json(live->catalogues[i], source_text(*live));
    if (const Status status = write_file(std::string(directory) + "/" + files[i], text); !status) {
      log_error(status.message());
      return kCountersOutputFailed;
    }
  }
  return print(index_json(*live, files)) ? kCountersOk : kCountersOutputFailed;
}

int probe() {
  bool printed = true;
  const ProbeListener tell{[&](const ProbedSdk& sdk) { printed = print(probe_json(sdk)) && printed; },
                           [&](const ProbedServices& services) { printed = print(probe_json(services)) && printed; }};
  if (const Status status = probe_sdk(tell); !status) {
    log_error(status.message());
    return kCountersLaunchFailed;
  }
  return printed ? kCountersOk : kCountersOutputFailed;
}

}  // namespace
}  // namespace multipass::apps

extern "C" __attribute__((visibility("default"))) int multipass_read_counters(const char* directory) noexcept {
  try {
    return multipass::apps::read_counters(directory);
  } catch (const std::exception& error) {
    multipass::log_error(error.what());
    return multipass::apps::kCountersLaunchFailed;
  }
}

extern "C" __attribute__((visibility("default"))) int multipass_probe_sdk() noexcept {
  try {
    return multipass::apps::probe();
  } catch (const std::exception& error) {
    multipass::log_error(error.what());
    return multipass::apps::kCountersLaunchFailed;
  }
}
