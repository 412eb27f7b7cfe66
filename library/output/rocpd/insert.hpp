// SPDX-License-Identifier: MIT
//
// INSERTs into one table. The guid column fills itself by its default.
// Owner: the row classes; the database outlives them. Statements are prepared by the first run. One thread.
#pragma once

#include <cstddef>
#include <deque>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "output/rocpd/naming.hpp"
#include "output/rocpd/sqlite.hpp"

namespace multipass::output::rocpd {

// For tables of few rows, and where a row's failure has to be told at once.
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

// For tables that grow with the run. Rows are gathered and go in many to a statement, which costs a third of one by
// one: a statement has a fixed price, most of all where a key is AUTOINCREMENT and sqlite_sequence is read and written
// each time (docs/performance.md). A failure is told by the add() or flush() that sends the rows.
class BulkInsert final {
 public:
  BulkInsert(Database& database, const Naming& naming, std::string_view table, std::string_view columns);

  // One value per column, in their order. Text is copied.
  Status add(std::initializer_list<Value> values);
  // Sends what is gathered. To be called before the database is published.
  Status flush();

 private:
  static constexpr std::size_t kRows = 64;  // of one statement; more gain nothing

  [[nodiscard]] std::string sql_of(std::size_t rows) const;

  Database* database_;
  std::string head_;  // up to VALUES
  std::string row_;   // its parameters
  std::size_t columns_;
  std::vector<Value> values_;      // of the rows gathered
  std::deque<std::string> texts_;  // that they point to
  std::optional<Statement> full_;  // of kRows rows
};

}  // namespace multipass::output::rocpd
