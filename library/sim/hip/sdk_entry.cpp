// SPDX-License-Identifier: MIT
#include "sim/hip/sdk_entry.hpp"

#include <dlfcn.h>
#include <sys/stat.h>

#include <array>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>

#include "sim/hip/message.hpp"

namespace multipass_sim {
namespace {

constexpr const char* kSdkName = "librocprofiler-sdk.so.1";
constexpr const char* kEntryPoint = "rocprofiler_set_api_table";
constexpr std::array kToolVariables = {"ROCP_TOOL_LIBRARIES", "ROCPROFILER_REGISTER_LIBRARY",
                                       "ROCPROFILER_REGISTER_FORCE_LOAD"};

using SetApiTable = int (*)(const char* name, std::uint64_t version, std::uint64_t instance, void** tables,
                            std::uint64_t table_count);

std::string_view environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string_view{} : std::string_view{value};
}

// What makes the real register library look for the SDK: a tool in the process, or one named by a variable.
bool tool_wanted() {
  if (environment("ROCPROFILER_REGISTER_ENABLED") == "0") return false;
  for (const char* variable : kToolVariables) {
    if (!environment(variable).empty()) return true;
  }
  return ::dlsym(RTLD_DEFAULT, "rocprofiler_configure") != nullptr;
}

// The file of the module that holds the address; empty when unknown.
std::string file_of(const void* address) {
  Dl_info info{};
  if (::dladdr(address, &info) == 0 || info.dli_fname == nullptr) return {};
  return info.dli_fname;
}

std::string sdk_path() {
  const std::string own = file_of(reinterpret_cast<const void*>(&offer_to_sdk));
  const std::size_t slash = own.rfind('/');
  return slash == std::string::npos ? kSdkName : own.substr(0, slash + 1) + kSdkName;
}

bool same_file(const std::string& one, const std::string& other) {
  struct stat first{};
  struct stat second{};
  return ::stat(one.c_str(), &first) == 0 && ::stat(other.c_str(), &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

// The entry point of the SDK at `path`. A copy that the tool has brought along is taken if it is that file: another
// one, a real SDK at the worst, would take our table for its own.
SetApiTable find_entry_point(const std::string& path) {
  void* library = ::dlopen(kSdkName, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
  if (library == nullptr) library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) {
    const char* const reason = ::dlerror();
    print_message(std::string("no profiling: ") + (reason == nullptr ? path.c_str() : reason));
    return nullptr;
  }
  void* const entry = ::dlsym(library, kEntryPoint);
  const std::string loaded = entry == nullptr ? std::string{} : file_of(entry);
  if (!same_file(loaded, path)) {
    print_message("no profiling: the process holds another " + std::string(kSdkName) + " than the simulator's, " +
                  path + (loaded.empty() ? "" : ": " + loaded));
    return nullptr;
  }
  return reinterpret_cast<SetApiTable>(entry);
}

}  // namespace

void offer_to_sdk(const char* name, std::uint64_t version, std::span<void*> tables) noexcept {
  try {
    if (!tool_wanted()) return;
    const SetApiTable set_api_table = find_entry_point(sdk_path());
    if (set_api_table == nullptr) return;
    const int status = set_api_table(name, version, 0, tables.data(), tables.size());
    if (status != 0) print_message("no profiling: the SDK refused the runtime, status " + std::to_string(status));
  } catch (const std::exception&) {
    print_message("no profiling: out of memory");
  }
}

}  // namespace multipass_sim
