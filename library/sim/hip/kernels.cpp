// SPDX-License-Identifier: MIT
#include "sim/hip/kernels.hpp"

#include <dlfcn.h>

#include <algorithm>

#include "sim/hip/symbol_name.hpp"

namespace multipass_sim {
namespace {

std::uint32_t round_up(std::size_t value, std::size_t step) {
  return static_cast<std::uint32_t>((value + step - 1) / step * step);
}

// There is no device code to read them from. They follow the arguments, as far as real ones do: a scalar register for
// each four bytes of arguments and sixteen for the system, eight vector registers per argument and for the index. No
// spills, hence no private segment. Static LDS cannot be seen from here: the size is that of the launch.
void invent_resources(const KernelLaunch& launch, multipass_sim_kernel& kernel) {
  kernel.kernarg_segment_size = round_up(launch.kernarg_size, 8);
  kernel.group_segment_size = 0;
  kernel.private_segment_size = 0;
  kernel.sgpr_count = std::min<std::uint32_t>(112, round_up(16 + launch.kernarg_size / 4, 8));
  kernel.arch_vgpr_count = std::min<std::uint32_t>(256, round_up(8 * (launch.argument_count + 1), 8));
  kernel.accum_vgpr_count = 0;
}

}  // namespace

const multipass_sim_kernel& Kernels::of(const KernelLaunch& launch) {
  const std::lock_guard lock(mutex_);
  const auto found = by_function_.find(launch.host_function);
  if (found != by_function_.end()) return *found->second;
  Record& record = records_.emplace_back();
  record.name = (launch.symbol != nullptr ? launch.symbol : kernel_symbol(launch.symbol_type)) + ".kd";
  record.kernel.name = record.name.c_str();
  record.kernel.host_function = launch.host_function;
  record.kernel.code_object = code_object_of(launch.host_function);
  invent_resources(launch, record.kernel);
  by_function_.emplace(launch.host_function, &record.kernel);
  if (listener_ != nullptr) listener_(&record.kernel);
  return record.kernel;
}

void Kernels::listen(Listener listener) {
  const std::lock_guard lock(mutex_);
  listener_ = listener;
  if (listener_ == nullptr) return;
  for (const Record& record : records_) listener_(&record.kernel);
}

std::uint64_t Kernels::code_object_of(const void* function) {
  Dl_info info{};
  const void* const base = ::dladdr(function, &info) != 0 ? info.dli_fbase : nullptr;
  return code_objects_.try_emplace(base, code_objects_.size() + 1).first->second;
}

}  // namespace multipass_sim
