// SPDX-License-Identifier: MIT
#include "sim/hip/stack_switch.hpp"

#include <array>
#include <cstdint>
#include <cstring>

#if MULTIPASS_SIM_OWN_SWITCH

// Saves what a function must preserve (System V ABI for x86-64) on the running stack, stores the stack pointer through
// the first argument, and restores the same from the second.
extern "C" __attribute__((visibility("hidden"))) void multipass_sim_switch_stack(void** save, void* load);

__asm__(R"(
  .text
  .hidden multipass_sim_switch_stack
  .globl multipass_sim_switch_stack
  .type multipass_sim_switch_stack, @function
multipass_sim_switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  subq $8, %rsp
  stmxcsr (%rsp)
  fnstcw 4(%rsp)
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  ldmxcsr (%rsp)
  fldcw 4(%rsp)
  addq $8, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size multipass_sim_switch_stack, . - multipass_sim_switch_stack
)");

namespace multipass_sim {
namespace {

// What a thread starts with: all floating-point exceptions masked, round to nearest.
constexpr std::uint64_t kDefaultMxcsr = 0x1F80;
constexpr std::uint64_t kDefaultFpuControl = 0x037F;
constexpr std::size_t kSavedRegisters = 6;
constexpr std::uintptr_t kStackAlignment = 16;

}  // namespace

void StackPoint::prepare(void* stack, std::size_t size, void (*entry)()) {
  const auto top = (reinterpret_cast<std::uintptr_t>(stack) + size) & ~(kStackAlignment - 1);
  // From low to high: control words, registers, the address that `ret` goes to, a return address of zero.
  std::array<std::uint64_t, 1 + kSavedRegisters + 2> frame{};
  frame.front() = kDefaultMxcsr | (kDefaultFpuControl << 32);
  frame[1 + kSavedRegisters] = reinterpret_cast<std::uint64_t>(entry);
  stack_pointer_ = reinterpret_cast<void*>(top - sizeof(frame));  // NOLINT(performance-no-int-to-ptr): an address
  std::memcpy(stack_pointer_, frame.data(), sizeof(frame));
}

void StackPoint::go(StackPoint& from, StackPoint& to) {
  multipass_sim_switch_stack(&from.stack_pointer_, to.stack_pointer_);
}

}  // namespace multipass_sim

#else

namespace multipass_sim {

void StackPoint::prepare(void* stack, std::size_t size, void (*entry)()) {
  ::getcontext(&context_);
  context_.uc_stack.ss_sp = stack;
  context_.uc_stack.ss_size = size;
  context_.uc_link = nullptr;
  ::makecontext(&context_, entry, 0);
}

void StackPoint::go(StackPoint& from, StackPoint& to) {
  ::swapcontext(&from.context_, &to.context_);
}

}  // namespace multipass_sim

#endif
