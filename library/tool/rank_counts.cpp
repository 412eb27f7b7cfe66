// SPDX-License-Identifier: MIT
#include "tool/rank_counts.hpp"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "base/environment.hpp"

namespace multipass::tool {
namespace {

// A number at the beginning, up to the end or to one of `ends`.
std::optional<std::uint32_t> number(std::string_view text, std::string_view ends = {}) {
  std::uint32_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool ended = stop == text.data() + text.size() || ends.find(*stop) != std::string_view::npos;
  return error == std::errc() && ended && value != 0 ? std::optional(value) : std::nullopt;
}

// 0: none of them is there.
std::uint32_t largest_of(std::initializer_list<const char*> names) {
  std::uint32_t largest = 0;
  for (const char* name : names)
    if (const auto value = environment::get(name)) largest = std::max(largest, number(*value).value_or(0));
  return largest;
}

// "2(x3),1": tasks on each node of a step, of which this may be any.
std::uint32_t most_tasks(std::string_view nodes) {
  std::uint32_t most = 0;
  while (!nodes.empty()) {
    most = std::max(most, number(nodes, "(,").value_or(0));
    nodes.remove_prefix(std::min(nodes.find(','), nodes.size() - 1) + 1);
  }
  return most;
}

}  // namespace

replay::RankCounts rank_counts() {
  std::uint32_t all = largest_of({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "FLUX_JOB_SIZE"});
  std::uint32_t here =
      largest_of({"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "MV2_COMM_WORLD_LOCAL_SIZE", "PALS_LOCAL_SIZE"});
  // torchrun; a variable of that name alone may be anything.
  if (environment::get("RANK") && environment::get("LOCAL_RANK")) {
    all = std::max(all, largest_of({"WORLD_SIZE"}));
    here = std::max(here, largest_of({"LOCAL_WORLD_SIZE"}));
  }
  // Of the step, which a process that srun has started is in. SLURM_NTASKS is the allocation's too.
  if (environment::get("SLURM_STEP_ID") && environment::get("SLURM_PROCID")) {
    const std::uint32_t tasks = largest_of({"SLURM_STEP_NUM_TASKS"});
    all = std::max(all, tasks != 0 ? tasks : largest_of({"SLURM_NTASKS"}));
    here = std::max(here, most_tasks(environment::get("SLURM_STEP_TASKS_PER_NODE").value_or("")));
  }
  // One that has a rank and no size: at least two, since nobody gives the only process a number.
  if (all == 0)
    if (const auto rank = environment::first_of(
            {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "PALS_RANKID", "FLUX_TASK_RANK"}))
      all = std::max(number(*rank).value_or(0) + 1, 2U);
  all = std::max({all, here, 1U});
  return {all, here == 0 ? all : here};  // where it is not said, all may be on this machine
}

}  // namespace multipass::tool
