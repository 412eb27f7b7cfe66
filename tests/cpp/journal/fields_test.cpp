// SPDX-License-Identifier: MIT
// journal.proto is what Python compiles, fields.hpp what C++ writes by: the same names must have the same numbers.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include "journal/fields.hpp"

namespace multipass::journal {
namespace {

std::map<std::string, int> numbers_in_proto(const std::string& message) {
  std::ifstream file(MULTIPASS_JOURNAL_PROTO);
  std::stringstream all;
  all << file.rdbuf();
  const std::string text = all.str();
  const std::size_t begin = text.find("message " + message + " {");
  EXPECT_NE(begin, std::string::npos) << message;
  const std::string body = text.substr(begin, text.find("\n}\n", begin) - begin);
  std::map<std::string, int> numbers;
  const std::regex member(R"(\b(\w+) = (\d+);)");
  for (std::sregex_iterator it(body.begin(), body.end(), member), end; it != end; ++it)
    numbers[(*it)[1]] = std::stoi((*it)[2]);
  return numbers;
}

#define MEMBER(message, name) {#name, static_cast<int>(field::message::name)}

TEST(JournalFields, HaveTheNumbersOfTheProtoFile) {
  EXPECT_EQ(numbers_in_proto("Frame"),
            (std::map<std::string, int>{MEMBER(Frame, run), MEMBER(Frame, agent), MEMBER(Frame, kernel),
                                        MEMBER(Frame, dispatch), MEMBER(Frame, warning), MEMBER(Frame, end),
                                        MEMBER(Frame, checkpoint)}));
  EXPECT_EQ(numbers_in_proto("Checkpoint"),
            (std::map<std::string, int>{MEMBER(Checkpoint, dispatches), MEMBER(Checkpoint, in_flight),
                                        MEMBER(Checkpoint, dropped), MEMBER(Checkpoint, at_ns)}));
  EXPECT_EQ(
      numbers_in_proto("Dispatch"),
      (std::map<std::string, int>{MEMBER(Dispatch, dispatch_id), MEMBER(Dispatch, agent), MEMBER(Dispatch, kernel),
                                  MEMBER(Dispatch, queue_id), MEMBER(Dispatch, stream_id), MEMBER(Dispatch, thread_id),
                                  MEMBER(Dispatch, correlation_id), MEMBER(Dispatch, grid), MEMBER(Dispatch, workgroup),
                                  MEMBER(Dispatch, private_segment_size), MEMBER(Dispatch, group_segment_size),
                                  MEMBER(Dispatch, outcome), MEMBER(Dispatch, reason), MEMBER(Dispatch, passes_planned),
                                  MEMBER(Dispatch, passes), MEMBER(Dispatch, warm_up), MEMBER(Dispatch, timing)}));
  EXPECT_EQ(numbers_in_proto("Interval"),
            (std::map<std::string, int>{MEMBER(Interval, start_ns), MEMBER(Interval, end_ns)}));
  EXPECT_EQ(
      numbers_in_proto("Pass"),
      (std::map<std::string, int>{MEMBER(Pass, pass), MEMBER(Pass, group), MEMBER(Pass, start_ns), MEMBER(Pass, end_ns),
                                  MEMBER(Pass, counters), MEMBER(Pass, values), MEMBER(Pass, instances)}));
  EXPECT_EQ(numbers_in_proto("Instances"),
            (std::map<std::string, int>{MEMBER(Instances, positions), MEMBER(Instances, values)}));
  EXPECT_EQ(numbers_in_proto("Dimension"),
            (std::map<std::string, int>{MEMBER(Dimension, name), MEMBER(Dimension, size)}));
  EXPECT_EQ(numbers_in_proto("Plan"),
            (std::map<std::string, int>{MEMBER(Plan, passes), MEMBER(Plan, lower_bound), MEMBER(Plan, proof),
                                        MEMBER(Plan, groups), MEMBER(Plan, unplaceable)}));
  EXPECT_EQ(numbers_in_proto("Counter"),
            (std::map<std::string, int>{MEMBER(Counter, name), MEMBER(Counter, description), MEMBER(Counter, block),
                                        MEMBER(Counter, expression), MEMBER(Counter, is_constant),
                                        MEMBER(Counter, is_derived), MEMBER(Counter, instances),
                                        MEMBER(Counter, dimensions)}));
  EXPECT_EQ(
      numbers_in_proto("Kernel"),
      (std::map<std::string, int>{MEMBER(Kernel, id), MEMBER(Kernel, code_object_id), MEMBER(Kernel, agent),
                                  MEMBER(Kernel, name), MEMBER(Kernel, demangled), MEMBER(Kernel, kernarg_segment_size),
                                  MEMBER(Kernel, kernarg_segment_alignment), MEMBER(Kernel, group_segment_size),
                                  MEMBER(Kernel, private_segment_size), MEMBER(Kernel, sgpr_count),
                                  MEMBER(Kernel, arch_vgpr_count), MEMBER(Kernel, accum_vgpr_count)}));
}

}  // namespace
}  // namespace multipass::journal
