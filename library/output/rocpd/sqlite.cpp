// SPDX-License-Identifier: MIT
#include "output/rocpd/sqlite.hpp"

#include <sqlite3.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "base/utf8.hpp"

namespace multipass::output::rocpd {
namespace {

// Built into every Unix SQLite: like the default one, without locks.
constexpr const char* kVfsWithoutLocks = "unix-none";

// A reader needs to see which statement failed, not all of it.
std::string excerpt(const std::string& sql) {
  constexpr std::size_t kLimit = 80;
  return sql.size() <= kLimit ? sql : sql.substr(0, kLimit) + "...";
}

// Text for a person: SQLite's own words, and the system's when a system call failed. SQLite forgets its error number
// when it rolls back a failed COMMIT; errno, cleared before each call, still has it.
std::string reason_of(sqlite3* handle) {
  const int system_error = errno;
  if (handle == nullptr) return "out of memory";
  std::string reason = sqlite3_errmsg(handle);
  const int primary = sqlite3_errcode(handle) & 0xFF;
  const bool from_system = primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN || primary == SQLITE_FULL;
  const int remembered = sqlite3_system_errno(handle);
  if (const int error = remembered != 0 ? remembered : system_error; from_system && error != 0)
    reason += " (" + std::generic_category().message(error) + ")";
  return reason;
}

// A file that is taken for unchangeable: no locks, no journal, no -shm beside it.
std::string uri_to_read(const std::filesystem::path& path) {
  std::string uri = "file://";
  for (const char c : std::filesystem::absolute(path).string()) {
    if (c == '%' || c == '?' || c == '#')
      uri += c == '%' ? "%25" : c == '?' ? "%3f" : "%23";
    else
      uri += c;
  }
  return uri + "?mode=ro&immutable=1";
}

}  // namespace

// ---- Database

Database::Database(sqlite3* handle, std::filesystem::path path) noexcept : handle_(handle), path_(std::move(path)) {}

Database::Database(Database&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)), path_(std::move(other.path_)) {}

Database& Database::operator=(Database&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(path_, other.path_);
  return *this;
}

Database::~Database() {
  // close_v2 waits for statements that still live instead of failing; a failure could be told to nobody here.
  static_cast<void>(sqlite3_close_v2(handle_));
}

Status Database::failure(std::string_view what) const {
  return Status::error(path_.string() + ": " + std::string(what) + ": " + reason_of(handle_));
}

Result<Database> Database::open_private(const std::filesystem::path& path) {
  sqlite3* handle = nullptr;
  // URI is for files that are attached to it.
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_URI;
  const int code = sqlite3_open_v2(path.c_str(), &handle, flags, kVfsWithoutLocks);
  Database database(handle, path);  // also a handle of a failed open has to be closed
  if (code != SQLITE_OK) return database.failure("cannot open the database");
  // Upstream's spelling of default texts has double quotes, which an SQLite may be built to refuse.
  if (sqlite3_db_config(handle, SQLITE_DBCONFIG_DQS_DDL, 1, nullptr) != SQLITE_OK)
    return database.failure("cannot set up the database");
  return database;
}

Result<Database> Database::open_to_read(const std::filesystem::path& path) {
  sqlite3* handle = nullptr;
  const int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_URI;
  const int code = sqlite3_open_v2(uri_to_read(path).c_str(), &handle, flags, kVfsWithoutLocks);
  Database database(handle, path);
  if (code != SQLITE_OK) return database.failure("cannot open the database");
  return database;
}

Status Database::attach_to_read(const std::filesystem::path& path, std::string_view name) {
  Result<Statement> attach = prepare("ATTACH ? AS " + std::string(name));
  return attach ? attach->run({uri_to_read(path)}) : attach.status();
}

Status Database::execute(const std::string& sql) {
  errno = 0;
  if (sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) return failure(excerpt(sql));
  return Status::ok();
}

Result<Statement> Database::prepare(const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(handle_, sql.c_str(), static_cast<int>(sql.size()) + 1, &statement, nullptr);
  Statement result(*this, statement);
  if (code != SQLITE_OK) return failure(excerpt(sql));
  return result;
}

Result<std::vector<std::string>> Database::first_row(const std::string& sql) {
  Result<Statement> statement = prepare(sql);
  if (!statement) return statement.status();
  std::vector<std::string> row;
  const int code = sqlite3_step(statement->handle_);
  if (code == SQLITE_DONE) return row;
  if (code != SQLITE_ROW) return failure(excerpt(sql));
  for (int column = 0; column < sqlite3_column_count(statement->handle_); ++column) {
    const unsigned char* text = sqlite3_column_text(statement->handle_, column);
    row.emplace_back(text == nullptr ? "NULL" : reinterpret_cast<const char*>(text));
  }
  return row;
}

Status Database::close() {
  if (sqlite3_close(handle_) != SQLITE_OK) return failure("cannot close the database");
  handle_ = nullptr;
  return Status::ok();
}

bool Database::constraint_failed() const noexcept {
  return handle_ != nullptr && (sqlite3_errcode(handle_) & 0xFF) == SQLITE_CONSTRAINT;
}

// ---- Statement

Statement::Statement(const Database& database, sqlite3_stmt* handle) noexcept : database_(&database), handle_(handle) {}

Statement::Statement(Statement&& other) noexcept
    : database_(other.database_), handle_(std::exchange(other.handle_, nullptr)) {}

Statement& Statement::operator=(Statement&& other) noexcept {
  std::swap(database_, other.database_);
  std::swap(handle_, other.handle_);
  return *this;
}

Statement::~Statement() {
  // The code repeats the last run's failure, which run() has reported.
  static_cast<void>(sqlite3_finalize(handle_));
}

Status Statement::bind(int at, const Value& value) {
  int code = SQLITE_OK;
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    code = sqlite3_bind_int64(handle_, at, *integer);
  } else if (const auto* real = std::get_if<double>(&value)) {
    code = sqlite3_bind_double(handle_, at, *real);
  } else if (const auto* text = std::get_if<std::string_view>(&value)) {
    const char* start = text->empty() ? "" : text->data();  // a null pointer would be bound as NULL
    if (is_clean_text(*text)) {
      code = sqlite3_bind_text64(handle_, at, start, text->size(), SQLITE_STATIC, SQLITE_UTF8);
    } else {
      const std::string repaired = clean_text(*text);
      code = sqlite3_bind_text64(handle_, at, repaired.data(), repaired.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
    }
  } else {
    code = sqlite3_bind_null(handle_, at);
  }
  return code == SQLITE_OK ? Status::ok() : database_->failure("cannot bind parameter " + std::to_string(at));
}

Status Statement::run(std::span<const Value> values) {
  if (static_cast<std::size_t>(sqlite3_bind_parameter_count(handle_)) != values.size())
    return Status::error("internal: " + std::to_string(values.size()) + " values for " + sqlite3_sql(handle_));
  int at = 0;
  for (const Value& value : values)
    if (Status status = bind(++at, value); !status) return status;
  errno = 0;
  int code = SQLITE_ROW;
  while (code == SQLITE_ROW) code = sqlite3_step(handle_);
  if (code != SQLITE_DONE) {
    Status status = database_->failure(excerpt(sqlite3_sql(handle_)));
    static_cast<void>(sqlite3_reset(handle_));  // repeats the code just reported
    return status;
  }
  return sqlite3_reset(handle_) == SQLITE_OK ? Status::ok() : database_->failure("cannot reset a statement");
}

// ---- Transaction

Result<Transaction> Transaction::begin(Database& database) {
  if (Status status = database.execute("BEGIN IMMEDIATE"); !status) return status;
  return Transaction(database);
}

Transaction::Transaction(Transaction&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}

Transaction::~Transaction() {
  // SQLite has rolled back by itself after some failures; then this one fails, harmlessly.
  if (database_ != nullptr) static_cast<void>(database_->execute("ROLLBACK"));
}

Status Transaction::commit() {
  if (database_ == nullptr) return Status::error("internal: a transaction was committed twice");
  if (Status status = database_->execute("COMMIT"); !status) return status;
  database_ = nullptr;
  return Status::ok();
}

}  // namespace multipass::output::rocpd
