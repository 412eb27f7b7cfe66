// SPDX-License-Identifier: MIT
//
// The two texts that name everything in one file: the guid of the process, which every row carries, and the suffix of
// the physical tables. Readers rebuild the guid from a table name (rocprofiler-compute src/utils/rocpd_data.py
// @ 05cb52aa), so suffix == "_" + guid with "-" as "_", always but in a sidecar: no two files may have the same suffix,
// so its tables are called after a guid of its own, and its rows carry that of the process.
// Both become part of SQL text: from_guid() is the gate that lets only harmless characters through.
#pragma once

#include <string>
#include <string_view>

#include "base/status.hpp"

namespace multipass::output::rocpd {

class Naming final {
 public:
  // Fails unless `guid` is 8-4-4-4-12 hexadecimal digits.
  static Result<Naming> from_guid(std::string_view guid);

  // Names of the sidecar. Its own guid follows from that of the process, so the same run has the same files each time.
  [[nodiscard]] Naming of_sidecar() const;

  [[nodiscard]] const std::string& guid() const noexcept { return guid_; }
  // What the tables are called after; guid(), but in a sidecar.
  [[nodiscard]] const std::string& file_guid() const noexcept { return file_guid_; }
  [[nodiscard]] bool is_sidecar() const noexcept { return file_guid_ != guid_; }
  [[nodiscard]] const std::string& suffix() const noexcept { return suffix_; }
  // "rocpd_" + base + suffix.
  [[nodiscard]] std::string table(std::string_view base) const;

 private:
  Naming(std::string guid, std::string file_guid);

  std::string guid_;
  std::string file_guid_;
  std::string suffix_;
};

}  // namespace multipass::output::rocpd
