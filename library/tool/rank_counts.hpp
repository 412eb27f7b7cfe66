// SPDX-License-Identifier: MIT
//
// How many ranks the job of this process has, by the variables of its launcher. Read once while the tool initialises.
// Where several launchers have left variables (torchrun under srun), the largest number counts: it is the cautious one.
// A process that has a rank of a job whose size is not said is one of several.
// Errors: none; a value that is no number from 1 on is not there.
#pragma once

#include "replay/collectives.hpp"

namespace multipass::tool {

[[nodiscard]] replay::RankCounts rank_counts();

}  // namespace multipass::tool
