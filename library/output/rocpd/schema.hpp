// SPDX-License-Identifier: MIT
//
// The SQL text of a rocpd file, schema 3.0.1, in our own words: names, columns, order, types, constraints and join
// rules are those of rocprofiler-sdk-rocpd (ROCm/rocm-systems projects/rocprofiler-sdk @ 1b1610fc, 0c5fd9ba); the text
// is not. docs/formats/rocpd.md describes the result. Threads: pure functions.
//
// Text uses these marks: %suffix% and %guid% as in naming.hpp; %key% the first two columns of nearly every table;
// %json% type and default of a JSON column; %to NAME% a reference to the id of table rocpd_NAME.
#pragma once

#include <string>
#include <string_view>

#include "output/rocpd/naming.hpp"

namespace multipass::output::rocpd {

inline constexpr std::string_view kSchemaVersion = "3.0.1";
inline constexpr std::string_view kSchemaMajor = "3";
inline constexpr std::string_view kSchemaMinor = "0";
inline constexpr std::string_view kSchemaPatch = "1";

// Everything of the canonical layout, in an order that SQLite accepts.
[[nodiscard]] std::string canonical_schema(const Naming& naming);

// The parts, with marks.
[[nodiscard]] std::string_view table_text() noexcept;
[[nodiscard]] std::string_view data_view_text() noexcept;
[[nodiscard]] std::string_view memory_view_text() noexcept;
[[nodiscard]] std::string counter_view_text();
[[nodiscard]] std::string_view summary_view_text() noexcept;
[[nodiscard]] std::string_view replay_table_text() noexcept;
[[nodiscard]] std::string_view replay_view_text() noexcept;
[[nodiscard]] std::string_view kernel_counter_view_text() noexcept;

}  // namespace multipass::output::rocpd
