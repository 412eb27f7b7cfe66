// SPDX-License-Identifier: MIT
//
// How far an export is, for people: nothing in the first two seconds, then on a terminal one line that is rewritten,
// elsewhere a line every ten seconds. Owner: the program. One thread. Never blocks for a reader, never fails: a line
// that cannot be written is left out.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace multipass::apps {

class Progress final {
 public:
  using Clock = std::chrono::steady_clock;

  // `out`: a descriptor that stays the caller's; -1: nobody is told. `total`: bytes of all files that are to be read.
  Progress(int out, std::uint64_t total, Clock::time_point (*now)() = &Clock::now);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { clear(); }

  // What follows is of this file, of which the name is shown.
  void begin_file(const std::string& path);
  // So much of the file was read. Cheap enough for each dispatch.
  void at(std::uint64_t bytes);
  // The file is read, and takes this long step yet.
  void step(const std::string& what);
  // All of the file counts as read.
  void end_file(std::uint64_t bytes);
  // Takes the line away, so that a message can stand in its place.
  void clear();

 private:
  [[nodiscard]] bool is_due(Clock::time_point now) const;
  void show(std::string text, Clock::time_point now);
  [[nodiscard]] std::string state(Clock::time_point now) const;

  const int out_;
  const bool terminal_;
  const std::uint64_t total_;
  Clock::time_point (*const now_)();
  const Clock::time_point start_;
  Clock::time_point shown_;  // the last line; start_: none
  std::string name_;
  std::uint64_t before_ = 0;  // bytes of the files before this one
  std::uint64_t done_ = 0;
  bool line_ = false;  // on the terminal now
};

}  // namespace multipass::apps
