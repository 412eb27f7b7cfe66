// SPDX-License-Identifier: MIT
#include "records.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace standin {

namespace {

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      (result += '\\') += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(c));
      result += code;
    } else {
      result += c;
    }
  }
  return result + '"';
}

// Without what would make the generator a profiled process.
std::vector<char*> plain_environment() {
  std::vector<char*> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    if (text.starts_with("LD_PRELOAD=") || text.starts_with("ROCP_TOOL_LIBRARIES=") ||
        text.starts_with("LD_LIBRARY_PATH="))
      continue;
    result.push_back(*entry);
  }
  result.push_back(nullptr);
  return result;
}

}  // namespace

Member::Member(std::string_view n, double number) : name(n) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", number);
  value = text;
}

Member::Member(std::string_view n, std::string_view text) : name(n), value(quoted(text)) {}

void Records::add(std::string_view type, std::initializer_list<Member> members) {
  std::string line = "{\"type\":" + quoted(type);
  for (const Member& member : members) line += "," + quoted(member.name) + ":" + member.value;
  const std::lock_guard lock(mutex_);
  lines_.push_back(line + "}\n");
}

void Records::clear() {
  const std::lock_guard lock(mutex_);
  lines_.clear();
}

void Records::write_outputs() {
  char path[] = "/tmp/standin-XXXXXX";
  const int file = mkstemp(path);
  if (file < 0) return say("cannot write " + std::string(path));
  std::string all;
  {
    const std::lock_guard lock(mutex_);
    for (const std::string& line : lines_) all += line;
  }
  for (std::size_t at = 0; at < all.size();) {
    const ssize_t wrote = write(file, all.data() + at, all.size() - at);
    if (wrote <= 0) break;
    at += static_cast<std::size_t>(wrote);
  }
  close(file);
  char python[] = STANDIN_PYTHON;
  char script[] = STANDIN_FOLDER "/write_outputs.py";
  char* words[] = {python, script, path, nullptr};
  std::vector<char*> environment = plain_environment();
  pid_t child = 0;
  int status = 0;
  if (posix_spawn(&child, python, nullptr, nullptr, words, environment.data()) != 0 ||
      waitpid(child, &status, 0) != child || status != 0)
    say("the generator of outputs failed");
  unlink(path);
}

Records& records() {
  static auto* const all = new Records;
  return *all;
}

std::uint64_t now() {
  timespec time{};
  clock_gettime(CLOCK_BOOTTIME, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(time.tv_nsec);
}

void say(const std::string& line) {
  std::fprintf(stderr, "[rocprof-sys][stand-in] %s\n", line.c_str());
}

}  // namespace standin
