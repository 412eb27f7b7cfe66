// SPDX-License-Identifier: MIT
//
// Preprocessed only: select_pins.cmake looks for names in the result.
#include "upstream.hpp"
