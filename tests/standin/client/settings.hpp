// SPDX-License-Identifier: MIT
//
// Settings of the stand-in client, read once: the environment before the configuration files (settings.py reads those),
// as rocprof-sys does (docs/how-to/configuring-runtime-options.rst @1b1610fc). Whether a variable that is set but empty
// hides the file's value is not known upstream: STANDIN_EMPTY=loses lets the file win.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace standin {

// A part of ROCPROFSYS_ROCM_EVENTS: NAME, optional [digits], optional :device=digits.
struct Event {
  std::string token;
  std::string name;
  std::optional<unsigned long> device;
  bool good = true;  // of what `:device=` is followed by
};

class Settings {
 public:
  // Also exports what the files set and rocprof-sys does not know. Not thread-safe: it changes the environment.
  void read();

  [[nodiscard]] std::string text(const std::string& name, std::string_view otherwise = "") const;
  [[nodiscard]] bool is_on(const std::string& name, bool otherwise) const;

  // The counters wanted, in order, as the 2025 and 2026 tools split and read them.
  [[nodiscard]] std::vector<Event> events() const;

  [[nodiscard]] bool has_domain(std::string_view domain) const;

  // What the files said.
  [[nodiscard]] const std::map<std::string, std::string>& of_files() const { return files_; }

 private:
  std::map<std::string, std::string> files_;
};

std::vector<std::string> split(std::string_view text, std::string_view delimiters);

}  // namespace standin
