// SPDX-License-Identifier: MIT
#include "tool/spawn_exporter.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <system_error>
#include <thread>
#include <vector>

#include "base/text.hpp"

namespace multipass::tool {
namespace {

std::string exporter_path() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&exporter_path), &info) == 0 || info.dli_fname == nullptr) return {};
  std::error_code error;
  const std::filesystem::path plugin = std::filesystem::canonical(info.dli_fname, error);
  if (error) return {};
  return (plugin.parent_path().parent_path() / "bin" / "rocprofsys-multipass-export").string();
}

// Variables that would load something into the exporter, or make it a profiled program itself.
bool is_unwanted(std::string_view entry) {
  for (const std::string_view prefix : {"LD_PRELOAD=", "LD_AUDIT=", "ROCP_TOOL_LIBRARIES=", "ROCPROFILER_REGISTER_",
                                        "ROCPROFSYS_", "HSA_TOOLS_LIB=", "OMP_TOOL_LIBRARIES=", "KOKKOS_TOOLS_LIBS="})
    if (entry.starts_with(prefix)) return true;
  return false;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

int start(const std::string& path, std::vector<std::string>& arguments, pid_t& child) {
  std::vector<std::string> environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
    if (!is_unwanted(*entry)) environment.emplace_back(*entry);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
#if defined(__GLIBC_PREREQ) && __GLIBC_PREREQ(2, 34)
  // Whoever waits for the end of a pipe of the program must not wait for the exporter.
  posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
#endif
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  sigset_t all;
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  const int error = posix_spawn(&child, path.c_str(), &actions, &attributes, pointers(arguments).data(),
                                pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

}  // namespace

Status spawn_exporter(const std::string& journal, const RunConfig& config, std::chrono::seconds timeout) {
  const bool default_layout = config.layout == kDefaultLayout;
  const std::string later = "; make them later with: rocprof-sys-multipass export " + journal +
                            (default_layout ? "" : " --layout " + config.layout);
  const std::string path = exporter_path();
  std::vector<std::string> arguments{path, journal, "--format", joined(config.formats, ",")};
  if (!default_layout) arguments.insert(arguments.end(), {"--layout", config.layout});
  if (!config.trace_counters) arguments.insert(arguments.end(), {"--trace-counters", "none"});
  if (config.quiet) arguments.emplace_back("--quiet");

  pid_t child = -1;
  if (const int error = start(path, arguments, child); error != 0)
    return Status::error("the outputs are not written: " + path +
                         " does not start: " + std::error_code(error, std::generic_category()).message() + later);

  const auto deadline = std::chrono::steady_clock::now() + timeout;
  while (std::chrono::steady_clock::now() < deadline) {
    int status = 0;
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child) {
      if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return Status::ok();
      return Status::error("the outputs are not complete: the exporter failed, see its message" + later);
    }
    // The program may reap all children itself (SIGCHLD ignored): then its end is all that can be known.
    if (ended < 0 && errno != EINTR) return Status::ok();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return Status::error("the exporter still writes the outputs of " + journal + "; it goes on without the program");
}

}  // namespace multipass::tool
