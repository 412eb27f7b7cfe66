// SPDX-License-Identifier: MIT
#include "output/rocpd/schema.hpp"

#include <array>
#include <cstddef>

namespace multipass::output::rocpd {
namespace {

constexpr std::array<std::string_view, 22> kTables{
    "metadata",
    "string",
    "info_node",
    "info_process",
    "info_thread",
    "info_agent",
    "info_queue",
    "info_stream",
    "info_pmc",
    "info_code_object",
    "info_kernel_symbol",
    "track",
    "event",
    "arg",
    "pmc_event",
    "region",
    "sample",
    "kernel_dispatch",
    "memory_copy",
    "memory_allocate",
    "replay_pass",
    "replay_pmc",
};

std::string meaning_of(std::string_view mark, const Naming& naming) {
  if (mark == "suffix") return naming.suffix();
  if (mark == "key")
    return "id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, guid TEXT NOT NULL DEFAULT '" + naming.guid() + "'";
  if (mark == "json") return "JSONB NOT NULL DEFAULT '{}'";
  if (mark.starts_with("to ")) return "REFERENCES " + naming.table(mark.substr(3)) + " (id) ON UPDATE CASCADE";
  return naming.guid();
}

std::string expand(std::string_view text, const Naming& naming) {
  std::string result;
  result.reserve(text.size() * 2);
  while (true) {
    const std::size_t open = text.find('%');
    result.append(text.substr(0, open));
    if (open == std::string_view::npos) return result;
    const std::size_t close = text.find('%', open + 1);
    result += meaning_of(text.substr(open + 1, close - open - 1), naming);
    text.remove_prefix(close + 1);
  }
}

// One view per table, without the suffix: a table without it breaks the importer, a `rocpd_` view without a table
// breaks merge (rocprofiler-sdk source/lib/python/rocpd/merge.py @ 344d7fa5).
std::string base_views(const Naming& naming) {
  std::string sql;
  for (const std::string_view table : kTables) {
    sql.append("CREATE VIEW rocpd_")
        .append(table)
        .append(" AS SELECT * FROM ")
        .append(naming.table(table))
        .append(";\n");
  }
  return sql;
}

}  // namespace

std::string canonical_schema(const Naming& naming) {
  std::string sql = expand(table_text(), naming);
  sql += expand(replay_table_text(), naming);
  sql += base_views(naming);
  sql += data_view_text();
  sql += memory_view_text();
  sql += counter_view_text();
  sql += summary_view_text();
  sql += replay_view_text();
  sql += kernel_counter_view_text();
  return sql;
}

}  // namespace multipass::output::rocpd
