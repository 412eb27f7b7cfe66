// SPDX-License-Identifier: MIT
#include "system_calls.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <string>

namespace multipass::output::rocpd::test {
namespace {

struct Faults {
  std::string without_locks;  // a folder; empty: none
  int lock_error = 0;
  std::string of_type;
  std::uint32_t type = 0;
  int sync_error = 0;
  int syncs_before = 0;  // that go well
  int copy_error = 0;
};
Faults faults;

bool is_below(int file, const std::string& folder) {
  if (folder.empty()) return false;
  std::error_code ignored;
  const std::filesystem::path path = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(file), ignored);
  return path.string().starts_with(folder + "/");
}

template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

LocksRefused::LocksRefused(const std::filesystem::path& folder, int error) {
  faults.without_locks = folder;
  faults.lock_error = error;
}
LocksRefused::~LocksRefused() {
  faults.without_locks.clear();
}

FileSystemType::FileSystemType(const std::filesystem::path& folder, std::uint32_t type) {
  faults.of_type = folder;
  faults.type = type;
}
FileSystemType::~FileSystemType() {
  faults.of_type.clear();
}

CopyFails::CopyFails(int error) {
  faults.copy_error = error;
}
CopyFails::~CopyFails() {
  faults.copy_error = 0;
}

SyncFails::SyncFails(int error, int first) {
  faults.syncs_before = first;
  faults.sync_error = error;
}
SyncFails::~SyncFails() {
  faults.sync_error = 0;
}

}  // namespace multipass::output::rocpd::test

// In front of the C library's, for all that this program links.
extern "C" {

int fcntl(int file, int command, ...) {
  using namespace multipass::output::rocpd::test;
  va_list list;
  va_start(list, command);
  void* argument = va_arg(list, void*);
  va_end(list);
  if (command == F_SETLK && is_below(file, faults.without_locks)) {
    errno = faults.lock_error;
    return -1;
  }
  return real<int(int, int, ...)>("fcntl")(file, command, argument);
}

int fstatfs(int file, struct statfs* about) noexcept {
  using namespace multipass::output::rocpd::test;
  const int code = real<int(int, struct statfs*)>("fstatfs")(file, about);
  if (code == 0 && is_below(file, faults.of_type)) about->f_type = faults.type;
  return code;
}

ssize_t sendfile(int to, int from, off_t* offset, size_t count) noexcept {
  using namespace multipass::output::rocpd::test;
  if (faults.copy_error == 0) return real<ssize_t(int, int, off_t*, size_t)>("sendfile")(to, from, offset, count);
  errno = faults.copy_error;
  return -1;
}

int fsync(int file) {
  using namespace multipass::output::rocpd::test;
  if (faults.sync_error == 0 || faults.syncs_before-- > 0) return real<int(int)>("fsync")(file);
  errno = faults.sync_error;
  return -1;
}
}
