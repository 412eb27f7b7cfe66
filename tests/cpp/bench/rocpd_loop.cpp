// SPDX-License-Identifier: MIT
#include "rocpd_loop.hpp"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iterator>

namespace multipass::bench {
namespace {

constexpr const char* kEventColumns = "id, category_id, stack_id, parent_stack_id, correlation_id";
constexpr const char* kDispatchColumns =
    "id, nid, pid, tid, agent_id, kernel_id, dispatch_id, queue_id, stream_id, start, \"end\", private_segment_size, "
    "group_segment_size, workgroup_size_x, workgroup_size_y, workgroup_size_z, grid_size_x, grid_size_y, grid_size_z, "
    "region_name_id, event_id, extdata";
constexpr const char* kReadingColumns = "id, event_id, pmc_id, value";
constexpr const char* kPassColumns =
    "id, kernel_dispatch_id, dispatch_id, replay_pass, start, \"end\", status, extdata";
constexpr const char* kPassReadingColumns = "id, replay_pass_id, pmc_id, is_canonical, value";
constexpr const char* kLargeTables[] = {"event", "kernel_dispatch", "pmc_event", "replay_pass", "replay_pmc"};

void fail(const std::string& what) {
  std::fprintf(stderr, "rocpd_bench: %s\n", what.c_str());
  std::exit(1);
}

class Connection final {
 public:
  Connection(const std::string& path, const char* vfs) {
    constexpr int kFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    expect(sqlite3_open_v2(path.c_str(), &handle_, kFlags, vfs));
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() { sqlite3_close(handle_); }

  void expect(int code) const {
    if (code != SQLITE_OK && code != SQLITE_ROW && code != SQLITE_DONE) fail(sqlite3_errmsg(handle_));
  }
  void run(const std::string& sql) const { expect(sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr)); }
  [[nodiscard]] sqlite3_stmt* prepare(const std::string& sql) const {
    sqlite3_stmt* statement = nullptr;
    expect(sqlite3_prepare_v3(handle_, sql.c_str(), -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr));
    return statement;
  }
  void for_each(const std::string& sql, const std::function<void(sqlite3_stmt*)>& row) const {
    sqlite3_stmt* statement = prepare(sql);
    int code = SQLITE_ROW;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) row(statement);
    expect(code);
    sqlite3_finalize(statement);
  }

 private:
  sqlite3* handle_ = nullptr;
};

std::string text_of(sqlite3_stmt* row, int column) {
  const unsigned char* text = sqlite3_column_text(row, column);
  return text == nullptr ? "" : reinterpret_cast<const char*>(text);
}

int bind_text(sqlite3_stmt* statement, int at, const std::string& text) {
  return sqlite3_bind_text(statement, at, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
}

template <std::size_t Count>
void read_numbers(sqlite3_stmt* row, std::int64_t (&numbers)[Count]) {
  for (std::size_t at = 0; at < Count; ++at) numbers[at] = sqlite3_column_int64(row, static_cast<int>(at));
}

template <std::size_t Count>
void bind_numbers(sqlite3_stmt* statement, const std::int64_t (&numbers)[Count]) {
  for (std::size_t at = 0; at < Count; ++at) sqlite3_bind_int64(statement, static_cast<int>(at) + 1, numbers[at]);
}

// The loop: bind, step, reset.
template <class Row, class Bind>
void insert_rows(const Connection& database, const std::string& table, const std::string& columns,
                 const std::vector<Row>& rows, const Bind& bind) {
  std::string sql = "INSERT INTO " + table + " (" + columns + ") VALUES (?";
  for (auto more = std::count(columns.begin(), columns.end(), ','); more > 0; --more) sql += ", ?";
  sqlite3_stmt* statement = database.prepare(sql + ")");
  for (const Row& row : rows) {
    bind(statement, row);
    if (sqlite3_step(statement) != SQLITE_DONE) fail("a row was refused");
    sqlite3_reset(statement);
  }
  sqlite3_finalize(statement);
}

}  // namespace

void expect(const Status& status) {
  if (!status) fail(status.message());
}

void remove(const std::string& path) {
  std::filesystem::remove(path);
}

Folder::Folder() {
  path_ = (std::filesystem::temp_directory_path() / "rocpd-bench-XXXXXX").string();
  if (::mkdtemp(path_.data()) == nullptr) fail("cannot create " + path_);
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

LoopRows::LoopRows(const std::string& database) : source_(database) {
  const Connection source(database, nullptr);
  source.for_each("SELECT value FROM rocpd_metadata WHERE tag = 'uuid'",
                  [&](sqlite3_stmt* row) { suffix_ = text_of(row, 0); });
  source.for_each(
      "SELECT sql, type, name FROM sqlite_master WHERE type <> 'index' AND name NOT LIKE 'sqlite%' ORDER BY rowid",
      [&](sqlite3_stmt* row) {
        schema_ += text_of(row, 0) + ";\n";
        const auto is_it = [&](const char* name) { return text_of(row, 2) == "rocpd_" + (name + suffix_); };
        if (text_of(row, 1) == "table" && std::none_of(std::begin(kLargeTables), std::end(kLargeTables), is_it))
          small_tables_.push_back(text_of(row, 2));
      });
  const auto read = [&](auto& rows, const char* table, const char* columns, const auto& fill) {
    source.for_each(std::string("SELECT ") + columns + " FROM rocpd_" + table + " ORDER BY id",
                    [&](sqlite3_stmt* row) { fill(row, rows.emplace_back()); });
  };
  read(events_, "event", kEventColumns, [](sqlite3_stmt* row, Event& event) { read_numbers(row, event.numbers); });
  read(dispatches_, "kernel_dispatch", kDispatchColumns, [](sqlite3_stmt* row, Dispatch& dispatch) {
    read_numbers(row, dispatch.numbers);
    dispatch.text = text_of(row, 21);
  });
  read(readings_, "pmc_event", kReadingColumns, [](sqlite3_stmt* row, Reading& reading) {
    reading = {sqlite3_column_int64(row, 0), sqlite3_column_int64(row, 1), sqlite3_column_int64(row, 2),
               sqlite3_column_double(row, 3)};
  });
  read(passes_, "replay_pass", kPassColumns, [](sqlite3_stmt* row, Pass& pass) {
    read_numbers(row, pass.numbers);
    pass.status = text_of(row, 6);
    pass.text = text_of(row, 7);
  });
  read(pass_readings_, "replay_pmc", kPassReadingColumns, [](sqlite3_stmt* row, PassReading& reading) {
    reading = {sqlite3_column_int64(row, 0), sqlite3_column_int64(row, 1), sqlite3_column_int64(row, 2),
               sqlite3_column_int64(row, 3), sqlite3_column_double(row, 4)};
  });
}

void LoopRows::insert(const std::string& target) const {
  {
    const Connection database(target, "unix-none");
    database.run(
        "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; PRAGMA temp_store = FILE;"
        "PRAGMA cache_size = -16384; ATTACH '" +
        source_ + "' AS source; BEGIN IMMEDIATE;" + schema_);
    for (const std::string& table : small_tables_)
      database.run("INSERT INTO main." + table + " SELECT * FROM source." + table);
    const auto name = [&](const char* table) { return "main.rocpd_" + (table + suffix_); };
    insert_rows(database, name("event"), kEventColumns, events_,
                [](sqlite3_stmt* statement, const Event& event) { bind_numbers(statement, event.numbers); });
    insert_rows(database, name("kernel_dispatch"), kDispatchColumns, dispatches_,
                [](sqlite3_stmt* statement, const Dispatch& dispatch) {
                  bind_numbers(statement, dispatch.numbers);
                  bind_text(statement, 22, dispatch.text);
                });
    insert_rows(database, name("pmc_event"), kReadingColumns, readings_,
                [](sqlite3_stmt* statement, const Reading& reading) {
                  sqlite3_bind_int64(statement, 1, reading.id);
                  sqlite3_bind_int64(statement, 2, reading.event);
                  sqlite3_bind_int64(statement, 3, reading.pmc);
                  sqlite3_bind_double(statement, 4, reading.value);
                });
    insert_rows(database, name("replay_pass"), kPassColumns, passes_, [](sqlite3_stmt* statement, const Pass& pass) {
      bind_numbers(statement, pass.numbers);
      bind_text(statement, 7, pass.status);
      bind_text(statement, 8, pass.text);
    });
    insert_rows(database, name("replay_pmc"), kPassReadingColumns, pass_readings_,
                [](sqlite3_stmt* statement, const PassReading& reading) {
                  sqlite3_bind_int64(statement, 1, reading.id);
                  sqlite3_bind_int64(statement, 2, reading.pass);
                  sqlite3_bind_int64(statement, 3, reading.pmc);
                  sqlite3_bind_int64(statement, 4, reading.canonical);
                  sqlite3_bind_double(statement, 5, reading.value);
                });
    database.run("COMMIT");
  }
  const int file = ::open(target.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0 || ::fsync(file) != 0 || ::close(file) != 0) fail("cannot sync " + target);
}

void expect_equal_rows(const std::string& one, const std::string& other) {
  const Connection left(one, nullptr);
  const Connection right(other, nullptr);
  left.for_each("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'",
                [&](sqlite3_stmt* table) {
                  const std::string sql = "SELECT * FROM " + text_of(table, 0) + " ORDER BY 1";
                  sqlite3_stmt* row = right.prepare(sql);
                  left.for_each(sql, [&](sqlite3_stmt* mine) {
                    if (sqlite3_step(row) != SQLITE_ROW) fail(text_of(table, 0) + " has more rows in " + one);
                    for (int column = 0; column < sqlite3_column_count(mine); ++column)
                      if (sqlite3_column_type(mine, column) != sqlite3_column_type(row, column) ||
                          text_of(mine, column) != text_of(row, column))
                        fail(text_of(table, 0) + " differs: " + text_of(mine, column) + ", " + text_of(row, column));
                  });
                  if (sqlite3_step(row) != SQLITE_DONE) fail(text_of(table, 0) + " has fewer rows in " + one);
                  sqlite3_finalize(row);
                });
}

}  // namespace multipass::bench
