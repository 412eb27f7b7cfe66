// SPDX-License-Identifier: MIT
//
// What the rocpd writer is measured against: the rows of a database that it wrote, in memory, and the shortest loop
// that inserts them again. SQLite's own functions, so that it has nothing of the writer. One thread. Errors end the
// program with a message.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.hpp"

namespace multipass::bench {

// A folder for one run of a bench, in TMPDIR; the destructor removes it with all that is in it.
class Folder final {
 public:
  Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder();
  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

void expect(const Status& status);
void remove(const std::string& path);
// All rows of all tables, column by column.
void expect_equal_rows(const std::string& one, const std::string& other);

class LoopRows final {
 public:
  explicit LoopRows(const std::string& database);

  // Only the loops over the five tables that grow with a run count; what stays small is copied beside them.
  void insert(const std::string& target) const;

 private:
  struct Event {
    std::int64_t numbers[5];
  };
  struct Dispatch {
    std::int64_t numbers[21];
    std::string text;
  };
  struct Reading {
    std::int64_t id, event, pmc;
    double value;
  };
  struct Pass {
    std::int64_t numbers[6];
    std::string status, text;
  };
  struct PassReading {
    std::int64_t id, pass, pmc, canonical;
    double value;
  };

  std::string source_;
  std::string schema_;
  std::string suffix_;
  std::vector<std::string> small_tables_;
  std::vector<Event> events_;
  std::vector<Dispatch> dispatches_;
  std::vector<Reading> readings_;
  std::vector<Pass> passes_;
  std::vector<PassReading> pass_readings_;
};

}  // namespace multipass::bench
