// SPDX-License-Identifier: MIT
//
// The text of a counter's formula as a tree:
//   sum     = product { ("+" | "-") product }
//   product = factor { ("*" | "/") factor }
//   factor  = number | name | "-" factor | "(" sum ")"
//           | "reduce" "(" sum "," ("sum" | "max" | "min" | "avr") ")"
//           | "accumulate" "(" name "," ("LOW_RES" | "HIGH_RES") ")"
// Names are not looked up here. Plain data owned by whoever parsed it; any thread.
// Errors: parse_expression throws ExpressionError with the column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace multipass_sim {

enum class Reduction : std::uint8_t { kSum, kMax, kMin, kAverage };
enum class Resolution : std::uint8_t { kPlain, kLow, kHigh };  // kPlain: the counter itself, not accumulated

struct Expression {
  enum class Kind : std::uint8_t { kNumber, kName, kNegate, kAdd, kSubtract, kMultiply, kDivide, kReduce, kAccumulate };

  Kind kind = Kind::kNumber;
  std::size_t column = 1;  // 1-based, of the token that made this node
  double number = 0;
  std::string name;  // kName, kAccumulate
  Reduction reduction = Reduction::kSum;
  Resolution resolution = Resolution::kPlain;
  std::vector<Expression> operands;
  std::size_t target = 0;  // what the name means: set by whoever looks names up
};

class ExpressionError : public std::runtime_error {
 public:
  ExpressionError(std::size_t column, const std::string& what) : std::runtime_error(what), column_(column) {}
  [[nodiscard]] std::size_t column() const noexcept { return column_; }

 private:
  std::size_t column_;
};

[[nodiscard]] Expression parse_expression(std::string_view text);

}  // namespace multipass_sim
