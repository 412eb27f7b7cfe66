// SPDX-License-Identifier: MIT
//
// A folder with a capture file of made-up frames and what the exporter makes of it.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "journal/encode.hpp"
#include "journal/samples.hpp"
#include "journal/writer.hpp"

namespace multipass::apps {

namespace fs = std::filesystem;
namespace samples = journal::samples;
using nlohmann::json;

// Of a GPU that is one of two: the sample agent has index 2 and ordinal 1.
inline journal::AgentFrame other_agent() {
  journal::AgentFrame frame = samples::agent();
  frame.agent.index = AgentIndex{1};
  frame.agent.device = 0;
  frame.agent.node_id = 1;
  frame.plan.agent = AgentIndex{1};
  frame.plan.device = 0;
  return frame;
}

inline DispatchRecord dispatch_on(std::uint32_t agent, std::uint64_t id) {
  DispatchRecord record = samples::dispatch();
  record.dispatch_id = DispatchId{id};
  record.agent = AgentIndex{agent};
  record.outcome = Outcome::kReplayed;
  record.passes = {{PassIndex{0}, GroupIndex{0}, 100, 200, {CounterIndex{0}}, {16}},
                   {PassIndex{1}, GroupIndex{1}, 300, 400, {CounterIndex{1}}, {0.5}}};
  return record;
}

inline std::string encoded(const journal::AgentFrame& frame) {
  return journal::encode(frame.agent, frame.counters, frame.plan);
}

class Export : public testing::Test {
 protected:
  void SetUp() override {
    const std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    folder_ = fs::temp_directory_path() / ("export-" + std::to_string(::getpid()) + "-" + name);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] fs::path file(const std::string& extension) const { return folder_ / ("run" + extension); }

  void capture(const std::vector<std::string>& frames) const {
    bool exists = false;
    auto writer = journal::JournalWriter::create(file(".journal").string(), exists);
    ASSERT_TRUE(writer) << writer.message();
    for (const std::string& frame : frames) ASSERT_TRUE((*writer)->append(frame));
    ASSERT_TRUE((*writer)->close(std::chrono::seconds{10}));
  }
  void capture_whole() const {
    capture({journal::encode(samples::run()), encoded(samples::agent()), journal::encode(samples::kernel()),
             journal::encode(dispatch_on(2, 1)), journal::encode_end(1, 9)});
  }

  [[nodiscard]] json summary() const {
    std::ifstream in(file(".json"));
    return json::parse(in);
  }

  // One value of the database, as text; "" for NULL.
  [[nodiscard]] std::string value(const std::string& sql) const {
    sqlite3* opened = nullptr;
    EXPECT_EQ(sqlite3_open_v2(file(".db").c_str(), &opened, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
    const std::unique_ptr<sqlite3, int (*)(sqlite3*)> database{opened, &sqlite3_close};
    sqlite3_stmt* prepared = nullptr;
    EXPECT_EQ(sqlite3_prepare_v2(opened, sql.c_str(), -1, &prepared, nullptr), SQLITE_OK) << sqlite3_errmsg(opened);
    const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement{prepared, &sqlite3_finalize};
    if (sqlite3_step(prepared) != SQLITE_ROW) return "no row";
    const unsigned char* text = sqlite3_column_text(prepared, 0);
    return text == nullptr ? "" : reinterpret_cast<const char*>(text);
  }

  fs::path folder_;
};

}  // namespace multipass::apps
