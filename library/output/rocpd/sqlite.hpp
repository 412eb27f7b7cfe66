// SPDX-License-Identifier: MIT
//
// SQLite behind three RAII classes: Database (connection), Statement (prepared), Transaction. sqlite.cpp is the only
// file of the library that includes <sqlite3.h>.
//
// Owner: a Database outlives the Statements and Transactions made from it. One thread.
// Errors: every return code becomes a Status that names the file, SQLite's text and, where the system said one, errno.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/status.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace multipass::output::rocpd {

// What a parameter is bound to. Text is not copied: it must live until run() returns. An unsigned 64-bit number does
// not convert by itself; see signed_bits().
using Value = std::variant<std::nullptr_t, std::int64_t, double, std::string_view>;

// SQLite's integers are signed. A decimal literal of 2^63 or more would turn REAL and lose digits, so ids and
// addresses are stored as the signed number of the same bits.
[[nodiscard]] constexpr std::int64_t signed_bits(std::uint64_t value) noexcept {
  return static_cast<std::int64_t>(value);
}

class Statement;

class Database final {
 public:
  // Opens an existing, private file (empty: a new database). Takes no locks at all: on network file systems they may
  // fail or hang, and nobody else knows the file.
  static Result<Database> open_private(const std::filesystem::path& path);

  // Opens a file that nobody changes, such as a finished one, to read it. Takes no locks either, and leaves nothing
  // beside it.
  static Result<Database> open_to_read(const std::filesystem::path& path);

  // Makes the tables of a second file, opened as by open_to_read(), known as `name`.TABLE.
  Status attach_to_read(const std::filesystem::path& path, std::string_view name);

  Database(Database&& other) noexcept;
  Database& operator=(Database&& other) noexcept;
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database();

  // Runs one or more statements; rows that they return are dropped.
  Status execute(const std::string& sql);
  Result<Statement> prepare(const std::string& sql);
  // The first row as text, NULL as "NULL"; an empty vector when there is no row.
  Result<std::vector<std::string>> first_row(const std::string& sql);
  // Fails while Statements exist. Afterwards only the destructor may follow.
  Status close();
  // Whether the last failure was that of a constraint (duplicate key, CHECK, NOT NULL).
  [[nodiscard]] bool constraint_failed() const noexcept;

 private:
  friend class Statement;
  Database(sqlite3* handle, std::filesystem::path path) noexcept;
  Status failure(std::string_view what) const;

  sqlite3* handle_ = nullptr;
  std::filesystem::path path_;
};

class Statement final {
 public:
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&& other) noexcept;
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement();

  // Binds the values to parameters 1..n, runs the statement to its end and makes it ready for the next run. Text that
  // is not clean (base/utf8.hpp) is repaired.
  Status run(std::span<const Value> values);
  Status run(std::initializer_list<Value> values) { return run({values.begin(), values.size()}); }

 private:
  friend class Database;
  Statement(const Database& database, sqlite3_stmt* handle) noexcept;
  Status bind(int at, const Value& value);

  const Database* database_ = nullptr;
  sqlite3_stmt* handle_ = nullptr;
};

class Transaction final {
 public:
  static Result<Transaction> begin(Database& database);

  Transaction(Transaction&& other) noexcept;
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();  // rolls back what was not committed

  Status commit();

 private:
  explicit Transaction(Database& database) noexcept : database_(&database) {}

  Database* database_ = nullptr;  // null: committed or moved from
};

}  // namespace multipass::output::rocpd
