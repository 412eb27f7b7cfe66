// SPDX-License-Identifier: MIT
//
// The types of vector ALU instruction that a kernel can state, by the names that they have in the hardware's counters:
// SQ_INSTS_VALU_ADD_F16 counts the instructions of type add_f16; "trans" is a transcendental function, "cvt" a
// conversion. A list and no code, so that hipcc takes it too.
#pragma once

/* X(name, constant) */
#define MULTIPASS_VALU_TYPES(X) \
  X(add_f16, kAddF16)           \
  X(add_f32, kAddF32)           \
  X(add_f64, kAddF64)           \
  X(mul_f16, kMulF16)           \
  X(mul_f32, kMulF32)           \
  X(mul_f64, kMulF64)           \
  X(fma_f16, kFmaF16)           \
  X(fma_f32, kFmaF32)           \
  X(fma_f64, kFmaF64)           \
  X(trans_f16, kTransF16)       \
  X(trans_f32, kTransF32)       \
  X(trans_f64, kTransF64)       \
  X(int32, kInt32)              \
  X(int64, kInt64)              \
  X(cvt, kCvt)
