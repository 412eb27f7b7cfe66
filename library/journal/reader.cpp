// SPDX-License-Identifier: MIT
#include "journal/reader.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include "journal/format.hpp"

namespace multipass::journal {

Result<JournalReader> JournalReader::open(const std::string& path) {
  std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rbe"));
  if (!file)
    return Status::error(path + ": cannot be opened: " + std::error_code(errno, std::generic_category()).message());
  std::array<char, kFileHeaderSize> header{};
  const std::size_t got = std::fread(header.data(), 1, header.size(), file.get());
  if (std::ferror(file.get()) != 0)
    return Status::error(path + ": cannot be read: " + std::error_code(errno, std::generic_category()).message());
  if (got == 0) return Status::error(path + ": is empty: the process ended before it captured anything");
  if (got < header.size() || std::string_view(header.data(), kFileMagic.size()) != kFileMagic)
    return Status::error(path + ": is no capture file of rocprof-sys-multipass (it does not begin with " +
                         std::string(kFileMagic) + ")");
  const std::uint32_t version = read_u32(header.data() + kFileMagic.size());
  if (version != kVersion)
    return Status::error(path + ": has format version " + std::to_string(version) + ", this program reads version " +
                         std::to_string(kVersion) + "; use the version of rocprof-sys-multipass that wrote it");
  JournalReader reader(std::move(file));
  reader.loss_ = loss_in({header.data(), header.size()});
  return reader;
}

bool JournalReader::fill(std::size_t count) {
  if (buffer_.size() - position_ >= count) return true;
  if (ended_) return false;  // before anything is moved: each head in damage may ask for megabytes
  buffer_.erase(0, position_);
  position_ = 0;
  constexpr std::size_t kChunk = 256U << 10U;
  const std::size_t wanted = std::max(count, kChunk);
  while (buffer_.size() < count) {
    const std::size_t had = buffer_.size();
    // Grows by what is really there, so a made-up length cannot make us allocate it.
    const std::size_t step = std::min(wanted - had, kChunk);
    buffer_.resize(had + step);
    const std::size_t got = std::fread(buffer_.data() + had, 1, step, file_.get());
    buffer_.resize(had + got);
    if (got == 0) {
      ended_ = true;
      return false;
    }
  }
  return true;
}

void JournalReader::note(std::uint64_t skipped) {
  if (damage_.none()) damage_.first_offset = offset_;
  damage_.skipped_bytes += skipped;
  position_ += skipped;
  offset_ += skipped;
}

void JournalReader::skip_to_magic() {
  note(1);
  for (;;) {
    (void)fill(kFrameMagic.size());
    const std::string_view rest = std::string_view(buffer_).substr(position_);
    const std::size_t at = rest.find(kFrameMagic);
    if (at != std::string_view::npos) {
      if (at != 0) note(at);
      return;
    }
    const std::size_t keep = std::min(rest.size(), kFrameMagic.size() - 1);  // may begin a magic
    if (rest.size() > keep) note(rest.size() - keep);
    if (!fill(kFrameMagic.size())) {
      note(keep);
      return;
    }
  }
}

std::optional<Frame> JournalReader::next() {
  for (;;) {
    if (!fill(kFrameHeaderSize)) {
      if (buffer_.size() > position_) note(buffer_.size() - position_);
      return std::nullopt;
    }
    const std::optional<FrameHead> head = head_of(buffer_.data() + position_);
    if (!head || !fill(kFrameHeaderSize + head->length)) {
      skip_to_magic();
      continue;
    }
    const std::string_view payload(buffer_.data() + position_ + kFrameHeaderSize, head->length);
    if (crc32(payload) != head->crc) {
      note(kFrameHeaderSize + head->length);  // the length is right: what looks like a frame in there is none
      continue;
    }
    Result<Frame> frame = decode(payload);
    if (!frame) {
      if (damage_.none()) damage_.first_offset = offset_;
      if (damage_.malformed_frames++ == 0) damage_.first_message = frame.message();
    }
    position_ += kFrameHeaderSize + head->length;
    offset_ += kFrameHeaderSize + head->length;
    if (frame && !std::holds_alternative<UnknownFrame>(*frame)) return *std::move(frame);
  }
}

}  // namespace multipass::journal
