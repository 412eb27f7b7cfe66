// SPDX-License-Identifier: MIT
//
// Capture files for the fuzzer: a mutator that gets behind the checksums of the frames, and a file in memory to read
// them from. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "journal/decode.hpp"

namespace multipass::fuzz {

// Changes the capture in `data` in place: bytes anywhere, or the payload of one frame with its checksums made right
// again, or frames as a whole (again, elsewhere, away, inside another). What is no capture becomes a sample of each
// frame first. Returns the new size, `most` at most.
std::size_t mutate_journal(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed);

[[nodiscard]] std::string encode_frame(const journal::Frame& frame);

// Aborts, which is how a fuzz target reports a finding.
void require(bool holds);

// A file whose content is set again and again.
class MemoryFile final {
 public:
  MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile();

  void set(std::string_view content) const;
  [[nodiscard]] std::string path() const;

 private:
  const int fd_;
};

}  // namespace multipass::fuzz
