// SPDX-License-Identifier: MIT
#include "output/perfetto/trace_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace multipass::output::perfetto {
namespace {

// `code` is an errno value; taken before anything else can change it.
Status failure(const char* what, const std::filesystem::path& path, int code) {
  return Status::error(std::string(what) + " " + path.string() + ": " + std::generic_category().message(code) +
                       " (errno " + std::to_string(code) + ")");
}

Status not_open(const std::filesystem::path& target) {
  return Status::error("internal: " + target.string() + " is not open");
}

std::filesystem::path temporary_of(const std::filesystem::path& target) {
  std::filesystem::path temporary = target;
  temporary += ".tmp-" + std::to_string(::getpid());
  return temporary;
}

}  // namespace

TraceFile::TraceFile(std::filesystem::path target) : target_(std::move(target)), temporary_(temporary_of(target_)) {}

TraceFile::~TraceFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (exists_) ::unlink(temporary_.c_str());
}

Status TraceFile::open() {
  // A leftover of that name is of a dead process with our pid: nobody else uses it.
  descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (descriptor_ < 0) return failure("cannot create", temporary_, errno);
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
      return failure("cannot write", temporary_, errno);
    }
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  flushed_ += buffer_.size();
  buffer_.clear();
  return Status::ok();
}

Status TraceFile::commit() {
  if (Status status = flush(); !status) return status;
  // Some file systems cannot sync (EINVAL, ENOTSUP); every other reason means that bytes may be lost.
  if (::fsync(descriptor_) != 0 && errno != EINVAL && errno != ENOTSUP)
    return failure("cannot sync", temporary_, errno);
  // Network file systems report some write errors only here; the descriptor is gone either way.
  if (::close(std::exchange(descriptor_, -1)) != 0) return failure("cannot close", temporary_, errno);
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
    const int code = errno;
    return failure(("cannot rename " + temporary_.string() + " to").c_str(), target_, code);
  }
  exists_ = false;
  return Status::ok();
}

}  // namespace multipass::output::perfetto
