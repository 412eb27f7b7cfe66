// SPDX-License-Identifier: MIT
#include "application.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <iterator>

#include "journal/reader.hpp"

namespace multipass::e2e {
namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<std::string> environment_with(const Environment& changes) {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const bool foreign =
        text.starts_with("ROCP") || text.starts_with("OMPI_") || text.starts_with("SLURM_") || text.starts_with("PMI");
    if (!foreign && !changes.contains(text.substr(0, text.find('=')))) entries.push_back(text);
  }
  for (const auto& [name, value] : changes) entries.push_back(name + "=" + value);
  return entries;
}

}  // namespace

Folder::Folder() {
  static std::atomic<unsigned> counter{0};
  path_ = fs::temp_directory_path() / ("e2e-" + std::to_string(getpid()) + "-" + std::to_string(counter++));
  fs::create_directories(path_);
}

Folder::~Folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

fs::path Folder::only(const std::string& extension) const {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(path_))
    if (entry.path().extension() == extension) found.push_back(entry.path());
  EXPECT_LE(found.size(), 1U) << extension;
  return found.empty() ? fs::path() : found[0];
}

std::string example(const std::string& name) {
  if (name == "demo") return std::string(MULTIPASS_NATIVE_DIR) + "/demo/multipass-demo";
  return std::string(MULTIPASS_EXAMPLES_DIR) + "/" + name + "/" + name;
}

std::string plugin() {
  return std::string(MULTIPASS_NATIVE_DIR) + "/lib/librocprofsys-multipass.so";
}

Outcome run(const std::string& program, const Environment& environment, const std::vector<std::string>& arguments) {
  const Folder scratch;
  const fs::path out = scratch.path() / "stdout";
  const fs::path err = scratch.path() / "stderr";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), O_WRONLY | O_CREAT, 0600);
  std::vector<std::string> entries = environment_with(environment);
  std::vector<char*> pointers;
  for (std::string& entry : entries) pointers.push_back(entry.data());
  pointers.push_back(nullptr);
  std::vector<std::string> words{program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t child = -1;
  const int error = posix_spawn(&child, program.c_str(), &actions, nullptr, argv.data(), pointers.data());
  posix_spawn_file_actions_destroy(&actions);
  EXPECT_EQ(error, 0) << program;
  Outcome outcome;
  int status = 0;
  if (error != 0 || waitpid(child, &status, 0) != child) return outcome;
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.out = content(out);
  outcome.err = content(err);
  return outcome;
}

Outcome run_profiled(const std::string& program, const std::string& events, const Folder& folder,
                     Environment environment, const std::vector<std::string>& arguments) {
  environment.emplace("ROCP_TOOL_LIBRARIES", plugin());
  environment.emplace("ROCPROFSYS_ROCM_EVENTS", events);
  environment.emplace("ROCPROFSYS_MULTIPASS_OUTPUT", folder.path().string());
  return run(program, environment, arguments);
}

const journal::AgentFrame& Capture::gpu(std::uint32_t device) const {
  for (const journal::AgentFrame& agent : agents)
    if (agent.agent.type == AgentType::kGpu && agent.agent.device == device) return agent;
  ADD_FAILURE() << "no GPU " << device;
  static const journal::AgentFrame kNone;
  return kNone;
}

double Capture::value(const PassRecord& pass, const std::string& counter, std::uint32_t device) const {
  const auto& counters = gpu(device).counters;
  for (std::size_t i = 0; i < pass.counters.size(); ++i)
    if (counters.at(pass.counters[i].value).name == counter) return pass.values[i];
  ADD_FAILURE() << counter << " is not in the pass";
  return -1;
}

double Capture::value(const DispatchRecord& dispatch, const std::string& counter) const {
  const auto& counters = gpu().counters;
  for (const PassRecord& pass : dispatch.passes)
    for (std::size_t i = 0; i < pass.counters.size(); ++i)
      if (counters.at(pass.counters[i].value).name == counter) return pass.values[i];
  ADD_FAILURE() << counter << " is not in dispatch " << dispatch.dispatch_id.value;
  return -1;
}

Capture read_capture(const Folder& folder) {
  Capture capture;
  auto reader = journal::JournalReader::open(folder.only(".journal").string());
  EXPECT_TRUE(reader) << reader.message();
  if (!reader) return capture;
  while (auto frame = reader->next()) {
    if (const auto* run = std::get_if<RunMetadata>(&*frame)) capture.run = *run;
    if (const auto* agent = std::get_if<journal::AgentFrame>(&*frame)) capture.agents.push_back(*agent);
    if (const auto* kernel = std::get_if<KernelSymbol>(&*frame)) capture.kernels[kernel->id.value] = *kernel;
    if (const auto* dispatch = std::get_if<DispatchRecord>(&*frame)) capture.dispatches.push_back(*dispatch);
    if (const auto* warning = std::get_if<journal::WarningFrame>(&*frame)) capture.warnings.push_back(warning->text);
    if (std::holds_alternative<journal::EndFrame>(*frame)) capture.ended = true;
  }
  EXPECT_TRUE(reader->damage().none());
  std::sort(capture.dispatches.begin(), capture.dispatches.end(),
            [](const DispatchRecord& a, const DispatchRecord& b) { return a.dispatch_id < b.dispatch_id; });
  return capture;
}

}  // namespace multipass::e2e
