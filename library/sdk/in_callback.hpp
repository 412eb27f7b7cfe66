// SPDX-License-Identifier: MIT
#pragma once

namespace multipass::sdk {

// The calling thread is inside one of our callbacks while this lives. The first thing in each.
class InCallback final {
 public:
  InCallback() noexcept;
  InCallback(const InCallback&) = delete;
  InCallback& operator=(const InCallback&) = delete;
  ~InCallback();
};

}  // namespace multipass::sdk
