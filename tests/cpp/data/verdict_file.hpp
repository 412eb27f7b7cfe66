// SPDX-License-Identifier: MIT
//
// tests/data/verdicts/<arch>.txt: what rocprofiler-sdk 1.0.0 and aqlprofile (ROCm/rocm-systems @1b1610fc, no GPU) said
// of 1500 requests. The form is in the head of each file. Errors: std::runtime_error that names the file and the line.
#pragma once

#include <cstddef>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace multipass::test_data {

struct VerdictLine {
  int status = 0;   // of rocprofiler_create_counter_config: 0 or 38
  int packets = 0;  // of building the command packets: 0, 4096 refused, -6 ended the process; kNotTried
  std::vector<std::string> counters;

  static constexpr int kNotTried = -1;
  [[nodiscard]] bool accepted() const { return status == 0; }
  [[nodiscard]] bool works() const { return status == 0 && packets == 0; }
};

struct VerdictFile {
  std::vector<std::string> names;  // every counter of the architecture, constants too
  std::vector<VerdictLine> lines;
};

namespace verdict_file_detail {

class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path), stream_(path) {
    if (!stream_) fail("cannot be opened");
  }

  [[noreturn]] void fail(const std::string& what) const { throw std::runtime_error(path_ + ": " + what); }

  std::string line() {
    std::string text;
    do {
      if (!std::getline(stream_, text)) fail("ends too early");
    } while (text.starts_with('#'));
    return text;
  }

  std::size_t count(const std::string& word) {
    const std::string text = line();
    std::istringstream words(text);
    std::string found;
    std::size_t number = 0;
    if (!(words >> found >> number) || found != word) fail("expected \"" + word + " N\", found \"" + text + "\"");
    return number;
  }

  VerdictLine verdict(const std::vector<std::string>& names) {
    const std::string text = line();
    std::istringstream words(text);
    VerdictLine verdict;
    std::string packets;
    if (!(words >> verdict.status >> packets)) fail("expected a verdict, found \"" + text + "\"");
    if ((verdict.status == 0) == (packets == "-")) fail("packets do not go with the status: \"" + text + "\"");
    verdict.packets = packets == "-" ? VerdictLine::kNotTried : std::stoi(packets);
    for (std::size_t index = 0; words >> index;) verdict.counters.push_back(names.at(index));
    return verdict;
  }

 private:
  std::string path_;
  std::ifstream stream_;
};

}  // namespace verdict_file_detail

inline VerdictFile read_verdict_file(const std::string& arch) {
  verdict_file_detail::Reader reader(std::string(MULTIPASS_TEST_DATA) + "/verdicts/" + arch + ".txt");
  VerdictFile file;
  file.names.resize(reader.count("names"));
  for (std::string& name : file.names) name = reader.line();
  file.lines.resize(reader.count("requests"));
  for (VerdictLine& line : file.lines) line = reader.verdict(file.names);
  return file;
}

}  // namespace multipass::test_data
