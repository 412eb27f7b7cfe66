// SPDX-License-Identifier: MIT
//
// Stands in for the stand-in SDK: says on stderr how it was called, runs every launch twice, and at exit drains the
// queue of the last launch and says how many executions there were.
#include <atomic>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "sim/interface/runtime_table.h"

namespace {

multipass_sim_runtime* runtime = nullptr;
std::atomic<int> executions{0};
std::atomic<int> launches{0};

void count(void*, const multipass_sim_execution*) {
  executions.fetch_add(1);
}

void submit(multipass_sim_packet* packet) {
  launches.fetch_add(1);
  runtime->open_window(packet);
  runtime->execute(packet, &count, nullptr);
  runtime->execute(packet, &count, nullptr);
  runtime->close_window(packet);
}

// As the SDK's finaliser does: the workers must still run, so that what was launched is counted.
void finish() {
  while (executions.load() < 2 * launches.load()) {
  }
  std::fprintf(stderr, "fake sdk: %d executions\n", executions.load());
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int rocprofiler_set_api_table(const char* name, std::uint64_t version,
                                                                                std::uint64_t instance, void** tables,
                                                                                std::uint64_t table_count) {
  runtime = static_cast<multipass_sim_runtime*>(tables[0]);
  std::fprintf(stderr, "fake sdk: %s %" PRIu64 " %" PRIu64 " %" PRIu64 " size %d\n", name, version, instance,
               table_count, runtime->size == sizeof(multipass_sim_runtime) ? 1 : 0);
  runtime->on_submit = &submit;
  runtime->intercept();
  return std::atexit(&finish);
}
