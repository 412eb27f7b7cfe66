// SPDX-License-Identifier: MIT
//
// Takes out of dispatches what is no reading: NaN and the infinities, and values of counters that the capture does not
// describe. So outputs, summary and counts hold the same readings, and what is left out is said once for each counter.
// Memory: a record for each counter of which something was left out. One thread. Errors: std::bad_alloc.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/agent.hpp"
#include "model/dispatch.hpp"

namespace multipass::apps {

class ReadingFilter final {
 public:
  static constexpr std::size_t kCountersNamed = 32;  // in warnings; the others are counted together

  void agent(const AgentInfo& agent, const std::vector<CounterInfo>& counters);
  void apply(DispatchRecord& dispatch);
  // What was left out, by agent and counter.
  [[nodiscard]] std::vector<std::string> warnings() const;

 private:
  struct Agent {
    std::string title;
    std::vector<std::string> counters;
  };
  struct LeftOut {
    std::uint64_t nan = 0;
    std::uint64_t infinite = 0;
    std::string first;  // "dispatch 12, pass 1"
  };
  void take_out(PassRecord& pass, const DispatchRecord& of, std::size_t counters);
  void count(const DispatchRecord& dispatch, const PassRecord& pass, std::uint32_t counter, double value);
  [[nodiscard]] std::string text_of(const std::pair<std::uint32_t, std::uint32_t>& key, const LeftOut& left) const;

  std::map<std::uint32_t, Agent> agents_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, LeftOut> left_out_;  // agent index, counter index
  std::uint64_t undescribed_ = 0;
  std::string first_undescribed_;
};

}  // namespace multipass::apps
