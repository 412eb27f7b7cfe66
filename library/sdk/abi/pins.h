/* SPDX-License-Identifier: MIT */

/* Compile-time pins of the declared ABI: include this once, in a translation unit of its own. A failing
 * pin means that a declaration was edited away from what the library does, never that the pin is stale:
 * an ABI change upstream means new declarations and new pins with their source. */

#ifndef MULTIPASS_SDK_ABI_PINS_H
#define MULTIPASS_SDK_ABI_PINS_H

#if !defined(__x86_64__) || !defined(__LP64__)
#error "the pins hold for x86-64 System V only"
#endif

#include "sdk/abi/pin_api_args.h"
#include "sdk/abi/pin_enums.h"
#include "sdk/abi/pin_layouts.h"
#include "sdk/abi/pin_markers.h"
#include "sdk/abi/pin_memory.h"
#include "sdk/abi/pin_signatures.h"

#endif
