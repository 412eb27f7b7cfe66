// SPDX-License-Identifier: MIT
#include "journal/reader.hpp"

#include <fcntl.h>

#include <algorithm>
#include <system_error>

namespace multipass::journal {
namespace {

std::string reason(int error) {
  return std::error_code(error, std::generic_category()).message();
}

// Why these first bytes, kFileHeaderSize or all that the file has, begin no journal of this version; empty: they do.
std::string fault_of(std::string_view header) {
  constexpr std::size_t kVersionEnd = kFileMagic.size() + sizeof kVersion;
  if (!kFileMagic.starts_with(header.substr(0, kFileMagic.size())))
    return "is no capture file of rocprof-sys-multipass (it does not begin with " + std::string(kFileMagic) + ")";
  if (header.size() >= kVersionEnd)
    if (const std::uint32_t version = read_u32(header.data() + kFileMagic.size()); version != kVersion)
      return "has format version " + std::to_string(version) + ", this program reads version " +
             std::to_string(kVersion) + "; use the version of rocprof-sys-multipass that wrote it";
  if (header.size() < kFileHeaderSize) return "is empty: the process ended before it captured anything";
  return {};
}

}  // namespace

Result<JournalReader> JournalReader::open(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return Status::error(path + ": cannot be opened: " + reason(errno));
  JournalReader reader{FileWindow(fd)};
  (void)reader.window_.fill(kFileHeaderSize);
  if (reader.window_.error() != 0) return Status::error(path + ": cannot be read: " + reason(reader.window_.error()));
  const std::string_view header = reader.window_.bytes().substr(0, kFileHeaderSize);
  if (const std::string fault = fault_of(header); !fault.empty()) return Status::error(path + ": " + fault);
  reader.loss_ = loss_in(header);
  reader.window_.advance(kFileHeaderSize);
  return reader;
}

void JournalReader::begin_damage() {
  if (!std::exchange(damaged_, true)) damage_.first_offset = window_.offset();
}

void JournalReader::skip(std::size_t count) {
  if (count == 0) return;
  begin_damage();
  damage_.skipped_bytes += count;
  window_.advance(count);
}

void JournalReader::skip_to_magic() {
  skip(1);
  while (window_.fill(kFrameMagic.size())) {
    const std::string_view rest = window_.bytes();
    const std::size_t at = rest.find(kFrameMagic);
    if (at != std::string_view::npos) return skip(at);
    skip(rest.size() - (kFrameMagic.size() - 1));  // the last ones may begin a magic
  }
  skip(window_.bytes().size());
}

// Of all frames in front of this one.
void JournalReader::compare(std::uint64_t dispatches) {
  if (dispatches > dispatches_)
    damage_.missing_dispatches = std::max(damage_.missing_dispatches, dispatches - dispatches_);
}

bool JournalReader::decode_next(std::string_view payload) {
  if (const Status status = decode_to(payload, frame_); !status) {
    begin_damage();
    if (damage_.malformed_frames++ == 0) damage_.first_message = status.message();
    return false;
  }
  if (std::holds_alternative<UnknownFrame>(frame_)) return false;
  if (std::holds_alternative<DispatchRecord>(frame_)) ++dispatches_;
  if (const auto* checkpoint = std::get_if<CheckpointFrame>(&frame_)) compare(checkpoint->dispatches);
  if (const auto* end = std::get_if<EndFrame>(&frame_)) compare(end->dispatches);
  return true;
}

std::optional<std::string_view> JournalReader::next_payload() {
  window_.advance(std::exchange(passed_, 0));
  while (window_.fill(kFrameHeaderSize)) {
    const std::optional<FrameHead> head = head_of(window_.bytes());
    if (!head || !window_.fill(kFrameHeaderSize + head->length)) {
      skip_to_magic();
      continue;
    }
    const std::size_t size = kFrameHeaderSize + head->length;
    const std::string_view payload = window_.bytes().substr(kFrameHeaderSize, head->length);
    if (crc32(payload) == head->crc) {
      passed_ = size;
      return payload;
    }
    skip(size);  // the length is right: what looks like a frame in there is none
  }
  skip(window_.bytes().size());
  damage_.read_error = window_.error();
  return std::nullopt;
}

Frame* JournalReader::next() {
  while (const std::optional<std::string_view> payload = next_payload())
    if (decode_next(*payload)) return &frame_;
  return nullptr;
}

std::vector<std::string> losses_of(const Damage& damage) {
  std::vector<std::string> texts;
  if (const std::uint64_t missing = damage.missing_dispatches; missing != 0)
    texts.push_back(std::to_string(missing) + (missing == 1 ? " dispatch was" : " dispatches were") +
                    " written and cannot be read: the checkpoints of the capture count " +
                    (missing == 1 ? "it" : "them"));
  if (damage.read_error != 0)
    texts.push_back("the capture can be read in part only: " + reason(damage.read_error) +
                    "; copy it from another machine or disk, and export the copy");
  return texts;
}

}  // namespace multipass::journal
