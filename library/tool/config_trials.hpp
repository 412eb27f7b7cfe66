// SPDX-License-Identifier: MIT
//
// What the SDK says of sets of counters of one GPU. What it accepts has its configuration made, which is kept until it
// is known whether it becomes a pass: no configuration of the plan is asked for twice.
// Owner: the preparation of that GPU, on its thread. Errors: a Status with the SDK's text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/status.hpp"

namespace multipass::tool {

class ConfigTrials final {
 public:
  using Ids = std::vector<std::uint64_t>;

  explicit ConfigTrials(std::uint64_t agent_handle) noexcept : agent_handle_(agent_handle) {}
  ConfigTrials(const ConfigTrials&) = delete;
  ConfigTrials& operator=(const ConfigTrials&) = delete;
  ~ConfigTrials();  // destroys what was not taken

  [[nodiscard]] bool accepts(const Ids& ids);
  // The handle of their configuration, the caller's from now on.
  [[nodiscard]] Result<std::uint64_t> take(const Ids& ids);

  [[nodiscard]] std::size_t asked() const noexcept { return asked_; }      // configurations asked of the SDK
  [[nodiscard]] std::size_t refused() const noexcept { return refused_; }  // of those

 private:
  [[nodiscard]] Result<std::uint64_t> create(const Ids& ids);

  std::uint64_t agent_handle_;
  std::map<Ids, std::uint64_t> kept_;
  std::size_t asked_ = 0;
  std::size_t refused_ = 0;
};

}  // namespace multipass::tool
