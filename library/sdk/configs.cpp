// SPDX-License-Identifier: MIT
#include "sdk/configs.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "sdk/abi/rocprofiler.h"
#include "sdk/status_text.hpp"

namespace multipass::sdk {
namespace {

rocprofiler_status_t create(std::uint64_t agent_handle, const std::vector<std::uint64_t>& ids,
                            rocprofiler_counter_config_id_t& config) {
  std::vector<rocprofiler_counter_id_t> list;
  list.reserve(ids.size());
  for (const std::uint64_t id : ids) list.push_back({id});
  config.handle = 0;  // anything else means "these counters too"
  return rocprofiler_create_counter_config({agent_handle}, list.data(), list.size(), &config);
}

using Ids = std::vector<std::uint64_t>;

// How many registers a block has on most architectures (ROCm/rocm-systems @1b1610fc). Where
// the trial starts, no more: with a wrong number it is longer and comes to the same end.
std::size_t usual_slots(std::string_view block) noexcept {
  constexpr std::array<std::string_view, 5> kTwo{"CPC", "CPF", "GRBM", "TA", "TD"};
  if (block == "SQ") return 8;
  if (block == "SPI") return 6;
  return std::find(kTwo.begin(), kTwo.end(), block) == kTwo.end() ? 4 : 2;
}

Ids first_of(const Ids& ids, std::size_t count) {
  return {ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(std::min(count, ids.size()))};
}

class Trials final {
 public:
  explicit Trials(std::uint64_t agent_handle) : agent_handle_(agent_handle) {}

  [[nodiscard]] rocprofiler_status_t status_of(const Ids& ids) {
    ++count_;
    rocprofiler_counter_config_id_t config{};
    const rocprofiler_status_t status = create(agent_handle_, ids, config);
    if (status == ROCPROFILER_STATUS_SUCCESS) destroy_config(config.handle);
    return status;
  }
  [[nodiscard]] bool accepted(const Ids& ids) { return status_of(ids) == ROCPROFILER_STATUS_SUCCESS; }
  [[nodiscard]] std::size_t count() const noexcept { return count_; }

 private:
  std::uint64_t agent_handle_;
  std::size_t count_ = 0;
};

// One counter after the other; those that are refused for another reason than the limit are passed over.
std::size_t probe_singly(Trials& trials, const Ids& ids) {
  Ids trial;
  for (const std::uint64_t id : ids) {
    trial.push_back(id);
    const rocprofiler_status_t status = trials.status_of(trial);
    if (status == ROCPROFILER_STATUS_SUCCESS) continue;
    trial.pop_back();
    if (status == ROCPROFILER_STATUS_ERROR_EXCEEDS_HW_LIMIT && !trial.empty()) break;
  }
  return trial.size();
}

// `taken` are accepted. Nothing when a counter is refused for another reason than the limit.
std::optional<std::size_t> probe_upwards(Trials& trials, const Ids& ids, std::size_t taken) {
  for (; taken < ids.size(); ++taken) {
    const rocprofiler_status_t status = trials.status_of(first_of(ids, taken + 1));
    if (status == ROCPROFILER_STATUS_ERROR_EXCEEDS_HW_LIMIT) return taken;
    if (status != ROCPROFILER_STATUS_SUCCESS) return std::nullopt;
  }
  return taken;
}

// `taken` are too many. Nothing when a counter is refused for another reason, or even one is too many.
std::optional<std::size_t> probe_downwards(Trials& trials, const Ids& ids, std::size_t taken) {
  while (--taken > 0) {
    const rocprofiler_status_t status = trials.status_of(first_of(ids, taken));
    if (status == ROCPROFILER_STATUS_SUCCESS) return taken;
    if (status != ROCPROFILER_STATUS_ERROR_EXCEEDS_HW_LIMIT) return std::nullopt;
  }
  return std::nullopt;
}

// `usual_fit`: it is known that as many counters as usual are accepted.
std::size_t probe_block(Trials& trials, const Ids& ids, std::size_t usual, bool usual_fit) {
  const std::size_t some = std::min(usual, ids.size());
  const rocprofiler_status_t status = usual_fit ? ROCPROFILER_STATUS_SUCCESS : trials.status_of(first_of(ids, some));
  std::optional<std::size_t> found;
  if (status == ROCPROFILER_STATUS_SUCCESS) found = probe_upwards(trials, ids, some);
  if (status == ROCPROFILER_STATUS_ERROR_EXCEEDS_HW_LIMIT) found = probe_downwards(trials, ids, some);
  return found ? *found : probe_singly(trials, ids);
}

}  // namespace

Result<std::uint64_t> create_config(std::uint64_t agent_handle, const std::vector<std::uint64_t>& ids, bool& too_many) {
  rocprofiler_counter_config_id_t config{};
  const rocprofiler_status_t status = create(agent_handle, ids, config);
  too_many = status == ROCPROFILER_STATUS_ERROR_EXCEEDS_HW_LIMIT;
  if (status != ROCPROFILER_STATUS_SUCCESS) return Status::error(status_text(status));
  return config.handle;
}

void destroy_config(std::uint64_t handle) noexcept {
  (void)rocprofiler_destroy_counter_config({handle});  // always succeeds
}

Slots probe_slots(std::uint64_t agent_handle, const std::vector<SdkCounter>& counters) {
  std::map<std::string, Ids> by_block;
  for (const SdkCounter& counter : counters)
    if (!counter.info.is_derived && !counter.info.is_constant && !counter.info.block.empty())
      by_block[counter.info.block].push_back(counter.id);

  Trials trials{agent_handle};
  Ids usual;
  for (const auto& [block, ids] : by_block) {
    const Ids some = first_of(ids, usual_slots(block));
    usual.insert(usual.end(), some.begin(), some.end());
  }
  const bool usual_fit = !usual.empty() && trials.accepted(usual);
  Slots slots;
  for (const auto& [block, ids] : by_block)
    slots.by_block[block] = static_cast<std::uint32_t>(probe_block(trials, ids, usual_slots(block), usual_fit));
  slots.trials = trials.count();
  return slots;
}

}  // namespace multipass::sdk
