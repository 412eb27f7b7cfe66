/* SPDX-License-Identifier: MIT
 *
 * The release of roctx that the simulator's library plays. */
#ifndef MULTIPASS_SIM_ROCTX_VERSION_H
#define MULTIPASS_SIM_ROCTX_VERSION_H

#define ROCTX_VERSION_MAJOR 1
#define ROCTX_VERSION_MINOR 4
#define ROCTX_VERSION_PATCH 1

#endif
