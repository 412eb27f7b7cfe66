// SPDX-License-Identifier: MIT
//
// Launches, and what is asked before them.
#include <algorithm>
#include <optional>

#include "multipass/sim/launch.h"
#include "sim/hip/api.hpp"

namespace multipass_sim {

hipError_t launch(const KernelLaunch& launch, dim3 grid, dim3 block, std::size_t shared_bytes,
                  hipStream_t handle) noexcept {
  bool taken = false;
  const hipError_t error = with_stream(handle, [&](Runtime& runtime, const StreamPtr& stream) {
    taken = true;
    return runtime.launch(launch, grid, block, shared_bytes, stream);
  });
  if (!taken) launch.destroy(launch.arguments);
  return error;
}

namespace {

constexpr int kMaxBlock = static_cast<int>(kMaxBlockSize);

int blocks_per_unit(const DeviceInfo& device, int block_size, std::size_t shared_bytes) {
  const int wave = static_cast<int>(device.geometry.wave_size);
  const int waves_of_block = (block_size + wave - 1) / wave;
  int blocks = static_cast<int>(device.waves_per_compute_unit) / waves_of_block;
  if (shared_bytes != 0) blocks = std::min(blocks, static_cast<int>(device.lds_bytes / shared_bytes));
  return blocks;
}

}  // namespace
}  // namespace multipass_sim

using multipass_sim::blocks_per_unit;
using multipass_sim::Runtime;
using multipass_sim::with_runtime;

hipError_t hipLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, std::size_t shared_bytes,
                           hipStream_t stream) {
  std::optional<multipass_sim::KernelLaunch> launch;
  const hipError_t error = with_runtime([&](Runtime& runtime) {
    if (function == nullptr) return hipErrorInvalidDeviceFunction;
    launch = runtime.address_kernels().describe(function, arguments);
    return launch ? hipSuccess : hipErrorInvalidDeviceFunction;
  });
  if (!launch) return error;
  return multipass_sim::launch(*launch, grid, block, shared_bytes, stream);
}

hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int block_size,
                                                        std::size_t shared_bytes) {
  return with_runtime([&](Runtime& runtime) {
    if (blocks == nullptr || block_size <= 0) return hipErrorInvalidValue;
    if (function == nullptr) return hipErrorInvalidDeviceFunction;
    const bool fits = block_size <= multipass_sim::kMaxBlock;
    *blocks = fits ? blocks_per_unit(runtime.devices()[multipass_sim::current_device()], block_size, shared_bytes) : 0;
    return hipSuccess;
  });
}

hipError_t hipOccupancyMaxPotentialBlockSize(int* grid_size, int* block_size, const void* function,
                                             std::size_t shared_bytes, int limit) {
  return with_runtime([&](Runtime& runtime) {
    if (grid_size == nullptr || block_size == nullptr || limit < 0) return hipErrorInvalidValue;
    if (function == nullptr) return hipErrorInvalidDeviceFunction;
    const auto& device = runtime.devices()[multipass_sim::current_device()];
    const int wave = static_cast<int>(device.geometry.wave_size);
    const int most = limit == 0 ? multipass_sim::kMaxBlock : std::min(limit, multipass_sim::kMaxBlock);
    *block_size = *grid_size = 0;
    int best = 0;
    for (int size = std::max(most / wave * wave, std::min(most, wave)); size > 0; size -= wave) {
      const int blocks = blocks_per_unit(device, size, shared_bytes);
      if (blocks * size <= best) continue;
      best = blocks * size;
      *block_size = size;
      *grid_size = blocks * static_cast<int>(device.compute_units);
    }
    return hipSuccess;
  });
}
