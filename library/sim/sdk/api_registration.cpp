// SPDX-License-Identifier: MIT
//
// C functions: registration, version, names, time.
#include <array>
#include <string>
#include <string_view>

#include "sim/sdk/clock.hpp"
#include "sim/sdk/diagnostics.hpp"
#include "sim/sdk/kinds.hpp"
#include "sim/sdk/sdk.hpp"
#include "sim/sdk/version.hpp"

namespace multipass_sim {

namespace {

struct Library {
  std::string_view name;
  std::uint64_t tables;  // fewer are fatal
};

constexpr std::string_view kHsa = "hsa";
constexpr std::string_view kRoctx = "roctx";

constexpr std::array kLibraries = {
    Library{kHsa, 1},      Library{"hip", 0},      Library{"hip_compiler", 0},
    Library{kRoctx, 3},    Library{"rccl", 0},     Library{"rocdecode", 0},
    Library{"rocjpeg", 0}, Library{"rocshmem", 0}, Library{"hipfile", 0},
};

const Library* find_library(const char* name) {
  if (name == nullptr) return nullptr;
  for (const Library& library : kLibraries) {
    if (library.name == name) return &library;
  }
  return nullptr;
}

// A code that the library which is played does not have.
bool is_newer(rocprofiler_status_t status) {
  return status >= kStatusCodes100 && sdk().faults.on(Fault::kSdk100);
}

multipass_sim_runtime* runtime_of(void** tables) {
  auto* runtime = static_cast<multipass_sim_runtime*>(tables[0]);
  if (runtime == nullptr || runtime->size < sizeof(multipass_sim_runtime)) {
    fatal("the runtime's table is not one of the simulator");
  }
  return runtime;
}

}  // namespace

}  // namespace multipass_sim

using multipass_sim::sdk;

int rocprofiler_set_api_table(const char* name, uint64_t, uint64_t, void** tables, uint64_t num_tables) {
  const multipass_sim::Library* library = multipass_sim::find_library(name);
  if (library == nullptr) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
  if (num_tables < library->tables || (library->tables != 0 && tables == nullptr)) {
    multipass_sim::fatal("too few tables for library " + std::string(library->name));
  }
  if (library->name == multipass_sim::kHsa) sdk().offer(multipass_sim::runtime_of(tables));
  sdk().registration.run(nullptr);
  sdk().attach();
  if (library->name == multipass_sim::kRoctx && sdk().registration.has_clients()) sdk().markers.intercept(tables);
  return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_force_configure(rocprofiler_configure_func_t configure_func) {
  return sdk().registration.force(configure_func);
}

rocprofiler_status_t rocprofiler_is_initialized(int* status) {
  *status = sdk().registration.initialized();
  return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_is_finalized(int* status) {
  *status = sdk().registration.finalized();
  return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_get_version(uint32_t* major, uint32_t* minor, uint32_t* patch) {
  const multipass_sim::Version& version = multipass_sim::version(sdk().faults);
  if (major != nullptr) *major = version.major;
  if (minor != nullptr) *minor = version.minor;
  if (patch != nullptr) *patch = version.patch;
  return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_get_version_triplet(rocprofiler_version_triplet_t* info) {
  const multipass_sim::Version& version = multipass_sim::version(sdk().faults);
  *info = {version.major, version.minor, version.patch};
  return ROCPROFILER_STATUS_SUCCESS;
}

const char* rocprofiler_get_status_name(rocprofiler_status_t status) {
  if (multipass_sim::is_newer(status)) return nullptr;
  if (status == ROCPROFILER_STATUS_ERROR_CONFIG_NOT_FOUND && sdk().faults.on(multipass_sim::Fault::kSdk100)) {
    return "ROCPROFILER_STATUS_ERROR_PROFILE_NOT_FOUND";
  }
  return multipass_sim::status_name(status);
}

const char* rocprofiler_get_status_string(rocprofiler_status_t status) {
  return multipass_sim::is_newer(status) ? nullptr : multipass_sim::status_text(status);
}

rocprofiler_status_t rocprofiler_get_timestamp(rocprofiler_timestamp_t* ts) {
  *ts = multipass_sim::boottime_ns();
  return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_get_thread_id(rocprofiler_thread_id_t* tid) {
  *tid = multipass_sim::thread_id();
  return ROCPROFILER_STATUS_SUCCESS;
}
