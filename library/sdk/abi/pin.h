/* SPDX-License-Identifier: MIT */

/* Compile-time checks, spelled the same in C11 and C++. The pin_*.h headers are lists of them, one fact of the ABI per
 * entry; tests/sdk_headers reads the same lists to compare a ROCm installation with them. So an entry there holds
 * nothing but names and numbers. */

#ifndef MULTIPASS_SDK_ABI_PIN_H
#define MULTIPASS_SDK_ABI_PIN_H

#include <stddef.h>

#ifdef __cplusplus
#include <type_traits>
#define MULTIPASS_PIN(condition, text) static_assert(condition, text)
#define MULTIPASS_PIN_SAME_TYPE(one, other) std::is_same_v<one, other>
#define MULTIPASS_PIN_ADDRESS_TYPE(name) decltype(&name)
#else
#define MULTIPASS_PIN(condition, text) _Static_assert(condition, text)
#define MULTIPASS_PIN_SAME_TYPE(one, other) __builtin_types_compatible_p(one, other)
#define MULTIPASS_PIN_ADDRESS_TYPE(name) __typeof__(&name)
#endif

/* A type of `bytes`. */
#define MULTIPASS_PIN_SIZE(type, bytes) MULTIPASS_PIN(sizeof(type) == (bytes), #type " has " #bytes " bytes")

/* A member at `offset` that takes `bytes`. */
#define MULTIPASS_PIN_MEMBER(type, member, offset, bytes)                                  \
  MULTIPASS_PIN(offsetof(type, member) == (offset), #type "::" #member " is at " #offset); \
  MULTIPASS_PIN(sizeof(((type*)0)->member) == (bytes), #type "::" #member " has " #bytes " bytes")

/* A bit-field of one bit. It has no offsetof: here its type is looked at, its place at run time, by
 * tests/cpp/abi/abi_test.cpp and tests/sdk_headers. */
#define MULTIPASS_PIN_BIT(type, member, byte, bit) \
  MULTIPASS_PIN((byte) < sizeof(type) && sizeof(!((type*)0)->member) != 0 && (bit) < 8, #type "::" #member)

#define MULTIPASS_PIN_VALUE(enumerator, number) MULTIPASS_PIN((enumerator) == (number), #enumerator " is " #number)

/* A function, or a pointer type for callbacks, with its parameters in parentheses. */
#define MULTIPASS_PIN_FUNCTION(name, result, parameters)                                         \
  MULTIPASS_PIN(MULTIPASS_PIN_SAME_TYPE(MULTIPASS_PIN_ADDRESS_TYPE(name), result(*) parameters), \
                #name " has another signature")
#define MULTIPASS_PIN_CALLBACK(type, result, parameters) \
  MULTIPASS_PIN(MULTIPASS_PIN_SAME_TYPE(type, result(*) parameters), #type " has another signature")

#endif
