// SPDX-License-Identifier: MIT
//
// Module-scope `__device__`, `__constant__` and `__managed__` variables from the host. They are ordinary globals, one
// for all devices. The runtime knows a variable from the first launch of a kernel of its module (executable or shared
// library) on, if g++ compiled it and the file has its symbol table; else from the first call here that names it. It
// counts as memory of the device that was current then.
#pragma once

#include <cstddef>

#include "multipass/sim/errors.h"
#include "multipass/sim/handles.h"
#include "multipass/sim/memory_api.h"

namespace multipass_sim {
MULTIPASS_SIM_API hipError_t register_variable(void* address, std::size_t size) noexcept;

struct SymbolCopy {
  void* symbol;
  std::size_t symbol_size;
  void* other;  // written when `to_symbol` is false, else read
  std::size_t size;
  std::size_t offset;
  hipMemcpyKind kind;
  bool to_symbol;
};
MULTIPASS_SIM_API hipError_t copy_symbol(const SymbolCopy& copy, hipStream_t stream, bool wait) noexcept;

template <class T>
void* symbol_address(T& symbol) noexcept {
  return const_cast<void*>(static_cast<const volatile void*>(&symbol));
}
}  // namespace multipass_sim

#define HIP_SYMBOL(variable) variable

template <class T>
hipError_t hipGetSymbolAddress(void** address, T& symbol) {
  if (address == nullptr) return hipErrorInvalidValue;
  *address = multipass_sim::symbol_address(symbol);
  return multipass_sim::register_variable(*address, sizeof(T));
}

template <class T>
hipError_t hipGetSymbolSize(std::size_t* size, T& symbol) {
  if (size == nullptr) return hipErrorInvalidValue;
  *size = sizeof(T);
  return multipass_sim::register_variable(multipass_sim::symbol_address(symbol), sizeof(T));
}

template <class T>
hipError_t hipMemcpyToSymbol(T& symbol, const void* source, std::size_t size, std::size_t offset = 0,
                             hipMemcpyKind kind = hipMemcpyHostToDevice) {
  return multipass_sim::copy_symbol(
      {multipass_sim::symbol_address(symbol), sizeof(T), const_cast<void*>(source), size, offset, kind, true}, nullptr,
      true);
}

template <class T>
hipError_t hipMemcpyToSymbolAsync(T& symbol, const void* source, std::size_t size, std::size_t offset,
                                  hipMemcpyKind kind, hipStream_t stream = nullptr) {
  return multipass_sim::copy_symbol(
      {multipass_sim::symbol_address(symbol), sizeof(T), const_cast<void*>(source), size, offset, kind, true}, stream,
      false);
}

template <class T>
hipError_t hipMemcpyFromSymbol(void* destination, T& symbol, std::size_t size, std::size_t offset = 0,
                               hipMemcpyKind kind = hipMemcpyDeviceToHost) {
  return multipass_sim::copy_symbol(
      {multipass_sim::symbol_address(symbol), sizeof(T), destination, size, offset, kind, false}, nullptr, true);
}

template <class T>
hipError_t hipMemcpyFromSymbolAsync(void* destination, T& symbol, std::size_t size, std::size_t offset,
                                    hipMemcpyKind kind, hipStream_t stream = nullptr) {
  return multipass_sim::copy_symbol(
      {multipass_sim::symbol_address(symbol), sizeof(T), destination, size, offset, kind, false}, stream, false);
}
