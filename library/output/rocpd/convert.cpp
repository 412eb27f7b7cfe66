// SPDX-License-Identifier: MIT
#include "output/rocpd/convert.hpp"

#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "output/rocpd/metadata_rows.hpp"
#include "output/rocpd/run_database.hpp"
#include "output/rocpd/schema.hpp"
#include "output/rocpd/target_in_use.hpp"

namespace multipass::output {
namespace rocpd {
namespace {

namespace fs = std::filesystem;

// A database of one run.
struct Source {
  Naming naming;
  RocpdLayout layout;
  fs::path main;
  fs::path replay;       // what has the tables of passes
  Naming replay_naming;  // of these
  std::string created;   // when, as the file says
};

Status refused(const fs::path& path, const std::string& why) {
  return Status::error(path.string() + ": " + why);
}

std::string tag_query(std::string_view tag) {
  return "(SELECT value FROM rocpd_metadata WHERE tag = '" + std::string(tag) + "')";
}

// What was not checkpointed would be left out: the file is read without looking at what is beside it.
Status refuse_unfinished(const fs::path& path) {
  const std::optional<fs::path> journal = journal_beside(path);
  if (!journal) return Status::ok();
  return refused(path, journal->filename().string() +
                           " is beside it, so a program writes it or has died while it did; open the database once "
                           "with sqlite3 when that has ended");
}

Result<Database> open(const fs::path& path) {
  if (Status status = refuse_unfinished(path); !status) return status;
  Result<Database> database = Database::open_to_read(path);
  if (!database) return database;
  const auto has = database->first_row("SELECT 1 FROM sqlite_master WHERE name = 'rocpd_metadata'");
  if (!has) return has.status();
  if (has->empty()) return refused(path, "it has no rocpd_metadata, so it is no rocpd database");
  return database;
}

// The file with the passes of a strict layout, of this run.
Status find_sidecar(const std::string& name, Source& source) {
  const fs::path path = source.main.parent_path() / fs::path(name).filename();
  std::error_code error;
  if (name == "NULL" || !fs::is_regular_file(path, error))
    return refused(source.main, "its layout is strict, and " +
                                    (name == "NULL" ? sidecar_path(source.main) : path).filename().string() +
                                    ", which has its passes, is not beside it; copy it there");
  Result<Database> sidecar = open(path);
  if (!sidecar) return sidecar.status();
  const auto tags = sidecar->first_row("SELECT " + tag_query(kParentTag) + ", " + tag_query("uuid"));
  if (!tags) return tags.status();
  if ((*tags)[0] != source.naming.guid())
    return refused(path, "it is the sidecar of the run " + (*tags)[0] + ", and " + source.main.filename().string() +
                             " is of the run " + source.naming.guid() + "; take the two files of one run");
  source.replay = path;
  source.replay_naming = source.naming.of_sidecar();
  // What is in a file becomes no part of SQL.
  if ((*tags)[1] != source.replay_naming.suffix())
    return refused(path, "its tables are called after " + (*tags)[1] + ", and those of this run's sidecar after " +
                             source.replay_naming.suffix() + "; export the run again");
  return Status::ok();
}

Status refuse_several(const fs::path& path, Database& database) {
  const auto counts = database.first_row(
      "SELECT (SELECT COUNT(DISTINCT value) FROM rocpd_metadata WHERE tag = 'guid'), "
      "(SELECT COUNT(*) FROM rocpd_metadata WHERE tag IN ('replay_run', 'replay_joined'))");
  if (!counts) return counts.status();
  const std::string instead = "; convert the database of each run itself, as it was before the merge";
  if ((*counts)[1] != "0") return refused(path, "a run was merged into it, and most of it is another tool's" + instead);
  if ((*counts)[0] != "1") return refused(path, "it holds " + (*counts)[0] + " runs" + instead);
  return Status::ok();
}

Result<Source> examine(const fs::path& path) {
  Result<Database> database = open(path);
  if (!database) return database.status();
  const auto tags =
      database->first_row("SELECT " + tag_query("guid") + ", " + tag_query(kLayoutTag) + ", " + tag_query(kParentTag) +
                          ", " + tag_query("schema_creation_time") + ", " + tag_query(kSidecarTag));
  if (!tags) return tags.status();
  if ((*tags)[2] != "NULL") return refused(path, "it is the sidecar of a database in layout strict; give that one");
  if ((*tags)[1] == "NULL")
    return refused(path, "it has no tag replay_layout, so this tool did not write it; only its own are converted");
  if (Status status = refuse_several(path, *database); !status) return status;
  const std::optional<RocpdLayout> layout = layout_tagged((*tags)[1]);
  if (!layout)
    return refused(path, "its layout is " + (*tags)[1] +
                             ", known are canonical/1 and strict/1; a newer version of this "
                             "tool may know it");
  const Result<Naming> naming = Naming::from_guid((*tags)[0]);
  if (!naming) return refused(path, naming.message());
  Source source{*naming, *layout, path, path, *naming, (*tags)[3]};
  if (*layout == RocpdLayout::kStrict)
    if (Status status = find_sidecar((*tags)[4], source); !status) return status;
  return source;
}

// The columns of a table, in order, as SQL takes them; empty: there is no such table.
Result<std::string> columns_of(Database& database, const std::string& schema, const std::string& table) {
  const auto row =
      database.first_row("SELECT group_concat('\"' || name || '\"', ', ') FROM (SELECT name FROM pragma_table_info('" +
                         table + "', '" + schema + "') ORDER BY cid)");
  if (!row) return row.status();
  return row->front() == "NULL" ? std::string{} : row->front();
}

// `attached`: what the file of the source is known as.
Status copy_table(Database& to, const std::string& table, const std::string& attached, const std::string& from) {
  const Result<std::string> columns = columns_of(to, "main", table);
  if (!columns) return columns.status();
  const Result<std::string> given = columns_of(to, attached, from);
  if (!given) return given.status();
  if (*columns != *given)
    return Status::error("table " + from + " has the columns (" + *given + "), needed are (" + *columns + ")");
  return to.execute("INSERT INTO main." + table + " (" + *columns + ") SELECT " + *columns + " FROM " + attached + "." +
                    from);
}

// Refuses what would not be in the result.
Status refuse_others(Database& to, const std::vector<std::string>& known) {
  std::string names;
  for (const std::string& name : known) names += (names.empty() ? "'" : ", '") + name + "'";
  const auto others = to.first_row(
      "SELECT name FROM source.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' "
      "AND name NOT IN (" +
      names + ")");
  if (!others) return others.status();
  return others->empty()
             ? Status::ok()
             : Status::error("table " + others->front() + " has no place in either layout; remove it first");
}

Status copy_metadata(Database& to, const Naming& naming, RocpdLayout layout, const fs::path& target) {
  const std::string table = naming.table("metadata");
  const std::string layout_tag(kLayoutTag);
  if (Status status =
          to.execute("INSERT INTO main." + table + " (tag, value) SELECT tag, CASE tag WHEN '" + layout_tag +
                     "' THEN '" + std::string(tag_of(layout)) + "' ELSE value END FROM source." + table +
                     " WHERE tag <> '" + std::string(kSidecarTag) + "' ORDER BY id");
      !status)
    return status;
  if (layout != RocpdLayout::kStrict) return Status::ok();
  Result<Statement> insert = to.prepare("INSERT INTO main." + table + " (tag, value) VALUES (?, ?)");
  if (!insert) return insert.status();
  return insert->run({kSidecarTag, sidecar_path(target).filename().string()});
}

Status copy_main(const Source& source, Database& to, RocpdLayout layout, const fs::path& target) {
  if (Status status = to.attach_to_read(source.main, "source"); !status) return status;
  std::vector<std::string> known;
  for (const std::string_view table : main_tables()) known.push_back(source.naming.table(table));
  if (source.layout == RocpdLayout::kCanonical)
    for (const std::string_view table : replay_tables()) known.push_back(source.naming.table(table));
  if (Status status = refuse_others(to, known); !status) return status;
  if (Status status = copy_metadata(to, source.naming, layout, target); !status) return status;
  for (const std::string_view table : main_tables().subspan(1)) {
    const std::string name = source.naming.table(table);
    if (Status status = copy_table(to, name, "source", name); !status) return status;
  }
  return Status::ok();
}

Status copy_passes(const Source& source, RunDatabase& to) {
  if (Status status = to.replay().attach_to_read(source.replay, "passes"); !status) return status;
  for (const std::string_view table : replay_tables()) {
    const std::string from = source.replay_naming.table(table);
    if (Status status = copy_table(to.replay(), to.replay_naming().table(table), "passes", from); !status)
      return status;
  }
  return to.has_sidecar() ? add_sidecar_metadata(to.replay(), to.replay_naming(), source.created) : Status::ok();
}

Status convert(const Source& source, const fs::path& target, RocpdLayout layout) {
  RunDatabase to(target, layout);
  if (Status status = to.create(source.naming); !status) return status;
  if (Status status = copy_main(source, to.main(), layout, target); !status) return status;
  if (Status status = copy_passes(source, to); !status) return status;
  return to.publish();
}

}  // namespace
}  // namespace rocpd

Status convert_rocpd(const std::filesystem::path& source, const std::filesystem::path& target, RocpdLayout layout) {
  const Result<rocpd::Source> found = rocpd::examine(source);
  if (!found) return found.status();
  if (found->layout == layout)
    return rocpd::refused(source, "its layout is " + std::string(tag_of(layout)) + " already; nothing was written");
  const Status status = rocpd::convert(*found, target, layout);
  return status ? Status::ok() : rocpd::refused(source, "it cannot be converted: " + status.message());
}

}  // namespace multipass::output
