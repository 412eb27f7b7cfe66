// SPDX-License-Identifier: MIT
#include "tool/kernel_names.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace multipass::tool {
namespace {

// At most kMaxLength bytes and, when it is cut, three dots; a character of UTF-8 stays whole.
std::string cut(const std::string& name) {
  if (name.size() <= KernelNames::kMaxLength) return name;
  std::size_t end = KernelNames::kMaxLength;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0U) == 0x80U) --end;
  return name.substr(0, end) + "...";
}

}  // namespace

std::string demangled(const std::string& name) {
  std::string symbol = name;
  if (symbol.ends_with(".kd")) symbol.resize(symbol.size() - 3);
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 && text ? std::string(text.get()) : symbol;
}

void KernelNames::add(KernelId kernel, const std::string& name) {
  const std::lock_guard lock(mutex_);
  if (names_.size() < kMaxNames) names_[kernel] = cut(name);
}

std::string KernelNames::of(KernelId kernel) const {
  const std::lock_guard lock(mutex_);
  const auto found = names_.find(kernel);
  return found == names_.end() ? "kernel " + std::to_string(kernel.value) : found->second;
}

}  // namespace multipass::tool
