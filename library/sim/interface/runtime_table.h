/* SPDX-License-Identifier: MIT
 *
 * The table that the HIP stand-in hands to the SDK stand-in through
 * rocprofiler_set_api_table("hsa", version, 0, tables, 1), tables[0] pointing to a multipass_sim_runtime.
 * It plays the part of the HSA dispatch table: the SDK reads what the runtime offers and puts its own
 * intercept functions in. Owned by the runtime, lives until the process ends.
 *
 * Threads: T = the thread that launches, Q = the worker thread of a queue (one per queue; it runs the kernels of that
 * queue in order and then plays the signal-handler thread). */
#ifndef MULTIPASS_SIM_RUNTIME_TABLE_H
#define MULTIPASS_SIM_RUNTIME_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "sim/interface/activity.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MULTIPASS_SIM_RUNTIME_VERSION = 2 };

typedef struct multipass_sim_dim3 {
  uint32_t x, y, z;
} multipass_sim_dim3;

/* A kernel of the program, known once the runtime has met it. Strings live as long as the process. */
typedef struct multipass_sim_kernel {
  const char* name; /* mangled, as a code object would have it: "_Z4axpyPfPKffi.kd" */
  const void* host_function;
  uint64_t code_object; /* 1-based number of the code object that holds it */
  uint32_t kernarg_segment_size;
  uint32_t group_segment_size; /* static LDS, bytes */
  uint32_t private_segment_size;
  uint32_t sgpr_count, arch_vgpr_count, accum_vgpr_count;
} multipass_sim_kernel;

/* One dispatch packet. Owned by the runtime; valid until the last execution of it has completed and the window,
 * if one was opened, is closed. */
typedef struct multipass_sim_packet {
  uint32_t device; /* position in the device list */
  uint64_t queue;  /* queue handle, unique in the process, not 0 */
  uint64_t stream; /* stream handle, 0 = the default stream */
  const multipass_sim_kernel* kernel;
  multipass_sim_dim3 grid;      /* work-items */
  multipass_sim_dim3 workgroup; /* work-items */
  uint32_t group_segment_size, private_segment_size;
  uint32_t packets_in_write; /* 1, or more when several packets were rung with one doorbell */
  uint32_t is_graph;         /* 1: part of a graph launch */
} multipass_sim_packet;

typedef struct multipass_sim_execution {
  uint64_t start_ns, end_ns; /* of the machine's clock, start < end, never overlapping on one queue */
  multipass_sim_activity activity;
} multipass_sim_execution;

typedef void (*multipass_sim_done)(void* arg, const multipass_sim_execution* execution); /* on Q */

enum multipass_sim_memory_kind {
  MULTIPASS_SIM_MEMORY_DEVICE = 1,   /* hipMalloc: coarse-grained, restored by replay */
  MULTIPASS_SIM_MEMORY_VARIABLE = 2, /* module-scope device variable: restored */
  MULTIPASS_SIM_MEMORY_MANAGED = 3,  /* not restored */
  MULTIPASS_SIM_MEMORY_HOST = 4,     /* pinned host memory: not restored */
  MULTIPASS_SIM_MEMORY_POOL = 5,     /* hipMallocAsync and memory pools: mapped by the virtual-memory functions, which
                                      * the replay of rocprofiler-sdk does not track: not restored */
  MULTIPASS_SIM_MEMORY_FINE = 6,     /* fine-grained memory of a device: not restored */
  MULTIPASS_SIM_MEMORY_VIRTUAL = 7,  /* mapped by the application: not restored */
  MULTIPASS_SIM_MEMORY_IMPORTED = 8  /* of another process, opened by a handle: not restored */
};

typedef struct multipass_sim_allocation {
  void* address;
  size_t size;
  int kind; /* enum multipass_sim_memory_kind */
} multipass_sim_allocation;

/* A call of HIP, or one that HIP makes of HSA, that the SDK may follow. Plain data on the caller's stack. */
enum multipass_sim_domain { MULTIPASS_SIM_DOMAIN_HSA_AMD_EXT = 1, MULTIPASS_SIM_DOMAIN_HIP_RUNTIME = 2 };

/* What the call does with memory, for those that allocate it or give it back. */
enum multipass_sim_memory_call {
  MULTIPASS_SIM_MEMORY_CALL_NONE = 0,
  MULTIPASS_SIM_MEMORY_CALL_ALLOCATE = 1,
  MULTIPASS_SIM_MEMORY_CALL_VMEM_ALLOCATE = 2,
  MULTIPASS_SIM_MEMORY_CALL_FREE = 3,
  MULTIPASS_SIM_MEMORY_CALL_VMEM_FREE = 4
};

enum { MULTIPASS_SIM_HOST = -1 }; /* the CPU, where a device is asked for */

typedef struct multipass_sim_call {
  int domain;           /* enum multipass_sim_domain */
  const char* function; /* "hsa_amd_vmem_map" */
  const void* args;     /* its parameters, laid out like a C struct */
  size_t args_size;

  int memory;              /* enum multipass_sim_memory_call; what follows is for these */
  int32_t device;          /* whose memory is allocated, or MULTIPASS_SIM_HOST */
  size_t bytes;            /* allocated */
  const uint64_t* address; /* where the address or handle stands: once the call has returned, for an allocation */
} multipass_sim_call;

/* Does what the call is for; returns its status, 0 for success. */
typedef uint64_t (*multipass_sim_call_body)(void* arg);

/* An asynchronous copy that the runtime has a copy engine do. */
typedef struct multipass_sim_copy {
  int32_t to_device, from_device; /* or MULTIPASS_SIM_HOST */
  uint64_t bytes;
  const void *to, *from;
} multipass_sim_copy;

/* Puts the copy into its queue, with the token of the SDK for on_copy_done; NULL: nobody wants to know. */
typedef void (*multipass_sim_copy_start)(void* arg, void* token);

/* What the SDK does in the simulated machine that takes its time (docs/simulator.md, "What work costs"). */
enum multipass_sim_cost {
  MULTIPASS_SIM_COST_COPY = 1, /* bytes that were copied between a device and the host */
  MULTIPASS_SIM_COST_DRAIN = 2 /* times that the queues of a device were drained */
};

typedef struct multipass_sim_runtime {
  size_t size; /* sizeof(multipass_sim_runtime) of the runtime */

  /* ---- offered by the runtime ---- */
  size_t (*device_count)(void);
  const char* (*device_name)(size_t device); /* "gfx942"; NULL past the end */

  /* Queues one execution of the packet on its queue and returns; `done` is called on Q after the kernel has run.
   * May be called several times for one packet. */
  void (*execute)(multipass_sim_packet* packet, multipass_sim_done done, void* arg);

  /* A window keeps the packet alive and its queue busy in the eyes of hipStreamSynchronize and of other packets'
   * completion, over several executions. T opens it before the first execution and closes it after the last. */
  void (*open_window)(multipass_sim_packet* packet);
  void (*close_window)(multipass_sim_packet* packet);

  /* Waits until the queue of the packet (drain_queue), or all other queues of its device (drain_others), have no
   * execution left that was queued before the call. Returns 1, or 0 when timeout_ms passed first. */
  int (*drain_queue)(multipass_sim_packet* packet, uint32_t timeout_ms);
  int (*drain_others)(multipass_sim_packet* packet, uint32_t timeout_ms);

  /* Calls `visit` for every live allocation of a device. No allocation is freed meanwhile. */
  void (*allocations)(size_t device, void (*visit)(void* arg, const multipass_sim_allocation* allocation), void* arg);

  /* The clock of the simulated machine, CLOCK_BOOTTIME or ahead of it; NULL: CLOCK_BOOTTIME. It never goes back. */
  uint64_t (*now_ns)(void);
  /* Something (enum multipass_sim_cost) was done `amount` times or bytes since `since_ns` of that clock: puts the clock
   * on by what that takes. NULL: it takes nothing. */
  void (*spend)(int cost, uint64_t amount, uint64_t since_ns);

  /* ---- put in by the SDK; NULL: not intercepted ---- */
  /* On T for every launch. The callee must have called `execute` at least once before it returns. */
  void (*on_submit)(multipass_sim_packet* packet);
  /* On the thread that makes a kernel known, before its first launch. Kernels met earlier are reported at once
   * when the SDK sets the pointer through `intercept`. */
  void (*on_kernel)(const multipass_sim_kernel* kernel);

  /* On Q right before an execution with a `done` function, with the argument of `execute`: the kernel runs and its
   * time begins when this returns. Then `done` follows on the same thread. */
  void (*on_start)(void* arg);

  /* On the thread that calls, around the call. The callee must call `body(arg)` once and return what that gave. */
  uint64_t (*on_call)(const multipass_sim_call* call, multipass_sim_call_body body, void* arg);
  /* On the thread that starts the copy. The callee must call `start(arg, token)` once before it returns. */
  void (*on_copy)(const multipass_sim_copy* copy, multipass_sim_copy_start start, void* arg);
  /* On Q after a copy that was started with a token. */
  void (*on_copy_done)(void* token, uint64_t start_ns, uint64_t end_ns);

  /* Called by the SDK after it has filled the pointers: from here on they are used; kernels already known are
   * reported through on_kernel before it returns. */
  void (*intercept)(void);
} multipass_sim_runtime;

#ifdef __cplusplus
}
#endif
#endif
