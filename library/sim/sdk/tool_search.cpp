// SPDX-License-Identifier: MIT
#include "sim/sdk/tool_search.hpp"

#include <dlfcn.h>
#include <link.h>
#include <sys/auxv.h>

#include <algorithm>
#include <cstdlib>

#include "sim/sdk/diagnostics.hpp"

namespace multipass_sim {

namespace {

using Tools = std::vector<rocprofiler_configure_func_t>;
constexpr const char* kSymbol = "rocprofiler_configure";

void add_once(Tools& tools, void* symbol) {
  // POSIX: a function's address comes back from dlsym as an object pointer.
  const auto tool = reinterpret_cast<rocprofiler_configure_func_t>(symbol);
  if (tool != nullptr && std::find(tools.begin(), tools.end(), tool) == tools.end()) tools.push_back(tool);
}

void add_from_variable(Tools& tools) {
  const char* value = std::getenv("ROCP_TOOL_LIBRARIES");
  if (value == nullptr || getauxval(AT_SECURE) != 0) return;
  for (const std::string& path : split_tool_libraries(value)) {
    void* library = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (library == nullptr) fatal("ROCP_TOOL_LIBRARIES: cannot load " + path);
    void* symbol = dlsym(library, kSymbol);
    if (symbol == nullptr) warn("ROCP_TOOL_LIBRARIES: " + path + " has no rocprofiler_configure");
    add_once(tools, symbol);
  }
}

void add_from_link_map(Tools& tools) {
  std::vector<std::string> names;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        if (info->dlpi_name != nullptr && *info->dlpi_name != '\0') {
          static_cast<std::vector<std::string>*>(data)->emplace_back(info->dlpi_name);
        }
        return 0;
      },
      &names);
  for (const std::string& name : names) {
    void* library = dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr) continue;
    add_once(tools, dlsym(library, kSymbol));
    dlclose(library);
  }
}

}  // namespace

std::vector<std::string> split_tool_libraries(std::string_view value) {
  std::vector<std::string> result;
  if (value.find(':') == std::string_view::npos) {
    if (!value.empty()) result.emplace_back(value);
    return result;
  }
  for (std::size_t colon = value.find(':'); colon != std::string_view::npos; colon = value.find(':')) {
    if (colon != 0) result.emplace_back(value.substr(0, colon));
    value.remove_prefix(colon + 1);
  }
  return result;
}

std::vector<rocprofiler_configure_func_t> find_tools(rocprofiler_configure_func_t forced) {
  Tools tools;
  if (forced != nullptr) tools.push_back(forced);
  add_from_variable(tools);
  add_once(tools, dlsym(RTLD_DEFAULT, kSymbol));
  add_once(tools, dlsym(RTLD_NEXT, kSymbol));
  add_from_link_map(tools);
  return tools;
}

}  // namespace multipass_sim
