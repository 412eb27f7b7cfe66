// SPDX-License-Identifier: MIT
//
// Reads a finished database with SQLite's own API, not with the writer's wrapper, so that the two cannot be wrong
// together. A failure fails the test and yields an empty table.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

struct sqlite3;

namespace multipass::output::rocpd::test {

using Row = std::vector<std::string>;
using Table = std::vector<Row>;

class Reader final {
 public:
  explicit Reader(const std::filesystem::path& path);
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader();

  // Integers as decimal digits, reals with "%.9g", NULL as "NULL".
  [[nodiscard]] Table rows(const std::string& sql) const;
  // The only column of the only row.
  [[nodiscard]] std::string value(const std::string& sql) const;
  // Names of the result's columns; it need not have rows.
  [[nodiscard]] Row columns(const std::string& sql) const;
  void run(const std::string& sql) const;
  // Makes the passes of a strict pair readable: attaches the sidecar as "replay" and runs the views that it holds.
  void attach_sidecar(const std::filesystem::path& sidecar) const;

 private:
  sqlite3* handle_ = nullptr;
};

}  // namespace multipass::output::rocpd::test
