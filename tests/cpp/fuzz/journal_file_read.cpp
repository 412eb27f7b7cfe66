// SPDX-License-Identifier: MIT
// Of any file, the reader gives the frames that the rule of docs/formats/journal.md gives to one who holds all of it in
// memory, and tells the damage by the byte.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fuzz/journal_file.hpp"
#include "journal/format.hpp"
#include "journal/reader.hpp"

namespace {

using namespace multipass;           // NOLINT(google-build-using-namespace): one short file
using namespace multipass::journal;  // NOLINT(google-build-using-namespace)

struct Content {
  std::vector<std::string> frames;
  Damage damage;
};

void take(std::string_view payload, std::size_t at, Content& content) {
  const Result<Frame> frame = decode(payload);
  if (frame && std::holds_alternative<UnknownFrame>(*frame)) return;
  if (frame) return content.frames.push_back(fuzz::encode_frame(*frame));
  if (content.damage.none()) content.damage.first_offset = at;
  ++content.damage.malformed_frames;
}

Content by_the_rule(std::string_view file) {
  Content content;
  for (std::size_t at = kFileHeaderSize; at < file.size();) {
    const std::string_view rest = file.substr(at);
    const auto head = head_of(rest);
    const bool is_there = head && rest.size() - kFrameHeaderSize >= head->length;
    const std::string_view payload = is_there ? rest.substr(kFrameHeaderSize, head->length) : std::string_view{};
    std::size_t end = is_there ? at + kFrameHeaderSize + head->length : file.find(kFrameMagic, at + 1);
    if (end == std::string_view::npos) end = file.size();
    if (is_there && crc32(payload) == head->crc) {
      take(payload, at, content);
    } else {
      if (content.damage.none()) content.damage.first_offset = at;
      content.damage.skipped_bytes += end - at;
    }
    at = end;
  }
  return content;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  return fuzz::mutate_journal(data, size, most, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::MemoryFile memory;
  const std::string_view file(reinterpret_cast<const char*>(data), size);
  memory.set(file);
  Result<JournalReader> reader = JournalReader::open(memory.path());
  if (!reader) return 0;
  const Content expected = by_the_rule(file);
  std::size_t count = 0;
  while (const Frame* frame = reader->next())
    fuzz::require(count < expected.frames.size() && fuzz::encode_frame(*frame) == expected.frames[count++]);
  fuzz::require(count == expected.frames.size());
  fuzz::require(reader->damage().skipped_bytes == expected.damage.skipped_bytes);
  fuzz::require(reader->damage().malformed_frames == expected.damage.malformed_frames);
  fuzz::require(reader->damage().first_offset == expected.damage.first_offset);
  return 0;
}
