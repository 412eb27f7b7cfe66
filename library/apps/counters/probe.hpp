// SPDX-License-Identifier: MIT
//
// What the loaded SDK lets a tool do on this machine, for `doctor`: what it is, its agents, and whether the services of
// the plugin can be set up. Nothing is launched and no GPU is touched.
// Threads: one. Errors: a Status when the SDK does not take this program as a tool; what it refuses after that is text
// in the answer. An SDK may end or block the process: what was found before is handed on first.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/mapped_libraries.hpp"
#include "base/status.hpp"
#include "model/agent.hpp"
#include "sdk/inventory.hpp"

namespace multipass::apps {

struct ProbedAgent {
  AgentInfo info;
  std::size_t counters = 0;
  std::string reason;   // why there are no counters
  std::string refused;  // why a configuration of one counter is refused; empty: it is made, or there are no counters
};

struct ProbedSdk {
  sdk::SdkIdentity identity;
  sdk::Features features;
  std::vector<LibraryCopies> copies;  // that loading the SDK brought into this process
  std::vector<ProbedAgent> agents;    // by node id; CPUs too
};

// The words that the plugin would say. Empty: no objection.
struct ProbedServices {
  std::string setup;     // contexts, tracing, counting
  std::string replay;    // kernel replay; empty too where this SDK does not have it
  std::string counting;  // start of counting
};

struct ProbeListener {
  std::function<void(const ProbedSdk&)> sdk;
  std::function<void(const ProbedServices&)> services;
};

// Registers with the SDK, once per process. Each part is handed on as soon as it is known.
Status probe_sdk(const ProbeListener& tell);

// One line of JSON each, "stage" first (schema 1, docs/formats/doctor.md).
[[nodiscard]] std::string probe_json(const ProbedSdk& sdk);
[[nodiscard]] std::string probe_json(const ProbedServices& services);

}  // namespace multipass::apps
