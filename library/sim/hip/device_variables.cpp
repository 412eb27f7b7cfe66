// SPDX-License-Identifier: MIT
#include "sim/hip/device_variables.hpp"

#include "sim/hip/elf_symbols.hpp"

namespace multipass_sim {
namespace {

bool has(std::string_view text, std::string_view part) noexcept {
  return text.find(part) != std::string_view::npos;
}

}  // namespace

int kind_of_variable(std::string_view mangled) noexcept {
  // _ZZ: local to a function. _ZG, _ZT: made by the compiler (guards, tables of types).
  for (const std::string_view other : {"_ZZ", "_ZG", "_ZT"}) {
    if (mangled.substr(0, other.size()) == other) return 0;
  }
  if (mangled.substr(0, 2) != "_Z") return 0;
  if (has(mangled, "B11__managed__")) return MULTIPASS_SIM_MEMORY_MANAGED;
  const bool tagged = has(mangled, "B10__device__") || has(mangled, "B12__constant__");
  return tagged ? MULTIPASS_SIM_MEMORY_VARIABLE : 0;
}

std::vector<DeviceVariables::Managed> DeviceVariables::learn(const void* kernel, std::uint32_t device,
                                                             Allocations& allocations) {
  std::vector<Managed> managed;
  const std::lock_guard lock(mutex_);
  if (!kernels_.insert(kernel).second || !modules_.insert(module_number(kernel)).second) return managed;
  visit_symbols(kernel, [&](const ElfSymbol& symbol) {
    if (symbol.is_function || !symbol.is_writable || symbol.size == 0) return;
    const int kind = kind_of_variable(symbol.name);
    if (kind == 0) return;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): where the variable was loaded
    auto* const address = reinterpret_cast<void*>(symbol.address);
    allocations.add_variable(device, address, symbol.size, kind);
    if (kind == MULTIPASS_SIM_MEMORY_MANAGED) managed.push_back({address, symbol.size});
  });
  return managed;
}

}  // namespace multipass_sim
