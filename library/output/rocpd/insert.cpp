// SPDX-License-Identifier: MIT
#include "output/rocpd/insert.hpp"

#include <algorithm>
#include <utility>

namespace multipass::output::rocpd {

Insert::Insert(Database& database, const Naming& naming, std::string_view table, std::string_view columns)
    : database_(&database), sql_("INSERT INTO " + naming.table(table)) {
  sql_.append(" (").append(columns).append(") VALUES (?");
  for (auto commas = std::count(columns.begin(), columns.end(), ','); commas > 0; --commas) sql_ += ", ?";
  sql_ += ')';
}

Status Insert::run(std::initializer_list<Value> values) {
  if (!statement_) {
    Result<Statement> prepared = database_->prepare(sql_);
    if (!prepared) return prepared.status();
    statement_ = *std::move(prepared);
  }
  return statement_->run(values);
}

}  // namespace multipass::output::rocpd
