// SPDX-License-Identifier: MIT
//
// The one runtime of the process: made by the first HIP call, stopped at exit.
#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>

#include "sim/hip/costs.hpp"
#include "sim/hip/message.hpp"
#include "sim/hip/runtime.hpp"
#include "sim/hip/sdk_loader.hpp"

namespace multipass_sim {
namespace {

std::recursive_mutex start_mutex;         // recursive: a tool that the start loads may call HIP
std::atomic<Runtime*> instance{nullptr};  // never deleted: destructors of the application may still call HIP
std::atomic<bool> ready{false};
std::atomic<bool> in_forked_child{false};

__thread unsigned calls = 0;  // HIP functions that this thread is in

// Not where a host function of a stream called exit(): its queue would wait for itself, others may wait for that one.
// Nor where a signal handler did so inside a HIP function. Work that is queued is lost then.
void stop_at_exit() {
  if (!in_forked_child.load() && !Queue::on_worker() && calls == 0) instance.load()->stop();
}

void start() {
  static_cast<void>(costs());  // a cost that does not exist is told before anything runs
  instance.store(std::make_unique<Runtime>(find_devices()).release());
  ::pthread_atfork(nullptr, nullptr, [] { in_forked_child.store(true); });
  // Before the SDK registers its own handler: handlers run in reverse order, so its handler still finds workers.
  if (std::atexit(&stop_at_exit) != 0) print_message("queued work may be lost at exit: atexit failed");
  load_sdk_if_wanted(instance.load()->table());
}

}  // namespace

Runtime* runtime() noexcept {
  if (in_forked_child.load(std::memory_order_relaxed)) return nullptr;
  if (ready.load(std::memory_order_acquire)) return instance.load(std::memory_order_relaxed);
  try {
    const std::lock_guard lock(start_mutex);
    if (instance.load() == nullptr) {
      start();
      ready.store(true, std::memory_order_release);
    }
  } catch (const std::exception&) {
    // Out of memory: the caller finds no runtime.
  }
  return instance.load();
}

InCall::InCall() noexcept {
  ++calls;
}

InCall::~InCall() {
  --calls;
}

Runtime* started_runtime() noexcept {
  return instance.load(std::memory_order_acquire);
}

}  // namespace multipass_sim
