// SPDX-License-Identifier: MIT
#include "sim/hip/fibre.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <new>

// The sanitizers' fibre interface (sanitizer/common_interface_defs.h, tsan_interface.h). Weak: the application may be
// instrumented while this library is not, and in most processes they are absent.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): their names
extern "C" {
__attribute__((weak)) void __sanitizer_start_switch_fiber(void** fake_stack_save, const void* bottom, std::size_t size);
__attribute__((weak)) void __sanitizer_finish_switch_fiber(void* fake_stack_save, const void** bottom_old,
                                                           std::size_t* size_old);
__attribute__((weak)) void* __tsan_get_current_fiber(void);
__attribute__((weak)) void* __tsan_create_fiber(unsigned flags);
__attribute__((weak)) void __tsan_destroy_fiber(void* fiber);
__attribute__((weak)) void __tsan_switch_to_fiber(void* fiber, unsigned flags);
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

namespace multipass_sim {
namespace {

__thread Fibre* starting_fibre = nullptr;  // the entry of a stack takes no argument

// Stacks start at different places of a page: else the busy ends of all would compete for the same few cache sets.
constexpr std::size_t kColours = 16;
constexpr std::size_t kColourStep = 256;

std::size_t page_size() {
  return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

Fibre::Fibre(Entry entry, void* argument, std::size_t number) : entry_(entry), argument_(argument) {
  const std::size_t guard = page_size();  // an overflow faults instead of damaging a neighbour
  mapping_ = ::mmap(nullptr, guard + kStackSize, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (mapping_ == MAP_FAILED) throw std::bad_alloc();
  if (::mprotect(mapping_, guard, PROT_NONE) != 0) {
    ::munmap(mapping_, guard + kStackSize);
    throw std::bad_alloc();
  }
  stack_ = static_cast<char*>(mapping_) + guard;
  own_.prepare(stack_, kStackSize - number % kColours * kColourStep, &Fibre::start);
  if (__tsan_create_fiber != nullptr) own_tsan_ = __tsan_create_fiber(0);
}

Fibre::~Fibre() {
  if (own_tsan_ != nullptr) __tsan_destroy_fiber(own_tsan_);
  ::munmap(mapping_, page_size() + kStackSize);
}

bool Fibre::resume() {
  starting_fibre = this;
  if (own_tsan_ != nullptr) caller_tsan_ = __tsan_get_current_fiber();
  if (__sanitizer_start_switch_fiber != nullptr) {
    __sanitizer_start_switch_fiber(&caller_fake_stack_, stack_, kStackSize);
  }
  if (own_tsan_ != nullptr) __tsan_switch_to_fiber(own_tsan_, 0);
  StackPoint::go(caller_, own_);
  if (__sanitizer_finish_switch_fiber != nullptr) __sanitizer_finish_switch_fiber(caller_fake_stack_, nullptr, nullptr);
  return suspended_;
}

void Fibre::suspend() {
  suspended_ = true;
  leave();
}

void Fibre::start() {
  starting_fibre->loop();
}

void Fibre::loop() {
  enter();
  for (;;) {
    suspended_ = false;
    entry_(argument_);
    suspended_ = false;
    leave();
  }
}

// Runs on the fibre, first thing after control came to it.
void Fibre::enter() {
  if (__sanitizer_finish_switch_fiber != nullptr) {
    __sanitizer_finish_switch_fiber(own_fake_stack_, &caller_stack_, &caller_stack_size_);
  }
}

void Fibre::leave() {
  if (__sanitizer_start_switch_fiber != nullptr) {
    __sanitizer_start_switch_fiber(&own_fake_stack_, caller_stack_, caller_stack_size_);
  }
  if (own_tsan_ != nullptr) __tsan_switch_to_fiber(caller_tsan_, 0);
  StackPoint::go(own_, caller_);
  enter();
}

}  // namespace multipass_sim
