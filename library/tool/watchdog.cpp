// SPDX-License-Identifier: MIT
#include "tool/watchdog.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <system_error>

#include "base/environment.hpp"
#include "base/text.hpp"

namespace multipass::tool {
namespace {

using Windows = std::array<std::optional<replay::OpenWindow>, replay::OpenWindows::kSlots>;

constexpr std::size_t kMaxKernels = 1024;  // of which it is known what was told; nothing is told of further ones

// "ns::reduce" of "void ns::reduce<float>(float*)": a pattern that finds the kernel, for the option to name. Empty when
// the name holds what would mean something else in a pattern.
std::string pattern_for(const std::string& kernel) {
  std::string name = kernel.substr(0, kernel.find_first_of("(<"));
  if (const std::size_t blank = name.rfind(' '); blank != std::string::npos) name.erase(0, blank + 1);
  const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == ':';
  });
  return plain && !name.empty() && !(name[0] >= '0' && name[0] <= '9') ? name : std::string();
}

// The windows of the same GPU of which none has begun a pass, this one too. A GPU has one window at a time, and which
// of these it is cannot be seen: the SDK does not let them in by their numbers.
std::vector<replay::OpenWindow> before_their_passes(const replay::OpenWindow& window, const Windows& all) {
  std::vector<replay::OpenWindow> found;
  for (const std::optional<replay::OpenWindow>& other : all)
    if (other && other->agent == window.agent && other->step == 0) found.push_back(*other);
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.dispatch < b.dispatch; });
  return found;
}

// Another window of the GPU goes on or stands still, or speaks for all of which none has begun a pass.
bool another_speaks(const replay::OpenWindow& window, const Windows& all) {
  return window.step == 0 && std::any_of(all.begin(), all.end(), [&](const std::optional<replay::OpenWindow>& other) {
           return other && other->agent == window.agent && other->dispatch != window.dispatch &&
                  (other->step != 0 || other->dispatch < window.dispatch);
         });
}

// Of the passes as the SDK counts them, the extra ones come first.
std::string title_of(std::uint64_t pass, const ReplayExtras& extras) {
  if (extras.warm_up && pass == 0) return "the warm-up pass";
  if (extras.timing && pass + 1 == extras.executions()) return "the timing pass";
  return "pass " + std::to_string(pass - extras.executions());
}

std::string stands_at(replay::WindowStep step, const ReplayExtras& extras, const std::string& length) {
  if (step == 0)
    return title_of(0, extras) + " has not begun for " + length +
           " (the SDK waits until the GPU is idle, then copies its memory)";
  const std::uint64_t pass = (step - 1) / 2;
  const std::string title = title_of(pass, extras);
  if (step == replay::in_pass(PassIndex{static_cast<std::uint32_t>(pass)}))
    return title + " has not ended for " + length;
  return "nothing has followed " + title + " for " + length;
}

}  // namespace

Watchdog::Watchdog(const replay::OpenWindows& windows, KernelName name, std::vector<std::string> titles,
                   ReplayExtras extras, std::chrono::seconds first)
    : windows_(windows), name_(std::move(name)), titles_(std::move(titles)), extras_(extras), first_(first) {}

std::optional<std::chrono::seconds> Watchdog::first_from(std::string_view value) noexcept {
  constexpr unsigned kMost = 86'400;
  unsigned number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || number > kMost) return std::nullopt;
  return std::chrono::seconds(number);
}

std::chrono::seconds Watchdog::first_given(std::string& refused) {
  const auto given = environment::get_own("STALL_SECONDS");
  if (!given || given->empty()) return kFirst;
  const auto number = first_from(*given);
  if (!number)
    refused = "ROCPROFSYS_MULTIPASS_STALL_SECONDS='" + *given + "' is not a number from 0 to 86400; " +
              std::to_string(kFirst.count()) + " is used";
  return number.value_or(kFirst);
}

std::chrono::seconds Watchdog::length_of(std::size_t number) const noexcept {
  if (number == 0) return first_;
  constexpr std::size_t kMaxDoublings = 20;
  return 3 * first_ * (std::int64_t{1} << std::min(number - 1, kMaxDoublings));
}

std::vector<std::string> Watchdog::due(Clock::time_point now) {
  std::vector<std::string> texts;
  Windows all;
  for (std::size_t index = 0; index < all.size(); ++index) all[index] = windows_.at(index);
  for (std::size_t index = 0; index < all.size(); ++index) {
    Watched& watched = watched_[index];
    const std::optional<replay::OpenWindow>& window = all[index];
    if (!window) {
      watched = {};
      continue;
    }
    if (watched.dispatch != window->dispatch || watched.step != window->step || another_speaks(*window, all)) {
      watched = {window->dispatch, window->step, now, 0};
      continue;
    }
    std::size_t reached = watched.told;
    while (now - watched.since >= length_of(reached)) ++reached;
    if (reached == watched.told) continue;
    watched.told = reached;
    if (told_.size() >= kMaxKernels && told_.find(window->kernel) == told_.end()) continue;
    std::size_t& told = told_[window->kernel];
    if (reached <= told) continue;
    const std::vector<replay::OpenWindow> alike =
        window->step == 0 ? before_their_passes(*window, all) : std::vector<replay::OpenWindow>{*window};
    std::string text = describe(*window, alike, length_of(reached - 1));
    if (told == 0) text += advice(alike.size() > 1 ? std::string() : pattern_for(name_(window->kernel)));
    told = reached;
    texts.push_back(std::move(text));
  }
  return texts;
}

std::string Watchdog::describe(const replay::OpenWindow& window, const std::vector<replay::OpenWindow>& alike,
                               std::chrono::seconds length) const {
  constexpr std::size_t kMostNamed = 4;
  const std::string gpu =
      window.agent.value < titles_.size() ? titles_[window.agent.value] : "agent " + std::to_string(window.agent.value);
  const std::string where = stands_at(window.step, extras_, std::to_string(length.count()) + " s");
  if (alike.size() < 2)
    return "replay of " + name_(window.kernel) + " on " + gpu + ", dispatch " + std::to_string(window.dispatch.value) +
           ": " + where;
  std::vector<std::string> named;
  for (std::size_t i = 0; i < std::min(alike.size(), kMostNamed); ++i)
    named.push_back(name_(alike[i].kernel) + " (dispatch " + std::to_string(alike[i].dispatch.value) + ")");
  if (alike.size() > kMostNamed) named.push_back("and " + std::to_string(alike.size() - kMostNamed) + " more");
  return "replay on " + gpu + ": " + where +
         ". One of these holds the GPU and the others wait for it: " + joined(named);
}

// Said of a kernel once. `pattern`: of its name, empty where there is none or it is not known which kernel it is.
std::string Watchdog::advice(const std::string& pattern) {
  const std::string which = pattern.empty() ? "RE" : "'" + pattern + "'";
  return ". A kernel that waits for the host, another kernel or another GPU cannot be replayed: run it once with "
         "--no-replay " +
         which + ", or without counters with --kernel-exclude " + which +
         ". Releases of the SDK with kernel replay end the process after about 60 s";
}

}  // namespace multipass::tool
