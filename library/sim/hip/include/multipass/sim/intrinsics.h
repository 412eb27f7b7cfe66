// SPDX-License-Identifier: MIT
//
// What kernels call without an include of their own: the C mathematics, min and max, and those device functions that
// mean the same on the CPU. Fast versions (__expf) are as exact here as the plain ones, so a GPU gives other last bits.
// None of them states an operation to the counters.
#pragma once

#include <math.h>  // not <cmath>: kernels use the names without std::

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace multipass_sim {

template <class T>
constexpr T smaller(T a, T b) noexcept {
  return b < a ? b : a;
}
template <class T>
constexpr T larger(T a, T b) noexcept {
  return a < b ? b : a;
}

template <class To, class From>
inline To same_bits(From value) noexcept {
  static_assert(sizeof(To) == sizeof(From), "the types have equal sizes");
  To bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

}  // namespace multipass_sim

// No templates: beside `using namespace std` these would be as good as std::min, and the call ambiguous.
constexpr int min(int a, int b) noexcept {
  return multipass_sim::smaller(a, b);
}
constexpr unsigned int min(unsigned int a, unsigned int b) noexcept {
  return multipass_sim::smaller(a, b);
}
constexpr long min(long a, long b) noexcept {
  return multipass_sim::smaller(a, b);
}
constexpr unsigned long min(unsigned long a, unsigned long b) noexcept {
  return multipass_sim::smaller(a, b);
}
constexpr long long min(long long a, long long b) noexcept {
  return multipass_sim::smaller(a, b);
}
constexpr unsigned long long min(unsigned long long a, unsigned long long b) noexcept {
  return multipass_sim::smaller(a, b);
}
inline float min(float a, float b) noexcept {
  return ::fminf(a, b);
}
inline double min(double a, double b) noexcept {
  return ::fmin(a, b);
}

constexpr int max(int a, int b) noexcept {
  return multipass_sim::larger(a, b);
}
constexpr unsigned int max(unsigned int a, unsigned int b) noexcept {
  return multipass_sim::larger(a, b);
}
constexpr long max(long a, long b) noexcept {
  return multipass_sim::larger(a, b);
}
constexpr unsigned long max(unsigned long a, unsigned long b) noexcept {
  return multipass_sim::larger(a, b);
}
constexpr long long max(long long a, long long b) noexcept {
  return multipass_sim::larger(a, b);
}
constexpr unsigned long long max(unsigned long long a, unsigned long long b) noexcept {
  return multipass_sim::larger(a, b);
}
inline float max(float a, float b) noexcept {
  return ::fmaxf(a, b);
}
inline double max(double a, double b) noexcept {
  return ::fmax(a, b);
}

// glibc declares some of these names, for its own use, with just these types.
inline float __expf(float x) noexcept {
  return ::expf(x);
}
inline float __exp10f(float x) noexcept {
  return ::powf(10.0F, x);
}
inline float __logf(float x) noexcept {
  return ::logf(x);
}
inline float __log2f(float x) noexcept {
  return ::log2f(x);
}
inline float __log10f(float x) noexcept {
  return ::log10f(x);
}
inline float __sinf(float x) noexcept {
  return ::sinf(x);
}
inline float __cosf(float x) noexcept {
  return ::cosf(x);
}
inline float __tanf(float x) noexcept {
  return ::tanf(x);
}
inline float __powf(float x, float y) noexcept {
  return ::powf(x, y);
}
inline float __fdividef(float x, float y) noexcept {
  return x / y;
}
inline float __frcp_rn(float x) noexcept {
  return 1.0F / x;
}
inline float __fsqrt_rn(float x) noexcept {
  return ::sqrtf(x);
}
inline float __fmaf_rn(float x, float y, float z) noexcept {
  return ::fmaf(x, y, z);
}
inline float __fadd_rn(float x, float y) noexcept {
  return x + y;
}
inline float __fsub_rn(float x, float y) noexcept {
  return x - y;
}
inline float __fmul_rn(float x, float y) noexcept {
  return x * y;
}
inline float __fdiv_rn(float x, float y) noexcept {
  return x / y;
}
inline float rsqrtf(float x) noexcept {
  return 1.0F / ::sqrtf(x);
}
inline double rsqrt(double x) noexcept {
  return 1.0 / ::sqrt(x);
}
inline float __saturatef(float x) noexcept {
  return ::fminf(::fmaxf(x, 0.0F), 1.0F);
}

inline int __float_as_int(float x) noexcept {
  return multipass_sim::same_bits<int>(x);
}
inline unsigned int __float_as_uint(float x) noexcept {
  return multipass_sim::same_bits<unsigned int>(x);
}
inline float __int_as_float(int x) noexcept {
  return multipass_sim::same_bits<float>(x);
}
inline float __uint_as_float(unsigned int x) noexcept {
  return multipass_sim::same_bits<float>(x);
}

// Bits that are set; zeros above the highest (all for 0); place of the lowest, counted from 1 (0 for 0).
inline int __popc(unsigned int x) noexcept {
  return __builtin_popcount(x);
}
inline int __popcll(unsigned long long x) noexcept {
  return __builtin_popcountll(x);
}
inline int __clz(int x) noexcept {
  return x == 0 ? 32 : __builtin_clz(static_cast<unsigned int>(x));
}
inline int __clzll(long long x) noexcept {
  return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}
inline int __ffs(int x) noexcept {
  return __builtin_ffs(x);
}
inline int __ffsll(long long x) noexcept {
  return __builtin_ffsll(x);
}

// Bits in reverse order.
inline unsigned int __brev(unsigned int x) noexcept {
  x = ((x & 0x55555555U) << 1) | ((x >> 1) & 0x55555555U);
  x = ((x & 0x33333333U) << 2) | ((x >> 2) & 0x33333333U);
  x = ((x & 0x0F0F0F0FU) << 4) | ((x >> 4) & 0x0F0F0F0FU);
  return __builtin_bswap32(x);
}
inline unsigned long long __brevll(unsigned long long x) noexcept {
  return (static_cast<unsigned long long>(__brev(static_cast<unsigned int>(x))) << 32) |
         __brev(static_cast<unsigned int>(x >> 32));
}

// The upper half of a product.
inline int __mulhi(int x, int y) noexcept {
  return static_cast<int>((static_cast<long long>(x) * y) >> 32);
}
inline unsigned int __umulhi(unsigned int x, unsigned int y) noexcept {
  return static_cast<unsigned int>((static_cast<unsigned long long>(x) * y) >> 32);
}
__extension__ inline long long __mul64hi(long long x, long long y) noexcept {
  return static_cast<long long>((static_cast<__int128>(x) * y) >> 64);
}
__extension__ inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) noexcept {
  return static_cast<unsigned long long>((static_cast<unsigned __int128>(x) * y) >> 64);
}

// A load through the read-only cache: what it reads is what a plain load reads.
template <class T>
inline T __ldg(const T* address) noexcept {
  static_assert(std::is_trivially_copyable_v<T>, "__ldg copies byte by byte");
  return *address;
}
