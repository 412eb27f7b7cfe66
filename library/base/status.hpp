// SPDX-License-Identifier: MIT
//
// Errors as values. A Status is either ok or a message that a person can act on; Result<T> is a value or
// such a Status. Nothing here throws, except when memory runs out.
// Threads: values, no shared state.
#pragma once

#include <optional>
#include <string>
#include <utility>

namespace multipass {

class [[nodiscard]] Status final {
 public:
  Status() = default;  // ok

  static Status ok() { return {}; }
  // `message` names the place, the value and the fix; it is shown to the user as it is.
  static Status error(std::string message) {
    Status status;
    status.message_ = std::move(message);
    status.failed_ = true;
    return status;
  }

  explicit operator bool() const noexcept { return !failed_; }
  [[nodiscard]] const std::string& message() const noexcept { return message_; }

 private:
  std::string message_;
  bool failed_ = false;
};

template <typename T>
class [[nodiscard]] Result final {
 public:
  Result(T value) : value_(std::move(value)) {}         // NOLINT(google-explicit-constructor)
  Result(Status status) : status_(std::move(status)) {  // NOLINT(google-explicit-constructor)
    if (status_) status_ = Status::error("internal: a result was made from an ok status");
  }

  explicit operator bool() const noexcept { return value_.has_value(); }
  [[nodiscard]] const Status& status() const noexcept { return status_; }
  [[nodiscard]] const std::string& message() const noexcept { return status_.message(); }

  // Only after a check with operator bool: like std::optional, the access itself is not checked.
  // NOLINTBEGIN(bugprone-unchecked-optional-access)
  T& operator*() & noexcept { return *value_; }
  const T& operator*() const& noexcept { return *value_; }
  T&& operator*() && noexcept { return *std::move(value_); }
  T* operator->() noexcept { return &*value_; }
  const T* operator->() const noexcept { return &*value_; }
  // NOLINTEND(bugprone-unchecked-optional-access)

 private:
  std::optional<T> value_;
  Status status_;
};

}  // namespace multipass
