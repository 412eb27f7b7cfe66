// SPDX-License-Identifier: MIT
#include "sim/sdk/record_meeting.hpp"

#include <gtest/gtest.h>

#include <future>

namespace multipass_sim {
namespace {

bool come(RecordMeeting& meeting, std::chrono::milliseconds bound) {
  const RecordMeeting::Callback callback;
  return meeting.come(2, bound);
}

TEST(RecordMeeting, WhoIsAloneGoesWhenTheTimeIsOver) {
  RecordMeeting meeting;
  EXPECT_FALSE(come(meeting, std::chrono::milliseconds(0)));
}

TEST(RecordMeeting, WhoHasGoneIsNotMetByTheNext) {
  RecordMeeting meeting;
  EXPECT_FALSE(come(meeting, std::chrono::milliseconds(0)));
  EXPECT_FALSE(come(meeting, std::chrono::milliseconds(0))) << "nobody else is there";
}

TEST(RecordMeeting, TwoMeetAfterAnotherHasGone) {
  RecordMeeting meeting;
  EXPECT_FALSE(come(meeting, std::chrono::milliseconds(0)));
  auto other = std::async(std::launch::async, [&] { return come(meeting, RecordMeeting::kBound); });
  EXPECT_TRUE(come(meeting, RecordMeeting::kBound));
  EXPECT_TRUE(other.get());
}

TEST(RecordMeeting, OutsideACallbackNobodyWaits) {
  RecordMeeting meeting;
  EXPECT_TRUE(meeting.come(2, RecordMeeting::kBound));
}

}  // namespace
}  // namespace multipass_sim
