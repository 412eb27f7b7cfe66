// SPDX-License-Identifier: MIT
//
// The database file while it is being written: "<target>.tmp-<pid>" beside the target, loaded without journal, locks
// or syncs, in one transaction; publish() commits, checks, syncs and renames it. Nobody ever sees half a file under
// the target's name, and an older file there stays until the rename. Where that folder is not good to build on
// (building_place.hpp) it is built in a local one and copied.
//
// Owner: RunDatabase. One thread. The destructor of an unpublished file removes what there is of it.
// Errors: Status with path and the system's or SQLite's reason.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/status.hpp"
#include "output/rocpd/building_place.hpp"
#include "output/rocpd/naming.hpp"
#include "output/rocpd/schema.hpp"
#include "output/rocpd/sqlite.hpp"

namespace multipass::output::rocpd {

class DatabaseFile final {
 public:
  explicit DatabaseFile(std::filesystem::path target);
  DatabaseFile(const DatabaseFile&) = delete;
  DatabaseFile& operator=(const DatabaseFile&) = delete;
  ~DatabaseFile();

  // Creates the temporary file with the tables and views of a schema (schema.hpp), inside an open transaction.
  Status create(const Naming& naming, std::string (*schema)(const Naming&) = canonical_schema);
  // SQL that makes the indexes, run when all rows are there: then each costs one sort.
  void index_with(std::string sql) { indexes_ = std::move(sql); }
  // Only after create().
  // NOLINTNEXTLINE(bugprone-unchecked-optional-access): create() sets it
  [[nodiscard]] Database& database() noexcept { return *database_; }
  // Commits, checks that no view loses a dispatch and no reference dangles, indexes, closes, brings it beside the
  // target, syncs, and sees that the target is still free. All statements on the database must be gone by then.
  Status complete();
  // Renames; completes before where nobody has.
  Status publish();
  // It has its name, though publish() may have failed after that.
  [[nodiscard]] bool is_in_place() const noexcept { return complete_ && !exists_; }

 private:
  Status create_empty();
  Status check();
  Status bring_beside();
  [[nodiscard]] const std::filesystem::path& built() const noexcept { return local_ ? local_->path() : temporary_; }

  std::filesystem::path target_;
  std::filesystem::path temporary_;   // beside the target
  std::unique_ptr<LocalFile> local_;  // what SQLite works on instead, where that folder is not good for it
  bool exists_ = false;               // the temporary file, to be removed
  bool complete_ = false;             // it lacks nothing but its name
  std::string indexes_;
  std::optional<Database> database_;
  std::optional<Transaction> transaction_;  // destroyed before the database
};

}  // namespace multipass::output::rocpd
