// SPDX-License-Identifier: MIT
//
// A copy that another thread begins while a replay window holds its GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hip/hip_runtime.h>
#include <sys/sysinfo.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "isolated.hpp"
#include "services.hpp"
#include "test_tool.hpp"

namespace sim_sdk_test {
namespace {

using testing::ElementsAre;

__global__ void add_one(int* value) {
  ++*value;
}

// A tool that replays each launch twice and writes down passes and copies. In pass 0 it lets another thread begin a
// copy to the memory of the kernel.
struct CopyInWindow {
  Services services;
  rocprofiler_context_id_t context{0};
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::string> events;
  bool in_window = false;
  bool copy_over = false;
  bool wait_for_copy = false;  // the kernel of pass 0 runs behind the copy

  void add(const std::string& event) {
    const std::lock_guard lock(mutex);
    events.push_back(event);
  }

  void start() {
    setenv("ROCPROFILER_REGISTER_FORCE_LOAD", "1", 1);
    services.replay = [this](const auto& record, ReplayData& data, auto&) { replay(record, data); };
    services.tracing = [this](const rocprofiler_callback_tracing_record_t& record, auto&) {
      const bool enter = record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER;
      if (record.operation != ROCPROFILER_MEMORY_COPY_HOST_TO_DEVICE) return;
      add(enter ? "copy begins" : "copy ends");
      const std::lock_guard lock(mutex);
      copy_over = copy_over || !enter;
      changed.notify_all();
    };
    register_tool({.configure = {},
                   .initialize =
                       [this] {
                         context = make_context();
                         EXPECT_EQ(services.add_replay(context), 0);
                         EXPECT_EQ(services.add_tracing(context, ROCPROFILER_CALLBACK_TRACING_MEMORY_COPY), 0);
                         EXPECT_EQ(rocprofiler_start_context(context), 0);
                       },
                   .finalize = {}});
  }

  void replay(const rocprofiler_callback_tracing_record_t& record, ReplayData& data) {
    const bool enter = record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER;
    if (record.operation == ROCPROFILER_KERNEL_REPLAY_CONFIG) {
      if (enter) data.replay_pass_count = [](auto, auto) -> std::uint64_t { return 2; };
      add(enter ? "window opens" : "window closes");
      return;
    }
    add("pass " + std::to_string(data.current_pass) + (enter ? " begins" : " ends"));
    if (!enter || data.current_pass != 0) return;
    std::unique_lock lock(mutex);
    in_window = true;
    changed.notify_all();
    if (wait_for_copy) {
      EXPECT_TRUE(changed.wait_until(lock, std::chrono::system_clock::now() + std::chrono::seconds(30),
                                     [this] { return copy_over; }));
    }
  }

  // Launches on one thread and copies 100 to the kernel's memory on another, from pass 0 on. Returns what is there
  // then.
  int run() {
    int* memory = nullptr;
    EXPECT_EQ(hipMalloc(&memory, sizeof(int)), hipSuccess);
    EXPECT_EQ(hipMemset(memory, 0, sizeof(int)), hipSuccess);
    std::thread copier([&] {
      {
        std::unique_lock lock(mutex);
        changed.wait(lock, [this] { return in_window; });
      }
      hipStream_t stream = nullptr;
      EXPECT_EQ(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking), hipSuccess);
      const int value = 100;
      EXPECT_EQ(hipMemcpyAsync(memory, &value, sizeof(value), hipMemcpyHostToDevice, stream), hipSuccess);
      EXPECT_EQ(hipStreamSynchronize(stream), hipSuccess);
    });
    hipLaunchKernelGGL(add_one, dim3(1), dim3(1), 0, nullptr, memory);
    EXPECT_EQ(hipStreamSynchronize(nullptr), hipSuccess);
    copier.join();
    int result = 0;
    EXPECT_EQ(hipMemcpy(&result, memory, sizeof(result), hipMemcpyDeviceToHost), hipSuccess);
    return result;
  }
};

TEST(CopyInWindow, BeginsWhenTheWindowIsOver) {
  const Outcome outcome = isolated([] {
    CopyInWindow test;
    test.start();
    EXPECT_EQ(test.run(), 100) << "the copy is not lost";
    EXPECT_THAT(test.events, ElementsAre("window opens", "pass 0 begins", "pass 0 ends", "pass 1 begins", "pass 1 ends",
                                         "window closes", "copy begins", "copy ends"));
    end_tool();
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(CopyInWindow, IsUndoneByTheRestoreWithTheFault) {
  const Outcome outcome = isolated([] {
    setenv("ROCPROFSYS_MULTIPASS_SIM_FAULTS", "copies_unfenced", 1);
    CopyInWindow test;
    test.wait_for_copy = true;
    test.start();
    EXPECT_EQ(test.run(), 1) << "pass 0 found the 100, and the memory was put back before pass 1";
    EXPECT_THAT(test.events, ElementsAre("window opens", "pass 0 begins", "copy begins", "copy ends", "pass 0 ends",
                                         "pass 1 begins", "pass 1 ends", "window closes"));
    end_tool();
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(CopyInWindow, OfAnotherGpuDoesNotWait) {
  const Outcome outcome = isolated([] {
    setenv("ROCPROFSYS_MULTIPASS_SIMULATE", "tiny,tiny", 1);
    CopyInWindow test;
    test.wait_for_copy = true;
    test.start();
    int* memory = nullptr;
    int* elsewhere = nullptr;
    EXPECT_EQ(hipMalloc(&memory, sizeof(int)), hipSuccess);
    EXPECT_EQ(hipSetDevice(1), hipSuccess);
    EXPECT_EQ(hipMalloc(&elsewhere, sizeof(int)), hipSuccess);
    EXPECT_EQ(hipSetDevice(0), hipSuccess);
    std::thread copier([&] {
      {
        std::unique_lock lock(test.mutex);
        test.changed.wait(lock, [&] { return test.in_window; });
      }
      EXPECT_EQ(hipSetDevice(1), hipSuccess);
      const int value = 5;
      EXPECT_EQ(hipMemcpy(elsewhere, &value, sizeof(value), hipMemcpyHostToDevice), hipSuccess);
    });
    hipLaunchKernelGGL(add_one, dim3(1), dim3(1), 0, nullptr, memory);
    copier.join();
    EXPECT_EQ(hipStreamSynchronize(nullptr), hipSuccess);
    const auto at = [&](const std::string& event) {
      return std::find(test.events.begin(), test.events.end(), event) - test.events.begin();
    };
    EXPECT_LT(at("copy begins"), at("pass 0 ends"));
    end_tool();
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

__global__ void touch_first(char* memory) {
  memory[0] = 1;
}

constexpr std::size_t kHuge = 190'000'000'000;

// The pages cost nothing, a copy of them would.
TEST(HugeMemory, IsNotCopiedForAReplayThatTheHostCannotHold) {
  struct sysinfo machine{};
  ASSERT_EQ(sysinfo(&machine), 0);
  if (machine.totalram * machine.mem_unit > kHuge) GTEST_SKIP() << "this machine can hold the copy";
  const Outcome outcome = isolated([] {
    setenv("ROCPROFSYS_MULTIPASS_SIMULATE", "gfx942", 1);
    CopyInWindow test;
    test.start();
    char* memory = nullptr;
    EXPECT_EQ(hipMalloc(&memory, kHuge), hipSuccess);
    hipLaunchKernelGGL(touch_first, dim3(1), dim3(1), 0, nullptr, memory);
    EXPECT_EQ(hipStreamSynchronize(nullptr), hipSuccess);
    char first = 0;
    EXPECT_EQ(hipMemcpy(&first, memory, 1, hipMemcpyDeviceToHost), hipSuccess);
    EXPECT_EQ(first, 1) << "the kernel ran";
    EXPECT_THAT(test.events, ElementsAre("window opens", "window closes")) << "but once";
    EXPECT_EQ(hipFree(memory), hipSuccess);
    end_tool();
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

}  // namespace
}  // namespace sim_sdk_test
