// SPDX-License-Identifier: MIT
//
// A subset of HIP that an ordinary C++17 compiler builds and that runs kernels on the CPU, as a simulated GPU.
//
// What differs from hipcc:
//  - `kernel<<<grid, block>>>(...)` is not C++: launch with hipLaunchKernelGGL, which hipcc knows too. The kernel must
//    be named there, not passed in a variable; use HIP_KERNEL_NAME(...) or parentheses for `kernel<A, B>`.
//  - `extern __shared__ T name[]` is refused ("conflicting specifiers"), for no definition could be linked to it: write
//    HIP_DYNAMIC_SHARED(T, name), which hipcc knows too.
//  - A `__device__` variable is an ordinary global, one for all devices; see multipass/sim/symbol_api.h.
//  - clock64 and wall_clock64 count what the work-item states, not time; fast mathematics (__expf) is exact.
//  - Textures, cooperative groups, half precision, modules and more are not there; the list is in docs/simulator.md.
//
// Work-items of a block run one after the other; at __syncthreads and at the operations of a wave
// (multipass/sim/wave.h) each gets a stack of its own (128 KiB), so a kernel without them pays nothing. Counters see
// what the kernel reports through multipass/count.h, and atomics.
#pragma once

#include "hip/hip_runtime_api.h"
#include "multipass/sim/atomics.h"
#include "multipass/sim/device.h"
#include "multipass/sim/intrinsics.h"
#include "multipass/sim/launch.h"
#include "multipass/sim/vector_types.h"
#include "multipass/sim/wave.h"
