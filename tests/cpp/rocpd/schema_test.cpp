// SPDX-License-Identifier: MIT
// Shape of the file against tables of our own: columns, their order, types, NOT NULL, references, view columns.
// Readers form unions of several files by position, so the order is part of the format.
#include <map>
#include <sstream>

#include "fixture.hpp"
#include "output/rocpd/database_file.hpp"

namespace multipass::output::rocpd::test {
namespace {

struct Expected {
  const char* name;
  std::size_t columns;
  const char* text;  // separated by blanks
};

// name:TYPE, "!" for NOT NULL, ">table" for a reference to that table's id.
constexpr Expected kTables[] = {
    {"metadata", 3, "id:INTEGER! tag:TEXT! value:TEXT!"},
    {"string", 3, "id:INTEGER! guid:TEXT! string:TEXT!"},
    {"info_node", 10,
     "id:INTEGER! guid:TEXT! hash:BIGINT! machine_id:TEXT! system_name:TEXT hostname:TEXT release:TEXT "
     "version:TEXT hardware_name:TEXT domain_name:TEXT"},
    {"info_process", 12,
     "id:INTEGER! guid:TEXT! nid:INTEGER!>info_node ppid:INTEGER pid:INTEGER! init:BIGINT fini:BIGINT "
     "start:BIGINT end:BIGINT command:TEXT environment:JSONB! extdata:JSONB!"},
    {"info_thread", 10,
     "id:INTEGER! guid:TEXT! nid:INTEGER!>info_node ppid:INTEGER pid:INTEGER!>info_process tid:INTEGER! "
     "name:TEXT start:BIGINT end:BIGINT extdata:JSONB!"},
    {"info_agent", 15,
     "id:INTEGER! guid:TEXT! nid:INTEGER!>info_node pid:INTEGER!>info_process type:TEXT "
     "absolute_index:INTEGER logical_index:INTEGER type_index:INTEGER uuid:INTEGER name:TEXT "
     "model_name:TEXT vendor_name:TEXT product_name:TEXT user_name:TEXT extdata:JSONB!"},
    {"info_queue", 6,
     "id:INTEGER! guid:TEXT! nid:INTEGER!>info_node pid:INTEGER!>info_process name:TEXT extdata:JSONB!"},
    {"info_stream", 6,
     "id:INTEGER! guid:TEXT! nid:INTEGER!>info_node pid:INTEGER!>info_process name:TEXT extdata:JSONB!"},
    {"info_pmc", 20,
     "id:INTEGER! guid:TEXT! nid:INTEGER!>info_node pid:INTEGER!>info_process agent_id:INTEGER>info_agent "
     "target_arch:TEXT event_code:INT instance_id:INTEGER name:TEXT! symbol:TEXT! description:TEXT "
     "long_description:TEXT component:TEXT units:TEXT value_type:TEXT block:TEXT expression:TEXT "
     "is_constant:INTEGER is_derived:INTEGER extdata:JSONB!"},
    {"info_code_object", 11,
     "id:INTEGER! guid:TEXT! nid:INTEGER!>info_node pid:INTEGER!>info_process agent_id:INTEGER>info_agent "
     "uri:TEXT load_base:BIGINT load_size:BIGINT load_delta:BIGINT storage_type:TEXT extdata:JSONB!"},
    {"info_kernel_symbol", 16,
     "id:INTEGER! guid:TEXT! nid:INTEGER!>info_node pid:INTEGER!>info_process "
     "code_object_id:INTEGER!>info_code_object kernel_name:TEXT display_name:TEXT kernel_object:INTEGER "
     "kernarg_segment_size:INTEGER kernarg_segment_alignment:INTEGER group_segment_size:INTEGER "
     "private_segment_size:INTEGER sgpr_count:INTEGER arch_vgpr_count:INTEGER accum_vgpr_count:INTEGER "
     "extdata:JSONB!"},
    {"track", 7,
     "id:INTEGER! guid:TEXT! nid:INTEGER!>info_node pid:INTEGER>info_process tid:INTEGER>info_thread "
     "name_id:INTEGER>string extdata:JSONB!"},
    {"event", 9,
     "id:INTEGER! guid:TEXT! category_id:INTEGER>string stack_id:INTEGER parent_stack_id:INTEGER "
     "correlation_id:INTEGER call_stack:JSONB! line_info:JSONB! extdata:JSONB!"},
    {"arg", 8,
     "id:INTEGER! guid:TEXT! event_id:INTEGER!>event position:INTEGER! type:TEXT! name:TEXT! value:TEXT "
     "extdata:JSONB!"},
    {"pmc_event", 6, "id:INTEGER! guid:TEXT! event_id:INTEGER>event pmc_id:INTEGER!>info_pmc value:REAL extdata:JSONB"},
    {"region", 10,
     "id:INTEGER! guid:TEXT! nid:INTEGER!>info_node pid:INTEGER!>info_process tid:INTEGER!>info_thread "
     "start:BIGINT! end:BIGINT! name_id:INTEGER!>string event_id:INTEGER>event extdata:JSONB!"},
    {"sample", 6,
     "id:INTEGER! guid:TEXT! track_id:INTEGER!>track timestamp:BIGINT! event_id:INTEGER>event "
     "extdata:JSONB!"},
    {"kernel_dispatch", 23,
     "id:INTEGER! guid:TEXT! nid:INTEGER!>info_node pid:INTEGER!>info_process tid:INTEGER>info_thread "
     "agent_id:INTEGER!>info_agent kernel_id:INTEGER!>info_kernel_symbol dispatch_id:INTEGER! "
     "queue_id:INTEGER!>info_queue stream_id:INTEGER!>info_stream start:BIGINT! end:BIGINT! "
     "private_segment_size:INTEGER group_segment_size:INTEGER workgroup_size_x:INTEGER! "
     "workgroup_size_y:INTEGER! workgroup_size_z:INTEGER! grid_size_x:INTEGER! grid_size_y:INTEGER! "
     "grid_size_z:INTEGER! region_name_id:INTEGER>string event_id:INTEGER>event extdata:JSONB!"},
    {"memory_copy", 18,
     "id:INTEGER! guid:TEXT! nid:INTEGER!>info_node pid:INTEGER!>info_process tid:INTEGER>info_thread "
     "start:BIGINT! end:BIGINT! name_id:INTEGER!>string dst_agent_id:INTEGER>info_agent "
     "dst_address:INTEGER src_agent_id:INTEGER>info_agent src_address:INTEGER size:INTEGER! "
     "queue_id:INTEGER>info_queue stream_id:INTEGER>info_stream region_name_id:INTEGER>string "
     "event_id:INTEGER>event extdata:JSONB!"},
    {"memory_allocate", 16,
     "id:INTEGER! guid:TEXT! nid:INTEGER!>info_node pid:INTEGER!>info_process tid:INTEGER>info_thread "
     "agent_id:INTEGER>info_agent type:TEXT level:TEXT start:BIGINT! end:BIGINT! address:INTEGER "
     "size:INTEGER! queue_id:INTEGER>info_queue stream_id:INTEGER>info_stream event_id:INTEGER>event "
     "extdata:JSONB!"},
    {"replay_pass", 9,
     "id:INTEGER! guid:TEXT! kernel_dispatch_id:INTEGER!>kernel_dispatch dispatch_id:INTEGER! "
     "replay_pass:INTEGER start:BIGINT! end:BIGINT! status:TEXT! extdata:JSONB!"},
    {"replay_pmc", 8,
     "id:INTEGER! guid:TEXT! replay_pass_id:INTEGER!>replay_pass pmc_id:INTEGER!>info_pmc value:REAL "
     "instance_id:INTEGER is_canonical:INTEGER! extdata:JSONB!"},
};

constexpr Expected kViews[] = {
    {"code_objects", 14,
     "id guid nid pid agent_abs_index uri load_base load_size load_delta storage_type_str code_object_size "
     "storage_type memory_base memory_size"},
    {"kernel_symbols", 22,
     "id guid nid pid code_object_id kernel_name display_name kernel_object kernarg_segment_size "
     "kernarg_segment_alignment group_segment_size private_segment_size sgpr_count arch_vgpr_count "
     "accum_vgpr_count kernel_symbol_size kernel_id kernel_code_entry_byte_offset formatted_kernel_name "
     "demangled_kernel_name truncated_kernel_name kernel_address"},
    {"processes", 14,
     "nid machine_id system_name hostname system_release system_version guid ppid pid init start end fini "
     "command"},
    {"threads", 13,
     "nid machine_id system_name hostname system_release system_version guid ppid pid tid start end name"},
    {"regions", 17,
     "id guid category name nid pid tid start end duration event_id stack_id parent_stack_id corr_id "
     "extdata call_stack line_info"},
    {"region_args", 7, "id guid nid pid type name value"},
    {"samples", 15,
     "id guid category name nid pid tid timestamp event_id stack_id parent_stack_id corr_id extdata "
     "call_stack line_info"},
    {"sample_regions", 17,
     "id guid category name nid pid tid start END duration event_id stack_id parent_stack_id corr_id "
     "extdata call_stack line_info"},
    {"regions_and_samples", 17,
     "id guid category name nid pid tid start end duration event_id stack_id parent_stack_id corr_id "
     "extdata call_stack line_info"},
    {"kernels", 38,
     "id guid tid category region name nid pid agent_abs_index agent_log_index agent_type_index agent_type "
     "code_object_id kernel_id dispatch_id stream_id queue_id queue stream start end duration grid_x "
     "grid_y grid_z workgroup_x workgroup_y workgroup_z lds_size scratch_size vgpr_count accum_vgpr_count "
     "sgpr_count static_lds_size static_scratch_size stack_id parent_stack_id corr_id"},
    {"pmc_info", 11, "id guid nid pid agent_abs_index is_constant is_derived name description block expression"},
    {"pmc_events", 14,
     "id guid pmc_id event_id category name nid pid dispatch_id start end duration counter_name "
     "counter_value"},
    {"events_args", 12,
     "event_id category stack_id parent_stack_id correlation_id arg_position arg_type arg_name arg_value "
     "call_stack line_info extdata"},
    {"stream_args", 10, "argument_id event_id arg_position arg_type arg_value stream_id nid pid stream_name extdata"},
    {"memory_copies", 31,
     "id guid category nid pid tid start end duration name region_name stream_id queue_id stream_name "
     "queue_name size dst_device dst_agent_abs_index dst_agent_log_index dst_agent_type_index "
     "dst_agent_type dst_address src_device src_agent_abs_index src_agent_log_index src_agent_type_index "
     "src_agent_type src_address stack_id parent_stack_id corr_id"},
    {"memory_allocations", 25,
     "id guid category nid pid tid start end duration type level agent_name agent_abs_index "
     "agent_log_index agent_type_index agent_type address size queue_id queue_name stream_id stream_name "
     "stack_id parent_stack_id corr_id"},
    {"scratch_memory", 24,
     "id guid nid pid operation agent_name agent_abs_index agent_log_index agent_type_index agent_type "
     "queue_id tid alloc_flags start end duration size address correlation_id stack_id parent_stack_id "
     "corr_id category event_extdata"},
    {"counters_collection", 49,
     "id guid dispatch_id kernel_id event_id correlation_id stack_id parent_stack_id pid tid agent_id "
     "agent_abs_index agent_log_index agent_type_index agent_type queue_id grid_size_x grid_size_y "
     "grid_size_z grid_size kernel_name kernel_region workgroup_size_x workgroup_size_y workgroup_size_z "
     "workgroup_size lds_block_size scratch_size vgpr_count accum_vgpr_count sgpr_count counter_name "
     "counter_symbol component description block expression value_type counter_id value start end "
     "is_constant is_derived duration category nid extdata code_object_id"},
    {"top_kernels", 5, "name total_calls total_duration average percentage"},
    {"busy", 5, "agent_id type GpuTime WallTime Busy"},
    {"top", 5, "name total_calls total_duration average percentage"},
    {"kernel_counters", 29,
     "guid nid pid rank agent_id agent_abs_index agent_log_index agent_type_index agent_type kernel_name grid_size_x "
     "grid_size_y grid_size_z workgroup_size_x workgroup_size_y workgroup_size_z launches replayed counter_name "
     "counter_group n median mad min_value max_value counters_read counters_planned groups_read groups_planned"},
    {"replay_conflicts", 12,
     "guid dispatch_id event_id agent_id kernel_name counter_name passes min_value max_value "
     "canonical_value spread kind"},
    {"replay_kernels", 40,
     "id guid tid category region name nid pid agent_abs_index agent_log_index agent_type_index agent_type "
     "code_object_id kernel_id dispatch_id stream_id queue_id queue stream start end duration grid_x "
     "grid_y grid_z workgroup_x workgroup_y workgroup_z lds_size scratch_size vgpr_count accum_vgpr_count "
     "sgpr_count static_lds_size static_scratch_size stack_id parent_stack_id corr_id replay_pass "
     "replay_status"},
    {"replay_counters_collection", 52,
     "id guid dispatch_id kernel_id event_id correlation_id stack_id parent_stack_id pid tid agent_id "
     "agent_abs_index agent_log_index agent_type_index agent_type queue_id grid_size_x grid_size_y "
     "grid_size_z grid_size kernel_name kernel_region workgroup_size_x workgroup_size_y workgroup_size_z "
     "workgroup_size lds_block_size scratch_size vgpr_count accum_vgpr_count sgpr_count counter_name "
     "counter_symbol component description block expression value_type counter_id value start end "
     "is_constant is_derived duration category nid extdata code_object_id replay_pass is_canonical "
     "replay_status"},
};

Row words(const char* text) {
  std::istringstream stream(text);
  Row result;
  for (std::string word; stream >> word;) result.push_back(word);
  return result;
}

class SchemaTest : public RocpdTest {
 protected:
  void SetUp() override {
    write_example({example_dispatch()});
    reader_ = std::make_unique<Reader>(target());
  }

  // The table's columns in the notation above, as SQLite reports them.
  [[nodiscard]] Row described(const std::string& table) const {
    std::map<std::string, std::string> references;
    for (const Row& key : reader_->rows("SELECT \"from\", \"table\", \"to\", on_update, on_delete "
                                        "FROM pragma_foreign_key_list('" +
                                        table + "')")) {
      EXPECT_EQ((Row{key[2], key[3], key[4]}), (Row{"id", "CASCADE", "NO ACTION"})) << table << "." << key[0];
      references[key[0]] = key[1];
    }
    Row result;
    for (const Row& column : reader_->rows("SELECT name, type, \"notnull\" FROM pragma_table_info('" + table + "')")) {
      std::string text = column[0] + ":" + column[1] + (column[2] == "1" ? "!" : "");
      if (const auto found = references.find(column[0]); found != references.end()) {
        const std::string& other = found->second;  // rocpd_NAME_SUFFIX
        text += ">" + other.substr(6, other.size() - 6 - std::string(kSuffix).size());
      }
      result.push_back(text);
    }
    return result;
  }

  [[nodiscard]] const Reader& reader() const { return *reader_; }

 private:
  std::unique_ptr<Reader> reader_;
};

TEST_F(SchemaTest, EveryTableHasItsColumnsInOrder) {
  for (const Expected& table : kTables) {
    const Row columns = described(std::string("rocpd_") + table.name + kSuffix);
    EXPECT_EQ(columns, words(table.text)) << table.name;
    EXPECT_EQ(columns.size(), table.columns) << table.name;
  }
}

TEST_F(SchemaTest, EveryTableHasABaseViewOfAllItsColumns) {
  for (const Expected& table : kTables) {
    const std::string view = std::string("SELECT * FROM rocpd_") + table.name;
    EXPECT_EQ(reader().columns(view), reader().columns(view + kSuffix)) << table.name;
  }
}

TEST_F(SchemaTest, EveryViewHasItsColumnsInOrderAndCanBeRead) {
  for (const Expected& view : kViews) {
    const std::string select = std::string("SELECT * FROM ") + view.name;
    EXPECT_EQ(reader().columns(select), words(view.text)) << view.name;
    EXPECT_EQ(reader().columns(select).size(), view.columns) << view.name;
    static_cast<void>(reader().rows(select));  // reports a failure itself
  }
}

TEST_F(SchemaTest, ThereIsNothingElseInTheFile) {
  EXPECT_EQ(reader().value("SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"),
            std::to_string(std::size(kTables)));
  EXPECT_EQ(reader().value("SELECT COUNT(*) FROM sqlite_master WHERE type = 'view'"),
            std::to_string(std::size(kTables) + std::size(kViews)));
  EXPECT_EQ(reader().rows("SELECT type, name FROM sqlite_master WHERE type IN ('index', 'trigger') AND sql NOT NULL"),
            (Table{{"index", std::string("rocpd_index_pmc_event_event_id") + kSuffix},
                   {"index", std::string("rocpd_index_replay_pmc_replay_pass_id") + kSuffix}}));
}

TEST_F(SchemaTest, TheReadingsOfOneDispatchAreFoundByIndex) {
  for (const char* table : {"pmc_event", "replay_pmc"}) {
    const std::string view = table == std::string("pmc_event") ? "counters_collection" : "replay_counters_collection";
    std::string plan;
    for (const Row& step : reader().rows("EXPLAIN QUERY PLAN SELECT * FROM " + view + " WHERE dispatch_id = 1"))
      plan += step[3] + "\n";
    EXPECT_NE(plan.find(std::string("USING INDEX rocpd_index_") + table), std::string::npos) << plan;
  }
}

TEST_F(SchemaTest, EachBaseViewIsThatOfOneTable) {
  // Merge forms the union of every table whose name starts with the view's name and "_".
  for (const Row& view : reader().rows("SELECT name FROM sqlite_master WHERE type = 'view' AND name LIKE 'rocpd%'"))
    EXPECT_EQ(reader().value("SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND substr(name, 1, length('" +
                             view[0] + "_')) = '" + view[0] + "_'"),
              "1")
        << view[0];
}

TEST_F(SchemaTest, TextDefaultsAreStringLiterals) {
  // In double quotes they would be identifiers to an SQLite built without that leniency.
  EXPECT_EQ(reader().value("SELECT COUNT(*) FROM sqlite_master WHERE sql LIKE '%DEFAULT \"%'"), "0");
  const std::string table = std::string("rocpd_info_pmc") + kSuffix;
  EXPECT_EQ(
      reader().rows("SELECT name, dflt_value FROM pragma_table_info('" + table + "') WHERE dflt_value NOT NULL"),
      (Table{
          {"guid", "'" + std::string(kGuid) + "'"}, {"long_description", "''"}, {"units", "''"}, {"extdata", "'{}'"}}));
}

TEST_F(SchemaTest, EveryIdIsAnAutoincrementedKey) {
  EXPECT_EQ(reader().value("SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND "
                           "sql LIKE '%id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT%'"),
            std::to_string(std::size(kTables)));
}

class ConstraintTest : public RocpdTest {
 protected:
  // The message of an insert into a new file, empty when it worked. `insert` starts with the table's base name.
  [[nodiscard]] std::string failure_of(const std::string& insert) const {
    const Result<Naming> naming = Naming::from_guid(kGuid);
    DatabaseFile file(target());
    expect_ok(file.create(*naming));
    const std::size_t blank = insert.find(' ');
    return file.database()
        .execute("INSERT INTO " + naming->table(insert.substr(0, blank)) + insert.substr(blank))
        .message();
  }
};

TEST_F(ConstraintTest, EnumerationsAcceptTheirValuesAndNull) {
  for (const char* type : {"'CPU'", "'GPU'", "'NIC'", "NULL"})
    EXPECT_EQ(failure_of(std::string("info_agent (nid, pid, type) VALUES (1, 1, ") + type + ")"), "");
  for (const char* status : {"'OK'", "'PARTIAL'", "'DISCARDED'"})
    EXPECT_EQ(failure_of(std::string("replay_pass (kernel_dispatch_id, dispatch_id, start, \"end\", status) "
                                     "VALUES (1, 1, 1, 1, ") +
                         status + ")"),
              "");
}

TEST_F(ConstraintTest, EnumerationsRefuseOtherValues) {
  for (const char* wrong :
       {"info_agent (nid, pid, type) VALUES (1, 1, 'TPU')",
        "info_pmc (nid, pid, name, symbol, target_arch) VALUES (1, 1, 'a', 'a', 'TPU')",
        "info_pmc (nid, pid, name, symbol, value_type) VALUES (1, 1, 'a', 'a', 'SUM')",
        "info_code_object (nid, pid, storage_type) VALUES (1, 1, 'DISK')",
        "memory_allocate (nid, pid, start, \"end\", size, type) VALUES (1, 1, 1, 1, 1, 'X')",
        "memory_allocate (nid, pid, start, \"end\", size, level) VALUES (1, 1, 1, 1, 1, 'X')",
        "replay_pmc (replay_pass_id, pmc_id, is_canonical) VALUES (1, 1, 2)",
        "replay_pass (kernel_dispatch_id, dispatch_id, start, \"end\", status) VALUES (1, 1, 1, 1, 'LOST')"})
    EXPECT_NE(failure_of(wrong).find("CHECK constraint failed"), std::string::npos) << wrong;
}

TEST_F(ConstraintTest, DuplicatesAreRefused) {
  for (const char* wrong :
       {"string (string) VALUES ('a'), ('a')", "info_node (hash, machine_id) VALUES (1, 'a'), (1, 'b')",
        "info_node (hash, machine_id) VALUES (1, 'a'), (2, 'a')",
        "replay_pass (kernel_dispatch_id, dispatch_id, replay_pass, start, \"end\") "
        "VALUES (1, 1, 0, 1, 1), (1, 1, 0, 1, 1)"})
    EXPECT_NE(failure_of(wrong).find("UNIQUE constraint failed"), std::string::npos) << wrong;
}

TEST_F(ConstraintTest, ADispatchMayRunSeveralTimesOutsideAReplayLoop) {
  EXPECT_EQ(failure_of("replay_pass (kernel_dispatch_id, dispatch_id, replay_pass, start, \"end\") "
                       "VALUES (1, 1, NULL, 1, 1), (1, 1, NULL, 1, 1)"),
            "");
}

}  // namespace
}  // namespace multipass::output::rocpd::test
