// SPDX-License-Identifier: MIT
//
// Device memory that two processes use. Each test is two processes of their own: the runtime belongs to the process,
// and a forked child cannot use that of its parent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <functional>
#include <vector>

#include "hip/hip_runtime.h"

namespace {

constexpr std::size_t kInts = 3000;

// What two processes hand to each other, one way each.
class Channel final {
 public:
  Channel() { EXPECT_EQ(::pipe(ends_.data()), 0); }
  ~Channel() {
    ::close(ends_[0]);
    ::close(ends_[1]);
  }
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  template <class T>
  void send(const T& value) {
    ASSERT_EQ(::write(ends_[1], &value, sizeof(value)), static_cast<ssize_t>(sizeof(value)));
  }
  template <class T>
  T receive() {
    T value{};
    EXPECT_EQ(::read(ends_[0], &value, sizeof(value)), static_cast<ssize_t>(sizeof(value)));
    return value;
  }

 private:
  std::array<int, 2> ends_{};
};

struct Processes {
  Channel handle;
  Channel answer;

  // `body` in a process that has not used the runtime yet.
  pid_t start(const std::function<void(Processes&)>& body) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::setenv("ROCPROFSYS_MULTIPASS_SIMULATE", SIM_DEVICES "/gfx942.json", 1);
      body(*this);
      std::exit(testing::Test::HasFailure() ? 1 : 0);
    }
    return child;
  }
  static int wait(pid_t child) {
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return status;
  }
  void run(const std::function<void(Processes&)>& owner, const std::function<void(Processes&)>& other) {
    const pid_t first = start(owner);
    const pid_t second = start(other);
    EXPECT_EQ(wait(first), 0);
    EXPECT_EQ(wait(second), 0);
  }
};

__global__ void double_all(int* values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) values[i] *= 2;
}

int* numbers(std::size_t count) {
  std::vector<int> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<int>(i);
  int* memory = nullptr;
  EXPECT_EQ(hipMalloc(&memory, count * sizeof(int)), hipSuccess);
  EXPECT_EQ(hipMemcpy(memory, values.data(), count * sizeof(int), hipMemcpyHostToDevice), hipSuccess);
  return memory;
}

TEST(Ipc, AKernelOfTheOtherProcessWorksOnTheOwnersMemory) {
  Processes processes;
  processes.run(
      [](Processes& with) {
        int* const memory = numbers(kInts);
        hipIpcMemHandle_t handle{};
        ASSERT_EQ(hipIpcGetMemHandle(&handle, memory), hipSuccess);
        with.handle.send(handle);
        with.answer.receive<int>();
        std::vector<int> values(kInts);
        ASSERT_EQ(hipMemcpy(values.data(), memory, kInts * sizeof(int), hipMemcpyDeviceToHost), hipSuccess);
        for (std::size_t i = 0; i < kInts; ++i) ASSERT_EQ(values[i], static_cast<int>(2 * i));
        EXPECT_EQ(hipFree(memory), hipSuccess);
      },
      [](Processes& with) {
        void* memory = nullptr;
        ASSERT_EQ(hipIpcOpenMemHandle(&memory, with.handle.receive<hipIpcMemHandle_t>(), hipIpcMemLazyEnablePeerAccess),
                  hipSuccess);
        hipPointerAttribute_t attributes{};
        EXPECT_EQ(hipPointerGetAttributes(&attributes, memory), hipSuccess);
        EXPECT_EQ(attributes.type, hipMemoryTypeDevice);
        hipLaunchKernelGGL(double_all, dim3(1), dim3(1), 0, nullptr, static_cast<int*>(memory), kInts);
        EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
        EXPECT_EQ(hipFree(memory), hipErrorInvalidValue);
        EXPECT_EQ(hipIpcCloseMemHandle(memory), hipSuccess);
        EXPECT_EQ(hipIpcCloseMemHandle(memory), hipErrorInvalidValue);
        with.answer.send(1);
      });
}

TEST(Ipc, AHandleOfAnAddressInsideOpensThere) {
  Processes processes;
  processes.run(
      [](Processes& with) {
        int* const memory = numbers(kInts);
        hipIpcMemHandle_t handle{};
        ASSERT_EQ(hipIpcGetMemHandle(&handle, memory + 1234), hipSuccess);
        with.handle.send(handle);
        with.answer.receive<int>();
      },
      [](Processes& with) {
        void* memory = nullptr;
        ASSERT_EQ(hipIpcOpenMemHandle(&memory, with.handle.receive<hipIpcMemHandle_t>(), hipIpcMemLazyEnablePeerAccess),
                  hipSuccess);
        int value = 0;
        EXPECT_EQ(hipMemcpy(&value, memory, sizeof(value), hipMemcpyDeviceToHost), hipSuccess);
        EXPECT_EQ(value, 1234);
        EXPECT_EQ(hipIpcCloseMemHandle(memory), hipSuccess);
        with.answer.send(1);
      });
}

TEST(Ipc, MemoryThatItsOwnerFreedCannotBeOpenedAndStaysWhereItIsOpen) {
  Processes processes;
  processes.run(
      [](Processes& with) {
        int* const memory = numbers(kInts);
        hipIpcMemHandle_t handle{};
        ASSERT_EQ(hipIpcGetMemHandle(&handle, memory), hipSuccess);
        with.handle.send(handle);
        with.answer.receive<int>();
        EXPECT_EQ(hipFree(memory), hipSuccess);
        with.handle.send(handle);
        with.answer.receive<int>();
      },
      [](Processes& with) {
        void* memory = nullptr;
        const auto handle = with.handle.receive<hipIpcMemHandle_t>();
        ASSERT_EQ(hipIpcOpenMemHandle(&memory, handle, hipIpcMemLazyEnablePeerAccess), hipSuccess);
        with.answer.send(1);
        with.handle.receive<hipIpcMemHandle_t>();  // freed by now
        int value = 0;
        EXPECT_EQ(hipMemcpy(&value, static_cast<int*>(memory) + 7, sizeof(value), hipMemcpyDeviceToHost), hipSuccess);
        EXPECT_EQ(value, 7);
        void* again = nullptr;
        EXPECT_EQ(hipIpcOpenMemHandle(&again, handle, hipIpcMemLazyEnablePeerAccess), hipErrorInvalidDevicePointer);
        EXPECT_EQ(hipIpcCloseMemHandle(memory), hipSuccess);
        with.answer.send(1);
      });
}

TEST(Ipc, OnlyDeviceMemoryHasAHandleWhichItsOwnProcessDoesNotOpen) {
  Processes processes;
  const pid_t child = processes.start([](Processes&) {
    hipIpcMemHandle_t handle{};
    int local = 0;
    void* managed = nullptr;
    ASSERT_EQ(hipMallocManaged(&managed, 64), hipSuccess);
    EXPECT_EQ(hipIpcGetMemHandle(&handle, managed), hipErrorInvalidDevicePointer);
    EXPECT_EQ(hipIpcGetMemHandle(&handle, &local), hipErrorInvalidDevicePointer);
    EXPECT_EQ(hipIpcGetMemHandle(nullptr, managed), hipErrorInvalidValue);
    int* const memory = numbers(4);
    ASSERT_EQ(hipIpcGetMemHandle(&handle, memory), hipSuccess);
    void* opened = nullptr;
    EXPECT_EQ(hipIpcOpenMemHandle(&opened, handle, hipIpcMemLazyEnablePeerAccess), hipErrorInvalidContext);
    EXPECT_EQ(hipIpcOpenMemHandle(&opened, handle, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipIpcOpenMemHandle(&opened, {}, hipIpcMemLazyEnablePeerAccess), hipErrorInvalidValue);
    EXPECT_EQ(hipIpcCloseMemHandle(memory), hipErrorInvalidValue);
  });
  EXPECT_EQ(Processes::wait(child), 0);
}

}  // namespace
