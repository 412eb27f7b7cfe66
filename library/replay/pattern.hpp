// SPDX-License-Identifier: MIT
//
// Pattern: a regular expression (PCRE2, so Perl's and nearly Python's) that is searched in names of kernels and
// messages of ranges, which are UTF-8. A search takes a bounded number of steps and a bounded stack, and allocates.
// Immutable; any thread. Owned by filter, list and regions. The only place that knows the library.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.hpp"

namespace multipass::replay {

class Pattern final {
 public:
  // The message of an error names the column, from 1, and the fault.
  static Result<Pattern> compile(const std::string& text);

  // Of a setting, whose name and text go before that message; nothing where it is empty.
  static Result<std::optional<Pattern>> of_setting(const char* setting, const std::string& text);

  // Whether it is found in `name`; nothing when that took too many steps, or memory ran out.
  [[nodiscard]] std::optional<bool> found_in(std::string_view name) const noexcept;

 private:
  struct Code;
  explicit Pattern(std::shared_ptr<const Code> code) noexcept : code_(std::move(code)) {}

  std::shared_ptr<const Code> code_;
};

}  // namespace multipass::replay
