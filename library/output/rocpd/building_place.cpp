// SPDX-License-Identifier: MIT
#include "output/rocpd/building_place.hpp"

#include <fcntl.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <system_error>

#include "base/environment.hpp"

namespace multipass::output::rocpd {
namespace {

// f_type of statfs(2); those that linux/magic.h lacks are of the file systems' own headers. FUSE may be local, but what
// is behind it (sshfs, object stores) mostly is not.
constexpr std::array<std::uint32_t, 14> kRemote{
    0x00006969,  // NFS
    0x0000517B,  // SMB
    0xFE534D42,  // SMB 2
    0xFF534D42,  // CIFS
    0x0BD00BD0,  // Lustre
    0x47504653,  // GPFS, Spectrum Scale
    0x19830326,  // BeeGFS
    0x00C36400,  // Ceph
    0xAAD7AAEA,  // PanFS
    0x20030528,  // OrangeFS
    0x5346414F,  // AFS
    0x73757245,  // Coda
    0x01021997,  // 9P: what a virtual machine has of its host
    0x65735546,  // FUSE
};

bool is_remote(int file) {
  struct statfs about{};
  if (::fstatfs(file, &about) != 0) return false;  // not known
  return std::find(kRemote.begin(), kRemote.end(), static_cast<std::uint32_t>(about.f_type)) != kRemote.end();
}

// As SQLite does it.
bool takes_locks(int file) {
  struct flock lock{};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_len = 1;
  if (::fcntl(file, F_SETLK, &lock) != 0) return false;
  lock.l_type = F_UNLCK;
  return ::fcntl(file, F_SETLK, &lock) == 0;
}

// 0 when it cannot be told.
std::uintmax_t room_in(const std::filesystem::path& folder) {
  std::error_code error;
  const std::filesystem::space_info space = std::filesystem::space(folder, error);
  return error ? 0 : space.available;
}

}  // namespace

LocalFile::~LocalFile() {
  if (named_) static_cast<void>(::unlink(path_.c_str()));  // best effort: nobody waits for it
}

Status LocalFile::remove_name() {
  if (::unlink(path_.c_str()) != 0) return system_error(path_, "cannot remove its name", errno);
  named_ = false;
  return Status::ok();
}

bool is_good_to_build_on(int file) {
  return !is_remote(file) && takes_locks(file);
}

std::unique_ptr<LocalFile> create_local_file(const std::string& name, const std::filesystem::path& other) {
  constexpr std::uintmax_t kRoom = std::uintmax_t{1} << 30U;
  const std::uintmax_t wanted = std::min(kRoom, room_in(other));
  for (const std::filesystem::path folder : {environment::get("TMPDIR").value_or(""), std::string("/tmp")}) {
    if (folder.empty() || room_in(folder) < wanted) continue;
    std::string path = (folder / (name + "-XXXXXX")).string();
    const int file = ::mkostemp(path.data(), O_CLOEXEC);
    if (file < 0) continue;
    auto local = std::make_unique<LocalFile>(file, path);
    if (is_good_to_build_on(file)) return local;
  }
  return nullptr;
}

}  // namespace multipass::output::rocpd
