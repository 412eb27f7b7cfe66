// SPDX-License-Identifier: MIT
#include "output/rocpd/run_database.hpp"

#include <string>
#include <system_error>
#include <utility>

#include "output/rocpd/metadata_rows.hpp"

namespace multipass::output::rocpd {

RunDatabase::RunDatabase(std::filesystem::path target, RocpdLayout layout)
    : target_(std::move(target)), main_(target_) {
  if (layout == RocpdLayout::kStrict) sidecar_.emplace(sidecar_path(target_));
}

Status RunDatabase::create(const Naming& naming) {
  replay_naming_ = sidecar_ ? naming.of_sidecar() : naming;
  if (Status status = main_.create(naming, sidecar_ ? strict_schema : canonical_schema); !status) return status;
  if (!sidecar_) {
    main_.index_with(canonical_indexes(naming));
    return Status::ok();
  }
  sidecar_->index_with(sidecar_indexes(*replay_naming_));
  return sidecar_->create(*replay_naming_, sidecar_schema);
}

Status RunDatabase::publish() {
  if (!sidecar_) {
    Status status = main_.publish();
    if (status) remove_old_sidecar();
    return status;
  }
  if (Status status = sidecar_->complete(); !status) return status;
  if (Status status = main_.complete(); !status) return status;
  if (Status status = sidecar_->publish(); !status) return status;
  Status status = main_.publish();
  std::error_code ignored;  // the error that matters is told
  if (!main_.is_in_place()) std::filesystem::remove(sidecar_path(target_), ignored);
  return status;
}

void RunDatabase::remove_old_sidecar() const {
  const std::filesystem::path path = sidecar_path(target_);
  std::error_code ignored;  // what cannot be looked at is none of ours
  if (!std::filesystem::is_regular_file(path, ignored)) return;
  Result<Database> old = Database::open_to_read(path);
  if (!old) return;
  const auto parent = old->first_row("SELECT value FROM rocpd_metadata WHERE tag = '" + std::string(kParentTag) + "'");
  // NOLINTNEXTLINE(bugprone-unchecked-optional-access): publish() comes after create()
  if (parent && !parent->empty() && parent->front() == replay_naming_->guid()) std::filesystem::remove(path, ignored);
}

}  // namespace multipass::output::rocpd
