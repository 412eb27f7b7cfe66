// SPDX-License-Identifier: MIT
#include "output/perfetto/size_warning.hpp"

#include <array>
#include <cstdio>

namespace multipass::output::perfetto {
namespace {

// Of the input. What stands at its start, names and tracks, is not what the rest is like.
constexpr std::uint64_t kFirstPart = 64;

std::string size_text(std::uint64_t bytes) {
  std::array<char, 32> text{};
  const bool large = bytes >= 100'000'000;
  std::snprintf(text.data(), text.size(), large ? "%.1f GB" : "%.1f MB",
                static_cast<double>(bytes) / (large ? 1e9 : 1e6));
  return text.data();
}

}  // namespace

std::optional<std::uint64_t> SizeWarning::estimate(std::uint64_t read, std::uint64_t total,
                                                   std::uint64_t written) noexcept {
  if (read >= total) return written;
  if (read < total / kFirstPart || read == 0) return std::nullopt;
  return static_cast<std::uint64_t>(static_cast<double>(written) *
                                    (static_cast<double>(total) / static_cast<double>(read)));
}

std::optional<std::string> SizeWarning::progress(std::uint64_t read, std::uint64_t total, std::uint64_t written) {
  const std::optional<std::uint64_t> size = estimate(read, total, written);
  const bool is_certain = read >= total;
  if (!size || *size <= limit_ || (said_ && !is_certain)) return std::nullopt;
  said_ = true;
  const std::string name = trace_.filename().string();
  return name + (is_certain ? " has " : " will have about ") + size_text(*size) + ", and a browser holds some " +
         size_text(limit_) + ": open it with `trace_processor_shell --httpd " + name +
         "` and the UI beside it; or write a smaller one with `rocprof-sys-multipass export " +
         trace_.parent_path().string() +
         " --format perfetto --trace-counters none`, which leaves the counters to the database; or record fewer "
         "dispatches, with --kernel-include or --range";
}

}  // namespace multipass::output::perfetto
