// SPDX-License-Identifier: MIT
#include "fuzz/journal_file.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <random>
#include <utility>
#include <variant>
#include <vector>

#include "journal/encode.hpp"
#include "journal/format.hpp"
#include "journal/samples.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace multipass::fuzz {
namespace {

using namespace journal;  // NOLINT(google-build-using-namespace): one short file

struct Encode {
  std::string operator()(const UnknownFrame&) const { return {}; }
  std::string operator()(const RunMetadata& run) const { return encode(run); }
  std::string operator()(const AgentFrame& frame) const { return encode(frame.agent, frame.counters, frame.plan); }
  std::string operator()(const KernelSymbol& kernel) const { return encode(kernel); }
  std::string operator()(const DispatchRecord& dispatch) const { return encode(dispatch); }
  std::string operator()(const WarningFrame& warning) const { return encode_warning(warning.text); }
  std::string operator()(const CheckpointFrame& checkpoint) const { return encode(checkpoint); }
  std::string operator()(const EndFrame& end) const { return encode_end(end.dispatches, end.end_ns); }
};

std::string sample_journal() {
  std::string file = file_header();
  AgentFrame agent = samples::agent();
  DispatchRecord second = samples::dispatch();
  second.dispatch_id = DispatchId{2};
  second.outcome = Outcome::kReplayed;
  second.passes = {{PassIndex{0}, GroupIndex{0}, 100, 200, {CounterIndex{0}}, {16}},
                   {PassIndex{1}, GroupIndex{1}, 300, 400, {CounterIndex{1}}, {0.5}}};
  for (const Frame& frame :
       std::vector<Frame>{samples::run(), agent, samples::kernel(), samples::dispatch(), second,
                          WarningFrame{"two queues overlapped"}, CheckpointFrame{2, 1, 0, 500}, EndFrame{2, 9000}})
    file += framed(encode_frame(frame));
  return file;
}

// The frames, by their lengths, whatever their checksums are; last, what is behind them.
std::vector<std::string> pieces_of(std::string_view file) {
  std::vector<std::string> pieces;
  std::size_t at = kFileHeaderSize;
  while (file.size() - at >= kFrameHeaderSize && file.substr(at).starts_with(kFrameMagic)) {
    const std::size_t length = read_u32(file.data() + at + kFrameMagic.size());
    if (length > file.size() - at - kFrameHeaderSize) break;
    pieces.emplace_back(file.substr(at, kFrameHeaderSize + length));
    at += kFrameHeaderSize + length;
  }
  pieces.emplace_back(file.substr(at));
  return pieces;
}

void mutate_bytes(std::string& bytes, std::size_t most) {
  const std::size_t size = bytes.size();
  bytes.resize(std::max(size, most));
  bytes.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(bytes.data()), size, most));
}

std::string payload_of(const std::string& frame) {
  return frame.substr(std::min(frame.size(), kFrameHeaderSize));
}

void mutate_pieces(std::vector<std::string>& pieces, std::size_t most, std::minstd_rand& random) {
  const auto any = [&random, &pieces] { return random() % pieces.size(); };
  std::string& one = pieces[any()];
  switch (random() % 10) {
    case 0:
      pieces.insert(pieces.begin() + static_cast<std::ptrdiff_t>(any()), std::string(one));
      break;
    case 1:
      std::swap(one, pieces[any()]);
      break;
    case 2:
      one.clear();
      break;
    case 3:  // a payload that spells a frame
      one = framed(payload_of(one) + pieces[any()]);
      break;
    case 4:
      one.resize(random() % (one.size() + 1));
      break;
    case 5:
      mutate_bytes(one, most);
      break;
    default: {
      std::string payload = payload_of(one);
      mutate_bytes(payload, most);
      one = framed(payload);
    }
  }
}

}  // namespace

std::size_t mutate_journal(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  std::minstd_rand random(seed);
  std::string file(reinterpret_cast<const char*>(data), size);
  if (file.size() < kFileHeaderSize || !file.starts_with(kFileMagic)) {
    file = sample_journal();
  } else if (random() % 8 == 0) {
    mutate_bytes(file, most);
  } else {
    std::vector<std::string> pieces = pieces_of(file);
    mutate_pieces(pieces, most, random);
    file.resize(kFileHeaderSize);
    for (const std::string& piece : pieces) file += piece;
  }
  file.resize(std::min(file.size(), most));
  std::memcpy(data, file.data(), file.size());
  return file.size();
}

std::string encode_frame(const Frame& frame) {
  return std::visit(Encode{}, frame);
}

void require(bool holds) {
  if (!holds) std::abort();
}

MemoryFile::MemoryFile() : fd_(::memfd_create("journal", MFD_CLOEXEC)) {
  require(fd_ >= 0);
}
MemoryFile::~MemoryFile() {
  ::close(fd_);
}

void MemoryFile::set(std::string_view content) const {
  require(::ftruncate(fd_, 0) == 0);
  require(::pwrite(fd_, content.data(), content.size(), 0) == static_cast<ssize_t>(content.size()));
}

std::string MemoryFile::path() const {
  return "/proc/self/fd/" + std::to_string(fd_);
}

}  // namespace multipass::fuzz
