// SPDX-License-Identifier: MIT
//
// Marks what the simulator's library shows to applications.
#pragma once

#define MULTIPASS_SIM_API __attribute__((visibility("default")))
