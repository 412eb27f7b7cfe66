// SPDX-License-Identifier: MIT
//
// The functions of HSA and HIP by the number of their tracing operation. Pure, any thread.
#pragma once

#include <span>
#include <string_view>

namespace multipass_sim {

// In the order of their numbers, from 0.
[[nodiscard]] std::span<const char* const> hsa_amd_ext_names() noexcept;
[[nodiscard]] std::span<const char* const> hip_runtime_names() noexcept;

// -1: there is no such function.
[[nodiscard]] int number_of(std::span<const char* const> names, std::string_view function);

}  // namespace multipass_sim
