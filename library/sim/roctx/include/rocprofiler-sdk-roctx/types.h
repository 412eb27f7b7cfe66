/* SPDX-License-Identifier: MIT
 *
 * Types of roctx. */
#ifndef MULTIPASS_SIM_ROCTX_TYPES_H
#define MULTIPASS_SIM_ROCTX_TYPES_H

#include <stdint.h>

typedef uint64_t roctx_range_id_t;
typedef uint64_t roctx_thread_id_t;

#endif
