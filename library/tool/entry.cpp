// SPDX-License-Identifier: MIT
//
// The one symbol that the plugin exports. The SDK finds it by name and calls it while it starts.
#include <pthread.h>

#include "sdk/abi/rocprofiler.h"
#include "tool/tool.hpp"

namespace {

// For `doctor`, which reads the file: its version without loading it.
[[gnu::used]] constexpr char kVersionMark[] = "rocprofsys-multipass-version: " MULTIPASS_VERSION;

// The only mutable global: created once, never destroyed, for the SDK may call back until the process has ended.
multipass::tool::Tool* g_tool = nullptr;

void before_fork() noexcept {
  g_tool->before_fork();
}
void after_fork_in_parent() noexcept {
  g_tool->after_fork_in_parent();
}
void after_fork_in_child() noexcept {
  g_tool->after_fork_in_child();
}

int initialize(rocprofiler_client_finalize_t, void*) noexcept {
  const bool profiles = g_tool->initialize();
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
  return profiles ? 0 : -1;
}

void finalize(void*) noexcept {
  g_tool->finalize();
}

rocprofiler_tool_configure_result_t g_result{sizeof(rocprofiler_tool_configure_result_t), &initialize, &finalize,
                                             nullptr};

}  // namespace

extern "C" rocprofiler_tool_configure_result_t* rocprofiler_configure(uint32_t, const char*, uint32_t,
                                                                      rocprofiler_client_id_t* client) {
  // Any priority is accepted: a plugin is rarely first.
  if (client != nullptr) client->name = "rocprofsys-multipass";
  if (g_tool != nullptr) return nullptr;  // a second registration in one process
  g_tool = multipass::tool::Tool::create().release();
  return g_tool == nullptr ? nullptr : &g_result;
}
