// SPDX-License-Identifier: MIT
#include "sim/hip/symbol_name.hpp"

#include <cctype>
#include <cstddef>
#include <utility>

namespace multipass_sim {
namespace {

constexpr std::string_view kDigits36 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

// Copies an Itanium-mangled encoding and lowers its substitutions by one: inside MultipassSimSymbol<...> the template's
// own name is substitution S_, so what the kernel's symbol calls S_ is S0_ here, and so on.
// Understands what kernel signatures are made of; operators in dependent expressions are copied as they are.
class Renumber final {
 public:
  explicit Renumber(std::string_view text) : text_(text) {}

  // Copies up to, and not including, the E that ends the enclosing scope.
  void copy_scope() {
    while (at_ < text_.size() && text_[at_] != 'E') copy_token();
  }

  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  void copy(std::size_t count) {
    out_.append(text_.substr(at_, count));
    at_ = at_ + count < text_.size() ? at_ + count : text_.size();
  }

  void copy_digits() {
    while (is_digit(peek())) copy(1);
  }

  void copy_source_name() {
    std::size_t length = 0;
    while (is_digit(peek()) && length < text_.size()) {
      length = length * 10 + static_cast<std::size_t>(peek() - '0');
      copy(1);
    }
    copy(length);
  }

  void copy_nested() {
    copy(1);
    copy_scope();
    copy(1);
  }

  void copy_token() {
    const char c = peek();
    if (is_digit(c)) return copy_source_name();
    switch (c) {
      case 'S':
        return copy_substitution();
      case 'L':
        return copy_literal();
      case 'T':  // template parameter: T_, T0_, ...
      case 'A':  // array bound: A16_
        copy(1);
        return copy_digits();
      case 'D':  // two-letter codes; decltype has a scope of its own
        if (peek(1) != 'T' && peek(1) != 't') return copy(2);
        copy(1);
        return copy_nested();
      case 'N':
      case 'I':
      case 'J':
      case 'X':
      case 'F':
      case 'Z':
        return copy_nested();
      default:
        return copy(1);
    }
  }

  void copy_substitution() {
    if (peek(1) != '_' && !is_digit(peek(1)) && std::isupper(static_cast<unsigned char>(peek(1))) == 0) return copy(2);
    ++at_;
    std::size_t number = 0;  // S_ is 0, S0_ is 1, ...
    if (peek() != '_') {
      while (kDigits36.find(peek()) != std::string_view::npos) {
        number = number * kDigits36.size() + kDigits36.find(peek());
        ++at_;
      }
      ++number;
    }
    if (peek() == '_') ++at_;
    append_substitution(number == 0 ? 0 : number - 1);
  }

  void append_substitution(std::size_t number) {
    out_.push_back('S');
    std::string digits;
    if (number > 0) {
      std::size_t rest = number - 1;
      do {
        digits.insert(digits.begin(), kDigits36[rest % kDigits36.size()]);
        rest /= kDigits36.size();
      } while (rest > 0);
    }
    out_.append(digits).push_back('_');
  }

  // L<type><value>E, L_Z<encoding>E, or the mark of internal linkage before a source name.
  void copy_literal() {
    if (peek(1) == '_' && peek(2) == 'Z') {
      copy(3);
      copy_scope();
      return copy(1);
    }
    copy(1);
    if (is_digit(peek())) {
      copy_source_name();
      return copy_value_if_literal();
    }
    if (peek() == 'N' || peek() == 'S') {
      copy_token();
      return copy_value_if_literal();
    }
    while (peek() != 'E' && peek() != '\0') copy(1);
    copy(1);
  }

  void copy_value_if_literal() {
    std::size_t length = peek() == 'n' ? 1 : 0;
    const std::size_t first = length;
    while (is_digit(peek(length))) ++length;
    if (length > first && peek(length) == 'E') copy(length + 1);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string out_;
};

// True for the encoding of a function with C linkage: one source name and nothing after it.
bool is_plain_name(std::string_view encoding, std::string_view& name) {
  std::size_t at = 0;
  std::size_t length = 0;
  while (at < encoding.size() && is_digit(encoding[at]) && length < encoding.size()) {
    length = length * 10 + static_cast<std::size_t>(encoding[at++] - '0');
  }
  if (at == 0 || at + length != encoding.size()) return false;
  name = encoding.substr(at);
  return true;
}

}  // namespace

std::string kernel_symbol(std::string_view type_name) {
  constexpr std::string_view kStart = "L_Z";
  const std::size_t start = type_name.find(kStart);
  if (start == std::string_view::npos) return {};
  Renumber renumber(type_name.substr(start + kStart.size()));
  renumber.copy_scope();
  const std::string encoding = renumber.take();
  std::string_view plain;
  if (is_plain_name(encoding, plain)) return std::string(plain);
  return "_Z" + encoding;
}

}  // namespace multipass_sim
