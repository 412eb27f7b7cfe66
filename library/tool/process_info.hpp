// SPDX-License-Identifier: MIT
//
// Facts of this process and machine for the run's metadata. Read once while the tool initialises. What cannot be read
// stays empty.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/run.hpp"

namespace multipass::tool {

[[nodiscard]] std::vector<std::string> command_line();  // /proc/self/cmdline
[[nodiscard]] std::string application_name();           // last part of the executable's path
[[nodiscard]] std::string host_name();
[[nodiscard]] std::uint64_t clock_ns(int clock) noexcept;  // CLOCK_* of <time.h>

// The rank that an MPI or batch launcher gave this process (OpenMPI, PMI, MVAPICH, SLURM, PALS, Flux).
[[nodiscard]] std::optional<std::uint32_t> launcher_rank();

// A fresh UUID of version 7: milliseconds of real time, then random bits. 36 characters.
[[nodiscard]] std::string make_guid();

// Everything of RunMetadata that is a fact of the process; the SDK's and the request's members stay as they are.
void describe_process(RunMetadata& run);

}  // namespace multipass::tool
