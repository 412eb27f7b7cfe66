// SPDX-License-Identifier: MIT
#include "output/rocpd/database_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>
#include <vector>

#include "base/temporary_name.hpp"
#include "output/file_system.hpp"
#include "output/rocpd/target_in_use.hpp"

namespace multipass::output::rocpd {
namespace {

// The file is private until it is renamed and thrown away when anything fails, so nothing has to survive a crash. Rows
// are only appended, so a larger cache gains nothing; it also bounds the memory of the sorts for indexes, which spill
// to files.
constexpr const char* kLoadPragmas =
    "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; PRAGMA temp_store = FILE;"
    "PRAGMA cache_size = -16384;";  // KiB

// The system does not say which of both disks was full.
constexpr const char* kWhereIndexesSort =
    "; the rows are sorted in the first of SQLITE_TMPDIR, TMPDIR and /var/tmp that is a folder: make room there too";

}  // namespace

DatabaseFile::DatabaseFile(std::filesystem::path target)
    : target_(std::move(target)), temporary_(temporary_name(target_.string())) {}

DatabaseFile::~DatabaseFile() {
  transaction_.reset();
  database_.reset();
  if (exists_) static_cast<void>(::unlink(temporary_.c_str()));  // best effort: an error was reported already
}

Status DatabaseFile::create_empty() {
  if (Status status = check_target(target_); !status) return status;
  // A file of this name can only be left from a dead process that had our pid. What hinders its removal also hinders
  // the next step, which reports it.
  static_cast<void>(::unlink(temporary_.c_str()));
  constexpr mode_t kMode = 0666;  // reduced by the umask
  const FileDescriptor file(::open(temporary_.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, kMode));
  if (file.get() < 0) return system_error(temporary_, "cannot create the database", errno);
  exists_ = true;
  if (is_good_to_build_on(file.get())) return Status::ok();
  // Without a better place it is built here all the same: it needs no locks.
  local_ = create_local_file(temporary_.filename(), folder_of(target_));
  return Status::ok();
}

Status DatabaseFile::create(const Naming& naming, std::string (*schema)(const Naming&)) {
  if (Status status = create_empty(); !status) return status;
  Result<Database> database = Database::open_private(built());
  if (!database) return database.status();
  database_ = *std::move(database);
  if (Status status = local_ ? local_->remove_name() : Status::ok(); !status) return status;
  if (Status status = database_->execute(kLoadPragmas); !status) return status;
  Result<Transaction> transaction = Transaction::begin(*database_);
  if (!transaction) return transaction.status();
  transaction_.emplace(*std::move(transaction));
  return database_->execute(schema(naming));
}

// NOLINTBEGIN(bugprone-unchecked-optional-access): complete() has checked that create() went before
Status DatabaseFile::check() {
  const Result<std::vector<std::string>> broken = database_->first_row("PRAGMA foreign_key_check");
  if (!broken) return broken.status();
  if (!broken->empty())
    return Status::error(built().string() + ": row " + (*broken)[1] + " of " + (*broken)[0] + " refers to a row of " +
                         (*broken)[2] + " that does not exist");
  const Result<std::vector<std::string>> shows =
      database_->first_row("SELECT 1 FROM sqlite_master WHERE name = 'kernels'");  // a sidecar has no views of them
  if (!shows || shows->empty()) return shows.status();
  const Result<std::vector<std::string>> counts =
      database_->first_row("SELECT (SELECT COUNT(*) FROM rocpd_kernel_dispatch), (SELECT COUNT(*) FROM kernels)");
  if (!counts) return counts.status();
  if ((*counts)[0] != (*counts)[1])
    return Status::error(built().string() + ": view kernels shows " + (*counts)[1] + " of " + (*counts)[0] +
                         " dispatches");
  return Status::ok();
}

Status DatabaseFile::bring_beside() {
  if (local_)
    if (Status status = copy_content(local_->get(), temporary_); !status) return status;
  local_.reset();
  return sync_file(temporary_);
}

Status DatabaseFile::complete() {
  if (!transaction_) return Status::error("internal: a database was published that was not created");
  if (Status status = transaction_->commit(); !status) return status;
  transaction_.reset();
  if (Status status = check(); !status) return status;
  if (Status status = database_->execute(indexes_); !status) return Status::error(status.message() + kWhereIndexesSort);
  if (Status status = database_->close(); !status) return status;
  if (Status status = bring_beside(); !status) return status;
  if (Status status = check_target(target_); !status) return status;  // it took a while
  complete_ = true;
  return Status::ok();
}
// NOLINTEND(bugprone-unchecked-optional-access)

Status DatabaseFile::publish() {
  if (Status status = complete_ ? Status::ok() : complete(); !status) return status;
  if (Status status = rename_file(temporary_, target_); !status) return status;
  exists_ = false;
  return sync_folder(folder_of(target_));
}

}  // namespace multipass::output::rocpd
