// SPDX-License-Identifier: MIT
//
// The mangled name of a kernel, taken out of the mangled name of MultipassSimSymbol<kernel>. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace multipass_sim {

// "18MultipassSimSymbolIXadL_Z4axpyPfPKffmEEE" -> "_Z4axpyPfPKffm"; a kernel with C linkage gives its plain name.
// Returns an empty string for a text of another form.
[[nodiscard]] std::string kernel_symbol(std::string_view type_name);

}  // namespace multipass_sim
