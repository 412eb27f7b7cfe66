// SPDX-License-Identifier: MIT
#include "sim/hip/elf_symbols.hpp"

#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <vector>

namespace multipass_sim {
namespace {

struct Range {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  [[nodiscard]] bool holds(std::uintptr_t address, std::size_t size) const {
    return address >= begin && address < end && size <= end - address;
  }
};

struct Module {
  std::uintptr_t wanted = 0;
  bool found = false;
  std::uintptr_t bias = 0;
  std::string path;
  std::vector<Range> writable;
  Range read_only_after_relocation;
};

int look_at(dl_phdr_info* info, std::size_t /*size*/, void* argument) {
  auto& module = *static_cast<Module*>(argument);
  Module candidate;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    const Range range{info->dlpi_addr + segment.p_vaddr, info->dlpi_addr + segment.p_vaddr + segment.p_memsz};
    if (segment.p_type == PT_GNU_RELRO) candidate.read_only_after_relocation = range;
    if (segment.p_type != PT_LOAD) continue;
    if ((segment.p_flags & PF_W) != 0) candidate.writable.push_back(range);
    candidate.found = candidate.found || range.holds(module.wanted, 0);
  }
  if (!candidate.found) return 0;
  candidate.wanted = module.wanted;
  candidate.bias = info->dlpi_addr;
  candidate.path = info->dlpi_name != nullptr && *info->dlpi_name != '\0' ? info->dlpi_name : "/proc/self/exe";
  module = candidate;
  return 1;
}

// A file mapped for reading; no bytes when it cannot be.
class MappedFile final {
 public:
  explicit MappedFile(const char* path) {
    const int file = ::open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    struct stat status{};
    if (::fstat(file, &status) == 0 && status.st_size > 0) {
      size_ = static_cast<std::size_t>(status.st_size);
      bytes_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
    }
    ::close(file);
  }
  ~MappedFile() {
    if (bytes_ != MAP_FAILED) ::munmap(bytes_, size_);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  // `count` objects at an offset; null when they are not all in the file.
  template <class T>
  [[nodiscard]] const T* at(std::size_t offset, std::size_t count = 1) const {
    if (bytes_ == MAP_FAILED || offset > size_ || count > (size_ - offset) / sizeof(T)) return nullptr;
    return reinterpret_cast<const T*>(static_cast<const char*>(bytes_) + offset);
  }

  // The text at an offset of a string table, which ends with a zero byte there.
  [[nodiscard]] std::string_view text(const ElfW(Shdr) & table, std::size_t offset) const {
    if (offset >= table.sh_size) return {};
    const char* const begin = at<char>(table.sh_offset + offset, table.sh_size - offset);
    return begin == nullptr ? std::string_view() : std::string_view(begin, ::strnlen(begin, table.sh_size - offset));
  }

 private:
  void* bytes_ = MAP_FAILED;
  std::size_t size_ = 0;
};

// The full table, or else that of exported symbols.
const ElfW(Shdr) * symbol_table(const ElfW(Shdr) * sections, std::size_t count) {
  const ElfW(Shdr)* exported = nullptr;
  for (std::size_t i = 0; i < count; ++i) {
    if (sections[i].sh_type == SHT_SYMTAB) return &sections[i];
    if (sections[i].sh_type == SHT_DYNSYM) exported = &sections[i];
  }
  return exported;
}

}  // namespace

std::uintptr_t module_number(const void* address) noexcept {
  Module module;
  module.wanted = reinterpret_cast<std::uintptr_t>(address);
  ::dl_iterate_phdr(&look_at, &module);
  return module.found ? module.bias + 1 : 0;  // an executable may be loaded at 0
}

void visit_symbols(const void* address, const std::function<void(const ElfSymbol&)>& visitor) {
  Module module;
  module.wanted = reinterpret_cast<std::uintptr_t>(address);
  ::dl_iterate_phdr(&look_at, &module);
  if (!module.found) return;
  const MappedFile file(module.path.c_str());
  const auto* const header = file.at<ElfW(Ehdr)>(0);
  if (header == nullptr || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return;
  const auto* const sections = file.at<ElfW(Shdr)>(header->e_shoff, header->e_shnum);
  if (sections == nullptr) return;
  const auto* const table = symbol_table(sections, header->e_shnum);
  if (table == nullptr || table->sh_link >= header->e_shnum) return;
  const std::size_t count = table->sh_size / sizeof(ElfW(Sym));
  const auto* const symbols = file.at<ElfW(Sym)>(table->sh_offset, count);
  if (symbols == nullptr) return;
  for (std::size_t i = 0; i < count; ++i) {
    const auto& symbol = symbols[i];
    const unsigned type = symbol.st_info & 0xFU;
    if (symbol.st_shndx == SHN_UNDEF || (type != STT_OBJECT && type != STT_FUNC)) continue;
    ElfSymbol found;
    found.name = file.text(sections[table->sh_link], symbol.st_name);
    found.address = module.bias + symbol.st_value;
    found.size = symbol.st_size;
    found.is_function = type == STT_FUNC;
    if (!module.read_only_after_relocation.holds(found.address, 0)) {
      for (const Range& range : module.writable) found.is_writable |= range.holds(found.address, found.size);
    }
    visitor(found);
  }
}

}  // namespace multipass_sim
