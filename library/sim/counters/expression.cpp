// SPDX-License-Identifier: MIT
#include "sim/counters/expression.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace multipass_sim {
namespace {

// Bounds the recursion of the parser and of everything that walks the tree.
constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kMaxLength = 10'000;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_space(char c) {
  return c == ' ' || c == '\t';
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Expression whole() {
    Expression result = sum();
    if (!at_end()) fail("unexpected " + seen());
    return result;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw ExpressionError(position_ + 1, what); }

  bool at_end() {
    while (position_ < text_.size() && is_space(text_[position_])) ++position_;
    return position_ == text_.size();
  }

  std::string seen() { return at_end() ? "end" : "\"" + std::string(1, text_[position_]) + "\""; }

  bool take(char wanted) {
    if (at_end() || text_[position_] != wanted) return false;
    ++position_;
    return true;
  }

  void expect(char wanted) {
    if (!take(wanted)) fail("expected \"" + std::string(1, wanted) + "\", found " + seen());
  }

  std::string_view word() {
    if (at_end() || !is_letter(text_[position_])) fail("expected a name, found " + seen());
    const std::size_t begin = position_;
    while (position_ < text_.size() && (is_letter(text_[position_]) || is_digit(text_[position_]))) ++position_;
    return text_.substr(begin, position_ - begin);
  }

  [[nodiscard]] Expression node(Expression::Kind kind, std::size_t column,
                                std::vector<Expression> operands = {}) const {
    Expression result;
    result.kind = kind;
    result.column = column;
    result.operands = std::move(operands);
    return result;
  }

  // One level of left-associative operators. A long chain nests to the left, so its length counts as depth.
  template <typename Next>
  Expression chain(char first, Expression::Kind first_kind, char second, Expression::Kind second_kind, Next next) {
    Expression left = next();
    const std::size_t depth_before = depth_;
    while (true) {
      at_end();
      const std::size_t column = position_ + 1;
      Expression::Kind kind = first_kind;
      if (take(second)) {
        kind = second_kind;
      } else if (!take(first)) {
        break;
      }
      deeper();
      Expression right = next();
      std::vector<Expression> operands;
      operands.push_back(std::move(left));
      operands.push_back(std::move(right));
      left = node(kind, column, std::move(operands));
    }
    depth_ = depth_before;
    return left;
  }

  Expression sum() {
    return chain('+', Expression::Kind::kAdd, '-', Expression::Kind::kSubtract, [this] { return product(); });
  }

  Expression product() {
    return chain('*', Expression::Kind::kMultiply, '/', Expression::Kind::kDivide, [this] { return factor(); });
  }

  void deeper() {
    if (++depth_ > kMaxDepth) fail("more than " + std::to_string(kMaxDepth) + " levels");
  }

  Expression factor() {
    deeper();
    Expression result = factor_inside();
    --depth_;
    return result;
  }

  Expression factor_inside() {
    if (at_end()) fail("expected a value, found end");
    const std::size_t column = position_ + 1;
    if (take('(')) {
      Expression inner = sum();
      expect(')');
      return inner;
    }
    if (take('-')) {
      std::vector<Expression> operands;
      operands.push_back(factor());
      return node(Expression::Kind::kNegate, column, std::move(operands));
    }
    if (is_digit(text_[position_])) return number();
    if (!is_letter(text_[position_])) fail("expected a value, found " + seen());
    const std::string_view name = word();
    if (name == "reduce") return reduce(column);
    if (name == "accumulate") return accumulate(column);
    Expression result = node(Expression::Kind::kName, column);
    result.name = name;
    return result;
  }

  Expression number() {
    Expression result = node(Expression::Kind::kNumber, position_ + 1);
    const char* begin = text_.data() + position_;
    const auto [end, code] = std::from_chars(begin, text_.data() + text_.size(), result.number);
    if (code != std::errc{} || !std::isfinite(result.number)) fail("not a number");
    position_ += static_cast<std::size_t>(end - begin);
    if (position_ < text_.size() && is_letter(text_[position_])) fail("unexpected " + seen());
    return result;
  }

  Expression reduce(std::size_t column) {
    expect('(');
    std::vector<Expression> operands;
    operands.push_back(sum());
    expect(',');
    constexpr std::array<std::pair<std::string_view, Reduction>, 4> kNames{
        {{"sum", Reduction::kSum}, {"max", Reduction::kMax}, {"min", Reduction::kMin}, {"avr", Reduction::kAverage}}};
    Expression result = node(Expression::Kind::kReduce, column, std::move(operands));
    result.reduction = choice(kNames, "sum, max, min or avr");
    expect(')');
    return result;
  }

  Expression accumulate(std::size_t column) {
    Expression result = node(Expression::Kind::kAccumulate, column);
    expect('(');
    result.name = word();
    expect(',');
    constexpr std::array<std::pair<std::string_view, Resolution>, 2> kNames{
        {{"LOW_RES", Resolution::kLow}, {"HIGH_RES", Resolution::kHigh}}};
    result.resolution = choice(kNames, "LOW_RES or HIGH_RES");
    expect(')');
    return result;
  }

  template <typename Value, std::size_t kCount>
  Value choice(const std::array<std::pair<std::string_view, Value>, kCount>& names, const char* wanted) {
    at_end();
    const std::size_t begin = position_;
    const std::string_view found = word();
    for (const auto& [name, value] : names) {
      if (name == found) return value;
    }
    position_ = begin;
    fail("expected " + std::string(wanted) + ", found \"" + std::string(found) + "\"");
  }

  std::string_view text_;
  std::size_t position_ = 0;
  std::size_t depth_ = 0;
};

}  // namespace

Expression parse_expression(std::string_view text) {
  if (text.size() > kMaxLength) throw ExpressionError(kMaxLength, "longer than " + std::to_string(kMaxLength));
  return Parser(text).whole();
}

}  // namespace multipass_sim
