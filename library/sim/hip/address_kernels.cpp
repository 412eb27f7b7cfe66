// SPDX-License-Identifier: MIT
#include "sim/hip/address_kernels.hpp"

#include <cxxabi.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "sim/hip/elf_symbols.hpp"
#include "sim/hip/message.hpp"

namespace multipass_sim {
namespace {

constexpr std::size_t kIntegerRegisters = 6;
constexpr std::size_t kRealRegisters = 8;
constexpr std::size_t kStackPlaces = 24;

// Arguments where the callee expects them. All registers and all places are filled; a callee looks at its own only.
struct PlacedArguments {
  const void* function = nullptr;
  std::array<std::uint64_t, kIntegerRegisters> integers{};
  std::array<double, kRealRegisters> reals{};
  std::array<std::uint64_t, kStackPlaces> stack{};
};

void call(const void* argument) {
  const auto& a = *static_cast<const PlacedArguments*>(argument);
  const auto& i = a.integers;
  const auto& r = a.reals;
  const auto& s = a.stack;
  using U = std::uint64_t;
  using Function = void (*)(U, U, U, U, U, U, double, double, double, double, double, double, double, double, U, U, U,
                            U, U, U, U, U, U, U, U, U, U, U, U, U, U, U, U, U, U, U, U, U);
  const auto function = reinterpret_cast<Function>(const_cast<void*>(a.function));
  function(i[0], i[1], i[2], i[3], i[4], i[5], r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], s[0], s[1], s[2], s[3],
           s[4], s[5], s[6], s[7], s[8], s[9], s[10], s[11], s[12], s[13], s[14], s[15], s[16], s[17], s[18], s[19],
           s[20], s[21], s[22], s[23]);
}

std::uint64_t read_extended(const void* value, const KernelParameter& parameter) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, value, parameter.size);
  const auto unused = static_cast<unsigned>(8 * (sizeof(bits) - parameter.size));
  if (!parameter.is_signed || unused == 0) return bits;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << unused) >> unused);
}

// False: more arguments than places.
bool place(PlacedArguments& placed, const std::vector<KernelParameter>& parameters, void* const* arguments) {
  std::size_t integers = 0;
  std::size_t reals = 0;
  std::size_t stack = 0;
  for (std::size_t at = 0; at < parameters.size(); ++at) {
    const std::uint64_t bits = read_extended(arguments[at], parameters[at]);
    if (parameters[at].is_real && reals < placed.reals.size()) {
      std::memcpy(&placed.reals[reals++], &bits, sizeof(bits));
    } else if (!parameters[at].is_real && integers < placed.integers.size()) {
      placed.integers[integers++] = bits;
    } else if (stack < placed.stack.size()) {
      placed.stack[stack++] = bits;
    } else {
      return false;
    }
  }
  return true;
}

std::optional<KernelParameter> parameter_of(std::string_view type) {
  struct Known {
    std::string_view name;
    KernelParameter parameter;
  };
  static constexpr Known kKnown[] = {
      {"int", {4, true, false}},         {"unsigned int", {4, false, false}},
      {"long", {8, true, false}},        {"unsigned long", {8, false, false}},
      {"long long", {8, true, false}},   {"unsigned long long", {8, false, false}},
      {"short", {2, true, false}},       {"unsigned short", {2, false, false}},
      {"char", {1, true, false}},        {"unsigned char", {1, false, false}},
      {"signed char", {1, true, false}}, {"bool", {1, false, false}},
      {"float", {4, false, true}},       {"double", {8, false, true}},
  };
  if (!type.empty() && type.back() == '*') return KernelParameter{8, false, false};
  if (type.find("(*)") != std::string_view::npos) return KernelParameter{8, false, false};
  for (const Known& known : kKnown) {
    if (type == known.name) return known.parameter;
  }
  return std::nullopt;
}

// Where the parenthesis opens that the last character closes; npos: there is none.
std::size_t opening(std::string_view text) {
  int depth = 0;
  for (std::size_t at = text.size(); at-- > 0;) {
    if (text[at] == ')') ++depth;
    if (text[at] == '(' && --depth == 0) return at;
  }
  return std::string_view::npos;
}

std::string demangle(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status),
                                                    &std::free);
  return status == 0 && text != nullptr ? text.get() : "";
}

std::size_t segment_size(const std::vector<KernelParameter>& parameters) {
  std::size_t offset = 0;
  for (const KernelParameter& parameter : parameters) offset = append_argument(offset, parameter.size, parameter.size);
  return offset;
}

}  // namespace

std::optional<std::vector<KernelParameter>> kernel_parameters(std::string_view demangled) {
  const std::size_t open = opening(demangled);
  if (demangled.empty() || demangled.back() != ')' || open == std::string_view::npos) return std::nullopt;
  std::string_view list = demangled.substr(open + 1, demangled.size() - open - 2);
  std::vector<KernelParameter> parameters;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= list.size() && !list.empty(); ++at) {
    const char c = at < list.size() ? list[at] : ',';
    if (c == '(' || c == '<' || c == '[') ++depth;
    if (c == ')' || c == '>' || c == ']') --depth;
    if (c != ',' || depth != 0) continue;
    const std::optional<KernelParameter> parameter = parameter_of(list.substr(begin, at - begin));
    if (!parameter) return std::nullopt;
    parameters.push_back(*parameter);
    begin = at + 2;  // ", "
  }
  return parameters;
}

const AddressKernel& AddressKernels::find(const void* function) {
  const std::lock_guard lock(mutex_);
  auto& known = kernels_[function];
  if (known != nullptr) return *known;
  auto kernel = std::make_unique<AddressKernel>();
  visit_symbols(function, [&](const ElfSymbol& symbol) {
    if (symbol.is_function && symbol.address == reinterpret_cast<std::uintptr_t>(function))
      kernel->symbol = symbol.name;
  });
  kernel->parameters = kernel_parameters(demangle(kernel->symbol));
  known = std::move(kernel);
  return *known;
}

std::optional<KernelLaunch> AddressKernels::describe(const void* function, void* const* arguments) {
  const AddressKernel& kernel = find(function);
  if (kernel.symbol.empty()) {
    print_message("a kernel's address is in no symbol table: do not strip the file, or launch with hipLaunchKernelGGL");
    return std::nullopt;
  }
  auto placed = std::make_unique<PlacedArguments>();
  placed->function = function;
#if defined(__x86_64__)
  const bool callable = kernel.parameters && (kernel.parameters->empty() || arguments != nullptr) &&
                        place(*placed, *kernel.parameters, arguments);
#else
  const bool callable = false;
  static_cast<void>(arguments);
#endif
  if (!callable) {
    print_message(
        "kernel " + kernel.symbol +
        " cannot be called by its address (it is extern \"C\", its parameters are not all numbers and pointers, or "
        "there are no arguments): launch it with hipLaunchKernelGGL");
    return std::nullopt;
  }
  const auto destroy = [](void* owned) { delete static_cast<PlacedArguments*>(owned); };
  return KernelLaunch{function,
                      nullptr,
                      &call,
                      placed.release(),
                      destroy,
                      segment_size(*kernel.parameters),
                      kernel.parameters->size(),
                      kernel.symbol.c_str()};
}

}  // namespace multipass_sim
