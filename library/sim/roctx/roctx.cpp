// SPDX-License-Identifier: MIT
//
// The roctx library: what an application calls, through tables that the SDK may have changed. The first call of the
// process registers the tables, when a tool is wanted.
#include <unistd.h>

#include <array>
#include <atomic>
#include <string>

#include "roctracer/roctx.h"
#include "sim/hip/message.hpp"
#include "sim/hip/sdk_entry.hpp"
#include "sim/interface/roctx_table.h"

namespace multipass_sim {

// Declared in sim/hip/message.hpp; this library has its own.
void print_message(std::string_view text) noexcept {
  try {
    std::string line = "multipass-sim-roctx: ";
    line.append(text).push_back('\n');
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
  } catch (...) {
    // Out of memory: the message is dropped.
  }
}

namespace {

constinit thread_local int t_open_ranges = 0;
constinit std::atomic<std::uint64_t> last_range{0};

// What happens without a tool, and inside of what a tool sees.
multipass_sim_roctx_core core = {
    sizeof(multipass_sim_roctx_core),
    [](const char*) {},
    [](const char*) { return t_open_ranges++; },
    [] { return t_open_ranges == 0 ? -1 : --t_open_ranges; },
    [](const char*) { return ++last_range; },
    [](std::uint64_t) {},
    [](std::uint64_t* tid) {
      *tid = static_cast<std::uint64_t>(::gettid());
      return 0;
    },
};

multipass_sim_roctx_control control = {
    sizeof(multipass_sim_roctx_control),
    [](std::uint64_t) { return 0; },
    [](std::uint64_t) { return 0; },
};

multipass_sim_roctx_name name = {
    sizeof(multipass_sim_roctx_name),
    [](const char*) { return 0; },
    [](const char*, const hsa_agent_s*) { return 0; },
    [](const char*, int) { return 0; },
    [](const char*, const ihipStream_t*) { return 0; },
};

void register_tables() noexcept {
  std::array<void*, MULTIPASS_SIM_ROCTX_TABLES> tables = {&core, &control, &name};
  offer_to_sdk("roctx", ROCTX_VERSION_MAJOR, tables);
}

// A tool that calls roctx while it is loaded comes back here on the same thread, and finds the tables as they are.
void ready() noexcept {
  thread_local bool registering = false;
  if (registering) return;
  registering = true;
  static const bool once = (register_tables(), true);
  static_cast<void>(once);
  registering = false;
}

}  // namespace
}  // namespace multipass_sim

using multipass_sim::ready;

extern "C" {

void roctxMarkA(const char* message) {
  ready();
  multipass_sim::core.mark(message);
}

int roctxRangePushA(const char* message) {
  ready();
  return multipass_sim::core.range_push(message);
}

int roctxRangePop(void) {
  ready();
  return multipass_sim::core.range_pop();
}

roctx_range_id_t roctxRangeStartA(const char* message) {
  ready();
  return multipass_sim::core.range_start(message);
}

void roctxRangeStop(roctx_range_id_t id) {
  ready();
  multipass_sim::core.range_stop(id);
}

int roctxGetThreadId(roctx_thread_id_t* tid) {
  ready();
  return multipass_sim::core.get_thread_id(tid);
}

int roctxProfilerPause(roctx_thread_id_t tid) {
  ready();
  return multipass_sim::control.profiler_pause(tid);
}

int roctxProfilerResume(roctx_thread_id_t tid) {
  ready();
  return multipass_sim::control.profiler_resume(tid);
}

int roctxNameOsThread(const char* name) {
  ready();
  return multipass_sim::name.name_os_thread(name);
}

int roctxNameHsaAgent(const char* name, const struct hsa_agent_s* agent) {
  ready();
  return multipass_sim::name.name_hsa_agent(name, agent);
}

int roctxNameHipDevice(const char* name, int device_id) {
  ready();
  return multipass_sim::name.name_hip_device(name, device_id);
}

int roctxNameHipStream(const char* name, const struct ihipStream_t* stream) {
  ready();
  return multipass_sim::name.name_hip_stream(name, stream);
}

uint32_t roctx_version_major(void) {
  return ROCTX_VERSION_MAJOR;
}

uint32_t roctx_version_minor(void) {
  return ROCTX_VERSION_MINOR;
}

}  // extern "C"
