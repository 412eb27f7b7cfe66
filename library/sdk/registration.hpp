// SPDX-License-Identifier: MIT
//
// For programs of ours that ask the SDK on their own, without a profiled application: they register themselves.
// Threads: one. Errors: a Status with the SDK's code, or with what `work` threw.
#pragma once

#include <functional>

#include "base/status.hpp"

namespace multipass::sdk {

// Registers this process as a tool and runs `work` once, inside the SDK's initialize call. At most once per process,
// and before any GPU runtime is loaded: afterwards the SDK answers CONFIGURATION_LOCKED (16). Needs no runtime and no
// GPU. The SDK finalises by itself when the process exits.
[[nodiscard]] Status run_registered(const std::function<void()>& work);

}  // namespace multipass::sdk
