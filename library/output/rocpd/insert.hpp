// SPDX-License-Identifier: MIT
//
// One prepared INSERT into one table. The guid column fills itself by its default.
// Owner: the row classes; the database outlives it. The statement is prepared by the first run. One thread.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "output/rocpd/naming.hpp"
#include "output/rocpd/sqlite.hpp"

namespace multipass::output::rocpd {

class Insert final {
 public:
  // `table` without "rocpd_" and suffix; `columns` as in SQL, separated by commas.
  Insert(Database& database, const Naming& naming, std::string_view table, std::string_view columns);

  // One value per column, in their order.
  Status run(std::initializer_list<Value> values);

 private:
  Database* database_;
  std::string sql_;
  std::optional<Statement> statement_;
};

}  // namespace multipass::output::rocpd
