// SPDX-License-Identifier: MIT
#include "output/rocpd/target_in_use.hpp"

#include <fcntl.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "output/file_system.hpp"

namespace multipass::output::rocpd {
namespace {

Status check_journal(const std::filesystem::path& target) {
  const std::optional<std::filesystem::path> journal = journal_beside(target);
  if (!journal) return Status::ok();
  return Status::error(target.string() + ": cannot be replaced: " + journal->string() +
                       " is there, of a program that has the database open or died while it wrote; close that "
                       "program, or open the database once with it, or remove both files; then export again");
}

// The bytes that SQLite locks in a database: pending, reserved, shared (https://sqlite.org/lockingv3.html).
constexpr off_t kFirstLocked = 0x40000000;
constexpr off_t kLocked = 2 + 510;

Status check_locks(const std::filesystem::path& target) {
  const FileDescriptor file(::open(target.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return Status::ok();
  struct flock lock{};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = kFirstLocked;
  lock.l_len = kLocked;
  if (::fcntl(file.get(), F_GETLK, &lock) != 0 || lock.l_type == F_UNLCK) return Status::ok();
  // A lock of an open file description, or one from another machine, has no pid.
  const std::string holder = lock.l_pid > 0 ? "process " + std::to_string(lock.l_pid) : "another process";
  return Status::error(target.string() + ": cannot be replaced: " + holder +
                       " has a lock on it; close the database there, or choose another --output, and export again");
}

}  // namespace

std::optional<std::filesystem::path> journal_beside(const std::filesystem::path& database) {
  for (const char* ending : {"-wal", "-journal"}) {
    std::filesystem::path beside = database;
    beside += ending;
    std::error_code missing;
    if (const std::uintmax_t size = std::filesystem::file_size(beside, missing); !missing && size > 0) return beside;
  }
  return std::nullopt;
}

Status check_target(const std::filesystem::path& target) {
  std::error_code ignored;
  if (std::filesystem::is_directory(target, ignored)) return system_error(target, "cannot write the database", EISDIR);
  if (Status status = check_locks(target); !status) return status;  // it knows who
  return check_journal(target);
}

}  // namespace multipass::output::rocpd
