// SPDX-License-Identifier: MIT
//
// The one symbol of the module: reads the SDK, writes the catalogues, prints the index.
#include "apps/counters/entry.hpp"

#include <cstdio>
#include <exception>

#include "apps/counters/index_json.hpp"
#include "apps/counters/live_catalogues.hpp"
#include "apps/counters/write_file.hpp"
#include "base/log.hpp"
#include "catalogue/json.hpp"

namespace multipass::apps {
namespace {

std::string source_text(const LiveCatalogues& live) {
  return "rocprofiler-sdk " + live.sdk.version + (live.sdk.simulated ? " (simulated)" : "");
}

int print(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (std::fflush(stdout) == 0 && written) return kCountersOk;
  log_error("standard output cannot be written");
  return kCountersOutputFailed;
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
  return print(index_json(*live, files));
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
