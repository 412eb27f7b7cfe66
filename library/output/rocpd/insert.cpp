// SPDX-License-Identifier: MIT
#include "output/rocpd/insert.hpp"

#include <algorithm>
#include <utility>

namespace multipass::output::rocpd {
namespace {

std::string head_of(const Naming& naming, std::string_view table, std::string_view columns) {
  std::string sql = "INSERT INTO " + naming.table(table) + " (";
  return sql.append(columns).append(") VALUES ");
}

std::size_t count_of(std::string_view columns) {
  return static_cast<std::size_t>(std::count(columns.begin(), columns.end(), ',')) + 1;
}

std::string parameters(std::size_t count) {
  std::string text = "(?";
  for (std::size_t at = 1; at < count; ++at) text += ", ?";
  return text + ")";
}

}  // namespace

Insert::Insert(Database& database, const Naming& naming, std::string_view table, std::string_view columns)
    : database_(&database), sql_(head_of(naming, table, columns) + parameters(count_of(columns))) {}

Status Insert::run(std::initializer_list<Value> values) {
  if (!statement_) {
    Result<Statement> prepared = database_->prepare(sql_);
    if (!prepared) return prepared.status();
    statement_ = *std::move(prepared);
  }
  return statement_->run(values);
}

BulkInsert::BulkInsert(Database& database, const Naming& naming, std::string_view table, std::string_view columns)
    : database_(&database),
      head_(head_of(naming, table, columns)),
      row_(parameters(count_of(columns))),
      columns_(count_of(columns)) {
  values_.reserve(kRows * columns_);
}

std::string BulkInsert::sql_of(std::size_t rows) const {
  std::string sql = head_ + row_;
  for (std::size_t at = 1; at < rows; ++at) sql.append(", ").append(row_);
  return sql;
}

Status BulkInsert::add(std::initializer_list<Value> values) {
  if (values.size() != columns_)
    return Status::error("internal: " + std::to_string(values.size()) + " values for " + head_ + row_);
  for (const Value& value : values) {
    const auto* text = std::get_if<std::string_view>(&value);
    values_.push_back(text == nullptr ? value : Value{std::string_view(texts_.emplace_back(*text))});
  }
  return values_.size() < kRows * columns_ ? Status::ok() : flush();
}

Status BulkInsert::flush() {
  if (values_.empty()) return Status::ok();
  const std::size_t rows = values_.size() / columns_;
  std::optional<Statement> last;  // of fewer rows
  std::optional<Statement>& statement = rows == kRows ? full_ : last;
  if (!statement) {
    Result<Statement> prepared = database_->prepare(sql_of(rows));
    if (!prepared) return prepared.status();
    statement = *std::move(prepared);
  }
  Status status = statement->run(values_);
  values_.clear();
  texts_.clear();
  return status;
}

}  // namespace multipass::output::rocpd
