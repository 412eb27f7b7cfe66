// SPDX-License-Identifier: MIT
//
// An application that comes into each situation in which a replay would do harm, and out of it again. Usage:
//
//   left_on KIND LAUNCHES [FILE]
//
// LAUNCHES launches that change memory in place, with the situation there; its result; as many when it is over, on
// memory of hipMalloc; their result. The first launch of each half that is run twice shows in its result unless what it
// wrote was restored. KIND:
//
//   device, host, managed, pool, fine, virtual   the memory that is changed
//   exported     another process, of this program too, has it open, and writes to it while the first launch runs; when
//                the launches are over it changes it in the same way (situation: imported)
//   library      FILE is loaded before the launches, and stays
//   copy_before  a copy to the GPU is under way until the launches are over
//   copy_behind  each launch comes behind a copy on its stream, which takes its time and ends
//   copy_within  a copy to the GPU begins and ends while the first launch runs
//
// Ends with 5, so that a lost exit code shows; with 0 after `library`, for mpirun ends a job of which a rank fails.
// Where LEFT_ON_ROOT is set, the files of control groups are looked for in that folder: the plugin finds `open` and
// `access` here first.
#include <dlfcn.h>
#include <fcntl.h>
#include <hip/hip_runtime.h>
#include <multipass/count.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

constexpr unsigned kBlock = 64;
constexpr unsigned kItems = 256;
constexpr unsigned kWords = kItems + 1;  // the last one is changed by no kernel of its process
constexpr std::size_t kBytes = kWords * sizeof(unsigned);
constexpr unsigned kWritten = 42;  // what is there at the end, if nobody takes it back

// Where a kernel meets the host: in memory of the host, which replay does not restore.
struct Meeting {
  unsigned executions, reached, done;
};

__host__ __device__ static unsigned seen(const unsigned& flag) {
  return __atomic_load_n(&flag, __ATOMIC_ACQUIRE);
}

// The first execution of all waits for the host, but not for ever: a host that cannot come shows in the results.
__global__ void triple(unsigned* values, Meeting* meeting) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (meeting != nullptr && i == 0 && ++meeting->executions == 1) {
    __atomic_store_n(&meeting->reached, 1U, __ATOMIC_RELEASE);
    for (unsigned long spins = 0; spins < 2'000'000'000UL && seen(meeting->done) == 0; ++spins) {
    }
  }
  multipass_count::valu(2);
  multipass_count::store(&values[i]) = 3 * multipass_count::load(&values[i]) + 1;
}

static void check(hipError_t error, const char* what) {
  if (error == hipSuccess) return;
  std::fprintf(stderr, "left_on: %s: %s\n", what, hipGetErrorString(error));
  std::exit(90);
}

static void need(bool holds, const char* what) {
  if (holds) return;
  std::perror(what);
  std::exit(91);
}

// ---------------------------------------------------------------------------------------------------------------------
// Memory

class Virtual {
 public:
  unsigned* map() {
    hipMemAllocationProp properties = {};
    properties.type = hipMemAllocationTypePinned;
    properties.location.type = hipMemLocationTypeDevice;
    check(hipMemGetAllocationGranularity(&size_, &properties, hipMemAllocationGranularityRecommended), "granularity");
    check(hipMemAddressReserve(&address_, size_, 0, nullptr, 0), "addresses");
    check(hipMemCreate(&handle_, size_, &properties, 0), "physical memory");
    check(hipMemMap(address_, size_, 0, handle_, 0), "mapping");
    hipMemAccessDesc access = {};
    access.location = properties.location;
    access.flags = hipMemAccessFlagsProtReadWrite;
    check(hipMemSetAccess(address_, size_, &access, 1), "access");
    return static_cast<unsigned*>(address_);
  }
  void unmap() {
    check(hipMemUnmap(address_, size_), "unmapping");
    check(hipMemRelease(handle_), "release");
    check(hipMemAddressFree(address_, size_), "addresses");
  }

 private:
  std::size_t size_ = 0;
  void* address_ = nullptr;
  hipMemGenericAllocationHandle_t handle_ = nullptr;
};

static Virtual g_virtual;

static unsigned* allocate(const std::string& kind) {
  void* memory = nullptr;
  if (kind == "virtual") return g_virtual.map();
  if (kind == "pinned") {
    check(hipHostMalloc(&memory, kBytes, 0), "pinned memory");
  } else if (kind == "managed") {
    check(hipMallocManaged(&memory, kBytes, hipMemAttachGlobal), "managed memory");
  } else if (kind == "pool") {
    check(hipMallocAsync(&memory, kBytes, nullptr), "memory of a pool");
    check(hipStreamSynchronize(nullptr), "memory of a pool");
  } else if (kind == "fine") {
    check(hipExtMallocWithFlags(&memory, kBytes, hipDeviceMallocFinegrained), "fine-grained memory");
  } else {
    check(hipMalloc(&memory, kBytes), "memory");
  }
  return static_cast<unsigned*>(memory);
}

static void release(const std::string& kind, unsigned* memory) {
  if (kind == "virtual") return g_virtual.unmap();
  if (kind == "pinned") return check(hipHostFree(memory), "free");
  if (kind != "pool") return check(hipFree(memory), "free");
  check(hipFreeAsync(memory, nullptr), "free");
  check(hipDeviceSynchronize(), "free");
}

static void fill(unsigned* values) {
  std::vector<unsigned> start(kWords);
  for (unsigned i = 0; i < kWords; ++i) start[i] = i;
  check(hipMemcpy(values, start.data(), kBytes, hipMemcpyHostToDevice), "fill");
}

static unsigned sum_of(const unsigned* values) {
  std::vector<unsigned> found(kWords);
  check(hipMemcpy(found.data(), values, kBytes, hipMemcpyDeviceToHost), "result");
  unsigned sum = 0;
  for (const unsigned value : found) sum = sum * 31 + value;
  return sum;
}

static void launch(unsigned* values, int launches, Meeting* meeting = nullptr) {
  hipStream_t stream = nullptr;
  check(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking), "stream");
  for (int i = 0; i < launches; ++i)
    hipLaunchKernelGGL(triple, dim3(kItems / kBlock), dim3(kBlock), 0, stream, values, meeting);
  check(hipStreamSynchronize(stream), "launches");
  check(hipStreamDestroy(stream), "stream");
}

// When it is over.
static void launch_after(int launches, const char* name) {
  unsigned* const values = allocate("device");
  fill(values);
  launch(values, launches);
  std::printf("%s %08x\n", name, sum_of(values));
  release("device", values);
}

// The first launch runs `meanwhile` on another thread while its kernel does.
template <typename Meanwhile>
static void launch_and_meet(unsigned* values, int launches, Meanwhile meanwhile) {
  static Meeting place;  // of which no call tells
  Meeting* const meeting = &place;
  std::thread other([&] {
    while (seen(meeting->reached) == 0) std::this_thread::yield();
    meanwhile();
    __atomic_store_n(&meeting->done, 1U, __ATOMIC_RELEASE);
  });
  launch(values, launches, meeting);
  other.join();
}

static void write_last(unsigned* values) {
  check(hipMemcpy(values + kItems, &kWritten, sizeof(kWritten), hipMemcpyHostToDevice), "copy");
}

// ---------------------------------------------------------------------------------------------------------------------
// Another process

static void put(int to, const void* bytes, std::size_t size) {
  need(::write(to, bytes, size) == static_cast<ssize_t>(size), "write");
}
static void get(int from, void* bytes, std::size_t size) {
  need(::read(from, bytes, size) == static_cast<ssize_t>(size), "read");
}

// Started by the one below: 3 and 4 are its pipes. Says a byte when it has done what a byte asks for.
static int run_imported(int launches) {
  hipIpcMemHandle_t handle;
  char word = 0;
  get(3, &handle, sizeof(handle));
  void* memory = nullptr;
  check(hipIpcOpenMemHandle(&memory, handle, hipIpcMemLazyEnablePeerAccess), "import");
  auto* const values = static_cast<unsigned*>(memory);
  put(4, &word, 1);
  get(3, &word, 1);
  write_last(values);
  put(4, &word, 1);
  get(3, &word, 1);
  launch(values, launches);
  check(hipIpcCloseMemHandle(values), "close");
  launch_after(launches, "other after");
  std::fflush(stdout);
  return 5;
}

class Other {
 public:
  Other(unsigned* values, const char* launches) {
    hipIpcMemHandle_t handle;
    check(hipIpcGetMemHandle(&handle, values), "export");
    int down[2], up[2];
    need(::pipe2(down, O_CLOEXEC) == 0 && ::pipe2(up, O_CLOEXEC) == 0, "pipe");
    // Out of the way of 3 and 4, which one of them may be.
    const int reads = ::fcntl(down[0], F_DUPFD_CLOEXEC, 10), writes = ::fcntl(up[1], F_DUPFD_CLOEXEC, 10);
    posix_spawn_file_actions_t actions;
    need(::posix_spawn_file_actions_init(&actions) == 0, "spawn");
    need(::posix_spawn_file_actions_adddup2(&actions, reads, 3) == 0, "spawn");
    need(::posix_spawn_file_actions_adddup2(&actions, writes, 4) == 0, "spawn");
    std::string name = "left_on", kind = "imported", count = launches;
    char* words[] = {name.data(), kind.data(), count.data(), nullptr};
    need(::posix_spawn(&process_, "/proc/self/exe", &actions, nullptr, words, environ) == 0, "spawn");
    ::posix_spawn_file_actions_destroy(&actions);
    for (const int used : {reads, writes, down[0], up[1]}) ::close(used);
    to_ = down[1];
    from_ = up[0];
    put(to_, &handle, sizeof(handle));
    answer();
  }
  Other(const Other&) = delete;
  Other& operator=(const Other&) = delete;

  void writes() {
    ask();
    answer();
  }
  void launches_to_its_end() {
    ask();
    int status = 0;
    need(::waitpid(process_, &status, 0) == process_ && WIFEXITED(status) && WEXITSTATUS(status) == 5, "other process");
  }

 private:
  void ask() const { put(to_, "", 1); }
  void answer() const {
    char word = 0;
    get(from_, &word, 1);
  }

  pid_t process_ = 0;
  int to_ = -1, from_ = -1;
};

// ---------------------------------------------------------------------------------------------------------------------
// Copies

static void launch_behind_a_copy(unsigned* values, int launches) {
  unsigned may_go = 0;
  hipStream_t stream = nullptr;
  check(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking), "stream");
  const hipHostFn_t wait = [](void* flag) {
    while (seen(*static_cast<unsigned*>(flag)) == 0) std::this_thread::yield();
  };
  check(hipLaunchHostFunc(stream, wait, &may_go), "host function");
  check(hipMemcpyAsync(values + kItems, &kWritten, sizeof(kWritten), hipMemcpyHostToDevice, stream), "copy");
  launch(values, launches);
  __atomic_store_n(&may_go, 1U, __ATOMIC_RELEASE);
  check(hipStreamSynchronize(stream), "copy");
  check(hipStreamDestroy(stream), "stream");
}

// What each launch changes was copied by then, whatever the copy waited for: the stream holds them in order.
static void launch_behind_copies(unsigned* values, int launches) {
  hipStream_t stream = nullptr;
  check(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking), "stream");
  const hipHostFn_t takes_its_time = [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(20)); };
  std::vector<unsigned> given(kItems, 1);
  for (int i = 0; i < launches; ++i) {
    given[0] = static_cast<unsigned>(i);
    check(hipLaunchHostFunc(stream, takes_its_time, nullptr), "host function");
    check(hipMemcpyAsync(values, given.data(), kItems * sizeof(unsigned), hipMemcpyHostToDevice, stream), "copy");
    hipLaunchKernelGGL(triple, dim3(kItems / kBlock), dim3(kBlock), 0, stream, values, nullptr);
    check(hipStreamSynchronize(stream), "launch");
  }
  check(hipStreamDestroy(stream), "stream");
}

// ---------------------------------------------------------------------------------------------------------------------
// Control groups

static std::string redirected(const char* path) {
  const char* const root = std::getenv("LEFT_ON_ROOT");
  for (const char* from : {"/sys/fs/cgroup", "/proc/self/cgroup"})
    if (root != nullptr && std::strncmp(path, from, std::strlen(from)) == 0) return std::string(root) + path;
  return path;
}

extern "C" {
__attribute__((visibility("default"))) int open(const char* path, int flags, ...) {
  using Open = int (*)(const char*, int, ...);
  static const auto next = reinterpret_cast<Open>(::dlsym(RTLD_NEXT, "open"));
  va_list rest;
  va_start(rest, flags);
  const unsigned mode = (flags & O_CREAT) != 0 ? va_arg(rest, unsigned) : 0;
  va_end(rest);
  return next(redirected(path).c_str(), flags, mode);
}

__attribute__((visibility("default"))) int access(const char* path, int mode) {
  using Access = int (*)(const char*, int);
  static const auto next = reinterpret_cast<Access>(::dlsym(RTLD_NEXT, "access"));
  return next(redirected(path).c_str(), mode);
}
}

int main(int argc, char** argv) {
  if (argc < 3) return 92;
  const std::string kind = argv[1];
  const int launches = std::atoi(argv[2]);
  if (kind == "imported") return run_imported(launches);
  if (kind == "library") need(::dlopen(argc > 3 ? argv[3] : "", RTLD_NOW) != nullptr, "library");
  unsigned* const values = allocate(kind);
  fill(values);
  if (kind == "exported") {
    Other other(values, argv[2]);
    launch_and_meet(values, launches, [&] { other.writes(); });
    other.launches_to_its_end();
  } else if (kind == "copy_within") {
    launch_and_meet(values, launches, [&] { write_last(values); });
  } else if (kind == "copy_before") {
    launch_behind_a_copy(values, launches);
  } else if (kind == "copy_behind") {
    launch_behind_copies(values, launches);
  } else {
    launch(values, launches);
  }
  std::printf("%s %08x\n", kind.c_str(), sum_of(values));
  release(kind, values);
  launch_after(launches, "after");
  return kind == "library" ? 0 : 5;
}
