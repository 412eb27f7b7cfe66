// SPDX-License-Identifier: MIT
//
// Tells people early that a trace will be larger than a browser holds, and what they can do. While the input is read
// the size is extrapolated: bytes of trace per byte of input. Owner: the Perfetto sink. One thread. No errors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

namespace multipass::output::perfetto {

// What a tab holds: WebAssembly and array buffers of browsers end between 2 and 4 GB.
inline constexpr std::uint64_t kBrowserLimit = 2'000'000'000;

class SizeWarning final {
 public:
  explicit SizeWarning(std::filesystem::path trace, std::uint64_t limit = kBrowserLimit)
      : trace_(std::move(trace)), limit_(limit) {}

  // `read` of `total` bytes of the input have become `written` bytes of trace. A warning when the trace is going to be
  // past the limit: the first time that it is known, and again when all is read and the size is certain.
  [[nodiscard]] std::optional<std::string> progress(std::uint64_t read, std::uint64_t total, std::uint64_t written);

  // Bytes of the whole trace; nothing as long as too little is read to tell.
  [[nodiscard]] static std::optional<std::uint64_t> estimate(std::uint64_t read, std::uint64_t total,
                                                             std::uint64_t written) noexcept;

 private:
  std::filesystem::path trace_;
  std::uint64_t limit_;
  bool said_ = false;
};

}  // namespace multipass::output::perfetto
