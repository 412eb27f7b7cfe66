// SPDX-License-Identifier: MIT
//
// The state of the stand-in client and what its parts share. Set up in configure and initialize, before any callback;
// after that only `times` changes, under `mutex`. Owner: the process; never destroyed.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>

#include "sdk/abi/rocprofiler.h"
#include "settings.hpp"

namespace standin {

struct Agent {
  const rocprofiler_agent_v0_t* info;
  unsigned long ordinal;  // among GPUs by node id
};

struct Times {
  std::uint64_t start;
  std::uint64_t end;
};

struct Client {
  Settings settings;
  bool of_2025 = false;
  bool configured = false;
  std::map<std::uint64_t, Agent> agents;                                   // GPUs, by handle
  std::map<std::uint64_t, rocprofiler_counter_config_id_t> configs;        // by agent; 0: the list does not fit
  std::map<std::uint64_t, std::map<std::uint64_t, std::string>> counters;  // names by agent and id
  rocprofiler_context_id_t primary{0}, counter{0};
  rocprofiler_buffer_id_t buffer{0};
  std::mutex mutex;
  std::unordered_map<std::uint64_t, Times> times;  // by dispatch
};

Client& client();

// The correlation id of this thread's last launch.
std::uint64_t& last_correlation();

// rocprof-sys logs a call that failed and goes on.
bool checked(const char* call, rocprofiler_status_t status);

std::string status_text(rocprofiler_status_t status);

// Makes a configuration of each agent and the context that counts (counters.cpp).
void count_kernels(const std::vector<Event>& events);

}  // namespace standin
