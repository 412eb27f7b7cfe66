// SPDX-License-Identifier: MIT
//
// For a scope, this process can do less than it usually can. One thread.
#pragma once

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>

namespace multipass::test {

// Limits the size of files that this process writes, as a full disk or a quota would.
class FileSizeLimit final {
 public:
  explicit FileSizeLimit(rlim_t bytes) : old_handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    EXPECT_EQ(::getrlimit(RLIMIT_FSIZE, &old_limit_), 0);
    rlimit limit = old_limit_;
    limit.rlim_cur = bytes;
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &old_limit_), 0);
    std::signal(SIGXFSZ, old_handler_);
  }

 private:
  rlimit old_limit_{};
  void (*old_handler_)(int);
};

// Root may write anywhere; for a while this process is not root.
class WithoutRoot final {
 public:
  WithoutRoot() : old_(::geteuid()) {
    if (old_ == 0) {
      EXPECT_EQ(::seteuid(65534), 0);
    }
  }
  WithoutRoot(const WithoutRoot&) = delete;
  WithoutRoot& operator=(const WithoutRoot&) = delete;
  ~WithoutRoot() {
    if (old_ == 0) {
      EXPECT_EQ(::seteuid(old_), 0);
    }
  }

 private:
  uid_t old_;
};

}  // namespace multipass::test
