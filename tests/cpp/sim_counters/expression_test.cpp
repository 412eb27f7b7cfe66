// SPDX-License-Identifier: MIT
#include "sim/counters/expression.hpp"

#include <gtest/gtest.h>

#include <string>

namespace multipass_sim {
namespace {

// The tree in prefix form.
std::string shape(const Expression& node) {
  switch (node.kind) {
    case Expression::Kind::kNumber:
      return std::to_string(static_cast<int>(node.number));
    case Expression::Kind::kName:
      return node.name;
    case Expression::Kind::kNegate:
      return "(neg " + shape(node.operands.at(0)) + ")";
    case Expression::Kind::kReduce:
      return "(reduce" + std::to_string(static_cast<int>(node.reduction)) + " " + shape(node.operands.at(0)) + ")";
    case Expression::Kind::kAccumulate:
      return "(accumulate" + std::to_string(static_cast<int>(node.resolution)) + " " + node.name + ")";
    default:
      break;
  }
  const char sign = node.kind == Expression::Kind::kAdd        ? '+'
                    : node.kind == Expression::Kind::kSubtract ? '-'
                    : node.kind == Expression::Kind::kMultiply ? '*'
                                                               : '/';
  return std::string("(") + sign + " " + shape(node.operands.at(0)) + " " + shape(node.operands.at(1)) + ")";
}

std::size_t error_column(const std::string& text) {
  try {
    (void)parse_expression(text);
  } catch (const ExpressionError& error) {
    return error.column();
  }
  return 0;
}

TEST(Expression, ProductsBindTighterThanSums) {
  EXPECT_EQ(shape(parse_expression("1+2*3-4/5")), "(- (+ 1 (* 2 3)) (/ 4 5))");
}

TEST(Expression, OperatorsOfOneLevelGroupToTheLeft) {
  EXPECT_EQ(shape(parse_expression("8-3-2")), "(- (- 8 3) 2)");
  EXPECT_EQ(shape(parse_expression("8/4/2")), "(/ (/ 8 4) 2)");
}

TEST(Expression, ParenthesesAndMinusAreFactors) {
  EXPECT_EQ(shape(parse_expression("-(A+1)*2")), "(* (neg (+ A 1)) 2)");
}

TEST(Expression, ReduceTakesAnyExpression) {
  EXPECT_EQ(shape(parse_expression("reduce( A * 2 , max )")), "(reduce1 (* A 2))");
  EXPECT_EQ(shape(parse_expression("reduce(A,avr)")), "(reduce3 A)");
}

TEST(Expression, AccumulateTakesANameAndAResolution) {
  EXPECT_EQ(shape(parse_expression("reduce(accumulate(L, HIGH_RES),sum)")), "(reduce0 (accumulate2 L))");
  EXPECT_EQ(shape(parse_expression("accumulate(L, LOW_RES)")), "(accumulate1 L)");
}

TEST(Expression, NumbersMayHaveAFraction) {
  EXPECT_DOUBLE_EQ(parse_expression("0.25").number, 0.25);
}

TEST(Expression, ErrorsNameTheColumn) {
  EXPECT_EQ(error_column(""), 1U);
  EXPECT_EQ(error_column("A + "), 5U);
  EXPECT_EQ(error_column("A B"), 3U);
  EXPECT_EQ(error_column("(A"), 3U);
  EXPECT_EQ(error_column("A + $"), 5U);
  EXPECT_EQ(error_column("2x"), 2U);
  EXPECT_EQ(error_column("reduce(A)"), 9U);
  EXPECT_EQ(error_column("reduce(A, mean)"), 11U);
  EXPECT_EQ(error_column("accumulate(A, MID_RES)"), 15U);
  EXPECT_EQ(error_column("accumulate(A + B, LOW_RES)"), 14U);
  EXPECT_EQ(error_column("1e999"), 1U);
}

TEST(Expression, NestingIsBounded) {
  EXPECT_EQ(error_column(std::string(60, '(') + "A" + std::string(60, ')')), 0U);
  EXPECT_GT(error_column(std::string(5000, '(')), 0U);
  EXPECT_GT(error_column(std::string(5000, '-')), 0U);
  std::string chain = "A";
  for (int i = 0; i < 3000; ++i) chain += "+A";
  EXPECT_GT(error_column(chain), 0U);
  EXPECT_GT(error_column(std::string(20000, ' ')), 0U);
}

}  // namespace
}  // namespace multipass_sim
