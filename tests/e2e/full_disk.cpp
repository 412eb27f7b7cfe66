// SPDX-License-Identifier: MIT
//
// Preloaded: a disk that gets full, and one without locks. The bytes that a process writes to files under the folder
// MULTIPASS_TEST_DISK are counted; after MULTIPASS_TEST_ROOM of them the write takes what fits, and the next one fails
// with ENOSPC, or the errno MULTIPASS_TEST_ERROR. With MULTIPASS_TEST_NO_LOCKS, fcntl refuses locks on files there with
// ENOLCK, as network file systems do whose lock service is down.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

std::atomic<long long> g_written{0};

template <typename Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

bool is_on_disk(int fd) {
  const char* const disk = std::getenv("MULTIPASS_TEST_DISK");
  struct stat status{};
  if (disk == nullptr || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) return false;
  char link[64];
  char path[PATH_MAX];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t size = readlink(link, path, sizeof path);
  const std::size_t length = std::strlen(disk);
  return size > static_cast<ssize_t>(length) && std::strncmp(path, disk, length) == 0;
}

// How many of `count` bytes there is room for, at `at`, -1 behind what was written. What is written again in place
// takes none.
std::size_t room_for(int fd, std::size_t count, off_t at) {
  const char* const room = std::getenv("MULTIPASS_TEST_ROOM");
  if (room == nullptr || !is_on_disk(fd)) return count;
  struct stat status{};
  if (at >= 0 && fstat(fd, &status) == 0 && at + static_cast<off_t>(count) <= status.st_size) return count;
  const long long left = std::atoll(room) - g_written.load();
  const auto fits = left <= 0 ? 0 : static_cast<std::size_t>(left);
  const std::size_t taken = count < fits ? count : fits;
  g_written += static_cast<long long>(taken);
  return taken;
}

template <typename Write>
ssize_t bounded(int fd, std::size_t count, off_t at, Write write) {
  const std::size_t taken = room_for(fd, count, at);
  if (taken == 0 && count != 0) {
    const char* const error = std::getenv("MULTIPASS_TEST_ERROR");
    errno = error != nullptr ? std::atoi(error) : ENOSPC;
    return -1;
  }
  return write(taken);
}

}  // namespace

extern "C" {

ssize_t write(int fd, const void* data, size_t count) {
  static const auto real = next<ssize_t (*)(int, const void*, size_t)>("write");
  return bounded(fd, count, -1, [&](std::size_t taken) { return real(fd, data, taken); });
}

ssize_t pwrite(int fd, const void* data, size_t count, off_t at) {
  static const auto real = next<ssize_t (*)(int, const void*, size_t, off_t)>("pwrite");
  return bounded(fd, count, at, [&](std::size_t taken) { return real(fd, data, taken, at); });
}

ssize_t pwrite64(int fd, const void* data, size_t count, off_t at) {
  static const auto real = next<ssize_t (*)(int, const void*, size_t, off_t)>("pwrite64");
  return bounded(fd, count, at, [&](std::size_t taken) { return real(fd, data, taken, at); });
}

static int locked(const char* name, int fd, int command, void* argument) {
  const bool locks = command == F_SETLK || command == F_SETLKW || command == F_GETLK || command == F_OFD_SETLK ||
                     command == F_OFD_SETLKW || command == F_OFD_GETLK;
  if (locks && std::getenv("MULTIPASS_TEST_NO_LOCKS") != nullptr && is_on_disk(fd)) {
    errno = ENOLCK;
    return -1;
  }
  return next<int (*)(int, int, void*)>(name)(fd, command, argument);
}

int fcntl(int fd, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void* const argument = va_arg(rest, void*);
  va_end(rest);
  return locked("fcntl", fd, command, argument);
}

int fcntl64(int fd, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void* const argument = va_arg(rest, void*);
  va_end(rest);
  return locked("fcntl64", fd, command, argument);
}
}
