// SPDX-License-Identifier: MIT
#include "output/rocpd/database_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

namespace multipass::output::rocpd {
namespace {

// The file is private until it is renamed and thrown away when anything fails, so nothing has to survive a crash.
constexpr const char* kLoadPragmas =
    "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; PRAGMA temp_store = MEMORY;"
    "PRAGMA cache_size = -65536;";  // KiB

Status system_error(const std::filesystem::path& path, std::string_view what, int error) {
  return Status::error(path.string() + ": " + std::string(what) + ": " + std::generic_category().message(error));
}

// Closes on every path out.
class FileDescriptor final {
 public:
  explicit FileDescriptor(int fd) noexcept : fd_(fd) {}
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() {
    if (fd_ >= 0) static_cast<void>(::close(fd_));  // nothing was written through it
  }
  [[nodiscard]] int get() const noexcept { return fd_; }

 private:
  int fd_;
};

Status sync(const std::filesystem::path& path, int flags) {
  const FileDescriptor file(::open(path.c_str(), flags | O_CLOEXEC));
  if (file.get() < 0) return system_error(path, "cannot open for syncing", errno);
  // Some file systems cannot sync a directory and say EINVAL; they order a rename by themselves.
  if (::fsync(file.get()) != 0 && errno != EINVAL) return system_error(path, "cannot sync", errno);
  return Status::ok();
}

std::filesystem::path directory_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

}  // namespace

DatabaseFile::DatabaseFile(std::filesystem::path target) : target_(std::move(target)), temporary_(target_) {
  temporary_ += ".tmp-" + std::to_string(::getpid());
}

DatabaseFile::~DatabaseFile() {
  transaction_.reset();
  database_.reset();
  if (exists_) static_cast<void>(::unlink(temporary_.c_str()));  // best effort: an error was reported already
}

Status DatabaseFile::create_empty() {
  std::error_code ignored;  // a target that cannot be looked at is reported by open()
  if (std::filesystem::is_directory(target_, ignored))
    return system_error(target_, "cannot write the database", EISDIR);
  // A file of this name can only be left from a dead process that had our pid. What hinders its removal also hinders
  // the next step, which reports it.
  static_cast<void>(::unlink(temporary_.c_str()));
  constexpr mode_t kMode = 0666;  // reduced by the umask
  const FileDescriptor file(::open(temporary_.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, kMode));
  if (file.get() < 0) return system_error(temporary_, "cannot create the database", errno);
  exists_ = true;
  return Status::ok();
}

Status DatabaseFile::create(const Naming& naming, std::string (*schema)(const Naming&)) {
  if (Status status = create_empty(); !status) return status;
  Result<Database> database = Database::open_private(temporary_);
  if (!database) return database.status();
  database_ = *std::move(database);
  if (Status status = database_->execute(kLoadPragmas); !status) return status;
  Result<Transaction> transaction = Transaction::begin(*database_);
  if (!transaction) return transaction.status();
  transaction_.emplace(*std::move(transaction));
  return database_->execute(schema(naming));
}

// NOLINTBEGIN(bugprone-unchecked-optional-access): publish() has checked that create() went before
Status DatabaseFile::check() {
  const Result<std::vector<std::string>> broken = database_->first_row("PRAGMA foreign_key_check");
  if (!broken) return broken.status();
  if (!broken->empty())
    return Status::error(temporary_.string() + ": row " + (*broken)[1] + " of " + (*broken)[0] +
                         " refers to a row of " + (*broken)[2] + " that does not exist");
  const Result<std::vector<std::string>> shows =
      database_->first_row("SELECT 1 FROM sqlite_master WHERE name = 'kernels'");  // a sidecar has no views of them
  if (!shows || shows->empty()) return shows.status();
  const Result<std::vector<std::string>> counts =
      database_->first_row("SELECT (SELECT COUNT(*) FROM rocpd_kernel_dispatch), (SELECT COUNT(*) FROM kernels)");
  if (!counts) return counts.status();
  if ((*counts)[0] != (*counts)[1])
    return Status::error(temporary_.string() + ": view kernels shows " + (*counts)[1] + " of " + (*counts)[0] +
                         " dispatches");
  return Status::ok();
}

Status DatabaseFile::complete() {
  if (!transaction_) return Status::error("internal: a database was published that was not created");
  if (Status status = transaction_->commit(); !status) return status;
  transaction_.reset();
  if (Status status = check(); !status) return status;
  if (Status status = database_->close(); !status) return status;
  if (Status status = sync(temporary_, O_RDWR); !status) return status;
  complete_ = true;
  return Status::ok();
}

Status DatabaseFile::publish() {
  if (Status status = complete_ ? Status::ok() : complete(); !status) return status;
  if (::rename(temporary_.c_str(), target_.c_str()) != 0)
    return system_error(target_, "cannot rename " + temporary_.string() + " to this name", errno);
  exists_ = false;
  return sync(directory_of(target_), O_RDONLY | O_DIRECTORY);
}
// NOLINTEND(bugprone-unchecked-optional-access)

}  // namespace multipass::output::rocpd
