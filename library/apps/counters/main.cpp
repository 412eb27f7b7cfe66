// SPDX-License-Identifier: MIT
//
// rocprofsys-multipass-counters: asks the SDK of this machine what its GPUs can count. Prints an index of the agents on
// stdout and, with --output, writes a catalogue for each kind of GPU. The Python package runs it.
//
// It is linked without the SDK, so that it can say what is wrong where there is none; what calls the SDK is in a module
// that is loaded behind it.
#include <dlfcn.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "apps/counters/entry.hpp"
#include "base/environment.hpp"
#include "base/log.hpp"

namespace {

namespace fs = std::filesystem;

using multipass::apps::CountersEntry;
using multipass::apps::kCountersLaunchFailed;
using multipass::apps::kCountersOk;
using multipass::apps::kCountersUsage;
using multipass::apps::ProbeEntry;

constexpr const char* kSdkName = "librocprofiler-sdk.so.1";
constexpr const char* kModule = "librocprofsys-multipass-counters.so";
// Tools that these name would be loaded into this process, and a file that is not there ends it (rocprofiler-sdk
// registration.cpp @0028ad56).
constexpr const char* kToolVariable = "ROCP_TOOL_LIBRARIES";

struct Arguments {
  std::optional<std::string> directory;
  std::string sdk;  // empty: by the usual search
  bool probe = false;
};

// Nothing when the command line was answered or refused; then `code` is the exit code.
std::optional<Arguments> parse_arguments(int argc, char** argv, int& code) {
  Arguments arguments;
  std::string directory;
  CLI::App app{"Asks rocprofiler-sdk what the GPUs of this machine can count, and prints the agents as JSON."};
  CLI::Option* output =
      app.add_option("--output", directory, "Also write the catalogue of each kind of GPU into this folder")
          ->check(CLI::ExistingDirectory)
          ->type_name("DIR");
  app.add_option("--sdk", arguments.sdk,
                 std::string("The SDK's library; default: ") + kSdkName + " by the usual search")
      ->type_name("FILE");
  app.add_flag("--probe", arguments.probe,
               "Print what the SDK lets a tool do in place of the counters, a line of JSON each")
      ->excludes(output);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    code = app.exit(error) == 0 ? kCountersOk : kCountersUsage;
    return std::nullopt;
  }
  if (output->count() > 0) arguments.directory = directory;
  return arguments;
}

// Where the SDK may be: where the loader looks, then where ROCm is installed.
std::vector<std::string> sdk_candidates(const std::string& asked) {
  if (!asked.empty()) return {asked};
  std::vector<std::string> candidates{kSdkName};
  if (const auto root = multipass::environment::first_of({"ROCM_PATH"}))
    candidates.push_back(*root + "/lib/" + kSdkName);
  candidates.push_back(std::string("/opt/rocm/lib/") + kSdkName);
  return candidates;
}

std::string last_dl_error() {
  const char* const error = dlerror();
  return error == nullptr ? "no reason given" : error;
}

// Loads it for the rest of the process; the module finds it by its name.
bool load_sdk(const std::string& asked) {
  std::string reason;
  for (const std::string& candidate : sdk_candidates(asked)) {
    if (dlopen(candidate.c_str(), RTLD_NOW | RTLD_GLOBAL) != nullptr) return true;
    const std::string error = last_dl_error();
    std::error_code ignored;
    // Of a file that is there and cannot be loaded, the reason matters more than that another is missing.
    if (reason.empty() || (candidate.find('/') != std::string::npos && fs::exists(candidate, ignored))) reason = error;
  }
  multipass::log_error("rocprofiler-sdk cannot be loaded: " + reason +
                       "; install ROCm, add its folder to LD_LIBRARY_PATH, or simulate GPUs (--simulate gfx942)");
  return false;
}

void* load_module(const char* name) {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  const std::string path = self.parent_path().parent_path() / "lib" / kModule;
  void* const module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const entry = module == nullptr ? nullptr : dlsym(module, name);
  if (entry == nullptr) multipass::log_error("a part of rocprofsys-multipass cannot be loaded: " + last_dl_error());
  return entry;
}

int run(const Arguments& arguments) {
  ::unsetenv(kToolVariable);
  if (!load_sdk(arguments.sdk)) return kCountersLaunchFailed;
  void* const entry = load_module(arguments.probe ? multipass::apps::kProbeEntry : multipass::apps::kCountersEntry);
  if (entry == nullptr) return kCountersLaunchFailed;
  // POSIX: a function comes back from dlsym as an object pointer.
  if (arguments.probe) return reinterpret_cast<ProbeEntry>(entry)();
  return reinterpret_cast<CountersEntry>(entry)(arguments.directory ? arguments.directory->c_str() : nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    int code = kCountersOk;
    const std::optional<Arguments> arguments = parse_arguments(argc, argv, code);
    return arguments ? run(*arguments) : code;
  } catch (const std::exception& error) {
    multipass::log_error(error.what());
    return kCountersLaunchFailed;
  }
}
