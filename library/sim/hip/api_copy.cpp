// SPDX-License-Identifier: MIT
//
// Copies and fills.
#include <cstring>
#include <utility>

#include "sim/hip/api.hpp"
#include "sim/hip/memory_checks.hpp"

namespace multipass_sim {
namespace {

hipError_t copy(void* to, const void* from, std::size_t size, hipMemcpyKind kind, hipStream_t stream, bool wait) {
  return with_stream(stream, [&](Runtime& runtime, const StreamPtr& on) {
    if (size == 0) return hipSuccess;
    const CopyEnds ends{to, from, size, size};
    if (const hipError_t error = check_copy(runtime.allocations(), ends, kind); error != hipSuccess) return error;
    return runtime.perform(
        on, hipGraphNodeTypeMemcpy, [=] { std::memmove(to, from, size); }, wait,
        engine_copy(runtime.allocations(), ends, size));
  });
}

// Both rows have the same width and height.
hipError_t copy_rows(void* to, const void* from, const Rows& to_rows, const Rows& from_rows, hipMemcpyKind kind,
                     hipStream_t stream, bool wait) {
  return with_stream(stream, [&](Runtime& runtime, const StreamPtr& on) {
    if (to_rows.pitch < to_rows.width || from_rows.pitch < from_rows.width) return hipErrorInvalidPitchValue;
    if (to_rows.span() == 0) return hipSuccess;
    const CopyEnds ends{to, from, to_rows.span(), from_rows.span()};
    if (const hipError_t error = check_copy(runtime.allocations(), ends, kind); error != hipSuccess) return error;
    const auto work = [=] {
      for (std::size_t row = 0; row < to_rows.height; ++row) {
        std::memmove(static_cast<char*>(to) + row * to_rows.pitch,
                     static_cast<const char*>(from) + row * from_rows.pitch, to_rows.width);
      }
    };
    return runtime.perform(on, hipGraphNodeTypeMemcpy, work, wait,
                           engine_copy(runtime.allocations(), ends, to_rows.width * to_rows.height));
  });
}

hipError_t copy_peer(void* to, int to_device, const void* from, int from_device, std::size_t size, hipStream_t stream,
                     bool wait) {
  const hipError_t error = with_runtime([&](const Runtime& runtime) {
    const bool known = is_device(runtime, to_device) && is_device(runtime, from_device);
    return known ? hipSuccess : hipErrorInvalidDevice;
  });
  return error != hipSuccess ? error : copy(to, from, size, hipMemcpyDefault, stream, wait);
}

// As fill_work.
hipError_t fill(void* to, unsigned value, std::size_t unit, const Rows& rows, hipStream_t stream, bool wait) {
  return with_stream(stream, [&](Runtime& runtime, const StreamPtr& on) {
    if (rows.height > 1 && rows.pitch < rows.width) return hipErrorInvalidValue;
    if (rows.span() == 0) return hipSuccess;
    if (place_of(runtime.allocations(), to, rows.span()) != Place::kOurs) return hipErrorInvalidValue;
    return runtime.perform(on, hipGraphNodeTypeMemset, fill_work(to, value, unit, rows), wait);
  });
}

hipError_t fill_elements(void* to, unsigned value, std::size_t unit, std::size_t count, hipStream_t stream, bool wait) {
  if (count > SIZE_MAX / unit) return note(hipErrorInvalidValue);
  return fill(to, value, unit, {count * unit, 1, count * unit}, stream, wait);
}

}  // namespace

std::function<void()> fill_work(void* to, unsigned value, std::size_t unit, const Rows& rows) {
  return [=] {
    for (std::size_t row = 0; row < rows.height; ++row) {
      char* const begin = static_cast<char*>(to) + row * rows.pitch;
      if (unit == 1) {
        std::memset(begin, static_cast<int>(value & 0xFF), rows.width);
      } else {
        for (std::size_t at = 0; at < rows.width; at += unit) std::memcpy(begin + at, &value, unit);
      }
    }
  };
}

hipError_t copy_symbol(const SymbolCopy& asked, hipStream_t stream, bool wait) noexcept {
  if (const hipError_t error = register_variable(asked.symbol, asked.symbol_size); error != hipSuccess) return error;
  if (asked.offset > asked.symbol_size || asked.size > asked.symbol_size - asked.offset) {
    return note(hipErrorInvalidValue);
  }
  char* const device = static_cast<char*>(asked.symbol) + asked.offset;
  return asked.to_symbol ? copy(device, asked.other, asked.size, asked.kind, stream, wait)
                         : copy(asked.other, device, asked.size, asked.kind, stream, wait);
}

}  // namespace multipass_sim

using multipass_sim::copy;
using multipass_sim::fill;
using multipass_sim::fill_elements;

hipError_t hipMemcpy(void* destination, const void* source, std::size_t size, hipMemcpyKind kind) {
  return copy(destination, source, size, kind, nullptr, true);
}

hipError_t hipMemcpyAsync(void* destination, const void* source, std::size_t size, hipMemcpyKind kind,
                          hipStream_t stream) {
  return copy(destination, source, size, kind, stream, false);
}

hipError_t hipMemcpyWithStream(void* destination, const void* source, std::size_t size, hipMemcpyKind kind,
                               hipStream_t stream) {
  return copy(destination, source, size, kind, stream, true);
}

hipError_t hipMemcpyHtoD(hipDeviceptr_t destination, const void* source, std::size_t size) {
  return copy(destination, source, size, hipMemcpyHostToDevice, nullptr, true);
}

hipError_t hipMemcpyDtoH(void* destination, hipDeviceptr_t source, std::size_t size) {
  return copy(destination, source, size, hipMemcpyDeviceToHost, nullptr, true);
}

hipError_t hipMemcpyDtoD(hipDeviceptr_t destination, hipDeviceptr_t source, std::size_t size) {
  return copy(destination, source, size, hipMemcpyDeviceToDevice, nullptr, true);
}

hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t destination, const void* source, std::size_t size, hipStream_t stream) {
  return copy(destination, source, size, hipMemcpyHostToDevice, stream, false);
}

hipError_t hipMemcpyDtoHAsync(void* destination, hipDeviceptr_t source, std::size_t size, hipStream_t stream) {
  return copy(destination, source, size, hipMemcpyDeviceToHost, stream, false);
}

hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t destination, hipDeviceptr_t source, std::size_t size, hipStream_t stream) {
  return copy(destination, source, size, hipMemcpyDeviceToDevice, stream, false);
}

hipError_t hipMemcpyPeer(void* destination, int destination_device, const void* source, int source_device,
                         std::size_t size) {
  return multipass_sim::copy_peer(destination, destination_device, source, source_device, size, nullptr, true);
}

hipError_t hipMemcpyPeerAsync(void* destination, int destination_device, const void* source, int source_device,
                              std::size_t size, hipStream_t stream) {
  return multipass_sim::copy_peer(destination, destination_device, source, source_device, size, stream, false);
}

hipError_t hipMemcpy2D(void* destination, std::size_t destination_pitch, const void* source, std::size_t source_pitch,
                       std::size_t width, std::size_t height, hipMemcpyKind kind) {
  return multipass_sim::copy_rows(destination, source, {width, height, destination_pitch},
                                  {width, height, source_pitch}, kind, nullptr, true);
}

hipError_t hipMemcpy2DAsync(void* destination, std::size_t destination_pitch, const void* source,
                            std::size_t source_pitch, std::size_t width, std::size_t height, hipMemcpyKind kind,
                            hipStream_t stream) {
  return multipass_sim::copy_rows(destination, source, {width, height, destination_pitch},
                                  {width, height, source_pitch}, kind, stream, false);
}

hipError_t hipMemset(void* destination, int value, std::size_t size) {
  return fill_elements(destination, static_cast<unsigned>(value), 1, size, nullptr, true);
}

hipError_t hipMemsetAsync(void* destination, int value, std::size_t size, hipStream_t stream) {
  return fill_elements(destination, static_cast<unsigned>(value), 1, size, stream, false);
}

hipError_t hipMemset2D(void* destination, std::size_t pitch, int value, std::size_t width, std::size_t height) {
  return fill(destination, static_cast<unsigned>(value), 1, {width, height, pitch}, nullptr, true);
}

hipError_t hipMemset2DAsync(void* destination, std::size_t pitch, int value, std::size_t width, std::size_t height,
                            hipStream_t stream) {
  return fill(destination, static_cast<unsigned>(value), 1, {width, height, pitch}, stream, false);
}

hipError_t hipMemsetD8(hipDeviceptr_t destination, unsigned char value, std::size_t count) {
  return fill_elements(destination, value, 1, count, nullptr, true);
}

hipError_t hipMemsetD16(hipDeviceptr_t destination, unsigned short value, std::size_t count) {
  return fill_elements(destination, value, 2, count, nullptr, true);
}

hipError_t hipMemsetD32(hipDeviceptr_t destination, int value, std::size_t count) {
  return fill_elements(destination, static_cast<unsigned>(value), 4, count, nullptr, true);
}

hipError_t hipMemsetD8Async(hipDeviceptr_t destination, unsigned char value, std::size_t count, hipStream_t stream) {
  return fill_elements(destination, value, 1, count, stream, false);
}

hipError_t hipMemsetD16Async(hipDeviceptr_t destination, unsigned short value, std::size_t count, hipStream_t stream) {
  return fill_elements(destination, value, 2, count, stream, false);
}

hipError_t hipMemsetD32Async(hipDeviceptr_t destination, int value, std::size_t count, hipStream_t stream) {
  return fill_elements(destination, static_cast<unsigned>(value), 4, count, stream, false);
}
