// SPDX-License-Identifier: MIT
//
// A random program, the same for a seed: mixture SEED THREADS STEPS [WITH...]
//
// Each thread has streams and memory of its own on each GPU, and allocates, frees, fills, copies and launches kernels
// that work in place, at random. Prints a checksum of each thread's memory: it depends on every launch having run as
// often as it is written here, and on each copy having its effect once.
// WITH: further classes of memory that kernels write to; the others are device, managed, pool, fine, mapped.
#include <hip/hip_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

constexpr unsigned kItems = 64;
constexpr std::size_t kBytes = kItems * sizeof(std::uint32_t);
constexpr std::size_t kPage = 2U << 20U;  // of mapped memory

__global__ void mix(std::uint32_t* to, const std::uint32_t* from, std::uint32_t salt) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = to[i] * 3 + (from[i] ^ salt);
}

namespace {

void check(hipError_t error, const char* what) {
  if (error == hipSuccess) return;
  std::fprintf(stderr, "mixture: %s: %s\n", what, hipGetErrorString(error));
  std::exit(90);
}

struct Memory {
  std::string kind;
  int device = 0;
  std::uint32_t* at = nullptr;
  hipMemGenericAllocationHandle_t handle{};
};

class Worker {
 public:
  Worker(unsigned seed, unsigned number, std::vector<std::string> kinds)
      : random_(seed * 31U + number), kinds_(std::move(kinds)) {
    check(hipGetDeviceCount(&devices_), "count");
    for (int device = 0; device < devices_; ++device) {
      check(hipSetDevice(device), "device");
      check(hipStreamCreateWithFlags(&streams_.emplace_back(), hipStreamNonBlocking), "stream");
    }
  }

  void run(unsigned steps) {
    for (unsigned step = 0; step < steps; ++step) {
      device_ = static_cast<int>(below(static_cast<unsigned>(devices_)));
      check(hipSetDevice(device_), "device");
      const unsigned what = below(10);
      if (what < 2) {
        allocate();
      } else if (what < 3) {
        release();
      } else if (what < 4) {
        to_gpu();
      } else if (what < 5) {
        to_host();
      } else {
        launch();
      }
    }
    for (const Memory& memory : memory_) add(memory);
    while (!memory_.empty()) free_memory(memory_.size() - 1);
  }

  [[nodiscard]] std::uint64_t sum() const { return sum_; }

 private:
  unsigned below(unsigned end) { return static_cast<unsigned>(random_() % end); }
  [[nodiscard]] hipStream_t stream() const { return streams_[static_cast<std::size_t>(device_)]; }

  void allocate() {
    Memory memory{kinds_[below(static_cast<unsigned>(kinds_.size()))], device_, nullptr, {}};
    void* at = nullptr;
    if (memory.kind == "device") check(hipMalloc(&at, kBytes), "device");
    if (memory.kind == "managed") check(hipMallocManaged(&at, kBytes), "managed");
    if (memory.kind == "pool") check(hipMallocAsync(&at, kBytes, stream()), "pool");
    if (memory.kind == "fine") check(hipExtMallocWithFlags(&at, kBytes, hipDeviceMallocFinegrained), "fine");
    if (memory.kind == "host") check(hipHostMalloc(&at, kBytes, 0), "host");
    if (memory.kind == "registered") {
      at = std::malloc(kBytes);
      check(hipHostRegister(at, kBytes, 0), "registered");
    }
    if (memory.kind == "mapped") {
      hipMemAllocationProp prop{};
      prop.type = hipMemAllocationTypePinned;
      prop.location = {hipMemLocationTypeDevice, device_};
      check(hipMemCreate(&memory.handle, kPage, &prop, 0), "create");
      check(hipMemAddressReserve(&at, kPage, 0, nullptr, 0), "reserve");
      check(hipMemMap(at, kPage, 0, memory.handle, 0), "map");
      const hipMemAccessDesc access{prop.location, hipMemAccessFlagsProtReadWrite};
      check(hipMemSetAccess(at, kPage, &access, 1), "access");
    }
    memory.at = static_cast<std::uint32_t*>(at);
    memory_.push_back(memory);
    check(hipStreamSynchronize(stream()), "synchronize");
    fill(memory);
  }

  void fill(const Memory& memory) {
    std::vector<std::uint32_t> values(kItems);
    for (std::uint32_t& value : values) value = static_cast<std::uint32_t>(random_());
    check(hipMemcpyAsync(memory.at, values.data(), kBytes, hipMemcpyDefault, stream()), "fill");
    check(hipStreamSynchronize(stream()), "synchronize");
  }

  // One of this GPU.
  Memory* any() {
    for (unsigned tried = 0; tried < 8 && !memory_.empty(); ++tried)
      if (Memory& memory = memory_[below(static_cast<unsigned>(memory_.size()))]; memory.device == device_)
        return &memory;
    return nullptr;
  }

  void release() {
    if (const Memory* memory = any()) {
      add(*memory);
      free_memory(static_cast<std::size_t>(memory - memory_.data()));
    }
  }

  void free_memory(std::size_t which) {
    const Memory memory = memory_[which];
    memory_.erase(memory_.begin() + static_cast<std::ptrdiff_t>(which));
    device_ = memory.device;
    check(hipSetDevice(device_), "device");
    check(hipStreamSynchronize(stream()), "synchronize");
    if (memory.kind == "pool") {
      check(hipFreeAsync(memory.at, stream()), "free");
    } else if (memory.kind == "host") {
      check(hipHostFree(memory.at), "free");
    } else if (memory.kind == "registered") {
      check(hipHostUnregister(memory.at), "free");
      std::free(memory.at);
    } else if (memory.kind == "mapped") {
      check(hipMemUnmap(memory.at, kPage), "unmap");
      check(hipMemRelease(memory.handle), "release");
      check(hipMemAddressFree(memory.at, kPage), "address");
    } else {
      check(hipFree(memory.at), "free");
    }
  }

  void to_gpu() {
    if (const Memory* memory = any()) fill(*memory);
  }

  void to_host() {
    if (const Memory* memory = any()) add(*memory);
  }

  void add(const Memory& memory) {
    std::vector<std::uint32_t> values(kItems);
    const hipStream_t of = streams_[static_cast<std::size_t>(memory.device)];
    check(hipSetDevice(memory.device), "device");
    check(hipMemcpyAsync(values.data(), memory.at, kBytes, hipMemcpyDefault, of), "copy");
    check(hipStreamSynchronize(of), "synchronize");
    for (const std::uint32_t value : values) sum_ = (sum_ ^ value) * 0x100000001b3U;
  }

  void launch() {
    const Memory* to = any();
    const Memory* from = any();
    if (to == nullptr || from == nullptr) return;
    const auto salt = static_cast<std::uint32_t>(random_());
    hipLaunchKernelGGL(mix, dim3(1), dim3(kItems), 0, stream(), to->at, from->at, salt);
    check(hipGetLastError(), "launch");
  }

  std::mt19937 random_;
  const std::vector<std::string> kinds_;
  int devices_ = 0;
  int device_ = 0;
  std::vector<hipStream_t> streams_;  // by device
  std::vector<Memory> memory_;
  std::uint64_t sum_ = 0xcbf29ce484222325U;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const auto number = [argv](int at) { return static_cast<unsigned>(std::atoi(argv[at])); };
  std::vector<std::string> kinds{"device", "device", "device", "managed", "pool", "fine", "mapped"};
  if (argc > 4) kinds.assign(argv + 4, argv + argc);
  std::vector<Worker> workers;
  for (unsigned thread = 0; thread < number(2); ++thread) workers.emplace_back(number(1), thread, kinds);
  std::vector<std::thread> running;
  for (Worker& worker : workers) running.emplace_back([&worker, steps = number(3)] { worker.run(steps); });
  for (std::thread& thread : running) thread.join();
  for (const Worker& worker : workers) std::printf("%016llx\n", static_cast<unsigned long long>(worker.sum()));
  return 5;  // not 0, so that a lost exit code shows
}
