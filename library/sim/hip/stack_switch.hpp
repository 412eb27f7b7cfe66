// SPDX-License-Identifier: MIT
//
// A place where execution stands still, and the switch between two of them on one thread. Written out for x86-64, where
// it costs a few nanoseconds and AddressSanitizer has no objection; elsewhere, and where the processor guards return
// addresses (shadow stacks), ucontext does it at the cost of a system call. Never fails.
#pragma once

#include <ucontext.h>

#include <cstddef>

#if defined(__x86_64__) && !(defined(__CET__) && (__CET__ & 2)) && !defined(MULTIPASS_SIM_UCONTEXT)
#define MULTIPASS_SIM_OWN_SWITCH 1
#else
#define MULTIPASS_SIM_OWN_SWITCH 0
#endif

namespace multipass_sim {

class StackPoint final {
 public:
  // The point at the start of `entry`, which must not return, on a stack of its own.
  void prepare(void* stack, std::size_t size, void (*entry)());

  // Leaves the running code at `from` and goes on at `to`; returns when something switches to `from`.
  static void go(StackPoint& from, StackPoint& to);

 private:
#if MULTIPASS_SIM_OWN_SWITCH
  void* stack_pointer_ = nullptr;
#else
  ucontext_t context_{};
#endif
};

}  // namespace multipass_sim
