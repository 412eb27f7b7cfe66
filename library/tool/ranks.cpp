// SPDX-License-Identifier: MIT
#include "tool/ranks.hpp"

#include "replay/launch_ranges.hpp"

namespace multipass::tool {

Result<RankChoice> choose_rank(const std::string& ranks, std::optional<std::uint32_t> rank) {
  if (ranks.empty()) return RankChoice{};
  const Result<replay::LaunchRanges> wanted = replay::LaunchRanges::parse(ranks, 0);
  if (!wanted) return Status::error("ranks '" + ranks + "': " + wanted.message());
  if (!rank)
    return RankChoice{true, "ranks " + ranks +
                                ": this process is profiled, since no variable of a launcher says which rank it has "
                                "(OMPI_COMM_WORLD_RANK, PMIX_RANK, PMI_RANK, SLURM_PROCID, ...)"};
  if (wanted->contains(*rank)) return RankChoice{};
  return RankChoice{false,
                    "rank " + std::to_string(*rank) + " is none of ranks " + ranks + ": this process runs unprofiled"};
}

}  // namespace multipass::tool
