// SPDX-License-Identifier: MIT
//
// Lines of the HIP stand-in for the user: stderr only, one write each. Any thread, never throws.
#pragma once

#include <string_view>

namespace multipass_sim {

void print_message(std::string_view text) noexcept;

}  // namespace multipass_sim
