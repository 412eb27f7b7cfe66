// SPDX-License-Identifier: MIT
//
// What the SDK says of sets of counters of one GPU. What it accepts has its configuration made, which is kept until it
// is known whether it becomes a pass; what it refuses is remembered: it is asked about nothing twice.
// Owner: the preparation of that GPU, on its thread. Errors: a Status with the SDK's text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
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
  // Why they are refused, when it is not for their registers.
  [[nodiscard]] std::optional<std::string> denial(const Ids& ids);
  // The handle of their configuration, the caller's from now on.
  [[nodiscard]] Result<std::uint64_t> take(const Ids& ids);

  [[nodiscard]] std::size_t asked() const noexcept { return asked_; }  // configurations asked of the SDK
  [[nodiscard]] bool refused_any() const noexcept { return !refused_.empty(); }

 private:
  [[nodiscard]] Result<std::uint64_t> create(const Ids& ids);

  std::uint64_t agent_handle_;
  std::map<Ids, std::uint64_t> kept_;
  std::map<Ids, std::optional<std::string>> refused_;  // and why, when it is not for their registers
  std::size_t asked_ = 0;
};

}  // namespace multipass::tool
