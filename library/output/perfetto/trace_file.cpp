// SPDX-License-Identifier: MIT
#include "output/perfetto/trace_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/temporary_name.hpp"
#include "output/file_system.hpp"

namespace multipass::output::perfetto {
namespace {

Status not_open(const std::filesystem::path& target) {
  return Status::error("internal: " + target.string() + " is not open");
}

}  // namespace

TraceFile::TraceFile(std::filesystem::path target)
    : target_(std::move(target)), temporary_(temporary_name(target_.string())) {}

TraceFile::~TraceFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (exists_) ::unlink(temporary_.c_str());
}

Status TraceFile::open() {
  // A leftover of that name is of a dead process with our pid: nobody else uses it.
  descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (descriptor_ < 0) return system_error(temporary_, "cannot create the trace", errno);
  exists_ = true;
  buffer_.reserve(2 * kBufferBytes);
  return Status::ok();
}

Status TraceFile::append(std::string_view bytes) {
  if (descriptor_ < 0) return not_open(target_);
  buffer_.append(bytes);
  return put();
}

Status TraceFile::flush() {
  if (descriptor_ < 0) return not_open(target_);
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ::ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return system_error(temporary_, "cannot write the trace", errno);
    }
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  flushed_ += buffer_.size();
  buffer_.clear();
  return Status::ok();
}

Status TraceFile::commit() {
  if (Status status = flush(); !status) return status;
  if (Status status = sync_file(descriptor_, temporary_); !status) return status;
  // Network file systems report some write errors only here; the descriptor is gone either way.
  if (::close(std::exchange(descriptor_, -1)) != 0) return system_error(temporary_, "cannot close the trace", errno);
  if (Status status = rename_file(temporary_, target_); !status) return status;
  exists_ = false;
  return sync_folder(folder_of(target_));
}

}  // namespace multipass::output::perfetto
