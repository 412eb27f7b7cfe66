// SPDX-License-Identifier: MIT
//
// The runtime table keeps the promises of sim/interface/runtime_table.h to an SDK: here the tests play the SDK.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "hip/hip_runtime.h"
#include "sim_environment.hpp"

namespace {

using multipass_sim::Capture;
using multipass_sim::DeviceArray;
using multipass_sim::Gate;
using multipass_sim::runtime_table;
using ::testing::ElementsAre;

constexpr std::uint32_t kEnough = 60000;  // ms, never reached
constexpr std::uint32_t kAtOnce = 0;

__global__ void times_ten_plus(int* value, int digit) {
  *value = *value * 10 + digit;
}

template <int>
__global__ void numbered() {}

__global__ void add_one(int* value) {
  ++*value;
}

__global__ void wait_for(const Gate* gate) {
  gate->wait();
}

// Lets a test act as the SDK on every launch while it lives.
class Sdk final {
 public:
  explicit Sdk(std::function<void(multipass_sim_packet*)> on_submit) {
    body = std::move(on_submit);
    runtime_table()->on_submit = [](multipass_sim_packet* packet) { body(packet); };
    runtime_table()->intercept();
  }
  ~Sdk() {
    runtime_table()->on_submit = nullptr;
    runtime_table()->intercept();
    body = nullptr;
  }
  Sdk(const Sdk&) = delete;
  Sdk& operator=(const Sdk&) = delete;

 private:
  inline static std::function<void(multipass_sim_packet*)> body;
};

void execute_and_wait(multipass_sim_packet* packet) {
  Gate done;
  const auto on_done = [](void* gate, const multipass_sim_execution*) { static_cast<Gate*>(gate)->open(); };
  runtime_table()->execute(packet, on_done, &done);
  done.wait();
}

TEST(Table, ListsTheDevicesByName) {
  const multipass_sim_runtime* const table = runtime_table();
  ASSERT_EQ(table->size, sizeof(multipass_sim_runtime));
  ASSERT_EQ(table->device_count(), 2U);
  EXPECT_STREQ(table->device_name(0), "gfx942");
  EXPECT_STREQ(table->device_name(1), "tiny");
  EXPECT_EQ(table->device_name(2), nullptr);
}

TEST(Table, APacketDescribesItsLaunch) {
  hipStream_t stream = nullptr;
  ASSERT_EQ(hipStreamCreate(&stream), hipSuccess);
  Capture capture;
  hipLaunchKernelGGL(numbered<6>, dim3(2, 3, 4), dim3(5, 6, 7), 48, stream);
  hipLaunchKernelGGL(numbered<6>, dim3(1), dim3(1), 0, nullptr);
  const auto launches = capture.launches();
  ASSERT_EQ(launches.size(), 2U);
  const multipass_sim_packet& packet = launches[0].packet;
  EXPECT_EQ(packet.device, 0U);
  EXPECT_EQ(packet.stream, reinterpret_cast<std::uint64_t>(stream));
  EXPECT_NE(packet.queue, 0U);
  EXPECT_THAT((std::vector{packet.grid.x, packet.grid.y, packet.grid.z}), ElementsAre(10U, 18U, 28U));
  EXPECT_THAT((std::vector{packet.workgroup.x, packet.workgroup.y, packet.workgroup.z}), ElementsAre(5U, 6U, 7U));
  EXPECT_EQ(packet.group_segment_size, 48U);
  EXPECT_EQ(packet.private_segment_size, 0U);
  EXPECT_EQ(packet.packets_in_write, 1U);
  EXPECT_EQ(packet.is_graph, 0U);
  EXPECT_EQ(launches[1].packet.stream, 0U);
  EXPECT_NE(launches[1].packet.queue, packet.queue);
  ASSERT_EQ(hipStreamDestroy(stream), hipSuccess);
}

TEST(Table, AKernelHasItsMangledNameAndPlausibleResources) {
  const DeviceArray<int> value(std::vector<int>{0});
  Capture capture;
  hipLaunchKernelGGL(times_ten_plus, dim3(1), dim3(1), 0, nullptr, value.get(), 1);
  const auto launches = capture.launches();
  ASSERT_EQ(launches.size(), 1U);
  EXPECT_EQ(launches[0].kernel, "_ZN12_GLOBAL__N_114times_ten_plusEPii.kd");
  const multipass_sim_kernel& kernel = *launches[0].packet.kernel;
  EXPECT_EQ(kernel.host_function, reinterpret_cast<const void*>(&times_ten_plus));
  EXPECT_EQ(kernel.code_object, 1U);
  EXPECT_EQ(kernel.kernarg_segment_size, 16U);  // 8 + 4, rounded up to 8
  EXPECT_EQ(kernel.sgpr_count, 24U);
  EXPECT_EQ(kernel.arch_vgpr_count, 24U);
  EXPECT_EQ(kernel.accum_vgpr_count, 0U);
}

std::vector<const multipass_sim_kernel*> kernels_heard;  // by the hook, which has no argument of its own

TEST(Table, EveryKernelIsReportedOnceBeforeItsFirstLaunchOrWhenTheHookIsSet) {
  hipLaunchKernelGGL(numbered<1>, dim3(1), dim3(1), 0, nullptr);
  kernels_heard.clear();
  multipass_sim_runtime* const table = runtime_table();
  table->on_kernel = [](const multipass_sim_kernel* kernel) { kernels_heard.push_back(kernel); };
  table->intercept();
  const auto times_heard = [](const std::string& name) {
    return std::count_if(kernels_heard.begin(), kernels_heard.end(),
                         [&](const multipass_sim_kernel* kernel) { return kernel->name == name; });
  };
  EXPECT_EQ(times_heard("_ZN12_GLOBAL__N_18numberedILi1EEEvv.kd"), 1);
  EXPECT_EQ(times_heard("_ZN12_GLOBAL__N_18numberedILi2EEEvv.kd"), 0);
  hipLaunchKernelGGL(numbered<2>, dim3(1), dim3(1), 0, nullptr);
  hipLaunchKernelGGL(numbered<2>, dim3(1), dim3(1), 0, nullptr);
  EXPECT_EQ(times_heard("_ZN12_GLOBAL__N_18numberedILi1EEEvv.kd"), 1);
  EXPECT_EQ(times_heard("_ZN12_GLOBAL__N_18numberedILi2EEEvv.kd"), 1);
  table->on_kernel = nullptr;
  table->intercept();
  ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
}

TEST(Table, ExecutionsOfAPacketRunTheKernelAgainAndTheirTimesDoNotOverlap) {
  const DeviceArray<int> value(std::vector<int>{0});
  std::vector<multipass_sim_execution> executions;
  {
    const Sdk sdk([&](multipass_sim_packet* packet) {
      multipass_sim_runtime* const table = runtime_table();
      table->open_window(packet);
      for (int pass = 0; pass < 3; ++pass) {
        const auto keep = [](void* list, const multipass_sim_execution* execution) {
          static_cast<std::vector<multipass_sim_execution>*>(list)->push_back(*execution);
        };
        table->execute(packet, keep, &executions);
      }
      EXPECT_EQ(table->drain_queue(packet, kEnough), 1);
      table->close_window(packet);
    });
    hipLaunchKernelGGL(times_ten_plus, dim3(1), dim3(1), 0, nullptr, value.get(), 4);
    ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
  }
  EXPECT_THAT(value.to_host(), ElementsAre(444));
  ASSERT_EQ(executions.size(), 3U);
  std::uint64_t last_end = 0;
  for (const multipass_sim_execution& execution : executions) {
    EXPECT_GT(execution.start_ns, last_end);
    EXPECT_GT(execution.end_ns, execution.start_ns);
    EXPECT_EQ(std::memcmp(&execution.activity, &executions[0].activity, sizeof(execution.activity)), 0);
    last_end = execution.end_ns;
  }
}

TEST(Table, AWindowKeepsTheStreamBusyBetweenExecutions) {
  const DeviceArray<int> value(std::vector<int>{0});
  const Sdk sdk([](multipass_sim_packet* packet) {
    runtime_table()->open_window(packet);
    execute_and_wait(packet);
    EXPECT_EQ(runtime_table()->drain_queue(packet, kEnough), 1);
    EXPECT_EQ(hipStreamQuery(nullptr), hipErrorNotReady);
    execute_and_wait(packet);
    runtime_table()->close_window(packet);
  });
  hipLaunchKernelGGL(times_ten_plus, dim3(1), dim3(1), 0, nullptr, value.get(), 1);
  EXPECT_EQ(hipStreamSynchronize(nullptr), hipSuccess);
  EXPECT_EQ(hipStreamQuery(nullptr), hipSuccess);
  EXPECT_THAT(value.to_host(), ElementsAre(11));
}

TEST(Table, WorkPutInDuringAWindowRunsAfterIt) {
  const DeviceArray<int> value(std::vector<int>{0});
  int seen = 0;
  {
    const Sdk sdk([&](multipass_sim_packet* packet) {
      runtime_table()->open_window(packet);
      execute_and_wait(packet);
      EXPECT_EQ(hipMemcpyAsync(&seen, value.get(), sizeof(seen), hipMemcpyDeviceToHost, nullptr), hipSuccess);
      execute_and_wait(packet);
      runtime_table()->close_window(packet);
    });
    hipLaunchKernelGGL(times_ten_plus, dim3(1), dim3(1), 0, nullptr, value.get(), 2);
    ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
  }
  EXPECT_EQ(seen, 22);
}

TEST(Table, AWindowMayBeClosedByWhatRunsOnTheQueue) {
  const DeviceArray<int> value(std::vector<int>{0});
  {
    const Sdk sdk([](multipass_sim_packet* packet) {
      runtime_table()->open_window(packet);
      const auto again = [](void* argument, const multipass_sim_execution*) {
        auto* const same = static_cast<multipass_sim_packet*>(argument);
        runtime_table()->execute(same, nullptr, nullptr);
        runtime_table()->close_window(same);
      };
      runtime_table()->execute(packet, again, packet);
    });
    hipLaunchKernelGGL(times_ten_plus, dim3(1), dim3(1), 0, nullptr, value.get(), 3);
    ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
  }
  EXPECT_THAT(value.to_host(), ElementsAre(33));
}

TEST(Table, DrainingAQueueGivesUpAtTheTimeoutAndSucceedsWhenTheWorkIsDone) {
  Gate gate;
  hipLaunchKernelGGL(wait_for, dim3(1), dim3(1), 0, nullptr, &gate);
  {
    const Sdk sdk([&](multipass_sim_packet* packet) {
      EXPECT_EQ(runtime_table()->drain_queue(packet, kAtOnce), 0);
      gate.open();
      EXPECT_EQ(runtime_table()->drain_queue(packet, kEnough), 1);
      runtime_table()->execute(packet, nullptr, nullptr);
    });
    hipLaunchKernelGGL(numbered<3>, dim3(1), dim3(1), 0, nullptr);
  }
  EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
}

TEST(Table, DrainingTheOthersLooksAtTheOtherQueuesOfTheDeviceOnly) {
  Gate own;
  Gate other;
  hipStream_t streams[2] = {};
  for (hipStream_t& stream : streams) {
    ASSERT_EQ(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking), hipSuccess);
  }
  hipLaunchKernelGGL(wait_for, dim3(1), dim3(1), 0, streams[0], &own);
  hipLaunchKernelGGL(wait_for, dim3(1), dim3(1), 0, streams[1], &other);
  ASSERT_EQ(hipSetDevice(1), hipSuccess);
  Gate elsewhere;
  hipLaunchKernelGGL(wait_for, dim3(1), dim3(1), 0, nullptr, &elsewhere);
  ASSERT_EQ(hipSetDevice(0), hipSuccess);
  {
    const Sdk sdk([&](multipass_sim_packet* packet) {
      EXPECT_EQ(runtime_table()->drain_others(packet, kAtOnce), 0);
      other.open();
      EXPECT_EQ(runtime_table()->drain_others(packet, kEnough), 1);
      EXPECT_EQ(runtime_table()->drain_queue(packet, kAtOnce), 0);
      runtime_table()->execute(packet, nullptr, nullptr);
    });
    hipLaunchKernelGGL(numbered<4>, dim3(1), dim3(1), 0, streams[0]);
  }
  own.open();
  elsewhere.open();
  for (hipStream_t stream : streams) EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
  ASSERT_EQ(hipSetDevice(1), hipSuccess);
  EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);  // its kernel looks at a gate that ends with this test
  ASSERT_EQ(hipSetDevice(0), hipSuccess);
}

__device__ double listed_variable = 1.0;

TEST(Table, ListsLiveAllocationsOfTheDeviceByKind) {
  const DeviceArray<char> device(std::vector<char>(100));
  void* host = nullptr;
  void* managed = nullptr;
  void* variable = nullptr;
  void* fine = nullptr;
  ASSERT_EQ(hipExtMallocWithFlags(&fine, 400, hipDeviceMallocFinegrained), hipSuccess);
  ASSERT_EQ(hipHostMalloc(&host, 200, hipHostMallocDefault), hipSuccess);
  ASSERT_EQ(hipMallocManaged(&managed, 300, hipMemAttachGlobal), hipSuccess);
  ASSERT_EQ(hipGetSymbolAddress(&variable, HIP_SYMBOL(listed_variable)), hipSuccess);
  using Entries = std::vector<multipass_sim_allocation>;
  const auto list = [](std::size_t of_device) {
    Entries entries;
    const auto visit = [](void* argument, const multipass_sim_allocation* allocation) {
      static_cast<Entries*>(argument)->push_back(*allocation);
    };
    runtime_table()->allocations(of_device, visit, &entries);
    return entries;
  };
  const auto has = [](const Entries& entries, const void* address, std::size_t size, int kind) {
    return std::any_of(entries.begin(), entries.end(), [&](const multipass_sim_allocation& entry) {
      return entry.address == address && entry.size == size && entry.kind == kind;
    });
  };
  const Entries entries = list(0);
  EXPECT_TRUE(has(entries, device.get(), 100, MULTIPASS_SIM_MEMORY_DEVICE));
  EXPECT_TRUE(has(entries, host, 200, MULTIPASS_SIM_MEMORY_HOST));
  EXPECT_TRUE(has(entries, managed, 300, MULTIPASS_SIM_MEMORY_MANAGED));
  EXPECT_TRUE(has(entries, fine, 400, MULTIPASS_SIM_MEMORY_FINE));
  EXPECT_TRUE(has(entries, &listed_variable, sizeof(double), MULTIPASS_SIM_MEMORY_VARIABLE));
  EXPECT_EQ(variable, &listed_variable);
  EXPECT_TRUE(list(1).empty());
  ASSERT_EQ(hipFree(managed), hipSuccess);
  ASSERT_EQ(hipFree(fine), hipSuccess);
  ASSERT_EQ(hipHostFree(host), hipSuccess);
  EXPECT_FALSE(has(list(0), managed, 300, MULTIPASS_SIM_MEMORY_MANAGED));
}

TEST(Table, CallsOnStartBeforeTheKernelAndLetsItWaitThere) {
  const DeviceArray<int> value(std::vector<int>{0});
  static std::vector<std::string> events;
  static std::atomic<int> at_start{-1};
  static const int* seen = nullptr;
  seen = value.get();
  struct Execution {
    Gate may_start;
    Gate done;
  } execution;
  runtime_table()->on_start = [](void* argument) {
    static_cast<Execution*>(argument)->may_start.wait();
    at_start = *seen;
    events.emplace_back("start");
  };
  {
    const Sdk sdk([&](multipass_sim_packet* packet) {
      runtime_table()->execute(
          packet,
          [](void* argument, const multipass_sim_execution* done) {
            events.emplace_back("done");
            EXPECT_LT(done->start_ns, done->end_ns);
            static_cast<Execution*>(argument)->done.open();
          },
          &execution);
    });
    hipLaunchKernelGGL(add_one, dim3(1), dim3(1), 0, nullptr, value.get());
    EXPECT_EQ(hipStreamQuery(nullptr), hipErrorNotReady);
    execution.may_start.open();
    execution.done.wait();
    EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
  }
  runtime_table()->on_start = nullptr;
  EXPECT_THAT(events, ElementsAre("start", "done"));
  EXPECT_EQ(at_start, 0) << "the kernel had not run yet";
  EXPECT_THAT(value.to_host(), ElementsAre(1));
}

TEST(Table, WindowsOfManyThreadsOnOneStreamRunEveryPassOfEveryLaunch) {
  constexpr int kThreads = 4;
  constexpr int kLaunches = 10;
  const DeviceArray<int> total(std::vector<int>{0});
  std::mutex device_lock;  // an SDK replays one dispatch of a device at a time
  {
    const Sdk sdk([&](multipass_sim_packet* packet) {
      const std::lock_guard lock(device_lock);
      EXPECT_EQ(runtime_table()->drain_queue(packet, kEnough), 1);
      runtime_table()->open_window(packet);
      execute_and_wait(packet);
      execute_and_wait(packet);
      runtime_table()->close_window(packet);
    });
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        for (int launch = 0; launch < kLaunches; ++launch) {
          hipLaunchKernelGGL(numbered<5>, dim3(1), dim3(1), 0, nullptr);
          hipLaunchKernelGGL(add_one, dim3(1), dim3(1), 0, nullptr, total.get());
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
  }
  EXPECT_THAT(total.to_host(), ElementsAre(2 * kThreads * kLaunches));  // two passes each, nothing restored
}

}  // namespace
