/* SPDX-License-Identifier: MIT
 *
 * What one execution of a kernel did on a simulated GPU: the only input of the simulated counters.
 * Plain data, one object per execution, filled by the HIP stand-in and read by the SDK stand-in.
 *
 * Rules (docs/simulator.md states them for users):
 *  - A wave is `wave_front_size` consecutive work-items of a work-group, the last one may be partial.
 *  - A wave issues as many instructions of a kind as its longest lane reports through the counting helper.
 *  - A vector ALU instruction that was stated with a type is one of insts_valu too, and issued once. Of each type a
 *    wave issues as many as the lane that reports most of it; where lanes report different types, the types may so add
 *    up to more than insts_valu.
 *  - The i-th memory access of every lane of a wave is one wave-level instruction; its distinct 64-byte segments are
 *    the requests that the vector cache (TCP) makes, each of which is one request at L2 (TCC).
 *  - L2 has 128-byte lines. The first touch of a line in an execution is a miss, each later one a hit.
 *  - A read or atomic miss makes two 64-byte reads at the memory interface; each line written is two 64-byte writes
 *    (written back at the end of the execution).
 *  - cycles = 1000 + sum over waves of issued instructions, divided (rounding up) by the number of SIMDs of the device;
 *    wave_cycles = sum over waves of (64 + 4 * issued instructions). Nothing here depends on wall time. */
#ifndef MULTIPASS_SIM_ACTIVITY_H
#define MULTIPASS_SIM_ACTIVITY_H

#include <stdint.h>

/* X(name): every member, in order. All are counts of one execution of one kernel. */
#define MULTIPASS_SIM_ACTIVITY(X)                                              \
  X(work_items) /* launched work-items */                                      \
  X(workgroups)                                                                \
  X(waves)                                                                     \
  X(insts_valu)        /* wave-level instructions: vector ALU */               \
  X(insts_salu)        /* scalar ALU */                                        \
  X(insts_smem)        /* scalar memory */                                     \
  X(insts_vmem_read)   /* vector memory loads */                               \
  X(insts_vmem_write)  /* vector memory stores */                              \
  X(insts_vmem_atomic) /* vector memory atomics */                             \
  X(insts_lds)         /* local data share */                                  \
  X(insts_branch)                                                              \
  X(lanes_valu) /* vector ALU operations summed over work-items */             \
  X(tcp_reads)  /* 64-byte requests of the vector cache: loads */              \
  X(tcp_writes)                                                                \
  X(tcp_atomics)                                                               \
  X(tcc_hits) /* L2 requests (= tcp requests of all kinds) that hit */         \
  X(tcc_misses)                                                                \
  X(ea_reads_64b)       /* 64-byte reads at the memory interface */            \
  X(ea_writes_64b)      /* 64-byte writes at the memory interface */           \
  X(cycles)             /* GPU busy cycles */                                  \
  X(wave_cycles)        /* cycles summed over waves */                         \
  X(insts_valu_add_f16) /* those of insts_valu that were stated with a type */ \
  X(insts_valu_add_f32)                                                        \
  X(insts_valu_add_f64)                                                        \
  X(insts_valu_mul_f16)                                                        \
  X(insts_valu_mul_f32)                                                        \
  X(insts_valu_mul_f64)                                                        \
  X(insts_valu_fma_f16)                                                        \
  X(insts_valu_fma_f32)                                                        \
  X(insts_valu_fma_f64)                                                        \
  X(insts_valu_trans_f16)                                                      \
  X(insts_valu_trans_f32)                                                      \
  X(insts_valu_trans_f64)                                                      \
  X(insts_valu_int32)                                                          \
  X(insts_valu_int64)                                                          \
  X(insts_valu_cvt)

typedef struct multipass_sim_activity {
#define MULTIPASS_SIM_MEMBER(name) uint64_t name;
  MULTIPASS_SIM_ACTIVITY(MULTIPASS_SIM_MEMBER)
#undef MULTIPASS_SIM_MEMBER
} multipass_sim_activity;

#endif
