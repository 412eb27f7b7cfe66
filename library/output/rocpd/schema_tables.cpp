// SPDX-License-Identifier: MIT
// The tables of schema 3.0.1. Marks are explained in schema.hpp.
#include "output/rocpd/schema.hpp"

namespace multipass::output::rocpd {
namespace {

constexpr std::string_view kMetadata = R"sql(
CREATE TABLE rocpd_metadata%suffix% (
  id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  tag TEXT NOT NULL,
  value TEXT NOT NULL);
)sql";

constexpr std::string_view kText = R"sql(
CREATE TABLE rocpd_string%suffix% (%key%,
  string TEXT NOT NULL UNIQUE ON CONFLICT ABORT);

CREATE TABLE rocpd_info_node%suffix% (%key%,
  hash BIGINT NOT NULL UNIQUE,
  machine_id TEXT NOT NULL UNIQUE,
  system_name TEXT,
  hostname TEXT,
  release TEXT,
  version TEXT,
  hardware_name TEXT,
  domain_name TEXT);

CREATE TABLE rocpd_info_process%suffix% (%key%,
  nid INTEGER NOT NULL %to info_node%,
  ppid INTEGER,
  pid INTEGER NOT NULL,
  init BIGINT,
  fini BIGINT,
  start BIGINT,
  "end" BIGINT,
  command TEXT,
  environment %json%,
  extdata %json%);

CREATE TABLE rocpd_info_thread%suffix% (%key%,
  nid INTEGER NOT NULL %to info_node%,
  ppid INTEGER,
  pid INTEGER NOT NULL %to info_process%,
  tid INTEGER NOT NULL,
  name TEXT,
  start BIGINT,
  "end" BIGINT,
  extdata %json%);

CREATE TABLE rocpd_info_agent%suffix% (%key%,
  nid INTEGER NOT NULL %to info_node%,
  pid INTEGER NOT NULL %to info_process%,
  type TEXT CHECK ("type" IN ('CPU', 'GPU', 'NIC')),
  absolute_index INTEGER,
  logical_index INTEGER,
  type_index INTEGER,
  uuid INTEGER,
  name TEXT,
  model_name TEXT,
  vendor_name TEXT,
  product_name TEXT,
  user_name TEXT,
  extdata %json%);

CREATE TABLE rocpd_info_queue%suffix% (%key%,
  nid INTEGER NOT NULL %to info_node%,
  pid INTEGER NOT NULL %to info_process%,
  name TEXT,
  extdata %json%);

CREATE TABLE rocpd_info_stream%suffix% (%key%,
  nid INTEGER NOT NULL %to info_node%,
  pid INTEGER NOT NULL %to info_process%,
  name TEXT,
  extdata %json%);

CREATE TABLE rocpd_info_pmc%suffix% (%key%,
  nid INTEGER NOT NULL %to info_node%,
  pid INTEGER NOT NULL %to info_process%,
  agent_id INTEGER %to info_agent%,
  target_arch TEXT CHECK ("target_arch" IN ('CPU', 'GPU', 'NIC')),
  event_code INT,
  instance_id INTEGER,
  name TEXT NOT NULL,
  symbol TEXT NOT NULL,
  description TEXT,
  long_description TEXT DEFAULT %text %,
  component TEXT,
  units TEXT DEFAULT %text %,
  value_type TEXT CHECK ("value_type" IN ('ABS', 'ACCUM', 'RELATIVE')),
  block TEXT,
  expression TEXT,
  is_constant INTEGER,
  is_derived INTEGER,
  extdata %json%);

CREATE TABLE rocpd_info_code_object%suffix% (%key%,
  nid INTEGER NOT NULL %to info_node%,
  pid INTEGER NOT NULL %to info_process%,
  agent_id INTEGER %to info_agent%,
  uri TEXT,
  load_base BIGINT,
  load_size BIGINT,
  load_delta BIGINT,
  storage_type TEXT CHECK ("storage_type" IN ('FILE', 'MEMORY')),
  extdata %json%);

CREATE TABLE rocpd_info_kernel_symbol%suffix% (%key%,
  nid INTEGER NOT NULL %to info_node%,
  pid INTEGER NOT NULL %to info_process%,
  code_object_id INTEGER NOT NULL %to info_code_object%,
  kernel_name TEXT,
  display_name TEXT,
  kernel_object INTEGER,
  kernarg_segment_size INTEGER,
  kernarg_segment_alignment INTEGER,
  group_segment_size INTEGER,
  private_segment_size INTEGER,
  sgpr_count INTEGER,
  arch_vgpr_count INTEGER,
  accum_vgpr_count INTEGER,
  extdata %json%);

CREATE TABLE rocpd_track%suffix% (%key%,
  nid INTEGER NOT NULL %to info_node%,
  pid INTEGER %to info_process%,
  tid INTEGER %to info_thread%,
  name_id INTEGER %to string%,
  extdata %json%);

CREATE TABLE rocpd_event%suffix% (%key%,
  category_id INTEGER %to string%,
  stack_id INTEGER,
  parent_stack_id INTEGER,
  correlation_id INTEGER,
  call_stack %json%,
  line_info %json%,
  extdata %json%);

CREATE TABLE rocpd_arg%suffix% (%key%,
  event_id INTEGER NOT NULL %to event%,
  position INTEGER NOT NULL,
  type TEXT NOT NULL,
  name TEXT NOT NULL,
  value TEXT,
  extdata %json%);

CREATE TABLE rocpd_pmc_event%suffix% (%key%,
  event_id INTEGER %to event%,
  pmc_id INTEGER NOT NULL %to info_pmc%,
  value REAL DEFAULT 0.0,
  extdata JSONB DEFAULT %text {}%);

CREATE TABLE rocpd_region%suffix% (%key%,
  nid INTEGER NOT NULL %to info_node%,
  pid INTEGER NOT NULL %to info_process%,
  tid INTEGER NOT NULL %to info_thread%,
  start BIGINT NOT NULL,
  "end" BIGINT NOT NULL,
  name_id INTEGER NOT NULL %to string%,
  event_id INTEGER %to event%,
  extdata %json%);

CREATE TABLE rocpd_sample%suffix% (%key%,
  track_id INTEGER NOT NULL %to track%,
  timestamp BIGINT NOT NULL,
  event_id INTEGER %to event%,
  extdata %json%);

CREATE TABLE rocpd_kernel_dispatch%suffix% (%key%,
  nid INTEGER NOT NULL %to info_node%,
  pid INTEGER NOT NULL %to info_process%,
  tid INTEGER %to info_thread%,
  agent_id INTEGER NOT NULL %to info_agent%,
  kernel_id INTEGER NOT NULL %to info_kernel_symbol%,
  dispatch_id INTEGER NOT NULL,
  queue_id INTEGER NOT NULL %to info_queue%,
  stream_id INTEGER NOT NULL %to info_stream%,
  start BIGINT NOT NULL,
  "end" BIGINT NOT NULL,
  private_segment_size INTEGER,
  group_segment_size INTEGER,
  workgroup_size_x INTEGER NOT NULL,
  workgroup_size_y INTEGER NOT NULL,
  workgroup_size_z INTEGER NOT NULL,
  grid_size_x INTEGER NOT NULL,
  grid_size_y INTEGER NOT NULL,
  grid_size_z INTEGER NOT NULL,
  region_name_id INTEGER %to string%,
  event_id INTEGER %to event%,
  extdata %json%);

CREATE TABLE rocpd_memory_copy%suffix% (%key%,
  nid INTEGER NOT NULL %to info_node%,
  pid INTEGER NOT NULL %to info_process%,
  tid INTEGER %to info_thread%,
  start BIGINT NOT NULL,
  "end" BIGINT NOT NULL,
  name_id INTEGER NOT NULL %to string%,
  dst_agent_id INTEGER %to info_agent%,
  dst_address INTEGER,
  src_agent_id INTEGER %to info_agent%,
  src_address INTEGER,
  size INTEGER NOT NULL,
  queue_id INTEGER %to info_queue%,
  stream_id INTEGER %to info_stream%,
  region_name_id INTEGER %to string%,
  event_id INTEGER %to event%,
  extdata %json%);

CREATE TABLE rocpd_memory_allocate%suffix% (%key%,
  nid INTEGER NOT NULL %to info_node%,
  pid INTEGER NOT NULL %to info_process%,
  tid INTEGER %to info_thread%,
  agent_id INTEGER %to info_agent%,
  type TEXT CHECK ("type" IN ('ALLOC', 'FREE', 'REALLOC', 'RECLAIM')),
  level TEXT CHECK ("level" IN ('REAL', 'VIRTUAL', 'SCRATCH')),
  start BIGINT NOT NULL,
  "end" BIGINT NOT NULL,
  address INTEGER,
  size INTEGER NOT NULL,
  queue_id INTEGER %to info_queue%,
  stream_id INTEGER %to info_stream%,
  event_id INTEGER %to event%,
  extdata %json%);
)sql";

}  // namespace

std::string_view metadata_table_text() noexcept {
  return kMetadata;
}
std::string_view table_text() noexcept {
  return kText;
}

}  // namespace multipass::output::rocpd
