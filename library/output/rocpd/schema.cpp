// SPDX-License-Identifier: MIT
#include "output/rocpd/schema.hpp"

#include <array>
#include <cstddef>

namespace multipass::output::rocpd {
namespace {

constexpr std::array<std::string_view, 20> kTables{
    "metadata",    "string",   "info_node",        "info_process",       "info_thread", "info_agent",      "info_queue",
    "info_stream", "info_pmc", "info_code_object", "info_kernel_symbol", "track",       "event",           "arg",
    "pmc_event",   "region",   "sample",           "kernel_dispatch",    "memory_copy", "memory_allocate",
};

constexpr std::array<std::string_view, 2> kReplayTables{"replay_pass", "replay_pmc"};

// How texts are quoted where they are defaults. Double quotes are upstream's spelling, which not every SQLite takes in
// a CREATE statement (Database::open_private sees to it), and which every SQLite reads in a file.
enum class Quote : char { kSingle = '\'', kDouble = '"' };

std::string quoted(std::string_view text, Quote quote) {
  std::string result(1, static_cast<char>(quote));
  return result.append(text).append(1, static_cast<char>(quote));
}

std::string meaning_of(std::string_view mark, const Naming& naming, Quote quote) {
  const auto reference = [&](std::string_view table) {
    return "REFERENCES " + naming.table(table) + " (id) ON UPDATE CASCADE";
  };
  if (mark == "suffix") return naming.suffix();
  if (mark == "key")
    return "id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, guid TEXT NOT NULL DEFAULT " + quoted(naming.guid(), quote);
  if (mark == "json") return "JSONB NOT NULL DEFAULT " + quoted("{}", quote);
  if (mark.starts_with("text ")) return quoted(mark.substr(5), quote);
  if (mark.starts_with("main ")) return naming.is_sidecar() ? "" : reference(mark.substr(5));
  if (mark.starts_with("to ")) return reference(mark.substr(3));
  return naming.guid();
}

std::string expand(std::string_view text, const Naming& naming, Quote quote) {
  std::string result;
  result.reserve(text.size() * 2);
  while (true) {
    const std::size_t open = text.find('%');
    result.append(text.substr(0, open));
    if (open == std::string_view::npos) return result;
    const std::size_t close = text.find('%', open + 1);
    result += meaning_of(text.substr(open + 1, close - open - 1), naming, quote);
    text.remove_prefix(close + 1);
  }
}

// One view per table, without the suffix: a table without it breaks the importer, a `rocpd_` view without a table
// breaks merge (rocprofiler-sdk source/lib/python/rocpd/merge.py @ 344d7fa5).
std::string base_views(const Naming& naming, std::span<const std::string_view> tables) {
  std::string sql;
  for (const std::string_view table : tables) {
    sql.append("CREATE VIEW rocpd_")
        .append(table)
        .append(" AS SELECT * FROM ")
        .append(naming.table(table))
        .append(";\n");
  }
  return sql;
}

std::string upstream_schema(const Naming& naming, Quote quote) {
  std::string sql = expand(metadata_table_text(), naming, quote);
  sql += expand(table_text(), naming, quote);
  sql += base_views(naming, kTables);
  sql += data_view_text();
  sql += memory_view_text();
  sql += counter_view_text();
  sql += summary_view_text();
  return sql;
}

std::string replay_views() {
  std::string sql(replay_view_text());
  sql += replay_counter_view_text();
  sql += kernel_counter_view_text();
  return sql;
}

}  // namespace

std::string canonical_schema(const Naming& naming) {
  std::string sql = upstream_schema(naming, Quote::kSingle);
  sql += expand(replay_table_text(), naming, Quote::kSingle);
  sql += base_views(naming, kReplayTables);
  sql += replay_views();
  return sql;
}

std::string strict_schema(const Naming& naming) {
  return upstream_schema(naming, Quote::kDouble);
}

std::string sidecar_schema(const Naming& sidecar) {
  std::string sql = expand(metadata_table_text(), sidecar, Quote::kSingle);
  sql += expand(replay_table_text(), sidecar, Quote::kSingle);
  sql += base_views(sidecar, std::span(kTables).first(1));
  sql += base_views(sidecar, kReplayTables);
  return sql;
}

std::string temporary_replay_views() {
  constexpr std::string_view kStored = "CREATE VIEW";
  constexpr std::string_view kTemporary = "CREATE TEMP VIEW";
  std::string sql = replay_views();
  for (std::size_t at = 0; (at = sql.find(kStored, at)) != std::string::npos; at += kTemporary.size())
    sql.replace(at, kStored.size(), kTemporary);
  return sql;
}

std::span<const std::string_view> main_tables() noexcept {
  return kTables;
}
std::span<const std::string_view> replay_tables() noexcept {
  return kReplayTables;
}

}  // namespace multipass::output::rocpd
