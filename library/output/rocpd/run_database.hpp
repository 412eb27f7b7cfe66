// SPDX-License-Identifier: MIT
//
// The database of one run in either layout, while it is written: one file, or a main file and its sidecar. Both of a
// pair are complete before either gets its name, the sidecar first: where the second step does not come, there is an
// older main file, or none, and a sidecar that names the run it is of, so that nobody takes them for a pair.
//
// Owner: the sink, or a conversion. One thread. Errors: Status with path and reason. What was not published is removed.
#pragma once

#include <filesystem>
#include <optional>

#include "base/status.hpp"
#include "output/rocpd/database_file.hpp"
#include "output/rocpd/layout.hpp"
#include "output/rocpd/naming.hpp"

namespace multipass::output::rocpd {

class RunDatabase final {
 public:
  RunDatabase(std::filesystem::path target, RocpdLayout layout);

  // The temporary files with all tables and views, without a row.
  Status create(const Naming& naming);

  // Only after create(). `replay_` is what has the tables of passes.
  [[nodiscard]] Database& main() noexcept { return main_.database(); }
  [[nodiscard]] Database& replay() noexcept { return sidecar_ ? sidecar_->database() : main_.database(); }
  // NOLINTNEXTLINE(bugprone-unchecked-optional-access): create() sets it
  [[nodiscard]] const Naming& replay_naming() const noexcept { return *replay_naming_; }
  [[nodiscard]] bool has_sidecar() const noexcept { return sidecar_.has_value(); }

  // Gives the files their names. All statements must be gone by then. A sidecar that an earlier export of the same run
  // left beside a file that is canonical now is removed.
  Status publish();

 private:
  void remove_old_sidecar() const;

  std::filesystem::path target_;
  DatabaseFile main_;
  std::optional<DatabaseFile> sidecar_;
  std::optional<Naming> replay_naming_;
};

}  // namespace multipass::output::rocpd
