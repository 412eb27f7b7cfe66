// SPDX-License-Identifier: MIT
//
// The two texts that name everything in one file: the guid of the process, which every row carries, and the suffix of
// the physical tables. Readers rebuild the guid from a table name (rocprofiler-compute src/utils/rocpd_data.py
// @ 05cb52aa), so suffix == "_" + guid with "-" as "_", always.
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

  [[nodiscard]] const std::string& guid() const noexcept { return guid_; }
  [[nodiscard]] const std::string& suffix() const noexcept { return suffix_; }
  // "rocpd_" + base + suffix.
  [[nodiscard]] std::string table(std::string_view base) const;

 private:
  explicit Naming(std::string guid);

  std::string guid_;
  std::string suffix_;
};

}  // namespace multipass::output::rocpd
