// SPDX-License-Identifier: MIT
//
// What the program calls: reads the recording, loads the tool, plays.
#include "sim/play/play.h"

#include <dlfcn.h>

#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>

#include "sim/play/player.hpp"
#include "sim/sdk/diagnostics.hpp"
#include "sim/sdk/tool_search.hpp"

namespace multipass_sim::play {

namespace {

std::optional<Player>& the_player() {
  static std::optional<Player> player;
  return player;
}

std::string read(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw std::runtime_error(file + ": cannot be read");
  return {std::istreambuf_iterator<char>(stream), {}};
}

rocprofiler_configure_func_t load_tool() {
  const char* value = std::getenv("ROCP_TOOL_LIBRARIES");
  const std::vector<std::string> paths = split_tool_libraries(value == nullptr ? "" : value);
  if (paths.size() != 1) {
    throw std::runtime_error("ROCP_TOOL_LIBRARIES must name one library, the tool to play to; it names " +
                             std::to_string(paths.size()));
  }
  void* library = dlopen(paths[0].c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(std::string("ROCP_TOOL_LIBRARIES: ") + dlerror());
  void* symbol = dlsym(library, "rocprofiler_configure");
  if (symbol == nullptr) throw std::runtime_error(paths[0] + " has no rocprofiler_configure");
  return reinterpret_cast<rocprofiler_configure_func_t>(symbol);
}

}  // namespace

Player& player() {
  return *the_player();
}

}  // namespace multipass_sim::play

int rocprofiler_multipass_play(const char* file) {
  using namespace multipass_sim::play;
  try {
    Recording recording = parse_recording(read(file), file);
    const rocprofiler_configure_func_t tool = load_tool();
    the_player().emplace(std::move(recording)).play(tool);
    return 0;
  } catch (const std::exception& error) {
    multipass_sim::warn(error.what());
    return 1;
  }
}
