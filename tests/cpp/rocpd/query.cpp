// SPDX-License-Identifier: MIT
#include "query.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cstdio>

namespace multipass::output::rocpd::test {
namespace {

std::string cell(sqlite3_stmt* statement, int column) {
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_NULL:
      return "NULL";
    case SQLITE_FLOAT: {
      char text[64];
      std::snprintf(text, sizeof(text), "%.9g", sqlite3_column_double(statement, column));
      return text;
    }
    default: {
      const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
      return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement, column))};
    }
  }
}

// Finalizes on every path out.
class Prepared final {
 public:
  Prepared(sqlite3* handle, const std::string& sql) {
    EXPECT_EQ(sqlite3_prepare_v2(handle, sql.c_str(), -1, &statement_, nullptr), SQLITE_OK)
        << sql << ": " << sqlite3_errmsg(handle);
  }
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;
  ~Prepared() { sqlite3_finalize(statement_); }
  [[nodiscard]] sqlite3_stmt* get() const { return statement_; }

 private:
  sqlite3_stmt* statement_ = nullptr;
};

}  // namespace

Reader::Reader(const std::filesystem::path& path) {
  EXPECT_EQ(sqlite3_open_v2(path.c_str(), &handle_, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK) << path;
}

Reader::~Reader() {
  sqlite3_close(handle_);
}

Table Reader::rows(const std::string& sql) const {
  const Prepared statement(handle_, sql);
  Table table;
  if (statement.get() == nullptr) return table;
  int code = SQLITE_DONE;
  while ((code = sqlite3_step(statement.get())) == SQLITE_ROW) {
    Row& row = table.emplace_back();
    for (int column = 0; column < sqlite3_column_count(statement.get()); ++column)
      row.push_back(cell(statement.get(), column));
  }
  EXPECT_EQ(code, SQLITE_DONE) << sql << ": " << sqlite3_errmsg(handle_);
  return table;
}

std::string Reader::value(const std::string& sql) const {
  const Table table = rows(sql);
  if (table.size() != 1 || table.front().size() != 1) {
    ADD_FAILURE() << sql << " gave " << table.size() << " rows";
    return "";
  }
  return table.front().front();
}

Row Reader::columns(const std::string& sql) const {
  const Prepared statement(handle_, sql);
  Row names;
  for (int column = 0; column < sqlite3_column_count(statement.get()); ++column)
    names.emplace_back(sqlite3_column_name(statement.get(), column));
  return names;
}

void Reader::run(const std::string& sql) const {
  EXPECT_EQ(sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
      << sql << ": " << sqlite3_errmsg(handle_);
}

void Reader::attach_sidecar(const std::filesystem::path& sidecar) const {
  run("ATTACH '" + sidecar.string() + "' AS replay");
  run(value("SELECT value FROM replay.rocpd_metadata WHERE tag = 'replay_views'"));
}

}  // namespace multipass::output::rocpd::test
