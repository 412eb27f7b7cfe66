// SPDX-License-Identifier: MIT
//
// The symbol table of a module (executable or shared library) of this process, read from its file. A stripped file has
// only what it exports. Any thread. Failures: no symbols. Costs one pass over the file's table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

namespace multipass_sim {

struct ElfSymbol {
  std::string_view name;  // mangled; valid during the visit
  std::uintptr_t address = 0;
  std::size_t size = 0;
  bool is_function = false;
  bool is_writable = false;  // a variable that may be written once relocations are done
};

// A number that the addresses of one module share; 0 for an address in none.
[[nodiscard]] std::uintptr_t module_number(const void* address) noexcept;

// Visits functions and variables that the module of `address` defines; none of thread-local storage.
void visit_symbols(const void* address, const std::function<void(const ElfSymbol&)>& visitor);

}  // namespace multipass_sim
