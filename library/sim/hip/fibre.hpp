// SPDX-License-Identifier: MIT
//
// A stack of its own for one work-item that waits at a barrier, and the switch to it and back.
// Owned and used by one thread; a fibre never moves to another. Sanitizers are told of every switch.
// Throws std::bad_alloc when no stack can be mapped.
#pragma once

#include <cstddef>

#include "sim/hip/stack_switch.hpp"

namespace multipass_sim {

class Fibre final {
 public:
  using Entry = void (*)(void* argument);

  static constexpr std::size_t kStackSize = std::size_t{128} * 1024;

  // `entry` runs at the first resume() and again at each resume() after it has returned.
  // `number` tells the fibres of a thread apart.
  Fibre(Entry entry, void* argument, std::size_t number);
  ~Fibre();
  Fibre(const Fibre&) = delete;
  Fibre& operator=(const Fibre&) = delete;

  // Runs the fibre until it suspends or its entry returns. True: it is suspended inside the entry.
  // Cost: two stack switches.
  bool resume();

  // Called on the fibre: gives control back to resume().
  void suspend();

 private:
  static void start();
  void loop();
  void enter();
  void leave();

  Entry entry_;
  void* argument_;
  void* mapping_;
  void* stack_;
  StackPoint own_;
  StackPoint caller_;
  bool suspended_ = false;
  void* own_fake_stack_ = nullptr;  // AddressSanitizer
  void* caller_fake_stack_ = nullptr;
  const void* caller_stack_ = nullptr;
  std::size_t caller_stack_size_ = 0;
  void* own_tsan_ = nullptr;  // ThreadSanitizer
  void* caller_tsan_ = nullptr;
};

}  // namespace multipass_sim
