// SPDX-License-Identifier: MIT
//
// The mode in which the driver has split the memory of a GPU: "NPS1", "NPS4", ... It is not among the agent's
// properties of the SDK but in the file `current_memory_partition` of the GPU's PCI device in sysfs, for those that
// have such modes (Linux, drivers/gpu/drm/amd/amdgpu/amdgpu_gmc.c: amdgpu_gmc_sysfs_init). Threads: any. Cost: two
// small files at most.
#pragma once

#include <cstdint>
#include <string>

namespace multipass::sdk {

// Where a GPU is, as its agent says it.
struct GpuPlace {
  std::uint32_t render_minor = 0;  // of /dev/dri/renderD<minor>; 0: none
  std::uint32_t domain = 0;        // PCI
  std::uint32_t location_id = 0;   // PCI bus, device and function; the driver adds the partition to it
};

// Empty: it has none, or it is not to be known. `sysfs` is the root of that file system.
[[nodiscard]] std::string memory_partition(const GpuPlace& place, const std::string& sysfs = "/sys");

}  // namespace multipass::sdk
