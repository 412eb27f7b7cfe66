// SPDX-License-Identifier: MIT
//
// WriteSignalsBlocked: for its scope, a write(2) of the calling thread answers with an error instead of a signal. A
// SIGPIPE (nobody reads) or SIGXFSZ (file-size limit) of ours would end a program that does not expect one. What our
// write raised is taken away at the end of the scope; what was pending before stays. noexcept; any thread.
#pragma once

#include <csignal>

namespace multipass {

class WriteSignalsBlocked final {
 public:
  WriteSignalsBlocked() noexcept;
  WriteSignalsBlocked(const WriteSignalsBlocked&) = delete;
  WriteSignalsBlocked& operator=(const WriteSignalsBlocked&) = delete;
  ~WriteSignalsBlocked();

 private:
  sigset_t ours_{};  // of the two, those that were not pending before
  sigset_t saved_{};
};

}  // namespace multipass
