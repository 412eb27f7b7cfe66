// SPDX-License-Identifier: MIT
//
// A Session with admission on a clock, memory and copies of the test's, and the launch of a dispatch through it.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <string>

#include "model/names.hpp"
#include "replay/admission.hpp"
#include "replay/session.hpp"

namespace multipass::replay {

inline constexpr std::uint64_t kSecond = 1'000'000'000, kGiga = 1'000'000'000;
inline constexpr AgentIndex kAgent{1}, kOther{2};
inline constexpr std::uint64_t kPasses = 3;

inline std::atomic<std::uint64_t> g_now{kSecond};
inline std::uint64_t fake_clock() noexcept {
  return g_now;
}

class AdmissionTest : public ::testing::Test {
 protected:
  AdmissionTest() { g_now = kSecond; }

  [[nodiscard]] Session session(AdmissionLimits limits = {}, std::uint64_t max_replays = 0, ReplayExtras extras = {}) {
    return Session({{}, {{11, 12, 13}}, {{11, 12, 13}}}, true, {}, {NoReplayList(), max_replays, limits}, extras,
                   {fake_clock, &memory_, &copies_, {"", "", ""}});
  }
  // The next launch.
  DispatchInfo dispatch(std::uint32_t grid = 64, AgentIndex agent = kAgent) {
    DispatchInfo info;
    info.dispatch_id = DispatchId{++last_};
    info.agent = agent;
    info.kernel = KernelId{5};
    info.grid = {grid, 1, 1};
    info.workgroup = {64, 1, 1};
    return info;
  }
  void allocate(MemoryClass kind, std::uint64_t bytes, AgentIndex agent = kAgent) {
    memory_.allocated({kind, agent, address_ += kGiga * 1000, bytes});
  }
  void free_last(MemoryEnd end, std::uint64_t bytes = 0) { memory_.ended(end, address_, bytes); }

  // What becomes of a launch, of which a pass takes so long: "replayed", a reason, "replayed despite ...", or
  // "... ended after ...".
  std::string launched(Session& s, const DispatchInfo& of, std::uint64_t pass_ns = 0) {
    const Offer offer = s.config_enter(of);
    if (offer.decision.declined) {
      s.config_exit(of);
      (void)s.choose(of);
      return std::string(name_of(*offer.decision.declined));
    }
    std::uint64_t done = 0;
    do {
      s.pass_enter(of, PassIndex{static_cast<std::uint32_t>(done)});
      (void)s.choose(of);
      if (in_pass_) in_pass_();
      g_now += pass_ns;
      s.pass_exit(of);
    } while (++done < offer.passes && s.goes_on(of));
    const WindowEnd end = s.config_exit(of);
    std::string text = "replayed";
    if (end.ended_early) text = std::string(name_of(*end.ended_early)) + " ended after " + std::to_string(done);
    for (const DeclineReason reason : kSafetyReasons)
      if (end.despite.has(reason)) text += " despite " + std::string(name_of(reason));
    return text;
  }
  std::string launched(Session& s, std::uint64_t pass_ns = 0) { return launched(s, dispatch(), pass_ns); }

  static AdmissionLimits lifting(DeclineReason reason) {
    AdmissionLimits limits;
    limits.lifted.add(reason);
    return limits;
  }

  LiveMemory memory_{3};
  Copies copies_{3};
  std::function<void()> in_pass_;

 private:
  std::uint64_t last_ = 0;
  std::uint64_t address_ = 0;
};

}  // namespace multipass::replay
