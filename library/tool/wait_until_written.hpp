// SPDX-License-Identifier: MIT
//
// Waits for a file that another thread writes, where that thread cannot be asked. Threads: any; takes no lock and
// allocates nothing. Errors: none.
#pragma once

#include <chrono>
#include <string>

namespace multipass::tool {

// Until the file has stopped growing, or is gone, or `most` is over.
void wait_until_written(const std::string& path, std::chrono::seconds most) noexcept;

}  // namespace multipass::tool
