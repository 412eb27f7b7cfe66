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

// Some file systems cannot sync (EINVAL, ENOTSUP); every other reason means that bytes may be lost.
Status sync(int descriptor, const std::filesystem::path& path) {
  if (::fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP) return Status::ok();
  return failure("cannot sync", path, errno);
}

// So that a new name is on the disk, too.
Status sync_folder_of(const std::filesystem::path& file) {
  const std::filesystem::path parent = file.parent_path();
  const std::filesystem::path folder = parent.empty() ? "." : parent;
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  // One that may be written to and not read cannot be opened, and the trace is there all the same.
  if (descriptor < 0) return errno == EACCES ? Status::ok() : failure("cannot open", folder, errno);
  Status status = sync(descriptor, folder);
  ::close(descriptor);
  return status;
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
  if (Status status = sync(descriptor_, temporary_); !status) return status;
  // Network file systems report some write errors only here; the descriptor is gone either way.
  if (::close(std::exchange(descriptor_, -1)) != 0) return failure("cannot close", temporary_, errno);
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
    const int code = errno;
    return failure(("cannot rename " + temporary_.string() + " to").c_str(), target_, code);
  }
  exists_ = false;
  return sync_folder_of(target_);
}

}  // namespace multipass::output::perfetto
