// SPDX-License-Identifier: MIT
//
// What every execution of a kernel truly did, for tests that compare it with what a tool made of it:
// ROCPROFSYS_MULTIPASS_SIM_TRUTH names a CSV file, to which a line is added for each counter of each execution,
// whatever becomes of its record, and one without a counter for an execution that is not counted.
//
//   dispatch,pass,agent,kernel,counter,value        pass: empty outside a replay loop; agent: position among the GPUs;
//   17,0,1,_Z4axpyPfPKff.kd,SQ_WAVES,64             value: summed over the instances
//
// Owner: Sdk. Any thread; the lines of one execution are written at once. Costs nothing when the variable is not set.
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "sim/sdk/faults.hpp"

namespace multipass_sim {

class Truth final {
 public:
  [[nodiscard]] bool wanted();

  // `lines`: those of one execution, each "counter,value"; none for one that is not counted.
  void write(const FaultPlace& execution, std::string_view kernel, const std::vector<std::string>& lines);

 private:
  void open();

  std::once_flag opened_;
  int file_ = -1;
};

}  // namespace multipass_sim
