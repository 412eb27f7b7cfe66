// SPDX-License-Identifier: MIT
//
// rocprof-sys in the process that is profiled, and who of the two counts. Both read ROCPROFSYS_ROCM_EVENTS where this
// tool was given no list of its own, and of two clients that count dispatches the SDK starts the first one only
// (status 12). A list that needs one pass everywhere is rocprof-sys's business; one that needs more is ours, since
// rocprof-sys's only configuration is then refused (status 38), and it has no counters at all.
// Threads: pure functions, but find_neighbour() reads the environment, while the tool initialises. Errors: none but
// std::bad_alloc.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/run.hpp"
#include "tool/preparation.hpp"

namespace multipass::tool {

struct Neighbour {
  bool there = false;    // rocprof-sys is loaded, and nothing keeps it from registering with the SDK
  std::string events;    // its ROCPROFSYS_ROCM_EVENTS; a list in one of its files is not seen
  bool streams = false;  // it reads counters as a stream (SPM), and ends the program where another client counts
  friend bool operator==(const Neighbour&, const Neighbour&) = default;
};

// `maps`: the text of /proc/self/maps. Its libraries are librocprof-sys.so and librocprof-sys-dl.so, or what
// ROCPROFSYS_LIBRARY and ROCPROFSYS_DL_LIBRARY name; librocprof-sys-user.so, which programs link to mark regions, is
// not enough.
[[nodiscard]] Neighbour find_neighbour(std::string_view maps);

// Why nothing may be set up beside a rocprof-sys that streams.
[[nodiscard]] std::string streaming_text();

// The list is rocprof-sys's own, which collects it as well as we would: nothing of ours is to be set up.
[[nodiscard]] bool leaves_to(const Neighbour& neighbour, const RunConfig& config,
                             const std::vector<PreparedAgent>& agents);

// What is said when nothing is to be collected: for want of a list, which may be in a file of rocprof-sys.
[[nodiscard]] std::string unasked_text();

// What is said when it is left to rocprof-sys.
[[nodiscard]] std::string leaving_text();

// What is said when this tool counts beside a rocprof-sys that has a list: what it will print, and how to avoid that.
// Empty where there is nothing to say.
[[nodiscard]] std::string counting_text(const Neighbour& neighbour, const RunConfig& config,
                                        const std::vector<PreparedAgent>& agents);

// What follows the SDK's refusal to start our counting beside another client's: who that is, as far as can be told, and
// what to do. `tools`: the value of ROCP_TOOL_LIBRARIES.
[[nodiscard]] std::string refused_text(const Neighbour& neighbour, const RunConfig& config,
                                       const std::vector<PreparedAgent>& agents, std::string_view tools);

}  // namespace multipass::tool
