// SPDX-License-Identifier: MIT
//
// The short form of a kernel's name. Threads: pure function.
#pragma once

#include <string>
#include <string_view>

namespace multipass::output::rocpd {

// "void ns::axpy<float>(float*, int) [clone .kd]" -> "axpy". A name that this cannot take apart with certainty
// (operators, lambdas, plain C names) comes back without its ".kd" and " [clone ...]" endings only.
[[nodiscard]] std::string truncated_kernel_name(std::string_view demangled);

}  // namespace multipass::output::rocpd
