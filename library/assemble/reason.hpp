// SPDX-License-Identifier: MIT
//
// Reason: a word or short sentence that needs no memory from the heap, for where a kernel is being launched. What does
// not fit is cut. A value; noexcept throughout.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace multipass::assemble {

class Reason final {
 public:
  static constexpr std::size_t kMaxSize = 192;  // characters; all safety reasons together have fewer

  Reason() noexcept = default;
  Reason(std::string_view text) noexcept { *this << text; }              // NOLINT: a reason is a text
  Reason(const char* text) noexcept : Reason(std::string_view(text)) {}  // NOLINT: as above

  Reason& operator<<(std::string_view text) noexcept {
    const std::size_t taken = std::min(text.size(), kMaxSize - size_);
    std::copy_n(text.begin(), taken, text_.begin() + static_cast<std::ptrdiff_t>(size_));
    size_ += taken;
    return *this;
  }
  Reason& operator<<(std::uint64_t number) noexcept {
    std::array<char, 20> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    return *this << std::string_view(digits.data(), static_cast<std::size_t>(end - digits.data()));
  }

  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::string_view text() const noexcept { return {text_.data(), size_}; }

 private:
  std::array<char, kMaxSize> text_{};
  std::size_t size_ = 0;
};

}  // namespace multipass::assemble
