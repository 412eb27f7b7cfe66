// SPDX-License-Identifier: MIT
//
// A recording of what the SDK calls and what it is answered (docs/formats/recording.md), for reports and tests. Without
// SDK types, for the layers above.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/status.hpp"

namespace multipass::sdk {

// By the names of their variables without the prefix, and values as these take them.
using RecordedOptions = std::map<std::string, std::string>;

inline constexpr std::uint64_t kMostEvents = 100'000;

// From now on, of this process. Once, before anything is asked of the SDK. An error: the file cannot be made, or is
// there already; nothing is recorded.
[[nodiscard]] Status start_recording(const std::string& path, RecordedOptions options,
                                     std::uint64_t most_events = kMostEvents);
// The SDK finalises the tool. Not on a thread that is inside a callback.
void note_finalize() noexcept;
// In a forked child. Takes no lock.
void leave_recording() noexcept;

}  // namespace multipass::sdk
