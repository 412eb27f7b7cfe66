// SPDX-License-Identifier: MIT
// Of any capture, the exporter makes outputs or says why not, and leaves nothing half-written.
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "apps/export/export.hpp"
#include "fuzz/journal_file.hpp"

namespace {

namespace fs = std::filesystem;
using namespace multipass;  // NOLINT(google-build-using-namespace): one short file

// A folder that goes away with the program.
struct Folder {
  fs::path path;
  Folder() {
    std::string name = (fs::temp_directory_path() / "fuzz-export-XXXXXX").string();
    fuzz::require(::mkdtemp(name.data()) != nullptr);
    path = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code error;
    fs::remove_all(path, error);
  }
};

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  return fuzz::mutate_journal(data, size, most, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::MemoryFile memory;
  static const Folder folder;
  memory.set({reinterpret_cast<const char*>(data), size});
  const apps::ExportResult result = apps::export_journal({memory.path(), folder.path, {"perfetto", "rocpd"}});
  fuzz::require(!result.written.empty() || !result.errors.empty());
  for (const fs::directory_entry& entry : fs::directory_iterator(folder.path)) {
    fuzz::require(std::find(result.written.begin(), result.written.end(), entry.path()) != result.written.end());
    fs::remove(entry.path());
  }
  return 0;
}
