// SPDX-License-Identifier: MIT
//
// The SQL text of a rocpd file, schema 3.0.1, in our own words: names, columns, order, types, constraints and join
// rules are those of rocprofiler-sdk-rocpd (ROCm/rocm-systems projects/rocprofiler-sdk @ 1b1610fc, 0c5fd9ba); the text
// is not. docs/formats/rocpd.md describes the result. Threads: pure functions.
//
// Text uses these marks: %suffix% and %guid% as in naming.hpp; %key% the first two columns of nearly every table;
// %json% type and default of a JSON column; %text X% the text X as a default; %to NAME% a reference to the id of table
// rocpd_NAME, %main NAME% the same where that table is in this file.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "output/rocpd/naming.hpp"

namespace multipass::output::rocpd {

inline constexpr std::string_view kSchemaVersion = "3.0.1";
inline constexpr std::string_view kSchemaMajor = "3";
inline constexpr std::string_view kSchemaMinor = "0";
inline constexpr std::string_view kSchemaPatch = "1";

// Everything of a file, in an order that SQLite accepts: of the canonical layout; of the main file of the strict
// layout, which has upstream's objects only and its spelling of defaults, as readers compare it; of its sidecar.
[[nodiscard]] std::string canonical_schema(const Naming& naming);
[[nodiscard]] std::string strict_schema(const Naming& naming);
[[nodiscard]] std::string sidecar_schema(const Naming& sidecar);

// The views of passes as TEMP views: a stored view cannot reach the tables of another file.
[[nodiscard]] std::string temporary_replay_views();

// Names without "rocpd_" and suffix, metadata first, each after those that it refers to.
[[nodiscard]] std::span<const std::string_view> main_tables() noexcept;
[[nodiscard]] std::span<const std::string_view> replay_tables() noexcept;
// Indexes, to be made after the rows: of the readings of dispatches and of those of passes. The main file of the strict
// layout has none, as upstream has none.
[[nodiscard]] std::string canonical_indexes(const Naming& naming);
[[nodiscard]] std::string sidecar_indexes(const Naming& sidecar);

// The parts, with marks.
[[nodiscard]] std::string_view metadata_table_text() noexcept;
[[nodiscard]] std::string_view table_text() noexcept;
[[nodiscard]] std::string_view data_view_text() noexcept;
[[nodiscard]] std::string_view memory_view_text() noexcept;
[[nodiscard]] std::string counter_view_text();
[[nodiscard]] std::string_view summary_view_text() noexcept;
[[nodiscard]] std::string_view replay_table_text() noexcept;
[[nodiscard]] std::string_view replay_view_text() noexcept;
[[nodiscard]] std::string replay_counter_view_text();
[[nodiscard]] std::string_view kernel_counter_view_text() noexcept;

}  // namespace multipass::output::rocpd
