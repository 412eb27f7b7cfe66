// SPDX-License-Identifier: MIT
//
// What the plugin is compared with, for callback_bench: two clients of the SDK that ask for the same services and have
// every launch replayed with the same counters.
//
//   empty  does nothing but answer: a pass count, and the configuration of the pass that the thread is in
//   plain  in the manner of upstream's sample of counter collection as its documentation describes it: the dispatch
//          callback looks the agent's configuration up in a map under a lock, the record callback adds the values up
//          under another one; both are of the process
//
// And what is measured of any client: the callbacks that are registered while this is linked go through a wrapper,
// which adds up the time inside of them on threads that want it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace multipass::bench {

enum class Client : std::uint8_t { kEmpty, kPlain, kPlugin };

// Counters of each pass.
using Passes = std::vector<std::vector<std::string>>;

// Registers one of the two with the SDK; the plugin is registered by ROCP_TOOL_LIBRARIES. Once per process.
void register_client(Client client, const Passes& passes);

// What this thread has spent in callbacks of the client, from count_this_thread() on.
struct Ticks {
  std::uint64_t passes = 0;   // in those of the passes
  std::uint64_t windows = 0;  // in those of the replay window, CONFIG
};
void count_this_thread() noexcept;
[[nodiscard]] Ticks ticks_in_callbacks() noexcept;
[[nodiscard]] std::uint64_t now_ticks() noexcept;

// Counter records that came, of the two clients: that there was something to do.
[[nodiscard]] std::uint64_t records() noexcept;

}  // namespace multipass::bench
