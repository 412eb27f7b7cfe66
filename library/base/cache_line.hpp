// SPDX-License-Identifier: MIT
//
// kCacheLine: what is written by the threads of one agent starts on a line of its own, so that agents do not slow each
// other down. A number of ours: std::hardware_destructive_interference_size changes with compiler options.
#pragma once

#include <cstddef>

namespace multipass {

inline constexpr std::size_t kCacheLine = 64;  // x86-64, and most of aarch64

}  // namespace multipass
