/* SPDX-License-Identifier: MIT */

/* MULTIPASS_PIN(condition): a compile-time check spelled the same in C11 and C++. The message is the
 * condition itself. */

#ifndef MULTIPASS_SDK_ABI_PIN_H
#define MULTIPASS_SDK_ABI_PIN_H

#ifdef __cplusplus
#define MULTIPASS_PIN(condition) static_assert(condition, #condition)
#else
#define MULTIPASS_PIN(condition) _Static_assert(condition, #condition)
#endif

#endif
