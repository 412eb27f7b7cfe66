// SPDX-License-Identifier: MIT
//
// What the stand-in client saw, one JSON object a line, in memory until the end of the process, as rocprof-sys keeps
// its database: a killed process leaves nothing. Then the lines go to a file and write_outputs.py makes of them what
// rocprof-sys would have written. Any thread; owner: the process.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace standin {

// A member of an object: a number, or a text that is quoted.
struct Member {
  std::string_view name;
  std::string value;

  Member(std::string_view n, std::uint64_t number) : name(n), value(std::to_string(number)) {}
  Member(std::string_view n, std::int64_t number) : name(n), value(std::to_string(number)) {}
  Member(std::string_view n, int number) : name(n), value(std::to_string(number)) {}
  Member(std::string_view n, std::uint32_t number) : name(n), value(std::to_string(number)) {}
  Member(std::string_view n, double number);
  Member(std::string_view n, std::string_view text);
  Member(std::string_view n, const char* text) : Member(n, std::string_view(text == nullptr ? "" : text)) {}
};

class Records {
 public:
  void add(std::string_view type, std::initializer_list<Member> members);

  // Starts over, in a forked child that is a process of its own.
  void clear();

  // Writes the lines and runs the generator; waits for it.
  void write_outputs();

 private:
  std::mutex mutex_;
  std::vector<std::string> lines_;
};

// Never destroyed: callbacks may come as late as they like.
Records& records();

std::uint64_t now();  // CLOCK_BOOTTIME, ns

// One line on stderr, as rocprof-sys begins its own.
void say(const std::string& line);

}  // namespace standin
